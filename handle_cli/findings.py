"""Findings about references, and their reports.

A finding is a malformed or suspicious reference, a handle that fails verification, or a
file that is not read.  The reports (text, JSON, SARIF, JUnit XML and the commands of
GitHub Actions) all name the same findings.  What a file or a record says is escaped
where it is written.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

import click

import handle_system
from handle_cli.output import as_json
from handle_system import HandleReference, HandleSyntaxError, diagnose
from handle_system.diagnostics import DiagnosticCode
from handle_system.errors import draw, showable
from handle_system.verifying.findings import FINDING_DESCRIPTIONS
from handle_system.verifying.report_formats import (
    JUnitCase,
    JUnitResult,
    SarifResult,
    junit_xml,
    sarif_log,
)

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
    OFF = "off"
    """It is not reported."""


@dataclass(frozen=True, order=True, slots=True, kw_only=True)
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
        drawn: The lines that show where in the reference the error is, for people.
    """

    place: Place
    level: Level
    code: str
    message: str
    suggestion: str | None = None
    drawn: Sequence[str] = ()


def findings_about(
    reference: HandleReference | HandleSyntaxError, place: Place
) -> list[Finding]:
    """The findings about one reference, without asking a server."""
    if isinstance(reference, HandleSyntaxError):
        malformed = Finding(
            place=place,
            level=Level.ERROR,
            code=MALFORMED,
            message=reference.reason,
            suggestion=reference.suggestion,
            drawn=draw(reference.source, reference.span),
        )
        return [malformed]
    return [
        Finding(
            place=place,
            level=Level.WARNING,
            code=found.code.value,
            message=found.message,
            suggestion=found.suggestion,
        )
        for found in diagnose(reference)
    ]


def ignored_lines(text: str) -> set[int]:
    """The lines, from 1, that a comment ``hdl: ignore`` excludes.

    The comment excludes its own line; if it has that line for itself, it also excludes
    the block that follows.
    """
    ignored: set[int] = set()
    if _IGNORE not in text:
        return ignored
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
    return ignored


_COLOURS = {Level.ERROR: "red", Level.WARNING: "yellow", Level.NOTE: "cyan"}


def _text(findings: Sequence[Finding]) -> str:
    # Where the standard output is no terminal, click takes the colours off again.
    lines = []
    for finding in findings:
        place = click.style(showable(str(finding.place)), bold=True)
        level = click.style(finding.level, fg=_COLOURS[finding.level])
        lines.append(f"{place}: {level}: {_sentence(finding)} [{finding.code}]")
        lines += finding.drawn
        if finding.suggestion is not None:
            lines.append(f"    write {showable(finding.suggestion)}")
    return "\n".join(lines)


def _json(findings: Sequence[Finding]) -> str:
    return as_json(
        [
            {
                **asdict(finding.place),
                "level": finding.level,
                "code": finding.code,
                "message": finding.message,
                "suggestion": finding.suggestion,
            }
            for finding in findings
        ]
    )


def _github(findings: Sequence[Finding]) -> str:
    """One workflow command a finding; its own marks are written as percent-escapes."""
    lines = []
    for finding in findings:
        kind = "notice" if finding.level is Level.NOTE else finding.level
        properties = {
            "file": finding.place.file,
            "line": str(finding.place.line or ""),
            "col": str(finding.place.column or ""),
            "title": finding.code,
        }
        written = ",".join(
            f"{name}={_escaped(value).replace(':', '%3A').replace(',', '%2C')}"
            for name, value in properties.items()
            if value
        )
        lines.append(f"::{kind} {written}::{_escaped(_sentence(finding))}")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return showable(text).replace("%", "%25")


def _junit(findings: Sequence[Finding]) -> str:
    failed, skipped = JUnitResult.FAILED, JUnitResult.SKIPPED
    cases = [
        JUnitCase(
            group=finding.place.file,
            name=f"{finding.place} {finding.place.written}".strip(),
            result=skipped if finding.level is Level.NOTE else failed,
            code=finding.code,
            description=finding.message,
            places=[str(finding.place)],
        )
        for finding in findings
    ]
    return junit_xml(cases).rstrip("\n")


def _sarif(findings: Sequence[Finding]) -> str:
    """SARIF 2.1.0 (OASIS), as one run."""
    codes = sorted({finding.code for finding in findings})
    results = [
        SarifResult(
            rule=f"handle.{finding.code}",
            level=finding.level,
            message=_sentence(finding),
            file=finding.place.file,
            line=finding.place.line,
            column=finding.place.column,
        )
        for finding in findings
    ]
    return sarif_log(
        results,
        tool="hdl",
        version=handle_system.__version__,
        rules={f"handle.{code}": RULES[code] for code in codes},
    )


def _sentence(finding: Finding) -> str:
    written = finding.place.written
    sentence = f"{written}: {finding.message}" if written else finding.message
    return showable(sentence.replace("\n", " "))


#: The report of each format.
REPORTS: dict[str, Callable[[Sequence[Finding]], str]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
    "junit": _junit,
}
