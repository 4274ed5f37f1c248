"""`handle_system.suffix`: never one suffix twice, in whatever company.

Real threads and real processes on real files; each part by itself is tested in
the file that is named after it.
"""

import os
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

import handle_system
from handle_system.handle import Handle
from handle_system.suffix import (
    MintingError,
    PilinSuffixes,
    SequentialSuffixes,
    SuffixScheme,
    UUIDSuffixes,
    mint,
    to_datetime,
    to_milliseconds,
)
from tests import suffix_worker

SECOND = timedelta(seconds=1)
MAY_2007 = datetime(2007, 5, 25, 3, 49, 52, 865000, tzinfo=UTC)


def _environment() -> dict[str, str]:
    """Where a child process finds the core: where this one found it."""
    place = str(Path(handle_system.__file__).parent.parent)
    inherited = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([place, inherited])}


def _worker(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, suffix_worker.__file__, *map(str, arguments)],
        stdout=subprocess.PIPE,
        env=_environment(),
        text=True,
    )


@pytest.mark.parametrize(
    "count",
    # How long the second takes is up to the disk: some 500 commits.
    [500, pytest.param(5_000, marks=pytest.mark.slow)],
)
def test_eight_threads_in_each_of_two_processes(tmp_path: Path, count: int) -> None:
    """So many suffixes a thread, by a clock that stalls and steps back: no two are
    the same, and each tells a time within a second after what had been shown."""
    state, ticks = tmp_path / "state", tmp_path / "ticks"
    ticks.write_bytes(bytes(8 * suffix_worker.SLOTS))
    outputs = [tmp_path / f"minted-{slot}" for slot in range(suffix_worker.SLOTS)]
    workers = [
        _worker("threads", state, ticks, str(slot), output, "8", str(count))
        for slot, output in enumerate(outputs)
    ]
    for worker in workers:
        worker.communicate()
    assert [worker.returncode for worker in workers] == [0, 0]

    lines = [
        line.split() for output in outputs for line in output.read_text().splitlines()
    ]

    assert len(lines) == 2 * 8 * count
    assert len({suffix for _, suffix, _ in lines}) == len(lines)
    for shown, suffix, bound in lines:
        minted_at = to_datetime(suffix)
        assert datetime.fromisoformat(shown) <= minted_at
        assert minted_at <= datetime.fromisoformat(bound) + SECOND


def test_killed_and_restarted_with_the_clock_set_back(tmp_path: Path) -> None:
    """A process that is killed while it mints leaves a file above all it gave;
    the next one goes on there, though its clock is an hour behind."""
    runs = []
    for minutes in ("60", "0", "120"):
        with _worker("endless", tmp_path / "state", minutes) as worker:
            assert worker.stdout is not None
            lines = [worker.stdout.readline() for _ in range(100)]
            worker.kill()
            # What it gave before it died; the last line may be cut off.
            lines += worker.stdout.read().splitlines(keepends=True)
        runs.append([line[:-1] for line in lines if line.endswith("\n")])

    minted = [suffix for run in runs for suffix in run]

    assert all(len(run) >= 100 for run in runs)
    assert len(set(minted)) == len(minted)
    numbers = [to_milliseconds(suffix) for suffix in minted]
    assert all(earlier < later for earlier, later in pairwise(numbers))


FORKED = """
import os, sys
from datetime import UTC, datetime, timedelta
from handle_system.suffix import PilinSuffixes

now = datetime(2007, 5, 25, tzinfo=UTC)
minter = PilinSuffixes(state=sys.argv[1], clock=lambda: now)
minted = [minter.mint() for _ in range(100)]
child = os.fork()
minted += [minter.mint() for _ in range(100)]
if child:
    os.waitpid(child, 0)
    sys.stdout.write("\\n".join(minted))
else:
    with open(sys.argv[1] + ".child", "w") as file:
        file.write("\\n".join(minted[100:]))
    os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_forked_child_does_not_use_the_range_of_its_parent(tmp_path: Path) -> None:
    """A fork copies the minter with the range that it holds; only one of the two
    goes on with it."""
    state = tmp_path / "state"
    run = subprocess.run(
        [sys.executable, "-c", FORKED, str(state)],
        capture_output=True,
        check=True,
        env=_environment(),
        text=True,
    )

    minted = run.stdout.split() + (tmp_path / "state.child").read_text().split()

    assert len(minted) == 300
    assert len(set(minted)) == 300


def test_threads_without_a_state_file() -> None:
    """Within a process no millisecond is given twice, by one minter or by many."""
    clock_lock = threading.Lock()
    readings = iter(range(10**9))

    def clock() -> datetime:
        with clock_lock:
            reading = next(readings)
        back = 500 if reading % 1_000 > 900 else 0
        return MAY_2007 + timedelta(milliseconds=2 * reading - back)

    minted: list[list[str]] = [[] for _ in range(8)]
    shared = PilinSuffixes(clock=clock, wait=lambda _: None)

    def work(mine: list[str]) -> None:
        own = PilinSuffixes(clock=clock, wait=lambda _: None)
        for _ in range(500):
            mine.append(shared.mint())
            mine.append(own.mint())
            mine.append(mint(clock=clock, wait=lambda _: None))

    threads = [threading.Thread(target=work, args=(mine,)) for mine in minted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    everything = [suffix for mine in minted for suffix in mine]
    assert len(everything) == 8 * 1_500
    assert len(set(everything)) == len(everything)


def test_minting_by_the_clock_of_the_machine() -> None:
    """With no arguments, a suffix tells the present time."""
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    suffix = mint()
    after = datetime.now(UTC)

    assert before <= to_datetime(suffix) <= after + SECOND
    assert str(Handle("102.100.272", suffix)) == f"102.100.272/{suffix}"


def test_minting_with_a_state_file_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file is one sequence, by whatever path, text or object it is named."""
    monkeypatch.chdir(tmp_path)

    minted = [
        mint(state=state, clock=lambda: MAY_2007)
        for state in ("state", tmp_path / "state", str(tmp_path / "state"))
    ]

    assert minted == ["Y35XYS0QH", "Z35XYS0QH", "045XYS0QH"]


def test_every_scheme_is_a_suffix_scheme(tmp_path: Path) -> None:
    """What asks for suffixes need not know which scheme makes them up."""
    schemes: list[SuffixScheme] = [
        PilinSuffixes(),
        PilinSuffixes(state=tmp_path / "pilin"),
        UUIDSuffixes(),
        SequentialSuffixes(),
        SequentialSuffixes(state=tmp_path / "sequential"),
    ]

    for scheme in schemes:
        suffixes = [scheme.mint() for _ in range(20)]
        assert len(set(suffixes)) == 20
        for suffix in suffixes:
            assert Handle("102.100.272", suffix).suffix == suffix


def test_both_reasons_not_to_mint_are_one_kind_of_error(tmp_path: Path) -> None:
    """A program that registers handles catches one error, and stops."""
    (tmp_path / "state").write_text("not a state file, but long enough to be one\n")

    with pytest.raises(MintingError):
        mint(state=tmp_path / "state")
    stalled = PilinSuffixes(
        state=tmp_path / "other", clock=lambda: MAY_2007, wait=lambda _: None
    )
    for _ in range(1_001):
        stalled.mint()
    with pytest.raises(MintingError):
        stalled.mint()
