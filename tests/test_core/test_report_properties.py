"""Reports of anything: whatever is in a document or a record, they can be read."""

import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from handle_system.errors import showable
from handle_system.resolving.outcome import OutcomeName
from handle_system.verifying.checked import (
    CheckedHandle,
    CheckedPlace,
    IgnoredHandle,
    MalformedReference,
)
from handle_system.verifying.report_html import html_report
from handle_system.verifying.report_json import json_report
from handle_system.verifying.report_junit import junit_report
from handle_system.verifying.report_sarif import sarif_report
from handle_system.verifying.severity import FindingCode, Severity
from handle_system.verifying.verdict import Verdict

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
# What is markup somewhere, and what is none anywhere.
TELLING = "<>&\"'`\\/%:;#?\n\r\t\0\x1b\x85\u2028\u202e\u200b\ufffe\U0001f600é\u0301"
texts = st.text(st.one_of(st.sampled_from(TELLING), st.characters()), max_size=30)
# Names of files and text of documents have no lone surrogates that no octet made.
written = st.text(
    st.one_of(st.sampled_from(TELLING), st.characters(exclude_categories=["Cs"])),
    max_size=30,
)
places = st.builds(
    CheckedPlace,
    document=written,
    file=written,
    line=st.integers(0, 10**9),
    written=written,
    url=st.sampled_from(["", "../a%20b.rst", "https://forge.example/a?b&c#L3"]),
)
verdicts = st.builds(
    Verdict,
    handle=written,
    outcome=st.sampled_from(OutcomeName),
    target=st.one_of(st.none(), written, written.map(lambda each: f"https://{each}")),
    reason=written,
    aliases=st.tuples(written),
    problems=st.one_of(st.just(()), st.tuples(written)),
    answered=st.one_of(st.none(), st.integers(0, 2**32)),
)
some_places = st.one_of(
    st.lists(places, min_size=1, max_size=2).map(tuple),
    # So many that they scroll.
    places.map(lambda each: (each,) * 12),
)
checked = st.builds(
    CheckedHandle,
    verdict=verdicts,
    places=some_places,
    severities=st.dictionaries(
        st.sampled_from(FindingCode), st.sampled_from(Severity), max_size=5
    ),
)
malformed = st.builds(
    MalformedReference,
    place=places,
    code=st.sampled_from(["syntax", "link"]),
    reason=texts,
    severity=st.sampled_from(Severity),
)
ignored = st.builds(IgnoredHandle, handle=written, places=some_places)
projects = st.tuples(
    st.lists(checked, max_size=3),
    st.lists(malformed, max_size=2),
    st.lists(ignored, max_size=2),
)
Project = tuple[list[CheckedHandle], list[MalformedReference], list[IgnoredHandle]]


_HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]")


class Reader(HTMLParser):
    """What of a page is markup, and what is text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_data(self, data: str) -> None:
        self.text += data


PAGE_TAGS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "main",
    "h1",
    "p",
    "time",
    "svg",
    "rect",
    "ul",
    "li",
    "span",
    "div",
    "table",
    "caption",
    "thead",
    "tr",
    "th",
    "tbody",
    "td",
    "bdi",
    "code",
    "a",
    "script",
}


@given(projects, texts)
def test_a_page_holds_text_as_text(project: Project, title: str) -> None:
    """No tag, no attribute and no link comes of it, and no character is hidden."""
    found, wrong, left_out = project
    page = html_report(found, title=title, now=NOW, malformed=wrong, ignored=left_out)
    reader = Reader()
    reader.feed(page)

    assert reader.tags <= PAGE_TAGS
    assert not [name for name in reader.attributes if name.startswith("on")]
    assert all(
        re.match(r"(?i)https?://|\.\./a%20b\.rst$", link) for link in reader.links
    ), reader.links
    assert page.count("<script>") == 1
    assert _HIDDEN.findall(page) == []
    for each in found:
        assert "\u0301" in each.verdict.handle or (
            showable(each.verdict.handle) in reader.text
        )


@given(projects)
def test_test_reports_are_xml(project: Project) -> None:
    """With the names as they can be shown, and counts that are right."""
    found, wrong, left_out = project
    report = junit_report(found, malformed=wrong, ignored=left_out)
    (suite,) = ET.fromstring(report)  # noqa: S314 (our own text)
    names = [case.attrib["name"] for case in suite]

    assert len(names) == len(found) + len(wrong) + len(left_out)
    assert names[len(wrong) : len(wrong) + len(found)] == [
        showable(each.verdict.handle) for each in found
    ]
    for kind in ("failure", "skipped"):
        count = suite.attrib["failures" if kind == "failure" else kind]
        assert count == str(len(suite.findall(f".//{kind}")))


@given(projects)
def test_reports_for_programs_are_json(project: Project) -> None:
    """Of SARIF every text can be shown, and every address is one."""
    found, wrong, _ = project
    rows = json.loads(json_report(found))
    (run,) = json.loads(sarif_report(found, malformed=wrong, version="1"))["runs"]

    assert [row["handle"] for row in rows] == [each.verdict.handle for each in found]
    for result in run["results"]:
        (location,) = result["locations"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(file://)?[A-Za-z0-9\-._~/%:]*", uri), uri
        assert result["message"]["text"].isprintable()
