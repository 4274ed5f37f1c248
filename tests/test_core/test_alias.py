"""`handle_system.resolving.alias`: following HS_ALIAS."""

from collections.abc import Mapping

import pytest

from handle_system.handle import Handle
from handle_system.resolving.alias import follow_aliases
from handle_system.resolving.outcome import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.record import HandleRecord
from handle_system.resolving.value import HandleValue


def alias(handle: str, target: str) -> Resolved:
    value = HandleValue(index=1, type="HS_ALIAS", data=target)
    return Resolved(HandleRecord(Handle.parse(handle), [value]))


def plain(handle: str) -> Resolved:
    value = HandleValue(index=1, type="URL", data="https://example.org/")
    return Resolved(HandleRecord(Handle.parse(handle), [value]))


class Known:
    """Answers from a mapping, and counts."""

    def __init__(self, outcomes: Mapping[str, Outcome]) -> None:
        self.outcomes = {Handle.parse(each): out for each, out in outcomes.items()}
        self.asked: list[str] = []

    def __call__(self, handle: Handle) -> Outcome:
        self.asked.append(str(handle))
        return self.outcomes.get(handle, NotRegistered())

    def follow(self, handle: str) -> Outcome:
        return follow_aliases(self.outcomes[Handle.parse(handle)], self)


def test_a_record_without_alias_is_left_alone() -> None:
    """And so is everything that is no record."""
    known = Known({"1/a": plain("1/a"), "1/b": NoValues(), "1/c": Unreachable("why")})

    assert known.follow("1/a") == plain("1/a")
    assert known.follow("1/b") == NoValues()
    assert known.follow("1/c") == Unreachable("why")
    assert known.asked == []


def test_a_chain_leads_to_its_last_record() -> None:
    """The handles passed are kept, the one asked for first."""
    known = Known(
        {"1/a": alias("1/a", "1/b"), "1/b": alias("1/b", " 1/c "), "1/c": plain("1/c")}
    )

    outcome = known.follow("1/a")

    assert outcome == Resolved(
        plain("1/c").record, (Handle.parse("1/a"), Handle.parse("1/b"))
    )
    assert known.asked == ["1/b", "1/c"]


def chain(length: int) -> Known:
    """`1/0`, an alias of `1/1`, and so on, to a record after `length` aliases."""
    known: dict[str, Outcome] = {
        f"1/{number}": alias(f"1/{number}", f"1/{number + 1}")
        for number in range(length)
    }
    return Known({**known, f"1/{length}": plain(f"1/{length}")})


def test_twenty_aliases_are_followed_and_no_more() -> None:
    """The limit of the reference proxy."""
    whole = chain(20).follow("1/0")
    cut = chain(21).follow("1/0")

    assert isinstance(whole, Resolved)
    assert isinstance(cut, Resolved)
    assert (len(whole.aliases), whole.dead_end) == (20, None)
    assert whole.target == "https://example.org/"
    assert (len(cut.aliases), cut.dead_end) == (
        20,
        "it leads through more than 20 aliases",
    )


@pytest.mark.parametrize(
    ("outcomes", "dead_end"),
    [
        ({"1/a": alias("1/a", "1/a")}, "its aliases lead in a circle, back to 1/a"),
        (
            {"1/a": alias("1/a", "1/b"), "1/b": alias("1/b", "1/a")},
            "its aliases lead in a circle, back to 1/a",
        ),
        (
            {"10.1/a": alias("10.1/a", "10.1/A")},
            "its aliases lead in a circle, back to 10.1/A",
        ),
        (
            {"1/a": alias("1/a", "1/b")},
            "it is an alias of 1/b, which is not registered",
        ),
        (
            {"1/a": alias("1/a", "1/b"), "1/b": NoValues()},
            "it is an alias of 1/b, which has no public value",
        ),
        (
            {"1/a": alias("1/a", "no\x1bhandle")},
            "it is an alias of 'no\\\\x1bhandle', which is no handle",
        ),
    ],
)
def test_an_alias_to_nowhere_is_a_dead_end(
    outcomes: dict[str, Outcome], dead_end: str
) -> None:
    """The handle is registered all the same."""
    known = Known(outcomes)
    first = next(iter(outcomes))

    outcome = known.follow(first)

    assert isinstance(outcome, Resolved)
    assert outcome.dead_end == dead_end
    assert outcome.target is None


def test_what_is_said_of_an_alias_is_short_however_long_that_is() -> None:
    """A hostile record's fills megabytes."""
    long = f"1/{'b' * 5000}"
    shown = f"1/{'b' * 98}…"
    missing = Known({"1/a": alias("1/a", long)}).follow("1/a")
    silent = Known({"1/a": alias("1/a", long), long: Unreachable("why")}).follow("1/a")

    assert isinstance(missing, Resolved)
    assert missing.dead_end == f"it is an alias of {shown}, which is not registered"
    assert silent == Unreachable(f"it is an alias of {shown}: why")


def test_what_hides_the_end_of_the_way_hides_the_outcome() -> None:
    """Where an alias leads is unknown while its target is."""
    silent = Known({"1/a": alias("1/a", "1/b"), "1/b": Unreachable("no answer")})
    shy = Known({"1/a": alias("1/a", "1/b"), "1/b": Refused(402)})

    assert silent.follow("1/a") == Unreachable("it is an alias of 1/b: no answer")
    assert shy.follow("1/a") == Refused(402)


def test_somebody_who_knows_more_follows_on() -> None:
    """What was a dead end for one resolver is followed by the next."""
    little = Known({"1/a": alias("1/a", "1/b")}).follow("1/a")

    outcome = follow_aliases(little, Known({"1/b": plain("1/b")}))

    assert outcome == Resolved(plain("1/b").record, (Handle.parse("1/a"),))


def test_circles_through_what_another_has_followed_are_found() -> None:
    """Each knows half of the circle, and follows its own half."""
    half = Resolved(alias("1/c", "1/a").record, (Handle.parse("1/b"),), "dead end")
    other = Resolved(plain("1/d").record, (Handle.parse("1/b"), Handle.parse("1/a")))

    seen = follow_aliases(alias("1/a", "1/b"), Known({"1/b": half}))
    through = follow_aliases(alias("1/a", "1/b"), Known({"1/b": other}))

    assert isinstance(seen, Resolved)
    assert seen.dead_end == "dead end"
    assert isinstance(through, Resolved)
    assert through.dead_end == "its aliases lead in a circle, through 1/b"
