"""HTTP: the only module that opens a connection, and the only one with urllib3.

It is loaded when the first proxy resolver is made, and urllib3 with it, so that
`import handle_system` stays free of both.

Why urllib3 and not requests, which stands on it: for one request it takes
0.4 × the processor time, and a build shares its interpreter with this.  Why not
`http.client` alone: pools that notice a dropped connection, HTTP proxies,
tunnels and TLS through them are there, kept and tested by others.

What urllib3 leaves to its caller is done here:

- One deadline for a whole request.  A socket's time-out begins anew with each
  octet, so a server that drips one a second would hold a thread for as long as
  it likes; here each read is given only what is left of the request's time.
- The path goes out as it was encoded.  `PoolManager` takes dot segments out of
  it, which belong to a handle; a pool that is asked directly leaves them.
- The body is read where it arrives, at once and up to a cap.  An answer is some
  500 octets, for which urllib3's streaming response, made for downloads, costs
  a third of the whole request.
"""

import io
import threading
import time
from http.client import HTTPConnection as StandardConnection
from http.client import HTTPException, HTTPMessage, HTTPResponse, IncompleteRead
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import (
    ClosedPoolError,
    HTTPError,
    NameResolutionError,
    NewConnectionError,
    ProxyError,
    SSLError,
)
from urllib3.exceptions import (
    TimeoutError as Urllib3TimeoutError,
)
from urllib3.util import Retry, Timeout

from handle_system import __version__
from handle_system.answer import Answer, NoAnswer
from handle_system.errors import showable
from handle_system.http_settings import HttpSettings, find_proxy
from handle_system.innermost import innermost
from handle_system.tls import tls_context
from handle_system.unpacking import LARGEST_BODY, BodyError, unpacked

__all__ = ["Transport"]

DEFAULT_USER_AGENT = f"handle-system/{__version__}"
_MOST_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Connections that are kept for the next request; how many are open at once is
# decided by how many threads ask.
_KEPT_CONNECTIONS = 256
# Made once: else each request makes its own.
_NO_RETRIES = Retry(total=False, redirect=False)
# A host that does not take the call in this time will not do so in more.
_LONGEST_CONNECT = 5.0


class Transport:
    """Asks one HTTP server, over connections that are kept open.

    Safe to be used by many threads; none is started here.
    """

    def __init__(self, base_url: str, settings: HttpSettings) -> None:
        parts = urlsplit(base_url)
        self._path = parts.path
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._host = parts.hostname
        self._timeout = settings.timeout
        self._timeouts = Timeout(
            connect=min(settings.timeout, _LONGEST_CONNECT), read=settings.timeout
        )
        self._headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": settings.user_agent or DEFAULT_USER_AGENT,
        }
        proxy, credentials = _split_credentials(
            find_proxy(self._origin, settings.environment)
        )
        options: dict[str, Any] = {"maxsize": _KEPT_CONNECTIONS, "block": False}
        if "https://" in f"{self._origin} {proxy}":
            options["ssl_context"] = tls_context(self._origin, settings)
        if proxy is None:
            self._pools = urllib3.PoolManager(**options)
        else:
            self._pools = _through(proxy, credentials, options)
        self._pool = self._pools.connection_from_url(self._origin)
        self._pool.ConnectionCls = _connection_class(
            self._pool.ConnectionCls, verify=settings.tls_verify
        )
        # An HTTP proxy wants the whole address of what it forwards unencrypted.
        forwarded = proxy is not None and parts.scheme == "http"
        self._target_base = self._origin if forwarded else ""

    def get(self, path: str) -> Answer | NoAnswer:
        """Fetch a path below the base; trouble is a `NoAnswer`."""
        _deadline.at = time.monotonic() + self._timeout
        target = self._path + path
        for _ in range(_MOST_REDIRECTS):
            try:
                reply = self._fetch(target)
                if reply.status not in _REDIRECTS or "Location" not in reply.headers:
                    return reply.answer()
            except BodyError as error:
                return NoAnswer(str(error), again=False)
            except (HTTPError, HTTPException, OSError, ValueError) as error:
                return self._no_answer(error)
            location = reply.headers["Location"]
            target = location.removeprefix(self._origin)
            if not target.startswith("/") or target.startswith("//"):
                where = showable(location[:200])
                return NoAnswer(f"it redirects elsewhere, to {where}", again=False)
        return NoAnswer("it redirects in circles", again=False)

    def close(self) -> None:
        """Close the connections that are kept."""
        self._pool.close()
        self._pools.clear()

    def _fetch(self, target: str) -> "_Reply":
        reply: Any = self._pool.urlopen(
            "GET",
            self._target_base + target,
            headers=self._headers,
            retries=_NO_RETRIES,
            redirect=False,
            assert_same_host=False,
            timeout=self._timeouts,
            release_conn=True,
        )
        found: _Reply = reply
        return found

    def _no_answer(self, error: Exception) -> NoAnswer:
        match error:
            case NameResolutionError():
                reason = f"the name of the host {self._host} is not known"
            case ClosedPoolError():
                return NoAnswer("not asked: the resolver is closed", again=False)
            case SSLError():
                return NoAnswer(f"TLS: {innermost(error)}", again=False)
            case ProxyError():
                reason = f"through the HTTP proxy: {innermost(error)}"
            case NewConnectionError():
                reason = f"no connection to {self._host}: {innermost(error)}"
            case Urllib3TimeoutError() | TimeoutError():
                reason = f"no answer within {self._timeout:g} s"
            case _:
                reason = f"the connection broke: {innermost(error)}"
        return NoAnswer(reason, again=True)


