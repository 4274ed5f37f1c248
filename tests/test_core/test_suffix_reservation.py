"""`handle_system.suffix.reservation`: which milliseconds come next."""

from hypothesis import given
from hypothesis import strategies as st

from handle_system.suffix.reservation import LEAD, Reservation, reservation

times = st.integers(0, 10**5)


def test_clock_that_goes_on() -> None:
    """What was not given before now is passed over: a suffix is not behind the clock."""
    assert reservation(now=500, last=100, latest=90, wanted=8) == Reservation(
        first=500, last=507, latest=500
    )


def test_clock_that_stands_still() -> None:
    """The next are above what is given, as far as a second ahead."""
    assert reservation(now=500, last=1_498, latest=500, wanted=8) == Reservation(
        first=1_499, last=1_500, latest=500
    )


def test_clock_that_stands_still_for_long() -> None:
    """When the second is used up there is none."""
    nothing = reservation(now=500, last=1_500, latest=500, wanted=8)
    assert nothing.first > nothing.last


def test_clock_that_steps_back() -> None:
    """The lead is counted from the latest that the clock has shown."""
    assert reservation(now=500, last=7_100, latest=7_000, wanted=8) == Reservation(
        first=7_101, last=7_108, latest=7_000
    )


@given(now=times, last=times, latest=times, wanted=st.integers(1, 2_000))
def test_laws(now: int, last: int, latest: int, wanted: int) -> None:
    """Above what is given, not behind the clock, no more than wanted, within the lead."""
    reserved = reservation(now, last, latest, wanted)

    assert reserved.first > last
    assert reserved.first >= now
    assert reserved.last - reserved.first < wanted
    assert reserved.latest == max(latest, now)
    assert reserved.last <= reserved.latest + LEAD
