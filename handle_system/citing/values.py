"""Reading the single values of a citation, the same in all of its sources.

An author writes text; here each text becomes a value, or an error that says
where it stands.  Where that is, only the source knows: an option's name, a line
of the body, a path such as ``work[0].version[2].handle``.  So every reader is
handed the place, and none makes one up.
"""

import datetime as dt
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from handle_system.citing.fields import CitationError, is_http_url
from handle_system.citing.fields import language as _language
from handle_system.citing.fields import license_name as _license
from handle_system.citing.formats import CitationFormat
from handle_system.citing.work import WorkKind
from handle_system.errors import HandleSyntaxError, showable
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference

__all__ = [
    "NOT_YET_ASSIGNED",
    "CitationError",
    "Reading",
    "read_date",
    "read_flag",
    "read_formats",
    "read_kind",
    "read_language",
    "read_license",
    "read_line",
    "read_url",
]

#: How an author writes that a handle does not exist yet; the first is canonical.
NOT_YET_ASSIGNED = ("not yet assigned", "-", "")

_VARIABLE = re.compile("env:([A-Za-z_][A-Za-z0-9_]*)")
# Embeddings and overrides end with the one, isolates with the other.
_TURNS = (
    ("\u202a\u202b\u202d\u202e", "\u202c"),
    ("\u2066\u2067\u2068", "\u2069"),
)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What reading a handle depends on, beside its text.

    Attributes:
        proxies: The proxies whose URLs are handles.
        environment: The variables that ``env:NAME`` reads.
    """

    proxies: Proxies = DEFAULT_PROXIES
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def handle(self, text: str, where: str, line: int | None = None) -> Handle | None:
        """A handle in any of its written forms; `None` is "not yet assigned".

        ::

            handle = reference | "env:" variable | "not yet assigned" | "-" | nothing

        A variable that is not set, or is empty, says "not yet assigned": the
        identifier of a release is often known only when it is built.

        Raises:
            CitationError: when it is no handle, or more than one: a citation
                names the whole of what a handle names, so a query, a fragment,
                an index or a server has no place in it.
        """
        text = text.strip()
        variable = _VARIABLE.fullmatch(text)
        if variable:
            text = self.environment.get(variable[1], "").strip()
            where = f"{where} (environment variable {variable[1]})"
        if text.casefold() in NOT_YET_ASSIGNED:
            return None
        try:
            reference = HandleReference.parse(text, proxies=self.proxies)
        except HandleSyntaxError as error:
            raise CitationError(str(error), where=where, line=line) from error
        extra = next(
            (
                name
                for name in ("query", "fragment", "index", "server")
                if getattr(reference, name) is not None
            ),
            None,
        )
        if extra is not None:
            raise CitationError(
                f"a citation names a handle alone, and {showable(text)} has "
                f"{_A[extra]} beside it; write {showable(str(reference.handle))}",
                where=where,
                line=line,
            )
        return reference.handle


_A = {
    "query": "a query",
    "fragment": "a fragment",
    "index": "an index",
    "server": "a server",
}


def read_line(text: str, where: str, line: int | None = None) -> str:
    """Text on one line: runs of white space are one space.

    Raises:
        CitationError: when nothing is left, a control character is in it, or one
            of direction is left open.
    """
    found = _CONTROLS.search(text)
    if found:
        raise CitationError(
            f"U+{ord(found.group()):04X} is a control character",
            where=where,
            line=line,
        )
    turned = _unclosed_turn(text)
    if turned is not None:
        raise CitationError(
            f"U+{ord(turned):04X} turns the direction of text and is not closed: it "
            "would turn what stands behind, too",
            where=where,
            line=line,
        )
    collapsed = " ".join(text.split())
    if not collapsed:
        raise CitationError("nothing is written here", where=where, line=line)
    return collapsed


def _unclosed_turn(text: str) -> str | None:
    """The first control of direction that is left open (UAX 9, section 3.3.2)."""
    for openings, closing in _TURNS:
        still_open: list[str] = []
        for character in text:
            if character in openings:
                still_open.append(character)
            elif character == closing and still_open:
                still_open.pop()
        if still_open:
            return still_open[0]
    return None


def read_date(text: str, where: str, line: int | None = None) -> dt.date:
    """A date as ISO 8601 writes it: ``2007-06-26``.

    Raises:
        CitationError: when it is not one, or no day of the calendar.
    """
    text = text.strip()
    if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        try:
            return dt.date.fromisoformat(text)
        except ValueError as error:
            raise CitationError(
                f"{text} is no day of the calendar", where=where, line=line
            ) from error
    raise CitationError(
        f"a date is written 2007-06-26 (year, month, day), not {text!r}",
        where=where,
        line=line,
    )


def read_url(text: str, where: str, line: int | None = None) -> str:
    """An absolute http or https address.

    Raises:
        CitationError: when it is not one.
    """
    text = text.strip()
    if not is_http_url(text):
        raise CitationError(
            f"{text!r} is not an absolute http or https URL", where=where, line=line
        )
    return text


def read_kind(text: str, where: str, line: int | None = None) -> WorkKind:
    """What sort of thing a work is, by its name.

    Raises:
        CitationError: when there is no such kind.
    """
    try:
        return WorkKind(text.strip().casefold())
    except ValueError as error:
        raise CitationError(
            f"{text.strip()!r} is none of {', '.join(WorkKind)}", where=where, line=line
        ) from error


def read_license(text: str, where: str, line: int | None = None) -> str:
    """A licence: an SPDX identifier, or an address.

    Raises:
        CitationError: when it is neither.
    """
    text = text.strip()
    try:
        _license(text)
    except ValueError as error:
        raise CitationError(
            f"{text!r} is neither an SPDX identifier nor an address",
            where=where,
            line=line,
        ) from error
    return text


def read_language(text: str, where: str, line: int | None = None) -> str:
    """A language by its BCP 47 tag.

    Raises:
        CitationError: when it is none.
    """
    text = text.strip()
    try:
        _language(text)
    except ValueError as error:
        raise CitationError(
            f"{text!r} is no BCP 47 language tag", where=where, line=line
        ) from error
    return text


def read_formats(
    text: str, where: str, line: int | None = None
) -> tuple[CitationFormat, ...]:
    """Names of formats, divided by spaces or commas; ``all`` for every one.

    Raises:
        CitationError: when there is no such format.
    """
    names = text.replace(",", " ").casefold().split()
    if names == ["all"]:
        return tuple(CitationFormat)
    unknown = [name for name in names if name not in set(CitationFormat)]
    if unknown or not names:
        given = repr(unknown[0]) if unknown else "nothing"
        raise CitationError(
            f"{given} is none of all, {', '.join(CitationFormat)}",
            where=where,
            line=line,
        )
    return tuple(dict.fromkeys(CitationFormat(name) for name in names))


def read_flag(text: str | None, where: str, line: int | None = None) -> bool:
    """A flag: on when nothing is written, or what is written says so.

    Raises:
        CitationError: when the text is neither yes nor no.
    """
    word = (text or "").strip().casefold()
    if word in {"", "true", "yes", "on"}:
        return True
    if word in {"false", "no", "off"}:
        return False
    raise CitationError(f"{word!r} is neither yes nor no", where=where, line=line)
