"""Resolve many handles at once, over a bounded number of connections.

The threads are daemons, which an executor's are not: a program that is interrupted ends
at once, without waiting for requests.
"""

import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from queue import SimpleQueue
from typing import TypeAlias, TypeVar

from handle_system.handle import Handle
from handle_system.resolving.outcomes import Outcome
from handle_system.resolving.resolvers import Resolver

__all__ = ["Progress", "map_unordered", "resolve_many"]

#: Receives the handle, its outcome, how many are done, and how many there are.
Progress: TypeAlias = Callable[[Handle, Outcome, int, int], object]

Item = TypeVar("Item")
Result = TypeVar("Result")


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
    outcomes: dict[Handle, Outcome] = {}

    def ask(handle: Handle) -> tuple[Handle, Outcome]:
        return handle, resolver.resolve(handle)

    connections = min(connections, len(distinct))
    with closing(map_unordered(ask, distinct, connections=connections)) as results:
        for handle, outcome in results:
            outcomes[handle] = outcome
            if progress is not None:
                progress(handle, outcome, len(outcomes), len(distinct))
    return {handle: outcomes[handle] for handle in distinct}


def map_unordered(
    function: Callable[[Item], Result], items: Iterable[Item], *, connections: int
) -> Generator[Result, None, None]:
    """Call a function for each item in threads; yield results in order of completion.

    A thread takes an item when it has nothing to do, so items may still be coming in.
    An exception of the function or of the items is raised here.  Closing this generator
    stops the threads when their calls return.

    Args:
        function: Called from several threads at once.
        items: The items, none of them `None`.
        connections: The number of threads, at least one.
    """
    remaining = iter(items)
    taking = threading.Lock()
    stopped = threading.Event()
    # At the end of a thread, its exception or `None`.
    results: SimpleQueue[tuple[Result] | BaseException | None] = SimpleQueue()

    def work() -> None:
        try:
            while not stopped.is_set():
                with taking:
                    item = next(remaining, None)
                if item is None:
                    break
                results.put((function(item),))
            results.put(None)
        except BaseException as error:  # noqa: BLE001 (the caller's thread raises it)
            results.put(error)

    threads = [
        threading.Thread(target=work, name="resolving", daemon=True)
        for _ in range(max(connections, 1))
    ]
    for thread in threads:
        thread.start()
    try:
        for _ in threads:
            while (result := results.get()) is not None:
                if isinstance(result, BaseException):
                    raise result
                yield result[0]
    finally:
        stopped.set()
    for thread in threads:
        thread.join()
