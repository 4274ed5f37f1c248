"""Citations in running text, and what a list calls its works."""

import pytest

from handle_system.citing.in_text_style import (
    CitingStyle,
    Label,
    citation_text,
    letters,
    letters_of_years,
)
from handle_system.citing.style import (
    Date,
    Described,
    Name,
    Run,
    plain_text,
    with_letter,
)
from handle_system.describing.described_work import DescribedWork
from handle_system.handle import Handle

KAHN = Described(
    authors=(Name.person("Kahn", "Robert"), Name.person("Wilensky", "Robert")),
    date=Date(2006),
)
UNDATED = KAHN._replace(date=None)
TITLED = Described(title=(Run("On tea urns."),), date=Date(2021))


@pytest.mark.parametrize(
    ("item", "label", "style", "locator", "text"),
    [
        (KAHN, Label(), "narrative", "", "Kahn and Wilensky (2006)"),
        (KAHN, Label(1, "b"), "narrative", "", "Kahn and Wilensky (2006b)"),
        (KAHN, Label(), "narrative", "p. 3", "Kahn and Wilensky (2006, p. 3)"),
        (KAHN, Label(), "parenthetical", "", "Kahn and Wilensky, 2006"),
        (
            KAHN,
            Label(1, "a"),
            "parenthetical",
            "p. 3",
            "Kahn and Wilensky, 2006a, p. 3",
        ),
        (UNDATED, Label(), "narrative", "", "Kahn and Wilensky"),
        (UNDATED, Label(1, "a"), "narrative", "p. 3", "Kahn and Wilensky (p. 3)"),
        (TITLED, Label(), "parenthetical", "", "On tea urns, 2021"),
        (KAHN, Label(12, "a"), "number", "", "12"),
        (Described(), Label(12), "number", "p. 3", "12, p. 3"),
        (KAHN, Label(), "number", "p. 3", ""),
        (Described(date=Date(2006)), Label(1), "narrative", "p. 3", ""),
    ],
)
def test_text(
    item: Described, label: Label, style: CitingStyle, locator: str, text: str
) -> None:
    """A citation names names and year, or a number, and the place in the work."""
    assert citation_text(item, label, style, locator=locator) == text


def test_translated_text() -> None:
    """The word between two names is that of the reader."""
    text = citation_text(KAHN, Label(), "narrative", {"and": "und"}.__getitem__)

    assert text == "Kahn und Wilensky (2006)"


def test_letters_of_years() -> None:
    """Works have letters where names and year are alike."""
    roe = KAHN._replace(authors=(Name("Roe"),))

    works = [KAHN, roe, KAHN, UNDATED, UNDATED, Described(), Described()]
    assert [*letters_of_years(works)] == ["a", "", "b", "", "", "", ""]


def test_letters_are_distinct() -> None:
    """There is a letter for each work, however many there are."""
    assert len({letters(index) for index in range(2_000)}) == 2_000


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ((Run("Roe (1984). "), Run("In 1984", ("i",))), "Roe (1984b). In 1984"),
        ((Run("In 1984. Roe, 1984."),), "In 1984. Roe, 1984b."),
        ((Run("IN 1984.", ("b",)), Run(" 1984")), "IN 1984. 1984b"),
        ((Run("Roe, 19841, 11984, 1984"),), "Roe, 19841, 11984, 1984b"),
        ((Run("Roe, no date"),), "Roe, no date"),
    ],
)
def test_letter_in_a_reference(runs: tuple[Run, ...], text: str) -> None:
    """The letter stands behind the first year that is no part of the title."""
    item = Described(title=(Run("In 1984"),), date=Date(1984))

    assert plain_text(with_letter(runs, item, "b")) == text


def test_letter_without_a_year() -> None:
    """A reference without a year has no letter."""
    assert with_letter((Run("Roe."),), Described(), "a") == (Run("Roe."),)


@pytest.mark.parametrize(
    ("custom", "text"),
    [
        ({}, "Roe (1984a). Pots."),
        ({"reference": "Roe, Pots, 1984."}, "Roe, Pots, 1984a."),
    ],
)
def test_letter_of_a_described_work(custom: dict[str, str], text: str) -> None:
    """A list puts its letter into a reference of either style."""
    item = {
        "title": "Pots",
        "author": [{"family": "Roe"}],
        "issued": {"date-parts": [[1984]]},
        "custom": custom,
    }
    work = DescribedWork(Handle.parse("10.1000/a"), item)

    assert plain_text(work.reference(letter="a")) == text
