"""A handle server over TCP and UDP that answers from any resolver.

For previews, whose handles then resolve natively too, and for tests.  It answers
public questions only: resolution and the site that it belongs to.
"""

import socketserver
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Self

from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.resolving.native.messages import (
    ENVELOPE,
    RESOLUTION,
    SITE_INFO,
    SUCCESS,
    Envelope,
    Message,
    Query,
)
from handle_system.resolving.native.octets import MessageError, string
from handle_system.resolving.native.sites import Site, write_site
from handle_system.resolving.native.transport import Assembly, parts_of
from handle_system.resolving.native.values import write_values
from handle_system.resolving.outcomes import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.resolvers import Resolver

__all__ = ["Responder", "Servers"]

_ERROR: Final = 2
_BAD_OPERATION: Final = 5
_NOT_FOUND: Final = 100
_NO_VALUES: Final = 200
_NOT_RESPONSIBLE: Final = 301
# Seconds that a client may take to send its request.
_PATIENCE: Final = 10.0
# How many requests of several datagrams wait for their other parts.
_MOST_ASSEMBLIES: Final = 64
# Seconds between two looks at whether the server is to stop.
_POLL: Final = 0.05


class Responder:
    """Answers one request after the other.

    Args:
        resolver: Who knows the records.
        site: The site that it says it belongs to.
        position: Its place in that site: it is responsible for its part only.
    """

    def __init__(
        self,
        resolver: Resolver,
        site: Mapping[str, Any] | None = None,
        position: int = 0,
    ) -> None:
        self._resolver = resolver
        self.site = site
        self._position = position

    def answer(self, request: Message) -> Message:
        """The answer to `request`."""
        try:
            code, body = self._respond(request)
        except (MessageError, UnicodeDecodeError) as error:
            code, body = _ERROR, string(str(error))
        return replace(
            request,
            code=code,
            body=body,
            envelope=request.envelope._replace(version=(2, 11), sequence=0, flags=2),
        )

    def _respond(self, request: Message) -> tuple[int, bytes]:
        if request.opcode == SITE_INFO and self.site is not None:
            return SUCCESS, write_site(self.site)
        if request.opcode != RESOLUTION:
            return _BAD_OPERATION, string("only resolution is answered")
        query = Query.from_octets(request.body)
        try:
            handle = Handle.parse(query.name.decode())
        except HandleSyntaxError:
            return _NOT_FOUND, b""
        if (
            self.site is not None
            and Site.from_json(self.site).position_of(handle) != self._position
        ):
            return _NOT_RESPONSIBLE, string("That handle hashed incorrectly")
        return _answer(query, self._resolver.resolve(handle))


def _answer(query: Query, outcome: Outcome) -> tuple[int, bytes]:
    """The response code of an outcome, and the body that belongs to it."""
    match outcome:
        case Resolved(record):
            json: Any = record.to_json()
            values = [value for value in json["values"] if _is_wanted(query, value)]
            body = string(query.name) + write_values(values)
            return (SUCCESS, body) if values else (_NO_VALUES, b"")
        case NotRegistered():
            return _NOT_FOUND, b""
        case NoValues():
            return _NO_VALUES, b""
        case Refused(code):
            return code, b""
        case Unreachable(reason):
            return _ERROR, string(reason)


class Servers:
    """A TCP and a UDP server on one port, each request answered in a thread.

    Use it as a context manager: both run inside the block.

    Args:
        responder: Gives the answers.
        host: The address to listen at.
        port: The port; 0 chooses a free one, which `port` then tells.

    Raises:
        OSError: when the port is not free.
    """

    def __init__(self, responder: Responder, host: str, port: int = 2641) -> None:
        self._tcp = _TcpServer((host, port), _TcpHandler)
        self._tcp.responder = responder
        self.port: int = self._tcp.server_address[1]
        self._udp = _UdpServer((host, self.port), _UdpHandler)
        self._udp.responder = responder

    def __enter__(self) -> Self:
        for server in (self._tcp, self._udp):
            threading.Thread(
                target=server.serve_forever, args=(_POLL,), daemon=True
            ).start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in (self._tcp, self._udp):
            server.shutdown()
            server.server_close()


class _TcpServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64
    responder: Responder


class _TcpHandler(socketserver.StreamRequestHandler):
    server: _TcpServer
    timeout = _PATIENCE

    def handle(self) -> None:
        """Answer one request; a client that is slow or makes no sense is left."""
        try:
            start = self.rfile.read(ENVELOPE)
            content = self.rfile.read(Envelope.from_octets(start).length)
            request = Message.from_octets(start + content)
            self.wfile.write(self.server.responder.answer(request).to_octets())
        except (MessageError, OSError):
            pass


class _UdpServer(socketserver.ThreadingUDPServer):
    daemon_threads = True
    responder: Responder

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._assemblies: dict[tuple[object, int], Assembly] = {}
        self._lock = threading.Lock()

    def assembled(self, client: object, datagram: bytes) -> Message | None:
        """The request that a datagram completes, if it completes one."""
        key = (client, Envelope.from_octets(datagram).request_id)
        with self._lock:
            assembly = self._assemblies.pop(key, None) or Assembly()
            request = assembly.add(datagram)
            if request is None:
                self._assemblies[key] = assembly
                if len(self._assemblies) > _MOST_ASSEMBLIES:
                    self._assemblies.pop(next(iter(self._assemblies)))
            return request


class _UdpHandler(socketserver.BaseRequestHandler):
    server: _UdpServer

    def handle(self) -> None:
        """Take one datagram, and answer the request that it completes."""
        datagram, connection = self.request
        try:
            request = self.server.assembled(self.client_address, datagram)
        except MessageError:
            return
        if request is not None:
            for part in parts_of(self.server.responder.answer(request)):
                connection.sendto(part, self.client_address)


def _is_wanted(query: Query, value: dict[str, Any]) -> bool:
    if value.get("permissions", "1110")[2:3] != "1":
        return False
    if not query.indexes and not query.types:
        return True
    type_ = value["type"].lower()
    return value["index"] in query.indexes or any(
        type_ == wanted or (wanted.endswith(".") and f"{type_}.".startswith(wanted))
        for wanted in (written.decode().lower() for written in query.types)
    )
