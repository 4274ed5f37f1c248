"""`handle_system.resolving.cache`: SQLite files and a Redis server."""

import itertools
import json
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from handle_system.handle import Handle
from handle_system.resolving.cache import (
    _TABLE,
    CachingResolver,
    RedisCache,
    SqliteCache,
    open_cache,
)
from handle_system.resolving.outcomes import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
    outcome_to_json,
)
from handle_system.resolving.records import HandleRecord
from handle_system.resolving.resolvers import ProxyResolver, ResolverChain
from tests.background import nobody_at
from tests.hostile_redis import ANSWERS, Answer, hostile_redis
from tests.proxy_server import running

DAY = 86_400
START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC).timestamp()
A, B = Handle("20.1000", "a"), Handle("20.1000", "b")
PLAIN = Resolved(HandleRecord.of_url(A, "https://example.org/"))
OUTCOMES: list[Outcome] = [
    PLAIN,
    Resolved(PLAIN.record, (B,), "a dead end"),
    NotRegistered(),
    NoValues(),
    Refused(402),
]


class Moment:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds = START

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on a free port of loopback, with a password."""
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        pytest.skip("there is neither redis-server nor valkey-server")
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    folder = ["--dir", str(tmp_path_factory.mktemp("redis")), "--requirepass", "secret"]
    log = subprocess.PIPE
    with subprocess.Popen(
        [program, *options, *folder], stdout=log, text=True
    ) as server:
        assert server.stdout is not None
        for line in server.stdout:
            if "Ready to accept connections" in line:
                break
        yield f"redis://:secret@127.0.0.1:{port}/0"
        server.kill()


@pytest.fixture(params=["sqlite", "redis"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a cache, of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "folder" / "cache.sqlite")
    url: str = request.getfixturevalue("redis_url")
    return url


def name_of(place: str) -> str:
    """The name of a resolver; each test has its own at the shared server."""
    return f"{place} {time.monotonic_ns()}"


@pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda each: str(each.name))
def test_an_outcome_comes_back_as_it_was(place: str, outcome: Outcome) -> None:
    """An outcome is kept by resolver and handle across runs; an unreachable one is not."""
    name = name_of(place)
    with open_cache(place) as cache:
        cache.remember(name, A, outcome)
        cache.close()
        cache.remember(name, A, Unreachable("no answer"))
        cache.remember(name, B, Unreachable("no answer"))

        assert cache.recall(name, A) == outcome
        assert cache.provenance[A].answered > 1_700_000_000
        assert cache.recall(f"another {name}", A) is None
        assert cache.recall(name, B) is None


def test_outcomes_that_are_held_back_are_written_together(tmp_path: Path) -> None:
    """Until `flush`, one object alone knows them; any use of the whole cache, and its end,
    write them, too.
    """
    path = tmp_path / "c"
    with (
        SqliteCache(path, holds_back=True) as cache,
        SqliteCache(path) as other,
    ):
        cache.remember("p", A, NotRegistered())
        assert (cache.recall("p", A), other.recall("p", A)) == (NotRegistered(), None)
        cache.remember("p", A, NoValues())
        cache.flush()
        assert other.recall("p", A) == cache.recall("p", A) == NoValues()

        cache.remember("p", B, NoValues())
        assert len(cache.entries()) == len(other.entries()) == 2
        cache.remember("p", A, NotRegistered())
        assert cache.forget(A) == 1
        cache.remember("q", A, NoValues())
        cache.close()
        assert [(entry.resolver, entry.handle) for entry in other.entries()] == [
            ("p", B),
            ("q", A),
        ]


def with_ttl(ttl: object) -> Resolved:
    value = {"index": 1, "type": "URL", "data": "https://a/", "ttl": ttl}
    return Resolved(HandleRecord.from_json(A, [value]))


@pytest.mark.parametrize(
    ("outcome", "least", "most"),
    [
        (with_ttl(60), 0.8 * 14 * DAY, 1.2 * 14 * DAY),
        (with_ttl(100 * DAY), 80 * DAY, 120 * DAY),
        (with_ttl("2027-11-20T12:00:00Z"), 0.8 * 365 * DAY, 1.2 * 365 * DAY),
        (with_ttl(10**30), 0.8 * 365 * DAY, 1.2 * 365 * DAY),
        (with_ttl(-5), 0.8 * 14 * DAY, 1.2 * 14 * DAY),
        *((outcome, 3600, 3600) for outcome in OUTCOMES[1:]),
    ],
)
def test_an_outcome_is_believed_for_its_time(
    tmp_path: Path, outcome: Outcome, least: float, most: float
) -> None:
    """A record holds for its TTL or 14 days, give or take a fifth; others for an hour."""
    now = Moment()
    with SqliteCache(tmp_path / "c", now=now) as cache:
        cache.remember("p", A, outcome)
        (entry,) = cache.entries()
        lifetime = entry.until - START
        now.seconds = entry.until - 1
        assert cache.recall("p", A) is not None
        now.seconds = entry.until
        assert cache.recall("p", A) is None
        now.seconds = START - 3601
        assert cache.recall("p", A) is None

    assert least <= lifetime <= most


def test_handles_are_not_all_due_at_once(tmp_path: Path) -> None:
    """The times of a thousand handles are spread over the whole range."""
    with SqliteCache(tmp_path / "c", now=Moment()) as cache:
        for number in range(200):
            cache.remember("p", Handle("20.1000", str(number)), PLAIN)
        days = sorted((each.until - START) / DAY for each in cache.entries())

    assert 11.2 <= days[0] < 11.6
    assert 16.4 < days[-1] <= 16.8


def test_redis_forgets_by_itself(redis_url: str) -> None:
    """Each key has its time to live in Redis."""
    name = name_of(redis_url)
    with RedisCache(redis_url) as cache:
        cache.remember(name, A, NotRegistered())
        cache.remember(name, B, PLAIN)
        short, long = (
            cache._client.time_to_live(cache._key(name, each)) for each in (A, B)
        )

    assert 3590 <= short <= 3600
    assert 0.8 * 14 * DAY - 10 <= long <= 1.2 * 14 * DAY


RESOLVED: dict[str, object] = {
    "asked": 1763640000,
    **outcome_to_json(PLAIN),
}
MALFORMED: list[dict[str, object]] = [
    {"values": {}},
    {"values": [{"index": 1}]},
    {"aliases": [1]},
    {"handle": "no handle"},
    {"handle": 7},
    {"dead_end": 7},
]


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"\xff", b"{", b"null", b"[" * 100_000, b'{"asked":1}'),
        b'{"asked":"x","outcome":"no-values"}',
        b'{"asked":1763640000,"outcome":"refused","code":"402"}',
        b'{"asked":1763640000,"outcome":"resolved"}',
        b" " * 5_000_000 + b'{"asked":1763640000,"outcome":"no-values"}',
        b'{"asked":1e999,"outcome":"no-values"}',
        b'{"asked":99999999999999999999,"outcome":"no-values"}',
        *(json.dumps(RESOLVED | change).encode() for change in MALFORMED),
    ],
)
def test_a_malformed_entry_is_none(place: str, body: bytes) -> None:
    """A malformed entry is ignored, and the resolver is asked again."""
    name = name_of(place)
    with open_cache(place) as cache:
        cache.remember(name, A, NoValues())
        if isinstance(cache, SqliteCache):
            cache._run("UPDATE answers SET body = :body", body=body)
            assert cache.entries() == []
        elif isinstance(cache, RedisCache):
            cache._client.set(cache._key(name, A), body, 60)

        assert cache.recall(name, A) is None


@pytest.mark.parametrize(
    "change",
    ["until = 'x'", "until = -1e30", "until = 1e30", "until = 9e17", "asked = 4e9"],
)
def test_a_malformed_row_is_skipped(tmp_path: Path, change: str) -> None:
    """A row with wrong times is skipped and pruned."""
    with SqliteCache(tmp_path / "c") as cache:
        cache.remember("p", A, PLAIN)
        cache._run(f"UPDATE answers SET {change}, handle = CAST(X'FF' AS TEXT)")  # noqa: S608 (constants)
        cache.remember("p", A, PLAIN)
        (entry,) = cache.entries()

        assert cache.recall("p", A) == PLAIN
        assert cache.last_asked()[A.comparison_key] == entry.asked
        assert cache.prune() == 1


def test_pruning_forgets_what_is_no_longer_believed(tmp_path: Path) -> None:
    """Pruning removes expired outcomes, and keeps the rest."""
    now = Moment()
    with SqliteCache(tmp_path / "c", now=now) as cache:
        cache.remember("p", A, PLAIN)
        cache.remember("p", B, NotRegistered())
        now.seconds += DAY

        assert (cache.prune(), cache.prune()) == (1, 0)
        assert [entry.handle for entry in cache.entries()] == [A]


def warning_of(place: str | Path) -> str:
    """The one warning of an unusable cache, which loses no outcome."""
    said: list[str] = []
    with open_cache(place, warn=said.append) as cache:
        for _ in range(3):
            cache.remember("p", A, PLAIN)
            assert cache.recall("p", A) is None
    (line,) = said
    return line


def database(*statements: str) -> bytes:
    """A file of SQLite."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in statements:
            connection.execute(statement)
        return bytes(connection.serialize())


