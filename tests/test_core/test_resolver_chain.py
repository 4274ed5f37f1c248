"""`handle_system.resolving.resolver_chain`: several resolvers as one."""

from itertools import product
from pathlib import Path

import pytest

from handle_system.handle import Handle
from handle_system.resolving.caching import CachingResolver
from handle_system.resolving.old_cache import Cache
from handle_system.resolving.old_many import resolve_many
from handle_system.resolving.outcome import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.proxy_resolver import ProxyResolver
from handle_system.resolving.record import HandleRecord
from handle_system.resolving.records_file import RecordsResolver
from handle_system.resolving.resolver import Recalling, Resolver
from handle_system.resolving.resolver_chain import ResolverChain
from tests.proxy_server import running

HANDLE = Handle("20.1000", "x")
THERE = Resolved(HandleRecord(HANDLE, ()))
SILENT, DEAF = Unreachable("silent"), Unreachable("deaf")


class Always:
    """One outcome for everything."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.asked: list[Handle] = []

    def resolve(self, handle: Handle, /) -> Outcome:
        self.asked.append(handle)
        return self.outcome


def together(*outcomes: Outcome) -> Outcome:
    return ResolverChain([Always(outcome) for outcome in outcomes]).resolve(HANDLE)


@pytest.mark.parametrize(
    ("outcomes", "outcome"),
    [
        ([THERE, NotRegistered()], THERE),
        ([NotRegistered(), THERE], THERE),
        ([SILENT, THERE], THERE),
        ([SILENT, NoValues(), THERE], NoValues()),
        ([NotRegistered(), NotRegistered()], NotRegistered()),
        ([NotRegistered(), SILENT], SILENT),
        ([SILENT, NotRegistered()], SILENT),
        ([SILENT, DEAF, SILENT], Unreachable("silent; deaf")),
        ([Refused(402), NotRegistered()], Refused(402)),
        ([Refused(402), THERE], THERE),
        ([Refused(402), SILENT], SILENT),
    ],
)
def test_the_first_who_knows_decides(outcomes: list[Outcome], outcome: Outcome) -> None:
    """And without one, doubt outweighs every denial."""
    assert together(*outcomes) == outcome


def test_not_registered_takes_all_of_them() -> None:
    """Over every combination of three."""
    kinds: list[Outcome] = [THERE, NotRegistered(), NoValues(), Refused(402), SILENT]
    for three in product(kinds, repeat=3):
        denied = together(*three) == NotRegistered()
        assert denied == (set(three) == {NotRegistered()})


def test_nobody_is_asked_after_the_answer() -> None:
    """The order is the order of asking."""
    last = Always(THERE)

    ResolverChain([Always(NoValues()), last]).resolve(HANDLE)

    assert last.asked == []


def test_error_on_a_chain_of_nobody() -> None:
    """There would be nobody to say anything."""
    with pytest.raises(ValueError) as raised:
        ResolverChain([])

    assert str(raised.value) == "a chain of resolvers has at least one"


OWN = {
    "20.1000/draft": {
        "values": [{"index": 1, "type": "HS_ALIAS", "data": "10.1000/published"}]
    },
    "20.1000/own": "https://own.example/",
}
PUBLIC = {
    "10.1000/published": "https://public.example/",
    "20.1000/own": "https://elsewhere.example/",
}


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize(
    ("written", "target"),
    [
        ("20.1000/own", "https://own.example/"),
        ("20.1000/draft", "https://public.example/"),
        ("10.1000/published", "https://public.example/"),
    ],
)
def test_an_alias_of_one_is_followed_through_all(
    tmp_path: Path, written: str, target: str, *, at_once: bool
) -> None:
    """One's own record may stand for what only the public proxy knows."""
    handle = Handle.parse(written)
    with Cache(tmp_path / "c") as cache:
        public = CachingResolver(RecordsResolver(PUBLIC), cache, name="public")
        public.resolve(handle)
        chain = ResolverChain([RecordsResolver(OWN), public])
        assert isinstance(chain, Resolver)
        assert isinstance(chain, Recalling)

        outcome = (
            resolve_many([handle], chain)[handle] if at_once else chain.resolve(handle)
        )

    assert isinstance(outcome, Resolved)
    assert outcome.target == target


def test_what_is_known_together_is_not_asked_for(tmp_path: Path) -> None:
    """And what one would have to ask for is not taken from the next."""
    a, b, c, d = (Handle("20.1000", name) for name in "abcd")
    outcomes: dict[Handle, Outcome] = {
        a: Resolved(HandleRecord(a, ())),
        b: NotRegistered(),
        c: NotRegistered(),
        d: Unreachable("silent"),
    }

    class Some:
        def __init__(self) -> None:
            self.asked: list[Handle] = []

        def resolve(self, handle: Handle, /) -> Outcome:
            self.asked.append(handle)
            return outcomes[handle]

    with Cache(tmp_path / "c") as cache:
        first, second = Some(), Some()
        one = CachingResolver(first, cache, name="first")
        two = CachingResolver(second, cache, name="second")
        for handle in (a, b, c, d):
            one.resolve(handle)
        two.resolve(b)
        del first.asked[:], second.asked[:]

        chain = ResolverChain([RecordsResolver({}), one, two])
        recollection = chain.recall({str(each): each for each in (a, b, c, d)})
        resolved = resolve_many([a, b, c, d], chain, connections=1)

    assert set(recollection.known) == {str(a), str(b)}
    assert set(recollection.to_ask) == {str(c), str(d)}
    assert resolved == outcomes
    assert first.asked == [d]
    assert set(second.asked) == {c, d}


def test_closing_the_chain_closes_what_it_is_made_of(tmp_path: Path) -> None:
    """Connections and files; one file is left, with what was learned."""
    with running({str(HANDLE): "https://example.org/"}) as server:
        with ResolverChain(
            [
                RecordsResolver({}),
                CachingResolver(ProxyResolver(server.url), tmp_path / "c"),
            ]
        ) as chain:
            chain.resolve(HANDLE)
        late = chain.resolve(HANDLE)
        other = chain.resolve(Handle("20.1000", "y"))
        chain.close()

    assert isinstance(late, Resolved)
    assert other == Unreachable("not asked: the resolver is closed")
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


def test_one_who_cannot_recall_has_to_be_asked() -> None:
    """Whatever stands before and after."""
    asked = Always(THERE)
    chain = ResolverChain([RecordsResolver({}), asked, RecordsResolver({})])

    assert chain.recall({str(HANDLE): HANDLE}).to_ask == [str(HANDLE)]
    assert resolve_many([HANDLE], chain) == {HANDLE: THERE}
    assert asked.asked == [HANDLE]
