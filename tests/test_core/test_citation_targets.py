"""`handle_system.citing.targets`: where handles lead."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.targets import check_targets, same_page
from handle_system.citing.work import Version, Work
from handle_system.handle import Handle

FIRST = Version(label="1.0", handle=Handle("1234", "first"))
SECOND = Version(label="2.0", handle=Handle("1234", "second"))
WHOLE = Handle("1234", "work")
WORK = Work(title="Policy", handle=WHOLE, versions=(FIRST, SECOND))
ONE = "https://example.org/1.0/"
TWO = "https://example.org/2.0/"
LEADS_TO = {
    Handle("1234", "first"): ONE,
    Handle("1234", "second"): TWO,
    WHOLE: TWO,
}


def test_handles_that_lead_where_they_should() -> None:
    """The work to its latest version, and the version to this page."""
    assert check_targets(WORK, FIRST, LEADS_TO, page_url=f"{ONE}index.html") == ()


def test_work_that_leads_elsewhere_is_found() -> None:
    """A work's handle that was not moved on with the release is stale."""
    stale = {**LEADS_TO, WHOLE: ONE}

    (problem,) = check_targets(WORK, SECOND, stale, page_url=TWO)

    assert problem.code.value == "work_target"
    assert str(problem) == (
        "the work's handle leads to https://example.org/1.0/, and that of its latest "
        "version, 2.0, to https://example.org/2.0/; "
        "have 1234/work lead to https://example.org/2.0/"
    )


def test_version_that_leads_elsewhere_is_found() -> None:
    """A version's handle that does not come back here is another's."""
    (problem,) = check_targets(WORK, FIRST, LEADS_TO, page_url=TWO)

    assert problem.code.value == "version_target"
    assert problem.version == "1.0"
    assert str(problem) == (
        "the handle of version 1.0 leads to https://example.org/1.0/, and not to this "
        "page, https://example.org/2.0/; have 1234/first lead to https://example.org/2.0/"
    )


def test_declared_address_is_as_good() -> None:
    """What the author says is where it is published, is right."""
    latest = "https://example.org/latest/"
    work = replace(WORK, url=latest)
    this = replace(FIRST, url="https://archive.example.org/1")
    leads_to = {**LEADS_TO, WHOLE: latest, Handle("1234", "first"): this.url or ""}

    assert check_targets(work, this, leads_to, page_url=ONE) == ()


@pytest.mark.parametrize(
    "leads_to", [{}, {WHOLE: ONE}, {Handle("1234", "second"): TWO}]
)
def test_what_is_not_resolved_is_not_judged(leads_to: dict[Handle, str]) -> None:
    """A handle that nobody could ask for raises no alarm."""
    assert check_targets(WORK, FIRST, leads_to, page_url=TWO) == ()
    assert check_targets(WORK, FIRST, LEADS_TO) == ()
    assert check_targets(Work(title="x"), Version(label="1"), LEADS_TO) == ()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://example.org", "https://EXAMPLE.org:443/", True),
        ("https://example.org/a/", "https://example.org/a#b", True),
        ("https://example.org/a/index.htm", "https://example.org/a", True),
        ("https://example.org/index.html", "https://example.org", True),
        ("https://example.org/a?b", "https://example.org/a?c", False),
        ("https://example.org/a", "https://example.org/A", False),
        ("https://example.org:8080/", "https://example.org/", False),
        ("https://example.org/aindex.html", "https://example.org/a", False),
        ("ftp://example.org/a", "https://example.org/a", False),
        ("https://[example.org/", "https://[example.org/", True),
        ("https://example.org:x/", "https://example.org/", False),
    ],
)
def test_addresses_of_one_page(one: str, other: str, *, same: bool) -> None:
    """Spellings of one address are one; other addresses are not."""
    assert same_page(one, other) is same
    assert same_page(other, one) is same


@given(st.text(), st.text())
def test_comparing_never_fails(one: str, other: str) -> None:
    """Targets are others' text: whatever it is, it is compared."""
    assert same_page(one, one)
    assert same_page(f"https://{one}", f"https://{other}") is same_page(
        f"https://{other}", f"https://{one}"
    )
