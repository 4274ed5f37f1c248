"""A lock that no forked child finds held, and that knows a fork from a thread.

A fork copies the memory of a process and one of its threads.  What minting must
not inherit is a lock that another thread held, for nobody is left to release
it, and a range of numbers that the parent goes on to use.  So a fork waits for
the locks (as it does for those of `logging`), and counts.
"""

import os
import threading
from types import TracebackType
from typing import Self
from weakref import WeakSet

__all__ = ["ForkAwareLock"]


class ForkAwareLock:
    """A mutual exclusion of threads, not re-entrant; a context manager.

    Attributes:
        generation: Changes in a child process, so that its holder can tell
            that what it remembers belongs to the parent.
    """

    __slots__ = ("__weakref__", "_lock", "generation")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.generation = 0
        with _registering:
            _all_locks.add(self)

    def __enter__(self) -> Self:
        self._lock.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lock.release()


_registering = threading.Lock()
_all_locks: WeakSet[ForkAwareLock] = WeakSet()
_held: list[ForkAwareLock] = []


def _before_fork() -> None:
    # One fork at a time, and no new lock meanwhile: two threads that forked at
    # once could otherwise wait for each other's locks.
    _registering.acquire()
    for lock in list(_all_locks):
        lock.__enter__()
        _held.append(lock)


def _after_fork_in_parent() -> None:
    while _held:
        _held.pop().__exit__(None, None, None)
    _registering.release()


def _after_fork_in_child() -> None:
    for lock in _held:
        lock.generation += 1
    _after_fork_in_parent()


if hasattr(os, "register_at_fork"):  # pragma: no branch - absent on Windows
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
