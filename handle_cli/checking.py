"""``hdl check``: the findings about the references in files."""

import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import click

from handle_cli.charsets import encoding_option
from handle_cli.check_reports import REPORTS
from handle_cli.checked_files import CheckedFiles
from handle_cli.checked_texts import findings_about_unreadable_files, reported
from handle_cli.files import (
    Inventory,
    find_files,
    max_file_size_option,
    paths_argument,
    stdin_name_option,
    trust_config_option,
)
from handle_cli.mending import fix_command
from handle_cli.output import print_error, print_line, resolver_option
from handle_cli.paths import shown_path
from handle_cli.project_settings import (
    SETTINGS_OF_VERIFICATION,
    ProjectSettings,
    project_settings,
)
from handle_cli.references_files import (
    files_to_read,
    old_file,
    readable_works,
    references_option,
)
from handle_cli.repositories import Git
from handle_system.describing.described_works import DescribedWorks
from handle_system.describing.described_works import read_described_works as read_works
from handle_system.describing.work_findings import command_for
from handle_system.findings.codes import Severity
from handle_system.findings.finding import Finding, exit_status
from handle_system.foreign_files import real_path
from handle_system.text import several

if TYPE_CHECKING:
    from handle_system.verifying.verdicts import CheckedHandle


@click.command()
@paths_argument
@click.option("--verify", is_flag=True, help="Verify the handles at their records.")
@resolver_option
@click.option(
    "--cache", type=click.Path(dir_okay=False), help="Keep the answers in a file."
)
@references_option
@click.option(
    "--retractions",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A copy of the file of Retraction Watch (CSV), whose states are added.",
)
@trust_config_option
@click.option(
    "--format",
    "format_name",
    type=click.Choice([*REPORTS]),
    help="The format of the findings.  [default: grouped on a terminal, else text]",
)
@stdin_name_option
@encoding_option
@max_file_size_option
def check(  # noqa: PLR0913 (one for each option)
    paths: tuple[str, ...],
    *,
    verify: bool,
    resolvers: tuple[str, ...],
    cache: str | None,
    given_files: tuple[Path, ...],
    retractions: Path | None,
    trust_config: bool,
    format_name: str | None,
    stdin_name: str | None,
    encoding: str | None,
    max_file_size: float,
) -> None:
    r"""Find malformed and suspicious references in files and folders.

    Without a PATH it reads the current folder. The command reads reStructuredText,
    Markdown, notebooks, docstrings of Python, plain text, HTML, tables, LaTeX, CITATION.cff
    and BibTeX, and skips code, literals and comments. The PATH "-" is the standard input, read as
    Markdown. Without --verify, the command asks no server.

    A file of references, which "hdl references update" writes, says which works were
    retracted, corrected or superseded, and which are not those that the text beside the
    identifier says. Cited works that it lacks are a finding if [tool.handle] gives
    "undescribed" a severity.

    The command compares the version and the identifiers that README and CITATION.cff
    name with those of CITATION.cff, works.toml and pyproject.toml in the same folder.

    The command skips the paths listed in .hdlignore. In folders, it also skips hidden
    files, what git ignores, and installed or built files. A comment "hdl: ignore" silences its line, or
    the block after it if the comment stands alone. The table [tool.handle] of
    pyproject.toml holds more settings.

    Exits with 1 if there is an error or a warning, or a file is too large, with 2 if a setting, a
    file of records or a file that you name cannot be used, with 3 if no handle could be
    verified.
    """
    if (resolvers or cache) and not verify:
        raise click.UsageError("--resolver and --cache are for --verify")
    if format_name is None:
        format_name = "grouped" if sys.stdout.isatty() else "text"
    has_summary = format_name in {"text", "grouped"}

    untrusted = _untrusted_settings(
        resolvers,
        cache,
        given_files,
        retractions,
        verify=verify,
        trust_config=trust_config,
    )
    settings = project_settings(untrusted)
    _name_settings(settings)

    # A file that is named and missing describes nothing.
    files = files_to_read(given_files, settings, paths) or settings.references
    works = readable_works(files) if given_files else read_works(files)
    works = works.with_retractions(retractions or settings.retractions)
    git = Git()
    checked = CheckedFiles(settings, works, git, asks_what_is_mended=has_summary)
    inventory = Inventory()
    for file in find_files(
        paths,
        settings,
        max_file_size,
        stdin_name,
        encoding,
        inventory=inventory,
        git=git,
    ):
        checked.read(file)

    findings = [*settings.notes, *checked.skipped, *checked.texts.findings]
    findings += _findings_about_works(checked, works, given_files, settings, paths)
    findings += checked.own_findings
    ignored = 0
    if verify:
        checked.handles, about_run = _verified(checked, settings, resolvers, cache)
        findings = _without_answered(findings, checked.handles)
        findings += [each.finding for each in checked.handles if each.finding]
        findings += about_run
        ignored = sum(
            len(each.places) for each in checked.handles if each.verdict is None
        )
    findings = reported(findings, settings)

    report = REPORTS[format_name](findings, checked)
    if report:
        print_line(report)
    if has_summary:
        print_error(_summary(findings, checked.reference_count, ignored))
        mended_count = sum(map(checked.is_mended, findings))
        if mended_count:
            command = fix_command(
                paths,
                encoding=encoding,
                max_file_size=max_file_size,
                trust_config=trust_config,
            )
            print_error(f"{mended_count} can be fixed with: {command}")
    if not checked.reference_count:
        _say_what_was_read(inventory, paths, settings)
    click.get_current_context().exit(exit_status(findings))