def _through(
    proxy: str, credentials: str | None, options: dict[str, Any]
) -> urllib3.ProxyManager:
    headers = urllib3.make_headers(proxy_basic_auth=credentials)
    try:
        return urllib3.ProxyManager(
            proxy,
            proxy_headers=headers,
            proxy_ssl_context=options.get("ssl_context"),
            **options,
        )
    except (AssertionError, ValueError) as error:
        raise ValueError(
            f"the proxy {proxy} cannot be used: only http and https proxies can"
        ) from error


def _split_credentials(proxy: str | None) -> tuple[str | None, str | None]:
    if proxy is None:
        return None, None
    parts = urlsplit(proxy)
    userinfo, at, host = parts.netloc.rpartition("@")
    bare = urlunsplit((parts.scheme, host, "", "", ""))
    return bare, unquote(userinfo) if at else None


# A request is made by one thread from beginning to end.
_deadline = threading.local()


class _DeadlineReader(io.RawIOBase):
    """A socket's octets, until the request's time is up."""

    def __init__(self, raw: io.RawIOBase, sock: Any) -> None:
        self._raw = raw
        self._sock = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = _deadline.at - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class _DeadlineResponse(HTTPResponse):
    """The standard library's response, reading through a `_DeadlineReader`."""

    def __init__(self, sock: Any, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp = io.BufferedReader(_DeadlineReader(self.fp.detach(), sock))


class _Reply:
    """A response that has been read; what a pool looks at is there, too."""

    version = 11
    version_string = "HTTP/1.1"
    length_remaining = 0
    retries: Any = None

    def __init__(self, status: int, headers: HTTPMessage, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self._body = body

    def answer(self) -> Answer:
        """What was received, unpacked."""
        headers = self.headers
        return Answer(
            status=self.status,
            content_type=headers.get("Content-Type", ""),
            body=unpacked(self._body, headers.get("Content-Encoding", "")),
            retry_after=headers.get("Retry-After"),
        )


def _read(connection: HTTPConnection) -> _Reply:
    """Read the response that a connection is to give, to its end."""
    response = StandardConnection.getresponse(connection)
    with response:
        body = response.read(LARGEST_BODY + 1)
        if len(body) > LARGEST_BODY:
            # Whatever else comes belongs to this response.
            connection.close()
            raise BodyError.too_large()
        if response.length:
            # A read of so many octets at most does not mind an early end.
            raise IncompleteRead(body, response.length)
    return _Reply(response.status, response.headers, body)


class _PlainConnection(HTTPConnection):
    response_class = _DeadlineResponse

    def getresponse(self) -> Any:
        return _read(self)


class _TlsConnection(HTTPSConnection):
    response_class = _DeadlineResponse

    def getresponse(self) -> Any:
        return _read(self)


class _UnverifiedTlsConnection(_TlsConnection):
    """As asked for by the user, who need not be warned at each connection."""

    def connect(self) -> None:
        super().connect()
        # Else urllib3 warns through `warnings`, which cannot be silenced for
        # one thread, and which a build may have turned into errors.
        self.is_verified = True


def _connection_class(usual: Any, *, verify: bool) -> Any:
    if not issubclass(usual, HTTPSConnection):
        return _PlainConnection
    return _TlsConnection if verify else _UnverifiedTlsConnection
