"""No test reaches beyond this machine: refuse every attempt, and write it down.

An audit hook, not a patched `socket`: it sees what libraries do with a function
that they took from `socket` long ago, a test's own patches cannot undo it, and
it needs no list of clients.  `conftest.py` puts this folder on `PYTHONPATH`, and
Python imports a module of this name at its start: so the guard stands in the
processes that tests start as well.

An attempt is refused by an exception *and* noted in a file, because code under
test rightly treats a failing connection as an ordinary answer: a test that meant
to stay at home would go on and pass.  The file's path is in the environment, for
children to find; `conftest.py` reads it after each test.

Not seen: processes that are not Python, and those started with `-I` or `-E`.
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
    """A test, or what it started, turned to an address outside loopback."""


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
