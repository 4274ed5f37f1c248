"""The page of a check, in HTML: it is safe and complete."""

import base64
import dataclasses
import hashlib
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings

from handle_system.describing.states import State
from handle_system.describing.updates import Update
from handle_system.describing.work_findings import finding_about_work
from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.resolving.outcomes import OutcomeName
from handle_system.verifying.page import html_report
from handle_system.verifying.verdicts import CheckedHandle, Verdict
from tests.sample_findings import (
    ALL,
    BROKEN,
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
    place,
)
from tests.test_core.test_reports import checked_handles, texts

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
