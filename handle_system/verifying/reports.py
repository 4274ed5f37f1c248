"""Reports of a verification: plain JSON, SARIF and JUnit XML."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from handle_system.verifying.findings import (
    FINDING_DESCRIPTIONS,
    CheckedHandle,
    CheckedPlace,
    IgnoredHandle,
    MalformedReference,
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


def json_report(checked: Iterable[CheckedHandle]) -> str:
    """Write every handle with its outcome, its target and all its places.

    ::

        [{"handle": …, "outcome": …, "target": …, "reason": …,
          "places": [{"document": …, "line": …, "written": …}]}]

    ``outcome`` is one of ``resolved``, ``not-registered``, ``no-values``, ``refused``
    and ``unreachable``; ``target`` is a URL or null; ``reason`` says why a handle was
    not verified, or why its record leads nowhere.  A place in an included file or a
    docstring has the name of that ``file``, too: ``line`` counts its lines.

    Equal answers give equal text: the report does not say when they were given.
    """
    rows = [
        {
            "handle": each.verdict.handle,
            "outcome": each.verdict.outcome.value,
            "target": each.verdict.target,
            "reason": each.verdict.reason,
            "places": [*map(_json_place, each.places)],
        }
        for each in checked
    ]
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"


def _json_place(place: CheckedPlace) -> dict[str, object]:
    file = {} if place.is_own_file else {"file": place.file}
    return {
        "document": place.document,
        "line": place.line,
        "written": place.written,
        **file,
    }


def sarif_report(
    checked: Sequence[CheckedHandle],
    malformed: Sequence[MalformedReference] = (),
    *,
    version: str,
) -> str:
    """Write the findings as SARIF, for services that annotate changes.

    Each place of a finding is one result.  A handle that was not verified is a
    notification of the run, unless the project makes it a warning or an error.

    Args:
        checked: The verified handles.
        malformed: The malformed references.
        version: The version of this software.
    """
    rules = {_rule(code): text for code, text in FINDING_DESCRIPTIONS.items()}
    for code in sorted({each.code for each in malformed}):
        rules[_rule(code)] = "A reference to a handle is malformed."
    log = sarif_log(
        [*_malformed_results(malformed), *_checked_results(checked)],
        tool="sphinxcontrib-handle",
        version=version,
        rules=rules,
        notes=[
            f"{each.verdict.handle}: {each.verdict.description}"
            for each in checked
            if each.verdict.is_unverified and each.severity is Severity.INFO
        ],
    )
    return f"{log}\n"


def _malformed_results(
    malformed: Iterable[MalformedReference],
) -> Iterator[SarifResult]:
    for each in malformed:
        if each.severity in _SARIF_LEVELS:
            yield SarifResult(
                rule=_rule(each.code),
                level=_SARIF_LEVELS[each.severity],
                message=f"{each.place.written}: {each.reason}",
                file=each.place.file,
                line=each.place.line,
            )


def _checked_results(checked: Iterable[CheckedHandle]) -> Iterator[SarifResult]:
    for each in checked:
        if each.verdict.code is None or each.severity not in _SARIF_LEVELS:
            continue
        if each.verdict.is_unverified and not each.severity.fails:
            continue
        # A service merges results with equal fingerprints, so each place has its own.
        # It has no line number: the finding stays the same when text above it changes.
        seen: Counter[str] = Counter()
        for place in each.places:
            seen[place.file] += 1
            handle = each.verdict.handle
            yield SarifResult(
                rule=_rule(each.verdict.code),
                level=_SARIF_LEVELS[each.severity],
                message=f"{place.written}: {each.verdict.description}",
                file=place.file,
                line=place.line,
                fingerprint=f"{handle} in {place.file}, {seen[place.file]}",
            )


def _rule(code: str) -> str:
    return f"handle.{code}"


def junit_report(
    checked: Sequence[CheckedHandle],
    malformed: Sequence[MalformedReference] = (),
    ignored: Sequence[IgnoredHandle] = (),
) -> str:
    """Write one test suite, for services that show tests.

    A handle is a test case.  One with a finding that the project makes a warning or
    an error has failed; one that was not verified or is ignored is skipped.

    Args:
        checked: The verified handles.
        malformed: The malformed references; each is a test case, too.
        ignored: The handles that the project excludes.
    """
    return junit_xml(
        [
            *map(_malformed_case, malformed),
            *map(_checked_case, checked),
            *map(_ignored_case, ignored),
        ]
    )


def _malformed_case(each: MalformedReference) -> JUnitCase:
    where = _file_and_line(each.place)
    return JUnitCase(
        group=each.place.document,
        name=f"{each.place.written} ({where})",
        result=JUnitResult.FAILED if each.severity.fails else JUnitResult.PASSED,
        code=each.code,
        description=each.reason,
        places=[where],
    )


def _checked_case(each: CheckedHandle) -> JUnitCase:
    if each.severity.fails:
        result = JUnitResult.FAILED
    elif each.verdict.is_unverified:
        result = JUnitResult.SKIPPED
    else:
        result = JUnitResult.PASSED
    return JUnitCase(
        group=each.places[0].document,
        name=each.verdict.handle,
        result=result,
        code=each.verdict.code or "",
        description=each.verdict.description,
        places=[*map(_file_and_line, each.places)],
    )


def _ignored_case(each: IgnoredHandle) -> JUnitCase:
    return JUnitCase(
        group=each.places[0].document,
        name=each.handle,
        result=JUnitResult.SKIPPED,
        description="ignored: the project excludes it from verification",
    )


def _file_and_line(place: CheckedPlace) -> str:
    return f"{place.file}:{place.line}" if place.line else place.file
