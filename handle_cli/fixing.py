"""``hdl fix``: references in files, written canonically."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from handle_cli.charsets import decode_file, encoding_option
from handle_cli.files import (
    SourceFile,
    find_files,
    max_file_size_option,
    read_with,
    trust_config_option,
)
from handle_cli.mending import is_rewritten
from handle_cli.output import (
    Exit,
    as_json,
    json_option,
    say,
    trouble,
)
from handle_cli.paths import stays_inside
from handle_cli.project_settings import SETTINGS_OF_VERIFICATION, project_settings
from handle_cli.readers import Syntax
from handle_cli.rewriting import Aim, Left, Rewriting, RewritingRules, rewrite
from handle_cli.writing import (
    ChangedFileError,
    NotWrittenError,
    locked,
    write_file,
)
from handle_system.errors import showable
from handle_system.findings.codes import Severity
from handle_system.findings.finding import Finding


@click.command()
@click.argument(
    "paths", nargs=-1, required=True, metavar="PATH…", type=click.Path(exists=True)
)
@click.option(
    "--to",
    "aim",
    type=click.Choice([aim.value for aim in Aim]),
    help="What references in running text become. With link, and with autolink "
    "(<https://…> in Markdown), roles become links, too.  [default: link, and roles stay]",
)
@click.option(
    "--only-wrong",
    is_flag=True,
    help="Rewrite only references that are wrong, and leave every sound form as it is.",
)
@click.option(
    "--diff", "only_diff", is_flag=True, help="Show the changes, and write none."
)
@click.option("--yes", is_flag=True, help="Write the changes without asking.")
@click.option(
    "--unsafe",
    is_flag=True,
    help="Apply suggestions that change the identifier or guess at it, too.",
)
@click.option(
    "--data",
    is_flag=True,
    help="Rewrite data, too: text files and tables in folders, strings in the JSON of docstrings, "
    "hdl: in metadata.",
)
@trust_config_option
@json_option
@encoding_option
@max_file_size_option
def fix(  # noqa: PLR0913 (one for each option)
    paths: tuple[str, ...],
    *,
    aim: str | None,
    only_wrong: bool,
    only_diff: bool,
    yes: bool,
    unsafe: bool,
    data: bool,
    trust_config: bool,
    in_json: bool,
    encoding: str | None,
    max_file_size: float,
) -> None:
    """Rewrite references in files to their canonical links, or to roles.

    Code, literals, comments and the texts of links stay as they are. A suspicious
    reference is corrected if there is exactly one suggestion; a reference with
    escapes stays. A second run changes nothing.

    With --only-wrong, the command corrects references that "hdl check" reports, and
    leaves every other one in the form that its author chose.

    In a terminal the command shows each change and asks. Elsewhere it writes only with
    --yes; without, it shows the changes.

    Exits with 1 if something changed or would change, with 2 if a file cannot be read
    or written; the command goes on with the others.
    """
    trusted = [*SETTINGS_OF_VERIFICATION]
    if trust_config:
        trusted += ["proxies", "suffix_policy"]
    settings = project_settings(trusted)
    rules = RewritingRules(
        proxies=settings.proxies,
        text_prefixes=settings.text_prefixes,
        suffix_policy=settings.suffix_policy,
        aim=None if aim is None else Aim(aim),
        only_wrong=only_wrong,
        unsafe=unsafe,
        data=data,
    )
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    asks = is_terminal and not (yes or only_diff or in_json)
    writes = yes and not only_diff
    run = _Run(
        paths=paths,
        root=settings.root,
        asks=asks,
        writes=writes,
        shows=not (writes or in_json),
        says_names=writes and not in_json,
    )
    for file in find_files(paths, settings, encoding=encoding):
        if not (data or is_rewritten(file)):
            continue
        change = run.change_of(file, rules, max_file_size)
        if change is not None and not run.take(change):
            break
    if in_json:
        say(as_json(run.changed))
    elif run.changed and not (asks or yes or only_diff):
        trouble("Nothing is written without --yes")
    for line in run.left:
        trouble(line)
    click.get_current_context().exit(run.code)


_SKIPPED = {
    Severity.INFO: Exit.FINE,
    Severity.WARNING: Exit.FINDINGS,
    Severity.ERROR: Exit.WRONG,
}


class _Change(NamedTuple):
    """A file to be changed, with its old text and the new one."""

    file: SourceFile
    old: str
    new: str


@dataclass(kw_only=True)
class _Run:
    """One run of the command: what it does with a change, and what came of all.

    Attributes:
        paths: The paths that the user named.
        root: The root of the project.
        asks: Whether the user is asked about each change.
        writes: Whether changes are written unasked.
        shows: Whether each change is shown.
        says_names: Whether the name of each changed file is written.
        changed: The names of the files that changed, or would change.
        left: A line for each reference that stays.
        code: The exit code so far.
    """

    paths: Sequence[str]
    root: Path
    asks: bool
    writes: bool
    shows: bool
    says_names: bool
    changed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    code: Exit = Exit.FINE

    def change_of(
        self, file: SourceFile, rules: RewritingRules, max_megabytes: float
    ) -> _Change | None:
        """The change of a file, if it has one; a file that cannot be read is reported."""
        result = read_with(partial(_rewriting, rules=rules), file, max_megabytes)
        if isinstance(result, Finding):
            trouble(showable(f"{file.name}: {result.message}"))
            self._note(_SKIPPED[result.severity])
            return None
        old, rewriting = result
        self.left += (_left_line(file, reference) for reference in rewriting.left)
        if old == rewriting.text:
            return None
        return _Change(file, old, rewriting.text)

    def take(self, change: _Change) -> bool:
        """Show a change, ask about it and write it; whether the user wants more."""
        if self.shows:
            _show(change)
        is_wanted = self.writes
        if self.asks and not self.writes:
            answer = _ask()
            if answer == "q":
                return False
            self.writes = answer == "a"
            is_wanted = answer in {"a", "y"}
        if is_wanted and not _write(change, self.paths, self.root):
            self._note(Exit.WRONG)
            return True
        self._note(Exit.FINDINGS)
        self.changed.append(change.file.name)
        if self.says_names:
            say(showable(change.file.name))
        return True

    def _note(self, code: Exit) -> None:
        self.code = max(self.code, code)


def _rewriting(
    syntax: Syntax,
    text: str,
    folder: Path,
    charset: str | None,
    *,
    rules: RewritingRules,
) -> tuple[str, Rewriting]:
    rules_of_file = replace(rules, folder=folder, charset=charset)
    return text, rewrite(syntax, text, rules_of_file)


def _left_line(file: SourceFile, left: Left) -> str:
    """A line that names a reference that stays, and why."""
    numbers = (number for number in (left.place.line, left.place.column) if number)
    where = ":".join([file.name, *map(str, numbers)])
    written = f"{left.written}: " if left.written else ""
    return showable(f"{where}: left: {written}{left.reason}")


def _ask() -> str:
    answer: str = click.prompt(
        "Write this? (y)es, (n)o, (a)ll from here on, (q)uit",
        type=click.Choice(["y", "n", "a", "q"]),
        default="n",
        show_choices=False,
    )
    return answer


def _show(change: _Change) -> None:
    """Write the difference, in the form of ``diff -u``."""
    name = change.file.name
    # `splitlines` would end a line at a form feed as well.
    before = change.old.removesuffix("\n").split("\n")
    after = change.new.removesuffix("\n").split("\n")
    for line in unified_diff(before, after, f"a/{name}", f"b/{name}", n=2, lineterm=""):
        say("\t".join(map(showable, line.removesuffix("\r").split("\t"))))


def _write(change: _Change, paths: Iterable[str], root: Path) -> bool:
    """Write the new text, or report why it is not written."""
    file = change.file
    try:
        path = _path_to_write(file, paths, root)
        with locked(path.resolve().parent):
            content = path.read_bytes()
            new_content = _encoded(change, content)
            has_links = write_file(path, new_content, expected=content, root=root)
    except NotWrittenError as error:
        reason = str(error)
    except OSError as error:
        reason = error.strerror or str(error)
    else:
        if has_links:
            trouble(showable(f"{file.name}: its other hard links keep the old text"))
        return True
    trouble(showable(f"{file.name}: not written: {reason}"))
    return False


def _path_to_write(file: SourceFile, paths: Iterable[str], root: Path) -> Path:
    """The path to a file that may be written, inside of a path that the user named.

    Raises:
        NotWrittenError: when a link leads out of the paths, or out of the project.
        OSError: when the file is gone.
    """
    target = file.path.resolve(strict=True)
    named = [Path(path) for path in paths]
    holders = [path for path in named if target.is_relative_to(path.resolve())]
    if not holders:
        raise NotWrittenError("it is a symbolic link to a file outside of the paths")
    if not any(stays_inside(path, root) for path in holders):
        raise NotWrittenError("a symbolic link leads to it, out of the project")
    return target


def _encoded(change: _Change, content: bytes) -> bytes:
    """The new text in the charset of the old one, which a content has.

    Raises:
        NotWrittenError: when the content is another one, or cannot be written again.
    """
    file = change.file
    try:
        decoded = decode_file(content, file.syntax or Syntax.PLAIN, file.encoding)
    except UnicodeDecodeError as error:
        raise ChangedFileError from error
    if decoded.text != change.old:
        raise ChangedFileError
    # Some charsets have several ways to write a text.
    if change.old.encode(decoded.codec) != content:
        raise NotWrittenError(f"its {decoded.codec} would change elsewhere")
    try:
        return change.new.encode(decoded.codec)
    except UnicodeEncodeError as error:
        reason = f"{decoded.codec} cannot write the new text"
        raise NotWrittenError(reason) from error
