"""Findings about references, and their reports.

A finding is a malformed or suspicious reference, a handle that fails verification, or a
file that is not read.  The reports (text, JSON, SARIF, JUnit XML and the commands of
GitHub Actions) all name the same findings.  What a file or a record says is escaped
where it is written.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import click

import handle_system
from handle_cli.output import as_json
from handle_cli.readers import SourceReference, Syntax, read_references
from handle_system import HandleReference, HandleSyntaxError, Proxies, diagnose
from handle_system.diagnostics import DiagnosticCode
from handle_system.errors import showable
from handle_system.verifying.findings import FINDING_DESCRIPTIONS
from handle_system.verifying.report_formats import (
    JUnitCase,
    JUnitResult,
    SarifResult,
    junit_xml,
    sarif_log,
)

__all__ = [
    "MALFORMED",
    "REPORTS",
    "RULES",
    "SKIPPED",
    "Finding",
    "Level",
    "Place",
    "Read",
    "find_wanted",
    "findings_about",
    "ignored_lines",
]

#: The code of a reference that cannot be parsed.
MALFORMED = "malformed"
#: The code of a file that is not read.
SKIPPED = "skipped"
_IGNORE = "hdl: ignore"
_COMMENT_MARKS = ".#%/<>!-()[]:* \t\r"

#: One sentence about each kind of finding; services show it as the title of a rule.
RULES: Mapping[str, str] = {
    MALFORMED: "A reference to a handle is malformed.",
    SKIPPED: "A file was not read.",
    DiagnosticCode.BIDIRECTIONAL: "A reference holds a bidirectional control.",
    DiagnosticCode.INVISIBLE: "A reference holds an invisible character.",
    DiagnosticCode.DAMAGED: "A reference was decoded wrongly before: it holds U+FFFD.",
    DiagnosticCode.WHITE_SPACE: "A reference holds white space.",
    DiagnosticCode.SLASH_LOOK_ALIKE: "A reference holds what looks like a slash only.",
    DiagnosticCode.PREFIX_LOOK_ALIKE: "A prefix only looks like another one.",
    DiagnosticCode.NOT_NFC: "A handle is not in Normalization Form C.",
    DiagnosticCode.TYPOGRAPHIC: "A reference holds typographic signs.",
    DiagnosticCode.LOOKS_ENCODED: "A bare handle holds what look like percent-escapes.",
    DiagnosticCode.DOUBLED_SCHEME: "A reference stands inside a proxy's URL.",
    DiagnosticCode.GLUED: "A reference stands inside another one's suffix.",
    DiagnosticCode.TRAILING_PUNCTUATION: "A reference ends in punctuation.",
    DiagnosticCode.PLACEHOLDER: "A handle is a placeholder.",
    DiagnosticCode.PROXY_PATH: "A prefix is a part of a proxy's address.",
    DiagnosticCode.TOO_LONG: "A handle is longer than servers take.",
    DiagnosticCode.SERVER: "A reference names a server, which links do not reach.",
    **{code.value: sentence for code, sentence in FINDING_DESCRIPTIONS.items()},
}


class Level(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    """The document is wrong, or a file that was named cannot be read."""
    WARNING = "warning"
    """It deserves a look."""
    NOTE = "note"
    """It is about the check, not about the document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of a reference.

    Attributes:
        file: The file, from the current folder on.
        line: The line, from 1; 0 for the file as a whole.
        column: The column in code points, from 1; 0 if it is unknown.
        written: The reference as its author wrote it.
    """

    file: str
    line: int = 0
    column: int = 0
    written: str = ""

    def __str__(self) -> str:
        numbers = [str(each) for each in (self.line, self.column) if each]
        return ":".join([self.file, *numbers])


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A finding about a place.

    Attributes:
        place: The place.
        level: How much it matters.
        code: The kind of finding.
        message: The finding in words, without a full stop.
        suggestion: The text to write instead, or `None`.
        drawn: The reference with carets under the error, for people.
    """

    place: Place
    level: Level
    code: str
    message: str
    suggestion: str | None = None
    drawn: str = ""


class Read(NamedTuple):
    """A reference and its place."""

    reference: HandleReference
    place: Place


def find_wanted(
    syntax: Syntax, text: str, proxies: Proxies
) -> Iterator[SourceReference]:
    """The references of a file's text that no comment excludes.

    Raises:
        UnreadableError: when the syntax does not allow the text.
    """
    found = read_references(syntax, text, proxies)
    ignored = ignored_lines(text) if found else frozenset()
    return (each for each in found if each.line not in ignored)


def findings_about(
    reference: HandleReference | HandleSyntaxError, place: Place
) -> Iterator[Finding]:
    """The findings about one reference, without asking a server."""
    if isinstance(reference, HandleSyntaxError):
        yield Finding(
            place=place,
            level=Level.ERROR,
            code=MALFORMED,
            message=reference.reason,
            suggestion=reference.suggestion,
            drawn=str(reference),
        )
        return
    for found in diagnose(reference):
        yield Finding(
            place=place,
            level=Level.WARNING,
            code=found.code.value,
            message=found.message,
            suggestion=found.suggestion,
        )


def ignored_lines(text: str) -> frozenset[int]:
    """The lines, from 1, that a comment ``hdl: ignore`` excludes.

    The comment excludes its own line; if it has that line for itself, it also excludes
    the block that follows.
    """
    if _IGNORE not in text:
        return frozenset()
    ignored = set()
    is_awaited = is_block = False
    for number, line in enumerate(text.split("\n"), start=1):
        before, mark, after = line.partition(_IGNORE)
        is_block = bool(line.strip()) and (is_block or is_awaited)
        if mark or is_block:
            ignored.add(number)
        if mark:
            is_awaited = not (before + after).strip(_COMMENT_MARKS)
        elif line.strip():
            is_awaited = False
    return frozenset(ignored)


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
    place = finding.place
    properties = {
        "file": place.file,
        "line": str(place.line or ""),
        "col": str(place.column or ""),
        "title": finding.code,
    }
    written = ",".join(
        f"{name}={_command_text(value).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in properties.items()
        if value
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
