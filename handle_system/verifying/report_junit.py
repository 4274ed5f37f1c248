"""The report as JUnit XML, which services that run builds know how to show.

A handle is a test case: one that is not registered has failed, one of which
nothing was learned is skipped.
"""

from collections.abc import Sequence

from handle_system.verifying.checked import (
    CheckedHandle,
    CheckedPlace,
    IgnoredHandle,
    MalformedReference,
)
from handle_system.verifying.junit_xml import JUnitCase, JUnitResult, junit_xml

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


def _malformed(each: MalformedReference) -> JUnitCase:
    place = each.place
    return JUnitCase(
        group=place.document,
        name=f"{place.written} ({_where(place)})",
        result=JUnitResult.FAILED if each.severity.fails else JUnitResult.PASSED,
        code=each.code,
        said=each.said,
        places=[_where(place)],
    )


def _checked(each: CheckedHandle) -> JUnitCase:
    if each.severity.fails:
        result = JUnitResult.FAILED
    elif each.is_unknown:
        result = JUnitResult.SKIPPED
    else:
        result = JUnitResult.PASSED
    return JUnitCase(
        group=each.places[0].document,
        name=each.verdict.handle,
        result=result,
        code=each.code or "",
        said=each.said,
        places=[*map(_where, each.places)],
    )


def _ignored(each: IgnoredHandle) -> JUnitCase:
    return JUnitCase(
        group=each.places[0].document,
        name=each.handle,
        result=JUnitResult.SKIPPED,
        said="not asked for, as the project wishes",
    )


def _where(place: CheckedPlace) -> str:
    return f"{place.file}:{place.line}" if place.line else place.file
