"""The threads that ask for the handles of one run.

As many as there are connections, where a resolver can only be told to resolve a
handle.  Where it can say what it would ask (`handle_system.resolving.inquiry`), one
asks for many at once, and leaves to the others what may wait.
"""

import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue

from handle_system.handle import Handle
from handle_system.resolving.inquiry import Inquiring, Inquiry, Rest
from handle_system.resolving.multiplexer import Multiplexer
from handle_system.resolving.outcome import Outcome, Unreachable
from handle_system.resolving.resolver import Resolver

__all__ = ["Asking"]

_CANCELLED = Unreachable("not asked: the run was cancelled")


class Asking:
    """Asks for handles, and keeps what came of them until it is taken.

    For one caller's thread; those that it starts end with `close`.

    Args:
        resolver: Whom to ask.
        connections: How many handles are in hand at once.
        is_cancelled: Whether nobody wants to know any more.
    """

    def __init__(
        self, resolver: Resolver, connections: int, is_cancelled: Callable[[], bool]
    ) -> None:
        self._resolver = resolver
        self._inquiring = resolver if isinstance(resolver, Inquiring) else None
        self._connections = connections
        self._is_cancelled = is_cancelled
        self._is_closing = False
        self._jobs: SimpleQueue[tuple[str, Rest] | None] = SimpleQueue()
        self._done: deque[tuple[str, Outcome | BaseException]] = deque()
        self._drained = threading.Event()
        self._threads: list[threading.Thread] = []
        self._multiplexer: Multiplexer | None = None
        self._multiplexing: threading.Thread | None = None

    def ask(self, key: str, handle: Handle) -> None:
        """Have a handle asked for, at the latest when `begin` is called."""
        if self._is_closing:
            self._settle(key, _CANCELLED)
            return
        if self._inquiring is not None and self._multiplexer is None:
            self._begin_multiplexing()
        if self._multiplexer is None:
            self._hand_over(key, partial(self._resolve, handle))
        else:
            self._multiplexer.add(key, handle)

    def begin(self) -> None:
        """Tell that there was something to ask for."""
        if self._multiplexer is not None:
            self._multiplexer.ring()

    def take(self) -> tuple[str, Outcome] | None:
        """The key of a handle that is done, with its outcome; `None` if none is.

        Raises:
            BaseException: what a resolver raised.
        """
        if not self._done:
            return None
        key, outcome = self._done.popleft()
        if isinstance(outcome, BaseException):
            raise outcome
        return key, outcome

    def wait(self, seconds: float) -> None:
        """Wait until all is done, or so long."""
        # Not for each: every waking takes the interpreter from a thread that has an
        # answer to read.
        self._drained.wait(seconds)
        self._drained.clear()

    def close(self) -> None:
        """End the threads, after what they are in the middle of."""
        self._is_closing = True
        if self._multiplexer is not None and self._multiplexing is not None:
            # First, for it may have something left for the others.
            self._multiplexer.stop()
            self._multiplexing.join()
            self._multiplexing = None
            for key in self._multiplexer.take_back():
                self._settle(key, _CANCELLED)
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def _begin_multiplexing(self) -> None:
        try:
            self._multiplexer = Multiplexer(
                inquire=self._inquire,
                resolve=self._resolve,
                settle=self._settle,
                hand_over=self._hand_over,
                connections=self._connections,
            )
        except OSError:
            # Too many files are open: then each waits for itself, and says so.
            self._inquiring = None
            return
        self._multiplexing = threading.Thread(
            target=self._multiplex, name="resolving", daemon=True
        )
        self._multiplexing.start()

    def _inquire(self, handle: Handle) -> Inquiry | None:
        if self._inquiring is None or self._is_closing or self._is_cancelled():
            return None
        return self._inquiring.inquire(handle)

    def _resolve(self, handle: Handle) -> Outcome:
        if self._is_closing or self._is_cancelled():
            return _CANCELLED
        return self._resolver.resolve(handle)

    def _hand_over(self, key: str, rest: Rest) -> None:
        """Have a thread do what may wait."""
        self._jobs.put((key, rest))
        if len(self._threads) < self._connections:
            number = len(self._threads) + 1
            thread = threading.Thread(
                target=self._work, name=f"resolving-{number}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            key, rest = job
            try:
                outcome: Outcome | BaseException = rest()
            except BaseException as error:  # noqa: BLE001 (the caller's thread raises it)
                outcome = error
            self._settle(key, outcome)
            if self._multiplexer is not None:
                self._multiplexer.free()

    def _multiplex(self) -> None:
        try:
            if self._multiplexer is not None:
                self._multiplexer.run()
        except BaseException as error:  # noqa: BLE001 (the caller's thread raises it)
            self._settle("", error)

    def _settle(self, key: str, outcome: Outcome | BaseException) -> None:
        self._done.append((key, outcome))
        more = self._multiplexer is not None and self._multiplexer.has_more
        if not more and self._jobs.empty():
            self._drained.set()
