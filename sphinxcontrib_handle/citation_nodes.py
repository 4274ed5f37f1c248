"""The block "cite this version" as docutils nodes: one for each value, no more.

Each kind of node is a docutils node of a narrower sort.  The writers of pages know
them (`citation_writing`); every other writer takes them for what they are a sort of,
and shows the same content.  So does whatever reads the tree as XML: their tags are
those of docutils.

Nothing in a block is for the translators of a document, nor for typography: its
words come from this extension's own catalogue, the rest are identifiers and data.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from docutils import nodes
from docutils.utils import column_width

from handle_system.citing.block import (
    HEADINGS,
    CitationBlock,
    HistoryRow,
    Piece,
    Statement,
)
from handle_system.citing.export import CitationExport
from handle_system.citing.formats import CitationFormat
from handle_system.citing.words import Translate, Words
from handle_system.display import hover
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from sphinxcontrib_handle.links import dress

__all__ = [
    "CiteBlock",
    "FormatBlock",
    "FormatName",
    "FormatText",
    "HeadCell",
    "HistoryName",
    "HistoryTable",
    "LabelCell",
    "Sentence",
    "ThisRow",
    "block_node",
    "notice_node",
]

N = TypeVar("N", bound=nodes.Element)

_CLASS_OF = {
    Words.OLD_VERSION: "hdl-cite-old",
    Words.CITE_LATEST: "hdl-cite-latest",
    Words.CITE_THIS: "hdl-cite-this",
}
#: What a highlighter calls the formats that it knows.
_LANGUAGES = {
    CitationFormat.BIBTEX: "bibtex",
    CitationFormat.CSL_JSON: "json",
    CitationFormat.CFF: "yaml",
}
# Columns of characters that a line of changes may take in plain text.
_WIDEST_CHANGES = 40


class CiteBlock(nodes.container):
    """The whole block; its attributes ``label``, ``copy`` and ``copied`` are words."""

    tagname = "container"


class Sentence(nodes.paragraph):
    """A statement, or the reference: words around an identifier, which stays whole.

    So does an address that is in the place of one.
    """

    tagname = "paragraph"


class HistoryName(nodes.paragraph):
    """What the version history is called, above it.

    No ``title`` of the table: manual pages take the first one for their own, and
    plain text for that of a section.
    """

    tagname = "paragraph"


class HistoryTable(nodes.table):
    """The version history; ``caption`` is what it is called.

    It is not among the numbered tables of a document.
    """

    tagname = "table"


class FormatBlock(nodes.container):
    """A citation in one format; ``format`` is the format's name."""

    tagname = "container"


class FormatName(nodes.paragraph):
    """What a format is called."""

    tagname = "paragraph"


class FormatText(nodes.literal_block):
    """A citation as a file of its format holds it."""

    tagname = "literal_block"


class ThisRow(nodes.row):
    """The row of the version in hand."""

    tagname = "row"


class HeadCell(nodes.entry):
    """What a column is called."""

    tagname = "entry"


class LabelCell(nodes.entry):
    """What a version is called."""

    tagname = "entry"


