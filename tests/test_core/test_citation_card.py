"""The card: its texts, its order, its HTML."""

import datetime as dt
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handle_system.citing.card import LABELS, Card, InlineText, card_html, make_card
from handle_system.citing.citation import Citation, CitationFormat, Display
from handle_system.citing.work import Creator, Version, Work
from handle_system.handle import Handle
from tests.strategies import handles

FIRST = Version(
    label="1.0",
    date=dt.date(2007, 6, 26),
    handle=Handle.parse("102.100.272/0N8J991QH"),
    changes="Initial release to public",
)
SECOND = Version(label="2.0", handle=Handle("1", "two"))
DRAFT = Version(label="2.1")
WORK = Work(
    title="Policy",
    creators=(Creator.person("Carberry", "Josiah"),),
    publisher="Monash University",
    handle=Handle.parse("102.100.272/Y35XYS0QH"),
    versions=(FIRST, SECOND, DRAFT),
)
LATEST = "https://hdl.handle.net/102.100.272/Y35XYS0QH"
OWN = "https://hdl.handle.net/102.100.272/0N8J991QH"


def card(
    version: Version, work: Work = WORK, page_url: str | None = None, **shown: object
) -> Card:
    """The card of a version."""
    display = Display(**shown)  # type: ignore[arg-type] # as the test has it
    citation = Citation(work=work, version=version, display=display)
    return make_card(citation, page_url=page_url)


def text(content: tuple[InlineText, ...]) -> str:
    """The text that a reader reads."""
    return "".join(part.text for part in content)


def links(content: tuple[InlineText, ...]) -> list[str | None]:
    """The targets of its links."""
    return [part.href for part in content if part.href]


def sentences(made: Card) -> list[str]:
    """The statements as a reader reads them."""
    shown = [made.paragraphs.get(name) for name in ("latest", "this")]
    return [text(content) for content in shown if content]


def test_card_says_how_to_cite_work_and_version() -> None:
    """PILIN's two statements come in its order and words, the reference before them,
    and a notice on an old version; the reference can be left out, and formats come in
    the order given."""
    made = card(FIRST)

    assert made.labels["title"] == "Cite this version"
    assert text(made.paragraphs["reference"]) == (
        f"Carberry, Josiah (2007). Policy. Version 1.0. Monash University. {OWN}"
    )
    assert sentences(made) == [
        f"To cite the latest version of this work use {LATEST}",
        f"To cite this version of this work, use {OWN}",
    ]
    assert [*made.paragraphs] == ["old", "reference", "latest", "this"]
    assert made.paragraphs["old"] == (
        InlineText("You are reading an old version; the latest is "),
        InlineText(LATEST, LATEST, "hdl:102.100.272/Y35XYS0QH"),
    )
    assert "old" not in card(SECOND).paragraphs
    assert (made.formats, made.history) == ((), ())
    other = card(
        FIRST, reference=False, formats=(CitationFormat.RIS, CitationFormat.CFF)
    )
    assert [*other.paragraphs] == ["old", "latest", "this"]
    assert [name for _, name, _ in other.formats] == ["RIS", "CITATION.cff"]
    assert other.formats[0][2].startswith("TY  - GEN\n")


def test_uris_stand_beside_links() -> None:
    """PILIN's policy asks for both encodings of a handle; both lead to one place."""
    latest = card(FIRST, uris=True).paragraphs["latest"]

    assert text(latest) == (
        f"To cite the latest version of this work use {LATEST} "
        "(hdl:102.100.272/Y35XYS0QH)"
    )
    assert links(latest) == [LATEST, LATEST]


def test_history_has_the_newest_version_first() -> None:
    """Its columns are those of PILIN's tables; the version in hand is marked."""
    made = card(FIRST, history=True)

    assert made.columns == ("Version", "Date", "Status & changes", "Identifier")
    assert [tuple(map(text, row)) for row in made.history] == [
        ("2.1", "", "", "not yet assigned"),
        ("2.0", "", "", "https://hdl.handle.net/1/two"),
        ("1.0", "2007-06-26", "Initial release to public", OWN),
    ]
    assert made.this_row == 2


NO_HANDLE = "This version has no persistent identifier yet"


