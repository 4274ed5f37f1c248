"""Several resolvers, asked in order, as one.

For an institution that knows some handles better than the public proxy does: a
file of records for what is not registered yet, its own server, then the rest of
the world.
"""

from collections.abc import Iterable, Mapping
from typing import Self

from handle_system.handle import Handle
from handle_system.resolving.alias import follow_aliases
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

    def resolve(self, handle: Handle, /) -> Outcome:
        """What the resolvers together say about `handle`."""
        return follow_aliases(self._ask(handle), self._ask)

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

    def _ask(self, handle: Handle) -> Outcome:
        """One handle; an alias that its resolver cannot follow is not followed."""
        outcomes: list[Outcome] = []
        for resolver in self._resolvers:
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
