"""Findings about references, and their reports.

A finding is a malformed or suspicious reference, a handle that fails verification, or a
file that is not read.  The reports (text, JSON, SARIF, JUnit XML and the commands of
GitHub Actions) all name the same findings.  What a file or a record says is escaped
where it is written.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

import click

from handle_cli.output import as_json
from handle_system import HandleSyntaxError
from handle_system.describing.findings import RULES as RULES_ABOUT_WORKS
from handle_system.diagnostics import UNUSUAL, DiagnosticCode, diagnose_found
from handle_system.errors import draw, showable
from handle_system.found import Found, Markup
from handle_system.role_content import WITHOUT_BRACES
from handle_system.suffix_policy import SuffixPolicy
from handle_system.text import several
from handle_system.verifying.findings import (
    FINDING_DESCRIPTIONS,
    SKIPPED,
    CheckedPlace,
    ReportRow,
    Severity,
)
from handle_system.verifying.reports import junit_report, sarif_report

__all__ = ["MALFORMED", "REPORTS", "RULES", "findings_about"]

#: The code of a reference that cannot be parsed.
MALFORMED = "malformed"

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
    DiagnosticCode.BROKEN_ADDRESS: "A proxy's address or a DOI's prefix is mistyped.",
    DiagnosticCode.DOUBLED_SCHEME: "A reference stands inside a proxy's URL.",
    DiagnosticCode.GLUED: "A reference stands inside another one's suffix.",
    DiagnosticCode.TRAILING_PUNCTUATION: "A reference ends in punctuation.",
    DiagnosticCode.PLACEHOLDER: "A handle is a placeholder.",
    DiagnosticCode.PROXY_PATH: "A prefix is a part of a proxy's address.",
    DiagnosticCode.PREFIX_CHARACTER: "A prefix holds an unusual character.",
    DiagnosticCode.RESERVED_CHARACTER: "A URI holds a raw quotation mark or a fragment.",
    DiagnosticCode.TOO_LONG: "A handle is longer than servers take.",
    DiagnosticCode.SERVER: "A reference names a server, which links do not reach.",
    DiagnosticCode.SUFFIX: "A suffix does not have the format of its prefix.",
    **{code.value: sentence for code, sentence in FINDING_DESCRIPTIONS.items()},
    **RULES_ABOUT_WORKS,
}


def findings_about(
    found: Found, place: CheckedPlace, suffix_policy: SuffixPolicy
) -> list[ReportRow]:
    """The findings about one reference, without asking a server."""
    reference = found.reference
    if isinstance(reference, HandleSyntaxError):
        severity = Severity.ERROR
        # Outside MyST, code behind a label shows an identifier.
        is_code = reference.reason == WITHOUT_BRACES
        if found.markup.is_text or is_code:
            # Its author may have meant something else.
            is_clear = reference.suggestion is not None
            severity = Severity.INFO if is_clear else Severity.WARNING
        malformed = ReportRow(
            title=place.written,
            places=(place,),
            code=MALFORMED,
            description=reference.reason,
            severity=severity,
            suggestion=reference.suggestion,
            drawn=draw(reference.source, reference.span),
        )
        return [malformed]
    return [
        ReportRow(
            title=place.written,
            places=(place,),
            code=diagnostic.code.value,
            description=diagnostic.message,
            severity=_severity(diagnostic.code, found.markup),
            suggestion=diagnostic.suggestion,
        )
        for diagnostic in diagnose_found(reference, found.markup, suffix_policy)
    ]


def _severity(code: DiagnosticCode, markup: Markup) -> Severity:
    """How much a finding about a valid reference matters."""
    is_damaged_text = code is DiagnosticCode.BROKEN_ADDRESS and markup.is_text
    return Severity.INFO if is_damaged_text or code in UNUSUAL else Severity.WARNING


_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


def _by_place(rows: Sequence[ReportRow]) -> list[tuple[CheckedPlace, ReportRow]]:
    """Each place of each finding, by file and line."""
    pairs = ((place, row) for row in rows for place in row.places)
    return sorted(pairs, key=itemgetter(0))


def _with_shared_notes(rows: Sequence[ReportRow]) -> list[ReportRow]:
    """The rows, but one note for all handles that are unverified for the same reason.

    A server that is down would fill the page.
    """
    shared: dict[str, list[ReportRow]] = {}
    others = []
    for row in rows:
        is_note = row.verdict is not None and row.severity is Severity.INFO
        if is_note and row.is_unverified:
            shared.setdefault(row.description, []).append(row)
        else:
            others.append(row)
    return [*others, *map(_shared_note, shared.values())]


def _shared_note(rows: Sequence[ReportRow]) -> ReportRow:
    """One row for handles with the same reason, at their first place."""
    first = min(rows, key=lambda row: row.places)
    more = sum(len(row.places) for row in rows) - 1
    if not more:
        return first
    are = "is" if more == 1 else "are"
    also = f"{are} {several(more, 'other reference')}"
    return replace(
        first, places=first.places[:1], description=f"{first.description} (so {also})"
    )


def _text(rows: Sequence[ReportRow]) -> str:
    # Where the standard output is no terminal, click takes the colours off again.
    lines = []
    for place, row in _by_place(_with_shared_notes(rows)):
        at = click.style(showable(place.in_file), bold=True)
        level = click.style(row.severity.level, fg=_COLOURS[row.severity])
        lines.append(f"{at}: {level}: {row.message_at(place)} [{row.code}]")
        lines += row.drawn
        if row.suggestion is not None:
            lines.append(f"    write {showable(row.suggestion)}")
    return "\n".join(lines)


def _grouped(rows: Sequence[ReportRow]) -> str:
    """The findings under the names of their files, each at its first place."""
    by_file: dict[str, list[ReportRow]] = {}
    for row in sorted(_with_shared_notes(rows), key=lambda row: row.places):
        by_file.setdefault(row.places[0].file, []).append(row)
    blocks = []
    for file, findings in by_file.items():
        positions = [_position(row.places[0]) for row in findings]
        width = max(map(len, positions))
        lines = [click.style(showable(file), bold=True, underline=True)]
        for row, position in zip(findings, positions, strict=True):
            lines += _grouped_finding(row, position.ljust(width))
        blocks.append("\n".join(lines))
    # An empty line stands before the summary, too.
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _grouped_finding(row: ReportRow, position: str) -> list[str]:
    """The lines of one finding: the message, and below it what helps."""
    first, *others = row.places
    at = click.style(position, fg="cyan")
    level = click.style(row.severity.level.ljust(7), fg=_COLOURS[row.severity])
    code = click.style(f"[{row.code}]", dim=True)
    lines = [f"  {at}  {level}  {row.message_at(first)}  {code}"]
    margin = " " * len(f"  {position}  warning  ")
    # Each line of the drawing begins with the margin that other formats have.
    lines += [margin + click.style(line[4:], dim=True) for line in row.drawn]
    if others:
        places = showable(", ".join(place.in_file for place in others))
        lines.append(f"{margin}also at {places}")
    if row.suggestion is not None:
        suggestion = click.style(showable(row.suggestion), fg="green")
        lines.append(f"{margin}{click.style('help:', fg='green')} write {suggestion}")
    return lines


def _position(place: CheckedPlace) -> str:
    """The line and the column of a place, or a mark for the file as a whole."""
    known = [str(number) for number in (place.line, place.column) if number]
    return ":".join(known) or "-"


def _json(rows: Sequence[ReportRow]) -> str:
    return as_json(
        [
            {
                "file": place.file,
                "line": place.line,
                "column": place.column,
                "written": place.written,
                "level": row.severity.level,
                "code": row.code,
                "message": row.description,
                "suggestion": row.suggestion,
            }
            for place, row in _by_place(rows)
        ]
    )


def _github(rows: Sequence[ReportRow]) -> str:
    """One workflow command a place; its own marks are written as percent-escapes."""
    lines = []
    for place, row in _by_place(_with_shared_notes(rows)):
        kind = "notice" if row.severity is Severity.INFO else row.severity
        properties = {
            "file": place.file,
            "line": str(place.line or ""),
            "col": str(place.column or ""),
            "title": row.code,
        }
        written = ",".join(
            f"{name}={_escaped(value).replace(':', '%3A').replace(',', '%2C')}"
            for name, value in properties.items()
            if value
        )
        message = _escaped(row.message_at(place))
        if row.suggestion is not None:
            # A service shows "%0A" as the end of a line.
            message += f"%0Awrite {_escaped(row.suggestion)}"
        lines.append(f"::{kind} {written}::{message}")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return showable(text).replace("%", "%25")


def _sarif(rows: Sequence[ReportRow]) -> str:
    codes = sorted({row.code for row in rows})
    return sarif_report(rows, tool="hdl", rules={code: RULES[code] for code in codes})


#: The report of each format.
REPORTS: dict[str, Callable[[Sequence[ReportRow]], str]] = {
    "text": _text,
    "grouped": _grouped,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
    "junit": junit_report,
}
