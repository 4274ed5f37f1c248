"""Handles that were checked: what is known of each, and where it is written."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from handle_system.errors import showable
from handle_system.resolving.outcome import OutcomeName
from handle_system.verifying.severity import USUAL_SEVERITIES, FindingCode, Severity
from handle_system.verifying.verdict import Verdict

__all__ = [
    "CheckedHandle",
    "CheckedPlace",
    "IgnoredHandle",
    "MalformedReference",
    "counted",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPlace:
    """One place where a handle is written.

    Attributes:
        document: The document's name.
        file: The file, relative to the root of what was checked.
        line: The line in that file, from 1; 0 if not known.
        written: The reference as its author wrote it.
        url: Where the place can be looked at: an http(s) URL, or a relative one;
            empty if nowhere.
        is_own_file: Whether the file is the document's own, and not one that it
            takes in.
    """

    document: str
    file: str
    line: int
    written: str
    url: str = ""
    is_own_file: bool = True

    def __str__(self) -> str:
        name = self.document if self.is_own_file else self.file
        return f"{name}:{self.line}" if self.line else name


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoredHandle:
    """One handle that was not asked for, as the project wishes.

    Attributes:
        handle: The handle, as it was first spelled.
        places: Where it is written.
    """

    handle: str
    places: tuple[CheckedPlace, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MalformedReference:
    """What was meant for a reference and is none, so that nothing can be asked for.

    Attributes:
        place: Where it is, with what its author wrote.
        code: The kind of finding.
        reason: What is wrong with it, without a full stop.
        severity: How severe that is.
    """

    place: CheckedPlace
    code: str
    reason: str
    severity: Severity = Severity.WARNING

    @property
    def said(self) -> str:
        """What there is to say about it, fit to be shown."""
        return showable(self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedHandle:
    """One handle: its verdict, and every place where it is written.

    Attributes:
        verdict: What came of asking for it.
        places: Where it is written, at least once.
        severities: What the project says of a kind of finding; for all others the
            usual holds.
    """

    verdict: Verdict
    places: tuple[CheckedPlace, ...]
    severities: Mapping[str, Severity] = field(default_factory=dict)

    @property
    def outcome(self) -> OutcomeName:
        """What came of asking for it."""
        return self.verdict.outcome

    @property
    def is_broken(self) -> bool:
        """Whether the documents are wrong about it: there is no such handle."""
        return self.outcome is OutcomeName.NOT_REGISTERED

    @property
    def is_unknown(self) -> bool:
        """Whether nothing was learned about it, and nothing may be concluded."""
        return self.outcome in {OutcomeName.UNREACHABLE, OutcomeName.REFUSED}

    @property
    def code(self) -> FindingCode | None:
        """The kind of finding, if there is anything to say."""
        if self.verdict.is_good:
            return None
        if self.outcome is OutcomeName.RESOLVED:
            return FindingCode.RECORD
        return FindingCode(self.outcome.value)

    @property
    def severity(self) -> Severity:
        """How severe that is."""
        code = self.code
        if code is None:
            return Severity.OFF
        return self.severities.get(code, USUAL_SEVERITIES[code])

    @property
    def said(self) -> str:
        """What there is to say about it, without a full stop; empty if all is well.

        Fit to be shown, whatever a record holds.
        """
        match self.outcome:
            case OutcomeName.NOT_REGISTERED:
                return "this handle is not registered"
            case OutcomeName.NO_VALUES:
                return "this handle is registered, and its record shows nothing"
            case OutcomeName.RESOLVED:
                return showable("; ".join(self.verdict.problems))
            case OutcomeName.REFUSED | OutcomeName.UNREACHABLE:
                return showable(f"not verified: {self.verdict.reason}")

    @property
    def message(self) -> str:
        """The same, with what was written first and every other place."""
        first, *others = self.places
        also = f" (also at {', '.join(map(str, others))})" if others else ""
        return f"{showable(first.written)}: {self.said}{showable(also)}"


def counted(checked: Iterable[CheckedHandle]) -> dict[OutcomeName, int]:
    """How many handles came to each outcome, in the order of the outcomes."""
    outcomes = [each.outcome for each in checked]
    return {name: outcomes.count(name) for name in OutcomeName}
