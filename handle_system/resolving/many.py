"""Resolve many handles at once, over a bounded number of connections.

`resolve_many` is for a list; `ResolvingRun` for handles that are still coming in.

The threads are daemons, which an executor's are not: a program that is interrupted ends
at once, without waiting for requests.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from typing import NamedTuple, TypeAlias

from handle_system.handle import Handle
from handle_system.resolving.outcomes import Outcome
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
) -> dict[Handle, Outcome]:
    """Resolve each distinct handle once.

    Args:
        handles: The handles; one written twice is asked for once.
        resolver: The resolver to ask.
        connections: How many handles are asked for at the same time, at least one.
        progress: Called for each outcome, in the caller's thread.

    Returns:
        An outcome for every handle, in the order of their first appearance.
    """
    distinct = list(dict.fromkeys(handles))
    run = ResolvingRun(resolver, connections=connections)
    outcomes: dict[Handle, Outcome] = {}
    try:
        for handle in distinct:
            run.add(handle)
        run.end()
        for handle, _, outcome in run:
            outcomes[handle] = outcome
            if progress is not None:
                progress(handle, outcome, len(outcomes), len(distinct))
    finally:
        run.cancel()
    return {handle: outcomes[handle] for handle in distinct}


class _Done(NamedTuple):
    handle: Handle
    written: str
    outcome: Outcome


class ResolvingRun:
    """A run that takes handles and gives outcomes at the same time.

    One thread adds handles and calls `end`; one iterates over the outcomes.
    """

    def __init__(self, resolver: Resolver, *, connections: int = 8) -> None:
        self._resolver = resolver
        self._connections = max(connections, 1)
        self._threads: list[threading.Thread] = []
        self._added = 0
        self._is_cancelled = False
        self._to_ask: SimpleQueue[tuple[Handle, str] | None] = SimpleQueue()
        self._done: SimpleQueue[_Done | BaseException | None] = SimpleQueue()

    def add(self, handle: Handle, written: str = "") -> None:
        """Have a handle resolved; `written` comes back with its outcome."""
        self._added += 1
        self._to_ask.put((handle, written))
        if len(self._threads) < self._connections:
            thread = threading.Thread(target=self._work, name="resolving", daemon=True)
            self._threads.append(thread)
            thread.start()

    def end(self) -> None:
        """Note that no more handles will be added."""
        for _ in self._threads:
            self._to_ask.put(None)
        self._done.put(None)

    def cancel(self) -> None:
        """Ask for no further handle."""
        self._is_cancelled = True

    def __iter__(self) -> Iterator[_Done]:
        """Wait for outcomes, in the order of completion, one for each handle added.

        An exception of the resolver is raised here.
        """
        given, has_ended = 0, False
        while not has_ended or given < self._added:
            done = self._done.get()
            if isinstance(done, BaseException):
                raise done
            if done is None:
                has_ended = True
            else:
                given += 1
                yield done
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        try:
            while (asked := self._to_ask.get()) is not None and not self._is_cancelled:
                outcome = self._resolver.resolve(asked[0])
                self._done.put(_Done(*asked, outcome))
        except BaseException as error:  # noqa: BLE001 (the caller's thread raises it)
            self._done.put(error)
