"""Faults of servers: nothing false is concluded or remembered, and nothing is lost.

Real HTTP on loopback. Each fault is among twenty good handles, with a cache; the
resolver's pauses take no time, and its time-out is short where the fault is about time.
"""

from collections import Counter
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from handle_system.handle import Handle
from handle_system.resolving import HttpSettings
from handle_system.resolving.cache import CachingResolver, SqliteCache
from handle_system.resolving.gate import Gate, RateLimit
from handle_system.resolving.many import resolve_many
from handle_system.resolving.outcomes import Outcome, Resolved, Unreachable
from handle_system.resolving.resolvers import ProxyResolver, ResolverChain
from tests.background import FakeClock, nobody_at
from tests.faults import FAULTS, redirect_to
from tests.proxy_server import Fault, ProxyServer, Record, encrypted, running

GOOD = [Handle("20.1000", f"good-{number}") for number in range(20)]
BAD = Handle("20.1000", "bad")
RECORDS: dict[str, Record] = {str(each): "https://example.org/" for each in GOOD}
# Longer than any machine is busy; and where somebody must wait until it is over, still
# long for a server on loopback that is in order.
HTTP = HttpSettings(timeout=60.0)
IMPATIENT = HttpSettings(timeout=1.0)

REASONS = {
    "time-out": "no answer within 1 s",
    "reset": "the connection broke: Connection reset by peer",
    "hang up": "the connection broke: Remote end closed connection without response",
    "drip of headers": "no answer within 1 s",
    "drip of body": "no answer within 1 s",
    "endless body": "the answer is larger than 2,097,152 bytes",
    "endless chunks": "the answer is larger than 2,097,152 bytes",
    "large body": "the answer is larger than 2,097,152 bytes",
    "deep JSON": "unexpected answer (HTTP 200): no valid JSON: ",
    "wrong type": "unexpected answer (HTTP 200): its body is text/plain, not JSON",
    "HTML 200": "unexpected answer (HTTP 200): its body is text/html, not JSON",
    "HTML 404": "unexpected answer (HTTP 404): its body is text/html, not JSON",
    "429": "unexpected answer (HTTP 429): its body is text/html, not JSON",
    "429, seconds": "unexpected answer (HTTP 429): its body is text/html, not JSON",
    "429, many seconds": "unexpected answer (HTTP 429): its body is text/html, not JSON",
    "429, date": "unexpected answer (HTTP 429): its body is text/html, not JSON",
    "429, nonsense": "unexpected answer (HTTP 429): its body is text/html, not JSON",
    "500": "unexpected answer (HTTP 500): no valid JSON: ",
    "502": "unexpected answer (HTTP 502): its body is text/html, not JSON",
    "503": "unexpected answer (HTTP 503): no valid JSON: ",
    "code 2": "response code 2: the responsible server did not answer",
    "redirect in circles": "it redirects in circles",
    "redirect to nowhere": "it redirects in circles",
    "redirect to a script": "it redirects elsewhere, to javascript:alert(1)",
    "gzip bomb": "the answer is larger than 2,097,152 bytes",
    "compressed wrongly": "the answer is not compressed as it says",
    "compressed oddly": "the answer is encoded as br",
    "invalid UTF-8": "unexpected answer (HTTP 404): no valid JSON: ",
    "cut body": "the connection broke: IncompleteRead(",
    "cut JSON": "unexpected answer (HTTP 200): no valid JSON: ",
    "empty": "unexpected answer (HTTP 200): no valid JSON: ",
    "wrong echo": (
        "unexpected answer (HTTP 404): "
        "it is about another handle: '20.1000/somebody-elses'"
    ),
    "no echo": "unexpected answer (HTTP 404): it is about another handle: None",
    "garbage": "the connection broke: 220 mail.example.org ESMTP",
    "many headers": "the connection broke: got more than 100 headers",
}

# Faults that a second try may mend are tried twice here, all others once.
ONCE = {
    *("endless body", "endless chunks", "large body", "deep JSON", "wrong type"),
    *("HTML 200", "HTML 404", "429, many seconds", "redirect to a script"),
    *("gzip bomb", "compressed wrongly", "compressed oddly"),
    *("invalid UTF-8", "cut JSON", "empty", "wrong echo", "no echo"),
}

# Faults that last until the client's time-out.
WAITING = ["time-out", "drip of headers", "drip of body"]


def gate_at(time: FakeClock, limit: RateLimit | None = None) -> Gate:
    return Gate(limit or RateLimit(), monotonic=time.monotonic, sleep=time.sleep)


def verify(
    server: ProxyServer,
    folder: Path,
    bad: list[Handle],
    time: FakeClock | None = None,
    *,
    http: HttpSettings = HTTP,
) -> tuple[dict[Handle, Outcome], set[str]]:
    """Outcomes of the twenty and the bad ones, and the content of the cache."""
    gate = gate_at(time or FakeClock(), RateLimit(tries=2))
    with (
        ProxyResolver(server.url, http=http, gate=gate) as resolver,
        SqliteCache(folder / "cache.sqlite") as cache,
    ):
        caching = CachingResolver(resolver, cache)
        handles = [*GOOD[:12], *bad, *GOOD[12:]]
        outcomes = resolve_many(handles, caching, connections=4)
        return outcomes, {str(entry.handle) for entry in cache.entries()}


def assert_only_the_bad_one_is_unknown(
    outcomes: dict[Handle, Outcome], kept: set[str]
) -> None:
    assert {str(h) for h in GOOD if isinstance(outcomes[h], Resolved)} == {
        str(handle) for handle in GOOD
    }
    assert kept == {handle.comparison_key for handle in GOOD}


