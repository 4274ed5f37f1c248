"""HTTP: the only module that opens a connection, and the only one with urllib3.

It is loaded when the first proxy resolver is made, and urllib3 with it, so that
`import handle_system` stays free of both.

Why urllib3 and not requests, which stands on it: for one request it takes
0.4 × the processor time, and a build shares its interpreter with this.  Why not
`http.client` alone: pools that notice a dropped connection, HTTP proxies,
tunnels and TLS through them are there, kept and tested by others.

Three things are done here that urllib3 leaves to its caller:

- One deadline for a whole request.  A socket's time-out begins anew with each
  octet, so a server that drips one a second would hold a thread for as long as
  it likes; here each read is given only what is left of the request's time.
- Size.  No compression is asked for, an answer being some 500 octets; what is
  compressed all the same is unpacked up to the cap and no further.
- The path goes out as it was encoded.  `PoolManager` takes dot segments out of
  it, which belong to a handle; a pool that is asked directly leaves them.
"""

import io
import threading
import time
import zlib
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit, urlunsplit

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import (
    HTTPError,
    NameResolutionError,
    NewConnectionError,
    ProxyError,
    SSLError,
)
from urllib3.exceptions import (
    TimeoutError as Urllib3TimeoutError,
)
from urllib3.util import Timeout

from handle_system import __version__
from handle_system.errors import showable
from handle_system.http_settings import HttpSettings, find_proxy
from handle_system.rest_api import Answer
from handle_system.tls import tls_context

if TYPE_CHECKING:
    from urllib3.response import BaseHTTPResponse

__all__ = ["NoAnswer", "Transport"]

DEFAULT_USER_AGENT = f"handle-system/{__version__}"
# The reference server's own limit for one message is 262,144 octets, before
# base64 (4/3) and the escapes of JSON (up to 6); beyond this is no record.
LARGEST_BODY = 2 * 1024 * 1024
_MOST_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Connections that are kept for the next request; how many are open at once is
# decided by how many threads ask.
_KEPT_CONNECTIONS = 256
# A host that does not take the call in this time will not do so in more.
_LONGEST_CONNECT = 5.0


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why there is no HTTP answer.

    Attributes:
        reason: In a few words, without a full stop.
        again: Whether the same request may go better a moment later.
    """

    reason: str
    again: bool


class Transport:
    """Asks one HTTP server, over connections that are kept open.

    Safe to be used by many threads; none is started here.
    """

    def __init__(self, base_url: str, settings: HttpSettings) -> None:
        parts = urlsplit(base_url)
        self._path = parts.path if parts.path.endswith("/") else f"{parts.path}/"
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._timeout = settings.timeout
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
        pools: urllib3.PoolManager
        if proxy is None:
            pools = urllib3.PoolManager(**options)
        else:
            headers = urllib3.make_headers(proxy_basic_auth=credentials)
            pools = urllib3.ProxyManager(proxy, proxy_headers=headers, **options)
        self._pools = pools
        self._pool = pools.connection_from_url(self._origin)
        verified = settings.tls_verify
        self._pool.ConnectionCls = _connection_class(self._pool.ConnectionCls, verified)
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
            except (HTTPError, HTTPException, OSError, ValueError) as error:
                return self._no_answer(error)
            if not isinstance(reply, str):
                return reply
            location = reply
            if not location.startswith(f"{self._origin}/"):
                if not location.startswith("/") or location.startswith("//"):
                    where = showable(location[:200])
                    return NoAnswer(f"it redirects elsewhere, to {where}", again=False)
                target = location
            else:
                target = location[len(self._origin) :]
        return NoAnswer("it redirects in circles", again=False)

    def close(self) -> None:
        """Close the connections that are kept."""
        self._pool.close()
        self._pools.clear()

    def _fetch(self, target: str) -> Answer | NoAnswer | str:
        """An answer, or where it redirects to."""
        response = self._pool.urlopen(
            "GET",
            self._target_base + target,
            headers=self._headers,
            retries=False,
            redirect=False,
            assert_same_host=False,
            timeout=Timeout(
                connect=min(self._timeout, _LONGEST_CONNECT), read=self._timeout
            ),
            preload_content=False,
            decode_content=False,
        )
        if response.status in _REDIRECTS and "Location" in response.headers:
            response.close()
            return response.headers["Location"]
        body = _read(response)
        if isinstance(body, NoAnswer):
            response.close()
            return body
        return Answer(
            status=response.status,
            content_type=response.headers.get("Content-Type", ""),
            body=body,
            retry_after=response.headers.get("Retry-After"),
        )

    def _no_answer(self, error: Exception) -> NoAnswer:
        host = urlsplit(self._origin).hostname
        match error:
            case NameResolutionError():
                return NoAnswer(f"the name of the host {host} is not known", again=True)
            case SSLError():
                return NoAnswer(f"TLS: {_root(error)}", again=False)
            case ProxyError():
                return NoAnswer(f"through the HTTP proxy: {_root(error)}", again=True)
            case NewConnectionError():
                return NoAnswer(f"no connection to {host}: {_root(error)}", again=True)
            case Urllib3TimeoutError() | TimeoutError():
                return NoAnswer(f"no answer within {self._timeout:g} s", again=True)
            case _:
                return NoAnswer(f"the connection broke: {_root(error)}", again=True)


def _read(response: "BaseHTTPResponse") -> bytes | NoAnswer:
    body = response.read(LARGEST_BODY + 1, decode_content=False)
    if len(body) > LARGEST_BODY:
        return NoAnswer(
            f"its answer is larger than {LARGEST_BODY:,} octets", again=False
        )
    coding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if coding in {"identity", ""}:
        return body
    if coding not in {"gzip", "x-gzip", "deflate"}:
        return NoAnswer(
            f"its answer is encoded as {showable(coding[:40])}", again=False
        )
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)
    try:
        unpacked = unpacker.decompress(body, LARGEST_BODY + 1)
    except zlib.error:
        return NoAnswer("its answer is not compressed as it says", again=False)
    if len(unpacked) > LARGEST_BODY:
        return NoAnswer(
            f"its answer is larger than {LARGEST_BODY:,} octets", again=False
        )
    return unpacked


def _root(error: BaseException) -> str:
    """What the innermost error says, without the objects it says it about."""
    seen = error
    while True:
        inner = seen.__cause__ or seen.__context__
        held = next((each for each in seen.args if isinstance(each, Exception)), None)
        if held is None and inner is None:
            break
        seen = held or inner  # type: ignore[assignment]
    if isinstance(seen, OSError) and seen.strerror:
        return showable(seen.strerror[:200])
    return showable(str(seen)[:200]) or type(seen).__name__


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
    """`http.client`'s response, reading through a `_DeadlineReader`."""

    def __init__(self, sock: Any, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp = io.BufferedReader(_DeadlineReader(self.fp.detach(), sock))


class _PlainConnection(HTTPConnection):
    response_class = _DeadlineResponse


class _TlsConnection(HTTPSConnection):
    response_class = _DeadlineResponse


class _UnverifiedTlsConnection(_TlsConnection):
    """As asked for by the user, who need not be warned at each connection."""

    def connect(self) -> None:
        super().connect()
        # Else urllib3 warns through `warnings`, which cannot be silenced for
        # one thread, and which a build may have turned into errors.
        self.is_verified = True


def _connection_class(usual: Any, verified: bool) -> Any:  # noqa: FBT001 (private)
    if not issubclass(usual, HTTPSConnection):
        return _PlainConnection
    return _TlsConnection if verified else _UnverifiedTlsConnection
