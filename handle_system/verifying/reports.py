"""Reports of a verification: plain JSON, SARIF and JUnit XML."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from handle_system.verifying.findings import (
    FINDING_DESCRIPTIONS,
    CheckedPlace,
    ReportRow,
    Severity,
)
from handle_system.verifying.report_formats import (
    JUnitCase,
    JUnitResult,
    SarifResult,
    junit_xml,
    sarif_log,
)

__all__ = ["json_report", "junit_report", "sarif_report"]

_SARIF_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
}


def json_report(rows: Iterable[ReportRow]) -> str:
    """Write every verified handle with its outcome, its target and all its places.

    ::

        [{"handle": …, "outcome": …, "target": …, "reason": …,
          "places": [{"document": …, "line": …, "written": …}]}]

    ``outcome`` is one of ``resolved``, ``not-registered``, ``no-values``, ``refused``
    and ``unreachable``; ``target`` is a URL or null; ``reason`` says why a handle was
    not verified, or why its record leads nowhere.  A place in an included file or a
    docstring has the name of that ``file``, too: ``line`` counts its lines.

    Equal answers give equal text: the report does not say when they were given.
    """
    verified = [
        {
            "handle": row.verdict.handle,
            "outcome": row.verdict.outcome.value,
            "target": row.verdict.target,
            "reason": row.verdict.reason,
            "places": [*map(_json_place, row.places)],
        }
        for row in rows
        if row.verdict is not None
    ]
    return json.dumps(verified, ensure_ascii=False, indent=2) + "\n"


def _json_place(place: CheckedPlace) -> dict[str, object]:
    file = {} if place.is_own_file else {"file": place.file}
    return {
        "document": place.document,
        "line": place.line,
        "written": place.written,
        **file,
    }


def sarif_report(rows: Sequence[ReportRow], *, version: str) -> str:
    """Write the findings as SARIF, for services that annotate changes.

    Each place of a finding is one result.  A handle that was not verified is a
    notification of the run, unless the project makes it a warning or an error.

    Args:
        rows: The rows of the report.
        version: The version of this software.
    """
    rules = {_rule(code): text for code, text in FINDING_DESCRIPTIONS.items()}
    for code in sorted({row.code for row in rows if row.kind == "malformed"}):
        rules[_rule(code)] = "A reference to a handle is malformed."
    log = sarif_log(
        [result for row in rows for result in _sarif_results(row)],
        tool="sphinxcontrib-handle",
        version=version,
        rules=rules,
        notes=[
            f"{row.title}: {row.description}"
            for row in rows
            if row.is_unverified and row.severity is Severity.INFO
        ],
    )
    return f"{log}\n"


def _sarif_results(row: ReportRow) -> Iterator[SarifResult]:
    if row.severity is Severity.OFF or (row.is_unverified and not row.severity.fails):
        return
    # A service merges results with equal fingerprints, so each place has its own.
    # It has no line number: the finding stays the same when text above it changes.
    seen: Counter[str] = Counter()
    for place in row.places:
        seen[place.file] += 1
        fingerprint = f"{row.title} in {place.file}, {seen[place.file]}"
        yield SarifResult(
            rule=_rule(row.code),
            level=_SARIF_LEVELS[row.severity],
            message=f"{place.written}: {row.description}",
            file=place.file,
            line=place.line,
            fingerprint="" if row.verdict is None else fingerprint,
        )


def _rule(code: str) -> str:
    return f"handle.{code}"


def junit_report(rows: Iterable[ReportRow]) -> str:
    """Write one test suite, for services that show tests.

    A row is a test case.  One with a finding that the project makes a warning or an
    error has failed; a handle that was not verified or is ignored is skipped.
    """
    return junit_xml([*map(_junit_case, rows)])


def _junit_case(row: ReportRow) -> JUnitCase:
    places = [*map(_file_and_line, row.places)]
    result = JUnitResult.PASSED
    if row.severity.fails:
        result = JUnitResult.FAILED
    elif row.is_unverified:
        result = JUnitResult.SKIPPED
    is_malformed = row.kind == "malformed"
    return JUnitCase(
        group=row.places[0].document,
        # A reference may be malformed in the same way in several places.
        name=f"{row.title} ({places[0]})" if is_malformed else row.title,
        result=result,
        code=row.code,
        description=row.description,
        places=places,
    )


def _file_and_line(place: CheckedPlace) -> str:
    return f"{place.file}:{place.line}" if place.line else place.file
