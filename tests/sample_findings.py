"""Findings of every kind, some with hostile text in every field."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

from handle_system.findings.codes import Code, Severity
from handle_system.findings.finding import Finding, Place
from handle_system.findings.junit import junit_report
from handle_system.resolving.outcomes import OutcomeName
from handle_system.verifying.verdicts import CheckedHandle, Verdict, finding_about

__all__ = [
    "ALL",
    "BROKEN",
    "EVIL",
    "EVIL_HANDLE",
    "GOOD",
    "HOSTILE",
    "IGNORED",
    "MALFORMED",
    "SEVERE",
    "UNKNOWN",
    "Row",
    "at",
    "checked",
    "findings_of",
    "handles_of",
    "junit_of",
    "place",
]

HOSTILE = "</td><script>alert('x')</script>\u202e\x1b[31m&\"'"
# A handle has no control characters.
EVIL_HANDLE = f"1/{HOSTILE}".replace("\x1b", "")

#: A row of a report.
Row: TypeAlias = CheckedHandle | Finding


def place(line: int, document: str = "guide", written: str = "hdl:1/2") -> Place:
    """A place in a document's own file."""
    return Place(document=document, file=f"{document}.rst", line=line, written=written)


def checked(verdict: Verdict, places: tuple[Place, ...]) -> CheckedHandle:
    """A verified handle, with the finding about it."""
    return CheckedHandle(
        handle=verdict.handle,
        places=places,
        verdict=verdict,
        finding=finding_about(verdict, places),
    )


def at(row: CheckedHandle, *places: Place) -> CheckedHandle:
    """A handle at other places."""
    finding = row.finding and row.finding.at(*places)
    return replace(row, places=places, finding=finding)


def findings_of(rows: Iterable[Row]) -> list[Finding]:
    """The findings among rows."""
    each = (row if isinstance(row, Finding) else row.finding for row in rows)
    return [finding for finding in each if finding is not None]


def handles_of(rows: Iterable[Row]) -> list[CheckedHandle]:
    """The handles among rows."""
    return [row for row in rows if isinstance(row, CheckedHandle)]


def junit_of(rows: Iterable[Row]) -> str:
    """The JUnit report of rows."""
    rows = list(rows)
    others = [
        (row.handle, row.places, "" if row.verdict else "excluded")
        for row in handles_of(rows)
        if row.finding is None
    ]
    return junit_report(findings_of(rows), others)


def _checked(
    handle: str, outcome: OutcomeName, *places: Place, **known: object
) -> CheckedHandle:
    verdict = Verdict(handle=handle, outcome=outcome, **known)  # type: ignore[arg-type]  # the keywords of each case
    return checked(verdict, places)


GOOD = _checked(
    "1/1", OutcomeName.RESOLVED, place(3), target="https://example.org/?a&b"
)
_ODD = _checked("1/2", OutcomeName.RESOLVED, place(4), reason="it has no URL")
BROKEN = _checked(
    "1/3", OutcomeName.NOT_REGISTERED, place(5, written="hdl:1/3"), place(0, "faq")
)
_HIDDEN = _checked("1/4", OutcomeName.NO_VALUES, place(6))
UNKNOWN = _checked("1/5", OutcomeName.UNREACHABLE, place(7), reason="no answer")
EVIL = _checked(
    EVIL_HANDLE,
    OutcomeName.RESOLVED,
    place(8, HOSTILE, HOSTILE),
    target=f"javascript:alert(1)//{HOSTILE}",
    reason=HOSTILE,
    aliases=(HOSTILE,),
)
ALL = [GOOD, _ODD, BROKEN, _HIDDEN, UNKNOWN, EVIL]
SEVERE = [
    replace(row, finding=replace(row.finding, severity=Severity.ERROR))
    for row in (UNKNOWN, _HIDDEN)
    if row.finding
]
MALFORMED = [
    Finding(
        code=Code.SYNTAX,
        subject=HOSTILE,
        message=HOSTILE,
        severity=Severity.WARNING,
        places=(place(9, "a b", HOSTILE),),
    )
]
IGNORED = [
    CheckedHandle(handle=f"{EVIL_HANDLE}2", places=(place(10, HOSTILE, HOSTILE),))
]
