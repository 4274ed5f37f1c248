"""Output for people and for programs, and exit codes.

Texts come from arguments, files and servers: a character that a terminal would hide or
obey is shown as an escape.  `print_error` and `UnusableError` see to that themselves.
JSON is written in ASCII, which every terminal and pipe takes.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from functools import partial

import click

from handle_system.errors import showable

json_option = click.option(
    "--json", "in_json", is_flag=True, help="Write JSON, for programs."
)
resolver_option = click.option(
    "--resolver",
    "resolvers",
    multiple=True,
    metavar="X",
    help="The URL of a proxy, or a file of records, asked in place of a server that a "
    "reference names; repeat it to ask several in order.",
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


class UnusableError(click.ClickException):
    """The arguments, or a file that they name, cannot be used.

    Args:
        message: Why, in one line, which may quote anybody's text.
        drawing: Lines below it, which are escaped already.
    """

    exit_code = Exit.WRONG

    def __init__(self, message: str, drawing: str = "") -> None:
        super().__init__(_with_drawing(message, drawing))


def as_json(value: object) -> str:
    """A value as JSON, for programs.

    A build service obeys ``##[name]`` anywhere in the log of a job.  A ``#`` stands only
    within the texts of the value, where an escape is the same character.
    """
    return json.dumps(value, indent=2).replace("##", "#\\u0023")


def print_line(text: str = "") -> None:
    """Write a line to the standard output; only a terminal gets its colours."""
    is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    click.echo(text, color=False if is_plain else None)


def print_error(message: str, drawing: str = "") -> None:
    """Write to the standard error.

    Args:
        message: A line, which may quote anybody's text.
        drawing: Lines below it, which are escaped already.
    """
    click.echo(_with_drawing(message, drawing), err=True)


def _with_drawing(message: str, drawing: str) -> str:
    return "\n".join(filter(None, (showable(message), drawing)))


def print_table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table; only a terminal has its long lines folded."""
    from rich.console import Console  # noqa: PLC0415 (hooks do without it)
    from rich.table import Column, Table  # noqa: PLC0415 (hooks do without it)
    from rich.text import Text  # noqa: PLC0415 (hooks do without it)

    columns = (Column(name, overflow="fold") for name in names)
    table = Table(*columns, box=None, pad_edge=False)
    for row in rows:
        # As `Text`, because brackets in a string are markup.
        table.add_row(*(Text(_cell(value)) for value in row))
    # A file or a pipe has no width.
    Console(width=None if sys.stdout.isatty() else 100_000).print(table)


def _cell(value: object) -> str:
    return "" if value is None else showable(str(value))


@contextmanager
def progress_line(description: str, total: int) -> Iterator[Callable[[], None]]:
    """Show on the standard error how many are done, if it is a terminal.

    Args:
        description: What is done, such as ``asking``.
        total: How many there are.

    Yields:
        What is called for each one that is done.
    """
    if not sys.stderr.isatty():
        yield _show_nothing
        return
    # Hooks and programs have no terminal, and load no `rich`.
    from rich.console import Console  # noqa: PLC0415 (see above)
    from rich.progress import (  # noqa: PLC0415 (see above)
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    # Output stands above the line.  It stays as it is: nothing is folded, and what goes
    # to a file or a pipe does not pass through the terminal.
    progress = Progress(
        *columns,
        console=Console(stderr=True, soft_wrap=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    )
    with progress:
        task = progress.add_task(description, total=total)
        yield partial(progress.advance, task)


def _show_nothing() -> None:
    """Nobody looks."""
