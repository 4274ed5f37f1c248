"""Findings: the outcome of each handle, the places that refer to it, and a severity.

The documents are wrong only about a handle that is not registered.  Every other
finding is information, unless a project sets its severity.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Protocol, TypeVar, assert_never

from handle_system.encoding import encode_file
from handle_system.errors import HandleSyntaxError, showable
from handle_system.handle import Handle
from handle_system.reference import HandleReference
from handle_system.resolving.outcomes import (
    NotRegistered,
    NoValues,
    Outcome,
    OutcomeName,
    Provenance,
    Refused,
    Resolved,
    Unreachable,
)

__all__ = [
    "DEFAULT_SEVERITIES",
    "FINDING_DESCRIPTIONS",
    "IGNORED",
    "OUTCOME_LABELS",
    "PLACE_FIELDS",
    "SKIPPED",
    "CheckedPlace",
    "FindingCode",
    "ReportRow",
    "Severity",
    "Verdict",
    "checked_handle",
    "count_outcomes",
    "index_of_value",
    "missing_index",
    "place_url",
    "verdict_of",
    "verdicts_of_places",
]


class Severity(StrEnum):
    """The severity of a finding."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    """The command and SARIF call it ``note``."""
    OFF = "off"

    @classmethod
    def _missing_(cls, value: object) -> "Severity | None":
        return cls.INFO if value == "note" else None

    @property
    def level(self) -> str:
        """Its name in SARIF and in the output of the command."""
        return "note" if self is Severity.INFO else self.value

    @property
    def fails(self) -> bool:
        """Whether a finding of this severity makes a check fail."""
        return self in {Severity.ERROR, Severity.WARNING}


class FindingCode(StrEnum):
    """The kinds of finding about a handle."""

    NOT_REGISTERED = "not-registered"
    """A handle is not registered."""
    RECORD = "record"
    """A handle is registered, and its record leads nowhere: it has no URL, one that is
    not absolute, or an alias of a missing handle. Or it has no value of the index that a
    reference names (``300:0.NA/10``)."""
    NO_VALUES = "no-values"
    """A handle is registered, and its record has no public values."""
    SUPERSEDED = "superseded"
    """There is a newer version of a work: the record of its handle names the handle that
    replaces it, or a file of references says so."""
    REFUSED = "refused"
    """The server requires authentication. ``handle_verify_ignore`` excludes a handle."""
    UNREACHABLE = "unreachable"
    """A handle is not verified: no response, or an invalid one. A later build asks
    again."""


#: The severity of each kind, unless a project sets another.
DEFAULT_SEVERITIES: Mapping[FindingCode, Severity] = MappingProxyType(
    {
        **dict.fromkeys(FindingCode, Severity.INFO),
        FindingCode.NOT_REGISTERED: Severity.WARNING,
    }
)

#: One sentence about each kind; services show it as the title of a rule.
FINDING_DESCRIPTIONS: Mapping[FindingCode, str] = MappingProxyType(
    {
        FindingCode.NOT_REGISTERED: "A document refers to a handle that is not registered.",
        FindingCode.RECORD: "A handle is registered, and its record leads nowhere, or has "
        "no value of the index that a reference names.",
        FindingCode.NO_VALUES: "A handle is registered, and its record has no public value.",
        FindingCode.SUPERSEDED: "A document cites a work that has a newer version.",
        FindingCode.REFUSED: "A handle is not verified: the server refused to answer.",
        FindingCode.UNREACHABLE: "A handle is not verified: no response, or an invalid one.",
    }
)

#: The codes of a handle that the project excludes, and of a file that is not read.
IGNORED = "ignored"
SKIPPED = "skipped"
_UNVERIFIED = {IGNORED, SKIPPED, FindingCode.REFUSED, FindingCode.UNREACHABLE}

#: The names of the outcomes in messages and on pages.
OUTCOME_LABELS: Mapping[OutcomeName, str] = MappingProxyType(
    {name: name.value.replace("-", " ") for name in OutcomeName}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome of one handle as plain data.

    Attributes:
        handle: The handle, in its author's spelling.
        outcome: The name of the outcome.
        target: The absolute URL that the record leads to, or `None`.
        reason: Why nothing is known, or why a record leads nowhere; without a full
            stop, else empty.
        aliases: The handles passed on the way to the record.
        possible_targets: The absolute URLs that the record may lead a reader to, `target`
            first.
        addresses: All absolute URLs in the record, `target` first.
        replaced_by: The handle that replaces this one, as its record says; else empty.
        indexes: The indexes of the values in the record.
        answered: When a server answered, in seconds since 1970; `None` if none did.
        is_remembered: Whether the outcome comes from the cache.
        caveat: A clause about an older outcome that no server confirms now; else empty.
    """

    handle: str
    outcome: OutcomeName
    target: str | None = None
    reason: str = ""
    aliases: tuple[str, ...] = ()
    possible_targets: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    replaced_by: str = ""
    indexes: tuple[int, ...] = field(default=(), compare=False)
    answered: int | None = field(default=None, compare=False)
    is_remembered: bool = field(default=False, compare=False)
    caveat: str = field(default="", compare=False)

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> "Verdict":
        """Read an object that the filter ``python -m handle_system.resolving`` wrote.

        Raises:
            LookupError, TypeError, ValueError: The object has another shape.
        """
        return cls(
            handle=members["handle"],
            outcome=OutcomeName(members["outcome"]),
            target=members["target"],
            reason=members["reason"] or "",
            aliases=tuple(members["aliases"]),
            possible_targets=tuple(members["possible_targets"]),
            addresses=tuple(members["addresses"]),
            replaced_by=members["replaced_by"],
            indexes=tuple(members["indexes"]),
            answered=members["answered"],
            is_remembered=members["is_remembered"],
            caveat=members["caveat"],
        )

    @property
    def code(self) -> FindingCode | None:
        """The kind of finding; `None` if the handle is registered and leads somewhere."""
        match self.outcome:
            case OutcomeName.RESOLVED:
                if self.reason:
                    return FindingCode.RECORD
                return FindingCode.SUPERSEDED if self.replaced_by else None
            case OutcomeName.NOT_REGISTERED:
                return FindingCode.NOT_REGISTERED
            case OutcomeName.NO_VALUES:
                return FindingCode.NO_VALUES
            case OutcomeName.REFUSED:
                return FindingCode.REFUSED
            case OutcomeName.UNREACHABLE:
                return FindingCode.UNREACHABLE
            case _:
                assert_never(self.outcome)

    @property
    def description(self) -> str:
        """The finding in words, without a full stop; empty if there is none.

        A record or a server may have written part of it, so every character that
        would not show as itself is escaped.
        """
        finding = self._finding
        if finding and self.caveat:
            finding = f"{finding}; {self.caveat}"
        return showable(finding)

    @property
    def _finding(self) -> str:
        match self.outcome:
            case OutcomeName.NOT_REGISTERED:
                return "this handle is not registered"
            case OutcomeName.NO_VALUES:
                return "this handle is registered, and has no public values"
            case OutcomeName.RESOLVED:
                superseded = f"superseded by {self.replaced_by}"
                return self.reason or (superseded if self.replaced_by else "")
            case OutcomeName.REFUSED | OutcomeName.UNREACHABLE:
                label = OUTCOME_LABELS[self.outcome]
                return f"{label}, so not verified: {self.reason}"
            case _:
                assert_never(self.outcome)


def verdict_of(
    handle: Handle, outcome: Outcome, provenance: Provenance | None = None
) -> Verdict:
    """Reduce an outcome to plain data."""
    verdict = Verdict(
        handle=str(handle),
        outcome=outcome.name,
        target=outcome.target,
        reason=outcome.reason or "",
    )
    if provenance is not None:
        verdict = replace(
            verdict,
            answered=provenance.answered,
            is_remembered=provenance.is_remembered,
            caveat=provenance.caveat,
        )
    match outcome:
        case Resolved():
            return replace(
                verdict,
                possible_targets=outcome.possible_targets,
                addresses=outcome.addresses,
                replaced_by=str(outcome.record.replaced_by or ""),
                indexes=tuple(value.index for value in outcome.record.public_values),
            )
        case NotRegistered() | NoValues() | Refused() | Unreachable():
            return verdict
        case _:
            assert_never(outcome)


@dataclass(frozen=True, order=True, slots=True, kw_only=True)
class CheckedPlace:
    """One place in a document.

    Attributes:
        file: The file, relative to the root of the checked project.
        line: The line in that file, from 1; 0 if it is not known.
        column: The column in code points, from 1; 0 if it is not known.
        written: The reference as its author wrote it; empty for the file as a whole.
        document: The name of the document; the file's name where there is no other.
        url: An http(s) or relative URL that shows the place, or an empty string.
        is_own_file: Whether `file` is the document's own file.  It is not for an
            included file and for a docstring.
    """

    file: str
    line: int = 0
    column: int = 0
    written: str = ""
    document: str
    url: str = ""
    is_own_file: bool = True

    def __str__(self) -> str:
        name = self.document if self.is_own_file else self.file
        return f"{name}{self._numbers}"

    @property
    def in_file(self) -> str:
        """The file, line and column."""
        return f"{self.file}{self._numbers}"

    @property
    def _numbers(self) -> str:
        return "".join(f":{number}" for number in (self.line, self.column) if number)


#: The fields of the template of a place's URL.
PLACE_FIELDS = ("{file}", "{line}", "{document}")


