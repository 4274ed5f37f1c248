"""The block "cite this version" as tokens.

Only tokens that any renderer knows how to draw: a tag, its attributes, and inline
content.  So no text is ever put into HTML here, and a tree of the tokens has the
structure that a reader sees.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from markdown_it.token import Token

from handle_system.citing.block import HEADINGS, CitationBlock, HistoryRow, Piece
from handle_system.citing.export import CitationExport
from handle_system.citing.formats import CitationFormat
from handle_system.citing.words import Translate, Words
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from mdit_handle.inline import MARKUP, dress
from mdit_handle.links import exact

__all__ = ["cite_tokens"]

_CLASS_OF = {
    Words.OLD_VERSION: "hdl-cite-old",
    Words.CITE_LATEST: "hdl-cite-latest",
    Words.CITE_THIS: "hdl-cite-this",
}
# What a highlighter calls the formats that it knows.
_LANGUAGES = {
    CitationFormat.BIBTEX: "bibtex",
    CitationFormat.CSL_JSON: "json",
    CitationFormat.CFF: "yaml",
}


def cite_tokens(
    block: CitationBlock, translate: Translate, proxies: Proxies, level: int
) -> list[Token]:
    """The whole block.

    ::

        section.hdl-cite[aria-label][role=group][data-copy][data-copied]
            p.hdl-cite-old?  p.hdl-cite-latest  p.hdl-cite-this  p.hdl-cite-reference?
            table.hdl-history?
            details.hdl-format*
    """
    tokens = _Tokens(translate, proxies, level)
    words = {
        "aria_label": translate(Words.TITLE.value),
        # No landmark: a page may have several, and those must have names of their own.
        "role": "group",
        # For a script that adds buttons, where a site has one.
        "data_copy": translate(Words.COPY.value),
        "data_copied": translate(Words.COPIED.value),
    }
    with tokens.element("cite_version", "section", "hdl-cite", **words):
        notice = () if block.notice is None else (block.notice,)
        for statement in (*notice, *block.statements):
            tokens.paragraph(_CLASS_OF[statement.words], statement.pieces(translate))
        if block.cited is not None:
            tokens.paragraph("hdl-cite-reference", block.reference(translate))
        if block.history:
            tokens.history(block.history)
        for export in block.exports:
            tokens.export(export)
    return tokens.made


class _Tokens:
    """Tokens in the making."""

    def __init__(self, translate: Translate, proxies: Proxies, level: int) -> None:
        self.made: list[Token] = []
        self._translate = translate
        self._proxies = proxies
        self._level = level

    @contextmanager
    def element(
        self, name: str, tag: str, css: str = "", **attributes: str
    ) -> Iterator[None]:
        """An element around what is made meanwhile."""
        opening = Token(f"{name}_open", tag, 1, block=True, level=self._level)
        opening.markup = MARKUP
        if css:
            opening.attrs["class"] = css
        for attribute, value in attributes.items():
            opening.attrs[attribute.replace("_", "-")] = value
        self.made.append(opening)
        self._level += 1
        yield
        self._level -= 1
        closing = Token(f"{name}_close", tag, -1, block=True, level=self._level)
        closing.markup = MARKUP
        self.made.append(closing)

    def paragraph(self, css: str, pieces: Iterable[Piece]) -> None:
        """A paragraph of one class."""
        with self.element("paragraph", "p", css):
            self.inline(pieces)

    def history(self, rows: Iterable[HistoryRow]) -> None:
        """The table of versions."""
        with self.element("table", "table", "hdl-history"):
            with self.element("caption", "caption"):
                self.words(Words.HISTORY)
            with self.element("thead", "thead"), self.element("tr", "tr"):
                for heading in HEADINGS:
                    with self.element("th", "th", scope="col"):
                        self.words(heading)
            with self.element("tbody", "tbody"):
                for row in rows:
                    self._row(row)

    def _row(self, row: HistoryRow) -> None:
        label, date, *cells = row.cells(self._translate)
        here = {"aria_current": "true"} if row.is_this else {}
        css = "hdl-this-version" if row.is_this else ""
        with self.element("tr", "tr", css, **here):
            with self.element("th", "th", scope="row"):
                self.inline(label)
            with self.element("td", "td", "hdl-date"):
                self.inline(date)
            for cell in cells:
                with self.element("td", "td"):
                    self.inline(cell)

    def export(self, export: CitationExport) -> None:
        """One format, folded away under its name."""
        with self.element("details", "details", "hdl-format"):
            with self.element("summary", "summary"):
                self.inline([Piece(self._translate(export.format.heading))])
            code = Token("fence", "code", 0, block=True, level=self._level)
            code.content, code.markup = export.text, "```"
            code.info = _LANGUAGES.get(export.format, "text")
            self.made.append(code)

    def words(self, words: Words) -> None:
        """One of the block's own words."""
        self.inline([Piece(self._translate(words.value))])

    def inline(self, pieces: Iterable[Piece]) -> None:
        """Text and links."""
        token = Token("inline", "", 0, block=True, level=self._level, children=[])
        children: list[Token] = []
        for piece in pieces:
            token.content += piece.text
            if piece.href is None:
                # Labels and titles are data: exact, as identifiers are.
                children.append(exact(piece.text, 0))
            else:
                children += self._link(piece.text, piece.href)
        token.children = children
        self.made.append(token)

    def _link(self, text: str, href: str) -> tuple[Token, Token, Token]:
        opening = Token("link_open", "a", 1, attrs={"href": href}, info="auto")
        reference = HandleReference.from_link(href, proxies=self._proxies)
        if reference is not None:
            dress(opening, reference, self._proxies)
        closing = Token("link_close", "a", -1, markup=MARKUP, info="auto")
        return opening, exact(text, 1), closing
