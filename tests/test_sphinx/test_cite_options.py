"""The options of citing, checked as the others are."""

import pytest

from sphinxcontrib_handle.option_checks import check_items, check_shown, check_text


def test_text_is_text() -> None:
    """A line of text, or none; a number has lost how it was written."""
    assert check_text("1.10") == ("1.10", [])
    assert check_text(None) == (None, [])
    assert check_text(1.1) == (None, ["1.1 is neither text nor None"])
    assert check_text(" ") == (None, ["' ' is neither text nor None"])


def test_what_is_shown_is_known() -> None:
    """Only the entry that is unknown is lost, and the known ones are named."""
    assert check_shown(["history", "histroy", "bibtex", 3]) == (
        ["history", "bibtex"],
        [
            (
                "'histroy' is none of history, uris, reference, bibtex, ris, csl-json, "
                "cff, text"
            ),
            "3 is not text",
        ],
    )
    assert check_shown("history") == (None, ["'history' is not a list"])


@pytest.mark.parametrize("item", ["manual.pdf", "a/b.epub", "https://example.org/a"])
def test_items_are_addresses_or_paths(item: str) -> None:
    """A path in the site, and an address, are items."""
    assert check_items([item]) == ([item], [])


@pytest.mark.parametrize("item", ["/manual.pdf", "javascript:alert(1)", ""])
def test_items_are_nothing_else(item: str) -> None:
    """No other scheme, and no path outside of the site."""
    assert check_items([item]) == (
        [],
        [f"{item!r} is neither an address nor a path in the site"],
    )
