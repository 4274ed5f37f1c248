"""Findings of every kind, some with hostile text in every field."""

from handle_system.resolving.outcomes import OutcomeName
from handle_system.verifying.findings import (
    CheckedPlace,
    FindingCode,
    ReportRow,
    Severity,
    Verdict,
    checked_handle,
)

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
    "place",
]

HOSTILE = "</td><script>alert('x')</script>\u202e\x1b[31m&\"'"
# A handle has no control characters.
EVIL_HANDLE = f"1/{HOSTILE}".replace("\x1b", "")


def place(line: int, document: str = "guide", written: str = "hdl:1/2") -> CheckedPlace:
    """A place in a document's own file."""
    return CheckedPlace(
        document=document, file=f"{document}.rst", line=line, written=written
    )


def _checked(
    handle: str, outcome: OutcomeName, *places: CheckedPlace, **known: object
) -> ReportRow:
    verdict = Verdict(handle=handle, outcome=outcome, **known)  # type: ignore[arg-type]  # the keywords of each case
    return checked_handle(verdict, places, {})


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
    checked_handle(row.verdict, row.places, dict.fromkeys(FindingCode, Severity.ERROR))
    for row in (UNKNOWN, _HIDDEN)
    if row.verdict
]
MALFORMED = [
    ReportRow(
        title=HOSTILE,
        places=(place(9, "a b", HOSTILE),),
        code="syntax",
        description=HOSTILE,
        severity=Severity.WARNING,
    )
]
IGNORED = [
    ReportRow(
        title=f"{EVIL_HANDLE}2",
        places=(place(10, HOSTILE, HOSTILE),),
        code="ignored",
        description="the project excludes it from verification",
    )
]
