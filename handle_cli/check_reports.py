"""The reports of ``hdl check``: those of the core, with colours."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import click

from handle_cli.checked_files import CheckedFiles
from handle_system.findings.finding import Finding
from handle_system.findings.reports import (
    csv_report,
    github_report,
    json_report,
    sarif_report,
    text_report,
)
from handle_system.findings.terminal import terminal_report


def _text(findings: Sequence[Finding], _checked: CheckedFiles) -> str:
    # Where the standard output is no terminal, click takes the colours off again.
    return text_report(findings, style=click.style)


def _grouped(findings: Sequence[Finding], checked: CheckedFiles) -> str:
    # Hooks and programs have no terminal.
    from shutil import get_terminal_size  # noqa: PLC0415 (see above)

    width = get_terminal_size().columns
    return terminal_report(
        findings,
        checked.lines.line,
        is_mended=checked.is_mended,
        style=click.style,
        width=width,
    )


def _junit(findings: Sequence[Finding], _checked: CheckedFiles) -> str:
    # Most runs need no XML.
    from handle_system.findings.junit import junit_report  # noqa: PLC0415

    return junit_report(findings)


def _html(findings: Sequence[Finding], checked: CheckedFiles) -> str:
    # Most runs need no page.
    from datetime import UTC, datetime  # noqa: PLC0415 (see above)

    from handle_system.verifying.page import html_report  # noqa: PLC0415 (see above)

    return html_report(
        findings,
        checked.handles,
        title=checked.settings.root.absolute().name,
        now=datetime.now(UTC),
        proxies=checked.settings.values.link_proxies,
        counted=(checked.reference_count, len(checked.texts.places)),
    ).removesuffix("\n")


def _without_source(
    write: Callable[[Sequence[Finding]], str],
) -> Callable[[Sequence[Finding], CheckedFiles], str]:
    """A report that shows nothing of the source."""
    return lambda findings, _checked: write(findings)


#: The report of each format, from the findings and the files.
REPORTS: Mapping[str, Callable[[Sequence[Finding], CheckedFiles], str]] = {
    "text": _text,
    "grouped": _grouped,
    "json": _without_source(json_report),
    "csv": _without_source(csv_report),
    "sarif": _without_source(partial(sarif_report, tool="hdl")),
    "github": _without_source(github_report),
    "junit": _junit,
    "html": _html,
}
