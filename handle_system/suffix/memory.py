"""What one process remembers of the milliseconds it has given without a file.

One memory serves the whole process, so that its promise holds for every thread
and every caller: no millisecond twice, whichever minter was asked.

A single highest mark, as a state file has it, would let the first clock that is
far ahead (a test's, a mistaken one) spoil minting for everybody after it.  So
the memory keeps *stretches* of time, each from the first millisecond given to
the last, whatever was not given between them counted as given.  A clock that
shows a time within a day of a stretch is taken for the same clock, which has
gone on or stepped back, and continues above it; further away another clock is
being used, and a stretch of its own begins.  A process that mints with the
clock of its machine has one stretch, or one for each time it slept for a day.
"""

from dataclasses import dataclass

from handle_system.suffix.reservation import Reservation, reservation

__all__ = ["Memory"]

# 24 hours: more than a wrong time zone or summer time sets a clock back.
_SAME_CLOCK = 86_400_000


@dataclass(slots=True, eq=False)
class _Stretch:
    first: int
    last: int
    latest: int

    def is_near(self, now: int) -> bool:
        return self.first - _SAME_CLOCK <= now <= self.last + _SAME_CLOCK


class Memory:
    """Stretches of time that are given, a day apart but for the second of lead.

    Not locked: the caller sees to it that one thread asks at a time.
    """

    __slots__ = ("_stretches",)

    def __init__(self) -> None:
        self._stretches: list[_Stretch] = []

    def reserve(self, now: int) -> Reservation:
        """One millisecond at or above `now`, if the lead allows one."""
        stretch = self._stretch_near(now)
        reserved = reservation(now, stretch.last, stretch.latest, 1)
        stretch.last = max(stretch.last, reserved.last)
        stretch.latest = reserved.latest
        return reserved

    def _stretch_near(self, now: int) -> _Stretch:
        """The stretch that a reading belongs to, merged of all that are near it."""
        near = [stretch for stretch in self._stretches if stretch.is_near(now)]
        if len(near) == 1:
            return near[0]
        merged = _Stretch(
            first=min((stretch.first for stretch in near), default=now),
            last=max((stretch.last for stretch in near), default=now - 1),
            latest=max((stretch.latest for stretch in near), default=now),
        )
        apart = [stretch for stretch in self._stretches if stretch not in near]
        self._stretches = [*apart, merged]
        return merged
