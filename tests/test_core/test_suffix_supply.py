"""`handle_system.suffix.supply`: milliseconds out of ranges, one at a time."""

from pathlib import Path

import pytest

from handle_system.suffix.lock import (
    _after_fork_in_child,
    _after_fork_in_parent,
    _before_fork,
)
from handle_system.suffix.state import Mark, StateFile
from handle_system.suffix.supply import Given, Supply


def _last_reserved(state: Path) -> int:
    def look(mark: Mark) -> tuple[Mark, int]:
        return mark, mark.last

    return StateFile(state, "PILIN").change(look)


def _take(supply: Supply, *readings: int) -> list[int | None]:
    return [_ask(supply, now).millisecond for now in readings]


def _ask(supply: Supply, now: int) -> Given:
    return supply.take(lambda: now)


def test_ranges_double_while_they_are_used_up(tmp_path: Path) -> None:
    """1, 2, 4, … are reserved, so that most millisecond cost no commit."""
    state = tmp_path / "state"
    supply = Supply(state)
    reserved = []
    for number in range(512):
        assert _take(supply, 10_000) == [10_000 + number]
        reserved.append(_last_reserved(state) - 9_999)

    assert sorted(set(reserved)) == [1, 3, 7, 15, 31, 63, 127, 255, 511, 767]


def test_last_range_ends_with_the_lead(tmp_path: Path) -> None:
    """No range reaches further than a second ahead of the clock."""
    state = tmp_path / "state"
    supply = Supply(state)
    assert _take(supply, *[10_000] * 1_001) == list(range(10_000, 11_001))
    assert _last_reserved(state) == 11_000
    assert _ask(supply, 9_000) == Given(millisecond=None, shown=9_000, latest=10_000)
    assert _ask(supply, 10_001) == Given(
        millisecond=11_001, shown=10_001, latest=10_001
    )


def test_child_leaves_the_range_to_its_parent(tmp_path: Path) -> None:
    """After a fork the parent goes on in its range, and the child reserves another."""
    supply = Supply(tmp_path / "state")
    assert _take(supply, *[10_000] * 4) == [10_000, 10_001, 10_002, 10_003]
    assert _last_reserved(tmp_path / "state") == 10_006

    _before_fork()
    _after_fork_in_parent()
    assert _take(supply, 10_000) == [10_004]
    _before_fork()
    _after_fork_in_child()
    assert _take(supply, 10_000) == [10_007]


def test_another_processes_clock_counts(tmp_path: Path) -> None:
    """The latest time is the latest that any process has seen."""
    here, there = Supply(tmp_path / "state"), Supply(tmp_path / "state")
    assert _take(there, 50_000) == [50_000]
    assert _ask(here, 48_000) == Given(millisecond=50_001, shown=48_000, latest=50_000)


def test_file_is_left_to_others_after_a_short_range(tmp_path: Path) -> None:
    """Where the lead leaves less than is wanted, one wait comes before the next
    range, unless the clock has gone on far enough meanwhile."""
    supply, other = Supply(tmp_path / "state"), Supply(tmp_path / "state")
    _take(supply, *[10_000] * 1_001)

    assert _take(supply, 10_050) == [None]
    assert _take(other, 10_050) == [11_001]
    assert _take(supply, 10_050) == [11_002]
    _take(supply, *[10_050] * 48)
    assert _take(supply, 10_050, 10_050, 10_306) == [None, None, 11_051]


def _used_up(state: Path) -> Supply:
    """A supply that finds nothing left to reserve at 10,000."""
    _take(Supply(state), *[10_000] * 1_001)
    return Supply(state)


def test_clock_is_read_again_while_the_file_is_locked(tmp_path: Path) -> None:
    """What it showed before others were through with the file is out of date."""
    readings = iter([10_000, 10_300])
    given = _used_up(tmp_path / "state").take(lambda: next(readings))
    assert given == Given(millisecond=11_001, shown=10_300, latest=10_300)


def test_clock_that_fails_is_no_fault_of_the_file(tmp_path: Path) -> None:
    """Its error is handed on as it is, and nothing is reserved."""
    readings = iter([10_000])

    def clock() -> int:
        for reading in readings:
            return reading
        raise OSError("no answer from the time server")

    supply = _used_up(tmp_path / "state")
    with pytest.raises(OSError, match=r"\Ano answer from the time server\Z"):
        supply.take(clock)
    assert _last_reserved(tmp_path / "state") == 11_000
