"""Handle servers that misbehave over UDP, and clients that misbehave at ours.

    python -m trials.hostile_datagrams

For each behaviour a resolver asks a server that answers one request with the datagrams of
that behaviour, over UDP. The outcome is the one in the table, and comes in time.

Then a handle server of ours gets datagrams of every kind. It answers each with at most
eight, never an answer, and still resolves handles afterwards.
"""

import secrets
import socket
import socketserver
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import count

from handle_system.handle import Handle
from handle_system.resolving.native.messages import (
    Envelope,
    Message,
    Query,
    string,
)
from handle_system.resolving.native.resolver import NativeResolver
from handle_system.resolving.native.transport import parts_of
from handle_system.resolving.outcomes import OutcomeName
from handle_system.resolving.resolvers import RecordsResolver
from tests.background import serving
from tests.native_server import NativeResponder, answer_parts, native_servers
from tests.native_values import write_values

HOST = "127.0.0.1"
HANDLE = Handle("20.1000", "1")
TIMEOUT = 0.5
# Three tries at a gate, and what a busy machine adds.
PATIENCE = 3 * TIMEOUT + 2.0
RECORDS = RecordsResolver(
    {
        "20.1000/1": "https://example.org/1",
        "20.1000/some": f"https://example.org/{'x' * 3_700}",
        "20.1000/long": f"https://example.org/{'x' * 200_000}",
    }
)
RESPONDER = NativeResponder(RECORDS)

#: The datagrams that answer a request.
Behaviour = Callable[[Message], Sequence[bytes]]


def site_at(address: str) -> bytes:
    """The body of a referral to a server."""
    interface = {"query": True, "admin": False, "protocol": "UDP", "port": 2641}
    site = {
        "version": 1,
        "protocolVersion": "2.11",
        "serialNumber": 1,
        "primarySite": True,
        "multiPrimary": False,
        "attributes": [],
        "servers": [{"serverId": 1, "address": address, "interfaces": [interface]}],
    }
    data = {"format": "site", "value": site}
    return string("") + write_values([{"index": 1, "type": "HS_SITE", "data": data}])


def answer_to(request: Message) -> Message:
    """The right answer."""
    return RESPONDER.answer(request)


def long_answer_to(request: Message) -> Message:
    """An answer of several datagrams."""
    answer = answer_to(request)
    return replace(answer, code=6, body=string("x" * 3_000))


def renumbered(message: Message, request_id: int) -> Message:
    """The same message for another request."""
    return replace(message, envelope=message.envelope._replace(request_id=request_id))


def referral(address: str) -> Behaviour:
    """Refer to a server."""
    return lambda request: parts_of(
        replace(answer_to(request), code=302, body=site_at(address))
    )


BEHAVIOURS: dict[str, tuple[Behaviour, OutcomeName]] = {
    "right": (lambda request: parts_of(answer_to(request)), OutcomeName.RESOLVED),
    "twice": (lambda request: parts_of(answer_to(request)) * 2, OutcomeName.RESOLVED),
    "others' answers first": (
        lambda request: [
            *parts_of(renumbered(answer_to(request), 1)),
            *parts_of(answer_to(request)),
        ],
        OutcomeName.RESOLVED,
    ),
    **{
        name: (behaviour, OutcomeName.UNREACHABLE)
        for name, behaviour in {
            "silent": lambda _request: [],
            "empty": lambda _request: [b""],
            "garbage": lambda _request: [secrets.token_bytes(400)],
            "the request": lambda request: [request.to_octets()],
            "half": lambda request: [answer_to(request).to_octets()[:40]],
            "backwards": lambda request: parts_of(long_answer_to(request))[::-1],
            "a part missing": lambda request: parts_of(long_answer_to(request))[1:],
            "a part for ever": lambda request: (
                parts_of(long_answer_to(request))[:1] * 200
            ),
            "parts that differ": lambda request: [
                parts_of(long_answer_to(request))[0],
                parts_of(replace(long_answer_to(request), body=bytes(2_000)))[1],
            ],
            "somebody's": lambda request: parts_of(renumbered(answer_to(request), 1)),
            "a megabyte": lambda request: [
                request.envelope._replace(length=2**20).to_octets() + bytes(492)
            ],
            "too long for datagrams": lambda request: parts_of(
                replace(answer_to(request), body=bytes(20_000))
            ),
            "referral to a private network": referral("10.0.0.1"),
            "referral to metadata": referral("169.254.169.254"),
            "referral to nowhere": referral("0.0.0.0"),  # noqa: S104 (it is refused)
            "referral to several": referral("224.0.0.1"),
        }.items()
    },
}


