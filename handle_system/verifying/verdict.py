"""What verifying one handle showed, in plain text: for reports and for pipes.

An `Outcome` carries the record and the types of the core.  A verdict carries
what a report says about it, and nothing that needs the core to be read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from handle_system.handle import Handle
from handle_system.resolving.outcome import (
    NotRegistered,
    NoValues,
    Outcome,
    OutcomeName,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.record_diagnosis import diagnose_record

__all__ = ["Verdict", "plain_verdict", "verdict_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is known of one handle after asking for it.

    Attributes:
        handle: The handle, as it was first spelled.
        outcome: What came of asking.
        target: Where it leads: an absolute URL, or `None`.
        reason: Why nothing is known, or who refused; else empty.
        aliases: The handles that it stands for, one leading to the next.
        problems: What is wrong with a record that was found.
        answered: When the server answered, in seconds since 1970; `None` where
            nobody did, or where a file of records was read.  Two verdicts that
            differ in nothing else are equal.
    """

    handle: str
    outcome: OutcomeName
    target: str | None = None
    reason: str = ""
    aliases: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    answered: int | None = field(default=None, compare=False)

    @property
    def is_good(self) -> bool:
        """Whether all is as it should be: registered, with nothing wrong about it."""
        return self.outcome is OutcomeName.RESOLVED and not self.problems

    def to_json(self) -> dict[str, object]:
        """The verdict as plain JSON."""
        return {
            "handle": self.handle,
            "outcome": self.outcome,
            "target": self.target,
            "reason": self.reason,
            "aliases": self.aliases,
            "problems": self.problems,
            "answered": self.answered,
        }

    @classmethod
    def from_json(cls, members: Mapping[str, object]) -> "Verdict":
        """The verdict that `to_json` gave."""
        target = members["target"]
        aliases, problems = members["aliases"], members["problems"]
        answered = members["answered"]
        return cls(
            handle=str(members["handle"]),
            outcome=OutcomeName(str(members["outcome"])),
            target=None if target is None else str(target),
            reason=str(members["reason"]),
            aliases=_texts(aliases),
            problems=_texts(problems),
            answered=answered if isinstance(answered, int) else None,
        )


def plain_verdict(handle: Handle, target: str | None, answered: int | None) -> Verdict:
    """The verdict for a handle that leads somewhere, of which there is no more to say."""
    return Verdict(
        handle=str(handle),
        outcome=OutcomeName.RESOLVED,
        target=target,
        answered=answered,
    )


def verdict_of(
    handle: Handle, outcome: Outcome, *, answered: int | None = None
) -> Verdict:
    """What an outcome says, for a report.

    Args:
        handle: The handle.
        outcome: What came of asking for it.
        answered: When that was, in seconds since 1970.
    """
    match outcome:
        case Resolved():
            return Verdict(
                handle=str(handle),
                outcome=outcome.name,
                target=outcome.target,
                aliases=tuple(map(str, outcome.aliases)),
                problems=tuple(problem.message for problem in diagnose_record(outcome)),
                answered=answered,
            )
        case Unreachable(reason):
            return Verdict(handle=str(handle), outcome=outcome.name, reason=reason)
        case Refused(code):
            return Verdict(
                handle=str(handle),
                outcome=outcome.name,
                reason=f"the server refused to answer (response code {code})",
                answered=answered,
            )
        case NotRegistered() | NoValues():
            return Verdict(handle=str(handle), outcome=outcome.name, answered=answered)
        case _:
            assert_never(outcome)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else ()
