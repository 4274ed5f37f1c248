"""`handle_system.suffix_supply`: milliseconds out of ranges, one at a time."""

from pathlib import Path

from handle_system.suffix_lock import (
    _after_fork_in_child,
    _after_fork_in_parent,
    _before_fork,
)
from handle_system.suffix_state import Mark, StateFile
from handle_system.suffix_supply import Given, Supply


def _last_reserved(state: Path) -> int:
    def look(mark: Mark) -> tuple[Mark, int]:
        return mark, mark.last

    return StateFile(state, "PILIN").change(look)


def _take(supply: Supply, *readings: int) -> list[int | None]:
    return [supply.take(now).millisecond for now in readings]


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
    assert supply.take(9_000) == Given(millisecond=None, shown=9_000, latest=10_000)
    assert supply.take(10_001) == Given(millisecond=11_001, shown=10_001, latest=10_001)


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
    assert here.take(48_000) == Given(millisecond=50_001, shown=48_000, latest=50_000)
