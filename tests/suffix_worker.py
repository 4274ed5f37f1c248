"""A process that mints from a state file, for the tests that need several.

``suffix_worker.py threads STATE TICKS SLOT OUTPUT THREADS COUNT`` mints in many
threads, by a clock that it shares with the other worker; for each suffix it
writes what the clock showed when it was asked for, the suffix, and the latest
that the clock can have shown when it was given.

``suffix_worker.py endless STATE MINUTES`` mints until it is killed, by a clock
that starts at so many minutes and goes two milliseconds on with each reading.
"""

import contextlib
import itertools
import mmap
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from handle_system.suffix import ClockStalledError, PilinSuffixes

START: Final = datetime(2007, 5, 25, tzinfo=UTC)
SLOTS: Final = 2


class UnsteadyClock:
    """A millisecond a reading, for all readers together; not steadily.

    It stands still for 1,500 of each 6,000 readings, which is longer than minting
    may run ahead, and shows three seconds less for 1,000 of each 10,000.  A
    millisecond of waiting counts as one.  The readings of each process are counted in a slot of
    a file that both map, and no process writes in the other's slot: the sum is
    the number of readings, with no lock between the two.
    """

    def __init__(self, ticks: Path, slot: int) -> None:
        with ticks.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        self._counts = memoryview(self._map).cast("Q")
        self._slot = slot
        self._lock = threading.Lock()
        self._shown = threading.local()

    def __call__(self) -> datetime:
        self._go_on(1)
        tick = sum(self._counts)
        stalled = tick - max(0, tick % 6_000 - 4_500)
        back = 3_000 if tick % 10_000 >= 9_000 else 0
        shown = START + timedelta(milliseconds=stalled - back)
        self._shown.last = shown
        return shown

    def wait(self, seconds: float) -> None:
        """Let time pass for it."""
        self._go_on(round(seconds * 1_000))

    def shown(self) -> datetime:
        """What it last showed to this thread."""
        last: datetime = self._shown.last
        return last

    def bound(self) -> datetime:
        """The latest that it can have shown to anybody."""
        return START + timedelta(milliseconds=sum(self._counts))

    def _go_on(self, readings: int) -> None:
        with self._lock:
            self._counts[self._slot] += readings


def mint_in_threads(
    state: str, ticks: str, slot: str, output: str, threads: str, count: str
) -> None:
    """Mint `count` suffixes in each of `threads` threads."""
    clock = UnsteadyClock(Path(ticks), int(slot))
    minter = PilinSuffixes(state=state, clock=clock, wait=clock.wait)
    minted: list[list[str]] = [[] for _ in range(int(threads))]

    def work(lines: list[str]) -> None:
        for _ in range(int(count)):
            suffix = minter.mint()
            shown, bound = clock.shown(), clock.bound()
            lines.append(f"{shown.isoformat()} {suffix} {bound.isoformat()}\n")

    workers = [threading.Thread(target=work, args=(lines,)) for lines in minted]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    Path(output).write_text("".join(line for lines in minted for line in lines))


def mint_endlessly(state: str, minutes: str) -> None:
    """Mint and print until killed, or until the lead over the clock is used up."""
    readings = itertools.count()
    start = START + timedelta(minutes=int(minutes))

    def clock() -> datetime:
        return start + timedelta(milliseconds=2 * next(readings))

    minter = PilinSuffixes(state=state, clock=clock, wait=lambda _: None)
    with contextlib.suppress(ClockStalledError):
        while True:
            sys.stdout.write(f"{minter.mint()}\n")
            sys.stdout.flush()


WORK: Final[dict[str, Callable[..., None]]] = {
    "threads": mint_in_threads,
    "endless": mint_endlessly,
}

if __name__ == "__main__":
    WORK[sys.argv[1]](*sys.argv[2:])
