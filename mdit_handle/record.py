"""What is recorded in ``env["handles"]``: plain dictionaries, in the document's order.

::

    {
        "written": "http://dx.doi.org/10.1000%2F182",  # as the author wrote it
        "handle": "10.1000/182",                       # None for what is malformed
        "href": "https://doi.org/10.1000/182",         # None for what is malformed
        "line": 3, "column": 5,                        # from 1; None if not known
        "diagnostics": [{"code": …, "message": …, "suggestion": …}, …],
    }

A malformed role has a diagnostic ``syntax``, a malformed link ``link``, a citation
that cannot be made ``citation``; what is doubtful in one begins with ``cite-``.
"""

from collections.abc import MutableMapping
from typing import Any, Literal

from handle_system.citing.checks import CitationProblem
from handle_system.diagnostics import Diagnostic, diagnose
from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference
from mdit_handle.places import Place

__all__ = [
    "HANDLES",
    "Env",
    "record_citation",
    "record_malformed",
    "record_problem",
    "record_reference",
]

#: The key in ``env``.
HANDLES = "handles"

#: What markdown-it hands from rule to rule.
Env = MutableMapping[Any, Any]

_CITATION = "{cite-version}"


def record_reference(
    env: Env, written: str, reference: HandleReference, href: str, place: Place
) -> None:
    """Record a reference, and what is suspicious about it."""
    findings = diagnose(reference)
    # Of most there is none, and a comprehension is a call.
    diagnostics = [_of(finding) for finding in findings] if findings else []
    _record(env, written, place, diagnostics, str(reference.handle), href)


def record_malformed(
    env: Env,
    code: Literal["syntax", "link"],
    written: str,
    error: HandleSyntaxError,
    place: Place,
) -> None:
    """Record what was meant for a reference and is none."""
    _record(env, written, place, [_diagnostic(code, str(error), error.suggestion)])


def record_citation(env: Env, message: str, line: int | None) -> None:
    """Record a citation that cannot be made."""
    _record(env, _CITATION, (line, None), [_diagnostic("citation", message, None)])


def record_problem(env: Env, problem: CitationProblem, line: int | None) -> None:
    """Record what is doubtful in a citation."""
    code = f"cite-{problem.code.value.replace('_', '-')}"
    finding = _diagnostic(code, problem.message, problem.suggestion)
    _record(env, _CITATION, (line, None), [finding])


def _of(finding: Diagnostic) -> dict[str, str | None]:
    return _diagnostic(finding.code.value, finding.message, finding.suggestion)


def _diagnostic(
    code: str, message: str, suggestion: str | None
) -> dict[str, str | None]:
    return {"code": code, "message": message, "suggestion": suggestion}


def _record(
    env: Env,
    written: str,
    place: Place,
    diagnostics: list[dict[str, str | None]],
    handle: str | None = None,
    href: str | None = None,
) -> None:
    line, column = place
    env.setdefault(HANDLES, []).append(
        {
            "written": written,
            "handle": handle,
            "href": href,
            "line": line,
            "column": column,
            "diagnostics": diagnostics,
        }
    )
