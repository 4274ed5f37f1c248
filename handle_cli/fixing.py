"""``hdl fix``: references in files, written canonically."""

import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from functools import partial
from pathlib import Path

import click

from handle_cli.files import (
    ProjectSettings,
    SkippedError,
    SourceFile,
    find_files,
    max_file_size_option,
    paths_argument,
    project_settings,
    read_with,
)
from handle_cli.findings import Level
from handle_cli.output import Exit, as_json, json_option, say, trouble, write_whole
from handle_cli.readers import Syntax
from handle_cli.rewriting import Aim, RewritingRules, rewritten
from handle_system.errors import showable

__all__ = ["fix"]

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@click.command(short_help="Rewrite references in files to their canonical links.")
@paths_argument
@click.option(
    "--to",
    "aim",
    type=click.Choice([each.value for each in Aim]),
    default=Aim.LINK.value,
    show_default=True,
    help="The new form of references in running text.",
)
@click.option(
    "--diff", "only_diff", is_flag=True, help="Show the changes, and write none."
)
@click.option("--yes", is_flag=True, help="Write the changes without asking.")
@click.option(
    "--unsafe", is_flag=True, help="Apply suggestions that change the identifier, too."
)
@click.option(
    "--data",
    is_flag=True,
    help="Rewrite data, too: text files in folders, strings in the JSON of docstrings, "
    "hdl: in metadata.",
)
@json_option
@max_file_size_option
def fix(  # noqa: PLR0913 (one for each option)
    paths: tuple[str, ...],
    *,
    aim: str,
    only_diff: bool,
    yes: bool,
    unsafe: bool,
    data: bool,
    in_json: bool,
    max_file_size: float,
) -> None:
    """Rewrite references in files to their canonical links, or to roles.

    Only references change, and none in code, literals, comments and the texts of links.
    A suspicious reference changes where there is exactly one suggestion, and a
    reference that has escapes stays. A second run changes nothing.

    In a terminal the command shows each change and asks. Elsewhere it writes only with
    --yes; without, it shows the changes.

    Exits with 1 if something was changed, or would be, with 2 if a file cannot be read
    or written; the others are.
    """
    settings = project_settings()
    rules = RewritingRules(
        proxies=settings.proxies, aim=Aim(aim), unsafe=unsafe, data=data
    )
    roots = [Path(each).resolve() for each in paths]
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    asks = is_terminal and not (yes or only_diff or in_json)
    writes = yes and not only_diff
    shows = not (writes or in_json)
    changed = []
    code = Exit.FINE
    for file in _files(paths, settings, data=data):
        try:
            change = read_with(partial(_change_of, file, rules), file, max_file_size)
        except SkippedError as skipped:
            trouble(showable(f"{file.name}: {skipped.finding.message}"))
            code = max(code, _SKIPPED[skipped.finding.level])
            continue
        if change is None:
            continue
        if shows:
            change.show()
        answer = _ask() if asks and not writes else ""
        if answer == "quit":
            break
        writes = writes or answer == "all"
        reason = change.write(roots) if writes or answer == "yes" else None
        if reason is not None:
            trouble(showable(f"{file.name}: not written: {reason}"))
            code = Exit.WRONG
            continue
        changed.append(file.name)
        if not (shows or in_json):
            say(showable(file.name))
    if in_json:
        say(as_json(changed))
    elif changed and not (asks or yes or only_diff):
        trouble("Nothing is written without --yes")
    found = Exit.FINDINGS if changed else Exit.FINE
    click.get_current_context().exit(max(code, found))


_SKIPPED = {
    Level.NOTE: Exit.FINE,
    Level.WARNING: Exit.FINDINGS,
    Level.ERROR: Exit.WRONG,
}
_ANSWERS = {"y": "yes", "n": "no", "a": "all", "q": "quit"}


def _ask() -> str:
    answer = click.prompt(
        "Write this? (y)es, (n)o, (a)ll from here on, (q)uit",
        type=click.Choice([*_ANSWERS]),
        default="n",
        show_choices=False,
    )
    return _ANSWERS[answer]


def _files(
    paths: Iterable[str], settings: ProjectSettings, *, data: bool
) -> Iterator[SourceFile]:
    for file in find_files(paths, settings):
        if file.path is None:
            raise click.UsageError("the standard input cannot be rewritten")
        is_wanted = data or file.is_named or file.path.suffix.lower() in settings.syntax
        if is_wanted or file.syntax is not Syntax.PLAIN:
            yield file


@dataclass(frozen=True, slots=True)
class _Change:
    """A change of a file's text."""

    path: Path
    name: str
    old: str
    new: str

    def show(self) -> None:
        """Write the difference, in the form of ``diff -u``."""
        # `splitlines` would end a line at a form feed as well.
        old, new = (
            text.removesuffix("\n").split("\n") for text in (self.old, self.new)
        )
        names = f"a/{self.name}", f"b/{self.name}"
        for line in unified_diff(old, new, *names, n=2, lineterm=""):
            say("\t".join(map(showable, line.removesuffix("\r").split("\t"))))

    def write(self, roots: Iterable[Path]) -> str | None:
        """Write the new text; the reason why not, if it is not written."""
        try:
            target = self.path.resolve(strict=True)
            status = target.stat()
            if not any(target.is_relative_to(root) for root in roots):
                return "it is a symbolic link to a file outside of the paths"
            if not status.st_mode & _WRITABLE:
                return "it is read-only"
            if target.read_bytes() != self.old.encode():
                return "it changed after it was read"
            write_whole(target, self.new.encode())
        except OSError as error:
            return error.strerror or str(error)
        if status.st_nlink > 1:
            trouble(showable(f"{self.name}: its other hard links keep the old text"))
        return None


def _change_of(
    file: SourceFile, rules: RewritingRules, syntax: Syntax, text: str
) -> _Change | None:
    """The change of a file's text; `None` if it stays."""
    new = rewritten(syntax, text, rules)
    if new == text or file.path is None:
        return None
    return _Change(file.path, file.name, text, new)
