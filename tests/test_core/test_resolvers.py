"""Resolvers: a proxy, a file of records, a chain of both; built from text."""

import json
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from itertools import product
from pathlib import Path

import pytest

from handle_system.handle import Handle
from handle_system.ignored_case import IgnoredCase
from handle_system.resolving import HttpSettings, resolvers
from handle_system.resolving.building import build_resolver
from handle_system.resolving.cache import CachingResolver, SqliteCache
from handle_system.resolving.gate import Budget, Gate, RateLimit
from handle_system.resolving.many import resolve_many
from handle_system.resolving.outcomes import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.records import HandleRecord
from handle_system.resolving.resolvers import (
    ProxyResolver,
    RecordsFileError,
    RecordsResolver,
    Resolver,
    ResolverChain,
    close_resolver,
    is_global,
)
from tests.background import FakeClock
from tests.faults import busy, reset, rightly, sending
from tests.proxy_server import Fault, Record, alias_of, running

X = Handle("20.1000", "x")


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
    """Dots, slashes and escapes of the path reach the server unchanged."""
    with running({handle: "https://example.org/"}) as server:
        with ProxyResolver(server.url) as resolver:
            outcome = resolver.resolve(Handle.parse(handle))

        assert server.requests == [path]
        assert isinstance(outcome, Resolved)


def test_an_answer_may_hold_for_a_whole_run() -> None:
    """Many aliases of one handle cost one request for that handle."""
    records: dict[str, Record] = {
        **{f"20.1/{number}": alias_of("20.1/target") for number in range(40)},
        "20.1/target": "https://example.org/",
    }
    with (
        running(records) as server,
        ProxyResolver(server.url, once=True) as resolver,
    ):
        outcomes = resolve_many(map(Handle.parse, records), resolver, connections=8)

        assert server.asked == dict.fromkeys(records, 1)
    assert {each.target for each in outcomes.values()} == {"https://example.org/"}


def first_then(first: Fault) -> Fault:
    """A fault for one request, then right answers."""
    faults = iter([first])

    def take_turns(handler: BaseHTTPRequestHandler) -> None:
        next(faults, rightly())(handler)

    return take_turns


UNREGISTERED = sending(b'{"responseCode":100,"handle":"20.1000/x"}', status=404)
# The pauses follow from it; no test waits for its end.
HALF_A_MINUTE = HttpSettings(timeout=30.0)


@pytest.fixture
def time() -> FakeClock:
    return FakeClock()


def resolver_at(url: str, time: FakeClock) -> ProxyResolver:
    gate = Gate(RateLimit(), monotonic=time.monotonic, sleep=time.sleep)
    return ProxyResolver(url, http=HALF_A_MINUTE, gate=gate)


@pytest.mark.parametrize(
    ("fault", "sleeps"),
    [
        (busy("2"), [2.0]),
        (busy("0"), []),
        (busy("Fri, 20 Nov 2020 11:00:00 GMT"), []),
        (busy(None), [0.2]),
        (busy("soon"), [0.2]),
        (sending(b"", status=503, headers={"Retry-After": "1"}), [1.0]),
        (sending(b"", status=500, headers={"Retry-After": "1"}), [0.2]),
        # As the responsible server that was silent for a moment.
        (sending(b'{"responseCode":2,"handle":"20.1000/x"}', status=500), [0.2]),
        (reset, [0.2]),
    ],
)
def test_a_try_that_failed_is_repeated_when_the_server_says(
    time: FakeClock, fault: Fault, sleeps: list[float]
) -> None:
    """The next try waits for `Retry-After`, in seconds or as a date, else for a moment."""
    with (
        running({str(X): first_then(fault)}) as server,
        resolver_at(server.url, time) as resolver,
    ):
        outcome = resolver.resolve(X)

        assert isinstance(outcome, Resolved)
        assert server.asked[str(X)] == 2
    assert time.sleeps == sleeps


@pytest.mark.parametrize(("seconds", "tries"), [("61", 2), ("62", 1)])
def test_no_pause_is_longer_than_the_tries_would_take(
    time: FakeClock, seconds: str, tries: int
) -> None:
    """A long `Retry-After` is cut to the time of the tries."""
    with (
        running({str(X): busy(seconds)}) as server,
        resolver_at(server.url, time) as resolver,
    ):
        outcome = resolver.resolve(X)

        assert isinstance(outcome, Unreachable)
        assert server.asked[str(X)] == tries


