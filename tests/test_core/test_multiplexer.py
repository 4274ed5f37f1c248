"""`handle_system.resolving.multiplexer`, `.inquiry`, `.asking`: one waits for many."""

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from handle_system.handle import Handle
from handle_system.resolving.answer import NoAnswer
from handle_system.resolving.caching import CachingResolver
from handle_system.resolving.http_settings import HttpSettings
from handle_system.resolving.inquiry import Inquiry
from handle_system.resolving.old_cache import Cache
from handle_system.resolving.old_many import ResolvingRun, resolve_many
from handle_system.resolving.outcome import (
    NotRegistered,
    Outcome,
    Resolved,
    Unreachable,
)
from handle_system.resolving.proxy_resolver import ProxyResolver
from handle_system.resolving.records_file import RecordsResolver
from handle_system.resolving.resolver import Resolver
from handle_system.resolving.resolver_chain import ResolverChain
from tests.background import resolving_threads
from tests.fake_clock import FakeClock
from tests.faults import hang_up, reset, right_answer, send
from tests.http_proxy import running_proxy
from tests.proxy_server import (
    AUTHORITY,
    ProxyServer,
    Record,
    alias_of,
    encrypted,
    running,
)

HANDLES = [Handle("20.1", f"h-{number}") for number in range(100)]
RECORDS = {str(handle): f"https://example.org/{handle}" for handle in HANDLES}
HTTP = HttpSettings(timeout=60.0, environment={})


class Noting:
    """A resolver that notes who comes to it, and asks another."""

    def __init__(self, inner: ProxyResolver) -> None:
        self._inner = inner
        self.inquired = 0
        self.resolved = 0

    def inquire(self, handle: Handle, /) -> Inquiry | None:
        self.inquired += 1
        return self._inner.inquire(handle)

    def resolve(self, handle: Handle, /) -> Outcome:
        self.resolved += 1
        return self._inner.resolve(handle)


def targets(outcomes: dict[Handle, Outcome]) -> dict[str, str | None]:
    return {str(handle): outcome.target for handle, outcome in outcomes.items()}


@pytest.mark.parametrize("connections", [1, 7, 200])
def test_who_can_say_what_to_ask_is_never_told_to_wait(connections: int) -> None:
    """Each handle is asked for once, over no more connections than allowed."""
    with running(RECORDS) as server, ProxyResolver(server.url, http=HTTP) as proxy:
        resolver = Noting(proxy)
        outcomes = resolve_many(HANDLES, resolver, connections=connections)

        assert server.asked == dict.fromkeys(RECORDS, 1)
        assert server.connections <= connections
    assert targets(outcomes) == RECORDS
    assert (resolver.inquired, resolver.resolved) == (100, 0)


def test_encrypted_connections_are_asked_in_the_same_way() -> None:
    """Through a tunnel, too."""
    with running_proxy() as http_proxy, encrypted(RECORDS) as server:
        http = HttpSettings(
            timeout=60.0,
            environment={"HTTPS_PROXY": http_proxy.url},
            tls_cacerts=AUTHORITY,
        )
        with ProxyResolver(server.url, http=http) as resolver:
            outcomes = resolve_many(HANDLES, resolver, connections=3)

        assert targets(outcomes) == RECORDS
        assert server.asked == dict.fromkeys(RECORDS, 1)
        tunnel = f"CONNECT 127.0.0.1:{server.server_port}"
        assert set(http_proxy.seen) == {tunnel}
        assert len(http_proxy.seen) <= 3


def in_chunks(handler: BaseHTTPRequestHandler) -> None:
    body = right_answer(handler)
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for octets in (body[:5], body[5:], b""):
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(octets), octets))


