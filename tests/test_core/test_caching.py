"""`handle_system.resolving.caching`: a resolver that remembers."""

from datetime import timedelta
from pathlib import Path

from handle_system.handle import Handle
from handle_system.resolving.caching import CachingResolver
from handle_system.resolving.old_cache import Cache
from handle_system.resolving.old_many import ResolvingRun, resolve_many
from handle_system.resolving.outcome import (
    NotRegistered,
    Outcome,
    Resolved,
    Unreachable,
)
from handle_system.resolving.proxy_resolver import ProxyResolver
from handle_system.resolving.record import HandleRecord
from handle_system.resolving.records_file import RecordsResolver
from handle_system.resolving.resolver import Recalling, Resolver
from handle_system.resolving.resolver_chain import ResolverChain
from tests.fake_clock import START, FakeClock
from tests.proxy_server import running

HANDLES = [Handle("20.1000", str(number)) for number in range(30)]


class Counting:
    """Resolves everything to an empty record, and keeps what it was asked."""

    def __init__(self, silent: frozenset[Handle] = frozenset()) -> None:
        self.silent = silent
        self.asked: list[Handle] = []

    def resolve(self, handle: Handle, /) -> Outcome:
        self.asked.append(handle)
        if handle in self.silent:
            return Unreachable("no answer")
        return Resolved(HandleRecord(handle, ()))


class Nobody:
    """Knows of no handle."""

    def resolve(self, _handle: Handle, /) -> Outcome:
        return NotRegistered()


def test_what_is_remembered_is_not_asked_for_again(tmp_path: Path) -> None:
    """One by one, and many at once; in this run and the next."""
    inner = Counting()
    with CachingResolver(inner, tmp_path / "c") as caching:
        assert isinstance(caching, Resolver)
        assert isinstance(caching, Recalling)
        first = [caching.resolve(handle) for handle in HANDLES[:10]]
        again = [caching.resolve(handle) for handle in HANDLES[:10]]
        outcomes = resolve_many(HANDLES[:20], caching, connections=1)

    with CachingResolver(inner, tmp_path / "c") as caching:
        warm = resolve_many(HANDLES[:20], caching)

    assert first == again == list(outcomes.values())[:10]
    assert warm == outcomes
    assert inner.asked[:10] == HANDLES[:10]
    assert set(inner.asked[10:]) == set(HANDLES[10:20])
    assert len(inner.asked) == 20


def test_what_did_not_answer_is_asked_for_again(tmp_path: Path) -> None:
    """In the same run, too."""
    inner = Counting(silent=frozenset(HANDLES[:1]))
    with CachingResolver(inner, tmp_path / "c") as caching:
        for _ in range(2):
            assert caching.resolve(HANDLES[0]) == Unreachable("no answer")

    assert inner.asked == HANDLES[:1] * 2


def test_two_resolvers_may_share_a_cache(tmp_path: Path) -> None:
    """Each has its own answers, by its name."""
    with Cache(tmp_path / "c") as cache:
        with running({}) as one, running({"20.1000/0": "https://a.example/"}) as two:
            for server, outcome in ((one, NotRegistered), (two, Resolved)):
                with ProxyResolver(server.url) as proxy:
                    caching = CachingResolver(proxy, cache)
                    assert caching.name == server.url
                    assert isinstance(caching.resolve(HANDLES[0]), outcome)
                    caching.close()

        assert {entry.resolver for entry in cache.entries()} == {one.url, two.url}


def test_a_resolver_without_a_name_is_remembered_by_its_class(tmp_path: Path) -> None:
    """Unless it is given one."""
    assert CachingResolver(Counting(), tmp_path / "c").name == "Counting"
    assert CachingResolver(Counting(), tmp_path / "c", name="mine").name == "mine"


def test_the_oldest_verification_is_first_in_need_of_another(tmp_path: Path) -> None:
    """First what was never answered for, then what was so longest ago."""
    time = FakeClock()
    inner = Counting()
    with Cache(tmp_path / "c", clock=time.clock) as cache:
        caching = CachingResolver(inner, cache, clock=time.clock)
        for handle in HANDLES[:3]:
            caching.resolve(handle)
            time.pass_time(3600)
        time.pass_time(100 * 86400)
        by_key = {str(handle): handle for handle in reversed(HANDLES[:4])}

        recollection = caching.recall(by_key)

    assert recollection.known == {}
    assert recollection.to_ask == [str(HANDLES[each]) for each in (3, 0, 1, 2)]


def test_what_is_remembered_is_as_old_as_its_answer(tmp_path: Path) -> None:
    """Of several resolvers that have a part in it, as the oldest."""
    time = FakeClock()
    key = str(HANDLES[0])
    with Cache(tmp_path / "c", clock=time.clock) as cache:
        first = CachingResolver(Nobody(), cache, name="first", clock=time.clock)
        second = CachingResolver(Counting(), cache, name="second", clock=time.clock)
        second.resolve(HANDLES[0])
        time.pass_time(1800)
        first.resolve(HANDLES[0])
        chain = ResolverChain([RecordsResolver({}), first, second])
        mine = RecordsResolver({key: "https://example.org/"})

        asked = chain.recall({key: HANDLES[0]}).asked
        with ResolvingRun(chain) as run:
            run.add(HANDLES[:1])
            run.finish()

        assert asked == run.recalled == {key: int(START.timestamp())}
        with ResolvingRun(mine) as run:
            run.add(HANDLES[:1])
            run.add(HANDLES[:2])
            run.finish()

    assert run.recalled == {key: None, str(HANDLES[1]): None}


def test_what_a_budget_leaves_out_has_its_turn_another_day(tmp_path: Path) -> None:
    """Although two thirds never answer, and so are always first in need of it."""
    silent = frozenset(HANDLES[:20])
    asked: set[Handle] = set()
    for day in range(30):
        time = FakeClock(START + timedelta(days=day))
        inner = Counting(silent)
        with Cache(tmp_path / "c", clock=time.clock) as cache:
            caching = CachingResolver(inner, cache, clock=time.clock)
            resolve_many(HANDLES, caching, budget=5, connections=1)
        assert len(inner.asked) <= 5
        asked |= set(inner.asked)

    assert asked == set(HANDLES)
