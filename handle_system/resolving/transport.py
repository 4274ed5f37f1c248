"""HTTP: who asks a server, over connections that urllib3 keeps.

What goes over them is the affair of `handle_system.resolving.connections`; these two are
the only modules with urllib3.  They are loaded when the first proxy resolver is
made, and urllib3 with them, so that `import handle_system` stays free of it.

Why urllib3 and not requests, which stands on it: for one request it takes
0.4 × the processor time, which is the build's, too.  Why not
`http.client` alone: pools that notice a dropped connection, HTTP proxies,
tunnels and TLS through them are there, kept and tested by others.

What urllib3 leaves to its caller is done here: proxies and certificates are
worked out, trouble becomes a value, and a path goes out as it was encoded.
`PoolManager` takes dot segments out of it, which belong to a handle; a pool that
is asked directly leaves them.
"""

from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from queue import Empty, Full
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

import urllib3
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
from handle_system.errors import showable
from handle_system.resolving.answer import Answer, NoAnswer
from handle_system.resolving.connections import (
    PlainConnection,
    begin_request,
    connection_class,
    written_request,
)
from handle_system.resolving.http_settings import HttpSettings, find_proxy
from handle_system.resolving.innermost import innermost
from handle_system.resolving.reply import Reply
from handle_system.resolving.tls import is_encrypted, tls_context
from handle_system.resolving.unpacking import BodyError, unpacked

__all__ = ["Transport"]

DEFAULT_USER_AGENT = f"handle-system/{__version__}"
_MOST_REDIRECTS = 3
# Connections that are kept for the next request; how many are open at once is
# decided by how many threads ask.
_KEPT_CONNECTIONS = 256
# Made once: else each request makes its own.
_NO_RETRIES = Retry(total=False, redirect=False)
# A host that does not take the call in this time will not do so in more.
_LONGEST_CONNECT = 5.0
_CLOSED = NoAnswer("not asked: the resolver is closed", again=False)