@pytest.mark.parametrize(
    ("url", "page_url", "statement", "hrefs"),
    [
        (None, None, NO_HANDLE, []),
        (
            "https://e.org/2/",
            "https://e.org/",
            f"{NO_HANDLE}; its address is https://e.org/2/",
            ["https://e.org/2/"],
        ),
        (
            None,
            "https://e.org/",
            f"{NO_HANDLE}; its address is https://e.org/",
            ["https://e.org/"],
        ),
    ],
)
def test_version_without_a_handle(
    url: str | None, page_url: str | None, statement: str, hrefs: list[str]
) -> None:
    """The card says so, and gives the version's address, or else the page's; a work
    without a handle has no statement."""
    draft = replace(DRAFT, url=url)
    made = card(draft, page_url=page_url)
    alone = card(draft, replace(WORK, handle=None), page_url)

    assert sentences(made) == [
        f"To cite the latest version of this work use {LATEST}",
        statement,
    ]
    assert links(made.paragraphs["this"]) == hrefs
    assert sentences(alone) == [statement]
    assert text(made.paragraphs["reference"]).startswith(
        "Carberry, Josiah. Policy. Version 2.1."
    )


def test_card_is_translated() -> None:
    """A catalogue sees whole messages, and may move the identifier or lose its place;
    identifiers are never translated."""
    catalogue = {
        LABELS["cite_latest"]: "{identifier} is the latest",
        LABELS["cite_this"]: "Cite this: ",
        LABELS["title"]: "Zitieren",
        LABELS["version"]: "Fassung",
        LABELS["not_yet_assigned"]: "noch keine",
    }
    display = Display(history=True)
    made = make_card(
        Citation(work=WORK, version=FIRST, display=display),
        lambda message: catalogue.get(message, message),
    )

    assert sentences(made) == [f"{LATEST} is the latest", f"Cite this: {OWN}"]
    assert (made.labels["title"], made.columns[0]) == ("Zitieren", "Fassung")
    assert "Fassung 1.0." in text(made.paragraphs["reference"])
    assert text(made.history[0][-1]) == "noch keine"
    assert made.labels["copy"] == "Copy"
    assert all("{" not in label for label in made.labels.values())


HOSTILE = st.sampled_from(
    ['"><script>alert(1)</script>', "&amp;<!--", "a ]]> b", "</section>", "' onload='"]
)
WHOLE = Display(history=True, uris=True, formats=tuple(CitationFormat))


def card_of(handle: Handle, title: str, *, uris: bool = True) -> ET.Element:
    """The card of a work with one version, read as XML."""
    version = Version(label=title, changes=title, handle=handle)
    creators = (Creator(name=title),)
    work = Work(title=title, creators=creators, versions=(version,))
    display = WHOLE if uris else Display(history=True)
    card = make_card(Citation(work=work, version=version, display=display))
    return ET.fromstring(card_html(card, title, group=title))  # noqa: S314 - our own output


@settings(max_examples=40)
@given(handles, HOSTILE)
def test_text_is_text(handle: Handle, title: str) -> None:
    """The markup is well-formed, and no text becomes an element or an attribute."""
    card = card_of(handle, title)

    allowed = "a badge caption cite code details div p pre section span summary table"
    tags = {element.tag for element in card.iter()}
    assert tags <= {*allowed.split(), "tbody", "td", "th", "thead", "tr", "wbr"}
    assert title in "".join(card.itertext())
    assert not [name for each in card.iter() for name in each.attrib if "on" in name]


@given(handles)
def test_address_breaks_after_slashes_only(handle: Handle) -> None:
    """The text of a link is its address, in segments that end with a slash."""
    for link in card_of(handle, "T", uris=False).iter("a"):
        segments = [span.text or "" for span in link.iter("span")]
        assert "".join(segments) == link.get("href")
        assert len(link.findall("wbr")) == len(segments) - 1
        assert all(re.fullmatch("[^/]*/+", segment) for segment in segments[:-1])


def test_narrow_column_shows_the_uri() -> None:
    """The stylesheet replaces the address of the proxy by the scheme."""
    card = card_of(Handle.parse("10.1000/a%b/" + "c" * 30), "T")

    link = next(card.iter("a"))
    assert link.get("data-scheme") == "doi:"
    assert [(each.get("class"), each.text) for each in link.iter("span")] == [
        ("hdl-base", "https://"),
        ("hdl-base", "doi.org/"),
        ("hdl-segment", "10.1000/"),
        ("hdl-segment", "a%25b/"),
        ("hdl-segment hdl-long", "c" * 30),
    ]
    seconds = [e for e in card.iter("span") if e.get("class") == "hdl-second"]
    assert {"".join(each.itertext()) for each in seconds} == {
        f" (doi:10.1000/a%25b/{'c' * 30})"
    }
