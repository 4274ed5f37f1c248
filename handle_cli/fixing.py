"""``hdl fix``: references in files, written canonically."""

import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

import click

from handle_cli.files import (
    SkippedError,
    SourceFile,
    find_files,
    max_file_size_option,
    paths_argument,
    read_file,
)
from handle_cli.findings import Finding, Level
from handle_cli.output import (
    Exit,
    as_json,
    json_option,
    say,
    trouble,
    with_progress,
)
from handle_cli.readers import Syntax, UnreadableError
from handle_cli.rewriting import Aim, RewritingRules, rewritten
from handle_cli.settings import ProjectSettings, project_settings
from handle_cli.whole_file import write_whole
from handle_system.errors import showable

__all__ = ["fix"]

_YES, _NO, _ALL, _QUIT = "ynaq"
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
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    run = _Run(
        roots=[Path(each).resolve() for each in paths],
        asks=is_terminal and not (yes or only_diff or in_json),
        writes=yes and not only_diff,
        in_json=in_json,
    )
    files = [*_files(paths, settings, data=data)]
    # Where changes are shown, they show the progress.
    watch = nullcontext(iter(files)) if run.shows else with_progress(files)
    with watch as watched:
        for file in watched:
            change = _change_of(file, rules, max_file_size)
            if isinstance(change, Finding):
                trouble(showable(f"{file.name}: {change.message}"))
                run.code = max(run.code, _SKIPPED[change.level])
            elif change is not None and not run.treat(change):
                break
    if in_json:
        say(as_json(run.changed))
    elif run.changed and not (run.asked or yes or only_diff):
        trouble("Nothing is written without --yes")
    found = Exit.FINDINGS if run.changed else Exit.FINE
    click.get_current_context().exit(max(run.code, found))


_SKIPPED = {
    Level.NOTE: Exit.FINE,
    Level.WARNING: Exit.FINDINGS,
    Level.ERROR: Exit.WRONG,
}


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


@dataclass(slots=True, kw_only=True)
class _Run:
    """A run of the command.

    Attributes:
        roots: The paths of the command line.
        asks: Whether the user is asked about each change.
        writes: Whether changes are written without asking.
        in_json: Whether the names of the files are written as JSON, at the end.
        changed: The files that were changed, or would be.
        asked: Whether the user was asked.
        code: The exit code, apart from the changes.
    """

    roots: list[Path]
    asks: bool
    writes: bool
    in_json: bool
    changed: list[str] = field(default_factory=list)
    asked: bool = False
    code: Exit = Exit.FINE

    @property
    def shows(self) -> bool:
        """Whether changes are shown."""
        return not (self.writes or self.in_json)

    def treat(self, change: _Change) -> bool:
        """Show a change, ask about it and write it; `False` to quit."""
        is_shown = self.shows
        if is_shown:
            change.show()
        answer = _YES if self.writes else self._ask() if self.asks else _NO
        if answer == _ALL:
            self.writes = True
        reason = change.write(self.roots) if answer in _YES + _ALL else None
        if reason is None:
            self.changed.append(change.name)
            if not (is_shown or self.in_json):
                say(showable(change.name))
        else:
            trouble(showable(f"{change.name}: not written: {reason}"))
            self.code = Exit.WRONG
        return answer != _QUIT

    def _ask(self) -> str:
        self.asked = True
        answer: str = click.prompt(
            "Write this? (y)es, (n)o, (a)ll from here on, (q)uit",
            type=click.Choice([_YES, _NO, _ALL, _QUIT]),
            default=_NO,
            show_choices=False,
        )
        return answer


def _change_of(
    file: SourceFile, rules: RewritingRules, max_megabytes: float
) -> _Change | Finding | None:
    """The change of a file, if there is one, or the finding that it is not read."""
    try:
        text, syntax = read_file(file, max_megabytes)
        new = rewritten(syntax, text, rules)
    except SkippedError as skipped:
        return skipped.finding
    except UnreadableError as error:
        return SkippedError(file, str(error), Level.NOTE).finding
    if new == text or file.path is None:
        return None
    return _Change(file.path, file.name, text, new)
