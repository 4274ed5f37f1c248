"""HTTP on urllib3's own pools: connections, HTTP proxies, certificates.

Three things are added to urllib3.  A redirect is followed only on the same host, never
from https to http.  A request has one deadline for everything: urllib3's read time-out
begins anew with each octet, so a thread of this module, the watchdog, shuts the
connection of a request down whose time is up.  And the size of a body is limited, of a
compressed one as well.

The environment is read where the standard library and OpenSSL read it: ``HTTP_PROXY``,
``HTTPS_PROXY``, ``ALL_PROXY``, ``NO_PROXY`` (`urllib.request.getproxies`);
``REQUESTS_CA_BUNDLE`` and ``CURL_CA_BUNDLE``, else ``SSL_CERT_FILE`` and
``SSL_CERT_DIR`` (`ssl.create_default_context`).
"""

import os
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import (
    HTTPError,
    InvalidHeader,
    LocationValueError,
    NewConnectionError,
    ProxyError,
    SSLError,
)
from urllib3.exceptions import TimeoutError as Urllib3TimeoutError
from urllib3.util import Retry, Timeout

from handle_system import __version__
from handle_system.errors import brief, showable
from handle_system.resolving import DEFAULT_TIMEOUT
from handle_system.resolving.rest_api import Answer, NoAnswerError, Reading

__all__ = ["HttpClient", "HttpSettings", "UnusableSettingError"]

T = TypeVar("T")

#: Octets of a body.  The reference server's limit for one message is 262,144, before
#: base64 (4/3) and the escapes of JSON (up to 6).
LARGEST_BODY = 2 * 1024 * 1024
# Seconds.  A host that does not accept a connection by then will not do so later.
_LONGEST_CONNECT = 5.0
_MOST_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NO_RETRIES = Retry(total=False, redirect=False)
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
# Seconds between two looks of the watchdog.
_LOOK = 0.2


class UnusableSettingError(ValueError):
    """A setting that cannot be followed.

    The message begins with the name of the setting: of an attribute of `HttpSettings`,
    or of a variable of the environment.
    """

    def __init__(self, setting: str, reason: str) -> None:
        super().__init__(f"{setting}: {reason}")


