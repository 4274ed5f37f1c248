"""Connections as urllib3 keeps them in its pools, written and read our way.

How a connection is opened, through which proxy and with which certificates, is
urllib3's affair.  What goes over it here is always the same, a question without
a body and an answer that is wanted whole and at once, and for that much less is
needed than for any request and any response:

- A question is written as one piece, from headers that are put together once.
- An answer is read where it arrives, at once and up to a cap, and understood at
  one look where it is plain (`handle_system.resolving.reply`); what is not, is read by the
  standard library's response.  urllib3's streaming response is made for
  downloads.
- A whole request has one deadline.  A socket's time-out begins anew with each
  octet, so a server that drips one a second would hold a thread for as long as
  it likes; here each read is given only what is left of the request's time, and
  so is each address of a host that is silent.

Together a handle takes less than half of the processor time that it takes with
the standard library's requests and responses.
"""

import io
import re
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from http.client import HTTPResponse, IncompleteRead
from socket import socket
from ssl import SSLWantReadError
from typing import Any

from urllib3.connection import HTTPConnection, HTTPSConnection

from handle_system.resolving.reply import Reply, plain_reply
from handle_system.resolving.unpacking import LARGEST_BODY, BodyError

__all__ = ["PlainConnection", "begin_request", "connection_class", "written_request"]

# More than any usual answer, and less than a page of memory management.
_AT_ONCE = 16_384
# Seconds.
_TRIFLE = 0.05
# Whatever else a target holds, it cannot end a line or a word.
_BREAKS_OUT = re.compile(r"[\x00-\x20\x7f]")
_NO_HEADER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")

# A request is made by one thread from beginning to end.
_deadline = threading.local()


def begin_request(seconds: float) -> None:
    """Give the request that this thread is about to make so much time in all."""
    _deadline.at = time.monotonic() + seconds


def connection_class(usual: Any, *, verify: bool) -> Any:
    """What a pool is to make connections of, in place of what it usually does.

    Args:
        usual: A pool's own `ConnectionCls`.
        verify: Whether certificates are checked.
    """
    if not issubclass(usual, HTTPSConnection):
        return PlainConnection
    return _TlsConnection if verify else _UnverifiedTlsConnection


class _DeadlineResponse(HTTPResponse):
    """The standard library's response, reading through a `_DeadlineReader`."""

    def _read_status(self) -> tuple[str, int, str]:
        # Interim responses come before the one that counts (RFC 9110, section
        # 15.2), and the standard library passes over one kind of them only.
        # Private there, and the one place where a status is read.
        version, status, reason = super()._read_status()  # type: ignore[misc]
        return version, 100 if 102 <= status < 200 else status, reason

    def __init__(
        self, sock: Any, *args: Any, received: bytes = b"", **options: Any
    ) -> None:
        super().__init__(sock, *args, **options)
        reader = _DeadlineReader(self.fp.detach(), sock, received)
        self.fp = io.BufferedReader(reader)


class _DeadlineReader(io.RawIOBase):
    """A socket's octets, those received first, until the request's time is up."""

    def __init__(self, raw: io.RawIOBase, sock: Any, received: bytes) -> None:
        self._raw = raw
        self._sock = sock
        self._received = received

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self._received:
            taken = self._received[: len(buffer)]
            self._received = self._received[len(taken) :]
            buffer[: len(taken)] = taken
            return len(taken)
        _wait_no_longer_than_allowed(self._sock)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class _OptionsInTime(list[Any]):
    """A socket's options, which urllib3 asks for before each address that it tries.

    A host may have a dozen of them, and behind a firewall each keeps silent for a
    whole time-out: the second is tried only while there is as much time left.
    """

    def __init__(self, options: Iterable[Any], seconds: float) -> None:
        super().__init__(options)
        self._seconds = seconds
        self._is_first = True

    def __iter__(self) -> Iterator[Any]:
        if not self._is_first and _deadline.at - time.monotonic() < self._seconds:
            raise TimeoutError
        self._is_first = False
        return super().__iter__()


