"""Minting PILIN suffixes: one for a millisecond, and a millisecond never twice.

The policy (seed 002, section 2) asks for a new suffix each millisecond, and its
rule, the time of asking, gives that to one thread of one process whose clock
never stands still.  Here it is kept for any number of them: see
`handle_system.suffix.supply`.

The clock gives an aware `datetime` rather than a number, so that no clock can be
wrong about its unit or its epoch.
"""

import functools
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from handle_system.suffix.notation import from_milliseconds, milliseconds_of, written
from handle_system.suffix.reservation import LEAD
from handle_system.suffix.state import MintingError, StatePath
from handle_system.suffix.supply import Given, Supply

__all__ = ["Clock", "ClockStalledError", "PilinSuffixes", "Wait", "mint", "utc_now"]

#: Gives the present moment, with its time zone.
Clock: TypeAlias = Callable[[], datetime]

#: Returns after so many seconds, or whenever the clock is worth another look.
Wait: TypeAlias = Callable[[float], object]

# Five seconds of the machine's own clock. In each wait the lead regains fifty
# milliseconds, and a disk commits their reservation in less.
_WAITS = 100
_WAIT_SECONDS = 0.05


class ClockStalledError(MintingError):
    """All that may be minted is minted, and the clock does not go on.

    Attributes:
        shown: What the clock shows, in milliseconds since 1582-10-15T00:00:00Z.
        latest: The latest that it has shown, in the same.
    """

    def __init__(self, shown: int, latest: int) -> None:
        super().__init__(shown, latest)
        self.shown = shown
        self.latest = latest

    def __str__(self) -> str:
        shows = f"the clock shows {written(self.shown)}"
        if self.shown < self.latest:
            behind = self.latest - self.shown
            shows += f", {behind} ms before the latest time that it has shown"
        return (
            f"{shows}; no suffix up to {written(self.latest + LEAD)} is left to mint, "
            f"and {_WAITS} waits for the clock to go on were not enough"
        )


def utc_now() -> datetime:
    """The time of the machine's clock."""
    return datetime.now(UTC)


class PilinSuffixes:
    """Mints suffixes as the PILIN policy writes them (seed 002), none twice.

    Within a process that holds always: for all threads, and for all minters
    without a state file together (a forked child is another process).  With a
    state file it holds for all processes
    that use the file, one after another or at once; one file is one namespace,
    so take one for each prefix.

    A suffix tells the time at which it was minted: never before what the clock
    showed, and at most a second after the latest that the clock has shown (in
    any process that uses the same file).  When the clock stands still or steps
    back, minting goes on above what was given last, until that second is used
    up; then it waits, 100 times for 50 ms, and gives up.

    Args:
        state: The path of a state file, made when it is missing.
        clock: Gives the present moment, with its time zone.
        wait: Called, with a number of seconds, between two looks at a clock that
            must go on first.

    >>> minter = PilinSuffixes()
    >>> one, other = minter.mint(), minter.mint()
    >>> one == other, minter.lead <= 1000
    (False, True)
    """

    __slots__ = ("_clock", "_last", "_supply", "_wait")

    def __init__(
        self,
        *,
        state: StatePath | None = None,
        clock: Clock = utc_now,
        wait: Wait = time.sleep,
    ) -> None:
        self._clock = clock
        self._wait = wait
        self._supply = Supply(state)
        self._last = Given(millisecond=None, shown=0, latest=0)

    @property
    def lead(self) -> int:
        """How many milliseconds the last suffix was ahead of the clock.

        Counted from the latest time that the clock had shown: 0 to 1000.
        """
        last = self._last
        return 0 if last.millisecond is None else last.millisecond - last.latest

    @property
    def setback(self) -> int:
        """How many milliseconds the clock was behind the latest it had shown.

        0 while it has not stepped back.  With `lead`, this is how far the last
        suffix was ahead of what the clock showed when it was minted.
        """
        return self._last.latest - self._last.shown

    def mint(self) -> str:
        """A suffix that was not minted before.

        Raises:
            ClockStalledError: when the clock does not go on.
            StateFileError: when the state file cannot be used.
            ValueError: when the clock shows no time zone, or a time that nine
                digits cannot write.
        """
        millisecond, self._last = _take(self._supply, self._clock, self._wait)
        return from_milliseconds(millisecond)


def mint(
    *,
    state: StatePath | None = None,
    clock: Clock = utc_now,
    wait: Wait = time.sleep,
) -> str:
    """A new PILIN suffix.

    The same as `PilinSuffixes(…).mint()`, for callers that keep no minter: the
    arguments, the promise and the errors are those of `PilinSuffixes`, which
    also tells the lead over the clock.

    >>> len(mint())
    9
    """
    path = None if state is None else str(Path(state).absolute())
    millisecond, _ = _take(_supply(path), clock, wait)
    return from_milliseconds(millisecond)


# What is given is known to the process's memory or the state file: a supply that
# is dropped here costs a range of milliseconds and no more.
_supply = functools.lru_cache(maxsize=64)(Supply)


def _take(supply: Supply, clock: Clock, wait: Wait) -> tuple[int, Given]:
    waits = 0
    while True:
        given = supply.take(lambda: milliseconds_of(clock()))
        if given.millisecond is not None:
            return given.millisecond, given
        if waits == _WAITS:
            raise ClockStalledError(given.shown, given.latest)
        wait(_WAIT_SECONDS)
        waits += 1
