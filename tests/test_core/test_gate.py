"""Many handles at once, and the gate that limits requests to a server."""

import threading
from collections.abc import Iterator

import pytest

from handle_system.handle import Handle
from handle_system.resolving.gate import Budget, Gate, RateLimit, rate_limit_for
from handle_system.resolving.many import map_in_groups, map_unordered, resolve_many
from handle_system.resolving.outcomes import Outcome, Resolved
from handle_system.resolving.resolvers import ProxyResolver, RecordsResolver
from tests.background import FakeClock, resolving_threads
from tests.proxy_server import running


def gate_of(time: FakeClock, **limit: float) -> Gate:
    chosen = RateLimit(**limit)  # type: ignore[arg-type]  # each test names its own
    return Gate(chosen, monotonic=time.monotonic, sleep=time.sleep)


@pytest.mark.parametrize(
    ("base", "is_public"),
    [
        ("https://hdl.handle.net/", True),
        ("https://DOI.org./", True),
        ("https://dx.doi.org:443/", True),
        ("https://hdl.loc.gov/", True),
        ("https://notdoi.org/", False),
        ("http://127.0.0.1:8000/", False),
    ],
)
def test_the_public_proxies_are_spared(base: str, *, is_public: bool) -> None:
    """Public proxies get eight connections and twenty requests a second; others no limit."""
    limit = rate_limit_for(base)

    assert (limit.connections, limit.rate) == ((8, 20.0) if is_public else (None, None))


def test_requests_are_spread_over_a_second() -> None:
    """Idle time is not saved up; without a rate nothing waits."""
    time, free = FakeClock(), FakeClock()
    gate = gate_of(time, rate=20.0)
    gate.wait()
    time.pass_time(60.0)
    for _ in range(41):
        gate.wait()
    for _ in range(1000):
        gate_of(free).wait()

    assert time.sleeps == pytest.approx([0.05] * 40)
    assert free.sleeps == []


def test_a_pause_holds_all_requests() -> None:
    """The longest pause holds for all requests."""
    time = FakeClock()
    gate = gate_of(time)
    gate.pause(7.0)
    gate.pause(3.0)
    gate.wait()
    gate.wait()

    assert time.sleeps == [7.0]


def test_the_gate_closes_after_many_failures_in_a_row() -> None:
    """The gate closes once, with one message, and lets single handles through to try again."""
    time = FakeClock()
    gate = gate_of(time, give_up_after=4, give_up_for=30.0)
    # An answer starts the count anew.
    for answered in (False, False, False, True):
        assert not gate.report(answered=answered)
    closing = [gate.report(answered=False) for _ in range(6)]
    closed = [gate.is_closed()]
    for _ in range(2):
        time.pass_time(30.0)
        closed += [gate.is_closed(), gate.is_closed()]
    gate.report(answered=True)

    assert closing == [False, False, False, True, False, False]
    assert closed == [True, False, True, False, True]
    assert not gate.is_closed()


def test_a_budget_is_spent_once() -> None:
    """All threads share the budget."""
    budget = Budget(100)
    taken = [*map_unordered(lambda _: budget.take(), range(1, 201), connections=4)]

    assert (taken.count(True), taken.count(False)) == (100, 100)


HANDLES = [Handle("20.1", str(number)) for number in range(100)]


def test_each_distinct_handle_is_asked_for_once() -> None:
    """A handle costs one request, however often and in any case it is written."""
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
    """Each outcome is reported once; the result has the order of the input."""
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
    assert resolve_many([], RecordsResolver({})) == {}


def test_a_resolver_that_raises_stops_the_run() -> None:
    """An exception is a bug, not an outcome: the caller gets it."""

    class Broken:
        def resolve(self, handle: Handle, /) -> Outcome:
            raise LookupError(str(handle))

    with pytest.raises(LookupError):
        resolve_many(HANDLES, Broken())


def test_results_come_while_items_are_coming_in() -> None:
    """Results come in the order of completion; an exception of the input is raised."""
    first, second = threading.Event(), threading.Event()

    def items() -> Iterator[threading.Event]:
        yield from (first, second)
        second.wait()
        raise LookupError

    def wait(event: threading.Event) -> threading.Event:
        event.wait()
        return event

    results = map_unordered(wait, items(), connections=3)
    second.set()

    assert next(results) is second
    first.set()
    with pytest.raises(LookupError):
        assert list(results) == [first]


def test_results_of_the_same_time_come_together() -> None:
    """A group has what threads gave since the one before; an exception comes behind it."""
    ready = threading.Event()

    def double(number: int) -> int:
        ready.wait()
        if number == 5:
            raise LookupError
        return 2 * number

    groups = map_in_groups(double, iter(range(6)), connections=1, seconds=0.0)
    ready.set()
    results: list[int] = []

    def collect() -> None:
        for group in groups:
            results.extend(group)

    with pytest.raises(LookupError):
        collect()
    assert results == [0, 2, 4, 6, 8]


def test_a_thread_starts_where_an_item_waits_for_one() -> None:
    """Two items take at most three threads, and no item takes one."""
    others = set(resolving_threads())
    started: list[int] = []

    def items(number: int) -> Iterator[int]:
        yield from range(number)
        started.append(len(set(resolving_threads()) - others))

    for number in (0, 2):
        assert len([*map_unordered(str, items(number), connections=50)]) == number
        assert started.pop() <= number + 1
