"""`handle_system.citing.history`: a version a line."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.history import HistoryLine, placed, read_history
from handle_system.citing.values import CitationError, Reading
from handle_system.citing.work import Version, Work
from handle_system.handle import Handle

READING = Reading(environment={})


def test_lines_are_versions() -> None:
    """Columns may be missing at the end; a handle may hold the separator encoded."""
    read = read_history(
        [
            (3, " 0.9 | 2007-05-25 | - | Draft | for comment "),
            (4, "  "),
            (None, "1.0 | | hdl:1234/a%7Cb"),
            (6, "2.0"),
        ],
        READING,
    )

    assert read == (
        HistoryLine(
            Version(
                label="0.9", date=dt.date(2007, 5, 25), changes="Draft | for comment"
            ),
            3,
        ),
        HistoryLine(Version(label="1.0", handle=Handle("1234", "a|b")), None),
        HistoryLine(Version(label="2.0"), 6),
    )


@pytest.mark.parametrize(
    ("label", "labels"),
    [
        ("1.0", ["1.0", "2.0", "Vienna"]),
        ("0.9", ["0.9", "1.0", "2.0", "Vienna"]),
        ("1.5", ["1.0", "1.5", "2.0", "Vienna"]),
        ("3.0", ["1.0", "2.0", "Vienna", "3.0"]),
        ("Rome", ["1.0", "2.0", "Vienna", "Rome"]),
    ],
)
def test_version_takes_its_place(label: str, labels: list[str]) -> None:
    """A version stands in its row, or where its label sorts, or at the end."""
    versions = tuple(Version(label=known) for known in ("1.0", "2.0", "Vienna"))
    this = Version(label=label, changes="this one")

    work = placed(this, Work(title="x", versions=versions))

    assert [version.label for version in work.versions] == labels
    assert work.versions[labels.index(label)] is this


@given(st.lists(st.text()))
def test_reading_fails_in_one_way(texts: list[str]) -> None:
    """Whatever lines hold, they are versions, or an error at one of them."""
    lines = list(enumerate(texts))

    try:
        outcome = {row.line for row in read_history(lines, READING)}
    except CitationError as error:
        outcome = {error.line}

    assert outcome <= set(range(len(texts)))