def place_url(template: str, file: str, line: int, document: str) -> str:
    """Fill in a URL that shows a place, such as a file at a line on a forge.

    Args:
        template: A URL with some of `PLACE_FIELDS`.
        file: The file, with forward slashes.
        line: The line, from 1; with 0 the URL has no fragment.
        document: The name of the document.

    >>> place_url("https://forge.example/{file}#L{line}", "docs/a b.rst", 3, "a b")
    'https://forge.example/docs/a%20b.rst#L3'
    """
    if not line:
        template = template.partition("#")[0]
    values = (encode_file(file), str(line or ""), encode_file(document))
    # The values are percent-encoded, so none of them holds a brace.
    for name, value in zip(PLACE_FIELDS, values, strict=True):
        template = template.replace(name, value)
    return template


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """A row of a report: a handle, a reference with a finding, or a skipped file.

    Attributes:
        title: The handle, the reference as it is written, or the file.
        places: The places of the finding, at least one.
        code: The kind of finding; empty if there is none.
        description: The finding in words, without a full stop; may be empty.
        severity: Its severity; `Severity.OFF` if there is none.
        verdict: The outcome of a verified handle; else `None`.
        suggestion: The text to write instead, or `None`.
        drawn: The lines that show where in the reference the error is, for people.
    """

    title: str
    places: tuple[CheckedPlace, ...]
    code: str = ""
    description: str = ""
    severity: Severity = Severity.OFF
    verdict: Verdict | None = None
    suggestion: str | None = None
    drawn: Sequence[str] = ()

    @property
    def kind(self) -> str:
        """The kind of row.

        A `FindingCode` or ``resolved`` for a verified handle, `IGNORED`, `SKIPPED`, or
        ``malformed`` for a reference.
        """
        if self.verdict is not None:
            return self.code or "resolved"
        return self.code if self.code in _UNVERIFIED else "malformed"

    @property
    def is_handle(self) -> bool:
        """Whether its title is a handle, and not a reference or a file."""
        return self.verdict is not None or self.code == IGNORED

    @property
    def is_unverified(self) -> bool:
        """Whether nothing may be concluded about the handle or the file."""
        return self.code in _UNVERIFIED

    @property
    def message(self) -> str:
        """The finding, after the reference and before all other places."""
        first, *others = self.places
        also = f" (also at {', '.join(map(str, others))})" if others else ""
        return f"{self.message_at(first)}{showable(also)}"

    def message_at(self, place: CheckedPlace) -> str:
        """The finding after the reference at a place, in one line."""
        written = f"{place.written}: " if place.written else ""
        return showable(f"{written}{self.description}".replace("\n", " "))


def checked_handle(
    verdict: Verdict,
    places: tuple[CheckedPlace, ...],
    severities: Mapping[str, Severity],
) -> ReportRow:
    """The row of a verified handle.

    Args:
        verdict: Its outcome.
        places: The places that refer to it.
        severities: The severities that the project sets; others are the default.
    """
    code = verdict.code
    return ReportRow(
        title=verdict.handle,
        places=places,
        code=code or "",
        description=verdict.description,
        severity=severities.get(code, DEFAULT_SEVERITIES[code])
        if code
        else Severity.OFF,
        verdict=verdict,
    )


class _HasText(Protocol):
    @property
    def written(self) -> str: ...


AnyPlace = TypeVar("AnyPlace", bound=_HasText)


def verdicts_of_places(
    verdict: Verdict, places: Iterable[AnyPlace]
) -> list[tuple[Verdict, list[AnyPlace]]]:
    """The verdict on a handle, and the places it is about.

    A reference to one value, such as ``300:0.NA/10``, has a verdict of its own if the
    record does not have that value.

    Args:
        verdict: The verdict on the handle.
        places: The places that refer to it.
    """
    by_index: dict[int | None, list[AnyPlace]] = {}
    for place in places:
        index = missing_index(verdict, place.written)
        by_index.setdefault(index, []).append(place)
    return [
        (_without_value(verdict, index), its_places)
        for index, its_places in by_index.items()
    ]


def _without_value(verdict: Verdict, index: int | None) -> Verdict:
    if index is None:
        return verdict
    return replace(verdict, reason=f"its record has no value of index {index}")


def missing_index(verdict: Verdict, written: str) -> int | None:
    """The index of the value that a reference names, if the record does not have it.

    A remembered record is no evidence: the value may be newer than the answer.

    >>> verdict = Verdict(handle="0.NA/10", outcome=OutcomeName.RESOLVED, indexes=(100,))
    >>> missing_index(verdict, "300:0.NA/10"), missing_index(verdict, "100:0.NA/10")
    (300, None)
    """
    is_known = verdict.outcome is OutcomeName.RESOLVED and not verdict.is_remembered
    index = index_of_value(written)
    if index is None or not is_known or verdict.reason or index in verdict.indexes:
        return None
    return index


def index_of_value(written: str) -> int | None:
    """The index in a reference to one value of a record, such as ``300:0.NA/10``."""
    if not written[:1].isdigit():
        # No other written form begins with a digit and has an index.
        return None
    try:
        return HandleReference.parse(written).index
    except HandleSyntaxError:
        return None


def count_outcomes(verdicts: Iterable[Verdict]) -> str:
    """How many handles have each outcome: ``3 resolved, 1 not registered``.

    Outcomes without a handle are left out.
    """
    counts = Counter(verdict.outcome for verdict in verdicts)
    return ", ".join(
        f"{counts[name]} {label}"
        for name, label in OUTCOME_LABELS.items()
        if counts[name]
    )