def _say_what_was_read(
    inventory: Inventory, paths: Sequence[str], settings: ProjectSettings
) -> None:
    """Say of a check without references what it read, and how to read all there is.

    A job that is green may read the wrong folder.
    """
    if not inventory.read:
        # A finding says so of a folder; of a file, who names it knows.
        return
    print_error(inventory.without_reference())
    root = real_path(settings.root)
    if not any(real_path(Path(path)) == root for path in paths):
        command = command_for("hdl check", [shown_path(settings.root)])
        print_error(f"To check the whole project: {command}")


def _untrusted_settings(
    resolvers: tuple[str, ...],
    cache: str | None,
    given_files: tuple[Path, ...],
    retractions: Path | None,
    *,
    verify: bool,
    trust_config: bool,
) -> list[str]:
    """The settings that the command obeys, and that nobody has said to trust."""
    if trust_config:
        return []
    given = {
        "resolver": resolvers,
        # The resolvers of the command line are asked alone.
        "servers": resolvers,
        "cache": cache,
        "references": given_files,
        "retractions": retractions,
    }
    obeyed = ["references", "retractions", "suffix_policy"]
    if verify:
        obeyed += SETTINGS_OF_VERIFICATION
    return [name for name in obeyed if not given.get(name)]


def _verified(
    checked: "CheckedFiles",
    settings: ProjectSettings,
    resolvers: tuple[str, ...],
    cache: str | None,
) -> tuple[list["CheckedHandle"], list[Finding]]:
    """The handles, also those that are left out, and the findings about the run."""
    # The HTTP client and the database are loaded only for those who want them.
    from handle_cli.resolving import verify as verify_at_records  # noqa: PLC0415 (see above)
    from handle_system.verifying.verdicts import CheckedHandle  # noqa: PLC0415 (see above)

    wanted = {}
    left_out = []
    for handle, places in checked.texts.places.items():
        if handle in settings.values.unverified:
            left_out.append(CheckedHandle(handle=str(handle), places=tuple(places)))
        else:
            wanted[handle] = places
    handles, about_run = verify_at_records(
        wanted, settings.verification, resolvers=resolvers, cache=cache
    )
    return [*handles, *left_out], about_run


def _without_answered(
    findings: Iterable[Finding], handles: Iterable["CheckedHandle"]
) -> list[Finding]:
    """The findings without those about an earlier answer, where there is a new one."""
    # What knows answers is loaded only for those who want them.
    from handle_system.verifying.verdicts import without_answered  # noqa: PLC0415

    verdicts = ((each.verdict, each.places) for each in handles if each.verdict)
    return without_answered(findings, verdicts)


def _findings_about_works(
    checked: CheckedFiles,
    works: DescribedWorks,
    given_files: Sequence[Path],
    settings: ProjectSettings,
    paths: Sequence[str],
) -> list[Finding]:
    """The findings that the files of references say of, and those about the files."""
    is_named = bool(given_files or settings.references)
    about_files = findings_about_unreadable_files(works, is_named=is_named)
    given = [shown_path(path) for path in given_files]
    old = old_file(works, given_files, settings, paths)
    if old is not None:
        about_files.append(old)
    return [
        *about_files,
        *checked.texts.findings_with_works(works, given, paths),
    ]


def _name_settings(settings: ProjectSettings) -> None:
    """Name the files whose settings hold, which can leave files and findings out."""
    names = [PurePath(os.path.relpath(path)).as_posix() for path in settings.files]
    if names:
        print_error(f"settings: {', '.join(names)}")


def _summary(findings: Sequence[Finding], references: int, ignored: int) -> str:
    """How many references there are, and how many findings of each severity."""
    counts = Counter(row.severity for row in findings for _ in row.places or (None,))
    severities = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    parts = [several(references, "reference")]
    parts += [several(counts[severity], severity.value) for severity in severities]
    if ignored:
        parts.append(f"{ignored} ignored")
    return ", ".join(parts)
