"""``hdl fix``: references in files, written canonically."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from difflib import unified_diff
from enum import StrEnum

import click

from handle_cli.checking import paths_argument, project_settings
from handle_cli.files import Skipped, SourceFile, find_files, read_file
from handle_cli.output import Exit, as_json, json_option, say, trouble, with_progress
from handle_cli.rewriting import Aim, rewritten
from handle_cli.settings import ProjectSettings
from handle_system.errors import showable
from handle_system.whole_file import write_whole

__all__ = ["fix"]


@click.command(short_help="Rewrite references in files to their canonical links.")
@paths_argument
@click.option(
    "--to",
    "aim",
    type=click.Choice([each.value for each in Aim]),
    default=Aim.LINK.value,
    show_default=True,
    help="What references in running text become.",
)
@click.option(
    "--diff", "only_diff", is_flag=True, help="Show the changes, and write none."
)
@click.option("--yes", is_flag=True, help="In a terminal, do not ask first.")
@json_option
def fix(
    paths: tuple[str, ...], *, aim: str, only_diff: bool, yes: bool, in_json: bool
) -> None:
    """Rewrite references in files to their canonical links, or to roles.

    Only references change, and none inside code, literals, comments and the
    texts of links; what is suspicious is left for a person to look at. A second
    run changes nothing. In a terminal the changes are shown and asked for first.

    Exits with 1 if something was changed, or would be, with 2 if a file cannot be
    written; the others are.
    """
    settings = project_settings()
    in_terminal = sys.stdout.isatty()
    asks = in_terminal and not (yes or only_diff or in_json)
    # Where changes are written as they are found, they show how far it has come.
    watch = nullcontext if in_terminal and not in_json else with_progress
    changed: list[str] = []
    notes: list[Skipped] = []
    with watch([*find_files(paths, settings)]) as files:
        for change in _changes(files, settings, Aim(aim)):
            if isinstance(change, Skipped):
                notes.append(change)
                continue
            if only_diff or asks:
                change.show()
            answer = _asked() if asks else _Answer.YES
            if answer is _Answer.QUIT:
                changed.append(change.file.name)
                break
            asks = asks and answer is not _Answer.ALL
            if not only_diff and answer is not _Answer.NO:
                try:
                    write_whole(change.file.path, change.new.encode())
                except OSError as error:
                    notes.append(_Unwritten(change.file.name, _reason(error)))
                    continue
            changed.append(change.file.name)
            if not (only_diff or asks or in_json):
                say(showable(change.file.name))
    for note in notes:
        trouble(showable(f"{note.name}: {note.reason}"))
    if in_json:
        say(as_json(changed))
    is_wrong = any(isinstance(note, _Unwritten) for note in notes)
    found = Exit.FINDINGS if changed else Exit.FINE
    click.get_current_context().exit(Exit.WRONG if is_wrong else found)


class _Answer(StrEnum):
    """What to do with a change, or with those that follow as well."""

    YES = "y"
    NO = "n"
    ALL = "a"
    QUIT = "q"


def _asked() -> _Answer:
    answer: str = click.prompt(
        "Write this? (y)es, (n)o, (a)ll from here on, (q)uit",
        type=click.Choice([each.value for each in _Answer]),
        default=_Answer.NO.value,
        show_choices=False,
    )
    return _Answer(answer)


class _Unwritten(Skipped):
    """A file that should have been written and was not, and why."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A file whose text is to be another one."""

    file: SourceFile
    old: str
    new: str

    def show(self) -> None:
        """Write the difference, in the form that ``diff -u`` has."""
        name = self.file.name
        # Not `splitlines`, for which a form feed ends a line as well.
        old, new = (
            text.removesuffix("\n").split("\n") for text in (self.old, self.new)
        )
        for line in unified_diff(old, new, f"a/{name}", f"b/{name}", n=2, lineterm=""):
            say("\t".join(map(showable, line.removesuffix("\r").split("\t"))))


def _changes(
    files: Iterable[SourceFile | Skipped], settings: ProjectSettings, aim: Aim
) -> Iterator[_Change | Skipped]:
    for file in files:
        if isinstance(file, Skipped):
            yield Skipped(file.name, f"skipped: {file.reason}")
            continue
        text = read_file(file)
        if isinstance(text, Skipped):
            yield Skipped(text.name, f"skipped: {text.reason}")
            continue
        new = rewritten(file.syntax, text, settings.proxies, aim)
        if new != text:
            yield _Change(file, text, new)


def _reason(error: OSError) -> str:
    return f"it cannot be written: {error.strerror or error}"
