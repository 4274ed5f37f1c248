"""`handle_system.resolving.many`: many handles at once."""

import threading

import pytest

from handle_system.handle import Handle
from handle_system.resolving.many import ResolvingRun, resolve_many
from handle_system.resolving.outcomes import (
    NotRegistered,
    Outcome,
    Resolved,
)
from handle_system.resolving.resolvers import ProxyResolver, RecordsResolver
from tests.background import resolving_threads
from tests.proxy_server import running

HANDLES = [Handle("20.1", str(number)) for number in range(100)]


def test_each_distinct_handle_is_asked_for_once() -> None:
    """One request a handle, however often and in whatever case it is written."""
    records = {f"10.1/a{number}": "https://example.org/" for number in range(50)}
    written = [Handle.parse(text) for text in records]
    shouted = [Handle.parse(text.upper()) for text in records]

    with running(records) as server, ProxyResolver(server.url) as resolver:
        outcomes = resolve_many(written + shouted, resolver, connections=8)

        assert server.asked == dict.fromkeys(records, 1)
        assert server.most_connections <= 8
    assert list(map(str, outcomes)) == list(records)
    assert all(isinstance(outcome, Resolved) for outcome in outcomes.values())


def test_progress_is_reported_in_the_callers_thread() -> None:
    """Each outcome once, counted; the result is in the order of the question."""
    seen: list[tuple[int, int]] = []
    threads: set[int] = set()

    def progress(_handle: Handle, _outcome: Outcome, done: int, total: int) -> None:
        seen.append((done, total))
        threads.add(threading.get_ident())

    outcomes = resolve_many(HANDLES, RecordsResolver({}), progress=progress)

    assert list(outcomes) == HANDLES
    assert seen == [(done, 100) for done in range(1, 101)]
    assert threads == {threading.get_ident()}
    assert resolving_threads() == []


def test_a_resolver_that_raises_stops_the_run() -> None:
    """An exception is a bug and no outcome: it comes out where the caller is."""

    class Broken:
        def resolve(self, handle: Handle, /) -> Outcome:
            raise LookupError(str(handle))

    with pytest.raises(LookupError):
        resolve_many(HANDLES, Broken())


def test_outcomes_come_while_handles_are_added() -> None:
    """In the order of completion, one for each handle added."""
    release = threading.Event()

    class Slow:
        def resolve(self, handle: Handle, /) -> Outcome:
            if handle == HANDLES[0]:
                release.wait()
            return NotRegistered()

    run = ResolvingRun(Slow(), connections=2)
    run.add(HANDLES[0], "slow")
    run.add(HANDLES[1], "one")
    outcomes = iter(run)
    first = next(outcomes)
    run.add(HANDLES[1], "other")
    second = next(outcomes)
    release.set()
    run.end()

    assert [first[:2], second[:2]] == [(HANDLES[1], "one"), (HANDLES[1], "other")]
    assert list(outcomes) == [(HANDLES[0], "slow", NotRegistered())]


def test_nothing_to_resolve_starts_nothing() -> None:
    """An empty question has an empty answer."""
    assert resolve_many([], RecordsResolver({})) == {}
