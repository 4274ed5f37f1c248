"""Reports: JSON, SARIF, JUnit XML, HTML; hostile text in every field."""

import base64
import dataclasses
import hashlib
import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from handle_system.resolving.outcome import OutcomeName
from handle_system.verifying.checked import (
    CheckedHandle,
    CheckedPlace,
    IgnoredHandle,
    MalformedReference,
    counted,
)
from handle_system.verifying.report_html import html_report
from handle_system.verifying.report_json import json_report
from handle_system.verifying.report_junit import junit_report
from handle_system.verifying.report_sarif import sarif_report
from handle_system.verifying.severity import FindingCode, Severity
from handle_system.verifying.verdict import Verdict

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
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
SEVERE = [
    dataclasses.replace(
        each,
        severities=dict.fromkeys(FindingCode, Severity.ERROR),
    )
    for each in (UNKNOWN, HIDDEN)
]
MALFORMED = [
    MalformedReference(place=place(9, "a b", HOSTILE), code="syntax", reason=HOSTILE)
]
IGNORED = [IgnoredHandle(handle=f"2/{HOSTILE}", places=(place(10, HOSTILE, HOSTILE),))]


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
        ("handle.no-values", "note", "guide.rst", {"startLine": 6}),
    ]
    assert [
        notice["message"]["text"]
        for notice in run["invocations"][0]["toolExecutionNotifications"]
    ] == ["1/5: not verified: no answer"]


def test_sarif_has_what_a_project_asks_for() -> None:
    """At the project's own level; and nothing of what it has switched off."""
    off = dataclasses.replace(BROKEN, severities={"not-registered": Severity.OFF})
    run = json.loads(sarif_report([*SEVERE, off], malformed=MALFORMED, version="1"))
    (the_run,) = run["runs"]
    results = the_run["results"]

    assert [(each["ruleId"], each["level"]) for each in results] == [
        ("handle.syntax", "warning"),
        ("handle.unreachable", "error"),
        ("handle.no-values", "error"),
    ]
    rules = the_run["tool"]["driver"]["rules"]
    assert [rules[each["ruleIndex"]]["id"] for each in results] == [
        each["ruleId"] for each in results
    ]
    assert the_run["invocations"][0]["toolExecutionNotifications"] == []


def test_sarif_makes_no_placeholder_and_no_link_of_text() -> None:
    """A viewer would put something else in their place."""
    there = place(1, written="hdl:1/{0}[click](https://example.org/)")
    (run,) = json.loads(
        sarif_report([dataclasses.replace(BROKEN, places=(there,))], version="1")
    )["runs"]

    assert run["results"][0]["message"]["text"] == (
        "hdl:1/{{0}}[click] (https://example.org/): this handle is not registered"
    )


@pytest.mark.parametrize(
    ("file", "location"),
    [
        ("a b/ü.rst", {"uri": "a%20b/%C3%BC.rst", "uriBaseId": "%SRCROOT%"}),
        ("x:y.rst", {"uri": "x%3Ay.rst", "uriBaseId": "%SRCROOT%"}),
        ("/pkg/m.py", {"uri": "file:///pkg/m.py"}),
        ("D:/pkg/m.py", {"uri": "file:///D:/pkg/m.py"}),
    ],
)
def test_sarif_names_files_from_the_root_of_the_sources(
    file: str, location: dict[str, str]
) -> None:
    """Or, outside of it, by a whole URI."""
    there = CheckedPlace(document="a", file=file, line=1, written="hdl:1/3")
    (run,) = json.loads(
        sarif_report([dataclasses.replace(BROKEN, places=(there,))], version="1")
    )["runs"]
    (found,) = run["results"][0]["locations"]

    assert found["physicalLocation"]["artifactLocation"] == location


def test_junit_is_well_formed_and_counts() -> None:
    """Not registered and malformed have failed; not verified is skipped."""
    report = junit_report([*ALL, *SEVERE], malformed=MALFORMED, ignored=IGNORED)
    root = ET.fromstring(report)  # noqa: S314 (our own text)
    suite = root[0]

    assert suite.attrib == {
        "name": "handles",
        "tests": "10",
        "failures": "4",
        "skipped": "2",
        "errors": "0",
    }
    assert [[child.tag for child in case] for case in suite] == [
        ["failure"],
        [],
        ["system-out"],
        ["failure"],
        ["system-out"],
        ["skipped"],
        ["system-out"],
        ["failure"],
        ["failure"],
        ["skipped"],
    ]
    assert ET.tostring(suite[3], encoding="unicode") == (
        '<testcase classname="guide" name="1/3"><failure type="not-registered" '
        'message="this handle is not registered">guide.rst:5, faq.rst</failure>'
        "</testcase>\n"
    )
    assert suite[9].findtext("skipped") == "not asked for, as the project wishes"


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
    page = html_report(
        ALL, title=HOSTILE, now=NOW, malformed=MALFORMED, ignored=IGNORED
    )
    reader = Reader()
    reader.feed(page)

    assert reader.tags.count("script") == 1
    assert reader.links == ["https://example.org/?a&b"]
    assert not re.findall("[\x00-\x09\x0b-\x1f\u202e]", page)
    assert "src=" not in page
    assert (
        "<p>8 references to 7 distinct handles, verified on "
        '<time datetime="2026-11-21T12:00:00+00:00">2026-11-21 12:00 UTC</time>.</p>'
    ) in page