def test_all_wait_when_one_was_told_to(time: FakeClock) -> None:
    """A pause holds all requests to the server."""
    with (
        running({str(X): busy("86400"), "20.1000/y": rightly()}) as server,
        resolver_at(server.url, time) as resolver,
    ):
        resolver.resolve(X)
        before = list(time.sleeps)
        outcome = resolver.resolve(Handle("20.1000", "y"))

    assert isinstance(outcome, Resolved)
    assert (before, time.sleeps) == ([], [61.0])


@pytest.mark.parametrize(
    ("second", "name"),
    [
        (rightly(), "resolved"),
        (UNREGISTERED, "not-registered"),
        # A proxy that takes no such parameter has said what it knows.
        (sending(b"", status=403), "not-registered"),
    ],
)
def test_a_global_proxy_is_asked_twice_before_a_handle_is_unregistered(
    second: Fault, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first answer may come from the proxy's cache, so a second one is asked for."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        (second if handler.path.endswith("?auth=true") else UNREGISTERED)(handler)

    monkeypatch.setattr(resolvers, "GLOBAL_HOSTS", {"127.0.0.1"})
    budget = Budget(2)
    with (
        running({str(X): answer}) as server,
        ProxyResolver(server.url, budget=budget) as resolver,
    ):
        outcome = resolver.resolve(X)

        path = "/api/handles/20.1000/x"
        assert server.requests == [path, f"{path}?auth=true"]
    assert outcome.name == name
    assert not budget.take()


def test_a_budget_bounds_the_handles_that_are_asked_for() -> None:
    """Aliases count, and all resolvers of a run share the budget."""
    budget = Budget(3)
    records: dict[str, Record] = {
        "20.1/alias": alias_of("20.1/target"),
        "20.1/target": "https://example.org/",
        str(X): "https://example.org/",
    }
    with (
        running(records) as server,
        ProxyResolver(server.url, budget=budget) as one,
        ProxyResolver(server.url, budget=budget) as two,
    ):
        first = [one.resolve(Handle.parse("20.1/alias")), two.resolve(X)]
        late = one.resolve(X)

        assert len(server.requests) == 3
    assert all(isinstance(each, Resolved) for each in first)
    assert late == Unreachable("not asked: the budget of 3 handles is spent")


def test_a_limit_bounds_the_connections_whatever_the_caller_asks() -> None:
    """Sixteen threads use two connections."""
    handles = [Handle("20.1000", str(number)) for number in range(60)]
    with (
        running({}) as server,
        ProxyResolver(server.url, gate=Gate(RateLimit(connections=2))) as resolver,
    ):
        resolve_many(handles, resolver, connections=16)

        assert server.most_connections <= 2
        assert len(server.requests) == 60


RECORDS: Mapping[str, object] = {
    "10.1000/One": "https://example.org/one",
    "20.1000/2": {
        "responseCode": 1,
        "handle": "20.1000/2",
        "values": [{"index": 1, "type": "URL", "data": "https://example.org/two"}],
    },
    "20.1000/empty": {"responseCode": 200, "values": []},
    "20.1000/alias": {
        "values": [{"index": 1, "type": "HS_ALIAS", "data": "20.1000/2"}]
    },
}


def test_a_file_of_records_resolves_what_is_in_it(tmp_path: Path) -> None:
    """A record is a URL, an answer of the REST interface or an alias; DOIs ignore case."""
    path = tmp_path / "records.json"
    path.write_bytes(json.dumps(RECORDS).encode("utf-8-sig"))
    resolver = RecordsResolver.from_file(path)
    texts = ("10.1000/oNE", "20.1000/2", "20.1000/alias", "20.1000/empty", "20.1000/3")
    outcomes = [resolver.resolve(Handle.parse(text)) for text in texts]

    assert isinstance(resolver, Resolver)
    assert [outcome.target for outcome in outcomes[:3]] == [
        "https://example.org/one",
        "https://example.org/two",
        "https://example.org/two",
    ]
    assert outcomes[3:] == [NoValues(), NotRegistered()]
    assert [str(handle) for handle in resolver.handles] == list(RECORDS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            (
                '{"20.1000/2": {"values": [{"index": 1, "type": "URL",'
                ' "data": {"format": "string", "value": 7}}]}}'
            ),
            (
                '["20.1000/2"]: values[0]: a value with an index, a type and data is '
                "expected, not {'index': 1, 'type': 'URL', 'data': {'format': 'string',"
            ),
        ),
        (
            '{"20.1000/2": {"handle": "20.1000/3", "values": []}}',
            "[\"20.1000/2\"]: it is about another handle: '20.1000/3'",
        ),
        (
            '{"20.1000/2": ["https://example.org/"]}',
            '["20.1000/2"]: a URL or an object is expected here',
        ),
        (
            '{"no handle": "https://example.org/"}',
            '["no handle"]: a handle is prefix/suffix, with no white space in the prefix',
        ),
        (
            '{"10.1/a": "https://a/", "10.1/A": "https://b/"}',
            '["10.1/A"]: the same handle stands before it',
        ),
        (
            '{"10.1/a": "https://a/", "10.1/a": "https://b/"}',
            'no valid JSON: "10.1/a" stands twice in one object',
        ),
        (
            '{\n  "10.1/a": nothing\n}',
            "no valid JSON: Expecting value: line 2 column 13",
        ),
        ('["10.1/a"]', "an object is expected"),
        ('{"10.1/a": {"n": NaN}}', "no valid JSON: NaN is not JSON"),
        ('{"10.1/a": ' + "[" * 100_000, "no valid JSON: maximum recursion depth"),
        (
            b'{"10.1/\xe4": "https://a/"}',
            "no valid JSON: 'utf-8' codec can't decode byte 0xe4 in position 7",
        ),
        (None, "it cannot be read: No such file or directory"),
    ],
)
def test_error_names_file_place_and_reason(
    tmp_path: Path, text: str | bytes | None, message: str
) -> None:
    """A malformed file is an error with its place when it is read."""
    path = tmp_path / "records.json"
    if text is not None:
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    with pytest.raises(RecordsFileError) as raised:
        RecordsResolver.from_file(path)

    assert str(raised.value).startswith(f"{path}: {message}")


