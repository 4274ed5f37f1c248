"""Findings and their reports: JSON, SARIF, JUnit XML, HTML; hostile text in every field."""

import base64
import dataclasses
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handle_system.describing.states import State
from handle_system.describing.updates import Update
from handle_system.describing.work_findings import finding_about_work
from handle_system.errors import showable
from handle_system.findings.codes import Code, Severity
from handle_system.findings.finding import Excerpt, Fact, Finding, Place, Policy
from handle_system.findings.reports import sarif_report
from handle_system.findings.terminal import terminal_report
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.resolving.outcomes import (
    NotRegistered,
    NoValues,
    Outcome,
    OutcomeName,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.records import HandleRecord
from handle_system.verifying.page import html_report
from handle_system.verifying.verdicts import (
    CheckedHandle,
    Verdict,
    count_outcomes,
    outcome_report,
    place_url,
    verdict_of,
)
from tests.report_schemas import needs_xml_schemas, wrong_junit, wrong_sarif
from tests.sample_findings import (
    ALL,
    BROKEN,
    EVIL,
    EVIL_HANDLE,
    GOOD,
    HOSTILE,
    IGNORED,
    MALFORMED,
    SEVERE,
    UNKNOWN,
    Row,
    at,
    checked,
    findings_of,
    handles_of,
    junit_of,
    place,
)


def sarif_of(rows: Sequence[Row]) -> str:
    """The SARIF report."""
    return sarif_report(findings_of(rows), tool="x")


def json_report(rows: Sequence[Row]) -> str:
    """The report of all handles."""
    return outcome_report(handles_of(rows))


def results_of(report: str) -> list[Any]:
    """The results of a SARIF report."""
    (run,) = json.loads(report)["runs"]
    return list(run["results"])


def location_of(result: Any) -> Any:
    """The one physical location of a SARIF result."""
    (location,) = result["locations"]
    return location["physicalLocation"]


def test_a_message_names_every_other_place() -> None:
    """A message is one line that names every other place.

    A place without a line is named by its document alone.
    """
    odd = at(EVIL, *(place(8, "a\nb", "hdl:1/\x1b[31m"),) * 2)
    (line,), (broken,), (unknown,) = (
        finding.lines() for finding in findings_of([odd, BROKEN, UNKNOWN])
    )
    assert line.isprintable()
    assert broken == "hdl:1/3: this handle is not registered (also at faq)"
    assert unknown == "hdl:1/2: unreachable, so not verified: no answer"
    assert GOOD.finding is None


def test_outcomes_are_counted_by_name() -> None:
    """Outcomes are counted by name; those without a handle are left out."""
    assert count_outcomes(row.verdict for row in ALL if row.verdict) == (
        "3 resolved, 1 not registered, 1 no values, 1 unreachable"
    )


RECORD = HandleRecord.of_url(Handle("1", "2"), "https://example.org/")


@pytest.mark.parametrize(
    ("outcome", "code", "description"),
    [
        (Resolved(RECORD), None, ""),
        (
            Resolved(RECORD, (Handle("1", "a"),), "its aliases lead in a circle"),
            "record",
            "its aliases lead in a circle",
        ),
        (NotRegistered(), "not-registered", "this handle is not registered"),
        (
            NoValues(),
            "no-values",
            "this handle is registered, and has no public values",
        ),
        (
            Refused(402),
            "refused",
            "refused, so not verified: the server refused to answer (response code 402)",
        ),
        (
            Unreachable("no\nanswer"),
            "unreachable",
            "unreachable, so not verified: no\\nanswer",
        ),
    ],
)
def test_each_outcome_is_a_finding_in_words(
    outcome: Outcome, code: str | None, description: str
) -> None:
    """Every outcome except a handle that resolves to a target is a finding."""
    verdict = verdict_of(Handle("1", "2"), outcome)

    assert (verdict.code, verdict.description) == (code, description)
    assert verdict.target == outcome.target


@pytest.mark.parametrize(
    ("template", "line", "url"),
    [
        (
            "https://f.example/{file}#L{line}",
            3,
            "https://f.example/a%20b/%7Bline%7D#L3",
        ),
        ("https://f.example/{document}#L{line}", 0, "https://f.example/%C3%BC"),
    ],
)
def test_a_place_has_the_url_that_the_template_says(
    template: str, line: int, url: str
) -> None:
    """The URL is percent-encoded, and has no fragment if the line is unknown."""
    assert place_url(template, "a b/{line}", line, "ü") == url


def test_json_has_every_handle_and_place() -> None:
    """The JSON report lists every verified handle, and keeps hostile text unchanged."""
    rows = json.loads(json_report(ALL))

    assert rows[2] == {
        "handle": "1/3",
        "outcome": "not-registered",
        "target": None,
        "reason": "",
        "addresses": [],
        "places": [
            {"document": "guide", "line": 5, "written": "hdl:1/3"},
            {"document": "faq", "line": 0, "written": "hdl:1/2"},
        ],
    }
    assert rows[1]["reason"] == "it has no URL"
    assert rows[5]["handle"] == EVIL_HANDLE
    assert json.loads(json_report([])) == []


@pytest.mark.parametrize(("own", "shown"), [(True, "api:3"), (False, "src/api.py:3")])
def test_a_place_in_another_file_is_named_by_that_file(
    *, own: bool, shown: str
) -> None:
    """A place in an included file or a docstring is named by that file."""
    there = Place(
        document="api", file="src/api.py", line=3, written="hdl:1/3", is_own_file=own
    )
    (row,) = json.loads(json_report([at(BROKEN, there)]))

    assert str(there) == shown
    assert row["places"] == [
        {"document": "api", "line": 3, "written": "hdl:1/3"}
        | ({} if own else {"file": "src/api.py"})
    ]


def test_sarif_has_a_result_for_each_place_and_a_note_for_the_unverified() -> None:
    """Each place has a result, but an unverified handle is a note about the run."""
    report = sarif_of(ALL)
    (run,) = json.loads(report)["runs"]
    found = [
        (each["ruleId"], each["level"], location_of(each).get("region"))
        for each in results_of(report)
    ]

    assert found[:4] == [
        ("handle.record", "warning", {"startLine": 4}),
        ("handle.not-registered", "warning", {"startLine": 5}),
        ("handle.not-registered", "warning", None),
        ("handle.no-values", "warning", {"startLine": 6}),
    ]
    assert run["invocations"][0]["toolExecutionNotifications"] == [
        {
            "descriptor": {"id": "handle.unreachable"},
            "level": "note",
            "message": {"text": "1/5: unreachable, so not verified: no answer"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {
                            "uri": "guide.rst",
                            "uriBaseId": "%SRCROOT%",
                        },
                        "region": {"startLine": 7},
                    }
                }
            ],
        }
    ]


