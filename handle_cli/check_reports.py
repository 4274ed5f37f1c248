"""The reports of ``hdl check``: those of the core, with colours."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

import click

from handle_system.findings.finding import Finding, Place
from handle_system.findings.reports import (
    csv_report,
    github_report,
    json_report,
    sarif_report,
    text_report,
)
from handle_system.findings.terminal import terminal_report
from handle_system.proxies import Proxies

if TYPE_CHECKING:
    from handle_system.verifying.verdicts import CheckedHandle


class Source(Protocol):
    """What reports show of the files that were checked."""

    @property
    def project(self) -> str:
        """The name of the project."""

    @property
    def handles(self) -> "Sequence[CheckedHandle]":
        """The handles that were verified or left out."""

    @property
    def proxies(self) -> Proxies:
        """The proxies that handles link to."""

    @property
    def counted(self) -> tuple[int, int]:
        """How many references to how many handles were read."""

    def source_line(self, place: Place, /) -> str:
        """The line of the source that a place is in; empty if it is not known."""

    def is_mended(self, finding: Finding, /) -> bool:
        """Whether ``hdl fix`` mends a finding."""


def _text(findings: Sequence[Finding], _source: Source) -> str:
    # Where the standard output is no terminal, click takes the colours off again.
    return text_report(findings, style=click.style)


def _grouped(findings: Sequence[Finding], source: Source) -> str:
    # Hooks and programs have no terminal.
    from shutil import get_terminal_size  # noqa: PLC0415 (see above)

    width = get_terminal_size().columns
    return terminal_report(
        findings,
        source.source_line,
        is_mended=source.is_mended,
        style=click.style,
        width=width,
    )


def _junit(findings: Sequence[Finding], _source: Source) -> str:
    # Most runs need no XML.
    from handle_system.findings.junit import junit_report  # noqa: PLC0415

    return junit_report(findings)


def _html(findings: Sequence[Finding], source: Source) -> str:
    # Most runs need no page.
    from datetime import UTC, datetime  # noqa: PLC0415 (see above)

    from handle_system.verifying.page import html_report  # noqa: PLC0415 (see above)

    return html_report(
        findings,
        source.handles,
        title=source.project,
        now=datetime.now(UTC),
        proxies=source.proxies,
        counted=source.counted,
    ).removesuffix("\n")


def _without_source(
    write: Callable[[Sequence[Finding]], str],
) -> Callable[[Sequence[Finding], Source], str]:
    """A report that shows nothing of the source."""
    return lambda findings, _source: write(findings)


#: The report of each format, from the findings and their source.
REPORTS: Mapping[str, Callable[[Sequence[Finding], Source], str]] = {
    "text": _text,
    "grouped": _grouped,
    "json": _without_source(json_report),
    "csv": _without_source(csv_report),
    "sarif": _without_source(partial(sarif_report, tool="hdl")),
    "github": _without_source(github_report),
    "junit": _junit,
    "html": _html,
}
