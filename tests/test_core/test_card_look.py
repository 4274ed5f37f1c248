"""How the card looks, as far as it can be told without a browser."""

import re

from handle_system.citing.card import Display, make_card
from handle_system.citing.card_html import (
    SCRIPT,
    STATIC,
    STYLESHEET,
    card_html,
    notice_html,
)
from handle_system.citing.citation import Citation
from handle_system.citing.formats import CitationFormat
from handle_system.citing.style import Date, Described, Run
from handle_system.citing.work import Creator, Version, Work
from handle_system.handle import Handle

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
STYLE = _COMMENT.sub("", (STATIC / STYLESHEET).read_text("utf-8"))
CLASS = re.compile(r"\.(hdl-[a-z-]+)")
# A rule with a fixed colour: its selector and the colour.
FIXED = re.compile(r"([^{}]+)\{[^{}]*?(#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([^)]*\))")


def _everything() -> str:
    """The HTML of a card with every part, in a page of an old version."""
    first = Version(
        label="1.0", date=Date(2007, 6, 26), handle=Handle("20.1000", "c" * 30)
    )
    second = Version(label="2.0", handle=Handle("20.1000", "2"), changes="More")
    work = Work(
        title="Policy",
        creators=(Creator.person("Carberry", "Josiah"),),
        handle=Handle("20.1000", "work"),
        versions=(first, second),
        license="CC-BY-4.0",
        article=Described(
            type="article-journal",
            title=(Run("On policies"),),
            handle=Handle("10.5555", "article"),
        ),
    )
    display = Display(
        history=True, uris=True, about=True, formats=tuple(CitationFormat)
    )
    card = make_card(Citation(work=work, version=first), display)
    files = {name.value: ("policy.bib", "policy.bib") for name in CitationFormat}
    html = card_html(card, "cite", files, article_update="<b>Corrected</b>")
    return html + notice_html(card)


def test_each_class_of_the_stylesheet_is_written() -> None:
    """A rule is for a class that the card or its script writes."""
    script = (STATIC / SCRIPT).read_text("utf-8")
    written = {
        *re.findall(r"hdl-[a-z-]+", _everything()),
        *re.findall("hdl-[a-z-]+", script),
    }

    assert {*CLASS.findall(STYLE)} - written == set()


def test_colours_are_those_of_the_theme() -> None:
    """Fixed colours stand on white alone: links of one theme, which are too pale, and paper."""
    fixed = {(selector.strip(), colour) for selector, colour in FIXED.findall(STYLE)}

    assert fixed == {
        (".wy-nav-content .hdl-cite a", "#1f6391"),
        (".hdl-cite", "#888"),
    }
    # The least contrast that WCAG 2.2 asks for, of text and of edges (1.4.3 and 1.4.11).
    assert _contrast_with_white("#1f6391") >= 4.5
    assert _contrast_with_white("#888888") >= 3


def _contrast_with_white(colour: str) -> float:
    """The contrast ratio of a colour on white, as WCAG 2.2 defines it."""
    light = 0.0
    for start, weight in ((1, 0.2126), (3, 0.7152), (5, 0.0722)):
        part = int(colour[start : start + 2], 16) / 255
        is_dark = part <= 0.04045
        light += weight * (part / 12.92 if is_dark else ((part + 0.055) / 1.055) ** 2.4)
    return 1.05 / (light + 0.05)


def test_each_property_of_ours_is_set() -> None:
    """What a rule uses of `--hdl-cite-…` is set on the card, where users change it."""
    used = {*re.findall(r"var\((--hdl-[a-z-]+)", STYLE)}
    set_on_card = {*re.findall(r"(--hdl-[a-z-]+):", STYLE)}

    assert used == set_on_card
