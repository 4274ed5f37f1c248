"""The file of Retraction Watch: what became of works, from a local copy of its database.

Crossref publishes the database as CSV.  A project keeps a copy of its own; none comes with
this package.  Columns are found by name, and the reader keeps no more than a state, a
notice and a date of each record.
"""

import csv
import datetime as dt
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from handle_system.errors import brief
from handle_system.foreign_files import read_foreign_file, why_unread
from handle_system.handle import Handle

__all__ = ["RetractionsFile", "read_retractions"]

# In bytes; the database has some seventy million.
_LARGEST_FILE = 256 * 1024 * 1024
# The works of all records; the database has some seventy thousand.
_MOST_WORKS = 1_000_000
# So many records of one work are more than anybody reads.
_MOST_RECORDS = 40
_COLUMNS = ("OriginalPaperDOI", "RetractionDOI", "RetractionDate", "RetractionNature")
# What our states are called there.
_STATES = {
    "retraction": "retracted",
    "expression of concern": "concern",
    "correction": "corrected",
    "reinstatement": "reinstated",
}


class _TooManyWorksError(Exception):
    """A file has more works than are kept."""


class _Record(NamedTuple):
    """What is kept of a record, as it is written: most are never asked for."""

    state: str
    notice: str
    date: str


@dataclass(frozen=True, slots=True)
class RetractionsFile:
    """The records of a file.

    Attributes:
        path: The file.
        problem: Why it cannot be read, without a full stop; empty if it is.
        last_day: The day of the newest record, as ISO 8601 writes it; empty if unknown.
    """

    path: Path
    problem: str = ""
    last_day: str = ""
    _records: Mapping[str, Sequence[_Record]] = field(default_factory=dict, repr=False)

    def updates_of(self, handle: Handle) -> list[dict[str, str]]:
        """The updates of a work, as a file of references stores them."""
        updates = []
        for record in self._records.get(handle.comparison_key, ()):
            update = {
                "state": record.state,
                "by": _doi(record.notice),
                "date": _day(record.date),
            }
            updates.append({name: value for name, value in update.items() if value})
        return updates

    def __len__(self) -> int:
        """How many works it has."""
        return len(self._records)


def read_retractions(path: Path) -> RetractionsFile:
    """Read a file; nothing that it holds is an exception."""
    try:
        data = read_foreign_file(path, _LARGEST_FILE)
    except FileNotFoundError:
        return RetractionsFile(path, "there is no such file")
    except OSError as error:
        return RetractionsFile(path, why_unread(error))
    # Some records have octets that are no UTF-8.
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", errors="replace", newline="")
    rows = csv.reader(text)
    try:
        names = [name.strip() for name in next(rows, [])]
        lacking = [name for name in _COLUMNS if name not in names]
        if lacking:
            reason = f"it has no column {lacking[0]}, so it is none of Retraction Watch"
            return RetractionsFile(path, reason)
        records, last = _read_rows(rows, [names.index(name) for name in _COLUMNS])
    except _TooManyWorksError:
        return RetractionsFile(path, f"it has more than {_MOST_WORKS:,} works")
    except csv.Error as error:
        reason = f"line {rows.line_num} is not CSV: {brief(str(error))}"
        return RetractionsFile(path, reason)
    return RetractionsFile(path, "", last, records)


def _read_rows(
    rows: Iterator[list[str]], columns: Sequence[int]
) -> tuple[Mapping[str, Sequence[_Record]], str]:
    """The records by the DOI of their works, and the newest day.

    Raises:
        _TooManyWorksError: when there are more works than are kept.
    """
    records: defaultdict[str, list[_Record]] = defaultdict(list)
    last = ""
    original, notice, date, nature = columns
    width = max(columns)
    for row in rows:
        state = _STATES.get(row[nature].strip().lower()) if len(row) > width else None
        if state is None:
            continue
        # Most days are of years before the newest one, and need not be read.
        if row[date].partition(" ")[0][-4:] >= last[:4]:
            last = max(last, _day(row[date]))
        record = _Record(state, row[notice], row[date])
        # Several works of one notice share a record.
        for written in row[original].split(";"):
            doi = _doi(written)
            if doi and len(records[doi]) < _MOST_RECORDS:
                records[doi].append(record)
        if len(records) > _MOST_WORKS:
            raise _TooManyWorksError
    return records, last


def _doi(written: str) -> str:
    """A DOI as it is compared; empty for ``unavailable`` and the like."""
    doi = written.strip().lower()
    return doi if doi.startswith("10.") and "/" in doi else ""


def _day(written: str) -> str:
    """A day such as ``8/9/2024 0:00``, with the month first, as ISO 8601 writes it.

    It is empty if there is none.
    """
    parts = written.partition(" ")[0].split("/")
    try:
        month, day, year = map(int, parts)
        return str(dt.date(year, month, day))
    except (ValueError, OverflowError):
        return ""
