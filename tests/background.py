"""Local servers, the address of a missing one, and a clock that tests set."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from socketserver import BaseServer
from typing import TypeVar

__all__ = ["FakeClock", "nobody_at", "resolving_threads", "serving"]

Server = TypeVar("Server", bound=BaseServer)


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """Run a server while the context lasts."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def nobody_at() -> Iterator[str]:
    """The base URL of a server that does not exist.

    The context holds the port, because another test's server could get a released port.
    """
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/"


def resolving_threads() -> list[threading.Thread]:
    """The threads of resolvers.

    A server's threads end late, when it notices that a client has gone, so tests cannot
    count all threads.
    """
    return [each for each in threading.enumerate() if each.name.startswith("resolving")]


START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


class FakeClock:
    """A clock that a test sets.

    Attributes:
        sleeps: The length of each sleep, in seconds.
    """

    def __init__(self) -> None:
        self.sleeps: list[float] = []
        self._elapsed = 0.0

    def monotonic(self) -> float:
        """Seconds since the clock was created."""
        return self._elapsed

    def sleep(self, seconds: float) -> None:
        """Let time pass, and record the sleep."""
        self.sleeps.append(seconds)
        self.pass_time(seconds)

    def pass_time(self, seconds: float) -> None:
        """Let time pass without a sleep."""
        self._elapsed += seconds