class _Misbehaving(socketserver.UDPServer):
    def __init__(self, behaviour: Behaviour) -> None:
        super().__init__((HOST, 0), _Handler)
        self.behaviour = behaviour


class _Handler(socketserver.BaseRequestHandler):
    server: _Misbehaving

    def handle(self) -> None:
        datagram, connection = self.request
        request = Message.from_octets(datagram)
        for part in self.server.behaviour(request):
            connection.sendto(part, self.client_address)


def play(name: str, behaviour: Behaviour, expected: OutcomeName) -> str | None:
    """Play one behaviour; return the error, if any."""
    with serving(_Misbehaving(behaviour)) as server:
        port = server.server_address[1]
        address = f"hdl://{HOST}:{port}?transport=udp"
        begin = time.monotonic()
        outcome = NativeResolver(address, timeout=TIMEOUT).resolve(HANDLE)
        seconds = time.monotonic() - begin
    if outcome.name != expected:
        return f"{name}: {outcome}"
    if seconds > PATIENCE:
        return f"{name}: {seconds:.1f} s"
    return None


def hostile_datagrams() -> Iterator[tuple[str, bytes]]:
    """Datagrams for our own server; each message has a number of its own."""
    numbers = count(1)

    def request_for(name: str, opcode: int = 1) -> Message:
        body = Query(name.encode()).to_octets()
        return Message(opcode=opcode, body=body, envelope=Envelope(next(numbers), 0))

    for name in (
        "20.1000/1",
        "20.1000/some",
        "20.1000/long",
        "20.1000/none",
        "20.9/x",
        "x",
    ):
        yield f"request for {name}", request_for(name).to_octets()
        answer = RESPONDER.answer(request_for(name))
        yield f"answer about {name}", answer_parts(answer)[0]
        for opcode in (0, 2, 9, 2**32 - 1):
            yield f"operation {opcode}", request_for(name, opcode).to_octets()
        for part in parts_of(replace(request_for(name), body=bytes(3_000))):
            yield "a part of a request", part
    yield "answer that is short", replace(request_for("x"), code=5).to_octets()
    for length in range(300):
        yield "random octets", secrets.token_bytes(length)


def play_server() -> Iterator[str]:
    """Send hostile datagrams to our own server; yield the errors."""
    with ExitStack() as stack:
        servers = [*map(serving, native_servers(RESPONDER, HOST, 0))]
        tcp, *_ = map(stack.enter_context, servers)
        port = tcp.server_address[1]
        client = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        client.connect((HOST, port))
        client.settimeout(1.0)
        names: dict[int, str] = {}
        received: Counter[int] = Counter()
        for name, datagram in hostile_datagrams():
            if name != "random octets":
                names[Envelope.from_octets(datagram).request_id] = name
            client.send(datagram)
        # The server is idle when nothing comes for a second.
        with suppress(TimeoutError):
            while True:
                answer = Envelope.from_octets(client.recv(65_536))
                received[answer.request_id] += 1
        for number, datagrams in received.items():
            name = names.get(number, "random octets")
            if name.startswith("answer") or datagrams > 8:
                yield f"{name}: {datagrams} datagrams answer it"
        outcome = NativeResolver(f"hdl://{HOST}:{port}?transport=udp").resolve(HANDLE)
        if outcome.name != OutcomeName.RESOLVED:
            yield f"our server, afterwards: {outcome}"


def main() -> int:
    """Play all behaviours; return the exit code."""
    begin = time.monotonic()
    results = [play(name, *row) for name, row in BEHAVIOURS.items()]
    wrong = [result for result in results if result is not None]
    sent = sum(1 for _ in hostile_datagrams())
    wrong += play_server()
    most = max(
        len(b"".join(answer_parts(RESPONDER.answer(Message.from_octets(datagram)))))
        / len(datagram)
        for name, datagram in hostile_datagrams()
        if name.startswith("request")
    )
    print("\n".join(wrong))
    print(
        f"{len(BEHAVIOURS)} behaviours of servers, {sent} datagrams to ours "
        f"(at most {most:.0f} times its octets back), {len(wrong)} wrong, "
        f"{time.monotonic() - begin:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
