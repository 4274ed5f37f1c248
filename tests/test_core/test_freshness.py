"""`handle_system.resolving.freshness`: how long an outcome may be believed."""

from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.handle import Handle
from handle_system.resolving.freshness import Freshness
from handle_system.resolving.outcome import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.record import HandleRecord
from tests.strategies import handles

DAY = 86_400
RESOLVED = Resolved(HandleRecord(Handle.parse("20.1000/x"), ()))
STEADY = Freshness(jitter=0.0)


@pytest.mark.parametrize(
    ("outcome", "ttl", "seconds"),
    [
        (RESOLVED, 0, 14 * DAY),
        (RESOLVED, DAY, 14 * DAY),
        (RESOLVED, 30 * DAY, 30 * DAY),
        (RESOLVED, 10**30, 365 * DAY),
        (RESOLVED, -5, 14 * DAY),
        (Resolved(RESOLVED.record, (), "a dead end"), 30 * DAY, 3600),
        (NotRegistered(), 0, 3600),
        (NoValues(), 0, 3600),
        (Refused(402), 0, 3600),
        (Unreachable("no answer"), 0, 0),
    ],
)
def test_each_outcome_has_its_time(outcome: Outcome, ttl: int, seconds: int) -> None:
    """The larger of TTL and 14 days, an hour for what may be repaired, else none."""
    assert STEADY.lifetime(outcome, ttl, "20.1000/x") == seconds


def test_the_bounds_can_be_chosen() -> None:
    """Each by itself."""
    chosen = Freshness(at_least=10, at_most=20, negative=5, jitter=0.0)

    assert chosen.lifetime(RESOLVED, 0, "a/b") == 10
    assert chosen.lifetime(RESOLVED, 15, "a/b") == 15
    assert chosen.lifetime(RESOLVED, 30, "a/b") == 20
    assert chosen.lifetime(NotRegistered(), 0, "a/b") == 5
    assert chosen.shortest() == 10


@given(handle=handles, ttl=st.integers())
def test_a_handle_varies_within_a_fifth_and_always_alike(
    handle: Handle, ttl: int
) -> None:
    """The same at every look: nothing is drawn by lot."""
    freshness, key = Freshness(), handle.comparison_key
    steady = STEADY.lifetime(RESOLVED, ttl, key)

    varied = freshness.lifetime(RESOLVED, ttl, key)

    assert varied == Freshness().lifetime(RESOLVED, ttl, key)
    assert 0.8 * steady - 1 <= varied <= 1.2 * steady
    assert varied + 1 >= freshness.shortest()


def test_handles_of_one_run_do_not_all_fall_due_at_once() -> None:
    """Their times are spread evenly over the two fifths."""
    times = sorted(
        Freshness().lifetime(RESOLVED, 0, f"20.1000/{number}") / (14 * DAY)
        for number in range(1000)
    )

    assert mean(times) == pytest.approx(1.0, abs=0.02)
    assert times[100] == pytest.approx(0.84, abs=0.03)
    assert times[900] == pytest.approx(1.16, abs=0.03)