class Transport:
    """Asks one HTTP server, over connections that are kept open.

    Safe to be used by many threads; none is started here.
    """

    def __init__(self, base_url: str, settings: HttpSettings) -> None:
        parts = urlsplit(base_url)
        self._path = parts.path
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._host = parts.hostname
        #: For a whole request, in seconds.
        self.timeout = settings.timeout
        self._timeouts = Timeout(
            connect=min(settings.timeout, _LONGEST_CONNECT), read=settings.timeout
        )
        self._headers = {
            "Host": _host_header(parts),
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": settings.user_agent or DEFAULT_USER_AGENT,
        }
        proxy, credentials = _split_credentials(
            find_proxy(self._origin, settings.environment)
        )
        options: dict[str, Any] = {"maxsize": _KEPT_CONNECTIONS, "block": False}
        if is_encrypted(self._origin, proxy):
            options["ssl_context"] = tls_context(self._origin, settings)
        if proxy is None:
            self._pools = urllib3.PoolManager(**options)
        else:
            self._pools = _through(proxy, credentials, options)
        self._verify = settings.tls_verify
        # A pool is made for the first request: where everything is remembered
        # there is none, and making one takes as long as remembering hundreds.
        self._pool: urllib3.HTTPConnectionPool | None = None
        self._closed = False
        # An HTTP proxy wants the whole address of what it forwards unencrypted.
        forwarded = proxy is not None and parts.scheme == "http"
        self._target_base = self._origin if forwarded else ""
        if forwarded:
            # It is shown who asks with each request, and not as a tunnel is opened.
            self._headers |= urllib3.make_headers(proxy_basic_auth=credentials)

    def get(
        self,
        path: str,
        first: Callable[[], Reply] | None = None,
        seconds: float | None = None,
    ) -> Answer | NoAnswer:
        """Fetch a path below the base; trouble is a `NoAnswer`.

        Args:
            path: The path.
            first: Reads the first reply, where the request was made already.
            seconds: What is left of the time for it.
        """
        if self._closed:
            return _CLOSED
        begin_request(self.timeout if seconds is None else seconds)
        target = self._path + path
        for _ in range(_MOST_REDIRECTS):
            try:
                reply = self._fetch(target) if first is None else first()
                if not reply.redirects:
                    return _answer(reply)
            except BodyError as error:
                return NoAnswer(str(error), again=False)
            except (HTTPError, HTTPException, OSError, ValueError) as error:
                return self.no_answer(error)
            first = None
            location = reply.headers["location"]
            target = location.removeprefix(self._origin)
            if not target.startswith("/") or target.startswith("//"):
                where = showable(location[:200])
                return NoAnswer(f"it redirects elsewhere, to {where}", again=False)
        return NoAnswer("it redirects in circles", again=False)

    def take_connection(self) -> PlainConnection | None:
        """A connection that is open and that nobody uses; give it back."""
        # Looked at once: whoever closes it takes it away from under us.
        pool = None if self._pool is None else self._pool.pool
        while pool is not None:
            try:
                connection = pool.get(block=False)
            except Empty:
                break
            if connection is None:
                # A place for one; all that are open were put on top of these.
                with suppress(Full):
                    pool.put(None, block=False)
                break
            if connection.may_be_asked:
                found: PlainConnection = connection
                return found
            if connection.may_wait:
                self.give_back(connection)
                break
            connection.close()
        return None

    def give_back(self, connection: PlainConnection) -> None:
        """Leave a connection to whoever makes the next request."""
        pool = None if self._pool is None else self._pool.pool
        try:
            if pool is not None and not self._closed:
                pool.put(connection, block=False)
                return
        except Full:
            pass
        connection.close()

    def request(self, path: str) -> bytes:
        """The request for a path below the base, as it is written.

        Raises:
            ValueError: when it would hold what none can.
        """
        return written_request(
            "GET", f"{self._target_base}{self._path}{path}", self._headers
        )

    def answer_of(self, reply: Reply) -> Answer | NoAnswer:
        """What a reply that is no redirect brought."""
        try:
            return _answer(reply)
        except BodyError as error:
            return NoAnswer(str(error), again=False)

    def rest_of(self, connection: PlainConnection, received: bytes) -> Reply:
        """The reply of which some was received already; waits for the rest."""
        try:
            reply = connection.rest_of_reply(received)
        except BaseException:
            connection.close()
            raise
        self.give_back(connection)
        return reply

    def close(self) -> None:
        """Close the connections that are kept."""
        self._closed = True
        if self._pool is not None:
            self._pool.close()
        self._pools.clear()

    def _fetch(self, target: str) -> Reply:
        pool = self._pool or self._open_pool()
        reply: Any = pool.urlopen(
            "GET",
            self._target_base + target,
            headers=self._headers,
            retries=_NO_RETRIES,
            redirect=False,
            assert_same_host=False,
            timeout=self._timeouts,
            release_conn=True,
        )
        found: Reply = reply
        return found

    def _open_pool(self) -> urllib3.HTTPConnectionPool:
        """The pool; threads that come here at once are given the same."""
        pool = self._pools.connection_from_url(self._origin)
        pool.ConnectionCls = connection_class(pool.ConnectionCls, verify=self._verify)
        self._pool = pool
        return pool

    def no_answer(self, error: Exception) -> NoAnswer:
        """What it means that a request ended in an error."""
        match error:
            case NameResolutionError():
                reason = f"the name of the host {self._host} is not known"
            case ClosedPoolError():
                return _CLOSED
            case SSLError():
                return NoAnswer(f"TLS: {innermost(error)}", again=False)
            case ProxyError():
                reason = f"through the HTTP proxy: {innermost(error)}"
            case NewConnectionError():
                reason = f"no connection to {self._host}: {innermost(error)}"
            case Urllib3TimeoutError() | TimeoutError():
                reason = f"no answer within {self.timeout:g} s"
            case _:
                reason = f"the connection broke: {innermost(error)}"
        return NoAnswer(reason, again=True)


def _answer(reply: Reply) -> Answer:
    """What was received, unpacked."""
    headers = reply.headers
    return Answer(
        status=reply.status,
        content_type=headers.get("content-type", ""),
        body=unpacked(reply.body, headers.get("content-encoding", "")),
        retry_after=headers.get("retry-after"),
    )


def _host_header(parts: SplitResult) -> str:
    """The host, and the port unless it is the scheme's own (RFC 9110, section 7.2)."""
    usual = ":443" if parts.scheme == "https" else ":80"
    return parts.netloc.removesuffix(usual)


def _through(
    proxy: str, credentials: str | None, options: dict[str, Any]
) -> urllib3.ProxyManager:
    headers = urllib3.make_headers(proxy_basic_auth=credentials)
    return urllib3.ProxyManager(
        proxy,
        proxy_headers=headers,
        proxy_ssl_context=options.get("ssl_context"),
        **options,
    )


def _split_credentials(proxy: str | None) -> tuple[str | None, str | None]:
    if proxy is None:
        return None, None
    parts = urlsplit(proxy)
    userinfo, at, host = parts.netloc.rpartition("@")
    bare = urlunsplit((parts.scheme, host, "", "", ""))
    return bare, unquote(userinfo) if at else None
