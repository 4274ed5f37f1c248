"""What is recorded in ``env["handles"]``: plain dictionaries, in the document's order."""

from typing import Any

from handle_system.diagnosis import diagnose
from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference
from mdit_handle.places import Place

__all__ = ["HANDLES", "record_malformed", "record_reference"]

#: The key in ``env``.
HANDLES = "handles"


def record_reference(
    env: Any, written: str, reference: HandleReference, href: str, place: Place
) -> None:
    """Record a reference, and what is suspicious about it."""
    line, column = place
    env.setdefault(HANDLES, []).append(
        {
            "written": written,
            "handle": str(reference.handle),
            "href": href,
            "line": line,
            "column": column,
            "diagnostics": [
                {
                    "code": finding.code.value,
                    "message": finding.message,
                    "suggestion": finding.suggestion,
                }
                for finding in diagnose(reference)
            ],
        }
    )


def record_malformed(
    env: Any, written: str, error: HandleSyntaxError, place: Place
) -> None:
    """Record what was meant for a reference and is none."""
    line, column = place
    env.setdefault(HANDLES, []).append(
        {
            "written": written,
            "handle": None,
            "href": None,
            "line": line,
            "column": column,
            "diagnostics": [
                {
                    "code": "syntax",
                    "message": str(error),
                    "suggestion": error.suggestion,
                }
            ],
        }
    )
