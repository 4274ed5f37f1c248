"""A version history as an author writes it: a version a line, the oldest first.

The columns are those of PILIN's own tables (seed 002)::

    0.9 | 2007-05-25 | -                     | Draft for comment
    1.0 | 2007-06-26 | 102.100.272/0N8J991QH | Initial release to public

::

    line   = label [ "|" date [ "|" handle [ "|" changes ] ] ]
    date   = year "-" month "-" day | "-" | nothing
    handle = a reference in any of its forms | "env:" variable
             | "not yet assigned" | "-" | nothing

The changes may hold the separator; a handle that does is written as a URI, with
``%7C``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from handle_system.citing.values import (
    CitationError,
    Reading,
    read_date,
    read_line,
)
from handle_system.citing.work import Version, Work

__all__ = ["HistoryLine", "placed", "read_history"]

_SEPARATOR = "|"
_COLUMNS = 4


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """A version, and the number of the line that says so, if it is known."""

    version: Version
    line: int | None


def read_history(
    lines: Sequence[tuple[int | None, str]], reading: Reading
) -> tuple[HistoryLine, ...]:
    """The versions of a history; empty lines count for nothing.

    Raises:
        CitationError: where a line is none of a history.
    """
    return tuple(
        _read_line(line, text, reading) for line, text in lines if text.strip()
    )


def placed(this: Version, work: Work) -> Work:
    """The work with a version in its history, in its row, or where it sorts."""
    return work.with_version(this)


def _read_line(line: int | None, text: str, reading: Reading) -> HistoryLine:
    where = "version history"
    cells = [cell.strip() for cell in text.split(_SEPARATOR, _COLUMNS - 1)]
    if not cells[0]:
        raise CitationError(
            "a row begins with the version's label: "
            "1.0 | 2007-06-26 | 102.100.272/0N8J991QH | what changed",
            where=where,
            line=line,
        )
    label, date, handle, changes = (*cells, "", "", "")[:_COLUMNS]
    label = read_line(label, where, line)
    where = f"version history, {label}"
    version = Version(
        label=label,
        date=None if date in {"", "-"} else read_date(date, where, line),
        handle=reading.handle(handle, where, line),
        changes=read_line(changes, where, line) if changes else "",
    )
    return HistoryLine(version, line)
