"""A real HTTP server on loopback that acts as a handle proxy, with faults.

Like the reference server, it serves ``/api/handles/…`` from a dictionary.  An entry is a
URL, a list of values, or a `Fault`, which takes over the connection.  The server counts
requests, so that tests can assert the real traffic.
"""

import json
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

from tests.background import serving

API = "/api/handles/"
CERTIFICATES = Path(__file__).parent / "certificates"
AUTHORITY = str(CERTIFICATES / "authority.pem")
"""The authority that signs the certificate of an `encrypted` server."""

Fault: TypeAlias = Callable[[BaseHTTPRequestHandler], None]
Record: TypeAlias = "str | list[dict[str, object]] | Mapping[str, object] | Fault"


def values_of(record: "str | list[dict[str, object]]") -> list[dict[str, object]]:
    """The values of a record, which may be given as its one URL."""
    if not isinstance(record, str):
        return record
    return [
        {
            "index": 1,
            "type": "URL",
            "data": {"format": "string", "value": record},
            "ttl": 86400,
            "timestamp": "2026-11-20T17:05:40Z",
        }
    ]


def alias_of(handle: str) -> list[dict[str, object]]:
    """The values of a record with an alias of another handle."""
    (value,) = values_of(handle)
    return [{**value, "type": "HS_ALIAS"}]


class ProxyServer(ThreadingHTTPServer):
    """The server; use `running`."""

    daemon_threads = True
    # Many clients connect at once.
    request_queue_size = 128

    def __init__(
        self, records: Mapping[str, Record], *, tls: ssl.SSLContext | None = None
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.scheme = "http"
        if tls is not None:
            # The connection's own thread does the handshake, when it first reads.
            self.socket = tls.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )
            self.scheme = "https"
        self.records = dict(records)
        self.lock = threading.Lock()
        self.requests: list[str] = []
        self.headers_seen: list[dict[str, str]] = []
        self.open_connections = 0
        self.most_connections = 0
        self.connections = 0

    @property
    def url(self) -> str:
        """The proxy's base."""
        return f"{self.scheme}://127.0.0.1:{self.server_port}/"

    @property
    def asked(self) -> Counter[str]:
        """The number of requests for each handle."""
        return Counter(
            unquote(path.partition("?")[0].removeprefix(API)) for path in self.requests
        )

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ProxyServer

    def setup(self) -> None:
        super().setup()
        self.is_counted = True
        with self.server.lock:
            self.server.connections += 1
            self.server.open_connections += 1
            self.server.most_connections = max(
                self.server.most_connections, self.server.open_connections
            )

    def end_headers(self) -> None:
        # A client that reads this header may open another connection before this
        # thread closes its own.
        if self.close_connection:
            self._count_as_closed()
        super().end_headers()

    def finish(self) -> None:
        self._count_as_closed()
        super().finish()

    def _count_as_closed(self) -> None:
        with self.server.lock:
            self.server.open_connections -= self.is_counted
            self.is_counted = False

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.requests.append(self.path)
            self.server.headers_seen.append(dict(self.headers.items()))
        if not self.path.startswith(API):
            message = "Unknown HTTP API endpoint"
            self.answer(404, {"responseCode": 4, "message": message})
            return
        handle = unquote(self.path.partition("?")[0].removeprefix(API))
        record = self.server.records.get(handle)
        if callable(record):
            record(self)
        elif record is None:
            self.answer(404, {"responseCode": 100, "handle": handle})
        elif isinstance(record, Mapping):
            status = {1: 200, 100: 404, 200: 200, 301: 400, 402: 401, 2: 500}
            code = record.get("responseCode", 1)
            body = {"responseCode": 1, "handle": handle, **record}
            self.answer(status.get(cast("int", code), 500), body)
        else:
            values = values_of(record)
            self.answer(200, {"responseCode": 1, "handle": handle, "values": values})

    def answer(self, status: int, body: object) -> None:
        octets = json.dumps(body, separators=(",", ":")).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json;charset=utf-8")
        self.send_header("Content-Length", str(len(octets)))
        self.end_headers()
        self.wfile.write(octets)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (as above)
        """Log nothing: the tests read `ProxyServer.requests`."""


def running(
    records: Mapping[str, Record], *, tls: ssl.SSLContext | None = None
) -> AbstractContextManager[ProxyServer]:
    """Run a server while the context lasts."""
    return serving(ProxyServer(records, tls=tls))


def encrypted(records: Mapping[str, Record]) -> AbstractContextManager[ProxyServer]:
    """Run a server with TLS while the context lasts."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / "server.pem")
    return running(records, tls=context)
