"""Findings as text, JSON, SARIF, JUnit XML and the commands of GitHub Actions.

All of them name the same findings.  What a file or a record says is escaped
where it is written.
"""

from collections.abc import Callable, Sequence

import click

import handle_system
from handle_cli.findings import RULES, Finding, Level
from handle_cli.output import as_json
from handle_system.errors import showable
from handle_system.verifying.report_formats import (
    JUnitCase,
    JUnitResult,
    SarifResult,
    junit_xml,
    sarif_log,
)

__all__ = ["REPORTS"]


_COLOURS = {Level.ERROR: "red", Level.WARNING: "yellow", Level.NOTE: "cyan"}


def _text(findings: Sequence[Finding]) -> str:
    # Where the standard output is no terminal, click takes the colours off again.
    lines = []
    for finding in findings:
        place = click.style(showable(str(finding.place)), bold=True)
        level = click.style(finding.level, fg=_COLOURS[finding.level])
        lines.append(f"{place}: {level}: {_said(finding)} [{finding.code}]")
        if finding.drawn:
            lines += finding.drawn.splitlines()[1:3]
        if finding.suggestion is not None:
            lines.append(f"    write {showable(finding.suggestion)}")
    return "\n".join(lines)


def _json(findings: Sequence[Finding]) -> str:
    return as_json(
        [
            {
                "file": finding.place.file,
                "line": finding.place.line,
                "column": finding.place.column,
                "written": finding.place.written,
                "level": finding.level.value,
                "code": finding.code,
                "message": finding.message,
                "suggestion": finding.suggestion,
            }
            for finding in findings
        ]
    )


def _github(findings: Sequence[Finding]) -> str:
    return "\n".join(map(_github_command, findings))


def _github_command(finding: Finding) -> str:
    """A workflow command; its own marks are written as percent-escapes."""
    kind = "notice" if finding.level is Level.NOTE else finding.level.value
    properties = {"file": finding.place.file}
    if finding.place.line:
        properties["line"] = str(finding.place.line)
    if finding.place.column:
        properties["col"] = str(finding.place.column)
    properties["title"] = finding.code
    written = ",".join(
        f"{name}={_command_text(value).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in properties.items()
    )
    return f"::{kind} {written}::{_command_text(_said(finding))}"


def _command_text(text: str) -> str:
    return showable(text).replace("%", "%25")


def _junit(findings: Sequence[Finding]) -> str:
    return junit_xml([*map(_case, findings)]).rstrip("\n")


def _case(finding: Finding) -> JUnitCase:
    place = finding.place
    is_note = finding.level is Level.NOTE
    return JUnitCase(
        group=place.file,
        name=f"{place} {place.written}".strip(),
        result=JUnitResult.SKIPPED if is_note else JUnitResult.FAILED,
        code=finding.code,
        description=finding.message,
        places=[str(place)],
    )


def _sarif(findings: Sequence[Finding]) -> str:
    """SARIF 2.1.0 (OASIS), as one run."""
    codes = sorted({finding.code for finding in findings})
    return sarif_log(
        map(_result, findings),
        tool="hdl",
        version=handle_system.__version__,
        rules={f"handle.{code}": RULES[code] for code in codes},
    )


def _result(finding: Finding) -> SarifResult:
    place = finding.place
    return SarifResult(
        rule=f"handle.{finding.code}",
        level=finding.level.value,
        message=_said(finding),
        file=place.file,
        line=place.line,
        column=place.column,
    )


def _said(finding: Finding) -> str:
    written = finding.place.written
    said = f"{written}: {finding.message}" if written else finding.message
    return showable(said.replace("\n", " "))


#: The report of each format.
REPORTS: dict[str, Callable[[Sequence[Finding]], str]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
    "junit": _junit,
}
