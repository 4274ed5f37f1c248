"""``hdl fix``: references in files, written canonically."""

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from difflib import unified_diff
from pathlib import Path

import click

from handle_cli.checking import paths_argument, project_settings, watched
from handle_cli.exits import Exit
from handle_cli.files import Skipped, SourceFile, find_files, read_file
from handle_cli.output import as_json, json_option, say, trouble
from handle_cli.rewriting import Aim, rewritten
from handle_system.errors import showable

__all__ = ["fix"]


@click.command
@paths_argument
@click.option(
    "--to",
    "aim",
    type=click.Choice([each.value for each in Aim]),
    default=Aim.LINK.value,
    show_default=True,
    help="What references in running text become.",
)
@click.option("--diff", "only_diff", is_flag=True, help="Show the changes only.")
@click.option("--yes", is_flag=True, help="In a terminal, do not ask first.")
@json_option
def fix(
    paths: tuple[str, ...], *, aim: str, only_diff: bool, yes: bool, in_json: bool
) -> None:
    """Rewrite references in files to their canonical links, or to roles.

    Only references change, and none inside code, literals, comments and the
    texts of links; what is suspicious is left for a person to look at. A second
    run changes nothing. In a terminal the changes are shown and asked for first.

    Exits with 1 if something was changed, or would be.
    """
    settings = project_settings()
    asks = sys.stdout.isatty() and not (yes or only_diff or in_json)
    changed = []
    with watched([*find_files(paths, settings)]) as files:
        for file in files:
            text = file if isinstance(file, Skipped) else read_file(file)
            if isinstance(text, Skipped) or isinstance(file, Skipped):
                if isinstance(text, Skipped):
                    trouble(showable(f"{text.name}: skipped: {text.reason}"))
                continue
            new = rewritten(file.syntax, text, settings.proxies, Aim(aim))
            if new == text:
                continue
            changed.append(file.name)
            if only_diff or asks:
                for line in _diff(file, text, new):
                    say(showable(line))
            if not only_diff and (not asks or click.confirm("Write this?")):
                write_whole(file.path, new.encode())
            if not (only_diff or asks or in_json):
                say(showable(file.name))
    if in_json:
        say(as_json(changed))
    click.get_current_context().exit(Exit.FINDINGS if changed else Exit.FINE)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it has the old content or the new one, never a part.

    Its mode stays, and a symbolic link goes on leading to it.
    """
    path = path.resolve()
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(stat.S_IMODE(path.stat().st_mode))
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise


def _diff(file: SourceFile, old: str, new: str) -> Iterator[str]:
    lines = unified_diff(
        old.splitlines(), new.splitlines(), f"a/{file.name}", f"b/{file.name}", n=2
    )
    return (line.rstrip("\n") for line in lines)
