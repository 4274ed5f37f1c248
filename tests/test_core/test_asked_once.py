"""`handle_system.resolving.asked_once`: nobody is asked the same twice."""

import threading

import pytest

from handle_system.handle import Handle
from handle_system.resolving.asked_once import AskedOnce
from handle_system.resolving.outcome import NotRegistered, Outcome, Unreachable

HANDLE = Handle("10.1000", "a")
AGAIN = Handle("10.1000", "A")


def test_an_answer_holds_for_every_spelling() -> None:
    """And for each handle its own."""
    asked = []

    def ask(handle: Handle) -> Outcome:
        asked.append(str(handle))
        return NotRegistered()

    once = AskedOnce(ask)

    assert {once(HANDLE), once(AGAIN), once(Handle("20.1000", "a"))} == {
        NotRegistered()
    }
    assert asked == ["10.1000/a", "20.1000/a"]


def test_what_was_not_reached_is_asked_for_again() -> None:
    """Nothing was learned."""
    outcomes: list[Outcome] = [NotRegistered(), Unreachable("silent")]
    once = AskedOnce(lambda _: outcomes.pop())

    assert [once(HANDLE) for _ in range(3)] == [
        Unreachable("silent"),
        NotRegistered(),
        NotRegistered(),
    ]


def test_who_comes_meanwhile_waits_for_the_answer() -> None:
    """Instead of asking as well."""
    asked: list[Handle] = []
    is_asked, may_answer = threading.Event(), threading.Event()
    answers: list[Outcome] = []

    def ask(handle: Handle) -> Outcome:
        asked.append(handle)
        is_asked.set()
        may_answer.wait()
        return NotRegistered()

    once = AskedOnce(ask)
    askers = [
        threading.Thread(target=lambda: answers.append(once(HANDLE))) for _ in range(5)
    ]
    askers[0].start()
    is_asked.wait()
    for each in askers[1:]:
        each.start()
    may_answer.set()
    for each in askers:
        each.join()

    assert asked == [HANDLE]
    assert answers == [NotRegistered()] * 5


def test_error_of_one_who_asks_leaves_nobody_waiting() -> None:
    """The next one asks."""

    def ask(_handle: Handle) -> Outcome:
        raise RuntimeError("a bug")

    once = AskedOnce(ask)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"^a bug$"):
            once(HANDLE)
