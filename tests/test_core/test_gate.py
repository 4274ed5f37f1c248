"""`handle_system.resolving.gate`: when a request may be sent to a server."""

import threading

import pytest

from handle_system.resolving.gate import Budget, Gate, RateLimit, rate_limit_for
from tests.fake_clock import FakeClock


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
    """Eight connections and twenty requests a second; other servers have no limit."""
    limit = rate_limit_for(base)

    assert (limit.connections, limit.rate) == ((8, 20.0) if is_public else (None, None))


def test_requests_are_spread_over_a_second() -> None:
    """Idle time is not saved up, and without a rate nothing waits."""
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
    """The longest that was asked for."""
    time = FakeClock()
    gate = gate_of(time)
    gate.pause(7.0)
    gate.pause(3.0)
    gate.wait()
    gate.wait()

    assert time.sleeps == [7.0]


def test_the_gate_closes_after_many_failures_in_a_row() -> None:
    """It says so once; one handle after another is let through to see."""
    time = FakeClock()
    gate = gate_of(time, give_up_after=3, give_up_for=30.0)
    closing = [gate.report(answered=False) for _ in range(5)]
    first = gate.is_closed()
    time.pass_time(30.0)
    later = [gate.is_closed(), gate.is_closed()]
    gate.report(answered=False)
    failed_again = gate.is_closed()
    time.pass_time(30.0)
    let_through = gate.is_closed()
    gate.report(answered=True)

    assert closing == [False, False, True, False, False]
    assert (first, later, failed_again) == (True, [False, True], True)
    assert (let_through, gate.is_closed(), gate.is_doubtful) == (False, False, False)


def test_an_answer_starts_the_count_anew() -> None:
    """A few broken answers close nothing; three in a row are doubtful."""
    gate = gate_of(FakeClock(), give_up_after=4)
    for _ in range(10):
        for _ in range(3):
            gate.report(answered=False)
        assert gate.is_doubtful
        gate.report(answered=True)

    assert not gate.is_doubtful
    assert not gate.is_closed()


def test_a_budget_is_spent_once() -> None:
    """Over all threads that share it."""
    budget = Budget(100)
    taken: list[bool] = []

    def take() -> None:
        for _ in range(50):
            taken.append(budget.take())  # noqa: PERF401 (in the order of the threads)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (taken.count(True), taken.count(False)) == (100, 100)