THERE = Resolved(HandleRecord(X, ()))
SILENT, DEAF = Unreachable("silent"), Unreachable("deaf")


class Always:
    """A resolver with one outcome for every handle."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.asked: list[Handle] = []
        self.is_closed = False

    def resolve(self, handle: Handle, /) -> Outcome:
        self.asked.append(handle)
        return self.outcome

    def close(self) -> None:
        self.is_closed = True


def together(*outcomes: Outcome) -> Outcome:
    return ResolverChain(map(Always, outcomes)).resolve(X)


@pytest.mark.parametrize(
    ("outcomes", "outcome"),
    [
        ([THERE, NotRegistered()], THERE),
        ([NotRegistered(), THERE], THERE),
        ([SILENT, THERE], THERE),
        ([SILENT, NoValues(), THERE], NoValues()),
        ([NotRegistered(), SILENT], SILENT),
        ([SILENT, NotRegistered()], SILENT),
        ([SILENT, DEAF, SILENT], Unreachable("silent; deaf")),
        ([Refused(402), NotRegistered(), Refused(403)], Refused(402)),
        ([Refused(402), THERE], THERE),
        ([Refused(402), SILENT], SILENT),
    ],
)
def test_the_first_resolver_that_knows_decides(
    outcomes: list[Outcome], outcome: Outcome
) -> None:
    """The first resolver with an answer decides; without one, doubt outweighs denial."""
    assert together(*outcomes) == outcome


def test_not_registered_takes_all_of_them() -> None:
    """A handle is unregistered only if every resolver says so, in all combinations."""
    kinds: list[Outcome] = [THERE, NotRegistered(), NoValues(), Refused(402), SILENT]
    for three in product(kinds, repeat=3):
        denied = together(*three) == NotRegistered()
        assert denied == (set(map(type, three)) == {NotRegistered})


@pytest.mark.parametrize(
    ("outcome", "is_final"),
    [
        (Resolved(HandleRecord.of_url(X, "https://example.org/")), True),
        *((THERE, False), (NoValues(), False), (NotRegistered(), False)),
        *((Refused(402), False), (Resolved(THERE.record, (), "dead end"), False)),
    ],
)
def test_a_chain_recalls_what_no_other_resolver_can_change(
    tmp_path: Path, outcome: Outcome, *, is_final: bool
) -> None:
    """A remembered outcome counts only if it is good news, which no other can change."""
    cache = SqliteCache(tmp_path / "c")
    first = CachingResolver(Always(outcome), cache)
    chain = ResolverChain([first, Always(THERE)])

    assert chain.recall(X) is None
    first.resolve(X)
    assert chain.recall(X) == (outcome if is_final else None)
    chain.close()


def test_a_chain_asks_no_further_than_it_must_and_closes_all() -> None:
    """Resolvers are asked in order, up to the first answer."""
    last = Always(THERE)
    with ResolverChain([RecordsResolver({}), Always(NoValues()), last]) as chain:
        chain.resolve(X)

    assert (last.asked, last.is_closed) == ([], True)
    with pytest.raises(ValueError, match=r"^a chain of resolvers has at least one$"):
        ResolverChain([])


def test_a_handle_of_another_server_is_asked_of_the_next() -> None:
    """Code 301 means that the server is not responsible; the next one is asked."""
    body = {"responseCode": 301, "message": "hashed incorrectly"}
    with (
        running({str(X): body}) as one,
        running({str(X): "https://example.org/"}) as two,
    ):
        resolver = build_resolver([one.url, two.url])
        outcome = resolver.resolve(X)
        close_resolver(resolver)

    assert outcome.target == "https://example.org/"


class Everywhere(Always):
    """A resolver that speaks for the whole system."""

    is_global = True


def test_a_server_of_other_handles_hides_no_handle_that_is_not_registered(
    tmp_path: Path,
) -> None:
    """One's own server has no say about a DOI that the public proxy does not know."""
    elsewhere = Unreachable("response code 301", is_elsewhere=True)
    own = Always(elsewhere)
    public = CachingResolver(Everywhere(NotRegistered()), SqliteCache(tmp_path / "c"))

    def ask(*resolvers: Resolver) -> Outcome:
        return ResolverChain(resolvers).resolve(X)

    assert ask(own, public) == ask(public, own) == NotRegistered()
    assert ask(own, public, Always(Refused(402))) == Refused(402)
    assert ask(own, public, Always(SILENT)) == SILENT
    # A file of drafts knows nothing of others either.
    assert ask(own, Always(NotRegistered())) == elsewhere
    assert ask(own) == elsewhere
    public.close()


