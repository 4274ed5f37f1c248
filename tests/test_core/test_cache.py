"""`handle_system.resolving.old_cache`, `.cache_file`, `.cache_opening`: what is remembered."""

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from handle_system.handle import Handle
from handle_system.resolving.cache_file import CacheFile, CacheRow
from handle_system.resolving.cache_opening import set_aside
from handle_system.resolving.freshness import Freshness
from handle_system.resolving.old_cache import Cache
from handle_system.resolving.outcome import (
    NotRegistered,
    NoValues,
    Outcome,
    OutcomeName,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.record import HandleRecord
from handle_system.resolving.value import HandleValue
from handle_system.verifying.verdict import verdict_of
from tests.fake_clock import START, FakeClock

DAY = 86_400
P, Q = "https://p.example/", "https://q.example/"
ONE = Handle.parse("10.1000/One")
STEADY = Freshness(jitter=0.0)


def resolved(handle: Handle, ttl: int = DAY) -> Resolved:
    url = HandleValue(index=1, type="URL", data="https://example.org/", ttl=ttl)
    return Resolved(HandleRecord(handle, [url]))


def recall(cache: Cache, handle: Handle, resolver: str = P) -> Outcome | None:
    found = cache.recall(resolver, {handle.comparison_key: handle})
    return found.fresh.get(handle.comparison_key)


def test_what_is_remembered_is_recalled_by_the_next_process(tmp_path: Path) -> None:
    """By resolver and handle, in whatever case a DOI is written."""
    with Cache(tmp_path / "c") as cache:
        cache.remember(P, ONE, resolved(ONE))
        cache.remember(Q, ONE, NotRegistered())
        assert recall(cache, ONE) == resolved(ONE)

    with Cache(tmp_path / "c") as cache:
        shouted = Handle.parse("10.1000/ONE")
        recalled = recall(cache, shouted)
        assert isinstance(recalled, Resolved)
        assert recalled == resolved(ONE)
        assert str(recalled.record.handle) == "10.1000/ONE"
        assert recall(cache, ONE, Q) == NotRegistered()
        assert recall(cache, Handle.parse("10.1000/Two")) is None


def test_the_unreachable_leaves_no_row(tmp_path: Path) -> None:
    """And does not push out what was known."""
    with Cache(tmp_path / "c") as cache:
        cache.remember(P, ONE, resolved(ONE))
        cache.remember(P, ONE, Unreachable("no answer"))
        cache.remember(Q, ONE, Unreachable("no answer"))

        assert recall(cache, ONE) == resolved(ONE)
        assert [entry.resolver for entry in cache.entries()] == [P]


@pytest.mark.parametrize(
    ("outcome", "fresh_for"),
    [
        (resolved(ONE), 14 * DAY),
        (resolved(ONE, ttl=30 * DAY), 30 * DAY),
        (resolved(ONE, ttl=10**40), 365 * DAY),
        (NotRegistered(), 3600),
        (Refused(402), 3600),
        (Resolved(resolved(ONE).record, (), "a dead end"), 3600),
    ],
)
def test_an_outcome_is_believed_for_its_time(
    tmp_path: Path, outcome: Outcome, fresh_for: int
) -> None:
    """To the second, and not a second longer."""
    time = FakeClock()
    with Cache(tmp_path / "c", freshness=STEADY, clock=time.clock) as cache:
        cache.remember(P, ONE, outcome)
        time.pass_time(fresh_for - 1)
        assert recall(cache, ONE) == outcome

        time.pass_time(1)
        found = cache.recall(P, {ONE.comparison_key: ONE})

        assert found.fresh == {}
        assert found.asked == {ONE.comparison_key: int(START.timestamp())}


def test_other_bounds_hold_for_what_is_there_already(tmp_path: Path) -> None:
    """Freshness is worked out at each look."""
    time = FakeClock()
    with Cache(tmp_path / "c", clock=time.clock) as cache:
        cache.remember(P, ONE, NotRegistered())
    time.pass_time(60)

    strict = Freshness(negative=30)
    with Cache(tmp_path / "c", freshness=strict, clock=time.clock) as cache:
        assert recall(cache, ONE) is None
    with Cache(tmp_path / "c", clock=time.clock) as cache:
        assert recall(cache, ONE) == NotRegistered()


def test_an_answer_out_of_the_future_is_not_believed(tmp_path: Path) -> None:
    """Somebody's clock was wrong by more than clocks are."""
    ahead = FakeClock(START + timedelta(days=400))
    with Cache(tmp_path / "c", clock=ahead.clock) as cache:
        cache.remember(P, ONE, resolved(ONE))

    with Cache(tmp_path / "c", clock=FakeClock().clock) as cache:
        assert recall(cache, ONE) is None


@pytest.mark.parametrize("number", [3, 600, 1234, 9999])
def test_many_are_recalled_at_once(tmp_path: Path, number: int) -> None:
    """Few or most of what is there, and more than SQLite takes in one question."""
    handles = [Handle("20.1000", str(index)) for index in range(10_000)]
    with Cache(tmp_path / "c") as cache:
        for handle in handles[:1300]:
            cache.remember(P, handle, resolved(handle))
            cache.remember(Q, handle, NotRegistered())
        wanted = handles[1:number]

        found = cache.recall(P, {handle.comparison_key: handle for handle in wanted})

    assert found.fresh == {
        handle.comparison_key: resolved(handle)
        for handle in handles[1 : min(number, 1300)]
    }
    assert found.asked.keys() == found.fresh.keys()


SOUND = HandleValue(index=1, type="URL", data="https://a.example/\u00e9?10320")
ALIAS = HandleValue(index=1, type="HS_ALIAS", data="20.1/x")
KINDS: dict[str, Outcome] = {
    "sound": Resolved(HandleRecord(ONE, [SOUND])),
    "of a location": Resolved(
        HandleRecord(
            ONE,
            [
                HandleValue(
                    index=1,
                    type="10320/LOC",
                    data='<locations><location href="https://a.example/"/></locations>',
                )
            ],
        )
    ),
    "with a malformed location": Resolved(
        HandleRecord(ONE, [SOUND, HandleValue(index=2, type="10320/loc", data="<")])
    ),
    "leading nowhere": Resolved(
        HandleRecord(ONE, [HandleValue(index=1, type="URL", data="/relative")])
    ),
    "without a value": Resolved(HandleRecord(ONE, [])),
    "of an address that is no text": Resolved(
        HandleRecord(
            ONE, [HandleValue(index=1, type="URL", data="https://a.example/\ud800")]
        )
    ),
    "an alias": Resolved(
        HandleRecord(Handle("20.1", "x"), [SOUND]), (Handle("20.1", "y"),)
    ),
    "an alias of nothing": Resolved(HandleRecord(ONE, [ALIAS]), dead_end="a reason"),
    "not registered": NotRegistered(),
    "not public": NoValues(),
    "refused": Refused(402),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("days", [-1, 0, 1, 13, 20, 400])
def test_targets_are_those_of_what_is_recalled(
    tmp_path: Path, kind: str, days: int
) -> None:
    """Of what is fresh, and has nothing wrong with it, and stands for nothing else."""
    time = FakeClock()
    with Cache(tmp_path / "cache.sqlite", clock=time.clock) as cache:
        cache.remember(P, ONE, KINDS[kind])
        time.pass_time(days * DAY)
        handles = {ONE.comparison_key: ONE}
        targets = cache.recall_targets(P, handles)
        remembered = cache.recall(P, handles)

    for key, (target, answered) in targets.items():
        verdict = verdict_of(ONE, remembered.fresh[key])
        assert verdict.target == target
        assert verdict.is_good
        assert not verdict.aliases
        assert answered == remembered.asked[key]
    # Later than this its freshness takes a closer look.
    assert bool(targets) == (kind == "sound" and 0 <= days < 10)


def test_entries_are_shown_and_exported(tmp_path: Path) -> None:
    """Who was asked, what came of it, when, and until when it is believed."""
    time = FakeClock()
    with Cache(tmp_path / "c", freshness=STEADY, clock=time.clock) as cache:
        cache.remember(Q, ONE, NotRegistered())
        cache.remember(P, ONE, resolved(ONE))

        first, second = cache.entries()

        assert (first.outcome, first.target) == (
            OutcomeName.RESOLVED,
            "https://example.org/",
        )
        assert second.fresh_until == START + timedelta(hours=1)
        assert json.loads(cache.to_json()) == [
            {
                "resolver": P,
                "handle": "10.1000/one",
                "outcome": "resolved",
                "target": "https://example.org/",
                "asked": "2026-11-20T12:00:00+00:00",
                "fresh_until": "2026-12-04T12:00:00+00:00",
            },
            {
                "resolver": Q,
                "handle": "10.1000/one",
                "outcome": "not-registered",
                "target": None,
                "asked": "2026-11-20T12:00:00+00:00",
                "fresh_until": "2026-11-20T13:00:00+00:00",
            },
        ]


def test_pruning_forgets_what_is_not_believed_any_more(tmp_path: Path) -> None:
    """And says how many that were."""
    time = FakeClock()
    with Cache(tmp_path / "c", clock=time.clock) as cache:
        cache.remember(P, ONE, resolved(ONE))
        cache.remember(Q, ONE, NotRegistered())
        assert cache.prune() == 0

        time.pass_time(7200)

        assert cache.prune() == 1
        assert cache.prune() == 0
        assert [entry.resolver for entry in cache.entries()] == [P]


@contextmanager
def database(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as connection, connection:
        yield connection


def test_a_row_that_was_tampered_with_is_as_good_as_none(tmp_path: Path) -> None:
    """It is not believed, not shown, and pruned."""
    with Cache(tmp_path / "c") as cache:
        for number in range(3):
            cache.remember(P, Handle("20.1", str(number)), NotRegistered())
    with database(tmp_path / "c") as connection:
        connection.execute("UPDATE answers SET body = x'00' WHERE handle = '20.1/0'")
        connection.execute("UPDATE answers SET handle = 'x' WHERE handle = '20.1/1'")

    with Cache(tmp_path / "c") as cache:
        assert recall(cache, Handle("20.1", "0")) is None
        assert recall(cache, Handle("20.1", "2")) == NotRegistered()
        assert [entry.handle for entry in cache.entries()] == ["20.1/2"]
        assert cache.prune() == 2


def test_an_answer_is_that_of_one_handle_and_one_resolver(tmp_path: Path) -> None:
    """Whole as it is: a damaged index may lead to it from another."""
    two = Handle("20.1", "two")
    with Cache(tmp_path / "c") as cache:
        cache.remember(P, ONE, KINDS["sound"])
        cache.remember(P, two, NotRegistered())
    for change in (
        "UPDATE answers SET handle = '20.1/three' WHERE handle = '20.1/two'",
        "UPDATE answers SET resolver = 'https://q.example/'",
        "UPDATE answers SET outcome = 'no-values' WHERE outcome = 'not-registered'",
    ):
        shutil.copyfile(tmp_path / "c", tmp_path / "changed")
        with database(tmp_path / "changed") as connection:
            connection.execute(change)
        with Cache(tmp_path / "changed") as cache:
            for name in (P, Q):
                handles = {h.comparison_key: h for h in (two, Handle("20.1", "three"))}
                assert cache.recall(name, handles).fresh == {}
                targets = cache.recall_targets(Q, {ONE.comparison_key: ONE})
                assert targets == {}


def test_a_target_that_was_tampered_with_is_none(tmp_path: Path) -> None:
    """Nor is one that a record has instead."""
    with Cache(tmp_path / "c") as cache:
        cache.remember(P, ONE, KINDS["sound"])
    with database(tmp_path / "c") as connection:
        connection.execute("UPDATE answers SET body = replace(body, 'a.e', 'e.v')")
        connection.execute("UPDATE answers SET body = CAST(body AS BLOB)")

    with Cache(tmp_path / "c") as cache:
        assert cache.recall_targets(P, {ONE.comparison_key: ONE}) == {}
        assert recall(cache, ONE) is None


@pytest.mark.parametrize(
    "change",
    [
        "resolver = CAST(resolver AS BLOB)",
        "handle = CAST(handle AS BLOB)",
        "outcome = CAST(outcome AS BLOB)",
        "outcome = x'00'",
        "asked = 'then'",
        "asked = 0.5",
        "ttl = 'long'",
        "body = CAST(body AS TEXT)",
        "body = 7",
        "sum = 'none'",
        "sum = CAST(sum AS BLOB)",
        "sum = sum + 0.5",
        # What is no UTF-8; and moments that no calendar has.
        *(f"{column} = CAST(x'61ff62' AS TEXT)" for column in CacheRow._fields),
        *(
            f"asked = {moment}"
            for moment in (2**63 - 1, -(2**63), 10**12, 253_402_300_799)
        ),
    ],
)
def test_a_row_of_other_values_than_were_written_is_none(
    tmp_path: Path, change: str
) -> None:
    """Nobody stumbles over it, and what else is remembered is told."""
    warnings: list[str] = []
    two = Handle("20.1", "two")
    with Cache(tmp_path / "c") as cache:
        cache.remember(P, ONE, resolved(ONE))
        cache.remember(P, two, resolved(two))
    with database(tmp_path / "c") as connection:
        connection.execute(
            f"UPDATE answers SET {change} WHERE handle = '10.1000/one'"  # noqa: S608 (from above)
        )

    both = {each.comparison_key: each for each in (ONE, two)}
    with Cache(tmp_path / "c", warn=warnings.append) as cache:
        assert cache.recall(P, both).fresh == {"20.1/two": resolved(two)}
        assert cache.recall_targets(P, both).keys() == {"20.1/two"}
        assert [entry.handle for entry in cache.entries()] == ["20.1/two"]
        cache.prune()
        assert [entry.handle for entry in cache.entries()] == ["20.1/two"]
    assert warnings == []


@pytest.mark.parametrize("place", [0, 1], ids=["table", "index"])
def test_a_row_that_is_kept_under_another_handle_is_nobodys(
    tmp_path: Path, place: int
) -> None:
    """One octet of the file has changed, in the table or in its index."""
    with Cache(tmp_path / "c") as cache:
        cache.remember(P, ONE, resolved(ONE))
    pieces = (tmp_path / "c").read_bytes().split(b"10.1000/one")
    assert len(pieces) == 3
    changed = (b"10.1000/one", b"10.1000/onf")
    between = changed if place else changed[::-1]
    octets = b"".join((pieces[0], between[0], pieces[1], between[1], pieces[2]))
    (tmp_path / "c").write_bytes(octets)

    two = Handle("20.1", "two")
    with Cache(tmp_path / "c") as cache:
        both = {each.comparison_key: each for each in (ONE, two)}
        fresh = cache.recall(P, both).fresh
    # SQLite may read what it is kept under from either.
    assert fresh in ({}, {ONE.comparison_key: resolved(ONE)})


def spoil(path: Path, how: str) -> None:
    match how:
        case "no database":
            path.write_bytes(b"This is a letter to a friend, not a database.\n" * 40)
        case "damaged":
            with Cache(path) as cache:
                for number in range(2000):
                    handle = Handle("20.1", str(number))
                    cache.remember(P, handle, resolved(handle))
            octets = bytearray(path.read_bytes())
            octets[4096:] = b"\xa5" * (len(octets) - 4096)
            path.write_bytes(octets)
        case "cut":
            with Cache(path) as cache:
                for number in range(2000):
                    handle = Handle("20.1", str(number))
                    cache.remember(P, handle, resolved(handle))
            os.truncate(path, path.stat().st_size // 3)
        case "no text":
            with Cache(path) as cache:
                cache.remember(P, ONE, NotRegistered())
            octets = bytearray(path.read_bytes())
            path.write_bytes(octets.replace(b"TABLE answers", b"T\xe4BLE answers"))
        case "table missing":
            with Cache(path) as cache:
                cache.remember(P, ONE, NotRegistered())
            with database(path) as connection:
                connection.execute("DROP TABLE answers")
        case "foreign":
            with database(path) as connection:
                connection.execute("CREATE TABLE letters (text)")
        case "another version":
            with Cache(path) as cache:
                cache.remember(P, ONE, NotRegistered())
            with database(path) as connection:
                connection.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ("no database", "is damaged"),
        ("damaged", "is damaged"),
        ("cut", "is damaged"),
        ("no text", "is damaged"),
        ("table missing", "is damaged"),
        ("foreign", "is not a cache of this version"),
        ("another version", "is not a cache of this version"),
    ],
)
def test_a_file_that_cannot_be_used_is_moved_aside(
    tmp_path: Path, how: str, what: str
) -> None:
    """Said in one line; a new one is begun; nothing is deleted."""
    path = tmp_path / "cache.sqlite"
    spoil(path, how)
    before = path.read_bytes()
    said: list[str] = []

    with Cache(path, warn=said.append) as cache:
        many = {
            h.comparison_key: h for h in (Handle("20.1", str(n)) for n in range(99))
        }
        assert cache.recall(P, many).fresh == {}
        cache.remember(P, ONE, resolved(ONE))

    assert said == [
        (
            f"the file {path} {what}: it was moved to cache.sqlite.aside, "
            "and a new cache begun"
        )
    ]
    assert (tmp_path / "cache.sqlite.aside").read_bytes() == before
    assert not (tmp_path / "cache.sqlite.lock").exists()
    with Cache(path, warn=said.append) as cache:
        assert recall(cache, ONE) == resolved(ONE)
    assert len(said) == 1


def test_what_was_moved_aside_before_stays_there(tmp_path: Path) -> None:
    """The next one gets another name."""
    for number in range(3):
        (tmp_path / "c").write_text(f"letter {number}")
        with Cache(tmp_path / "c") as cache:
            cache.remember(P, ONE, NotRegistered())
        (tmp_path / "c").unlink()

    assert [
        (tmp_path / f"c.aside{number}").read_text() for number in ("", "1", "2")
    ] == ["letter 0", "letter 1", "letter 2"]


def test_a_file_in_order_is_never_moved(tmp_path: Path) -> None:
    """Who comes late finds that another build has replaced it already."""
    with Cache(tmp_path / "c") as cache:
        cache.remember(P, ONE, NotRegistered())

    assert set_aside(tmp_path / "c") is None

    with Cache(tmp_path / "c") as cache:
        assert recall(cache, ONE) == NotRegistered()


@pytest.mark.parametrize("written", [0, START.timestamp() + 10 * 365 * 86400])
def test_a_lock_that_was_left_behind_is_taken_over(
    written: float, tmp_path: Path
) -> None:
    """Whoever held it was killed, perhaps on a machine whose clock is ahead."""
    (tmp_path / "c").write_text("letter")
    lock = tmp_path / "c.lock"
    lock.touch()
    os.utime(lock, (written, written))

    assert set_aside(tmp_path / "c") == tmp_path / "c.aside"
    assert not lock.exists()


def test_without_a_place_to_write_there_is_no_cache(tmp_path: Path) -> None:
    """Said in one line; the build goes on, and asks."""
    (tmp_path / "file").write_text("no folder")
    said: list[str] = []

    for path in (tmp_path / "file" / "c", tmp_path):
        with Cache(path, warn=said.append) as cache:
            for _ in range(100):
                cache.remember(P, ONE, NotRegistered())
            cache.flush()
            assert recall(cache, ONE) is None
            assert cache.entries() == ()
            assert cache.prune() == 0

    assert said == [
        (
            f"the cache {tmp_path}/file/c cannot be used: "
            f"[Errno 17] File exists: '{tmp_path}/file'"
        ),
        f"the cache {tmp_path} cannot be used: unable to open database file",
    ]


def test_what_cannot_be_moved_aside_is_done_without(tmp_path: Path) -> None:
    """A folder of somebody else's, where files may be read and not moved."""
    (tmp_path / "c").write_text("letter")
    (tmp_path / "c.lock").mkdir()
    os.utime(tmp_path / "c.lock", (0, 0))
    said: list[str] = []

    with Cache(tmp_path / "c", warn=said.append) as cache:
        cache.remember(P, ONE, NotRegistered())
        cache.flush()
        cache.flush()

    assert len(said) == 1
    assert said[0].startswith(f"the cache {tmp_path}/c cannot be used: ")
    assert (tmp_path / "c").read_text() == "letter"


def test_folders_are_made(tmp_path: Path) -> None:
    """The cache may lie where nothing lies yet."""
    with Cache(tmp_path / "a" / "b" / "c") as cache:
        cache.remember(P, ONE, NotRegistered())

    assert (tmp_path / "a" / "b" / "c").exists()


def test_one_file_is_left_when_it_is_closed(tmp_path: Path) -> None:
    """A service that keeps it between builds has nothing else to keep."""
    with Cache(tmp_path / "c") as cache:
        cache.remember(P, ONE, NotRegistered())
        cache.prune()

    assert [path.name for path in tmp_path.iterdir()] == ["c"]


def test_it_may_be_closed_and_used_again(tmp_path: Path) -> None:
    """As before a fork."""
    cache = Cache(tmp_path / "c")
    cache.remember(P, ONE, NotRegistered())
    cache.close()
    cache.close()

    assert recall(cache, ONE) == NotRegistered()
    cache.close()


def test_nothing_is_opened_before_it_is_used(tmp_path: Path) -> None:
    """Naming a cache costs nothing."""
    Cache(tmp_path / "c").close()

    assert list(tmp_path.iterdir()) == []


def test_what_is_being_written_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between memory and file nothing is out of sight of another thread."""
    with Cache(tmp_path / "c") as cache:
        seen = []
        store = CacheFile.store

        def looked_at(file: CacheFile, rows: Iterable[CacheRow]) -> None:
            seen.append(recall(cache, ONE))
            store(file, rows)

        monkeypatch.setattr(CacheFile, "store", looked_at)
        cache.remember(P, ONE, NotRegistered())
        cache.flush()

        assert seen == [NotRegistered()]


def test_many_threads_may_use_it(tmp_path: Path) -> None:
    """None loses what it learned."""
    with Cache(tmp_path / "c") as cache:

        def learn(group: int) -> None:
            for number in range(100):
                handle = Handle(f"20.{group}", str(number))
                cache.remember(P, handle, resolved(handle))
                assert recall(cache, handle) == resolved(handle)

        threads = [threading.Thread(target=learn, args=(group,)) for group in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(cache.entries()) == 800
