"""A clock that stands still until somebody sleeps."""

from datetime import UTC, datetime

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


class FakeClock:
    """Time as a test wants it.

    Attributes:
        sleeps: How long each sleep was, in seconds.
    """

    def __init__(self) -> None:
        self.sleeps: list[float] = []
        self._elapsed = 0.0

    def monotonic(self) -> float:
        """Seconds since the clock was made."""
        return self._elapsed

    def sleep(self, seconds: float) -> None:
        """Let time pass, and keep for how long."""
        self.sleeps.append(seconds)
        self.pass_time(seconds)

    def pass_time(self, seconds: float) -> None:
        """Let time pass without a sleep."""
        self._elapsed += seconds
