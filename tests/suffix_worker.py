"""A process that mints from a state file, for the tests that need several.

``suffix_worker.py steady STATE COUNT`` mints by the machine's clock.

``suffix_worker.py forked STATE`` mints, forks, and continues in both processes.

``suffix_worker.py endless STATE MINUTES`` mints until it is killed, by a clock that
starts at MINUTES and advances two milliseconds with each reading.
"""

import contextlib
import itertools
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from handle_system.suffix import MintingError, mint

START: Final = datetime(2007, 5, 25, tzinfo=UTC)


def mint_steadily(state: str, count: str) -> None:
    """Mint `count` suffixes and print them."""
    sys.stdout.writelines(f"{mint(state=state)}\n" for _ in range(int(count)))


def mint_and_fork(state: str) -> None:
    """Mint 100 suffixes, then 100 more in each of two processes that share a block."""
    sys.stdout.writelines(f"{mint(state=state, clock=now)}\n" for _ in range(100))
    sys.stdout.flush()
    child = os.fork()
    sys.stdout.writelines(f"{mint(state=state, clock=now)}\n" for _ in range(100))
    sys.stdout.flush()
    if child:
        os.waitpid(child, 0)
    os._exit(0)


def now() -> datetime:
    """A clock that stands still."""
    return START


def mint_endlessly(state: str, minutes: str) -> None:
    """Mint and print until killed, or until the lead over the clock is used up."""
    readings = itertools.count()
    start = START + timedelta(minutes=int(minutes))

    def clock() -> datetime:
        return start + timedelta(milliseconds=2 * next(readings))

    with contextlib.suppress(MintingError):
        while True:
            sys.stdout.write(f"{mint(state=state, clock=clock, wait=lambda _: None)}\n")
            sys.stdout.flush()


WORK: Final[dict[str, Callable[..., None]]] = {
    "steady": mint_steadily,
    "forked": mint_and_fork,
    "endless": mint_endlessly,
}

if __name__ == "__main__":
    WORK[sys.argv[1]](*sys.argv[2:])
