"""A server that answers while a test runs, and one that is not there."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseServer
from typing import TypeVar

__all__ = ["nobody_at", "resolving_threads", "serving"]

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
