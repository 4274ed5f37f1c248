"""A resolver that remembers what another answered."""

from collections.abc import Mapping
from zlib import crc32

from handle_system.cache import Cache
from handle_system.clock import SYSTEM_CLOCK, Clock
from handle_system.handle import Handle
from handle_system.outcome import Outcome
from handle_system.resolver import NamedResolver, Recollection

__all__ = ["CachingResolver"]


class CachingResolver:
    """Asks `inner` for what is not remembered, and remembers it.

    Keyed by the resolver's name and the handle: two proxies may well give two
    answers.  The cache may be shared by several resolvers; who opened it closes
    it.
    """

    def __init__(
        self, inner: NamedResolver, cache: Cache, *, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self._inner = inner
        self._cache = cache
        self._clock = clock

    @property
    def name(self) -> str:
        """The name of the resolver that is asked."""
        return self._inner.name

    def resolve(self, handle: Handle, /) -> Outcome:
        """What is remembered of `handle`, else what comes of asking for it."""
        key = handle.comparison_key
        # Looked up although `recall` has done so: another build that shares the
        # file may have asked in the meantime.
        known = self._cache.recall(self.name, {key: handle}).fresh.get(key)
        if known is not None:
            return known
        outcome = self._inner.resolve(handle)
        self._cache.remember(self.name, handle, outcome)
        return outcome

    def recall(self, handles: Mapping[str, Handle], /) -> Recollection:
        """What is remembered of these handles, and in what order to ask.

        Those never answered for come first, in an order that is another each
        day: what a budget leaves out today, and what did not answer and so
        left no trace, has its turn on another day.
        """
        remembered = self._cache.recall(self.name, handles)
        asked = remembered.asked
        today = self._clock.now().date().toordinal()

        def age(key: str) -> tuple[int, int]:
            return asked.get(key, 0), crc32(key.encode(), today)

        unknown = [key for key in handles if key not in remembered.fresh]
        return Recollection(remembered.fresh, sorted(unknown, key=age))

    def keep(self) -> None:
        """Write down what was learned."""
        self._cache.flush()