def after_an_interim_response(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
    send(handler, right_answer(handler))


def and_close(handler: BaseHTTPRequestHandler) -> None:
    send(handler, right_answer(handler), headers={"Connection": "close"})


def and_hang_up(handler: BaseHTTPRequestHandler) -> None:
    send(handler, right_answer(handler))
    handler.close_connection = True


def from_elsewhere(handler: BaseHTTPRequestHandler) -> None:
    if "?" in handler.path:
        send(handler, right_answer(handler))
    else:
        send(handler, b"", status=302, headers={"Location": f"{handler.path}?again"})


def after_a_failure() -> Callable[[BaseHTTPRequestHandler], None]:
    failed: set[str] = set()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        if handler.path in failed:
            send(handler, right_answer(handler))
        else:
            failed.add(handler.path)
            send(handler, b"", status=500)

    return answer


@pytest.mark.parametrize(
    ("answer", "requests"),
    [
        (in_chunks, 1),
        (after_an_interim_response, 1),
        (and_close, 1),
        (from_elsewhere, 2),
        (after_a_failure(), 2),
    ],
)
def test_an_unusual_answer_is_left_to_those_who_may_wait(
    answer: Callable[[BaseHTTPRequestHandler], None], requests: int
) -> None:
    """And is asked for no more often than if there were nobody else."""
    records: dict[str, Record] = dict(RECORDS)
    odd = [str(handle) for handle in HANDLES[3::10]]
    records |= dict.fromkeys(odd, answer)
    with (
        running(records) as server,
        ProxyResolver(server.url, http=HTTP, clock=FakeClock().clock) as resolver,
    ):
        outcomes = resolve_many(HANDLES, resolver, connections=4)

        assert all(isinstance(outcome, Resolved) for outcome in outcomes.values())
        assert server.asked == dict.fromkeys(RECORDS, 1) | dict.fromkeys(odd, requests)
        assert server.most_connections <= 4


def test_a_server_may_hang_up_between_two_requests() -> None:
    """What it then does not answer is asked for again, by whoever may wait."""
    records: dict[str, Record] = dict.fromkeys(map(str, HANDLES), and_hang_up)
    with running(records) as server, ProxyResolver(server.url, http=HTTP) as resolver:
        outcomes = resolve_many(HANDLES, resolver, connections=4)

    assert all(isinstance(outcome, Resolved) for outcome in outcomes.values())


@pytest.mark.parametrize("end", [hang_up, reset])
def test_a_server_may_hang_up_while_nobody_asks(
    end: Callable[[BaseHTTPRequestHandler], None],
) -> None:
    """As when a document takes longer to read than a server waits."""
    opened, last = HANDLES[:2]
    is_read = threading.Event()
    told: list[Handle] = []

    def progress(handle: Handle, _outcome: Outcome, _done: int, _total: int) -> None:
        told.append(handle)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        send(handler, right_answer(handler))
        is_read.wait()
        end(handler)

    records: dict[str, Record] = {**RECORDS, str(last): answer}
    with running(records) as server, ProxyResolver(server.url, http=HTTP) as resolver:
        with ResolvingRun(resolver, connections=1, progress=progress) as run:
            # The first request opens the connection, the second finds it.
            for handle in (opened, last):
                run.add([handle])
                while handle not in told:
                    run.collect()
            multiplexer = run._asking._multiplexer
            assert multiplexer is not None
            is_read.set()
            # Until it is noticed: else this is another test.
            while multiplexer._idle:
                run.collect()
            run.add(HANDLES)
            outcomes = run.finish()

        assert server.asked == dict.fromkeys(RECORDS, 1)
    assert all(isinstance(outcome, Resolved) for outcome in outcomes.values())


def test_a_request_that_is_too_long_to_be_sent_at_once() -> None:
    """It is sent all the same."""
    long = Handle("20.1", "x" * 9000)
    with (
        running({**RECORDS, str(long): "https://example.org/long"}) as server,
        ProxyResolver(server.url, http=HTTP) as resolver,
    ):
        outcomes = resolve_many([*HANDLES, long], resolver, connections=2)

    assert outcomes[long].target == "https://example.org/long"


KINDS: dict[str, Record] = {
    "10.1/url": "https://example.org/",
    "10.1/empty": {"responseCode": 200, "values": []},
    "10.1/secret": {"responseCode": 402},
    "10.1/silent": {"responseCode": 2},
    "10.1/no-target": [],
    "10.1/alias": alias_of("10.1/url"),
    "10.1/alias-to-records": alias_of("20.1/mine"),
    "10.1/alias-to-nowhere": alias_of("10.1/none"),
    "10.1/circle": alias_of("10.1/circle"),
}
ASKED = [Handle.parse(text) for text in (*KINDS, "10.1/none", "20.1/mine", "20.1/2nd")]


@pytest.mark.parametrize("remembers", [False, True], ids=["", "cache"])
@pytest.mark.parametrize("once", [False, True], ids=["", "once"])
@pytest.mark.parametrize("connections", [1, 5])
def test_the_outcome_is_the_same_as_of_one_at_a_time(
    tmp_path: Path, connections: int, *, once: bool, remembers: bool
) -> None:
    """Whatever is asked of several resolvers, whichever way."""
    mine = RecordsResolver({"20.1/mine": "https://example.org/mine"})
    usual = HANDLES[:20]
    second: dict[str, Record] = {
        **RECORDS,
        "20.1/2nd": "https://example.org/2nd",
        "10.1/url": [],
    }

    def chain(servers: list[ProxyServer], name: str) -> Resolver:
        proxies: list[Resolver] = []
        for server in servers:
            proxy: Resolver = ProxyResolver(
                server.url, http=HTTP, once=once, clock=FakeClock().clock
            )
            if remembers:
                proxy = CachingResolver(proxy, Cache(tmp_path / name))
            proxies.append(proxy)
        return ResolverChain([mine, *proxies])

    with running(KINDS) as first, running(second) as other:
        one_by_one = chain([first, other], "one")
        expected = {handle: one_by_one.resolve(handle) for handle in [*ASKED, *usual]}
        together = chain([first, other], "many")
        outcomes = resolve_many([*ASKED, *usual], together, connections=connections)
        again = resolve_many([*ASKED, *usual], together, connections=connections)

        if once:
            # By both of them, once each; but for what nobody has learned.
            twice = {handle for handle, times in first.asked.items() if times != 2}
            assert twice <= {"10.1/silent"}
        for resolver in (one_by_one, together):
            assert isinstance(resolver, ResolverChain)
            resolver.close()
    assert outcomes == expected
    assert again == expected


def test_an_error_of_a_resolver_comes_out_where_the_caller_is() -> None:
    """Whether it was to say what to ask, or what an answer means."""

    class Broken(Noting):
        def inquire(self, handle: Handle, /) -> Inquiry | None:
            inquiry = super().inquire(handle)
            if self.inquired < 50 or inquiry is None:
                return inquiry
            inquiry.abandon()
            raise LookupError(str(handle))

    class Puzzled(Noting):
        def inquire(self, handle: Handle, /) -> Inquiry | None:
            inquiry = super().inquire(handle)
            return None if inquiry is None else inquiry.then(self._puzzle)

        def _puzzle(self, _outcome: Outcome) -> Outcome:
            raise LookupError

    with running(RECORDS) as server:
        for kind in (Broken, Puzzled):
            with ProxyResolver(server.url, http=HTTP) as proxy:
                resolver = kind(proxy)
                with pytest.raises(LookupError):
                    resolve_many(HANDLES, resolver, connections=4)
        assert resolving_threads() == []


def test_nobody_is_asked_after_a_run_was_cancelled() -> None:
    """What was not asked for says so; what was is told."""
    cancel = threading.Event()

    def cancelling(_handle: Handle, _outcome: Outcome, done: int, _total: int) -> None:
        if done == 10:
            cancel.set()

    with running(RECORDS) as server, ProxyResolver(server.url, http=HTTP) as resolver:
        with ResolvingRun(
            resolver, connections=1, progress=cancelling, cancel=cancel
        ) as run:
            for handle in HANDLES:
                run.add([handle])
            outcomes = run.finish()
        asked = len(server.requests)

    cancelled = Unreachable("not asked: the run was cancelled")
    assert list(outcomes.values()).count(cancelled) == 100 - asked
    assert set(map(type, outcomes.values())) <= {Resolved, Unreachable}


def test_who_has_no_answer_leaves_nobody_waiting_for_it() -> None:
    """A server that is not there: everybody learns it, and the run ends."""
    with running({}) as server:
        address = server.url
    with ProxyResolver(
        address, http=HTTP, once=True, clock=FakeClock().clock
    ) as resolver:
        inquiry = resolver.inquire(HANDLES[0])
        assert inquiry is not None
        assert resolver.inquire(HANDLES[0]) is None
        inquiry.abandon()
        inquiry = resolver.inquire(HANDLES[0])
        assert inquiry is not None
        step = inquiry.conclude(NoAnswer("lost", again=False))
        assert callable(step)
        assert step() == Unreachable("lost")
        outcomes = resolve_many(HANDLES, resolver, connections=4)

    assert {type(outcome) for outcome in outcomes.values()} == {Unreachable}


def test_nothing_is_inquired_where_something_holds_it_back() -> None:
    """A server with a rate, and one that has just failed."""
    with ProxyResolver("https://hdl.handle.net/", http=HTTP) as public:
        assert public.inquire(HANDLES[0]) is None
    with running({str(HANDLES[0]): {"responseCode": 2}}) as server:
        with ProxyResolver(server.url, http=HTTP, clock=FakeClock().clock) as own:
            assert own.inquire(HANDLES[0]) is not None
            with running({}) as gone:
                address = gone.url
        with ProxyResolver(address, http=HTTP, clock=FakeClock().clock) as failed:
            assert isinstance(failed.resolve(HANDLES[0]), Unreachable)
            assert failed.inquire(HANDLES[0]) is None


def test_not_registered_is_no_reason_to_wait() -> None:
    """The other usual answer."""
    with running({}) as server, ProxyResolver(server.url, http=HTTP) as proxy:
        resolver = Noting(proxy)
        outcomes = resolve_many(HANDLES, resolver, connections=2)

    assert set(outcomes.values()) == {NotRegistered()}
    assert resolver.resolved == 0
