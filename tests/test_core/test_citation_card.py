"""The card: its texts, its order, its HTML."""

import json
import pickle
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handle_system.citing.card import (
    LABELS,
    Card,
    Display,
    Text,
    from_plain,
    make_card,
    to_plain,
)
from handle_system.citing.card_html import card_html
from handle_system.citing.citation import Citation
from handle_system.citing.formats import CitationFormat
from handle_system.citing.style import Date, Described, Run, plain_text
from handle_system.citing.work import Creator, Version, Work
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.reference import HandleReference
from tests.strategies import handles

FIRST = Version(
    label="1.0",
    date=Date(2007, 6, 26),
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


def card(version: Version, work: Work = WORK, **shown: Any) -> Card:
    """The card of a version."""
    return make_card(Citation(work=work, version=version), Display(**shown))


def links(content: Text) -> list[str]:
    """The targets of the links of a line."""
    return [run.href for run in content if run.href]


def statements(made: Card) -> list[tuple[str, list[str]]]:
    """The statements as a reader reads them."""
    return [
        (statement["term"], [plain_text(line) for line in statement["descriptions"]])
        for statement in made["statements"]
    ]


def test_card_says_how_to_cite_version_and_work() -> None:
    """PILIN's two statements come in its words, with the whole reference and the work's
    address; the reference can be left out, and formats come in the order given."""
    made = card(FIRST)

    assert made["labels"]["title"] == "Cite this version"
    assert statements(made) == [
        (
            "To cite this version of this work, use",
            [f"Carberry, Josiah (2007). Policy. Version 1.0. Monash University. {OWN}"],
        ),
        ("To cite the latest version of this work use", [LATEST]),
    ]
    assert made["statements"][0]["descriptions"][0][1] == Run("Policy", ("i",))
    assert (made["about"], made["formats"], made["history"]) == ([], [], [])
    other = card(
        FIRST, reference=False, formats=(CitationFormat.RIS, CitationFormat.CFF)
    )
    assert statements(other)[0][1] == [OWN]
    assert [exported["heading"] for exported in other["formats"]] == [
        "RIS",
        "CITATION.cff",
    ]
    assert other["formats"][0]["text"].startswith("TY  - GEN\n")


def test_reference_is_never_shortened() -> None:
    """A reader copies every creator."""
    names = [f"Name {number}" for number in range(12)]
    work = replace(WORK, creators=tuple(Creator(name=name) for name in names))

    assert statements(card(FIRST, work))[0][1][0].startswith("; ".join(names))


def test_each_address_is_linked_once() -> None:
    """The address of this version stands in the reference, and that of the work below;
    the history has the addresses of the other versions."""
    made = card(FIRST, history=True, uris=True)
    lines = [
        *(line for each in made["statements"] for line in each["descriptions"]),
        *(row["identifier"] for row in made["history"]),
    ]

    targets = [target for line in lines for target in links(line)]
    assert targets == [OWN, LATEST, "https://hdl.handle.net/1/two"]


def test_notice_on_an_old_version() -> None:
    """Versions before the latest that has a handle are old."""
    assert card(FIRST)["notice"] == [
        Run("You are reading an old version; the latest is "),
        Run(LATEST, href=LATEST, classes=("hdl",)),
    ]
    assert card(SECOND)["notice"] == []
    assert card(DRAFT)["notice"] == []
    assert card(FIRST, replace(WORK, handle=None))["notice"] == []


def test_uris_stand_below_links() -> None:
    """PILIN's policy asks for both encodings of a handle."""
    version, work = card(FIRST, reference=False, uris=True)["statements"]

    assert version["descriptions"][1] == [
        Run("hdl:102.100.272/0N8J991QH", classes=("hdl",))
    ]
    assert work["descriptions"][1] == [
        Run("hdl:102.100.272/Y35XYS0QH", classes=("hdl",))
    ]


def test_more_about_the_work() -> None:
    """Licence, copyright, contact and PDF are shown on request, as far as they are
    known; only addresses of http and https are links."""
    pdf = "https://example.org/policy.pdf"
    work = replace(
        WORK,
        license="cc-by-sa-2.5",
        copyright="© Monash University",
        contact="policy@example.org",
    )
    version = replace(FIRST, pdf=pdf)

    assert card(version, work)["about"] == []
    about = card(version, work, about=True)["about"]
    assert [(each["term"], each["descriptions"]) for each in about] == [
        (
            "Licence",
            [[Run("cc-by-sa-2.5", href="https://spdx.org/licenses/CC-BY-SA-2.5")]],
        ),
        ("Copyright", [[Run("© Monash University")]]),
        ("Contact", [[Run("policy@example.org")]]),
        ("PDF", [[Run(pdf, href=pdf)]]),
    ]
    own_terms = card(FIRST, replace(WORK, license="House-Rules"), about=True)["about"]
    assert [each["descriptions"] for each in own_terms] == [[[Run("House-Rules")]]]


def test_history_has_the_newest_version_first() -> None:
    """Its columns are those of PILIN's tables; the version in hand is marked, and not
    linked; identifiers are literal."""
    made = card(FIRST, history=True)

    assert made["columns"] == ["Version", "Date", "Status & changes", "Identifier"]
    assert made["history"] == [
        {
            "label": "2.1",
            "date": "",
            "changes": "",
            "identifier": [Run("not yet assigned")],
            "is_this_version": False,
        },
        {
            "label": "2.0",
            "date": "",
            "changes": "",
            "identifier": [
                Run(
                    "hdl:1/two",
                    href="https://hdl.handle.net/1/two",
                    classes=("hdl",),
                )
            ],
            "is_this_version": False,
        },
        {
            "label": "1.0",
            "date": "2007-06-26",
            "changes": "Initial release to public",
            "identifier": [Run("hdl:102.100.272/0N8J991QH", classes=("hdl",))],
            "is_this_version": True,
        },
    ]


@pytest.mark.parametrize(
    ("url", "page_url", "address"),
    [
        (None, None, ""),
        ("https://e.org/2/", "https://e.org/", "https://e.org/2/"),
        (None, "https://e.org/", "https://e.org/"),
    ],
)
def test_version_without_a_handle(
    url: str | None, page_url: str | None, address: str
) -> None:
    """The card says so, and the reference has the version's address, or else the page's;
    a work without a handle has no statement."""
    draft = replace(DRAFT, url=url)
    made = card(draft, replace(WORK, handle=None), reference=address == "")

    page = ET.fromstring(card_html(made, "c", page_url=page_url))  # noqa: S314 - our own output
    assert [term.text for term in page.iter("dt")] == [
        "This version has no persistent identifier yet"
    ]
    (description,) = page.iter("dd")
    assert "".join(description.itertext()).endswith(address)
    assert [link.get("href") for link in page.iter("a")] == [address] * bool(address)
    assert ("Version 2.1." in "".join(description.itertext())) is (url is None)


def test_card_is_translated() -> None:
    """A catalogue sees whole messages, and may move the identifier or lose its place;
    identifiers are never translated."""
    catalogue = {
        LABELS["cite_latest"]: "Das Werk:",
        LABELS["old_version"]: "Alt; neu ist",
        LABELS["title"]: "Zitieren",
        LABELS["version"]: "Fassung",
        LABELS["not_yet_assigned"]: "noch keine",
    }

    def translated(message: str) -> str:
        return catalogue.get(message, message)

    made = make_card(
        Citation(work=WORK, version=FIRST), Display(history=True), translated
    )

    assert statements(made)[1] == ("Das Werk:", [LATEST])
    assert plain_text(made["notice"]) == f"Alt; neu ist {LATEST}"
    assert (made["labels"]["title"], made["columns"][0]) == ("Zitieren", "Fassung")
    assert "Fassung 1.0." in statements(made)[0][1][0]
    assert plain_text(made["history"][0]["identifier"]) == "noch keine"
    assert made["labels"]["copy_reference"] == "Copy reference"
    assert all("{" not in label for label in made["labels"].values())


def test_card_is_plain_data() -> None:
    """A doctree keeps it without a class of this project, and gives back the same."""
    made = card(
        FIRST, history=True, about=True, uris=True, formats=tuple(CitationFormat)
    )
    plain = to_plain(made)

    assert json.loads(json.dumps(plain)) == plain
    assert b"handle_system" not in pickle.dumps(plain)
    assert from_plain(plain) == made


HOSTILE = st.sampled_from(
    ['"><script>alert(1)</script>', "&amp;<!--", "a ]]> b", "</section>", "' onload='"]
)
WHOLE = Display(history=True, uris=True, about=True, formats=tuple(CitationFormat))


def card_of(handle: Handle, title: str) -> ET.Element:
    """The card of a work with two versions, read as XML."""
    version = Version(label=title, changes=title, handle=handle)
    other = Version(label="other", handle=Handle(handle.prefix, f"x{handle.suffix}"))
    work = Work(
        title=title,
        creators=(Creator(name=title),),
        versions=(version, other),
        copyright=title,
        contact=title,
        license=title,
    )
    card = make_card(Citation(work=work, version=version), WHOLE)
    html = card_html(card, title, name=title)
    return ET.fromstring(html)  # noqa: S314 - our own output


@settings(max_examples=40)
@given(handles, HOSTILE)
def test_text_is_text(handle: Handle, title: str) -> None:
    """The markup is well-formed, and no text becomes an element or an attribute."""
    card = card_of(handle, title)

    allowed = "a caption code dd details div dl dt i p pre section span summary table"
    tags = {element.tag for element in card.iter()}
    assert tags <= {*allowed.split(), "tbody", "td", "th", "thead", "tr", "wbr"}
    assert title in "".join(card.itertext())
    assert not [name for each in card.iter() for name in each.attrib if "on" in name]


@given(handles)
@example(Handle("doiRA", "0"))
def test_address_breaks_after_slashes_of_its_path(handle: Handle) -> None:
    """The text of a link is whole, its host stays with "https://", and each segment but
    the last ends with a slash."""
    other = Handle(handle.prefix, f"x{handle.suffix}")
    for link in card_of(handle, "T").iter("a"):
        segments = [span.text or "" for span in link.iter("span")]
        text = "".join(segments)
        if text.startswith("https:"):
            assert text == link.get("href")
            assert re.fullmatch("https://[^/]+/+", segments[0])
        else:
            # An address is not read back: a proxy may keep it for a page of its own.
            uri = HandleReference.parse(text)
            assert uri.handle in {handle, other}
            assert link.get("href") == DEFAULT_PROXIES.link(uri.handle)
        assert len(link.findall("wbr")) == len(segments) - 1
        assert all(re.fullmatch("[^/].*?/+", segment) for segment in segments[1:-1])


def test_long_segment_may_break() -> None:
    """A segment that may fill a line of a narrow column has a class of its own."""
    card = card_of(Handle.parse("10.1000/a%b/" + "c" * 30), "T")

    link = next(card.iter("a"))
    assert link.get("class") == "hdl doi reference external"
    assert [(each.get("class"), each.text) for each in link.iter("span")] == [
        (None, "https://doi.org/"),
        (None, "10.1000/"),
        (None, "a%25b/"),
        ("hdl-long", "c" * 30),
    ]
    assert "".join(next(card.iter("tr")).itertext()) == (
        "VersionDateStatus & changesIdentifier"
    )


def test_cells_are_divided_where_they_are_copied() -> None:
    """A narrow column stacks the cells of a row, and their texts stay apart."""
    rows = [*card_of(Handle.parse("20.1000/1"), "T").iter("tr")]

    assert [" ".join("".join(row.itertext()).split()) for row in rows[1:]] == [
        "other hdl:20.1000/x1",
        "T this version T hdl:20.1000/1",
    ]


def test_the_article_that_describes_the_work_is_cited_beside_it() -> None:
    """Its reference and its address stand between the version and the work."""
    article = Described(
        type="article-journal",
        title=(Run("Our policy, described"),),
        authors=(Creator.person("Carberry", "Josiah"), Creator(name="The Project")),
        container="Journal of Examples",
        volume="9",
        issue="97",
        pages="6111-6113",
        date=Date(2024),
        handle=Handle("10.5555", "joe.6111"),
    )
    [this, about_it, latest] = statements(card(FIRST, replace(WORK, article=article)))

    assert about_it == (
        "To cite the article that describes this work, use",
        [
            (
                "Carberry, Josiah; The Project (2024). Our policy, described. "
                "Journal of Examples 9(97), 6111–6113. https://doi.org/10.5555/joe.6111"
            )
        ],
    )
    assert this[0] == "To cite this version of this work, use"
    assert latest[0] == "To cite the latest version of this work use"
    at_a_page = article._replace(handle=None, url="https://example.org/a", pages="")
    [_, about_it, _] = statements(card(FIRST, replace(WORK, article=at_a_page)))
    assert about_it[1][0].endswith("Examples 9(97). https://example.org/a")
