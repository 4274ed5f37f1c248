"""HTTP on urllib3's own pools: connections, HTTP proxies, certificates.

Three things are added to urllib3.  A redirect is followed only on the same host, never
from https to http.  The octets of an answer share one time-out, where urllib3's begins
anew with each of them.  And the size of a body is limited, of a compressed one as well.

The environment is read where the standard library and OpenSSL read it: ``HTTP_PROXY``,
``HTTPS_PROXY``, ``ALL_PROXY``, ``NO_PROXY`` (`urllib.request.getproxies`);
``REQUESTS_CA_BUNDLE`` and ``CURL_CA_BUNDLE``, else ``SSL_CERT_FILE`` and
``SSL_CERT_DIR`` (`ssl.create_default_context`).
"""

import io
import os
import re
import socket
import ssl
import time
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPException, HTTPResponse
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.exceptions import (
    DecodeError,
    HTTPError,
    InvalidHeader,
    LocationValueError,
    NewConnectionError,
    ProxyError,
    ProxySchemeUnknown,
    SSLError,
)

from handle_system import __version__
from handle_system.errors import brief, showable
from handle_system.resolving import HttpSettings, HttpSettingsError
from handle_system.resolving.rest_api import LARGEST_BODY, Answer, NoAnswerError

# Crossref's headers: so many requests in so many seconds.
_INTERVAL = re.compile("([0-9]{1,6})s", re.ASCII)
# Reads the header Retry-After.
_RETRY = urllib3.Retry()


class HttpClient:
    """Sends GET requests to one server, over connections that it keeps open.

    Safe for many threads.

    Raises:
        HttpSettingsError: when certificates or an HTTP proxy cannot be used.
    """

    def __init__(self, base_url: str, settings: HttpSettings) -> None:
        self._timeout = settings.timeout
        parts = urlsplit(base_url)
        self._host = parts.hostname or ""
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._pools = _pools(base_url, settings)
        self._pools.pool_classes_by_scheme = {"http": _HTTPPool, "https": _HTTPSPool}
        self._pool: urllib3.HTTPConnectionPool | None = None
        self._connect_timeout: float | None = None

    def get(
        self,
        url: str,
        *,
        accept: str = "application/json",
        follows_redirects: bool = True,
        largest: int = LARGEST_BODY,
    ) -> Answer:
        """Fetch an address on the server.

        Args:
            url: The address.
            accept: The media type to ask for.
            follows_redirects: Whether a redirect on the same host is followed; if not,
                it is the answer.
            largest: The octets that a body has at most.

        Raises:
            NoAnswerError: when no answer came, or none that can be read.
        """
        deadline = time.monotonic() + self._timeout
        try:
            if self._connect_timeout is None:
                nearest = getattr(self._pools.proxy, "host", self._host)
                addresses = addresses_of(nearest, None, self._timeout)
                # They are tried one after another.  One that does not accept a
                # connection within five seconds will not do so later.
                self._connect_timeout = min(5.0, self._timeout / len(addresses))
            for _ in range(3):
                left = max(deadline - time.monotonic(), 0.001)
                with self._send(url, accept, left) as reply:
                    answer = _read(reply, largest)
                    location = reply.get_redirect_location()
                if not location:
                    return answer
                if not follows_redirects:
                    return replace(answer, location=location)
                url = _redirected(url, location)
        except (HTTPError, HTTPException, OSError, ValueError) as error:
            raise self._no_answer(error) from error
        raise NoAnswerError("it redirects in circles", again=False)

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._pool = None
        self._pools.clear()

    def _send(self, url: str, accept: str, seconds: float) -> urllib3.BaseHTTPResponse:
        """Send a request; the answer, whose body is not read yet."""
        options: dict[str, Any] = {
            "headers": {**self._pools.headers, "Accept": accept},
            "redirect": False,
            "preload_content": False,
            "timeout": urllib3.Timeout(total=seconds, connect=self._connect_timeout),
        }
        path = url.removeprefix(self._origin)
        if self._pools.proxy is not None or not path.startswith("/"):
            return self._pools.urlopen("GET", url, **options)
        # Nearly all requests go to one server: its pool is looked up once.
        pool = self._pool
        if pool is None:
            pool = self._pools.connection_from_url(self._origin)
            self._pool = pool
        return pool.urlopen("GET", path, **options)

    def _no_answer(self, error: Exception) -> NoAnswerError:
        match error:
            case SSLError():
                return NoAnswerError(f"TLS: {_innermost(error)}", again=False)
            case DecodeError():
                reason = "the answer is not compressed as it says"
                return NoAnswerError(reason, again=False)
            case ProxyError():
                reason = f"through the HTTP proxy: {_innermost(error)}"
            case NewConnectionError() | socket.gaierror():
                reason = f"no connection to {self._host}: {_innermost(error)}"
            case urllib3.exceptions.TimeoutError() | TimeoutError():
                reason = f"no answer within {self._timeout:g} s"
            case _:
                reason = f"the connection broke: {_innermost(error)}"
        return NoAnswerError(reason, again=True)