def test_sarif_gives_each_place_of_a_handle_its_own_fingerprint() -> None:
    """Services merge equal fingerprints; each place has its own, which a move keeps."""
    places = (place(5), place(9), place(9), place(1, "faq"))
    fingerprints, moved = (
        [each["partialFingerprints"] for each in results_of(sarif_of([row]))]
        for row in (
            at(BROKEN, *places),
            at(
                BROKEN,
                *(dataclasses.replace(each, line=each.line + 7) for each in places),
            ),
        )
    )

    assert fingerprints == [
        {"handle/v3": "not-registered 1/3 in guide.rst, 1"},
        {"handle/v3": "not-registered 1/3 in guide.rst, 2"},
        {"handle/v3": "not-registered 1/3 in guide.rst, 3"},
        {"handle/v3": "not-registered 1/3 in faq.rst, 1"},
    ]
    assert moved == fingerprints


def test_sarif_gives_each_of_several_findings_its_own_fingerprint() -> None:
    """A reference that is malformed twice in a file is two findings, and so are two
    kinds of finding about one reference."""
    malformed = Finding(
        code=Code.SYNTAX,
        subject="none",
        message="no handle",
        severity=Severity.ERROR,
    )
    suspicious = dataclasses.replace(malformed, code=Code.PLACEHOLDER)
    findings = [
        malformed.at(place(5)),
        suspicious.at(place(5)),
        malformed.at(place(9)),
    ]

    results = results_of(sarif_report(findings, tool="hdl"))

    assert [each["partialFingerprints"] for each in results] == [
        {"handle/v3": "syntax none in guide.rst, 1"},
        {"handle/v3": "placeholder none in guide.rst, 1"},
        {"handle/v3": "syntax none in guide.rst, 2"},
    ]


