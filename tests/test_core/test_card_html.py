"""The HTML of a card, whatever its texts and identifiers are."""

import re
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.card import make_card
from handle_system.citing.card_html import card_html
from handle_system.citing.citation import Citation, CitationFormat, Display
from handle_system.citing.work import Creator, Version, Work
from handle_system.handle import Handle
from tests.strategies import handles

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
