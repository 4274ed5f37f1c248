"""`handle_system.citing.people`: names and ORCIDs as authors write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.people import read_creators, read_orcid
from handle_system.citing.values import CitationError
from handle_system.citing.work import Creator


def test_creators_in_a_line() -> None:
    """Persons divide at the comma; bodies, and names in braces, do not divide."""
    line = (
        "Carberry, Josiah <https://orcid.org/0000-0002-1825-0097>; PILIN Project;"
        " {Rock, Paper; Scissors}; Plato,; Nguyễn Văn A (0000-0001-5109-3700);"
        " Monash University (Library)"
    )

    assert read_creators(line, "creators") == (
        Creator.person("Carberry", "Josiah", orcid="0000-0002-1825-0097"),
        Creator(name="PILIN Project"),
        Creator(name="Rock, Paper; Scissors"),
        Creator.person("Plato"),
        Creator(name="Nguyễn Văn A", orcid="0000-0001-5109-3700"),
        Creator(name="Monash University (Library)"),
    )


@pytest.mark.parametrize(
    "written",
    [
        "0000-0002-1694-233X",
        "000000021694233x",
        "https://orcid.org/0000-0002-1694-233X/",
        "ORCID: 0000-0002-1694-233X",
    ],
)
def test_orcid_in_any_spelling(written: str) -> None:
    """An ORCID is read as people write it, and kept as it is defined."""
    assert read_orcid(written, "orcid") == "0000-0002-1694-233X"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", "creators: nothing is written here"),
        (
            ", Josiah",
            (
                "creators: ', Josiah' names nobody: "
                "a creator is written Family, Given or Name"
            ),
        ),
        (
            ";",
            "creators: nobody is named here",
        ),
        (
            "A <0000-0002-1825-0098>",
            "creators: '0000-0002-1825-0098' is no ORCID: its check digit is wrong",
        ),
        (
            "A <someone@example.org>",
            (
                "creators: 'someone@example.org' is no ORCID: "
                "it is written 0000-0000-0000-0000"
            ),
        ),
    ],
)
def test_error_creators(written: str, message: str) -> None:
    """Who cannot be named is an error at the place of the line."""
    with pytest.raises(CitationError) as caught:
        read_creators(written, "creators")

    assert str(caught.value) == message


@pytest.mark.parametrize("unit", ["(", "<a", "{", "(1"])
def test_long_lines_are_read_in_linear_time(unit: str) -> None:
    """A line that would take minutes in quadratic time is read at once."""
    (creator,) = read_creators(unit * 2_000_000, "creators")

    assert creator.name == unit * 2_000_000


@given(st.text())
def test_reading_creators_fails_in_one_way(text: str) -> None:
    """Whatever is written, there is somebody, or a located error."""
    try:
        outcome: object = read_creators(text, "creators")
    except CitationError as error:
        outcome = error.where

    assert outcome == "creators" or isinstance(outcome, tuple)
    assert outcome
