"""The report as JUnit XML, which services that run builds know how to show.

A handle is a test case: one that is not registered has failed, one of which
nothing was learned is skipped.
"""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from handle_system.checked import CheckedHandle
from handle_system.errors import showable

__all__ = ["junit_report"]


def junit_report(checked: Sequence[CheckedHandle]) -> str:
    """The report as one test suite."""
    failures = sum(each.is_broken for each in checked)
    skipped = sum(each.is_unknown for each in checked)
    counts = f'tests="{len(checked)}" failures="{failures}" skipped="{skipped}"'
    cases = "".join(map(_case, checked))
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<testsuites {counts} errors="0">\n'
        f'<testsuite name="handles" {counts} errors="0">\n'
        f"{cases}</testsuite>\n</testsuites>\n"
    )


def _case(each: CheckedHandle) -> str:
    first = each.places[0]
    opening = (
        f"<testcase classname={_attribute(first.document)} "
        f"name={_attribute(each.verdict.handle)} file={_attribute(first.file)}"
        + (f' line="{first.line}"' if first.line else "")
    )
    said = _attribute(each.said)
    places = escape(showable(", ".join(map(str, each.places))))
    if each.is_broken:
        return f"{opening}><failure message={said}>{places}</failure></testcase>\n"
    if each.is_unknown:
        return f"{opening}><skipped message={said}/></testcase>\n"
    if each.said:
        return (
            f"{opening}><system-out>{escape(showable(each.said))}</system-out>"
            "</testcase>\n"
        )
    return f"{opening}/>\n"


def _attribute(text: str) -> str:
    # XML has no way to write most controls; `showable` leaves none.
    return quoteattr(showable(text))
