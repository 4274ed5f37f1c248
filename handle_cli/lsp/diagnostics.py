"""The findings about a document, as an editor shows them."""

from collections.abc import Iterator, Mapping

from lsprotocol import types

from handle_cli.lsp.reading import Reading
from handle_system.errors import showable
from handle_system.findings.codes import Severity
from handle_system.findings.finding import Finding

#: What names the server beside each of its messages.
SOURCE = "hdl"
_SEVERITIES: Mapping[Severity, types.DiagnosticSeverity] = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}


def diagnostics(reading: Reading) -> list[types.Diagnostic]:
    """What is said about a document, once for each of its places."""
    return [
        diagnostic
        for finding in reading.findings
        for diagnostic in _at_each_place(reading, finding)
    ]


def _at_each_place(reading: Reading, finding: Finding) -> Iterator[types.Diagnostic]:
    for place in finding.places:
        yield types.Diagnostic(
            range=reading.range_at(place),
            message=_message(finding),
            severity=_SEVERITIES[finding.severity],
            code=finding.code.value,
            source=SOURCE,
        )


def _message(finding: Finding) -> str:
    """The message and its facts, and below it what helps.

    A command is left out: a quick fix runs it.
    """
    lines = [showable(finding.message_with_facts)]
    if finding.suggestion is not None:
        lines.append(f"write {showable(finding.suggestion)}")
    lines += map(showable, finding.advice.splitlines())
    return "\n".join(lines)
