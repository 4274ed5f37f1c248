"""The rule of minting: which milliseconds come next, and how far ahead at most.

A suffix is never behind the clock, so that it says when it was minted, and it
is at most a second ahead of *the latest time that the clock has shown*.  A
clock that stands still or steps back leaves that second to mint in; then
minting waits.  Had the lead been counted from what the clock shows at present,
a clock set back by an hour would stop minting for that hour at once; had it not
been bounded, a suffix would no longer tell a time.
"""

from dataclasses import dataclass

__all__ = ["LEAD", "Reservation", "reservation"]

#: How many milliseconds a suffix may be ahead of the latest time shown.
LEAD = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """Milliseconds for one minter alone.

    Attributes:
        first: The first of them.
        last: The last; before the first, if there are none.
        latest: The latest time that the clock has shown.
    """

    first: int
    last: int
    latest: int


def reservation(now: int, last: int, latest: int, wanted: int) -> Reservation:
    """The next milliseconds above those given, as many as the lead allows.

    Args:
        now: What the clock shows.
        last: The last millisecond that was given.
        latest: The latest time that the clock had shown before.
        wanted: How many are wanted.

    >>> reservation(now=5_000, last=7_990, latest=7_000, wanted=50)
    Reservation(first=7991, last=8000, latest=7000)
    """
    latest = max(latest, now)
    first = max(now, last + 1)
    return Reservation(
        first=first, last=min(first + wanted - 1, latest + LEAD), latest=latest
    )