def test_sarif_follows_the_severities_of_the_project() -> None:
    """Results have the configured severity, the unverified too; `off` has no result."""
    off = Policy({"not-registered": "off"}).applied_to(findings_of([BROKEN]))
    report = sarif_of([*MALFORMED, *SEVERE, *off])
    (run,) = json.loads(report)["runs"]
    rules = run["tool"]["driver"]["rules"]

    assert [
        (each["ruleId"], rules[each["ruleIndex"]]["id"], each["level"])
        for each in run["results"]
    ] == [
        ("handle.syntax", "handle.syntax", "warning"),
        ("handle.unreachable", "handle.unreachable", "error"),
        ("handle.no-values", "handle.no-values", "error"),
    ]
    assert run["invocations"][0]["toolExecutionNotifications"] == []


def test_sarif_messages_have_no_placeholder_and_no_link() -> None:
    """Placeholders and links in a message are escaped, because viewers replace them."""
    there = place(1, written="hdl:1/{0}[click](https://example.org/)")
    (result,) = results_of(sarif_of([at(BROKEN, there)]))

    assert result["message"] == {
        "text": "hdl:1/{{0}}[click] (https://example.org/): "
        "this handle is not registered"
    }


@pytest.mark.parametrize(
    ("file", "artifact"),
    [
        ("a b/ü.rst", {"uri": "a%20b/%C3%BC.rst", "uriBaseId": "%SRCROOT%"}),
        ("x:y.rst", {"uri": "x%3Ay.rst", "uriBaseId": "%SRCROOT%"}),
        ("/pkg/m.py", {"uri": "file:///pkg/m.py"}),
        ("D:/pkg/m.py", {"uri": "file:///D:/pkg/m.py"}),
    ],
)
def test_sarif_names_files_from_the_root_of_the_sources(
    file: str, artifact: dict[str, str]
) -> None:
    """Files have relative URIs; files outside of the root have absolute ones."""
    there = Place(document="a", file=file, line=1, written="hdl:1/3")
    (result,) = results_of(sarif_of([at(BROKEN, there)]))

    assert location_of(result)["artifactLocation"] == artifact


def test_junit_counts_failed_and_skipped_cases() -> None:
    """Unregistered, empty and malformed fail; unverified and ignored are skipped."""
    report = junit_of([*MALFORMED, *ALL, *SEVERE, *IGNORED])
    suite = ET.fromstring(report)[0]  # noqa: S314 (our own text)

    assert suite.attrib == {
        "name": "handles",
        "tests": "10",
        "failures": "7",
        "skipped": "2",
        "errors": "0",
    }
    assert [[child.tag for child in case] for case in suite] == [
        ["failure"],
        ["failure"],
        ["failure"],
        ["failure"],
        ["skipped"],
        ["failure"],
        ["failure"],
        ["failure"],
        [],
        ["skipped"],
    ]
    assert ET.tostring(suite[2], encoding="unicode").strip() == (
        '<testcase classname="guide" name="1/3">\n<failure type="not-registered" '
        'message="this handle is not registered">guide.rst:5, faq.rst</failure>\n'
        "</testcase>"
    )
    assert suite[9].findtext("skipped") == "excluded"


def test_sarif_is_valid_by_its_published_schema() -> None:
    """Reports with every kind of finding, and with none, are valid SARIF."""
    report = sarif_of([*MALFORMED, *ALL, *SEVERE])

    assert wrong_sarif(report) == []
    assert wrong_sarif(sarif_of([])) == []
    assert wrong_sarif('{"version": "2.1.0", "runs": [{}]}') == [
        "['runs', 0]: 'tool' is a required property"
    ]


@needs_xml_schemas
def test_junit_is_valid_by_schemas_in_use() -> None:
    """Reports with every kind of finding, and with none, are valid JUnit XML."""
    report = junit_of([*MALFORMED, *ALL, *SEVERE, *IGNORED])

    assert wrong_junit("<testsuites lost='1'/>") != []
    assert wrong_junit(report) == []
    assert wrong_junit(junit_of([])) == []


# Characters with a special meaning in some markup, and others.
SPECIAL = "<>&\"'`\\/%:;#?\n\r\t\0\x1b\x85\u2028\u202e\u200b\ufffe\U0001f600é\u0301"
texts = st.text(st.one_of(st.sampled_from(SPECIAL), st.characters()), max_size=30)
# Only names of files have lone surrogates: for octets that are not UTF-8.
written = st.text(
    st.one_of(st.sampled_from(SPECIAL), st.characters(exclude_categories=["Cs"])),
    max_size=30,
)
files = st.builds("{}{}".format, written, st.sampled_from(["", "\udcff", "\udce9.md"]))
places = st.builds(
    Place,
    document=written,
    file=files,
    line=st.integers(0, 10**9),
    written=written,
)
some_places = st.lists(places, min_size=1, max_size=2).map(tuple)
verdicts = st.builds(
    Verdict,
    handle=written,
    outcome=st.sampled_from(OutcomeName),
    target=st.one_of(st.none(), written),
    reason=written,
)
checked_handles = st.builds(checked, verdicts, some_places)
malformed_references = st.builds(
    Finding,
    subject=written,
    places=some_places,
    code=st.sampled_from([Code.SYNTAX, Code.LINK]),
    message=texts,
    severity=st.sampled_from([Severity.ERROR, Severity.WARNING, Severity.NOTE]),
)
ignored_handles = st.builds(CheckedHandle, handle=written, places=some_places)


