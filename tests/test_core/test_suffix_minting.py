"""`handle_system.suffix.minting`: a minter, its clock, and what it reports.

Minters of one process share its memory, so each of these has a state file: what
other tests have minted is nothing to them.
"""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handle_system.suffix.minting import ClockStalledError, PilinSuffixes
from handle_system.suffix.notation import to_datetime, to_milliseconds
from handle_system.suffix.state import StateFileError

MAY_2007 = datetime(2007, 5, 25, 3, 49, 52, 865_000, tzinfo=UTC)
MS = timedelta(milliseconds=1)


class Clock:
    """A clock that goes on when it is told to, and counts the waits."""

    def __init__(self, *, step: int = 0, on_wait: int = 0) -> None:
        self.now = MAY_2007
        self.waits = 0
        self._step = step
        self._on_wait = on_wait

    def __call__(self) -> datetime:
        now = self.now
        self.now += self._step * MS
        return now

    def wait(self, seconds: float) -> None:
        assert seconds == 0.05
        self.waits += 1
        self.now += self._on_wait * MS


def _minter(tmp_path: Path, clock: Clock) -> PilinSuffixes:
    return PilinSuffixes(state=tmp_path / "state", clock=clock, wait=clock.wait)


def _mint(minter: PilinSuffixes, count: int) -> list[int]:
    return [to_milliseconds(minter.mint()) for _ in range(count)]


START = 13_399_357_792_865


def test_time_of_asking(tmp_path: Path) -> None:
    """The first suffix tells what the clock shows: the policy's own example."""
    minter = _minter(tmp_path, Clock())
    assert (minter.lead, minter.setback) == (0, 0)
    assert minter.mint() == "Y35XYS0QH"
    assert (minter.lead, minter.setback) == (0, 0)


def test_clock_that_goes_on(tmp_path: Path) -> None:
    """Suffixes keep with the clock, whatever was reserved before."""
    minter = _minter(tmp_path, Clock(step=7))
    assert _mint(minter, 1_000) == list(range(START, START + 7_000, 7))
    assert minter.lead == 0


def test_clock_that_stands_still(tmp_path: Path) -> None:
    """A second of suffixes ahead of it, the lead told each time; then an error that
    says so, after a bounded number of waits."""
    clock = Clock()
    minter = _minter(tmp_path, clock)

    for ahead in range(1_001):
        assert _mint(minter, 1) == [START + ahead]
        assert minter.lead == ahead
    assert clock.waits == 0
    with pytest.raises(ClockStalledError) as caught:
        minter.mint()

    assert clock.waits == 100
    assert str(caught.value) == (
        "the clock shows 2007-05-25T03:49:52.865Z; "
        "no suffix up to 2007-05-25T03:49:53.865Z is left to mint, "
        "and 100 waits for the clock to go on were not enough"
    )
    assert (caught.value.shown, caught.value.latest) == (START, START)


def test_clock_that_goes_on_after_all(tmp_path: Path) -> None:
    """Minting waits until the lead is regained, and goes on where it stopped."""
    clock = Clock(on_wait=50)
    minter = _minter(tmp_path, clock)
    assert _mint(minter, 1_101) == list(range(START, START + 1_101))
    assert clock.waits == 2
    assert minter.lead == 1_000


def test_clock_that_steps_back(tmp_path: Path) -> None:
    """Suffixes rise all the same; the lead is over the latest time that was shown,
    and the step back is told beside it."""
    clock = Clock()
    minter = _minter(tmp_path, clock)
    assert _mint(minter, 2) == [START, START + 1]
    clock.now -= timedelta(hours=1)

    assert _mint(minter, 2) == [START + 2, START + 3]
    assert (minter.lead, minter.setback) == (3, 3_600_000)


def test_error_of_a_clock_that_stays_back(tmp_path: Path) -> None:
    """When the second is used up, the error names how far the clock is behind."""
    clock = Clock()
    minter = _minter(tmp_path, clock)
    _mint(minter, 1_001)
    clock.now -= timedelta(hours=1)

    with pytest.raises(ClockStalledError) as caught:
        minter.mint()
    assert str(caught.value) == (
        "the clock shows 2007-05-25T02:49:52.865Z, "
        "3600000 ms before the latest time that it has shown; "
        "no suffix up to 2007-05-25T03:49:53.865Z is left to mint, "
        "and 100 waits for the clock to go on were not enough"
    )


