"""What somebody sees who watches: a bar on the standard error, and nobody else.

It goes when all is done, and what is written to the standard output passes it by.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["bar", "watched"]

Item = TypeVar("Item")


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """What shows how many of how many are done, under a word for what is done."""
    if not sys.stderr.isatty():
        # A bar that is disabled writes an empty line all the same, up to rich 13.
        yield lambda _done, _total: None
        return
    # Loaded for those who watch, and not for hooks.
    from rich.console import Console  # noqa: PLC0415 (see above)
    from rich.progress import Progress  # noqa: PLC0415 (as well)

    console = Console(stderr=True)
    with Progress(console=console, transient=True, redirect_stdout=False) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def watched(items: Sequence[Item]) -> Iterator[Iterator[Item]]:
    """The items, one after the other, with a bar for those that were read."""
    with bar("Reading") as show:
        yield _shown(items, show)


def _shown(items: Sequence[Item], show: Callable[[int, int], None]) -> Iterator[Item]:
    for done, item in enumerate(items):
        show(done, len(items))
        yield item
    show(len(items), len(items))
