"""Time, as an argument: so that tests neither sleep nor patch."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

__all__ = ["SYSTEM_CLOCK", "Clock"]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """What this library asks about time.

    Attributes:
        now: The date and time, in UTC: for what outlives the process.
        monotonic: Seconds from some moment on, never set back: for waiting.
        sleep: Wait for so many seconds.
    """

    now: Callable[[], datetime] = _now
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep


SYSTEM_CLOCK = Clock()