def test_restart(tmp_path: Path) -> None:
    """A new minter goes on above all that the last one reserved, at most 256
    milliseconds further, though the clock was set back between them."""
    first = _mint(_minter(tmp_path, Clock()), 600)
    clock = Clock()
    clock.now -= timedelta(minutes=5)
    restarted = _mint(_minter(tmp_path, clock), 1)

    assert first[-1] < restarted[0] <= first[-1] + 256


def test_minting_one_at_a_time_loses_nothing(tmp_path: Path) -> None:
    """A process that mints one suffix reserves one."""
    minted = [_mint(_minter(tmp_path, Clock()), 1) for _ in range(20)]
    assert minted == [[START + number] for number in range(20)]


def test_pause_makes_ranges_short_again(tmp_path: Path) -> None:
    """What was reserved in a busy hour is not reserved in a quiet one."""
    clock = Clock()
    busy = _minter(tmp_path, clock)
    _mint(busy, 600)
    clock.now += timedelta(hours=1)
    _mint(busy, 1)

    assert _mint(_minter(tmp_path, clock), 1) == [START + 3_600_001]


def test_two_minters_in_turn(tmp_path: Path) -> None:
    """Each uses what it reserved, and neither what the other did."""
    clock = Clock(step=1)
    one, other = _minter(tmp_path, clock), _minter(tmp_path, clock)
    minted = [
        number for _ in range(2_000) for number in _mint(one, 1) + _mint(other, 1)
    ]

    assert len(set(minted)) == 4_000


def test_error_of_a_clock_without_time_zone(tmp_path: Path) -> None:
    """A clock that does not say which moment it shows is refused."""
    clock = Clock()
    clock.now = clock.now.replace(tzinfo=None)
    with pytest.raises(ValueError) as caught:
        _minter(tmp_path, clock).mint()
    assert str(caught.value) == (
        "2007-05-25T03:49:52.865000 has no time zone: "
        "a PILIN suffix needs one moment, not one for each zone"
    )


def test_error_at_the_end_of_the_range(tmp_path: Path) -> None:
    """After the last suffix there is none, not even ahead of the clock."""
    clock = Clock()
    clock.now = datetime(2420, 8, 16, 3, 29, 20, 670_000, tzinfo=UTC)
    minter = _minter(tmp_path, clock)
    assert minter.mint() == "ZZZZZZZZZ"
    with pytest.raises(ValueError):
        minter.mint()


def test_file_damaged_while_minting(tmp_path: Path) -> None:
    """Nothing is minted beyond what was reserved before."""
    minter = _minter(tmp_path, Clock())
    _mint(minter, 1)
    (tmp_path / "state").write_bytes(b"")
    with pytest.raises(StateFileError):
        minter.mint()


def _do_not_wait(_seconds: float) -> None:
    """The clock of these tests goes on by itself, or not at all."""


steps = st.lists(
    st.one_of(
        st.integers(0, 3),
        st.integers(-1_500, 1_500),
        st.integers(-(10**7), 10**7),
    ),
    min_size=1,
    max_size=60,
)


@given(steps=steps, restarts=st.sets(st.integers(0, 60)))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_laws(
    steps: list[int], restarts: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever the clock shows and however often minting is begun anew: suffixes
    rise, none is behind the clock, and none is more than a second ahead of the
    latest that was shown; where there is no such suffix, there is an error."""
    state = tmp_path_factory.mktemp("minting") / "state"
    now = latest = MAY_2007
    minted: list[datetime] = []
    begun = 1

    def clock() -> datetime:
        return now

    minter = PilinSuffixes(state=state, clock=clock, wait=_do_not_wait)
    for number, step in enumerate(steps):
        now += step * MS
        latest = max(latest, now)
        if number in restarts:
            minter = PilinSuffixes(state=state, clock=clock, wait=_do_not_wait)
            begun += 1
        try:
            suffix = minter.mint()
        except ClockStalledError:
            assert minted[-1] + begun * 256 * MS >= latest + 1_000 * MS
            continue
        minted.append(to_datetime(suffix))
        assert now <= minted[-1] <= latest + 1_000 * MS
        assert minter.lead <= 1_000
        assert minted[-1] - now == (minter.lead + minter.setback) * MS
    assert all(earlier < later for earlier, later in pairwise(minted))