OURS = f"PRAGMA application_id = {0x68646C43}"
FOREIGN = {
    "text": b"This is a letter to a friend.\n" * 100,
    "magic": b"SQLite format 3\0" + bytes(84),
    "later format": database(OURS, "PRAGMA user_version = 99"),
    "another program's": database("CREATE TABLE answers (precious TEXT)"),
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_a_file_that_is_no_cache_is_left_alone(tmp_path: Path, content: bytes) -> None:
    """A foreign file is neither moved nor written; the run goes on without a cache."""
    path = tmp_path / "id_rsa"
    path.write_bytes(content)

    assert warning_of(path) == (
        f"the cache {path} cannot be used: "
        "the file is not a cache of this version, and stays as it is"
    )
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


ENDLESS = """CREATE VIEW answers AS WITH RECURSIVE n(x) AS
    (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS body FROM n"""
OTHER_SHAPES = {
    "damaged": database(OURS, _TABLE)[:100] + b"\xff" * 20_000,
    "earlier": database(OURS, "CREATE TABLE answers (resolver TEXT, sum INTEGER)"),
    "endless": database(OURS, ENDLESS),
    "trigger": database(
        OURS,
        _TABLE,
        "CREATE TRIGGER t AFTER INSERT ON answers BEGIN DELETE FROM answers; END",
    ),
}


@pytest.mark.parametrize("content", OTHER_SHAPES.values(), ids=OTHER_SHAPES)
def test_a_cache_of_another_shape_is_replaced(tmp_path: Path, content: bytes) -> None:
    """A cache of another version is replaced, with one warning."""
    said: list[str] = []
    path = tmp_path / "c"
    path.write_bytes(content)
    with SqliteCache(path, warn=said.append) as cache:
        assert cache.recall("p", A) is None
        cache.remember("p", A, PLAIN)
        assert [entry.handle for entry in cache.entries()] == [A]

    assert said == [f"the cache {path} was damaged or outdated: a new one begins"]
    assert [each.name for each in tmp_path.iterdir()] == ["c"]


@pytest.mark.parametrize("name", ["folder", "dangling link", "file/c"])
def test_a_place_that_cannot_hold_a_file_is_done_without(
    tmp_path: Path, name: str
) -> None:
    """An unusable path is one warning, and no outcome is lost."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling link").symlink_to(tmp_path / "gone" / "c")
    (tmp_path / "file").touch()
    path = tmp_path / name

    assert warning_of(path).startswith(f"the cache {path} cannot be used: ")


def test_a_server_that_is_down_costs_one_warning() -> None:
    """The warning names the server without its password."""
    pytest.importorskip("redis")
    with nobody_at() as gone:
        server = gone.removeprefix("http://").rstrip("/")
        line = warning_of(f"redis://me:secret@{server}/0")

    assert line.startswith(f"the cache at {server} cannot be used: ")
    assert "secret" not in line


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_hostile_server_is_a_cache_that_is_down(
    monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    """No answer holds up, fills or breaks the run; there is one warning."""
    pytest.importorskip("redis")
    monkeypatch.setattr("handle_system.resolving.cache._REDIS_SECONDS", 0.5)
    with hostile_redis(answer) as server:
        line = warning_of(f"redis://:secret@{server}/0")

    assert line.startswith(f"the cache at {server} cannot be used: ")
    assert "secret" not in line
    assert "\x1b" not in line


def test_a_server_whose_keys_do_not_end_is_a_cache_that_is_down() -> None:
    """To forget a handle reads a bounded number of names."""
    pytest.importorskip("redis")
    answers = 0
    lines: list[str] = []

    def more_keys(peer: socket.socket) -> None:
        nonlocal answers
        answers += 1
        keys = (f"{answers}-{number}" for number in range(1000))
        listed = "".join(f"${len(key)}\r\n{key}\r\n" for key in keys)
        peer.sendall(f"*2\r\n$1\r\n1\r\n*1000\r\n{listed}".encode())

    with (
        hostile_redis(more_keys) as server,
        open_cache(f"redis://{server}/0?protocol=2", warn=lines.append) as cache,
    ):
        forgotten = cache.forget(A)

    assert forgotten == 0
    assert lines == [
        f"the cache at {server} cannot be used: more than 10,000 keys of one handle"
    ]
    # The client introduces itself with at most two commands.
    assert answers <= 11 + 2


def test_a_server_that_is_always_slow_is_a_cache_that_is_down() -> None:
    """Operations that are each in time hold a run up no longer than their allowance."""
    pytest.importorskip("redis")
    lines: list[str] = []
    seconds = itertools.count(0.0, 4.25)
    operations = 0

    def nothing(peer: socket.socket) -> None:
        nonlocal operations
        operations += 1
        peer.sendall(b"$0\r\n\r\n")

    with (
        hostile_redis(nothing) as server,
        RedisCache(
            f"redis://{server}/0?protocol=2",
            warn=lines.append,
            monotonic=lambda: next(seconds),
        ) as cache,
    ):
        for _ in range(100):
            assert cache.recall("a resolver", A) is None

    assert lines == [
        f"the cache at {server} cannot be used: it has held this run up for 30 seconds"
    ]
    # Eight waits of four seconds, and what the client sends to introduce itself.
    assert operations <= 8 + 2


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("redis://me:secret@[::1", "is not the URL of a Redis server"),
        ("redis://me:secret@a:x/0", "is not the URL of a Redis server"),
        ("redis://:1234/secret@host/0", "is not the URL of a Redis server"),
        ("redis://:secret?x@host/0", "is not the URL of a Redis server"),
        ("https://me:secret@host/", "is neither a path nor the URL of a Redis server"),
    ],
)
def test_error_on_a_url_that_is_none_of_redis(url: str, reason: str) -> None:
    """The error shows no part of a password."""
    pytest.importorskip("redis")
    with pytest.raises(ValueError, match=reason) as caught:
        open_cache(url)

    assert "secret" not in str(caught.value)
    assert "1234" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["REDIS", "Redis", "unix", "UNIX"])
def test_the_scheme_of_a_cache_has_any_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    """A URL with a password never becomes the name of a folder."""
    pytest.importorskip("redis")
    monkeypatch.chdir(tmp_path)
    with nobody_at() as gone:
        server = gone.removeprefix("http://").rstrip("/")
        line = warning_of(f"{scheme}://:secret@{server}/nobody.sock")

    assert line.startswith("the cache at ")
    assert "secret" not in line
    assert list(tmp_path.iterdir()) == []


def test_a_caching_resolver_takes_only_good_news_from_the_cache(
    tmp_path: Path,
) -> None:
    """Later runs ask again for all else; resolvers that share it have their own entries."""
    outcomes = []
    with (
        running({str(A): "https://one.example/"}) as one,
        running({str(A): "https://two.example/"}) as two,
    ):
        for server in (one, two, one, two):
            proxy = ProxyResolver(server.url)
            with CachingResolver(proxy, tmp_path / "c") as caching:
                outcomes += [caching.resolve(A).target, str(caching.resolve(B).name)]

        assert one.asked == two.asked == {str(A): 1, str(B): 2}
    found = ["https://one.example/", "not-registered"]
    assert outcomes == [*found, "https://two.example/", "not-registered"] * 2


class Saying:
    """A resolver that gives the outcome that a test sets."""

    name = "p"

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    def resolve(self, _handle: Handle) -> Outcome:
        return self.outcome


@pytest.mark.parametrize("outcome", OUTCOMES[1:], ids=lambda each: str(each.name))
@pytest.mark.parametrize("now", [PLAIN, NotRegistered()], ids=["good", "bad"])
def test_bad_news_is_what_is_true_now(
    place: str, outcome: Outcome, now: Outcome
) -> None:
    """The newest answer replaces bad news; without one, the older answer counts."""
    saying = Saying(outcome)
    saying.name = name_of(place)
    with open_cache(place) as cache:
        caching = CachingResolver(saying, cache)
        assert caching.resolve(A) == outcome
        given = cache.provenance.pop(A)
        assert (given.is_remembered, given.caveat) == (False, "")

        saying.outcome = Unreachable("no answer")
        assert caching.resolve(A) == outcome
        older = cache.provenance.pop(A)
        moment = datetime.fromtimestamp(given.answered, UTC)
        assert older.is_remembered
        assert older.caveat == (
            f"this is the answer of {moment:%Y-%m-%d %H:%M} UTC, and there is none "
            "now: no answer"
        )

        saying.outcome = now
        assert caching.resolve(A) == now
        assert cache.provenance.pop(A).caveat == ""


def test_good_news_can_be_asked_for_again(tmp_path: Path) -> None:
    """With `always_ask`, the cache counts only if there is no answer."""
    saying = Saying(PLAIN)
    other = Resolved(HandleRecord.of_url(A, "https://other.example/"))
    with SqliteCache(tmp_path / "c") as cache:
        caching = CachingResolver(saying, cache, always_ask=True)
        caching.resolve(A)
        assert caching.recall(A) is None
        saying.outcome = Unreachable("no answer")
        assert caching.resolve(A) == PLAIN
        saying.outcome = other
        assert caching.resolve(A) == other
        assert CachingResolver(saying, cache).recall(A) == other


def test_a_joint_outcome_is_as_old_as_its_oldest_part(tmp_path: Path) -> None:
    """If one of several resolvers gives no answer now, the outcome says so."""
    first, second = Saying(NotRegistered()), Saying(NotRegistered())
    second.name = "q"
    with SqliteCache(tmp_path / "c") as cache:
        chain = ResolverChain(
            [CachingResolver(each, cache) for each in (first, second)]
        )
        chain.resolve(A)
        cache.provenance.clear()
        first.outcome = Unreachable("no answer")

        assert chain.resolve(A) == NotRegistered()
        assert cache.provenance[A].caveat.endswith("there is none now: no answer")


@pytest.mark.parametrize("suffix", ["a", "a*", "[a]?^", "a\\", "日本"])
def test_a_handle_is_forgotten(place: str, suffix: str) -> None:
    """All resolvers' outcomes of the handle are forgotten, and of no other."""
    name = name_of(place)
    handle = Handle(f"20.{time.monotonic_ns()}", suffix)
    other = Handle(handle.prefix, f"{suffix}b")
    with open_cache(place) as cache:
        for resolver in (name, f"{name}/2"):
            cache.remember(resolver, handle, PLAIN)
        cache.remember(name, other, NoValues())

        assert (cache.forget(handle), cache.forget(handle)) == (2, 0)
        assert cache.recall(name, handle) is None
        assert cache.recall(name, other) == NoValues()


def test_the_body_in_a_cache_is_plain_json(tmp_path: Path) -> None:
    """Other programs can read the entries."""
    with SqliteCache(tmp_path / "c", now=Moment()) as cache:
        cache.remember("p", A, Refused(402))
        ((body,),) = cache._run("SELECT body FROM answers")

    assert json.loads(body) == {"asked": START, "outcome": "refused", "code": 402}
