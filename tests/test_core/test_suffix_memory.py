"""`handle_system.suffix.memory`: what a process remembers without a file."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from handle_system.suffix.memory import Memory

HOUR = 3_600_000
DAY = 24 * HOUR


def _given(memory: Memory, *readings: int) -> list[int]:
    return [memory.reserve(now).first for now in readings]


def test_clock_that_goes_on() -> None:
    """Each gets the millisecond that its clock shows."""
    assert _given(Memory(), 1_000, 1_001, 5_000, HOUR, 40 * DAY) == [
        *(1_000, 1_001, 5_000, HOUR, 40 * DAY)
    ]


def test_clock_that_stands_still_or_steps_back() -> None:
    """Milliseconds rise for a clock that errs by less than a day."""
    now = 100 * DAY
    assert _given(Memory(), now, now, now - 1, now - 20 * HOUR, now + 3, now + 4) == [
        *(now, now + 1, now + 2, now + 3, now + 4, now + 5)
    ]


def test_second_is_used_up() -> None:
    """A millisecond is given up to a second ahead, and none after that."""
    memory = Memory()
    reserved = [memory.reserve(5_000) for _ in range(1_002)]

    assert [one.first for one in reserved[:1_001]] == list(range(5_000, 6_001))
    assert reserved[-1].last < reserved[-1].first
    assert _given(memory, 5_001) == [6_001]


def test_clock_of_another_time_spoils_nothing() -> None:
    """A clock that is years ahead has milliseconds of its own."""
    now, ahead = 100 * DAY, 9_000 * DAY
    assert _given(Memory(), now, ahead, now, ahead, now - 2 * DAY) == [
        *(now, ahead, now + 1, ahead + 1, now - 2 * DAY)
    ]


def test_stretches_that_come_near_become_one() -> None:
    """A clock that reaches what another has given goes on above that."""
    memory = Memory()
    assert _given(memory, 100 * DAY, 98 * DAY - 1) == [100 * DAY, 98 * DAY - 1]
    assert _given(memory, 99 * DAY - 1, 99 * DAY, 100 * DAY) == [
        *(99 * DAY - 1, 100 * DAY + 1, 100 * DAY + 2)
    ]
    assert len(memory._stretches) == 1


@given(
    st.lists(
        st.builds(
            lambda days, rest: 10 * DAY + days * HOUR + rest,
            st.integers(0, 120),
            st.integers(0, 3),
        ),
        max_size=200,
    )
)
def test_laws(readings: list[int]) -> None:
    """Whatever clocks show: none twice, none behind, each within a second of the
    latest, and stretches stay apart for a day less that second."""
    memory = Memory()
    given_before = set()
    for now in readings:
        reserved = memory.reserve(now)
        if reserved.first <= reserved.last:
            assert reserved.first == reserved.last
            assert reserved.first not in given_before
            given_before.add(reserved.first)
        assert reserved.first >= now
        assert reserved.last <= reserved.latest + 1_000
        assert reserved.latest <= max(readings)
    bounds = sorted((one.first, one.last) for one in memory._stretches)
    for (_, last), (first, _) in pairwise(bounds):
        assert first - last > DAY - 1_000
