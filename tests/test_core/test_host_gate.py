"""`handle_system.resolving.host_gate`: when a request may go to a server."""

import threading
from dataclasses import replace

import pytest

from handle_system.resolving.host_gate import HostGate
from handle_system.resolving.manners import Manners
from tests.fake_clock import FakeClock


class Gate(HostGate):
    """A gate with a clock of its own, that keeps what it says."""

    def __init__(self, manners: Manners) -> None:
        self.time = FakeClock()
        self.said: list[str] = []
        super().__init__("example.org", manners, self.time.clock, self.said.append)

    def fail(self, times: int) -> None:
        for _ in range(times):
            self.report(answered=False)


def test_an_own_server_is_never_waited_for() -> None:
    """No rate, no pause, no limit."""
    gate = Gate(Manners())

    for _ in range(1000):
        gate.enter()
        gate.leave()

    assert gate.time.sleeps == []


def test_requests_are_spread_over_a_second() -> None:
    """Twenty a second are one each twentieth of it."""
    gate = Gate(Manners(rate=20.0))

    for _ in range(41):
        gate.enter()
        gate.leave()

    assert sum(gate.time.sleeps) == pytest.approx(2.0)
    assert gate.time.sleeps == pytest.approx([0.05] * 40)


def test_idle_time_is_not_saved_up() -> None:
    """After a rest there is no burst."""
    gate = Gate(Manners(rate=20.0))
    gate.enter()
    gate.time.pass_time(60.0)

    for _ in range(3):
        gate.enter()

    assert gate.time.sleeps == pytest.approx([0.05] * 2)


def test_a_pause_holds_everybody() -> None:
    """The longest that was asked for."""
    gate = Gate(Manners())
    gate.pause(7.0)
    gate.pause(3.0)

    gate.enter()
    gate.enter()

    assert gate.time.sleeps == [7.0]


def test_no_more_connections_than_allowed() -> None:
    """The others wait until one is given back."""
    gate = Gate(Manners(connections=2))
    inside = threading.Semaphore(0)
    go = threading.Event()
    lock = threading.Lock()
    now, most = 0, 0

    def ask() -> None:
        nonlocal now, most
        gate.enter()
        with lock:
            now += 1
            most = max(most, now)
        inside.release()
        go.wait()
        with lock:
            now -= 1
        gate.leave()

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    inside.acquire()
    inside.acquire()
    go.set()
    for thread in threads:
        thread.join()

    assert most == 2


def test_who_is_interrupted_while_waiting_gives_the_connection_back() -> None:
    """Else the next one would wait for ever."""
    time = FakeClock()

    def interrupted(seconds: float) -> None:
        time.pass_time(seconds)
        raise KeyboardInterrupt

    clock = replace(time.clock, sleep=interrupted)
    gate = HostGate("example.org", Manners(connections=1), clock, print)
    gate.pause(7.0)

    with pytest.raises(KeyboardInterrupt):
        gate.enter()
    # Would wait for ever, and be stopped by the test's time-out.
    gate.enter()


def test_the_gate_closes_after_many_failures_in_a_row_and_says_so_once() -> None:
    """Who comes after that is told why."""
    gate = Gate(Manners(give_up_after=3))
    gate.fail(2)
    assert gate.refusal() is None

    gate.fail(1)

    assert gate.refusal() == "not asked: example.org has failed 3 times in a row"
    gate.fail(5)
    assert gate.said == [
        "example.org has failed 3 times in a row, and is not asked any more"
    ]


def test_an_answer_in_between_starts_the_count_anew() -> None:
    """A few broken answers close nothing."""
    gate = Gate(Manners(give_up_after=3))

    for _ in range(10):
        gate.fail(2)
        gate.report(answered=True)

    assert gate.refusal() is None
    assert gate.said == []


def test_one_is_let_through_from_time_to_time() -> None:
    """If it is answered the gate is open, else closed for as long again."""
    gate = Gate(Manners(give_up_after=3, give_up_for=30.0))
    gate.fail(3)
    gate.time.pass_time(30.0)

    assert gate.refusal() is None
    assert gate.refusal() is not None
    gate.fail(1)
    assert gate.refusal() is not None

    gate.time.pass_time(30.0)
    assert gate.refusal() is None
    gate.report(answered=True)
    assert gate.refusal() is None
    assert gate.refusal() is None


def test_a_server_is_doubtful_before_it_is_given_up() -> None:
    """Then nothing is tried twice."""
    gate = Gate(Manners())
    before = gate.doubtful

    gate.fail(3)

    assert (before, gate.doubtful) == (False, True)
    assert gate.refusal() is None
