"""``hdl fix``: references in files, written canonically."""

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import click

from handle_cli.charsets import encoding_option
from handle_cli.checked_texts import CheckedTexts, reported
from handle_cli.edits import with_edits
from handle_cli.files import (
    SourceFile,
    current_folder,
    find_files,
    max_file_size_option,
    print_skipped,
    read_with,
    trust_config_option,
)
from handle_cli.mending import has_keys, is_rewritten, speaks_of_its_project
from handle_cli.output import (
    Exit,
    as_json,
    json_option,
    print_error,
    print_line,
)
from handle_cli.project_settings import ProjectSettings, project_settings
from handle_cli.readers import SourceText
from handle_cli.references_files import files_to_read
from handle_cli.repositories import Git
from handle_cli.rewriting import Aim, Left, Rewriting, RewritingRules, rewrite
from handle_cli.text_files import write_text
from handle_system.describing.described_works import read_described_works
from handle_system.describing.work_findings import command_for
from handle_system.errors import showable
from handle_system.findings.codes import Severity
from handle_system.findings.finding import Finding, Place
from handle_system.foreign_files import outside_reason
from handle_system.lines import Lines
from handle_system.text import several

if TYPE_CHECKING:
    from handle_cli.stale_versions import OwnVersions


@click.command()
@click.argument(
    "paths",
    nargs=-1,
    metavar="[PATH…]",
    callback=current_folder,
    type=click.Path(exists=True),
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

    Without a path, the command reads the current folder, as "hdl check" does.

    Code, literals, comments and the texts of links stay as they are. A suspicious
    reference is corrected if there is exactly one suggestion; a reference with
    escapes stays. A second run changes nothing.

    With --only-wrong, the command corrects references that "hdl check" reports, and
    leaves every other one in the form that its author chose.

    In a README it writes the version of CITATION.cff where the badge of an earlier one
    stands, or a citation whose identifier, version and year are those of one.

    In a terminal the command shows the changes, the old text above the new one, and asks
    once. Elsewhere it writes only with --yes; without, it shows the changes as diff does.

    Exits with 1 if something changed or would change, with 2 if a file cannot be read
    or written; the command goes on with the others.
    """
    settings = project_settings([] if trust_config else ["proxies", "suffix_policy"])
    rules = RewritingRules(
        values=settings.values,
        aim=None if aim is None else Aim(aim),
        only_wrong=only_wrong,
        unsafe=unsafe,
        data=data,
    )
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    tells = is_terminal and not (only_diff or in_json)
    asks = tells and not yes
    run = _Run(
        paths=paths,
        settings=settings,
        rules=rules,
        asks=asks,
        writes=yes and not only_diff,
        shows=only_diff or not (yes or in_json or asks),
        says_names=yes and not (only_diff or in_json),
    )
    for file in find_files(
        paths, settings, max_file_size, encoding=encoding, git=run.git
    ):
        if data or is_rewritten(file):
            run.take_file(file)
    run.ask()
    if in_json:
        print_line(as_json([*run.done]))
    elif run.done and not (asks or yes or only_diff):
        print_error(f"{_counts(run.done.values())}. Nothing is written without --yes.")
    for line in run.left:
        print_error(line)
    if tells:
        print_error(run.summary())
    click.get_current_context().exit(run.code)


_YOURS_TO_MEND = "this old version is yours to mend, as hdl check says"
_SKIPPED = {
    Severity.NOTE: Exit.FINE,
    Severity.WARNING: Exit.FINDINGS,
    Severity.ERROR: Exit.WRONG,
}


class _Replacement(NamedTuple):
    """A part of a text: where it is, what it was and what it becomes."""

    place: Place
    old: str
    new: str


class _Change(NamedTuple):
    """A file to be changed, with its old text and what becomes of it."""

    file: SourceFile
    old: str
    new: str
    replacements: Sequence[_Replacement]


def _counts(changes: Collection[int]) -> str:
    """How many changes there are in how many files, of which each has a number."""
    return f"{several(sum(changes), 'change')} in {several(len(changes), 'file')}"


@dataclass(kw_only=True)
class _Run:
    """One run of the command: what it does with a change, and what came of all.

    Attributes:
        paths: The paths that the user named.
        settings: The settings of the project.
        rules: How references are rewritten.
        asks: Whether the user is asked, when all changes are shown.
        writes: Whether changes are written.
        shows: Whether each change is shown as a difference.
        says_names: Whether the name of each changed file is written.
        git: git, as the run asks it.
        waiting: The changes that the user is asked about.
        done: How many changes each file has that changed, or would change, by name.
        left: A line for each reference that stays.
        files: How many files were read.
        references: How many references they hold.
        has_changes: Whether a file has something to rewrite.
        code: The exit code so far.
    """

    paths: Sequence[str]
    settings: ProjectSettings
    rules: RewritingRules
    asks: bool
    writes: bool
    shows: bool
    says_names: bool
    git: Git = field(default_factory=Git)
    waiting: list[_Change] = field(default_factory=list)
    done: dict[str, int] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    files: int = 0
    references: int = 0
    has_changes: bool = False
    code: Exit = Exit.FINE

    def take_file(self, file: SourceFile) -> None:
        """Read a file, and show or write its change; one that is not read is reported."""
        result = read_with(partial(self._read, file), file)
        if isinstance(result, Finding):
            print_skipped(result)
            self._note(_SKIPPED[result.severity])
            return
        change, rewriting = result
        self.files += 1
        self.references += rewriting.references
        self.left += (_left_line(file, reference) for reference in rewriting.left)
        if change.old == change.new:
            return
        self.has_changes = True
        if self.asks:
            _show_references(change)
            self.waiting.append(change)
        else:
            self._take(change)

    def _read(self, file: SourceFile, source: SourceText) -> tuple[_Change, Rewriting]:
        rules = replace(
            self.rules,
            folder=source.folder,
            charset=source.charset,
            has_keys=has_keys(source.name),
        )
        rewriting = rewrite(source.syntax, source.text, rules)
        replacements = [
            _Replacement(rewritten.before.place, rewritten.old, rewritten.new)
            for rewritten in rewriting.rewritten
        ]
        mended, new, old = self._with_present_version(
            file, replace(source, text=rewriting.text)
        )
        rewriting = rewriting._replace(left=[*rewriting.left, *old])
        if self.asks:
            self._new_texts.read(replace(source, text=new))
        return _Change(file, source.text, new, replacements + mended), rewriting

    def _with_present_version(
        self, file: SourceFile, source: SourceText
    ) -> tuple[list[_Replacement], str, list[Left]]:
        """What makes the citations of a README the present ones, and the text with it.

        The third value is what is old and stays.
        """
        if not speaks_of_its_project(source.name):
            return [], source.text, []
        text = source.text
        folder = file.path.parent
        old = self._own_versions.read(text, source.name, folder)
        lines = Lines(text)
        replacements = [
            _Replacement(
                Place(source.name, *lines.place(edit.start)),
                text[edit.start : edit.end],
                edit.new,
            )
            for edit in old.edits
        ]
        left = [
            Left(finding.first, finding.first.written, _YOURS_TO_MEND)
            for finding in reported(old.staying, self.settings)
            if finding.severity.fails
        ]
        return replacements, with_edits(text, old.edits)[0], left

    @cached_property
    def _own_versions(self) -> "OwnVersions":
        # Most files that are fixed are no README, and it loads all of citing.
        from handle_cli.stale_versions import OwnVersions  # noqa: PLC0415 (see above)

        files = files_to_read((), self.settings, self.paths)
        root = self.settings.root
        # A stranger's settings may name a file elsewhere.
        inside = [path for path in files if not outside_reason(path, root)]
        return OwnVersions(
            self.settings.values.link_proxies,
            root,
            read_described_works(inside),
            self.git,
        )

    @cached_property
    def _new_texts(self) -> CheckedTexts:
        """The new texts, whose findings the summary counts."""
        return CheckedTexts(self.settings)

    def ask(self) -> None:
        """Ask whether the waiting changes are to be written, and do so."""
        if not self.waiting:
            return
        counts = _counts([len(change.replacements) for change in self.waiting])
        which = "this" if counts.startswith("1 ") else "these"
        self.writes = click.confirm(f"Write {which} {counts}?")
        for change in self.waiting:
            self._take(change)

    def _take(self, change: _Change) -> None:
        """Show a change and write it, as far as that is wanted."""
        if self.shows:
            _show_difference(change)
        if self.writes and not self._write(change):
            self._note(Exit.WRONG)
            return
        self._note(Exit.FINDINGS)
        self.done[change.file.name] = len(change.replacements)
        if self.says_names:
            print_line(showable(change.file.name))

    def _write(self, change: _Change) -> bool:
        root = self.settings.root
        return write_text(change.file, change.old, change.new, self.paths, root)

    def _note(self, code: Exit) -> None:
        self.code = max(self.code, code)

    def summary(self) -> str:
        """What became of the files, and what is left for a person."""
        if not self.has_changes:
            references = several(self.references, "reference")
            return f"{references} in {several(self.files, 'file')}: nothing to rewrite."
        if not self.writes:
            return f"{_counts(self.done.values())} not written."
        said = f"{_counts(self.done.values())} written."
        findings = reported(self._new_texts.findings, self.settings)
        count = len([finding for finding in findings if finding.severity.fails])
        if not count:
            return said
        verb = "needs" if count == 1 else "need"
        command = command_for("hdl check", self.paths)
        return f"{said} {several(count, 'finding')} {verb} you: {command}"


def _left_line(file: SourceFile, left: Left) -> str:
    """A line that names a reference that stays, and why."""
    place = replace(left.place, file=file.name)
    written = f"{left.written}: " if left.written else ""
    return f"{place.in_file}: left: {written}{left.reason}"


def _show_references(change: _Change) -> None:
    """Write each reference of a file as it is, and below it as it would be."""
    for replacement in change.replacements:
        place = replace(replacement.place, file=change.file.name)
        print_line(click.style(f"{showable(place.in_file)}:", bold=True))
        print_line(f"    {click.style(showable(replacement.old), fg='red')}")
        print_line(f"  → {click.style(showable(replacement.new), fg='green')}")
    print_line()


def _show_difference(change: _Change) -> None:
    """Write the difference, in the form of ``diff -u``."""
    name = change.file.name
    # `splitlines` would end a line at a form feed as well.
    before = change.old.removesuffix("\n").split("\n")
    after = change.new.removesuffix("\n").split("\n")
    for line in unified_diff(before, after, f"a/{name}", f"b/{name}", n=2, lineterm=""):
        print_line("\t".join(map(showable, line.removesuffix("\r").split("\t"))))
