"""A clock that stands still until somebody sleeps."""

from datetime import UTC, datetime, timedelta

from handle_system.resolving.clock import Clock

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


class FakeClock:
    """Time as a test wants it.

    Attributes:
        sleeps: How long each sleep was, in seconds.
        clock: What is handed to the code under test.
    """

    def __init__(self, now: datetime = START) -> None:
        self._start = now
        self._elapsed = 0.0
        self.sleeps: list[float] = []
        self.clock = Clock(
            now=lambda: self._start + timedelta(seconds=self._elapsed),
            monotonic=lambda: self._elapsed,
            sleep=self.sleep,
        )

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.pass_time(seconds)

    def pass_time(self, seconds: float) -> None:
        """Let time go by without anybody sleeping."""
        self._elapsed += seconds
