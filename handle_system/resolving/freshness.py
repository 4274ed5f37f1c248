"""How long an outcome may be believed: a pure function.

A registration hardly ever ends, while a record's TTL is usually a day: taken at
its word it would have every build ask for everything again.  So what is
resolved is believed for the larger of its TTL and 14 days; what is not
registered may be so within the hour; and what was not learned is not kept.

Handles that were verified in one run would all be due in one run again, so
their time is stretched or shortened by up to a fifth, by the handle's own
number: the same at every look, and different for each.
"""

from dataclasses import dataclass
from typing import assert_never
from zlib import crc32

from handle_system.resolving.outcome import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
)

__all__ = ["Freshness"]

HOUR = 3600
DAY = 24 * HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """The bounds of belief, in seconds.

    Attributes:
        at_least: A resolved handle, however short its TTL.
        at_most: A resolved handle, however long its TTL.
        negative: A handle that is not registered, shows nothing, is refused, or
            is an alias that leads nowhere: what somebody may be repairing.
        jitter: The share by which the time of a resolved handle varies.
    """

    at_least: int = 14 * DAY
    at_most: int = 365 * DAY
    negative: int = HOUR
    jitter: float = 0.2

    def lifetime(self, outcome: Outcome, ttl: int, key: str) -> int:
        """For how many seconds an outcome may be believed; 0 for not at all.

        Args:
            outcome: What came of asking.
            ttl: The record's own time, as it stood then; 0 without a record.
            key: The handle's `comparison_key`.
        """
        match outcome:
            case Unreachable():
                return 0
            case NotRegistered() | NoValues() | Refused():
                return self.negative
            case Resolved(dead_end=None):
                bounded = min(max(ttl, self.at_least), self.at_most)
                return int(bounded * (1.0 + self.jitter * self._place(key)))
            case Resolved():
                return self.negative
            case never:
                assert_never(never)

    def shortest(self) -> float:
        """What every resolved handle without a dead end is believed for."""
        return min(self.at_least, self.at_most) * (1.0 - self.jitter)

    @staticmethod
    def _place(key: str) -> float:
        """A number from -1 to 1 that belongs to the handle."""
        return crc32(key.encode()) / 0x7FFFFFFF - 1.0