@pytest.mark.parametrize(
    ("url", "is_everywhere"),
    [("https://hdl.handle.net/", True), ("https://handle.example.org/", False)],
)
def test_global_proxies_speak_for_the_whole_system(
    url: str, *, is_everywhere: bool
) -> None:
    """Other proxies may know no more than the handles of their owner."""
    with ProxyResolver(url) as proxy:
        assert is_global(proxy) is is_everywhere


OWN = {
    "20.1000/draft": {
        "values": [{"index": 1, "type": "HS_ALIAS", "data": "10.1000/published"}]
    },
    "20.1000/own": "https://own.example/",
}
PUBLIC: dict[str, Record] = {
    "10.1000/published": "https://public.example/",
    "20.1000/own": "https://elsewhere.example/",
}


@pytest.mark.parametrize(
    ("written", "target"),
    [
        ("20.1000/own", "https://own.example/"),
        ("20.1000/draft", "https://public.example/"),
        ("10.1000/published", "https://public.example/"),
    ],
)
def test_resolvers_are_built_from_text(
    tmp_path: Path, written: str, target: str
) -> None:
    """A path is a file of records; aliases in it are followed through all resolvers."""
    path = tmp_path / "own.json"
    path.write_text(json.dumps(OWN))
    with running(PUBLIC) as server:
        cache = SqliteCache(tmp_path / "c.sqlite")
        texts = [str(path), server.url, server.url.rstrip("/")]
        for _ in range(2):
            resolver = build_resolver(texts, cache=cache)
            outcome = resolver.resolve(Handle.parse(written))
            close_resolver(resolver)
            assert outcome.target == target

        assert server.asked.total() == (0 if written == "20.1000/own" else 1)


def test_a_records_file_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A setting may spell the name of one file in many ways."""
    path = tmp_path / "records.json"
    path.write_text("{}")
    (tmp_path / "link.json").symlink_to(path)
    monkeypatch.chdir(tmp_path)
    read: list[object] = []
    read_file = RecordsResolver.from_file

    def count(name: str, *arguments: IgnoredCase) -> RecordsResolver:
        read.append(name)
        return read_file(name, *arguments)

    monkeypatch.setattr(RecordsResolver, "from_file", count)
    build_resolver(["link.json", *(f"{'./' * n}records.json" for n in range(800))])

    assert read == ["link.json"]


def test_resolvers_have_a_bound() -> None:
    """Each one may be asked for each handle."""
    with pytest.raises(ValueError, match=r"^there are more than 20 resolvers$"):
        build_resolver(f"https://{number}.example/" for number in range(21))