class PlainConnection(HTTPConnection):
    """A connection on which one request after another is made and answered.

    What belongs to `request` and `getresponse` waits, up to the deadline; the rest
    is for who has many connections to look after, and does not.
    """

    response_class = _DeadlineResponse

    def connect(self) -> None:
        """Open it, in the time that is left."""
        _allow_only_what_is_left(self)
        super().connect()

    def request(self, method: str, url: str, *_: Any, **options: Any) -> None:
        """Send a request, over a new connection if there is none."""
        _ask(self, method, url, options["headers"])

    def getresponse(self) -> Any:
        """Read the response, to its end."""
        return _read(self)

    @property
    def may_be_asked(self) -> bool:
        """Whether it is open still, and its socket one that need not wait."""
        return isinstance(self.sock, socket) and self.is_connected

    @property
    def may_wait(self) -> bool:
        """Whether it is one that nobody can ask without waiting: TLS within TLS."""
        return self.sock is not None and not isinstance(self.sock, socket)

    def ask_at_once(self, request: bytes) -> bool:
        """Send a request, if the system takes all of it now; else it is of no use."""
        try:
            if self.sock.gettimeout() != 0.0:
                self.sock.settimeout(0.0)
            sent: int = self.sock.send(request)
        except OSError:
            return False
        return sent == len(request)

    def received_now(self) -> bytes | None:
        """What has come; `None` if nothing has yet, empty if it was closed.

        Raises:
            OSError: when the connection broke.
        """
        try:
            octets: bytes = self.sock.recv(_AT_ONCE)
        except (BlockingIOError, SSLWantReadError):
            return None
        return octets

    def rest_of_reply(self, received: bytes) -> Reply:
        """Read a response of which some, or nothing, was received already."""
        _wait_no_longer_than_allowed(self.sock)
        return _read_response(self, received)


class _TlsConnection(PlainConnection, HTTPSConnection):
    """The same over TLS."""


class _UnverifiedTlsConnection(_TlsConnection):
    """As asked for by the user, who need not be warned at each connection."""

    def connect(self) -> None:
        super().connect()
        # Else urllib3 warns through `warnings`, which cannot be silenced for
        # one thread, and which a build may have turned into errors.
        self.is_verified = True


def _allow_only_what_is_left(connection: HTTPConnection) -> None:
    usual = HTTPConnection.default_socket_options
    connection.socket_options = _OptionsInTime(usual, connection.timeout or 0.0)


def _ask(
    connection: HTTPConnection, method: str, target: str, headers: Mapping[str, str]
) -> None:
    """Send a request, over a new connection if there is none."""
    request = written_request(method, target, headers)
    if connection.sock is not None:
        _wait_no_longer_than_allowed(connection.sock)
    connection.send(request)


def written_request(method: str, target: str, headers: Mapping[str, str]) -> bytes:
    """A request without a body, as it is sent.

    Raises:
        ValueError: when the target or a header holds what would end it.
    """
    if _BREAKS_OUT.search(target):
        raise ValueError(f"a request's target cannot hold {target!r}")
    head = _header_lines(tuple(headers.items()))
    return f"{method} {target} HTTP/1.1\r\n{head}".encode("latin-1")


# One resolver sends the same with every request.
@lru_cache(maxsize=32)
def _header_lines(headers: tuple[tuple[str, str], ...]) -> str:
    for name, text in headers:
        if _NO_HEADER.search(text):
            raise ValueError(f"the header {name} cannot be {text!r}")
    return "".join(f"{name}: {text}\r\n" for name, text in headers) + "\r\n"


def _read(connection: HTTPConnection) -> Reply:
    """Read the response that a connection is to give, to its end."""
    sock = connection.sock
    _wait_no_longer_than_allowed(sock)
    received = sock.recv(_AT_ONCE)
    return plain_reply(received) or _read_response(connection, received)


def _read_response(connection: HTTPConnection, received: bytes) -> Reply:
    """Read any response of which some has been received already."""
    response = _DeadlineResponse(connection.sock, method="GET", received=received)
    with response:
        response.begin()
        body = response.read(LARGEST_BODY + 1)
        if response.will_close or len(body) > LARGEST_BODY:
            # What else comes, if anything does, belongs to this response.
            connection.close()
        if len(body) > LARGEST_BODY:
            raise BodyError.too_large()
        if response.length:
            # A read of so many octets at most does not mind an early end.
            raise IncompleteRead(body, response.length)
    headers: dict[str, str] = {}
    for name, text in response.headers.items():
        headers.setdefault(name.lower(), text.strip())
    return Reply(response.status, headers, body)


def _wait_no_longer_than_allowed(sock: Any) -> None:
    left = _deadline.at - time.monotonic()
    if left <= 0:
        raise TimeoutError
    # To set it asks the system, and lets another thread in: not for a trifle.
    allowed = sock.gettimeout()
    if not allowed or abs(left - allowed) > _TRIFLE:
        sock.settimeout(left)
