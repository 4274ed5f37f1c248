"""`handle_system.citing.page`: citing from a page's metadata."""

import datetime as dt

import pytest

from handle_system.citing.options import CitationContext, read_options
from handle_system.citing.page import PageCitation, read_front_matter, read_page
from handle_system.citing.values import CitationError

FLAT = {
    "orphan": "",
    "cite-title": "Policy",
    "cite-version": "1.0",
    "cite-creators": "{Rock, Paper}; Plato,",
    "cite-history": "",
    "cite-versions": "0.9\n1.0 | 2007-06-26 | 102.100.272/0N8J991QH",
}


@pytest.mark.parametrize(
    "metadata",
    [
        FLAT,
        {
            "cite": {
                "title": "Policy",
                "version": "1.0",
                "creators": ["{Rock, Paper}", "Plato,"],
                "history": True,
                "versions": ["0.9", "1.0 | 2007-06-26 | 102.100.272/0N8J991QH"],
            }
        },
        {
            "cite": '{"title": "Policy", "version": "1.0", "history": null}',
            "cite-creators": '["{Rock, Paper}", "Plato,"]',
            "cite-versions": '["0.9", "1.0 | 2007-06-26 | 102.100.272/0N8J991QH"]',
        },
    ],
    ids=["fields", "front matter", "front matter as Sphinx keeps it"],
)
def test_metadata_say_what_the_directive_says(metadata: dict[str, object]) -> None:
    """Field lists and front matter give one result, that of the directive."""
    page = read_page(metadata)

    request = read_options(page.options, page.body, CitationContext(places=page.places))

    assert request == read_options(
        {
            "title": "Policy",
            "version": "1.0",
            "creators": "{Rock, Paper}; Plato,",
            "history": "",
        },
        [(1, "0.9"), (2, "1.0 | 2007-06-26 | 102.100.272/0N8J991QH")],
    )
    assert page.label == "1.0"


def test_page_that_says_nothing() -> None:
    """Other metadata, and text that only looks like a table, are passed over."""
    assert read_page({"author": "x", "cite": "{no: json}", "n": 1}) == PageCitation()
    assert read_page({}).label is None


def test_values_of_front_matter_become_text() -> None:
    """Dates, flags and lists are written as the directive has them."""
    page = read_page(
        {
            "cite-date": dt.date(2007, 6, 26),
            "cite-uris": False,
            "cite-formats": ["ris", "bibtex"],
        }
    )

    assert page.options == {"date": "2007-06-26", "uris": "no", "formats": "ris bibtex"}


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (
            {"cite-version": 1.1},
            (
                "cite-version: "
                'text is expected here, not a number: write "1.1" in quotes'
            ),
        ),
        ({"cite": {"title": ["x"]}}, "cite.title: text is expected here"),
        ({"cite-creators": [["x"]]}, "cite-creators[0]: text is expected here"),
        (
            {"cite-date": dt.datetime(2007, 6, 26, tzinfo=dt.UTC)},
            "cite-date: text is expected here",
        ),
        (
            {"cite-titel": "x"},
            (
                "cite-titel: no such option; there are source, title, work, version, date, "
                "handle, changes, creators, publisher, kind, license, language, url, "
                "formats, history, uris, reference, versions"
            ),
        ),
    ],
)
def test_error_page(metadata: dict[str, object], message: str) -> None:
    """What is no text, or no option, is named as the page has it."""
    with pytest.raises(CitationError) as caught:
        read_page(metadata)

    assert str(caught.value) == message


def test_error_in_a_value_is_named_as_the_page_has_it() -> None:
    """A wrong date in the metadata is not said to be the directive's."""
    page = read_page({"cite-title": "x", "cite": {"version": "1", "date": "soon"}})

    with pytest.raises(CitationError) as caught:
        read_options(page.options, page.body, CitationContext(places=page.places))

    assert str(caught.value) == (
        "cite.date: a date is written 2007-06-26 (year, month, day), not 'soon'"
    )


def test_front_matter_is_metadata() -> None:
    """What a page's front matter says of citing is what `read_page` takes."""
    metadata = read_front_matter(
        'title: A page\ncite-title: A work\ncite:\n  version: "1.10"\n'
        "  date: 2007-06-26\n  creators: [A, B]\n1: 2\n"
    )

    assert read_page(metadata).options == {
        "title": "A work",
        "version": "1.10",
        "date": "2007-06-26",
        "creators": "A; B",
    }


@pytest.mark.parametrize("text", ["", "title: x", "- cite", "cite", ": : : no"])
def test_front_matter_that_says_nothing(text: str) -> None:
    """Other front matter, even none at all, is no citation and no error."""
    assert read_page(read_front_matter(text)).options == {}


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (
            "a: b\ncite-title: 'x",
            "front matter: this is no YAML: found unexpected end of stream",
            2,
        ),
        (
            "cite-date: 2007-13-45",
            "front matter: this is no YAML: month must be in 1..12",
            None,
        ),
        (
            "cite: &a0 {x: 1, y: 2}\n"
            + "".join(
                f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 60)
            ),
            "front matter: this is no YAML: too much is merged",
            14,
        ),
        ("cite: " + "[" * 5000, "front matter: it is nested too deep", None),
        (
            "cite: " + "x" * 100_000,
            "front matter: 100006 characters are too many for front matter",
            None,
        ),
    ],
)
def test_front_matter_that_is_no_yaml(
    text: str, message: str, line: int | None
) -> None:
    """The error has its line, where YAML's reader knows it."""
    with pytest.raises(CitationError) as caught:
        read_front_matter(text)

    assert (str(caught.value), caught.value.line) == (message, line)
