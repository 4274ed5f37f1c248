"""Resolve many handles at once, over a bounded number of connections.

`resolve_many` is for a list; `ResolvingRun` for handles that are still coming in.

The threads are daemons, which an executor's are not: a program that is interrupted ends
at once, without waiting for requests.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from typing import TypeAlias

from handle_system.handle import Handle
from handle_system.resolving.outcomes import Outcome, Unreachable
from handle_system.resolving.resolvers import Resolver

__all__ = ["Progress", "ResolvingRun", "resolve_many"]

#: Receives the handle, its outcome, how many are done, and how many there are.
Progress: TypeAlias = Callable[[Handle, Outcome, int, int], object]


def resolve_many(
    handles: Iterable[Handle],
    resolver: Resolver,
    *,
    connections: int = 8,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> dict[Handle, Outcome]:
    """Resolve each distinct handle once.

    Args:
        handles: The handles; one written twice is asked for once.
        resolver: The resolver to ask.
        connections: How many handles are asked for at the same time.
        progress: Called for each outcome, in the caller's thread.
        cancel: Once it is set, no further handle is asked for.

    Returns:
        An outcome for every handle, in the order of their first appearance.
    """
    distinct = list(dict.fromkeys(handles))
    run = ResolvingRun(resolver, connections=connections, cancel=cancel)
    outcomes: dict[Handle, Outcome] = {}
    try:
        for handle in distinct:
            run.add(handle)
        run.end()
        for handle, outcome in run:
            outcomes[handle] = outcome
            if progress is not None:
                progress(handle, outcome, len(outcomes), len(distinct))
    finally:
        run.cancel.set()
    return {handle: outcomes[handle] for handle in distinct}


class ResolvingRun:
    """A run that takes handles and gives outcomes at the same time.

    One thread adds handles and calls `end`; one iterates over the outcomes, which come
    in the order of completion, one for each handle added.

    Attributes:
        cancel: Once it is set, no further handle is asked for.
    """

    def __init__(
        self,
        resolver: Resolver,
        *,
        connections: int = 8,
        cancel: threading.Event | None = None,
    ) -> None:
        if connections < 1:
            raise ValueError(f"at least one connection is needed, not {connections}")
        self.cancel = cancel or threading.Event()
        self._resolver = resolver
        self._connections = connections
        self._threads: list[threading.Thread] = []
        self._working = 0
        self._lock = threading.Lock()
        self._to_ask: SimpleQueue[Handle | None] = SimpleQueue()
        self._done: SimpleQueue[tuple[Handle, Outcome] | BaseException | None]
        self._done = SimpleQueue()

    def add(self, handle: Handle) -> None:
        """Have a handle resolved."""
        self._to_ask.put(handle)
        if len(self._threads) < self._connections:
            thread = threading.Thread(target=self._work, name="resolving", daemon=True)
            self._threads.append(thread)
            with self._lock:
                self._working += 1
            thread.start()

    def end(self) -> None:
        """Note that no more handles will be added."""
        self._to_ask.put(None)
        if not self._threads:
            self._done.put(None)

    def __iter__(self) -> Iterator[tuple[Handle, Outcome]]:
        """Wait for outcomes, until there is one for each handle.

        An exception of the resolver is raised here.
        """
        while (done := self._done.get()) is not None:
            if isinstance(done, BaseException):
                raise done
            yield done
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        try:
            while (handle := self._to_ask.get()) is not None:
                outcome: Outcome = Unreachable("not asked: the run was cancelled")
                if not self.cancel.is_set():
                    outcome = self._resolver.resolve(handle)
                self._done.put((handle, outcome))
        except BaseException as error:  # noqa: BLE001 (the caller's thread raises it)
            self._done.put(error)
        # Each thread hands the end on to the next; after the last one all is done.
        self._to_ask.put(None)
        with self._lock:
            self._working -= 1
            if not self._working:
                self._done.put(None)
