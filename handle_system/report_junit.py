"""The report as JUnit XML, which services that run builds know how to show.

A handle is a test case: one that is not registered has failed, one of which
nothing was learned is skipped.
"""

from collections.abc import Sequence

from handle_system.checked import (
    CheckedHandle,
    CheckedPlace,
    IgnoredHandle,
    MalformedReference,
)
from handle_system.junit_xml import TestCase, TestResult, junit_xml

__all__ = ["junit_report"]


def junit_report(
    checked: Sequence[CheckedHandle],
    *,
    malformed: Sequence[MalformedReference] = (),
    ignored: Sequence[IgnoredHandle] = (),
) -> str:
    """The report as one test suite.

    Args:
        checked: What was checked.
        malformed: What is no reference; each has failed.
        ignored: What was not asked for; each is skipped.
    """
    return junit_xml(
        [
            *map(_malformed, malformed),
            *map(_checked, checked),
            *map(_ignored, ignored),
        ]
    )


def _malformed(each: MalformedReference) -> TestCase:
    place = each.place
    return TestCase(
        group=place.document,
        name=f"{place.written} ({_where(place)})",
        result=TestResult.FAILED if each.severity.fails else TestResult.PASSED,
        code=each.code,
        said=each.said,
        places=[_where(place)],
    )


def _checked(each: CheckedHandle) -> TestCase:
    if each.severity.fails:
        result = TestResult.FAILED
    elif each.is_unknown:
        result = TestResult.SKIPPED
    else:
        result = TestResult.PASSED
    return TestCase(
        group=each.places[0].document,
        name=each.verdict.handle,
        result=result,
        code=each.code or "",
        said=each.said,
        places=[*map(_where, each.places)],
    )


def _ignored(each: IgnoredHandle) -> TestCase:
    return TestCase(
        group=each.places[0].document,
        name=each.handle,
        result=TestResult.SKIPPED,
        said="not asked for, as the project wishes",
    )


def _where(place: CheckedPlace) -> str:
    return f"{place.file}:{place.line}" if place.line else place.file
