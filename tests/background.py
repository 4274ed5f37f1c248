"""Servers that answer while a test runs, one that is not there, a clock that stands still."""

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
    """The server, answering while the context lasts."""
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
    """The base of a server that is not there.

    Its port is held while the context lasts: that of a server that was closed may be
    given to the next one, such as that of a test beside this one.
    """
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/"


def resolving_threads() -> list[threading.Thread]:
    """The threads that ask, among all that there are.

    Those of a server end when it notices that a client has gone: how many threads
    there are says nothing, even where a test has no server of its own.
    """
    return [each for each in threading.enumerate() if each.name.startswith("resolving")]


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
