"""Reports: JSON, SARIF, JUnit XML, HTML; hostile text in every field."""

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from handle_system.checked import CheckedHandle, CheckedPlace, counted
from handle_system.outcome import OutcomeName
from handle_system.report_html import html_report
from handle_system.report_json import json_report
from handle_system.report_junit import junit_report
from handle_system.report_sarif import sarif_report
from handle_system.verdict import Verdict

HOSTILE = "</td><script>alert('x')</script>\u202e\x1b[31m&\"'"


def place(line: int, document: str = "guide", written: str = "hdl:1/2") -> CheckedPlace:
    return CheckedPlace(
        document=document, file=f"{document}.rst", line=line, written=written
    )


def checked(
    handle: str, outcome: OutcomeName, *places: CheckedPlace, **known: object
) -> CheckedHandle:
    verdict = Verdict(handle=handle, outcome=outcome, **known)  # type: ignore[arg-type]  # the keywords of each case
    return CheckedHandle(verdict=verdict, places=places)


GOOD = checked("1/1", OutcomeName.RESOLVED, place(3), target="https://example.org/?a&b")
ODD = checked("1/2", OutcomeName.RESOLVED, place(4), problems=("it has no URL",))
BROKEN = checked(
    "1/3", OutcomeName.NOT_REGISTERED, place(5, written="hdl:1/3"), place(0, "faq")
)
HIDDEN = checked("1/4", OutcomeName.NO_VALUES, place(6))
UNKNOWN = checked("1/5", OutcomeName.UNREACHABLE, place(7), reason="no answer")
EVIL = checked(
    f"1/{HOSTILE}",
    OutcomeName.RESOLVED,
    place(8, HOSTILE, HOSTILE),
    target=f"javascript:alert(1)//{HOSTILE}",
    problems=(HOSTILE,),
    aliases=(HOSTILE,),
)
ALL = [GOOD, ODD, BROKEN, HIDDEN, UNKNOWN, EVIL]


def test_a_message_names_every_other_place() -> None:
    """A document without a line is named alone."""
    assert BROKEN.message == "hdl:1/3: this handle is not registered (also at faq)"
    assert UNKNOWN.message == "hdl:1/2: not verified: no answer"
    assert GOOD.said == ""


def test_counts_are_by_outcome() -> None:
    """Each outcome, those without a handle as well."""
    assert counted(ALL) == {
        OutcomeName.RESOLVED: 3,
        OutcomeName.NOT_REGISTERED: 1,
        OutcomeName.NO_VALUES: 1,
        OutcomeName.REFUSED: 0,
        OutcomeName.UNREACHABLE: 1,
    }


def test_json_has_every_handle_and_place() -> None:
    """And hostile text as text."""
    rows = json.loads(json_report(ALL))

    assert [row["outcome"] for row in rows] == [
        "resolved",
        "resolved",
        "not-registered",
        "no-values",
        "unreachable",
        "resolved",
    ]
    assert rows[2]["places"] == [
        {"document": "guide", "line": 5, "written": "hdl:1/3"},
        {"document": "faq", "line": 0, "written": "hdl:1/2"},
    ]
    assert rows[5]["handle"] == f"1/{HOSTILE}"


def test_sarif_has_a_result_for_each_place_and_a_notice_for_the_unknown() -> None:
    """What was not verified is nothing against the documents."""
    run = json.loads(sarif_report(ALL, version="1.0"))["runs"][0]
    results = [
        (
            result["ruleId"],
            result["level"],
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            result["locations"][0]["physicalLocation"].get("region"),
        )
        for result in run["results"]
    ]

    assert results[:4] == [
        ("handle.record", "note", "guide.rst", {"startLine": 4}),
        ("handle.not-registered", "warning", "guide.rst", {"startLine": 5}),
        ("handle.not-registered", "warning", "faq.rst", None),
        ("handle.record", "note", "guide.rst", {"startLine": 6}),
    ]
    assert [
        notice["message"]["text"]
        for notice in run["invocations"][0]["toolExecutionNotifications"]
    ] == ["1/5: not verified: no answer"]


def test_junit_is_well_formed_and_counts() -> None:
    """Not registered has failed; not verified is skipped."""
    root = ET.fromstring(junit_report(ALL))  # noqa: S314 (our own text)
    suite = root[0]

    assert suite.attrib == {
        "name": "handles",
        "tests": "6",
        "failures": "1",
        "skipped": "1",
        "errors": "0",
    }
    assert [[child.tag for child in case] for case in suite] == [
        [],
        ["system-out"],
        ["failure"],
        ["system-out"],
        ["skipped"],
        ["system-out"],
    ]


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "a":
            self.links.append(dict(attrs)["href"] or "")


def test_html_is_one_safe_page() -> None:
    """Hostile text makes no tag, no script and no link; nothing is fetched."""
    page = html_report(ALL, title=HOSTILE)
    reader = Reader()
    reader.feed(page)

    assert reader.tags.count("script") == 1
    assert reader.links == ["https://example.org/?a&b"]
    assert not re.findall("[\x00-\x09\x0b-\x1f\u202e]", page)
    assert "src=" not in page
    assert re.findall(r"<p>(\d+ references to \d+ distinct handles)", page) == [
        "7 references to 6 distinct handles"
    ]


def test_html_shows_first_what_needs_a_look() -> None:
    """The broken, then the odd, then the unknown, then the rest."""
    page = html_report(ALL[:5], title="")
    outcomes = re.findall(r'data-outcome="([a-z-]+)"', page)

    assert outcomes == [
        "not-registered",
        "resolved",
        "no-values",
        "unreachable",
        "resolved",
    ]


@pytest.mark.parametrize("report", [json_report, junit_report])
def test_nothing_checked_is_an_empty_report(report: object) -> None:
    """A project without a reference has a report too."""
    assert callable(report)
    assert "1/1" not in report([])
    assert html_report([], title="x").count("<tr") == 1