class _Maker:
    """Makes nodes, in one language."""

    def __init__(self, translate: Translate, proxies: Proxies) -> None:
        self.translate = translate
        self.proxies = proxies

    def block(self) -> CiteBlock:
        """The block without its content."""
        return CiteBlock(
            classes=["hdl-cite"],
            label=str(self.translate(Words.TITLE.value)),
            copy=str(self.translate(Words.COPY.value)),
            copied=str(self.translate(Words.COPIED.value)),
        )

    def statement(self, statement: Statement) -> nodes.paragraph:
        """A sentence about one identifier."""
        pieces = statement.pieces(self.translate)
        return self.sentence(pieces, _CLASS_OF[statement.words])

    def sentence(self, pieces: Iterable[Piece], name: str) -> Sentence:
        """A paragraph of text and links, of a class."""
        return _exempt(Sentence("", "", *self.inline(pieces), classes=[name]))

    def paragraph(self, pieces: Iterable[Piece]) -> nodes.paragraph:
        """A paragraph of text and links in a cell."""
        return _exempt(nodes.paragraph("", "", *self.inline(pieces)))

    def inline(self, pieces: Iterable[Piece]) -> list[nodes.Node]:
        """Text and links."""
        return [
            nodes.Text(piece.text)
            if piece.href is None
            else self.link(piece.text, piece.href)
            for piece in pieces
        ]

    def link(self, text: str, href: str) -> nodes.reference:
        """The link of an identifier."""
        link = nodes.reference("", text, refuri=href, internal=False)
        link["support_smartquotes"] = False
        reference = HandleReference.from_link(href, proxies=self.proxies)
        if reference is not None:
            link["reftitle"] = hover(reference, self.proxies)
            dress(link, reference, self.proxies)
        return link

    def history(self, rows: Sequence[HistoryRow]) -> list[nodes.Element]:
        """The table of versions, and what it is called."""
        cells = [row.cells(self.translate) for row in rows]
        names = [str(self.translate(heading.value)) for heading in HEADINGS]
        group = nodes.tgroup(cols=len(names))
        for index, name in enumerate(names):
            texts = [name, *("".join(p.text for p in row[index]) for row in cells)]
            width = max(map(column_width, texts))
            if HEADINGS[index] is Words.CHANGES:
                width = min(width, _WIDEST_CHANGES)
            # The text builder breaks what is wider, identifiers too.
            group += nodes.colspec(colwidth=width)
        head = nodes.row()
        head.extend(HeadCell("", self.paragraph([Piece(name)])) for name in names)
        group += nodes.thead("", head)
        body = nodes.tbody()
        for row in rows:
            body += self.row(row)
        group += body
        name = str(self.translate(Words.HISTORY.value))
        table = HistoryTable("", group, classes=["hdl-history", "colwidths-auto"])
        table["caption"] = name
        return [_exempt(HistoryName("", name)), table]

    def row(self, row: HistoryRow) -> nodes.row:
        """One version of it."""
        label, date, *others = row.cells(self.translate)
        found = ThisRow(classes=["hdl-this-version"]) if row.is_this else nodes.row()
        found += LabelCell("", self.paragraph(label))
        found += nodes.entry("", self.paragraph(date), classes=["hdl-date"])
        found.extend(nodes.entry("", self.paragraph(cell)) for cell in others)
        return found

    def format(self, export: CitationExport) -> FormatBlock:
        """A citation in one format."""
        found = FormatBlock(classes=["hdl-format"], format=export.format.value)
        name = self.translate(export.format.heading)
        found += _exempt(FormatName("", name))
        # Literal blocks have no line's end at theirs.
        content = export.text.removesuffix("\n")
        text = FormatText(content, content)
        text["language"] = _LANGUAGES.get(export.format, "text")
        # Names of people need not be what a highlighter takes for a name.
        text["force"] = True
        found += text
        return found


def block_node(
    block: CitationBlock, translate: Translate, proxies: Proxies
) -> CiteBlock:
    """The whole block."""
    maker = _Maker(translate, proxies)
    found = maker.block()
    notice = () if block.notice is None else (block.notice,)
    found.extend(maker.statement(each) for each in (*notice, *block.statements))
    if block.cited is not None:
        found += maker.sentence(block.reference(translate), "hdl-cite-reference")
    if block.history:
        found.extend(maker.history(block.history))
    found.extend(maker.format(export) for export in block.exports)
    return found


def notice_node(
    notice: Statement, translate: Translate, proxies: Proxies
) -> nodes.paragraph:
    """The notice alone that this is an old version, for the top of a page."""
    return _Maker(translate, proxies).statement(notice)


def _exempt(node: N) -> N:
    """A node whose text is neither translated nor set with typographic signs."""
    node["translatable"] = False
    node["support_smartquotes"] = False
    return node
