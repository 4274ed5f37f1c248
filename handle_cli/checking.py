"""``hdl check`` and ``hdl list``: the references in files."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import click

from handle_cli.files import (
    SkippedError,
    SourceFile,
    find_files,
    max_file_size_option,
    paths_argument,
    read_file,
    stdin_name_option,
)
from handle_cli.findings import (
    SKIPPED,
    Finding,
    Level,
    Place,
    Read,
    find_wanted,
    findings_about,
)
from handle_cli.output import (
    Exit,
    as_json,
    resolver_option,
    say,
    say_table,
    trouble,
    with_progress,
)
from handle_cli.readers import (
    SourceReference,
    Syntax,
    UnreadableError,
    read_references,
)
from handle_cli.reports import REPORTS
from handle_cli.settings import (
    ProjectSettings,
    project_settings,
    verification_settings,
)
from handle_system import HandleReference, Proxies
from handle_system.errors import showable
from handle_system.text import several

__all__ = ["check", "list_references"]

_FIELDS = ("path", "line", "column", "form", "written", "handle", "link")
_LIST_FORMATS = ("table", "json", "csv")


def _chosen_format(given: str | None, usual: str, *, in_json: bool) -> str:
    if given and in_json:
        raise click.UsageError("--format and --json exclude each other")
    return "json" if in_json else given or usual


@click.command("list", short_help="List the references in files and folders.")
@paths_argument
@click.option(
    "--format",
    "format_name",
    type=click.Choice(_LIST_FORMATS),
    help="How the references are written.  [default: table]",
)
@click.option("--json", "in_json", is_flag=True, help="The same as --format json.")
@stdin_name_option
@max_file_size_option
def list_references(
    paths: tuple[str, ...],
    *,
    format_name: str | None,
    in_json: bool,
    stdin_name: str | None,
    max_file_size: float,
) -> None:
    """List every reference in files and folders, with its handle and its link.

    The same files are read as by "hdl check"; the PATH "-" is the standard input, read
    as Markdown. Malformed references are left out: "hdl check" reports them.

    Exits with 0 also if there is none, with 2 if a file that is named cannot be read.
    """
    format_name = _chosen_format(format_name, "table", in_json=in_json)
    settings = project_settings()
    rows: list[tuple[str | int | None, ...]] = []
    is_wrong = False
    with with_progress([*find_files(paths, settings, stdin_name)]) as files:
        for file in files:
            found = _read(file, settings, max_file_size, read_references)
            if isinstance(found, Finding):
                trouble(showable(f"{file.name}: {found.message}"))
                is_wrong |= _is_unreadable(found)
                continue
            rows += (
                (
                    file.name,
                    each.line,
                    each.column or None,
                    each.reference.form.value,
                    each.written,
                    str(each.reference.handle),
                    settings.proxies.link(each.reference),
                )
                for each in found
                if isinstance(each.reference, HandleReference)
            )
    match format_name:
        case "json":
            say(as_json([dict(zip(_FIELDS, row, strict=True)) for row in rows]))
        case "csv":
            written = io.StringIO()
            csv.writer(written, lineterminator="\n").writerows([_FIELDS, *rows])
            say(written.getvalue().removesuffix("\n"))
        case _ if rows:
            say_table(_FIELDS, rows)
    click.get_current_context().exit(Exit.WRONG if is_wrong else Exit.FINE)


@click.command(short_help="Find malformed and suspicious references in files.")
@paths_argument
@click.option("--verify", is_flag=True, help="Verify the handles at their records.")
@resolver_option
@click.option(
    "--cache", type=click.Path(dir_okay=False), help="Keep the answers in a file."
)
@click.option(
    "--trust-config",
    is_flag=True,
    help="Let [tool.handle] name servers, and files outside of the project.",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice([*REPORTS]),
    help="How the findings are written.  [default: text]",
)
@click.option("--json", "in_json", is_flag=True, help="The same as --format json.")
@stdin_name_option
@max_file_size_option
def check(  # noqa: PLR0913 (one for each option)
    paths: tuple[str, ...],
    *,
    verify: bool,
    resolvers: tuple[str, ...],
    cache: str | None,
    trust_config: bool,
    format_name: str | None,
    in_json: bool,
    stdin_name: str | None,
    max_file_size: float,
) -> None:
    r"""Find malformed and suspicious references in files and folders.

    The command reads reStructuredText, Markdown, notebooks, docstrings of Python, plain
    text, CITATION.cff and BibTeX, and skips code, literals and comments. The PATH "-"
    is the standard input, read as Markdown. No server is asked without --verify.

    Paths listed in .hdlignore are skipped; in folders, so are hidden files, and
    installed or built ones. A comment "hdl: ignore" silences its line, or the block
    after it if it stands alone. The table [tool.handle] of pyproject.toml holds more
    settings.

    Exits with 1 if there is a finding or a file is too large, with 2 if a setting, a
    file of records or a file that is named cannot be used, with 3 if no handle could be
    verified.
    """
    format_name = _chosen_format(format_name, "text", in_json=in_json)
    if (resolvers or cache) and not verify:
        raise click.UsageError("--resolver and --cache are for --verify")
    settings = project_settings()
    references, findings = _collect(
        find_files(paths, settings, stdin_name), settings, max_file_size
    )
    is_wrong = any(map(_is_unreadable, findings))
    code = Exit.WRONG if is_wrong else Exit.FINE
    count, ignored = len(references), 0
    if verify:
        how = verification_settings(
            settings, resolvers=resolvers, cache=cache, trust_config=trust_config
        )
        references = [
            each
            for each in references
            if each.reference.handle not in settings.verify_ignore
        ]
        ignored = count - len(references)
        # The HTTP client and the database are loaded only for those who want them.
        from handle_cli.resolving import verify as at_records  # noqa: PLC0415

        found_there, is_unknown = at_records(references, how)
        findings += found_there
        if is_unknown:
            code = max(code, Exit.UNKNOWN)
    findings = [*_with_levels(findings, settings)]
    findings.sort(
        key=lambda each: (each.place.file, each.place.line, each.place.column)
    )
    written = REPORTS[format_name](findings)
    if written:
        say(written)
    if format_name == "text":
        more = f", {ignored} ignored" if ignored else ""
        trouble(f"{several(count, 'reference')}, {_counted(findings)}{more}")
    is_found = any(each.level is not Level.NOTE for each in findings)
    if is_found and code is not Exit.WRONG:
        code = Exit.FINDINGS
    click.get_current_context().exit(code)


def _collect(
    files: Iterable[SourceFile], settings: ProjectSettings, max_megabytes: float
) -> tuple[list[Read], list[Finding]]:
    """The references of files, and the findings without asking a server."""
    references: list[Read] = []
    findings: list[Finding] = []
    with with_progress([*files]) as watched:
        for file in watched:
            found = _read(file, settings, max_megabytes, find_wanted)
            if isinstance(found, Finding):
                findings.append(found)
                continue
            for each in found:
                place = Place(
                    file=file.name,
                    line=each.line,
                    column=each.column,
                    written=each.written,
                )
                findings += findings_about(each.reference, place)
                if isinstance(each.reference, HandleReference):
                    references.append(Read(each.reference, place))
    return references, findings


def _read(
    file: SourceFile,
    settings: ProjectSettings,
    max_megabytes: float,
    reader: Callable[[Syntax, str, Proxies], Iterable[SourceReference]],
) -> Iterable[SourceReference] | Finding:
    """The references of a file, or the finding that it is not read."""
    try:
        text, syntax = read_file(file, max_megabytes)
        return reader(syntax, text, settings.proxies)
    except SkippedError as skipped:
        return skipped.finding
    except UnreadableError as error:
        return SkippedError(file, str(error), Level.NOTE).finding


def _is_unreadable(finding: Finding) -> bool:
    """Whether a file that the command line names cannot be read."""
    return finding.code == SKIPPED and finding.level is Level.ERROR


def _with_levels(
    findings: Iterable[Finding], settings: ProjectSettings
) -> Iterator[Finding]:
    for finding in findings:
        level = settings.levels.get(finding.code, finding.level)
        if level is not None and finding.code not in settings.ignore:
            yield replace(finding, level=level)


def _counted(findings: list[Finding]) -> str:
    levels = [finding.level for finding in findings]
    return ", ".join(several(levels.count(level), level) for level in Level)
