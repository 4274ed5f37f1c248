"""`handle_system.resolving.proxy_resolver`: asking a proxy server over HTTP."""

import subprocess
import sys
from http.server import BaseHTTPRequestHandler

import pytest

from handle_system.handle import Handle
from handle_system.resolving.http_settings import HttpSettings
from handle_system.resolving.manners import Manners, RequestBudget
from handle_system.resolving.old_many import resolve_many
from handle_system.resolving.outcome import (
    NotRegistered,
    NoValues,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.proxy_resolver import ProxyResolver
from tests.fake_clock import FakeClock
from tests.faults import busy, reset, right_answer, send, sending
from tests.proxy_server import Fault, Record, alias_of, running


def test_importing_loads_no_http_library() -> None:
    """Who does not resolve over HTTP does not pay for it."""
    code = (
        "import sys, handle_system.resolving.proxy_resolver, handle_system.resolving.old_many;"
        "print(sorted({'urllib3', 'ssl', 'http.client', 'sqlite3'} & set(sys.modules)))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )

    assert done.stdout == "[]\n"


def test_every_answer_of_the_interface_has_its_outcome() -> None:
    """The response code decides, and a code that is no answer teaches nothing."""
    records: dict[str, Record] = {
        "20.1/there": "https://example.org/",
        "20.1/empty": {"responseCode": 200, "values": []},
        "20.1/secret": {"responseCode": 402},
        "20.9/unhomed": {
            "responseCode": 301,
            "message": "That prefix doesn't live here",
        },
        "20.1/silent": {"responseCode": 2},
    }
    with running(records) as server, ProxyResolver(server.url) as resolver:
        outcomes = [
            resolver.resolve(Handle.parse(text)) for text in (*records, "20.1/none")
        ]

    assert isinstance(outcomes[0], Resolved)
    assert outcomes[0].target == "https://example.org/"
    assert outcomes[1:] == [
        NoValues(),
        Refused(402),
        NotRegistered(),
        Unreachable("response code 2: the responsible server did not answer"),
        NotRegistered(),
    ]


@pytest.mark.parametrize(
    ("handle", "path"),
    [
        ("20.1/a/../b", "/api/handles/20.1/a/..%2Fb"),
        ("20.1/./a", "/api/handles/20.1/.%2Fa"),
        ("20.1/a/..", "/api/handles/20.1/a%2F.."),
        ("20.1//double//slash/", "/api/handles/20.1//double//slash/"),
        ("20.1/a%2Fb?c=d#e", "/api/handles/20.1/a%252Fb%3Fc=d%23e"),
        ("20.1/日本 +", "/api/handles/20.1/%E6%97%A5%E6%9C%AC%20%2B"),
        (
            "10.1002/(SICI)1:2<3::A>3.0.CO;2-V",
            "/api/handles/10.1002/(SICI)1:2%3C3::A%3E3.0.CO;2-V",
        ),
    ],
)
def test_the_path_arrives_as_it_was_encoded(handle: str, path: str) -> None:
    """Nothing between here and the server takes out dots, slashes or escapes."""
    with running({handle: "https://example.org/"}) as server:
        with ProxyResolver(server.url) as resolver:
            outcome = resolver.resolve(Handle.parse(handle))

        assert server.requests == [path]
        assert isinstance(outcome, Resolved)


@pytest.mark.parametrize(
    "base",
    [
        "ftp://example.org/",
        "https:///x",
        "https://me:secret@example.org/",
        "https://example.org/?q",
        "example.org",
    ],
)
def test_error_on_a_base_that_is_none(base: str) -> None:
    """A wrong configuration is said at once, not at the first handle."""
    with pytest.raises(ValueError) as raised:
        ProxyResolver(base)

    assert str(raised.value) == (
        f"{base!r} is not the base of a proxy: an http or https URL with a host, "
        "an optional port and path, and nothing else"
    )


def test_aliases_are_followed_at_the_same_proxy() -> None:
    """A request a step; the interface itself does not follow them."""
    records: dict[str, Record] = {
        "20.1/a": alias_of("20.1/b"),
        "20.1/b": alias_of("20.1/c"),
        "20.1/c": "https://example.org/",
        "20.1/loop": alias_of("20.1/loop"),
    }
    with running(records) as server, ProxyResolver(server.url) as resolver:
        found = resolver.resolve(Handle.parse("20.1/a"))
        stuck = resolver.resolve(Handle.parse("20.1/loop"))

        assert server.asked == dict.fromkeys(records, 1)
    assert isinstance(found, Resolved)
    assert found.target == "https://example.org/"
    assert [str(each) for each in found.aliases] == ["20.1/a", "20.1/b"]
    assert isinstance(stuck, Resolved)
    assert stuck.dead_end == "its aliases lead in a circle, back to 20.1/loop"


def first_then(first: Fault, number: int = 1) -> Fault:
    """A fault for so many requests, then a right answer."""
    left = [first] * number

    def take_turns(handler: BaseHTTPRequestHandler) -> None:
        (left.pop() if left else rightly)(handler)

    return take_turns


def rightly(handler: BaseHTTPRequestHandler) -> None:
    send(handler, right_answer(handler))


X = Handle("20.1000", "x")
# What stands in the following is worked out from it; nobody waits for its end.
HALF_A_MINUTE = HttpSettings(timeout=30.0)


@pytest.mark.parametrize(
    ("fault", "sleeps"),
    [
        (busy("2"), [2.0]),
        (busy("0"), []),
        (busy("Fri, 20 Nov 2026 12:00:02 GMT"), [2.0]),
        (busy("Fri, 20 Nov 2026 11:00:00 GMT"), []),
        (busy(None), [0.225]),
        (busy("soon"), [0.225]),
        (sending(b"", status=503, headers={"Retry-After": "1"}), [1.0]),
        (sending(b"", status=500, headers={"Retry-After": "1"}), [0.225]),
        (reset, [0.225]),
    ],
)
def test_a_try_that_failed_is_made_again_when_the_server_says(
    fault: Fault, sleeps: list[float]
) -> None:
    """`Retry-After` in seconds or as a date; else after a moment."""
    time = FakeClock()
    with (
        running({str(X): first_then(fault)}) as server,
        ProxyResolver(server.url, http=HALF_A_MINUTE, clock=time.clock) as resolver,
    ):
        outcome = resolver.resolve(X)

        assert isinstance(outcome, Resolved)
        assert server.asked[str(X)] == 2
    assert time.sleeps == sleeps


@pytest.mark.parametrize(("seconds", "tries"), [("61", 2), ("62", 1)])
def test_nobody_waits_longer_than_the_tries_would_take(
    seconds: str, tries: int
) -> None:
    """Three tries of half a minute, and a second for the pauses: the last begins then."""
    time = FakeClock()
    with (
        running({str(X): busy(seconds)}) as server,
        ProxyResolver(server.url, http=HALF_A_MINUTE, clock=time.clock) as resolver,
    ):
        outcome = resolver.resolve(X)

        assert isinstance(outcome, Unreachable)
        assert server.asked[str(X)] == tries


def test_all_wait_when_one_was_told_to() -> None:
    """The server meant everybody."""
    time = FakeClock()
    with (
        running({str(X): busy("86400"), "20.1000/y": rightly}) as server,
        ProxyResolver(server.url, http=HALF_A_MINUTE, clock=time.clock) as resolver,
    ):
        resolver.resolve(X)
        assert time.sleeps == []

        outcome = resolver.resolve(Handle("20.1000", "y"))

    assert isinstance(outcome, Resolved)
    assert time.sleeps == [61.0]


def test_a_budget_counts_requests() -> None:
    """Tries and aliases among them, over all who share it."""
    budget = RequestBudget(4)
    time = FakeClock()
    records: dict[str, Record] = {
        "20.1/alias": alias_of("20.1/target"),
        "20.1/target": "https://example.org/",
        "20.1000/x": sending(b"", status=500),
    }
    with (
        running(records) as server,
        ProxyResolver(server.url, budget=budget, clock=time.clock) as one,
        ProxyResolver(server.url, budget=budget, clock=time.clock) as two,
    ):
        found = one.resolve(Handle.parse("20.1/alias"))
        failed = two.resolve(X)
        late = one.resolve(Handle.parse("20.1/target"))

        assert len(server.requests) == 4
    spent = Unreachable("not asked: the budget of 4 requests is spent")
    assert isinstance(found, Resolved)
    assert (failed, late) == (spent, spent)
    assert budget.left == 0


def test_manners_bound_the_connections_whatever_the_caller_asks() -> None:
    """Sixteen threads, two connections."""
    handles = [Handle("20.1000", str(number)) for number in range(60)]
    manners = Manners(connections=2)
    with (
        running({}) as server,
        ProxyResolver(server.url, manners=manners) as resolver,
    ):
        resolve_many(handles, resolver, connections=16)

        assert server.most_connections <= 2
        assert len(server.requests) == 60


def test_one_who_is_given_up_is_asked_again_later() -> None:
    """And everybody is, once that one is answered."""
    time = FakeClock()
    manners = Manners(tries=1, give_up_after=2, give_up_for=30.0)
    with (
        running({str(X): first_then(sending(b"", status=500), 2)}) as server,
        ProxyResolver(server.url, manners=manners, clock=time.clock) as resolver,
    ):
        outcomes = [resolver.resolve(X) for _ in range(4)]
        time.pass_time(30.0)
        outcomes += [resolver.resolve(X) for _ in range(2)]

        assert len(server.requests) == 4
    names = [str(outcome.name) for outcome in outcomes]
    assert names == ["unreachable"] * 4 + ["resolved"] * 2