def test_html_counts_one_as_one() -> None:
    """What is written once is one reference."""
    page = html_report([ALL[0]], title="", now=NOW)

    assert "<p>1 reference to 1 distinct handle, verified on <time" in page


def test_html_lets_nothing_run_but_its_own_script() -> None:
    """By the digests of its script and its style."""
    page = html_report(ALL, title="", now=NOW)
    policy = re.findall('Content-Security-Policy" content="([^"]+)"', page)
    digests = [
        base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()
        for name in ("style", "script")
        for each in re.findall(f"<{name}>(.*?)</{name}>", page, re.DOTALL)
    ]

    assert policy == [
        (
            "default-src 'none'; base-uri 'none'; form-action 'none'; "
            f"style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'"
        )
    ]
    assert "style=" not in page


def test_html_shows_first_what_needs_a_look() -> None:
    """What has failed, then the odd, then the unknown, the rest, the ignored."""
    page = html_report(
        [*ALL[:5], SEVERE[0]], title="", now=NOW, malformed=MALFORMED, ignored=IGNORED
    )
    outcomes = re.findall(r'data-outcome="([a-z-]+)"', page)

    assert outcomes == [
        "not-registered",
        "unreachable",
        "malformed",
        "resolved",
        "no-values",
        "unreachable",
        "resolved",
        "ignored",
    ]
    assert 'aria-label="2 resolved, 1 not registered, 1 malformed, ' in page


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (7199, "1 hour ago"),
        (7200, "2 hours ago"),
        (40 * 86400, "40 days ago"),
    ],
)
def test_html_says_how_old_an_answer_is(seconds: int, words: str) -> None:
    """In words, with the moment beside; a clock that was set back makes no future."""
    moment = int(NOW.timestamp()) - seconds
    verdict = dataclasses.replace(GOOD.verdict, answered=moment)
    page = html_report(
        [dataclasses.replace(GOOD, verdict=verdict), UNKNOWN], title="", now=NOW
    )
    written = datetime.fromtimestamp(moment, UTC).isoformat()

    assert re.findall("<td[^>]*><time.*?</td>", page) == [
        (
            f'<td data-sort="{max(seconds, 0)}"><time datetime="{written}" '
            f'title="{written}">{words}</time></td>'
        )
    ]


def test_html_links_places_and_isolates_their_text() -> None:
    """Letters written from right to left do not move what stands beside them."""
    there = CheckedPlace(
        document="עברית", file="עברית.rst", line=5, written="hdl:1/א", url="../x.rst"
    )
    page = html_report(
        [dataclasses.replace(BROKEN, places=(there,))], title="", now=NOW
    )

    assert (
        '<li><a href="../x.rst" rel="noreferrer"><bdi>עברית:5</bdi></a> '
        "<code><bdi>hdl:1/א</bdi></code></li>"
    ) in page


def test_html_builds_no_towers_of_marks() -> None:
    """A few marks over a letter are somebody's alphabet; fifty cover the page."""
    verdict = dataclasses.replace(GOOD.verdict, handle="1/ệ\u0323" + "\u0301" * 50)
    page = html_report([dataclasses.replace(GOOD, verdict=verdict)], title="", now=NOW)

    escaped = "\\u0301" * 47
    assert f"<bdi>1/ệ\u0323\u0301\u0301\u0301{escaped}</bdi>" in page


def test_html_shows_the_beginning_of_very_long_text() -> None:
    """A record with a megabyte in it leaves the page readable."""
    long = dataclasses.replace(EVIL.verdict, target="x" * 1_000_000)
    page = html_report([dataclasses.replace(EVIL, verdict=long)], title="", now=NOW)

    assert f"<td><bdi>{'x' * 1000}…</bdi>" in page
    assert len(page) < 20_000
    long = dataclasses.replace(long, target="https://example.org/" + "x" * 1_000_000)
    page = html_report([dataclasses.replace(EVIL, verdict=long)], title="", now=NOW)
    assert "<td><bdi>https://example.org/xxx" in page
    assert len(page) < 20_000


@pytest.mark.parametrize("report", [json_report, junit_report])
def test_nothing_checked_is_an_empty_report(report: object) -> None:
    """A project without a reference has a report too."""
    assert callable(report)
    assert "1/1" not in report([])
    assert html_report([], title="x", now=NOW).count("<tr") == 1


def test_a_message_is_one_line_whatever_a_record_holds() -> None:
    """No line break and no control of a terminal comes through."""
    odd = dataclasses.replace(EVIL, places=(place(8, "a\nb", "hdl:1/\x1b[31m"),) * 2)

    assert odd.message.isprintable()
    assert odd.said.isprintable()


@pytest.mark.parametrize(("own", "shown"), [(True, "api:3"), (False, "src/api.py:3")])
def test_a_place_in_another_file_is_named_by_that_file(
    *, own: bool, shown: str
) -> None:
    """Lines of an included file, or of a docstring, are not the document's."""
    there = CheckedPlace(
        document="api", file="src/api.py", line=3, written="hdl:1/3", is_own_file=own
    )
    (row,) = json.loads(json_report([dataclasses.replace(BROKEN, places=(there,))]))

    assert str(there) == shown
    assert row["places"] == [
        {"document": "api", "line": 3, "written": "hdl:1/3"}
        | ({} if own else {"file": "src/api.py"})
    ]
