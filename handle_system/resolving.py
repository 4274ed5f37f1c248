"""Resolving many handles at once, over a bounded number of connections."""

import queue
import threading
from collections.abc import Callable, Iterable
from typing import TypeAlias

from handle_system.handle import Handle
from handle_system.outcome import Outcome, Unreachable
from handle_system.resolver import Resolver

__all__ = ["Progress", "resolve_many"]

Progress: TypeAlias = Callable[[Handle, Outcome, int, int], object]


def resolve_many(  # noqa: C901 (one loop and its two ends)
    handles: Iterable[Handle],
    resolver: Resolver,
    *,
    connections: int = 8,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    budget: int | None = None,
) -> dict[Handle, Outcome]:
    """Resolve each distinct handle once.

    Args:
        handles: What to resolve; one written twice is asked for once.
        resolver: Whom to ask.
        connections: How many threads ask at once, so how many connections are
            open at most.
        progress: Called in the caller's thread after each outcome, with the
            handle, its outcome, how many are done and how many there are.
        cancel: Once set, no further handle is asked for.
        budget: How many handles may be asked for at most.

    Returns:
        An outcome for every handle, in the order of their first appearance,
        whatever order the answers came in.  What was not asked for is
        `Unreachable`.
    """
    distinct = list(dict.fromkeys(handles))
    outcomes: dict[Handle, Outcome] = {}
    asked = distinct if budget is None else distinct[:budget]
    done: queue.SimpleQueue[tuple[Handle, Outcome | BaseException]] = (
        queue.SimpleQueue()
    )
    waiting = iter(asked)
    lock = threading.Lock()
    stop = cancel or threading.Event()

    def work() -> None:
        while True:
            with lock:
                handle = next(waiting, None)
            if handle is None:
                return
            if stop.is_set():
                done.put((handle, Unreachable("not asked: the run was cancelled")))
                continue
            try:
                done.put((handle, resolver.resolve(handle)))
            except BaseException as error:  # noqa: BLE001 (raised again by the caller's thread)
                done.put((handle, error))

    threads = [
        threading.Thread(target=work, name=f"resolve-{number}", daemon=True)
        for number in range(min(connections, len(asked)))
    ]
    for thread in threads:
        thread.start()
    try:
        for count in range(1, len(asked) + 1):
            handle, outcome = done.get()
            if isinstance(outcome, BaseException):
                raise outcome
            outcomes[handle] = outcome
            if progress is not None:
                progress(handle, outcome, count, len(asked))
    finally:
        with lock:
            waiting = iter(())
        for thread in threads:
            thread.join()
    spent = Unreachable(f"not asked: the budget of {budget} is spent")
    return {handle: outcomes.get(handle, spent) for handle in distinct}