@pytest.mark.parametrize(
    "names",
    [WAITING, *([name] for name in FAULTS if name not in WAITING)],
    ids=" ".join,
)
def test_a_fault_is_unreachable_and_costs_nobody_else(
    names: list[str], tmp_path: Path
) -> None:
    """A fault is unreachable and not cached; the other twenty handles resolve.

    A try lasts no longer than the time-out, there are two at most, and the second
    begins no more than a second after the first.
    """
    time = FakeClock()
    bad = {Handle("20.1000", name): name for name in names}
    begun: list[float] = []

    def noted(name: str) -> Fault:
        def fault(handler: BaseHTTPRequestHandler) -> None:
            begun.append(time.monotonic())
            FAULTS[name](handler)

        return fault

    faults: dict[str, Record] = {str(each): noted(name) for each, name in bad.items()}
    with running({**RECORDS, **faults}) as server:
        http = IMPATIENT if names is WAITING else HTTP
        outcomes, kept = verify(server, tmp_path, [*bad], time, http=http)
        asked = server.asked

    for handle, name in bad.items():
        outcome = outcomes[handle]
        assert isinstance(outcome, Unreachable)
        assert outcome.reason.startswith(REASONS[name])
        tries = 1 if name in ONCE else 2
        assert asked[str(handle)] == (3 if "in circles" in outcome.reason else tries)
    assert_only_the_bad_one_is_unknown(outcomes, kept)
    assert all(asked[str(handle)] == 1 for handle in GOOD)
    assert begun[-1] - begun[0] <= 1.0


def test_a_server_that_cannot_be_trusted_costs_nobody_else(tmp_path: Path) -> None:
    """The next resolver decides, unless only the faulty server may know the handle."""
    said: list[str] = []
    with (
        encrypted(RECORDS) as untrusted,
        running(RECORDS) as server,
        SqliteCache(tmp_path / "cache.sqlite") as cache,
    ):
        proxies = [
            ProxyResolver(
                each.url, http=HTTP, notice=said.append, gate=gate_at(FakeClock())
            )
            for each in (untrusted, server)
        ]
        with ResolverChain(CachingResolver(proxy, cache) for proxy in proxies) as chain:
            unknown = chain.resolve(BAD)
            outcomes = resolve_many(GOOD, chain, connections=4)
        kept = {(entry.resolver, str(entry.handle)) for entry in cache.entries()}

    assert isinstance(unknown, Unreachable)
    assert unknown.reason.startswith("TLS: ")
    assert all(isinstance(outcomes[handle], Resolved) for handle in GOOD)
    assert untrusted.requests == []
    assert kept == {(server.url, str(handle)) for handle in (BAD, *GOOD)}
    host = urlsplit(untrusted.url).netloc
    assert said == [f"not asked: {host} has failed 12 times in a row"]


def test_a_redirect_to_another_host_is_not_followed(tmp_path: Path) -> None:
    """Only the configured server is asked."""
    with running({}) as other:
        elsewhere = f"{other.url}api/handles/{BAD}"
        with running({**RECORDS, str(BAD): redirect_to(elsewhere)}) as server:
            outcomes, kept = verify(server, tmp_path, [BAD])

        assert outcomes[BAD] == Unreachable(f"it redirects elsewhere, to {elsewhere}")
        assert other.requests == []
    assert_only_the_bad_one_is_unknown(outcomes, kept)


@pytest.mark.parametrize("base", ["/", "{url}"])
def test_a_redirect_on_the_same_server_is_followed(tmp_path: Path, base: str) -> None:
    """A proxy may move its interface to another path or address of its own."""
    with running({"20.1000/moved": {"handle": str(BAD), "values": []}}) as server:
        target = f"{base.format(url=server.url)}api/handles/20.1000/moved"
        server.records[str(BAD)] = redirect_to(target)
        outcomes, _ = verify(server, tmp_path, [BAD])

    assert isinstance(outcomes[BAD], Resolved)


def test_a_server_that_is_not_there_is_given_up(tmp_path: Path) -> None:
    """The resolver gives up after a dozen handles, with one message."""
    said: list[str] = []
    handles = [Handle("20.1000", str(number)) for number in range(100)]
    gate = gate_at(FakeClock())
    with (
        nobody_at() as gone,
        ProxyResolver(gone, http=HTTP, notice=said.append, gate=gate) as resolver,
        SqliteCache(tmp_path / "cache.sqlite") as cache,
    ):
        caching = CachingResolver(resolver, cache)
        outcomes = resolve_many(handles, caching, connections=1)
        assert cache.entries() == []

    refusal = f"not asked: {urlsplit(gone).netloc} has failed 12 times in a row"
    assert Counter(str(outcome.reason) for outcome in outcomes.values()) == {
        "no connection to 127.0.0.1: Connection refused": 12,
        refusal: 88,
    }
    assert said == [refusal]


def test_a_server_that_always_fails_is_soon_left_in_peace() -> None:
    """Three handles are tried three times, nine once, and the rest not at all."""
    handles = [Handle("20.1000", str(number)) for number in range(100)]
    everything = {str(handle): FAULTS["500"] for handle in handles}

    with running(everything) as server:
        gate = gate_at(FakeClock())
        with ProxyResolver(server.url, http=HTTP, gate=gate) as resolver:
            resolve_many(handles, resolver, connections=1)

        assert server.asked.total() == 3 * 3 + 9
