"""`handle_system.citing.cited`: what all formats say of a version."""

import datetime as dt
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.cited import Cited, distinct_handles, slug
from handle_system.citing.work import Creator, Version, Work
from handle_system.handle import Handle
from handle_system.proxies import Proxies

WORK = Work(title="Policy", creators=(Creator.person("Nguyễn", "Văn A"),))


def test_only_a_doi_is_a_doi() -> None:
    """A handle is never given out as a DOI; both have their link."""
    handle = Cited(work=WORK, version=Version(label="1", handle=Handle("1234", "5")))
    doi = Cited(work=WORK, version=Version(label="1", handle=Handle("10.1000", "5")))

    assert (handle.doi, handle.url) == (None, "https://hdl.handle.net/1234/5")
    assert (doi.doi, doi.url) == ("10.1000/5", "https://doi.org/10.1000/5")


def test_link_goes_where_the_proxies_say() -> None:
    """A configured proxy's link is the one that is cited."""
    version = Version(label="1", handle=Handle("1234", "5"))
    proxies = Proxies({"1234": "https://hdl.example.org/"})

    cited = Cited(work=WORK, version=version, proxies=proxies)

    assert cited.url == "https://hdl.example.org/1234/5"


def test_without_a_handle_the_page_is_cited() -> None:
    """What has no identifier yet has its address, or none."""
    version = Version(label="1", url="https://example.org/1/")

    assert Cited(work=WORK, version=version).url == "https://example.org/1/"
    assert Cited(work=WORK, version=Version(label="1")).url is None


@pytest.mark.parametrize(
    ("work", "version", "key"),
    [
        (WORK, Version(label="V1.0", date=dt.date(2007, 6, 26)), "nguyen-2007-1.0"),
        (Work(title="A title"), Version(label="1 (draft)"), "a-title-1-draft"),
        (
            Work(title="x", creators=(Creator(name="PILIN Project"),)),
            Version(label="2", date=dt.date(999, 1, 1)),
            "pilin-project-0999-2",
        ),
        (Work(title="日本"), Version(label="二"), "work"),
    ],
)
def test_key_is_made_of_the_data(work: Work, version: Version, key: str) -> None:
    """The same data have the same key, in letters that every format holds."""
    assert Cited(work=work, version=version).key == key


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("V1.0", "1.0"),
        ("version 2", "2"),
        ("v.3", "3"),
        ("Vienna", "Vienna"),
        ("1.0 v2", "1.0 v2"),
    ],
)
def test_number_is_the_label_without_the_word(label: str, number: str) -> None:
    """Where a format says "version", the label does not say it again."""
    assert Cited(work=WORK, version=Version(label=label)).number == number


@given(st.text())
def test_slug_is_safe_for_keys_and_file_names(text: str) -> None:
    """A slug has no letter that a file system, a URL or a format would mind."""
    assert re.fullmatch(r"(?:[a-z0-9]|[a-z0-9][a-z0-9.-]*[a-z0-9])?", slug(text))
    assert len(slug(text)) <= 40


def test_each_handle_of_a_citation_is_told_once() -> None:
    """The work's, then that of the version in hand, then those of the history."""
    this = Version(label="2", handle=Handle("10.1000", "b"))
    others = [
        Version(label="1", handle=Handle("10.1000", "a")),
        Version(label="2", handle=Handle("10.1000", "B")),
        Version(label="3"),
    ]
    work = Work(title="Policy", handle=Handle("10.1000", "w"), versions=(*others,))

    assert list(map(str, distinct_handles(work, this))) == [
        *("10.1000/w", "10.1000/b", "10.1000/a"),
    ]
    assert distinct_handles(WORK, Version(label="1")) == []
