"""Findings as text, JSON, SARIF, JUnit XML and the commands of GitHub Actions.

All of them name the same findings.  What a file or a record says is escaped
where it is written.
"""

from collections.abc import Callable, Sequence
from xml.sax.saxutils import quoteattr

import handle_system
from handle_cli.findings import Finding, Level
from handle_cli.output import as_json
from handle_system.encoding import encode_file
from handle_system.errors import showable

__all__ = ["REPORTS"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def _text(findings: Sequence[Finding]) -> str:
    lines = []
    for finding in findings:
        lines.append(
            f"{showable(str(finding.place))}: {finding.level}: {_said(finding)}"
            f" [{finding.code}]"
        )
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
    failures = sum(finding.level is not Level.NOTE for finding in findings)
    skipped = len(findings) - failures
    counts = f'tests="{len(findings)}" failures="{failures}" skipped="{skipped}"'
    cases = []
    for finding in findings:
        place = finding.place
        line = f' line="{place.line}"' if place.line else ""
        element = "skipped" if finding.level is Level.NOTE else "failure"
        cases.append(
            f"<testcase classname={_attribute(place.file)} "
            f"name={_attribute(f'{place} {place.written}'.strip())} "
            f"file={_attribute(place.file)}{line}>"
            f"<{element} type={_attribute(finding.code)} "
            f"message={_attribute(finding.message)}/></testcase>\n"
        )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<testsuites {counts} errors="0">\n'
        f'<testsuite name="handles" {counts} errors="0">\n'
        f"{''.join(cases)}</testsuite>\n</testsuites>"
    )


def _attribute(text: str) -> str:
    return quoteattr(showable(text))


def _sarif(findings: Sequence[Finding]) -> str:
    """SARIF 2.1.0 (OASIS), as one run."""
    rules = sorted({finding.code for finding in findings})
    run = {
        "tool": {
            "driver": {
                "name": "hdl",
                "version": handle_system.__version__,
                "rules": [{"id": f"handle.{code}"} for code in rules],
            }
        },
        "originalUriBaseIds": {
            "ROOT": {"description": {"text": "The root of what was checked."}}
        },
        "results": [
            _result(finding, rules.index(finding.code)) for finding in findings
        ],
        "columnKind": "unicodeCodePoints",
    }
    return as_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _result(finding: Finding, rule: int) -> dict[str, object]:
    place = finding.place
    location: dict[str, object] = {
        "artifactLocation": {"uri": encode_file(place.file), "uriBaseId": "ROOT"}
    }
    if place.line:
        location["region"] = {"startLine": place.line, "startColumn": place.column}
    return {
        "ruleId": f"handle.{finding.code}",
        "ruleIndex": rule,
        "level": finding.level.value,
        "message": {"text": _said(finding)},
        "locations": [{"physicalLocation": location}],
    }


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
