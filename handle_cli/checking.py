"""``hdl check`` and ``hdl list``: the references in files."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

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
    stdin_name_option,
    verification_settings,
)
from handle_cli.findings import (
    REPORTS,
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
)
from handle_cli.readers import (
    SourceReference,
    Syntax,
    read_references,
)
from handle_system import HandleReference
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
    references, skipped = _read_files(
        find_files(paths, settings, stdin_name),
        max_file_size,
        partial(read_references, proxies=settings.proxies),
    )
    for finding in skipped:
        trouble(showable(f"{finding.place}: {finding.message}"))
    rows = [
        (
            name,
            each.line,
            each.column or None,
            each.reference.form.value,
            each.written,
            str(each.reference.handle),
            settings.proxies.link(each.reference),
        )
        for name, each in references
        if isinstance(each.reference, HandleReference)
    ]
    match format_name:
        case "json":
            say(as_json([dict(zip(_FIELDS, row, strict=True)) for row in rows]))
        case "csv":
            written = io.StringIO()
            csv.writer(written, lineterminator="\n").writerows([_FIELDS, *rows])
            say(written.getvalue().removesuffix("\n"))
        case _ if rows:
            say_table(_FIELDS, rows)
    is_wrong = any(map(_is_unreadable, skipped))
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
    found, findings = _read_files(
        find_files(paths, settings, stdin_name),
        max_file_size,
        partial(find_wanted, proxies=settings.proxies),
    )
    is_wrong = any(map(_is_unreadable, findings))
    code = Exit.WRONG if is_wrong else Exit.FINE
    references = []
    for name, each in found:
        place = Place(
            file=name, line=each.line, column=each.column, written=each.written
        )
        findings += findings_about(each.reference, place)
        if isinstance(each.reference, HandleReference):
            references.append(Read(each.reference, place))
    ignored = 0
    if verify:
        how = verification_settings(
            settings, resolvers=resolvers, cache=cache, trust_config=trust_config
        )
        # The HTTP client and the database are loaded only for those who want them.
        from handle_cli.resolving import verify as at_records  # noqa: PLC0415

        wanted = [
            each
            for each in references
            if each.reference.handle not in settings.verify_ignore
        ]
        ignored = len(references) - len(wanted)
        found_there, is_unknown = at_records(wanted, how)
        findings += found_there
        if is_unknown:
            code = max(code, Exit.UNKNOWN)
    findings = sorted(_with_levels(findings, settings), key=_place_of)
    written = REPORTS[format_name](findings)
    if written:
        say(written)
    if format_name == "text":
        more = f", {ignored} ignored" if ignored else ""
        levels = [finding.level for finding in findings]
        counts = ", ".join(several(levels.count(level), level) for level in Level)
        trouble(f"{several(len(references), 'reference')}, {counts}{more}")
    is_found = any(each.level is not Level.NOTE for each in findings)
    if is_found and code is not Exit.WRONG:
        code = Exit.FINDINGS
    click.get_current_context().exit(code)


def _read_files(
    files: Iterable[SourceFile],
    max_megabytes: float,
    reader: Callable[[Syntax, str], Iterable[SourceReference]],
) -> tuple[list[tuple[str, SourceReference]], list[Finding]]:
    """The references with the names of their files, and findings on skipped files."""
    references = []
    skipped = []
    for file in files:
        try:
            found = read_with(reader, file, max_megabytes)
        except SkippedError as error:
            skipped.append(error.finding)
        else:
            references += [(file.name, each) for each in found]
    return references, skipped


def _is_unreadable(finding: Finding) -> bool:
    """Whether a file that the command line names cannot be read."""
    return finding.code == SKIPPED and finding.level is Level.ERROR


def _place_of(finding: Finding) -> tuple[str, int, int]:
    return finding.place.file, finding.place.line, finding.place.column


def _with_levels(
    findings: Iterable[Finding], settings: ProjectSettings
) -> Iterator[Finding]:
    for finding in findings:
        level = settings.levels.get(finding.code, finding.level)
        if level is not None and finding.code not in settings.ignore:
            yield replace(finding, level=level)
