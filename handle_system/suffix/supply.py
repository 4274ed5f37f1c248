"""Where the milliseconds of PILIN suffixes come from, one at a time.

Milliseconds are *reserved* before they are given: in the process's own memory,
or in a state file that processes and restarts share.  From a file they are
reserved in ranges, because a commit to a disk takes longer than a millisecond.
A range begins with one and doubles while it is used up as fast as the clock
goes, up to 256.  What a process reserved and did not use when it ended is lost:
at most 256 milliseconds in which nothing was minted.

Who mints without a pause soon uses up the lead over the clock, and then gets
what the clock adds.  Taken at once, that would be ranges of a few milliseconds
and a file that is always locked, and other processes would get nothing.  So
after a range that the lead cut short there is a wait, in which enough for a
longer one comes together.
"""

from collections.abc import Callable
from dataclasses import dataclass

from handle_system.suffix.lock import ForkAwareLock
from handle_system.suffix.memory import Memory
from handle_system.suffix.reservation import LEAD, Reservation, reservation
from handle_system.suffix.state import Mark, StateFile, StatePath

__all__ = ["Given", "Supply"]

_LARGEST_RANGE = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What came of asking for a millisecond.

    Attributes:
        millisecond: The one that is given; `None` when it is time to wait.
        shown: What the clock showed.
        latest: The latest that it had shown, as far as is known here.
    """

    millisecond: int | None
    shown: int
    latest: int


class Supply:
    """Milliseconds that nobody else is given; safe with threads and forks.

    Args:
        state: The path of a state file; without one, the memory of this process
            is asked, which is one for all supplies.
    """

    __slots__ = (
        "_file",
        "_generation",
        "_is_cut_short",
        "_lock",
        "_range",
        "_wanted",
    )

    def __init__(self, state: StatePath | None) -> None:
        self._file = None if state is None else StateFile(state, "PILIN")
        self._lock = _memory_lock if state is None else ForkAwareLock()
        self._generation = self._lock.generation
        self._range = _NOTHING
        self._wanted = 1
        self._is_cut_short = False

    def take(self, clock: Callable[[], int]) -> Given:
        """The next millisecond at or above what the clock shows.

        The clock is read once, and again where by that reading nothing is left:
        others may have held the file for long since.

        Raises:
            StateFileError: when the state file cannot be used.
        """
        now = clock()
        with self._lock:
            if self._generation != self._lock.generation:
                # This is a forked child, and the range is its parent's.
                self._generation = self._lock.generation
                self._range = _NOTHING
            held = self._range
            if max(held.first, now) > held.last:
                latest = max(held.latest, now)
                if self._is_cut_short and latest + LEAD < held.last + self._wanted:
                    self._is_cut_short = False
                    return Given(millisecond=None, shown=now, latest=latest)
                now, held = self._reserve(now, clock)
            given = max(held.first, now)
            latest = max(held.latest, now)
            if given > held.last:
                self._range = held
                return Given(millisecond=None, shown=now, latest=latest)
            self._range = Reservation(first=given + 1, last=held.last, latest=latest)
            return Given(millisecond=given, shown=now, latest=latest)

    def _reserve(self, now: int, clock: Callable[[], int]) -> tuple[int, Reservation]:
        if self._file is None:
            return now, _memory.reserve(now)
        # The last range ended a moment ago: it was too short.
        busy = now - self._range.last <= _LARGEST_RANGE
        self._wanted = min(2 * self._wanted, _LARGEST_RANGE) if busy else 1
        wanted = self._wanted

        def decide(mark: Mark) -> tuple[Mark, tuple[int, Reservation]]:
            shown = now
            reserved = reservation(shown, mark.last, mark.latest, wanted)
            if reserved.first > reserved.last:
                shown = clock()
                reserved = reservation(shown, mark.last, mark.latest, wanted)
            if reserved.first > reserved.last:
                return mark, (shown, reserved)
            return Mark(reserved.last, reserved.latest), (shown, reserved)

        shown, reserved = self._file.change(decide)
        self._is_cut_short = 0 <= reserved.last - reserved.first < wanted - 1
        return shown, reserved


_NOTHING = Reservation(first=0, last=-1, latest=-1)

_memory = Memory()
_memory_lock = ForkAwareLock()