@given(
    st.lists(malformed_references, max_size=2),
    st.lists(st.one_of(checked_handles, ignored_handles), max_size=4),
)
def test_reports_of_any_text_can_be_read(
    malformed: list[Row], handles: list[Row]
) -> None:
    """XML has correct counts; SARIF has printable texts and valid URIs."""
    rows = [*malformed, *handles]
    assert [each["handle"] for each in json.loads(json_report(rows))] == [
        row.handle for row in handles_of(handles) if row.verdict
    ]

    (suite,) = ET.fromstring(junit_of(rows))  # noqa: S314 (our own text)
    for count, tag in (("failures", "failure"), ("skipped", "skipped")):
        assert suite.attrib[count] == str(len(suite.findall(f".//{tag}")))

    for result in results_of(sarif_of(rows)):
        uri = str(location_of(result)["artifactLocation"]["uri"])
        assert re.fullmatch(r"(file://)?[A-Za-z0-9\-._~/%:]*", uri), uri
        fingerprints = result.get("partialFingerprints", {})
        for text in (result["message"]["text"], *fingerprints.values()):
            assert text.isprintable()


def test_many_places_are_counted() -> None:
    """A terminal names three other places of a finding, and counts the rest."""
    finding = Finding(
        code=Code.RETRACTED,
        subject="10.1/a",
        message="retracted",
        severity=Severity.WARNING,
        places=tuple(Place("a.md", line) for line in range(1, 7)),
    )

    report = terminal_report([finding], lambda _place: "")

    assert report.splitlines()[1] == "  also a.md:2, a.md:3, a.md:4 and 2 more"


def test_the_text_that_is_compared_is_underlined_before_its_reference() -> None:
    """A line may hold the text several times; that of this reference has the marks."""
    line = "[Kahn (2006)](doi:10.1/a), [Kahn (2006)](doi:10.1/b)"
    finding = Finding(
        code=Code.OTHER_WORK,
        subject="doi:10.1/b",
        message="another work",
        severity=Severity.WARNING,
        places=(Place("a.md", 1, 1 + line.index("doi:10.1/b"), "doi:10.1/b"),),
        other_excerpt=Excerpt("Kahn (2006)", 0, 11),
    )

    report = terminal_report([finding], lambda _place: line)

    assert report.splitlines()[1:3] == [
        "  | [Kahn (2006)](doi:10.1/a), [Kahn (2006)](doi:10.1/b)",
        "  |                             -----------  ^^^^^^^^^^",
    ]


@given(st.lists(st.tuples(st.sampled_from(["notice", "it is"]), st.text())))
def test_no_fact_is_lost_as_json(words_and_values: list[tuple[str, str]]) -> None:
    """A word that several facts have keeps all their values, in their order."""
    facts = [Fact(*pair) for pair in words_and_values]
    finding = Finding(
        code=Code.OTHER_WORK,
        subject="doi:10.1/b",
        message="another work",
        severity=Severity.WARNING,
        facts=tuple(facts),
    )
    members = json.loads(json.dumps(finding.to_json()))
    again = Finding.from_json(members).facts

    assert sorted(again, key=lambda fact: fact.word) == sorted(
        facts, key=lambda fact: fact.word
    )


def test_a_fact_is_a_word_and_its_value_as_json() -> None:
    """Only a word of several facts has a list."""
    finding = Finding(
        code=Code.OTHER_WORK,
        subject="doi:10.1/b",
        message="another work",
        severity=Severity.WARNING,
        facts=(Fact("notice", "a"), Fact("it is", "b"), Fact("notice", "c")),
    )

    assert finding.to_json()["facts"] == {"notice": ["a", "c"], "it is": "b"}


