"""Aliases: a handle whose record says that it stands for another (HS_ALIAS).

The proxy's REST interface returns the alias value itself, while its redirects
follow it, through at most 20 aliases (the reference proxy's limit).  A reader
clicks on the redirect, so what is verified is where that would end.

That an alias leads nowhere is a fault of its record, not news about whether it
is registered: it is.  Such an outcome stays `Resolved`, with its `dead_end`.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from handle_system.errors import HandleSyntaxError, showable
from handle_system.handle import Handle
from handle_system.resolving.outcome import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
)

__all__ = ["MOST_ALIASES", "follow_aliases", "leads_on"]

MOST_ALIASES = 20
_SHOWN = 100


def leads_on(outcome: Outcome) -> bool:
    """Whether there is an alias to follow, or one that could not be followed."""
    return isinstance(outcome, Resolved) and outcome.record.alias is not None


def follow_aliases(outcome: Outcome, ask: Callable[[Handle], Outcome]) -> Outcome:
    """Where an outcome leads, when every alias on the way is followed.

    Args:
        outcome: What came of asking for the handle itself.  One that was
            followed before is followed on from where it stopped, for `ask` may
            know more than who followed it so far.
        ask: Whom to ask for the handles on the way.
    """
    while isinstance(outcome, Resolved) and outcome.record.alias is not None:
        step = _follow(outcome, outcome.record.alias, ask)
        if not isinstance(step, Resolved) or step.dead_end is not None:
            return step
        outcome = step
    return outcome


def _follow(
    outcome: Resolved, written: str, ask: Callable[[Handle], Outcome]
) -> Outcome:
    """One step: what the alias `written` in the outcome's record leads to."""
    passed = (*outcome.aliases, outcome.record.handle)
    target = _target(written, passed)
    if isinstance(target, str):
        return replace(outcome, dead_end=target)
    named = _shortened(str(target))
    match ask(target):
        case Resolved(record, aliases, stopped) if set(aliases).isdisjoint(passed):
            return Resolved(record, (*passed, *aliases), stopped)
        case Resolved():
            reason = f"its aliases lead in a circle, through {named}"
        case NotRegistered():
            reason = f"it is an alias of {named}, which is not registered"
        case NoValues():
            reason = f"it is an alias of {named}, which has no public value"
        case Refused() as refused:
            return refused
        case Unreachable(why):
            return Unreachable(f"it is an alias of {named}: {why}")
        case never:
            assert_never(never)
    return replace(outcome, dead_end=reason)


def _target(written: str, passed: tuple[Handle, ...]) -> Handle | str:
    """The handle that an alias names, or why it leads nowhere."""
    try:
        target = Handle.parse(written)
    except HandleSyntaxError:
        shown = showable(written[:_SHOWN])
        return f"it is an alias of {shown!r}, which is no handle"
    if target in passed:
        return f"its aliases lead in a circle, back to {_shortened(str(target))}"
    if len(passed) > MOST_ALIASES:
        return f"it leads through more than {MOST_ALIASES} aliases"
    return target


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
