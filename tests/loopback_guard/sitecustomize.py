"""The guard against the network: it refuses and records every attempt to leave loopback.

It is an audit hook and not a patched `socket`, so it also sees libraries that imported
a function from `socket` earlier, a test's own patches do not undo it, and it needs no
list of clients.  `conftest.py` puts this folder on `PYTHONPATH`, and Python imports a
module of this name when it starts; so child processes have the guard, too.

A refused attempt raises an exception and is recorded in a file, because code under test
may handle a failed connection as an ordinary answer.  An environment variable holds the
path of the file for child processes; `conftest.py` reads it after each test.

The guard does not see processes other than Python, and those started with `-I` or `-E`.
"""

import os
import sys
from ipaddress import ip_address
from pathlib import Path

NOTES = "HANDLE_TESTS_OUTSIDE_NOTES"
"""The environment variable that names the file of noted attempts."""

# The audit events that name a host, and which of their arguments does.
_HOST_ARGUMENT = {
    "socket.connect": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyaddr": 0,
    "socket.gethostbyname": 0,
    "socket.getnameinfo": 0,
    "socket.sendmsg": 1,
    "socket.sendto": 1,
}


class OutsideLoopbackError(RuntimeError):
    """A test, or a process of it, tried an address outside loopback."""


def outside_host(event: str, arguments: tuple[object, ...]) -> str | None:
    """The host outside loopback that an audit event turns to, if any.

    Unix sockets (a path, not a tuple) and the empty host (this machine) stay
    at home, and so does `localhost`; any other name would need a name server.
    """
    if (position := _HOST_ARGUMENT.get(event)) is None:
        return None
    host = arguments[position]
    if position == 1 or event == "socket.getnameinfo":
        if not isinstance(host, tuple):
            return None
        host = host[0]
    if isinstance(host, bytes | bytearray):
        host = bytes(host).decode("ascii", "backslashreplace")
    if not isinstance(host, str) or host.lower() in {"", "localhost"}:
        return None
    try:
        return None if ip_address(host).is_loopback else host
    except ValueError:
        return host


def _refuse_outside(event: str, arguments: tuple[object, ...]) -> None:
    if not event.startswith("socket."):
        return
    if (host := outside_host(event, arguments)) is None:
        return
    attempt = f"{event} to {host!r} in process {os.getpid()}"
    if notes := os.environ.get(NOTES):
        with Path(notes).open("a", encoding="utf-8") as file:
            file.write(attempt + "\n")
    raise OutsideLoopbackError(attempt)


def install() -> None:
    """Install the guard in this process, once."""
    if not getattr(sys, "_stays_on_loopback", False):
        sys._stays_on_loopback = True  # type: ignore[attr-defined]  # A mark for a process, however often and by whatever name this module is imported.
        sys.addaudithook(_refuse_outside)


install()