def test_a_report_of_one_long_line_takes_linear_time() -> None:
    """Quadratic work on it takes longer than any test may."""
    line = "doi:10.1/a " * 20_000
    findings = [
        Finding(
            code=Code.TYPOGRAPHIC,
            subject="doi:10.1/a",
            message="it is odd",
            severity=Severity.WARNING,
            places=(Place("a.md", 1, 1 + 11 * number, "doi:10.1/a"),),
        )
        for number in range(20_000)
    ]

    report = terminal_report(findings, lambda _place: line, width=40)

    assert report.count("\n") == 3 * 20_000
    assert report.splitlines()[4] == "  | doi:10.1/a doi:10.1/a doi:10.1/a …"


NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def page_of(rows: Iterable[Row], title: str = "") -> str:
    """The page with these rows."""
    rows = list(rows)
    return html_report(
        findings_of(rows),
        handles_of(rows),
        title=title,
        proxies=DEFAULT_PROXIES,
        now=NOW,
    )


def resolved(**known: Any) -> CheckedHandle:
    """The row of a registered handle."""
    verdict = Verdict(handle="1/1", outcome=OutcomeName.RESOLVED, **known)
    return checked(verdict, (place(3),))


#: The tags of a page with every part that a row can have.
TAGS = set(
    re.findall(
        "<([a-z0-9]+)",
        page_of(
            [
                UNKNOWN,
                resolved(target="https://example.org/", answered=0, aliases=("1/2",)),
            ]
        ),
    )
)


class Reader(HTMLParser):
    """The tags, attributes, links and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_safe_and_complete() -> None:
    """Hostile text adds no tag, script or link; the page fetches nothing."""
    page = page_of([*MALFORMED, *ALL, *IGNORED], HOSTILE)
    reader = Reader(page)

    assert reader.tags.count("script") == 1
    assert [link for link in reader.links if "hdl.handle.net" not in link] == [
        "https://example.org/?a&b"
    ]
    assert not re.findall("[\x00-\x09\x0b-\x1f\u202e]", page)
    assert not {"src", "style", "onclick"} & reader.attributes
    assert (
        '<p class="aside">8 references to 7 distinct handles, verified on '
        '<time datetime="2026-11-21T12:00:00+00:00">2026-11-21 12:00 UTC</time>.</p>'
    ) in page
    assert ">1 reference to 1 distinct handle, verified on" in page_of([GOOD])


def test_a_page_says_verified_only_if_something_was() -> None:
    """If every handle is unreachable, the page says when the references were read."""
    assert ">1 reference to 1 distinct handle, read on" in page_of([UNKNOWN])
    assert ">0 references to 0 distinct handles, read on" in page_of([])


def test_the_page_lists_every_address_of_a_record() -> None:
    """The first address is the target; only web addresses become links."""
    addresses = ("https://a.example/", "https://b.example/", "ftp://c.example/")
    verdict = Verdict(
        handle="1/1",
        outcome=OutcomeName.RESOLVED,
        target=addresses[0],
        addresses=addresses,
    )
    page = page_of([dataclasses.replace(GOOD, verdict=verdict)])

    assert "ftp://c.example/" in page
    assert page.count("also in its record: ") == 2
    assert [link for link in Reader(page).links if "hdl.handle.net" not in link] == [
        "https://a.example/",
        "https://b.example/",
    ]


# Each example parses two complete pages.
@settings(max_examples=settings().max_examples // 4)
@given(checked_handles, texts)
def test_any_text_is_shown_as_text(checked: CheckedHandle, title: str) -> None:
    """Text adds no tag, attribute or link, and hides no character."""
    # Only valid handles are verified.
    finding = checked.finding and dataclasses.replace(checked.finding, subject="1/2")
    page = page_of([dataclasses.replace(checked, handle="1/2", finding=finding)], title)
    reader = Reader(page)

    assert set(reader.tags) <= TAGS
    assert not [name for name in reader.attributes if name.startswith("on")]
    assert all(re.match("(?i)https?://", link) for link in reader.links)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e]", page)
    assert showable(title) in reader.text


def test_the_policy_allows_only_the_pages_own_script_and_style() -> None:
    """The policy names the page's own script and style by their digests."""
    page = page_of(ALL)
    (policy,) = re.findall('Content-Security-Policy" content="([^"]+)"', page)
    digests = [
        base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()
        for name in ("style", "script")
        for each in re.findall(f"<{name}>(.*?)</{name}>", page, re.DOTALL)
    ]

    assert policy.replace("&#39;", "'") == (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'"
    )


