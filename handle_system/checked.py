"""Handles that were checked: what is known of each, and where it is written."""

from dataclasses import dataclass

from handle_system.outcome import OutcomeName
from handle_system.verdict import Verdict

__all__ = ["CheckedHandle", "CheckedPlace", "counted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPlace:
    """One place where a handle is written.

    Attributes:
        document: The document's name.
        file: The file, relative to the root of what was checked.
        line: The line in that file, from 1; 0 if not known.
        written: The reference as its author wrote it.
    """

    document: str
    file: str
    line: int
    written: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}" if self.line else self.document


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedHandle:
    """One handle: its verdict, and every place where it is written."""

    verdict: Verdict
    places: tuple[CheckedPlace, ...]

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
    def said(self) -> str:
        """What there is to say about it, without a full stop; empty if all is well."""
        match self.outcome:
            case OutcomeName.NOT_REGISTERED:
                return "this handle is not registered"
            case OutcomeName.NO_VALUES:
                return "this handle is registered, and its record shows nothing"
            case OutcomeName.RESOLVED:
                return "; ".join(self.verdict.problems)
            case OutcomeName.REFUSED | OutcomeName.UNREACHABLE:
                return f"not verified: {self.verdict.reason}"

    @property
    def message(self) -> str:
        """The same, with what was written first and every other place."""
        first, *others = self.places
        also = f" (also at {', '.join(map(str, others))})" if others else ""
        return f"{first.written}: {self.said}{also}"


def counted(checked: list[CheckedHandle]) -> dict[OutcomeName, int]:
    """How many handles came to each outcome, in the order of the outcomes."""
    return {name: sum(each.outcome is name for each in checked) for name in OutcomeName}