def addresses_of(host: str, port: int | None, timeout: float) -> list[Any]:
    """The addresses of a host, as `socket.getaddrinfo` gives them, each once.

    That function knows no time-out, so it runs in a thread, which is abandoned when the
    time is up.

    Raises:
        OSError: when the name is not known; `TimeoutError` when the time is up.
    """
    addresses: Future[list[Any]] = Future()

    def look_up() -> None:
        try:
            resolved = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses.set_result(resolved)
        except OSError as error:
            addresses.set_exception(error)
        except ValueError as error:
            # No name of a host, such as one with a label of 64 octets.
            addresses.set_exception(OSError(str(error)))

    Thread(target=look_up, daemon=True).start()
    return addresses.result(timeout)


def _read(reply: urllib3.BaseHTTPResponse, largest: int) -> Answer:
    """The answer, with its body unpacked and of a limited size.

    No compression is asked for; a cache on the way may compress all the same.
    """
    coding = reply.headers.get("Content-Encoding", "").strip().lower()
    if coding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
        raise NoAnswerError(f"the answer is encoded as {brief(coding)}", again=False)
    is_packed = coding not in {"", "identity"}
    body = b""
    # So many octets, before they are unpacked.
    while part := reply.read(16 * 1024, decode_content=is_packed):
        body += part
        if len(body) > largest:
            reason = f"the answer is larger than {largest:,} bytes"
            raise NoAnswerError(reason, again=False)
        if not is_packed and reply.length_remaining == 0:
            break
    answer = Answer(
        reply.status,
        reply.headers.get("Content-Type", ""),
        body,
        rate=_rate(reply.headers),
    )
    with suppress(InvalidHeader, ValueError, OverflowError):
        seconds = _RETRY.get_retry_after(reply)
        return answer if seconds is None else replace(answer, retry_after=seconds)
    return answer


def _rate(headers: Mapping[str, str]) -> float | None:
    """The requests a second that a server allows, as Crossref's headers say it."""
    interval = _INTERVAL.fullmatch(headers.get("X-Rate-Limit-Interval", ""))
    if interval is None:
        return None
    count = headers.get("X-Rate-Limit-Limit", "")
    if not re.fullmatch("[0-9]{1,6}", count, re.ASCII):
        return None
    seconds = int(interval[1])
    return int(count) / seconds if seconds else None


def _redirected(url: str, location: str) -> str:
    """The address of a redirect.

    Parsers differ in where a host ends, so urllib3 reads it, which connects to it.

    Raises:
        NoAnswerError: when it is on another host, or leaves TLS.
    """
    elsewhere = NoAnswerError(
        f"it redirects elsewhere, to {showable(location[:200])}", again=False
    )
    if "\\" in location:
        # Browsers read a backslash as a slash, and other clients do not.
        raise elsewhere
    try:
        target = urljoin(url, location)
        old = urllib3.util.parse_url(url)
        new = urllib3.util.parse_url(target)
    except ValueError as error:
        raise elsewhere from error
    is_upgrade = (old.scheme, new.scheme) == ("http", "https")
    is_same_host = old.host == new.host and new.auth is None
    is_same_server = (old.scheme, _port_of(old)) == (new.scheme, _port_of(new))
    if not (is_same_host and (is_same_server or is_upgrade)):
        raise elsewhere
    return target


def _port_of(url: urllib3.util.Url) -> int | None:
    return url.port or {"http": 80, "https": 443}.get(url.scheme or "")