def test_problems_come_first_and_outcomes_have_their_names() -> None:
    """Sections are sorted by urgency; each has a checkbox with its kind in words and count.

    A project without references has neither.
    """
    assert not {"section", "fieldset"} & set(Reader(page_of([], "x")).tags)
    page = page_of([*ALL[:5], SEVERE[0], *MALFORMED, *IGNORED])
    sections = re.findall('<section id="([a-z-]+)"', page)
    choices = re.findall('id="show-.*?</span>([^<]+) <b>([0-9]+)</b>', page)

    assert sections == [
        "syntax",
        "not-registered",
        "record",
        "no-values",
        "unreachable",
        "resolved",
        "ignored",
    ]
    assert choices == [
        ("The content of a role is no reference to a handle", "1"),
        ("A document refers to a handle that is not registered", "1"),
        (
            (
                "A handle is registered, and its record leads nowhere, or has no value of the "
                "index that a reference names"
            ),
            "1",
        ),
        ("A handle is registered, and its record has no public value", "1"),
        ("A handle is not verified: no response, or an invalid one", "2"),
        ("resolved", "1"),
        ("ignored", "1"),
    ]
    assert "<b>5 problems</b>, 3 not verified, 1 resolved." in page


def test_notes_are_counted_apart() -> None:
    """A note is no problem, and no handle that is not verified."""
    page = page_of([*ALL[:2], resolved(replaced_by="1/9")])

    assert "<b>1 problem</b>, 1 note, 1 resolved." in page


def test_each_kind_of_problem_says_what_to_do() -> None:
    """Every section but that of resolved handles begins with an action."""
    page = page_of([*ALL[:5], *MALFORMED, *IGNORED])

    assert re.findall(
        '<section id="([a-z-]+)".*?</h2>\n<(p class="action"|details)', page, re.DOTALL
    ) == [
        ("syntax", 'p class="action"'),
        ("not-registered", 'p class="action"'),
        ("record", 'p class="action"'),
        ("no-values", 'p class="action"'),
        ("unreachable", 'p class="action"'),
        ("resolved", "details"),
        ("ignored", 'p class="action"'),
    ]
    assert (
        "Nothing to correct in the documents, and the next run asks again. If the reason "
        "stays, correct the setting that it names, or name another server in "
        "handle_resolver."
    ) in page


@pytest.mark.parametrize("state", State)
def test_each_state_of_a_work_has_a_section(state: State) -> None:
    """A work with a later notice stands under its state, with what to do."""
    work = Handle.parse("10.5555/urns")
    page = page_of(
        [finding_about_work(work, Update(state), (place(3),), proxies=DEFAULT_PROXIES)]
    )
    head = f'<section id="{state.value}".*?</h2>\n<p class="action"'

    assert re.findall("<section id", page) == ["<section id"]
    assert re.search(head, page, re.DOTALL)


def test_the_page_says_when_a_remembered_answer_was_given() -> None:
    """An item shows the day and exact time of an older answer, and of no other."""
    older = int(datetime(2026, 11, 18, 23, 59, tzinfo=UTC).timestamp())
    this_run = int(NOW.timestamp()) - 60
    page = page_of([resolved(answered=older), resolved(answered=this_run), UNKNOWN])
    iso = "2026-11-18T23:59:00+00:00"

    assert re.findall("<p[^>]*>answered on .*?</p>", page) == [
        (
            f'<p class="aside">answered on <time datetime="{iso}" title="{iso}">'
            "2026-11-18</time></p>"
        )
    ]


def test_handles_and_places_are_links_with_isolated_text() -> None:
    """A place has its line; right-to-left letters do not move their neighbours."""
    there = dataclasses.replace(place(5, "עברית", "hdl:1/א"), url="../%D7%A2.rst#L5")
    page = page_of([at(BROKEN, there)])

    assert (
        '<a href="https://hdl.handle.net/1/3" rel="noreferrer"><bdi>1/3</bdi></a>'
    ) in page
    assert (
        '<li><a href="../%D7%A2.rst#L5" rel="noreferrer"><bdi>עברית:5</bdi></a> '
        "<code><bdi>hdl:1/א</bdi></code></li>"
    ) in page


def test_long_text_is_cut() -> None:
    """Text is cut after 1000 characters, and a long target is not a link."""
    long = page_of([resolved(target="x" * 1_000_000)])
    linked = page_of([resolved(target="https://e.org/" + "x" * 1_000_000)])

    assert f"<bdi>{'x' * 1000}…</bdi>" in long
    assert len(long) < 30_000
    assert 'href="https://e.org/' not in linked
    assert len(linked) < 30_000
