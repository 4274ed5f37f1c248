"""Output for people and for programs, exit codes, and the progress bar.

Texts come from arguments, files and servers: a character that a terminal would hide or
obey is shown as an escape.  JSON is written in ASCII, which every terminal and pipe
takes.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import TypeVar

import click

from handle_system.errors import showable

__all__ = [
    "Exit",
    "as_json",
    "json_option",
    "progress_bar",
    "say",
    "say_rows",
    "trouble",
    "with_progress",
]

Item = TypeVar("Item")

json_option = click.option(
    "--json", "in_json", is_flag=True, help="Write JSON, for programs."
)


class Exit(IntEnum):
    """The exit codes of ``hdl``, the same for every subcommand."""

    FINE = 0
    FINDINGS = 1
    """There is a finding, or a change."""
    WRONG = 2
    """The arguments, or a file that they name, cannot be used."""
    UNKNOWN = 3
    """No server gave an answer: nothing may be concluded."""
    INTERRUPTED = 130
    """The user pressed Ctrl-C, or gave no answer to a question."""


def as_json(value: object) -> str:
    """A value as JSON, for programs."""
    return json.dumps(value, indent=2)


def say(text: str = "") -> None:
    """Write a line to the standard output."""
    click.echo(_encodable(text))


def trouble(text: str) -> None:
    """Write a line to the standard error."""
    click.echo(_encodable(text), err=True)


def say_rows(rows: Iterable[tuple[str, str]]) -> None:
    """Write names and values, one pair to a line."""
    for name, value in rows:
        say(f"  {name:<10}{showable(value)}")


def _encodable(text: str) -> str:
    # A terminal may know fewer characters than a handle does.
    encoding = sys.stdout.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show on the standard error how many of how many are done, if it is a terminal.

    The bar vanishes at the end, and the standard output does not pass through it.
    """
    if not sys.stderr.isatty():
        # A disabled bar writes an empty line all the same, up to rich 13.
        yield lambda _done, _total: None
        return
    # Hooks do without the import.
    from rich.console import Console  # noqa: PLC0415 (see above)
    from rich.progress import Progress  # noqa: PLC0415 (as well)

    console = Console(stderr=True)
    with Progress(console=console, transient=True, redirect_stdout=False) as progress:
        task = progress.add_task(label, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def with_progress(items: Sequence[Item]) -> Iterator[Iterator[Item]]:
    """The items, one after the other, with a bar for those that were read."""
    with progress_bar("Reading") as show:
        yield _counted(items, show)


def _counted(items: Sequence[Item], show: Callable[[int, int], None]) -> Iterator[Item]:
    for done, item in enumerate(items):
        show(done, len(items))
        yield item
    show(len(items), len(items))
