"""`handle_system.resolving.old_many`: many handles at once."""

import threading

import pytest

from handle_system.handle import Handle
from handle_system.resolving.old_many import ResolvingRun, resolve_many
from handle_system.resolving.outcome import (
    NotRegistered,
    Outcome,
    Resolved,
    Unreachable,
)
from handle_system.resolving.proxy_resolver import ProxyResolver
from handle_system.resolving.records_file import RecordsResolver
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
    assert list(outcomes) == written
    assert all(isinstance(outcome, Resolved) for outcome in outcomes.values())


def test_the_result_is_in_the_order_of_the_question() -> None:
    """Whatever order the answers come in."""
    resolver = RecordsResolver({"20.1/7": "https://example.org/7"})

    outcomes = resolve_many(HANDLES, resolver)

    assert list(outcomes) == HANDLES
    assert [str(h) for h in HANDLES if outcomes[h] != NotRegistered()] == ["20.1/7"]


def test_progress_is_told_in_the_callers_thread() -> None:
    """Each outcome once, counted."""
    told: list[tuple[int, int]] = []
    threads: set[int] = set()

    def progress(_handle: Handle, _outcome: Outcome, done: int, total: int) -> None:
        told.append((done, total))
        threads.add(threading.get_ident())

    resolve_many(HANDLES, RecordsResolver({}), progress=progress)

    assert told == [(done, 100) for done in range(1, 101)]
    assert threads == {threading.get_ident()}


def test_a_cancelled_run_asks_no_further() -> None:
    """What was not asked for is unreachable, and says why."""
    cancel = threading.Event()

    class Cancelling:
        asked = 0

        def resolve(self, _handle: Handle, /) -> Outcome:
            self.asked += 1
            if self.asked == 10:
                cancel.set()
            return NotRegistered()

    outcomes = resolve_many(HANDLES, Cancelling(), connections=1, cancel=cancel)

    answers = list(outcomes.values())
    assert answers.count(NotRegistered()) == 10
    assert answers.count(Unreachable("not asked: the run was cancelled")) == 90


def test_a_budget_bounds_how_many_are_asked_for() -> None:
    """The rest is unreachable, and says why."""

    class Asked:
        def resolve(self, _handle: Handle, /) -> Outcome:
            return NotRegistered()

    outcomes = resolve_many(HANDLES, Asked(), budget=30)

    answers = list(outcomes.values())
    assert answers.count(NotRegistered()) == 30
    assert (
        answers.count(Unreachable("not asked: the budget of 30 handles is spent")) == 70
    )
    (_, left_out) = resolve_many(HANDLES[:2], Asked(), budget=1).values()
    assert left_out == Unreachable("not asked: the budget of 1 handle is spent")


def test_a_resolver_that_raises_is_a_bug_and_stops_the_run() -> None:
    """An exception is no outcome: it comes out where the caller is."""

    class Broken:
        def resolve(self, handle: Handle, /) -> Outcome:
            raise LookupError(str(handle))

    with pytest.raises(LookupError):
        resolve_many(HANDLES, Broken())
    assert resolving_threads() == []


def test_nothing_to_resolve_starts_nothing() -> None:
    """An empty question has an empty answer."""
    assert resolve_many([], RecordsResolver({})) == {}


def test_more_may_come_in_while_others_are_asked_for() -> None:
    """As documents are read; the order is that of their coming."""
    records = {str(handle): "https://example.org/" for handle in HANDLES}
    with running(records) as server, ProxyResolver(server.url) as resolver:
        with ResolvingRun(resolver, connections=4) as run:
            for start in range(0, 100, 10):
                run.add(HANDLES[start : start + 10])
                run.add(HANDLES[:start])
            outcomes = run.finish()

        assert server.asked == dict.fromkeys(records, 1)
        assert server.most_connections <= 4
    assert list(outcomes) == HANDLES


def test_nobody_is_asked_after_the_end() -> None:
    """Whether there is one who waits for all, or threads."""

    class Waiting:
        def resolve(self, _handle: Handle, /) -> Outcome:
            return NotRegistered()

    with running({}) as server, ProxyResolver(server.url) as proxy:
        for resolver in (proxy, Waiting()):
            run = ResolvingRun(resolver)
            run.add(HANDLES[:1])
            first = run.finish()
            run.add(HANDLES[:2])

            assert first == {HANDLES[0]: NotRegistered()}
            assert run.finish() == {
                HANDLES[0]: NotRegistered(),
                HANDLES[1]: Unreachable("not asked: the run was cancelled"),
            }
        assert len(server.requests) == 1


def test_what_is_done_may_be_taken_over_before_the_end() -> None:
    """Without waiting for what is not."""
    release = threading.Event()
    told: list[Handle] = []

    class Slow:
        def resolve(self, handle: Handle, /) -> Outcome:
            if handle == HANDLES[2]:
                release.wait()
            return NotRegistered()

    def progress(handle: Handle, _outcome: Outcome, _done: int, _total: int) -> None:
        told.append(handle)

    with ResolvingRun(Slow(), connections=1, progress=progress) as run:
        run.add(HANDLES[:4])
        while len(told) < 2:
            run.collect()
        run.collect()
        assert told == HANDLES[:2]

        release.set()
        assert list(run.finish()) == HANDLES[:4]
    assert told == HANDLES[:4]


def test_progress_counts_what_was_known_already() -> None:
    """To the end, and never beyond."""
    told: list[tuple[int, int]] = []

    def progress(_handle: Handle, _outcome: Outcome, done: int, total: int) -> None:
        told.append((done, total))

    with ResolvingRun(RecordsResolver({}), progress=progress) as run:
        run.add(HANDLES[:3])
        run.add(HANDLES[:5])
        run.finish()

    assert told == [(1, 3), (2, 3), (3, 3), (4, 5), (5, 5)]


def test_progress_counts_what_is_asked_for() -> None:
    """Every handle, what a budget left out among them."""
    told: list[tuple[Handle, int, int]] = []

    class Asked:
        def resolve(self, _handle: Handle, /) -> Outcome:
            return NotRegistered()

    def progress(handle: Handle, _outcome: Outcome, done: int, total: int) -> None:
        told.append((handle, done, total))

    resolve_many(HANDLES, Asked(), progress=progress, budget=90)

    assert {handle for handle, _, _ in told} == set(HANDLES)
    assert [(done, total) for _, done, total in told] == [
        (done, 100) for done in range(1, 101)
    ]


def test_a_run_that_is_left_early_leaves_no_thread() -> None:
    """Whatever made its owner leave."""
    released = threading.Event()

    class Slow:
        def resolve(self, _handle: Handle, /) -> Outcome:
            released.wait()
            return NotRegistered()

    def leave() -> None:
        with ResolvingRun(Slow(), connections=3) as run:
            run.add(HANDLES)
            assert len(resolving_threads()) == 3
            released.set()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave()

    assert resolving_threads() == []


@pytest.mark.parametrize("connections", [0, -1])
def test_error_on_no_connections(connections: int) -> None:
    """Nobody would ask."""
    with pytest.raises(ValueError) as raised:
        resolve_many(HANDLES, RecordsResolver({}), connections=connections)

    assert str(raised.value) == f"at least one connection is needed, not {connections}"
