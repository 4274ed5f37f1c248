"""``hdl serve``: a local proxy, so that links of a preview work without the network."""

from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AI_PASSIVE, SOCK_STREAM, getaddrinfo
from threading import Event

import click

from handle_cli.local_proxy import LocalProxy, Reply
from handle_cli.native_server import Responder, Servers
from handle_cli.output import say
from handle_system.errors import showable
from handle_system.resolving.resolvers import RecordsFileError, RecordsResolver

__all__ = ["ProxyHTTPServer", "serve"]

_METHODS = "GET, POST, HEAD, PUT, DELETE"


@click.command(short_help="Answer as a handle proxy does, on this machine.")
@click.argument("records", type=click.Path(exists=True, dir_okay=False))
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port; 0 takes one that is free.",
)
@click.option("--ignore-case", is_flag=True, help="Ignore the case of suffixes.")
@click.option(
    "--native",
    is_flag=True,
    help="Answer over the Handle System's own protocol, on TCP and UDP.",
)
def serve(
    records: str, *, host: str, port: int, ignore_case: bool, native: bool
) -> None:
    """Answer as a handle proxy does, from the file RECORDS, until interrupted.

    Links redirect, with ?noredirect, ?ignore_aliases, ?urlappend=, ?locatt=, ?type=
    and ?index=; /api/handles/… is the REST interface. Only this machine is answered,
    unless --host says otherwise. Most handle servers ignore the case of suffixes;
    with --ignore-case this one does, too.

    With --native it is a handle server and no proxy: ask it as hdl://HOST:PORT.

    Exits with 2 if the file of records cannot be used.
    """
    try:
        resolver = RecordsResolver.from_file(records)
        if native:
            _serve_natively(Servers(Responder(resolver), host, port), host)
            return
        proxy = LocalProxy(resolver, ignore_case=ignore_case)
        server = ProxyHTTPServer((host, port), proxy)
    except RecordsFileError as error:
        raise click.UsageError(showable(str(error))) from error
    except OSError as error:
        raise click.UsageError(f"{host}:{port}: {error.strerror or error}") from error
    with server:
        say(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say()


def _serve_natively(servers: Servers, host: str) -> None:
    with servers:
        say(f"hdl://{host}:{servers.port}")
        with suppress(KeyboardInterrupt):
            Event().wait()


class ProxyHTTPServer(ThreadingHTTPServer):
    """A server on one address that answers as `proxy` does."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], proxy: LocalProxy) -> None:
        found = getaddrinfo(*address, type=SOCK_STREAM, flags=AI_PASSIVE)
        self.address_family = found[0][0]
        super().__init__(address, _Handler)
        self.proxy = proxy

    @property
    def url(self) -> str:
        """Its base, for links."""
        host, port = self.socket.getsockname()[:2]
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Header and body go out together: apart, the second waits for an acknowledgement.
    wbufsize = -1
    # Seconds for which a client may keep a connection without asking.
    timeout = 30
    server: ProxyHTTPServer

    def do_GET(self) -> None:
        self._reply(with_body=True)

    def do_HEAD(self) -> None:
        self._reply(with_body=False)

    def do_POST(self) -> None:
        # As for GET; what was sent along is not read, nor the connection any more.
        self.close_connection = True
        self._reply(with_body=True)

    def do_PUT(self) -> None:
        self._refuse()

    def do_DELETE(self) -> None:
        self._refuse()

    def do_OPTIONS(self) -> None:
        # What a browser asks before a request across origins.
        self.send_response(200)
        wanted = self.headers.get("Access-Control-Request-Headers")
        self._allow_origin()
        self.send_header("Access-Control-Allow-Methods", _METHODS)
        self.send_header("Access-Control-Max-Age", "86400")
        if wanted is not None:
            self.send_header("Access-Control-Allow-Headers", wanted)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _allow_origin(self) -> None:
        origin = self.headers.get("Origin")
        self.send_header("Vary", "Origin")
        if origin is not None:
            self.send_header("Access-Control-Allow-Origin", origin)

    def _refuse(self) -> None:
        self.close_connection = True
        self._write(self.server.proxy.refusal(self.path), with_body=True)

    def _reply(self, *, with_body: bool) -> None:
        self._write(self.server.proxy.reply(self.path), with_body=with_body)

    def _write(self, reply: Reply, *, with_body: bool) -> None:
        octets = reply.body.encode()
        kind = "application/json" if reply.is_json else "text/html"
        self.send_response(reply.status)
        self.send_header("Content-Type", f"{kind};charset=utf-8")
        self.send_header("Content-Length", str(len(octets)))
        self._allow_origin()
        if reply.location is not None:
            self.send_header("Location", reply.location)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if with_body:
            self.wfile.write(octets)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        """Nothing: the requests of a preview are not interesting."""