_TROUBLE = (NoAnswerError, HTTPError, HTTPException, OSError, ValueError, zlib.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """The settings for HTTP.

    Attributes:
        timeout: Seconds for one request, from the name's look-up to the last octet.
        user_agent: Replaces the name and version of this library.
        tls_verify: Whether certificates are checked.
        tls_cacerts: A file or folder of authorities to trust, or one for each host;
            `None` for those of the environment, else of the system.

    Raises:
        UnusableSettingError: when a user agent cannot be sent.
    """

    timeout: float = DEFAULT_TIMEOUT
    user_agent: str = ""
    tls_verify: bool = True
    tls_cacerts: str | os.PathLike[str] | Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        agent = self.user_agent
        if not agent.isprintable() or any(ord(each) > 0xFF for each in agent):
            reason = f"{agent!r} cannot be sent: it is not printable Latin-1"
            raise UnusableSettingError("user_agent", reason)


class HttpClient:
    """Sends GET requests to one server, over connections that it keeps open.

    Safe for many threads.

    Raises:
        UnusableSettingError: when certificates or an HTTP proxy cannot be used.
    """

    def __init__(
        self, base_url: str, settings: HttpSettings, *, connections: int = 256
    ) -> None:
        self._settings = settings
        self._host = urlsplit(base_url).hostname or ""
        proxy = _http_proxy(base_url)
        self._first_host = self._host if proxy is None else proxy.hostname or ""
        self._is_found = False
        options: dict[str, Any] = {
            "maxsize": connections,
            "retries": _NO_RETRIES,
            # Also for http, for a server may redirect to https.
            "ssl_context": tls_context(self._host, settings),
            "headers": {
                "Accept": "application/json",
                "Accept-Encoding": "identity",
                "User-Agent": settings.user_agent or f"handle-system/{__version__}",
            },
        }
        if not settings.tls_verify:
            # The user chose this, and need not be warned at each connection.
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        if proxy is None:
            self._pools = urllib3.PoolManager(**options)
        else:
            userinfo, at, bare = proxy.netloc.rpartition("@")
            self._pools = urllib3.ProxyManager(
                f"{proxy.scheme}://{bare}",
                proxy_headers=urllib3.make_headers(
                    proxy_basic_auth=unquote(userinfo) if at else None
                ),
                proxy_ssl_context=options["ssl_context"],
                **options,
            )
        self._pools.pool_classes_by_scheme = {"http": _HTTPPool, "https": _HTTPSPool}
        self._timeouts = Timeout(connect=_LONGEST_CONNECT, read=settings.timeout)

    def get(self, url: str, read: Callable[[Answer], Reading]) -> Reading:
        """Fetch an address on the server, and read the answer.

        Args:
            url: The address.
            read: Reads the answer.  After one that is not the protocol's the
                connection is not used again: its next octets may belong to that answer.

        Raises:
            NoAnswerError: when no answer came, or none that can be read.
        """
        deadline = time.monotonic() + self._settings.timeout
        try:
            self._find_host()
            _WATCHDOG.begin(deadline)
            for _ in range(_MOST_REDIRECTS):
                reply = self._pools.request(
                    "GET",
                    url,
                    redirect=False,
                    preload_content=False,
                    timeout=self._timeouts,
                )
                with reply:
                    answer = _read(reply)
                if time.monotonic() >= deadline:
                    raise TimeoutError
                location = reply.headers.get("Location")
                if reply.status not in _REDIRECTS or location is None:
                    reading = read(answer)
                    if not reading.is_protocol:
                        _WATCHDOG.distrust()
                    return reading
                url = _redirected(url, location)
            raise NoAnswerError("it redirects in circles", again=False)
        except _TROUBLE as error:
            # The watchdog shut the connection down: the kind of error is an accident.
            is_late = time.monotonic() >= deadline
            raise self._no_answer(TimeoutError() if is_late else error) from error
        finally:
            _WATCHDOG.end()

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._pools.clear()

    def _find_host(self) -> None:
        """Look the host up, at first, in a thread: `socket` knows no time-out for it.

        The addresses of a host share the time for connecting.
        """
        if self._is_found:
            return
        timeout = self._settings.timeout
        found = within(timeout, lambda: socket.getaddrinfo(self._first_host, None))
        connect = min(_LONGEST_CONNECT, timeout / len({each[4] for each in found}))
        self._timeouts = Timeout(connect=connect, read=timeout)
        self._is_found = True

    def _no_answer(self, error: Exception) -> NoAnswerError:
        match error:
            case NoAnswerError():
                return error
            case SSLError():
                return NoAnswerError(f"TLS: {_innermost(error)}", again=False)
            case ProxyError():
                reason = f"through the HTTP proxy: {_innermost(error)}"
            case NewConnectionError() | socket.gaierror():
                reason = f"no connection to {self._host}: {_innermost(error)}"
            case Urllib3TimeoutError() | TimeoutError():
                reason = f"no answer within {self._settings.timeout:g} s"
            case zlib.error():
                reason = "the answer is not compressed as it says"
                return NoAnswerError(reason, again=False)
            case _:
                reason = f"the connection broke: {_innermost(error)}"
        return NoAnswerError(reason, again=True)


def _read(reply: urllib3.BaseHTTPResponse) -> Answer:
    """The answer, with its body unpacked and of a limited size.

    No compression is asked for; a cache on the way may compress all the same.
    """
    body = reply.read(LARGEST_BODY + 1, decode_content=False)
    if len(body) <= LARGEST_BODY and getattr(reply, "length_remaining", None):
        raise NoAnswerError("the answer is cut", again=True)
    coding = reply.headers.get("Content-Encoding", "identity").strip().lower()
    if coding in {"gzip", "x-gzip", "deflate"}:
        unpacker = zlib.decompressobj(_GZIP_OR_ZLIB)
        body = unpacker.decompress(body, LARGEST_BODY + 1)
        if len(body) <= LARGEST_BODY and not unpacker.eof:
            raise NoAnswerError("the answer is cut", again=True)
    elif coding not in {"", "identity"}:
        raise NoAnswerError(f"the answer is encoded as {brief(coding)}", again=False)
    if len(body) > LARGEST_BODY:
        reason = f"the answer is larger than {LARGEST_BODY:,} octets"
        raise NoAnswerError(reason, again=False)
    seconds = None
    with suppress(InvalidHeader, ValueError, OverflowError):
        seconds = Retry().get_retry_after(reply)
    content_type = reply.headers.get("Content-Type", "")
    return Answer(reply.status, content_type, body, seconds)


def _redirected(url: str, location: str) -> str:
    """The address of a redirect.

    Raises:
        NoAnswerError: when it is on another host, or leaves TLS.
    """
    target = urljoin(url, location)
    old, new = urlsplit(url), urlsplit(target)
    is_upgrade = (old.scheme, new.scheme) == ("http", "https")
    is_same = old[:2] == new[:2] or (is_upgrade and old.hostname == new.hostname)
    if not is_same or location.startswith("//"):
        reason = f"it redirects elsewhere, to {showable(location[:200])}"
        raise NoAnswerError(reason, again=False)
    return target


def _http_proxy(base_url: str) -> Any:
    """The HTTP proxy on the way to a server, as `urlsplit` reads it, or `None`.

    Raises:
        UnusableSettingError: when it cannot be used.  The message does not show it,
            for it may hold a password.
    """
    parts = urlsplit(base_url)
    proxies = getproxies()
    name = parts.scheme if parts.scheme in proxies else "all"
    if name not in proxies or proxy_bypass(parts.netloc):
        return None
    written = proxies[name]
    try:
        proxy = urlsplit(written if "://" in written else f"http://{written}")
        is_usable = proxy.scheme in {"http", "https"} and proxy.port != 0
        urllib3.util.parse_url(proxy.geturl())
    except (ValueError, LocationValueError):
        is_usable = False
    if not is_usable or not proxy.hostname:
        reason = "it is not the address of an http or https proxy"
        raise UnusableSettingError(f"{name.upper()}_PROXY", reason)
    return proxy


def tls_context(host: str, settings: HttpSettings) -> ssl.SSLContext:
    """The TLS context for a server.

    Raises:
        UnusableSettingError: when the authorities to trust cannot be read.
    """
    chosen = settings.tls_cacerts
    trusted = chosen.get(host) if isinstance(chosen, Mapping) else chosen
    name = "tls_cacerts"
    if not trusted:
        name = next(filter(os.environ.get, _BUNDLES), "")
        trusted = os.environ.get(name)
    if not settings.tls_verify:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    if not trusted:
        paths = ssl.get_default_verify_paths()
        # A slim container may have no authorities of its own.
        if not (paths.cafile or paths.capath) and find_spec("certifi") is not None:
            import certifi  # noqa: PLC0415 (it need not be installed)

            return ssl.create_default_context(cafile=certifi.where())
        return ssl.create_default_context()
    try:
        if Path(trusted).is_dir():
            return ssl.create_default_context(capath=trusted)
        return ssl.create_default_context(cafile=trusted)
    except OSError as error:
        reason = f"{os.fspath(trusted)} cannot be used: {error.strerror or error}"
        raise UnusableSettingError(name, reason) from error


def _innermost(error: BaseException) -> str:
    """The message of the first error, where others are wrapped around it."""
    held = (*error.args, error.__cause__, error.__context__)
    inner = next((each for each in held if isinstance(each, Exception)), None)
    if inner is not None and inner is not error:
        return _innermost(inner)
    said = getattr(error, "strerror", None) or str(error)
    return showable(said[:200]) or type(error).__name__


def within(seconds: float, action: Callable[[], T]) -> T:
    """Run `action` in a thread of its own, which is abandoned when its time is up.

    Raises:
        TimeoutError: when its time is up.
        OSError: from `action`.
    """
    results: SimpleQueue[T | OSError] = SimpleQueue()

    def run() -> None:
        try:
            results.put(action())
        except OSError as error:
            results.put(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        result = results.get(timeout=seconds)
    except Empty:
        raise TimeoutError from None
    if isinstance(result, OSError):
        raise result
    return result


class _Watchdog:
    """Shuts the connections of requests down whose time is up.

    Each thread makes one request at a time: `begin`, `watch` its connection, `end`.
    """

    def __init__(self) -> None:
        self._requests: dict[int, tuple[float, _Watched | None]] = {}
        self._lock = threading.Lock()
        self._is_running = False

    def begin(self, deadline: float) -> None:
        """Note that this thread begins a request."""
        self._requests[threading.get_ident()] = (deadline, None)
        with self._lock:
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, daemon=True).start()

    def watch(self, connection: "_Watched") -> None:
        """Note the connection that this thread's request goes over."""
        request = self._requests.get(threading.get_ident())
        if request is not None:
            self._requests[threading.get_ident()] = (request[0], connection)

    def distrust(self) -> None:
        """Keep the connection of this thread's request from being used again."""
        _, connection = self._requests[threading.get_ident()]
        if connection is not None:
            connection.is_trusted = False

    def end(self) -> None:
        """Note that this thread's request is over."""
        self._requests.pop(threading.get_ident(), None)

    def _run(self) -> None:
        while True:
            time.sleep(_LOOK)
            with self._lock:
                if not self._requests:
                    self._is_running = False
                    return
            for deadline, connection in list(self._requests.values()):
                if connection is not None and time.monotonic() >= deadline:
                    with suppress(OSError, AttributeError):
                        connection.sock.shutdown(socket.SHUT_RDWR)


_WATCHDOG = _Watchdog()


class _Watched(HTTPConnection):
    """A connection whose answer must come before the request's deadline."""

    is_trusted = True

    def getresponse(self) -> Any:
        _WATCHDOG.watch(self)
        return super().getresponse()

    @property
    def is_connected(self) -> bool:
        # A pool asks before it uses a connection again.
        return self.is_trusted and super().is_connected

    def close(self) -> None:
        self.is_trusted = True
        super().close()


class _WatchedTls(_Watched, HTTPSConnection):
    """The same over TLS."""


class _HTTPPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Watched


class _HTTPSPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _WatchedTls
