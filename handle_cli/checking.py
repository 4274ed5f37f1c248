"""``hdl check``: references in files, offline or at their records."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import click

from handle_cli.files import Skipped, SourceFile, find_files, read_file
from handle_cli.findings import Finding, Place, Read, read_text
from handle_cli.levels import SKIPPED, Level
from handle_cli.output import Exit, say, trouble, with_progress
from handle_cli.reports import REPORTS
from handle_cli.settings import ProjectSettings, SettingsError
from handle_system.errors import showable
from handle_system.text import several

__all__ = ["check", "paths_argument", "project_settings"]

paths_argument = click.argument(
    "paths", nargs=-1, required=True, metavar="PATH…", type=click.Path(exists=True)
)


@click.command
@paths_argument
@click.option("--verify", is_flag=True, help="Ask the records as well.")
@click.option("--server", "servers", multiple=True, metavar="URL", help="Ask a proxy.")
@click.option(
    "--records",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    help="Ask a file of records, before any proxy.",
)
@click.option(
    "--cache", type=click.Path(dir_okay=False), help="Remember what was answered."
)
@click.option(
    "--format",
    "report",
    type=click.Choice([*REPORTS]),
    default="text",
    show_default=True,
    help="How the findings are written.",
)
@click.option("--json", "in_json", is_flag=True, help="The same as --format json.")
def check(  # noqa: PLR0913 (one for each option)
    paths: tuple[str, ...],
    *,
    verify: bool,
    servers: tuple[str, ...],
    records: tuple[str, ...],
    cache: str | None,
    report: str,
    in_json: bool,
) -> None:
    r"""Find malformed and suspicious references in files and folders.

    Read are reStructuredText, Markdown, notebooks, docstrings of Python, plain
    text, CITATION.cff and BibTeX; code, literals and comments are passed over.
    No server is asked without --verify.

    Paths listed in .hdlignore are passed over; so are, in folders, those whose
    names begin with a dot, and what was installed or built. A comment
    "hdl: ignore" silences its line, or the block after it if it stands alone.
    More is said in the table [tool.handle] of pyproject.toml.

    Exits with 1 if something is found, with 2 if a setting or a file of records
    cannot be used. Files that are not text, and handles that were not reached, are
    noted only.
    """
    _refuse_unless(verify=verify, wanted=(*servers, *records, *filter(None, [cache])))
    settings = project_settings()
    findings: list[Finding] = []
    references: list[Read] = []
    count = ignored = 0
    with with_progress([*find_files(paths, settings)]) as files:
        for file in files:
            for each in _examine(file, settings):
                match each:
                    case Finding():
                        findings.append(each)
                    case Read():
                        count += 1
                        if not verify:
                            continue
                        if each.reference.handle in settings.verify_ignore:
                            ignored += 1
                        else:
                            references.append(each)
    if verify:
        # The HTTP client and the database are loaded for those who want them.
        from handle_cli.verifying import verify as at_records  # noqa: PLC0415

        how = settings.verification
        how = replace(
            how,
            resolvers=(*records, *servers) or how.resolvers,
            cache=cache or how.cache,
        )
        findings += at_records(references, how)
    findings = [*_as_wanted(findings, settings)]
    findings.sort(key=lambda each: (each.place.file, each.place.line))
    format_name = "json" if in_json else report
    written = REPORTS[format_name](findings)
    if written:
        say(written)
    if format_name == "text":
        more = f", {ignored} ignored" if ignored else ""
        trouble(f"{several(count, 'reference')}, {_counted(findings)}{more}")
    wrong = any(each.level is not Level.NOTE for each in findings)
    click.get_current_context().exit(Exit.FINDINGS if wrong else Exit.FINE)


def _refuse_unless(*, verify: bool, wanted: tuple[str, ...]) -> None:
    if wanted and not verify:
        raise click.UsageError("--server, --records and --cache are for --verify")


def project_settings() -> ProjectSettings:
    """The settings of the project that the command is called in.

    Raises:
        click.UsageError: when they cannot be used.
    """
    try:
        return ProjectSettings.of(Path.cwd())
    except SettingsError as error:
        raise click.UsageError(showable(str(error))) from error


def _examine(
    file: SourceFile | Skipped, settings: ProjectSettings
) -> Iterator[Finding | Read]:
    text = file if isinstance(file, Skipped) else read_file(file)
    if isinstance(text, Skipped):
        yield Finding(
            place=Place(file=text.name),
            level=Level.NOTE,
            code=SKIPPED,
            message=f"skipped: {text.reason}",
        )
    elif isinstance(file, SourceFile):
        yield from read_text(file, text, settings)


def _as_wanted(
    findings: Iterable[Finding], settings: ProjectSettings
) -> Iterator[Finding]:
    for finding in findings:
        level = settings.levels.get(finding.code, finding.level)
        if level is not None and finding.code not in settings.ignore:
            yield finding if level is finding.level else replace(finding, level=level)


def _counted(findings: list[Finding]) -> str:
    counts = dict.fromkeys(Level, 0)
    for finding in findings:
        counts[finding.level] += 1
    return ", ".join(several(count, level) for level, count in counts.items())
