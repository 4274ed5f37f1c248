"""`handle_system.resolving.multiplexer`: one waits for many, and something goes wrong."""

import errno
import io
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler

import pytest

from handle_system.handle import Handle
from handle_system.resolving.http_settings import HttpSettings
from handle_system.resolving.inquiry import Inquiry
from handle_system.resolving.old_many import ResolvingRun, resolve_many
from handle_system.resolving.outcome import Outcome, Resolved, Unreachable
from handle_system.resolving.proxy_resolver import ProxyResolver
from tests.fake_clock import FakeClock
from tests.faults import right_answer, send
from tests.http_proxy import running_proxy
from tests.proxy_server import Fault, Record, running

HANDLES = [Handle("20.1", f"h-{number}") for number in range(100)]
HTTP = HttpSettings(timeout=5.0, environment={})


class Waiting:
    """A resolver that says what to ask for one handle only when it may."""

    def __init__(
        self, inner: ProxyResolver, last: Handle, may_ask: threading.Event
    ) -> None:
        self._inner = inner
        self._last = last
        self._may_ask = may_ask

    def inquire(self, handle: Handle, /) -> Inquiry | None:
        if handle == self._last:
            self._may_ask.wait()
        return self._inner.inquire(handle)

    def resolve(self, handle: Handle, /) -> Outcome:
        return self._inner.resolve(handle)


def by_so_many_at_once(number: int) -> Fault:
    """Answers as soon as so many are asked for, each over its own connection."""
    together = threading.Barrier(number)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        together.wait()
        send(handler, right_answer(handler))

    return answer


def test_a_server_may_hang_up_on_who_asks_and_on_who_does_not() -> None:
    """In one moment, as when it is started anew; all are asked for once more."""
    connections: set[socket.socket] = set()
    together = by_so_many_at_once(16)
    has_hung_up = threading.Event()
    told: list[Handle] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        connections.add(handler.connection)
        together(handler)

    def hang_up(handler: BaseHTTPRequestHandler) -> None:
        if has_hung_up.is_set():
            send(handler, right_answer(handler))
            return
        handler.close_connection = True
        for each in (handler.connection, *(connections - {handler.connection})):
            each.shutdown(socket.SHUT_RDWR)
        has_hung_up.set()

    def progress(handle: Handle, _outcome: Outcome, _done: int, _total: int) -> None:
        told.append(handle)

    records: dict[str, Record] = {
        **{str(handle): answer for handle in HANDLES[:32]},
        str(HANDLES[32]): hang_up,
        str(HANDLES[33]): "https://example.org/",
    }
    with (
        running(records) as server,
        ProxyResolver(server.url, http=HTTP, clock=FakeClock().clock) as proxy,
        ResolvingRun(
            Waiting(proxy, HANDLES[33], has_hung_up), connections=16, progress=progress
        ) as run,
    ):
        for number in (0, 16):
            run.add(HANDLES[number : number + 16])
            while len(told) < number + 16:
                run.collect()
        run.add(HANDLES[32:34])
        outcomes = run.finish()

    assert all(isinstance(outcome, Resolved) for outcome in outcomes.values())


def in_one_piece(answer: Fault) -> Fault:
    """The same answer, as a server sends it that writes it at once."""

    def send_at_once(handler: BaseHTTPRequestHandler) -> None:
        wfile = handler.wfile
        handler.wfile = octets = io.BytesIO()
        answer(handler)
        handler.wfile = wfile
        wfile.write(octets.getvalue())

    return send_at_once


def alias_of(target: Handle) -> Fault:
    data = {"format": "string", "value": str(target)}
    values = [{"index": 1, "type": "HS_ALIAS", "data": data}]

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = {**json.loads(right_answer(handler)), "values": values}
        send(handler, json.dumps(body).encode())

    return in_one_piece(answer)


@pytest.mark.parametrize("connections", [1, 4])
def test_nobody_waits_for_what_waits_for_a_thread(connections: int) -> None:
    """Many stand for one handle whose first answer is a failure, among them."""
    last = HANDLES[2 * connections]
    failed: list[Handle] = []

    def after_a_failure(handler: BaseHTTPRequestHandler) -> None:
        if failed:
            send(handler, right_answer(handler))
        else:
            failed.append(last)
            send(handler, b"", status=500)

    records: dict[str, Record] = {
        **{str(handle): "https://example.org/" for handle in HANDLES[:connections]},
        **{str(handle): alias_of(last) for handle in HANDLES[connections:]},
        str(last): in_one_piece(after_a_failure),
    }
    with (
        running(records) as server,
        ProxyResolver(
            server.url, http=HTTP, once=True, clock=FakeClock().clock
        ) as resolver,
    ):
        outcomes = resolve_many(HANDLES, resolver, connections=connections)

        assert server.asked == dict.fromkeys(records, 1) | {str(last): 2}
    assert {outcome.target for outcome in outcomes.values()} == {"https://example.org/"}


def test_an_http_proxy_is_shown_with_each_request_who_asks() -> None:
    """As it is where one waits for each."""
    records: dict[str, Record] = {str(each): "https://example.org/" for each in HANDLES}
    with running(records) as server, running_proxy() as http_proxy:
        address = http_proxy.url.replace("//", "//me:secret@")
        http = HttpSettings(timeout=5.0, environment={"HTTP_PROXY": address})
        with ProxyResolver(server.url, http=http) as resolver:
            outcomes = resolve_many(HANDLES, resolver, connections=2)

    assert http_proxy.credentials == ["Basic bWU6c2VjcmV0"] * 100
    assert all(isinstance(outcome, Resolved) for outcome in outcomes.values())


def test_what_was_not_asked_for_before_the_end_says_so() -> None:
    """Who wants to know of it after the end is not left waiting."""
    records: dict[str, Record] = {str(each): "https://example.org/" for each in HANDLES}
    with running(records) as server, ProxyResolver(server.url, http=HTTP) as resolver:
        run = ResolvingRun(resolver, connections=1)
        run.add(HANDLES)
        run.close()
        outcomes = run.finish()

        asked = server.asked
    cancelled = Unreachable("not asked: the run was cancelled")
    assert {h for h in HANDLES if isinstance(outcomes[h], Resolved)} == {
        each for each in HANDLES if str(each) in asked
    }
    assert list(outcomes.values()).count(cancelled) == 100 - len(asked)


def test_where_too_many_files_are_open_each_waits_for_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody can be woken for all, and nothing is lost."""

    def fail() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("handle_system.resolving.multiplexer.socketpair", fail)
    records: dict[str, Record] = {str(each): "https://example.org/" for each in HANDLES}
    with running(records) as server, ProxyResolver(server.url, http=HTTP) as resolver:
        outcomes = resolve_many(HANDLES, resolver, connections=3)

        assert server.asked == dict.fromkeys(records, 1)
        assert server.most_connections <= 3
    assert all(isinstance(outcome, Resolved) for outcome in outcomes.values())
