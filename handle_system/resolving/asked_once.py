"""Asking for each handle once, in a run that takes records for what they are.

Aliases lead to handles that are written elsewhere as well, or that others stand for,
too; who comes to one while it is being asked for waits for that answer.
"""

import threading
from collections.abc import Callable

from handle_system.handle import Handle
from handle_system.resolving.outcome import Outcome, Unreachable

__all__ = ["AskedOnce"]


class _Asking:
    """One handle: locked for as long as it is being asked for, then its answer."""

    __slots__ = ("lock", "outcome")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.lock.acquire()
        self.outcome: Outcome | None = None


class AskedOnce:
    """Asks, and answers from then on.  Safe for many threads.

    What was not reached may be tried by whoever wants to know it next.
    """

    def __init__(self, ask: Callable[[Handle], Outcome]) -> None:
        self._ask = ask
        # No lock before it, which every thread would want for every handle: of those
        # who set a key by default, one has set it.
        self._asked: dict[str, _Asking] = {}

    def __call__(
        self, handle: Handle, ask: Callable[[Handle], Outcome] | None = None
    ) -> Outcome:
        """What comes, or came, of asking for `handle`.

        Args:
            handle: The handle.
            ask: How to ask this time, if not as usual.
        """
        key = handle.comparison_key
        mine = _Asking()
        while (other := self._asked.setdefault(key, mine)) is not mine:
            with other.lock:
                known = other.outcome
            if known is not None:
                return known
        outcome: Outcome | None = None
        try:
            outcome = (ask or self._ask)(handle)
        finally:
            self.end(handle, outcome)
        return outcome

    def begin(self, handle: Handle) -> bool:
        """Whether nobody has asked, and the caller is to: others wait for its `end`."""
        mine = _Asking()
        return self._asked.setdefault(handle.comparison_key, mine) is mine

    def end(self, handle: Handle, outcome: Outcome | None) -> None:
        """Tell what came of asking; `None` if nothing did."""
        key = handle.comparison_key
        asking = self._asked[key]
        if outcome is None or isinstance(outcome, Unreachable):
            del self._asked[key]
        else:
            asking.outcome = outcome
        asking.lock.release()