def _pools(base_url: str, settings: HttpSettings) -> urllib3.PoolManager:
    """The pools for a server, through the HTTP proxy of the environment if it has one.

    Raises:
        HttpSettingsError: when certificates or that proxy cannot be used.  The message
            does not show the proxy, which may hold a password.
    """
    parts = urlsplit(base_url)
    options: dict[str, Any] = {
        "maxsize": 256,
        "retries": False,
        # Also for http, for a server may redirect to https.
        "ssl_context": tls_context(parts.hostname or "", settings),
        "headers": {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": settings.user_agent or f"handle-system/{__version__}",
        },
    }
    proxies = getproxies()
    name = parts.scheme if parts.scheme in proxies else "all"
    if name not in proxies or proxy_bypass(parts.netloc):
        return urllib3.PoolManager(**options)
    written = proxies[name]
    reason = "it is not the address of an http or https proxy"
    unusable = HttpSettingsError(f"{name.upper()}_PROXY: {reason}")
    try:
        proxy = urllib3.util.parse_url(
            written if "://" in written else f"http://{written}"
        )
        manager = urllib3.ProxyManager(
            proxy._replace(auth=None).url,
            proxy_headers=urllib3.make_headers(
                proxy_basic_auth=unquote(proxy.auth or "")
            ),
            proxy_ssl_context=options["ssl_context"],
            **options,
        )
    except (LocationValueError, ProxySchemeUnknown, UnicodeEncodeError) as error:
        raise unusable from error
    if not proxy.host:
        raise unusable
    return manager


def tls_context(host: str, settings: HttpSettings) -> ssl.SSLContext:
    """The TLS context for a server.

    Raises:
        HttpSettingsError: when the authorities to trust cannot be read.
    """
    if not settings.tls_verify:
        # The user chose this, and need not be warned at each connection.
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    chosen = settings.tls_cacerts
    trusted = chosen.get(host) if isinstance(chosen, Mapping) else chosen
    name = "tls_cacerts"
    if not trusted:
        variables = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
        name = next(filter(os.environ.get, variables), "")
        trusted = os.environ.get(name)
    paths = ssl.get_default_verify_paths()
    # A slim container may have no authorities of its own, nor has Python on macOS.
    if not (trusted or paths.cafile or paths.capath) and find_spec("certifi"):
        import certifi  # noqa: PLC0415 (it need not be installed)

        trusted = certifi.where()
    try:
        if trusted and Path(trusted).is_dir():
            return ssl.create_default_context(capath=trusted)
        return ssl.create_default_context(cafile=trusted)
    except OSError as error:
        reason = f"{trusted} cannot be used: {error.strerror or error}"
        raise HttpSettingsError(f"{name}: {reason}") from error


def _innermost(error: BaseException) -> str:
    """The message of the first error, where others are wrapped around it."""
    held = (*error.args, error.__cause__, error.__context__)
    inner = next((part for part in held if isinstance(part, Exception)), None)
    if inner is not None:
        return _innermost(inner)
    said = getattr(error, "strerror", None) or str(error)
    return showable(said[:200]) or type(error).__name__


class _TimedOctets(io.RawIOBase):
    """The octets of one answer, which share the time-out of their socket."""

    def __init__(self, connection: socket.socket, octets: io.RawIOBase) -> None:
        self._connection = connection
        self._octets = octets
        self._deadline: float | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        now = time.monotonic()
        if self._deadline is None:
            self._deadline = now + (self._connection.gettimeout() or 0.0)
        else:
            left = self._deadline - now
            if left <= 0:
                raise TimeoutError
            self._connection.settimeout(left)
        return self._octets.readinto(buffer)

    def close(self) -> None:
        self._octets.close()
        super().close()


class _TimedResponse(HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp = io.BufferedReader(_TimedOctets(sock, self.fp.detach()))


class _HTTPPool(urllib3.HTTPConnectionPool):
    class ConnectionCls(urllib3.connection.HTTPConnection):
        response_class = _TimedResponse


class _HTTPSPool(urllib3.HTTPSConnectionPool):
    class ConnectionCls(urllib3.connection.HTTPSConnection):
        response_class = _TimedResponse
