"""Handles with what is known of them, and where they are written."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from handle_system.outcome import OutcomeName
from handle_system.verdict import Verdict
from sphinxcontrib_handle.domain import Place
from sphinxcontrib_handle.messages import HandleWarning

__all__ = ["Verified", "verified"]


@dataclass(frozen=True, slots=True)
class Verified:
    """One handle: its verdict, and every place where it is written."""

    verdict: Verdict
    places: tuple[Place, ...]

    @property
    def is_resolved(self) -> bool:
        """Whether the handle is registered with values."""
        return self.verdict.outcome is OutcomeName.RESOLVED

    @property
    def is_unknown(self) -> bool:
        """Whether nothing was learned about it."""
        return self.verdict.outcome in {OutcomeName.UNREACHABLE, OutcomeName.REFUSED}

    @property
    def kind(self) -> HandleWarning:
        """The kind of warning that its message is."""
        if self.verdict.outcome is OutcomeName.NOT_REGISTERED:
            return HandleWarning.NOT_REGISTERED
        return HandleWarning.RECORD

    @property
    def message(self) -> str | None:
        """What an author should know, naming every other place; or nothing."""
        match self.verdict.outcome:
            case OutcomeName.NOT_REGISTERED:
                said = "this handle is not registered"
            case OutcomeName.NO_VALUES:
                said = "this handle is registered, and its record shows nothing"
            case OutcomeName.RESOLVED if self.verdict.problems:
                said = "; ".join(self.verdict.problems)
            case _:
                return None
        first, *others = self.places
        also = ", ".join(
            f"{place.document}:{place.line}" if place.line else place.document
            for place in others
        )
        written = f"{first.written}: {said}"
        return f"{written} (also at {also})" if also else written


def verified(
    places: Iterable[Place], verdicts: Mapping[str, Verdict]
) -> list[Verified]:
    """Bring verdicts and places together, in the order of first places."""
    by_key: dict[str, list[Place]] = {}
    for place in places:
        by_key.setdefault(place.key, []).append(place)
    return [
        Verified(verdicts[key], tuple(found))
        for key, found in by_key.items()
        if key in verdicts
    ]
