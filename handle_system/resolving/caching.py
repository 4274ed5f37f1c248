"""A resolver that remembers what another answered."""

from collections.abc import Mapping
from itertools import filterfalse
from os import PathLike
from random import Random
from typing import Self

from handle_system.handle import Handle
from handle_system.resolving.clock import SYSTEM_CLOCK, Clock
from handle_system.resolving.inquiry import Inquiring, Inquiry
from handle_system.resolving.old_cache import Cache
from handle_system.resolving.outcome import Outcome
from handle_system.resolving.resolver import (
    NamedResolver,
    Recollection,
    Resolver,
    close_resolver,
)

__all__ = ["CachingResolver"]


class CachingResolver:
    """Asks another resolver for what is not remembered, and remembers it.

    Keyed by that resolver's name and the handle, for two proxies may well give
    two answers; so one cache may be shared by several.

    Close it, or use it as a context, to have the last answers written.

    >>> with CachingResolver(resolver, "handles.sqlite") as caching:  # doctest: +SKIP
    ...     outcomes = resolve_many(handles, caching)
    """

    def __init__(
        self,
        inner: Resolver,
        cache: Cache | str | PathLike[str],
        *,
        name: str | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """Stand before `inner`.

        Args:
            inner: Whom to ask.
            cache: Where to remember: a cache, or the path of its file.
            name: What to remember it as; by default the resolver's own name,
                or its class's if it has none.
            clock: What time it is.
        """
        self._inner = inner
        self._inquiring = inner if isinstance(inner, Inquiring) else None
        self._cache = cache if isinstance(cache, Cache) else Cache(cache, clock=clock)
        own = inner.name if isinstance(inner, NamedResolver) else ""
        self.name = name or own or type(inner).__qualname__
        self._clock = clock
        # What `recall` has just not found need not be looked up again, once.
        self._looked_up: set[str] = set()

    def resolve(self, handle: Handle, /) -> Outcome:
        """What is remembered of `handle`, else what comes of asking for it."""
        key = handle.comparison_key
        if key in self._looked_up:
            self._looked_up.discard(key)
        else:
            known = self._cache.recall(self.name, {key: handle}).fresh.get(key)
            if known is not None:
                return known
        return self._remembered(handle, self._inner.resolve(handle))

    def inquire(self, handle: Handle, /) -> Inquiry | None:
        """What the other resolver would ask for what has just not been found."""
        key = handle.comparison_key
        if key not in self._looked_up or self._inquiring is None:
            return None
        inquiry = self._inquiring.inquire(handle)
        if inquiry is None:
            return None
        self._looked_up.discard(key)
        return inquiry.then(lambda outcome: self._remembered(handle, outcome))

    def recall(self, handles: Mapping[str, Handle], /) -> Recollection:
        """What is remembered of these handles, and in what order to ask.

        Those never answered for come first, in an order that is another each
        day: what a budget leaves out today, and what did not answer and so
        left no trace, has its turn on another day.
        """
        remembered = self._cache.recall(self.name, handles)
        unknown = [*filterfalse(remembered.fresh.__contains__, handles)]
        today = self._clock.now().date().toordinal()
        Random(today).shuffle(unknown)  # noqa: S311 (an order, not a secret)
        unknown.sort(key=lambda key: remembered.asked.get(key, 0))
        self._looked_up.update(unknown)
        return Recollection(remembered.fresh, unknown, remembered.asked)

    def keep(self) -> None:
        """Write down what was learned."""
        self._cache.flush()

    def close(self) -> None:
        """Write down what was learned, and close the cache and the resolver.

        A cache that others use as well is opened again when they do.
        """
        self._cache.close()
        close_resolver(self._inner)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _remembered(self, handle: Handle, outcome: Outcome) -> Outcome:
        self._cache.remember(self.name, handle, outcome)
        return outcome
