"""Output for people and for programs, exit codes, the progress bar, and whole files.

Texts come from arguments, files and servers: a character that a terminal would hide or
obey is shown as an escape.  JSON is written in ASCII, which every terminal and pipe
takes.
"""

import functools
import json
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import IntEnum
from pathlib import Path
from typing import Any

import click

from handle_system.errors import showable

__all__ = [
    "Exit",
    "UnusableError",
    "as_json",
    "json_option",
    "progress_bar",
    "resolver_option",
    "say",
    "say_rows",
    "say_table",
    "trouble",
    "write_whole",
]

_ANY_WIDTH = 100_000
# Characters of a file's name that its other name begins with; the longest that a file
# system has are of 255 octets.
_OF_THE_NAME = 40

json_option = click.option(
    "--json", "in_json", is_flag=True, help="Write JSON, for programs."
)


def resolver_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option ``--resolver`` of a command, as its argument ``resolvers``.

    The older ``--server`` and ``--records`` are hidden, and warn.
    """

    @functools.wraps(command)
    def merged(
        *arguments: Any,
        resolvers: tuple[str, ...],
        servers: tuple[str, ...],
        records: tuple[str, ...],
        **options: Any,
    ) -> Any:
        if servers or records:
            trouble("--server and --records are deprecated: use --resolver")
        resolvers = (*records, *servers, *resolvers)
        return command(*arguments, resolvers=resolvers, **options)

    older = "Deprecated: use --resolver."
    for flag, name in (("--server", "servers"), ("--records", "records")):
        option = click.option(flag, name, multiple=True, hidden=True, help=older)
        merged = option(merged)
    return click.option(
        "--resolver",
        "resolvers",
        multiple=True,
        metavar="X",
        help="The URL of a proxy, or a file of records; repeat it to ask several "
        "in order.",
    )(merged)


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
    """The arguments, or a file that they name, cannot be used."""

    exit_code = Exit.WRONG


def as_json(value: object) -> str:
    """A value as JSON, for programs."""
    return json.dumps(value, indent=2)


def say(text: str = "") -> None:
    """Write a line to the standard output."""
    click.echo(text)


def trouble(text: str) -> None:
    """Write a line to the standard error."""
    click.echo(text, err=True)


def say_rows(rows: Iterable[tuple[str, str]]) -> None:
    """Write names and values, one pair to a line."""
    for name, value in rows:
        say(f"  {name:<10}{showable(value)}")


def say_table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table; only a terminal has its long lines folded."""
    from rich.console import Console  # noqa: PLC0415 (hooks do without it)
    from rich.table import Table  # noqa: PLC0415 (as well)
    from rich.text import Text  # noqa: PLC0415 (as well)

    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(name, overflow="fold")
    for row in rows:
        # As `Text`, because brackets in a string are markup.
        cells = ("" if each is None else showable(str(each)) for each in row)
        table.add_row(*map(Text, cells))
    width = None if sys.stdout.isatty() else _ANY_WIDTH
    Console(width=width).print(table)


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


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it has the old content or the new one, never a part.

    Its mode stays, its owner too if the user may give it away, and a symbolic link goes
    on leading to it.

    Raises:
        OSError: when it cannot be written; then it is as it was.
    """
    path = path.resolve()
    status = path.stat()
    beginning = f".{path.name[:_OF_THE_NAME]}."
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=beginning)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # Only the superuser may give a file away, and Windows has no such function.
        with suppress(OSError, AttributeError):
            os.chown(temporary, status.st_uid, status.st_gid)
        Path(temporary).chmod(stat.S_IMODE(status.st_mode))
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise
