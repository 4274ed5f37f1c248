"""The gate before one server: when a request may go, and when none may.

Four things hold a request back, and all are the server's, not a handle's:

- the number of connections, and the rate, of its `Manners`;
- a pause it asked for (``Retry-After``), or needs (too many requests, no
  capacity): who was told to wait makes all others wait, too;
- the breaker: after a dozen handles in a row without an answer the server is
  taken to be down, and the others are not asked for.  A build behind a firewall
  thus ends in seconds, not in three time-outs for each of a thousand handles.
  From time to time one handle is let through, to see.

Handles count for the breaker, not requests, and any answer of the protocol
resets it: a few handles whose answers are broken do not close the gate before
the many that are fine.
"""

import threading
from collections.abc import Callable

from handle_system.resolving.clock import Clock
from handle_system.resolving.manners import Manners
from handle_system.text import several

__all__ = ["HostGate"]

# In a row: from here on nothing is tried twice.
_DOUBTFUL = 3


class HostGate:
    """The gate before one server.  Safe to be used by many threads."""

    def __init__(
        self,
        host: str,
        manners: Manners,
        clock: Clock,
        notice: Callable[[str], object],
    ) -> None:
        self._host = host
        self._manners = manners
        self._clock = clock
        self._notice = notice
        self._lock = threading.Lock()
        self._slots = (
            threading.BoundedSemaphore(manners.connections)
            if manners.connections
            else None
        )
        self._next_turn = 0.0
        self._paused_until = 0.0
        self._failed_in_a_row = 0
        self._closed_until: float | None = None
        self._said = False

    @property
    def doubtful(self) -> bool:
        """Whether the server has just failed several times."""
        return self._failed_in_a_row >= _DOUBTFUL

    @property
    def stands_open(self) -> bool:
        """Whether nothing holds a request back now, so that nobody need `enter`."""
        return not (
            self._failed_in_a_row
            or self._paused_until
            or self._manners.rate
            or self._manners.connections
        )

    def refusal(self) -> str | None:
        """Why nothing is to be asked now; `None` if the gate is open.

        Where it has been closed for long enough, the one who asks here first is
        let through.
        """
        if not self._failed_in_a_row:
            return None
        with self._lock:
            if self._closed_until is None:
                return None
            now = self._clock.monotonic()
            if now >= self._closed_until:
                self._closed_until = now + self._manners.give_up_for
                return None
        times = several(self._failed_in_a_row, "time")
        return f"not asked: {self._host} has failed {times} in a row"

    def enter(self) -> None:
        """Wait for a connection and a turn; `leave` when the request is over."""
        if self._slots is not None:
            self._slots.acquire()
        try:
            while (wait := self._take_turn()) > 0.0:
                self._clock.sleep(wait)
        except BaseException:
            # Interrupted: who does not enter does not leave either.
            self.leave()
            raise

    def leave(self) -> None:
        """Give the connection back."""
        if self._slots is not None:
            self._slots.release()

    def pause(self, seconds: float) -> None:
        """Let nobody in for so long."""
        with self._lock:
            until = self._clock.monotonic() + seconds
            self._paused_until = max(self._paused_until, until)

    def report(self, *, answered: bool) -> None:
        """Say how it went for one handle."""
        if answered and not self._failed_in_a_row:
            return
        with self._lock:
            if answered:
                self._failed_in_a_row = 0
                self._closed_until = None
                return
            self._failed_in_a_row += 1
            if self._failed_in_a_row < self._manners.give_up_after:
                return
            if self._closed_until is None:
                until = self._clock.monotonic() + self._manners.give_up_for
                self._closed_until = until
            say, self._said = not self._said, True
        if say:
            times = several(self._failed_in_a_row, "time")
            self._notice(
                f"{self._host} has failed {times} in a row, and is not asked any more"
            )

    def _take_turn(self) -> float:
        """How long to wait before asking for a turn again; 0 if this is it."""
        rate = self._manners.rate
        if not rate and not self._paused_until:
            return 0.0
        with self._lock:
            now = self._clock.monotonic()
            wait = max(self._paused_until, self._next_turn if rate else 0.0) - now
            if wait <= 0.0 and rate:
                self._next_turn = now + 1.0 / rate
            return wait
