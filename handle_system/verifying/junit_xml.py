"""JUnit XML: test cases that passed, failed or were skipped.

The format has no standard.  What is written here is what two published schemas
allow that are in use, the one of Jenkins' first plugin for it (``junit-4.xsd``)
and of its present one (``junit-10.xsd``, which pytest holds itself to): a case
has a name and a class, and no file or line of its own, so that those stand in its
text, where services look for them too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from html import escape

from handle_system.errors import showable

__all__ = ["JUnitCase", "JUnitResult", "junit_xml"]


class JUnitResult(Enum):
    """What came of a test case."""

    PASSED = "passed"
    FAILED = "failure"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class JUnitCase:
    """One test case, in text that may be anybody's.

    Attributes:
        group: What it is a part of: a file or a document.
        name: What is tested.
        result: What came of it.
        code: The kind of finding, if it failed.
        said: What there is to say about it.
        places: Where that is.
    """

    group: str
    name: str
    result: JUnitResult = JUnitResult.PASSED
    code: str = ""
    said: str = ""
    places: Sequence[str] = ()


def junit_xml(cases: Iterable[JUnitCase]) -> str:
    """One suite of test cases."""
    kept = list(cases)
    failures = sum(each.result is JUnitResult.FAILED for each in kept)
    skipped = sum(each.result is JUnitResult.SKIPPED for each in kept)
    counts = f'tests="{len(kept)}" failures="{failures}" errors="0"'
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f"<testsuites {counts}>\n"
        f'<testsuite name="handles" {counts} skipped="{skipped}">\n'
        f"{''.join(map(_case, kept))}</testsuite>\n</testsuites>\n"
    )


def _case(case: JUnitCase) -> str:
    opening = (
        f"<testcase classname={_attribute(case.group)} name={_attribute(case.name)}"
    )
    said = _text(case.said)
    if case.result is JUnitResult.FAILED:
        inside = (
            f"<failure type={_attribute(case.code)} message={_attribute(case.said)}>"
            f"{_text(', '.join(case.places))}</failure>"
        )
    elif case.result is JUnitResult.SKIPPED:
        inside = f"<skipped>{said}</skipped>"
    elif said:
        inside = f"<system-out>{said}</system-out>"
    else:
        return f"{opening}/>\n"
    return f"{opening}>{inside}</testcase>\n"


def _text(text: str) -> str:
    # XML has no way to write most controls; `showable` leaves none.
    return escape(showable(text), quote=False)


def _attribute(text: str) -> str:
    return f'"{escape(showable(text))}"'
