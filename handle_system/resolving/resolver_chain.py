"""Several resolvers, asked in order, as one.

For an institution that knows some handles better than the public proxy does: a
file of records for what is not registered yet, its own server, then the rest of
the world.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from handle_system.handle import Handle
from handle_system.resolving.alias import follow_aliases, leads_on
from handle_system.resolving.inquiry import Inquiring, Inquiry, Step
from handle_system.resolving.outcome import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.resolver import (
    Recalling,
    Recollection,
    Resolver,
    close_resolver,
)

__all__ = ["ResolverChain"]


class ResolverChain:
    """Asks in order, until one resolver knows the handle.

    The first `Resolved` or `NoValues` is the answer.  That a handle is not
    registered is only said if all say so: if one could not be reached, it might
    have known.  An alias is followed by who gives it; where that ends nowhere, it is
    followed on through all.
    """

    def __init__(self, resolvers: Iterable[Resolver]) -> None:
        self._resolvers = tuple(resolvers)
        if not self._resolvers:
            raise ValueError("a chain of resolvers has at least one")
        # Looked at once, for to ask a class for its methods takes its time.
        self._inquiring = tuple(
            each if isinstance(each, Inquiring) else None for each in self._resolvers
        )

    def resolve(self, handle: Handle, /) -> Outcome:
        """What the resolvers together say about `handle`."""
        return follow_aliases(self._ask(handle), self._ask)

    def inquire(self, handle: Handle, /) -> Inquiry | None:
        """What the first one would ask who does not know at once."""
        key = handle.comparison_key
        passed: list[Outcome] = []
        for number, resolver in enumerate(self._resolvers):
            if self._inquiring[number] is not None:
                return self._inquiry(handle, number, passed)
            if not isinstance(resolver, Recalling):
                break
            known = resolver.recall({key: handle}).known.get(key)
            if known is None or _is_last_word(known):
                break
            passed.append(known)
        return None

    def recall(self, handles: Mapping[str, Handle], /) -> Recollection:
        """What the resolvers know together without asking anybody.

        A handle that one of them would have to ask for, before another that
        knows it, is to be asked for.
        """
        known: dict[str, list[Outcome]] = {key: [] for key in handles}
        settled: dict[str, Outcome] = {}
        asked: dict[str, int] = {}
        open_ = dict(handles)
        to_ask: list[str] = []
        for resolver in self._resolvers:
            if not isinstance(resolver, Recalling):
                to_ask += open_
                open_ = {}
                break
            recollection = resolver.recall(open_)
            to_ask += recollection.to_ask
            still_open = {}
            for key, outcome in recollection.known.items():
                known[key].append(outcome)
                if key in recollection.asked:
                    # Together they are as old as the oldest.
                    moment = recollection.asked[key]
                    asked[key] = min(moment, asked.get(key, moment))
                if _is_last_word(outcome):
                    settled[key] = outcome
                else:
                    still_open[key] = open_[key]
            open_ = still_open
        settled |= {key: _together(known[key]) for key in open_}
        # An alias that leads nowhere for one may lead somewhere for another.
        stuck = {key for key, outcome in settled.items() if self._may_go_on(outcome)}
        fresh = {key: one for key, one in settled.items() if key not in stuck}
        return Recollection(fresh, [*to_ask, *sorted(stuck)], asked)

    def keep(self) -> None:
        """Have every resolver write down what it learned."""
        for resolver in self._resolvers:
            if isinstance(resolver, Recalling):
                resolver.keep()

    def close(self) -> None:
        """Close every resolver that keeps anything open."""
        for resolver in self._resolvers:
            close_resolver(resolver)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _may_go_on(self, outcome: Outcome) -> bool:
        is_stuck = isinstance(outcome, Resolved) and outcome.dead_end is not None
        return is_stuck and len(self._resolvers) > 1

    def _inquiry(
        self, handle: Handle, number: int, passed: Sequence[Outcome]
    ) -> Inquiry | None:
        resolver = self._inquiring[number]
        inquiry = None if resolver is None else resolver.inquire(handle)
        if inquiry is None:
            return None

        def go_on(outcome: Outcome) -> Step:
            if not _is_last_word(outcome) and number + 1 < len(self._resolvers):
                known = (*passed, outcome)
                return lambda: follow_aliases(self._ask(handle, known), self._ask)
            if not _is_last_word(outcome):
                outcome = _together((*passed, outcome))
            if leads_on(outcome):
                return lambda: follow_aliases(outcome, self._ask)
            return outcome

        return inquiry.then(go_on)

    def _ask(self, handle: Handle, known: Iterable[Outcome] = ()) -> Outcome:
        """One handle; an alias that its resolver cannot follow is not followed.

        Args:
            handle: The handle.
            known: What the first of the resolvers have said already.
        """
        outcomes = [*known]
        for resolver in self._resolvers[len(outcomes) :]:
            outcome = resolver.resolve(handle)
            if _is_last_word(outcome):
                return outcome
            outcomes.append(outcome)
        return _together(outcomes)


def _is_last_word(outcome: Outcome) -> bool:
    return isinstance(outcome, Resolved | NoValues)


def _together(outcomes: Iterable[Outcome]) -> Outcome:
    """What outcomes say together of which none is the last word."""
    unreachable = [each for each in outcomes if isinstance(each, Unreachable)]
    if unreachable:
        return Unreachable("; ".join(dict.fromkeys(one.reason for one in unreachable)))
    refused = [each for each in outcomes if isinstance(each, Refused)]
    return refused[0] if refused else NotRegistered()
