"""An HTTP proxy on loopback that forwards, tunnels, and records requests."""

import http.client
import socket
import threading
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.background import serving


class HttpProxy(ThreadingHTTPServer):
    """The proxy; use `running_proxy`.

    Attributes:
        seen: Each request's method and target.
        credentials: Each request's credentials, if any.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[str] = []
        self.credentials: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HttpProxy

    def note(self) -> None:
        self.server.seen.append(f"{self.command} {self.path}")
        self.server.credentials.append(self.headers["Proxy-Authorization"])

    def do_GET(self) -> None:
        self.note()
        url = urlsplit(self.path)
        # Unchanged: a proxy that normalises paths would break handles.
        path = self.path.partition(url.netloc)[2]
        connection = http.client.HTTPConnection(url.netloc)
        connection.request("GET", path, headers={"Accept": self.headers["Accept"]})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self) -> None:
        self.note()
        host, _, port = self.path.partition(":")
        self.close_connection = True
        with socket.create_connection((host, int(port))) as far:
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=pump, args=(far, self.connection))
            back.start()
            pump(self.connection, far)
            back.join()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        """Log nothing: the tests read `HttpProxy.seen`."""


def pump(source: socket.socket, sink: socket.socket) -> None:
    """Copy octets one way until the end."""
    try:
        while octets := source.recv(65536):
            sink.sendall(octets)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return


def running_proxy() -> AbstractContextManager[HttpProxy]:
    """Run a proxy while the context lasts."""
    return serving(HttpProxy())
