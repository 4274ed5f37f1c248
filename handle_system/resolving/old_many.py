"""Resolving many handles at once, over a bounded number of connections.

A resolver may be any object with one method, a database and a slow file among
them, so there are threads that wait; for servers, one that waits for all
(`handle_system.resolving.asking`).

`resolve_many` is for a list; `ResolvingRun` for handles that are still coming
in, such as those of documents that are being read.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Self, TypeAlias

from handle_system.handle import Handle
from handle_system.resolving.asking import Asking
from handle_system.resolving.outcome import Outcome, Unreachable
from handle_system.resolving.resolver import Recalling, Recollection, Resolver
from handle_system.text import several

__all__ = ["Progress", "ResolvingRun", "resolve_many"]

#: Told the handle, its outcome, how many are done and how many there are so far.
Progress: TypeAlias = Callable[[Handle, Outcome, int, int], object]

# Seconds after which a caller who waits for the end is told of the progress.
_LOOK_AGAIN = 0.1


def resolve_many(
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
        connections: How many handles are asked for at once.
        progress: Told of each outcome, in the caller's thread.
        cancel: Once set, no further handle is asked for.
        budget: How many handles are asked for at most; what the resolver
            remembers is free.  (`RequestBudget` counts requests, over runs and
            resolvers.)

    Returns:
        An outcome for every handle, in the order of their first appearance,
        whatever order the answers came in.  What was not asked for is
        `Unreachable`.
    """
    with ResolvingRun(
        resolver,
        connections=connections,
        progress=progress,
        cancel=cancel,
        budget=budget,
    ) as run:
        run.add(handles)
        return run.finish()


class ResolvingRun:
    """A run that can be given more handles while it asks for others.

    For one caller's thread; its own threads end with `finish` or `close`.
    Arguments as for `resolve_many`.
    """

    def __init__(
        self,
        resolver: Resolver,
        *,
        connections: int = 8,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
        budget: int | None = None,
    ) -> None:
        if connections < 1:
            raise ValueError(f"at least one connection is needed, not {connections}")
        self._resolver = resolver
        self._progress = progress
        self._budget = budget
        self._handles: dict[str, Handle] = {}
        self._outcomes: dict[str, Outcome] = {}
        self._recalled: dict[str, int | None] = {}
        # What is not yet in it: to fill it takes its time, and few look at it.
        self._recollections: list[Recollection] = []
        self._asked = 0
        is_cancelled = bool if cancel is None else cancel.is_set
        self._asking = Asking(resolver, connections, is_cancelled)

    @property
    def recalled(self) -> Mapping[str, int | None]:
        """When what was known without asking was answered, in seconds since 1970.

        By `Handle.comparison_key`; `None` for what needs no asking.
        """
        new, self._recollections = self._recollections, []
        for each in new:
            self._recalled.update({key: each.asked.get(key) for key in each.known})
        return self._recalled

    def add(self, handles: Iterable[Handle]) -> None:
        """Have handles resolved; those given before are known."""
        known = self._handles
        new: dict[str, Handle] = {}
        for handle in handles:
            key = handle.comparison_key
            if key not in known and key not in new:
                new[key] = handle
        known.update(new)
        resolver = self._resolver
        recalled = (
            resolver.recall(new)
            if isinstance(resolver, Recalling)
            else Recollection({}, tuple(new))
        )
        self._outcomes.update(recalled.known)
        self._recollections.append(recalled)
        if self._progress is not None:
            already = len(self._outcomes) - len(recalled.known)
            for done, (key, outcome) in enumerate(recalled.known.items(), already + 1):
                self._progress(new[key], outcome, done, len(known))
        for key in recalled.to_ask:
            self._ask(key, new[key])
        self._asking.begin()
        self._collect()

    def collect(self) -> None:
        """Take over what is done so far, and tell of it, without waiting."""
        self._collect()
        self._keep()

    def finish(self) -> dict[Handle, Outcome]:
        """Wait for what is outstanding.

        Returns:
            An outcome for every handle given, in the order they were given.
        """
        try:
            while len(self._outcomes) < len(self._handles):
                self._asking.wait(_LOOK_AGAIN)
                self.collect()
        finally:
            self.close()
        outcomes = self._outcomes
        return {handle: outcomes[key] for key, handle in self._handles.items()}

    def close(self) -> None:
        """End the threads, after the requests they are in the middle of."""
        self._asking.close()
        self._keep()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _ask(self, key: str, handle: Handle) -> None:
        if self._budget is not None and self._asked >= self._budget:
            reason = (
                f"not asked: the budget of {several(self._budget, 'handle')} is spent"
            )
            self._settle(key, Unreachable(reason))
            return
        self._asked += 1
        self._asking.ask(key, handle)

    def _collect(self) -> None:
        """Take over what is done."""
        while (done := self._asking.take()) is not None:
            self._settle(*done)

    def _keep(self) -> None:
        # In this thread, which has nothing else to do, and not in those that ask.
        if isinstance(self._resolver, Recalling):
            self._resolver.keep()

    def _settle(self, key: str, outcome: Outcome) -> None:
        self._outcomes[key] = outcome
        if self._progress is not None:
            done, total = len(self._outcomes), len(self._handles)
            self._progress(self._handles[key], outcome, done, total)
