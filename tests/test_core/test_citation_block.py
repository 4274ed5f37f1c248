"""`handle_system.citing.block`: what the block says."""

import datetime as dt

from handle_system.citing.block import (
    HEADINGS,
    Display,
    Piece,
    citation_block,
)
from handle_system.citing.work import Version, Work
from handle_system.handle import Handle
from handle_system.proxies import Proxies

WORK_LINK = "https://hdl.handle.net/102.100.272/Y35XYS0QH"
THIS_LINK = "https://hdl.handle.net/102.100.272/0N8J991QH"
FIRST = Version(
    label="1.0",
    date=dt.date(2007, 6, 26),
    changes="Initial release to public",
    handle=Handle.parse("102.100.272/0N8J991QH"),
)
POLICY = Work(
    title="Handle Suffix Format Policy",
    handle=Handle.parse("102.100.272/Y35XYS0QH"),
    versions=(FIRST,),
)


def said(pieces: tuple[Piece, ...]) -> str:
    """The text that a reader sees."""
    return "".join(piece.text for piece in pieces)


def test_statements_stand_in_the_order_and_words_of_the_policy() -> None:
    """The latest version first, then this one, each with its link."""
    block = citation_block(POLICY, FIRST)

    assert block.notice is None
    assert block.history == ()
    assert [statement.pieces() for statement in block.statements] == [
        (
            Piece("To cite the latest version of this work use "),
            Piece(WORK_LINK, WORK_LINK),
        ),
        (Piece("To cite this version of this work, use "), Piece(THIS_LINK, THIS_LINK)),
    ]


def test_uri_stands_beside_the_link_where_asked() -> None:
    """Both encodings of a handle are shown, and both lead to the proxy."""
    block = citation_block(POLICY, FIRST, Display(uris=True))

    pieces = block.statements[1].pieces()
    assert said(pieces) == (
        "To cite this version of this work, use "
        f"{THIS_LINK} (hdl:102.100.272/0N8J991QH)"
    )
    assert [piece.href for piece in pieces] == [None, THIS_LINK, None, THIS_LINK, None]


def test_doi_is_shown_as_doi() -> None:
    """A DOI has its own proxy and its own URI."""
    version = Version(label="1", handle=Handle.parse("10.1000/a<b>"))

    block = citation_block(POLICY, version, Display(uris=True))

    assert said(block.statements[1].pieces()) == (
        "To cite this version of this work, use "
        "https://doi.org/10.1000/a%3Cb%3E (doi:10.1000/a%3Cb%3E)"
    )


def test_links_go_where_the_proxies_say() -> None:
    """An institution's own proxy carries its handles."""
    own = Proxies({"102.100.272": "https://resolver.example.org/hdl"})

    block = citation_block(POLICY, FIRST, proxies=own)

    assert said(block.statements[0].pieces()) == (
        "To cite the latest version of this work use "
        "https://resolver.example.org/hdl/102.100.272/Y35XYS0QH"
    )


def test_handle_not_yet_assigned_is_said_in_its_place() -> None:
    """Neither statement is ever left out."""
    block = citation_block(Work(title="Draft"), Version(label="0.1"))

    assert [said(statement.pieces()) for statement in block.statements] == [
        "To cite the latest version of this work use not yet assigned",
        "To cite this version of this work, use not yet assigned",
    ]


def test_history_has_a_row_for_each_version() -> None:
    """Columns and cells are those of PILIN's tables; this version is marked."""
    work = POLICY.with_versions(
        FIRST, Version(label="2.0", date=None, changes="", handle=None)
    )

    block = citation_block(work, FIRST, Display(history=True))

    assert [heading.value for heading in HEADINGS] == [
        "Version",
        "Date",
        "Status & changes",
        "Identifier",
    ]
    assert [[said(cell) for cell in row.cells()] for row in block.history] == [
        ["1.0", "2007-06-26", "Initial release to public", THIS_LINK],
        ["2.0", "", "", "not yet assigned"],
    ]
    assert [row.is_this for row in block.history] == [True, False]


def test_old_version_leads_to_the_latest_by_the_works_handle() -> None:
    """The notice follows the work, so it stays true after the next release."""
    second = Version(label="2.0", handle=Handle.parse("102.100.272/SECOND001"))
    work = POLICY.with_versions(FIRST, second)

    notice = citation_block(work, FIRST).notice

    assert notice is not None
    assert said(notice.pieces()) == (
        f"You are reading an old version; the latest is {WORK_LINK}"
    )
    assert citation_block(work, second).notice is None


def test_words_are_translated_and_identifiers_are_not() -> None:
    """Only the words pass through the catalogue."""
    seen: list[str] = []

    def upper(message: str) -> str:
        seen.append(message)
        return message.upper().replace("{IDENTIFIER}", "{identifier}")

    block = citation_block(POLICY, Version(label="1.0"), Display(history=True))
    pieces = block.statements[0].pieces(upper) + block.statements[1].pieces(upper)

    assert said(pieces) == (
        f"TO CITE THE LATEST VERSION OF THIS WORK USE {WORK_LINK}"
        "TO CITE THIS VERSION OF THIS WORK, USE NOT YET ASSIGNED"
    )
    assert not any("102.100.272" in message for message in seen)
    assert said(block.history[0].cells(upper)[3]) == THIS_LINK
