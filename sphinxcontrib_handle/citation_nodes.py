"""The block "cite this version" as docutils nodes: one for each value, no more."""

from collections.abc import Iterable

from docutils import nodes

from handle_system.citation_block import (
    HEADINGS,
    CitationBlock,
    HistoryRow,
    Piece,
    Statement,
)
from handle_system.citation_words import Translate, Words

__all__ = ["block_node"]

# Relative widths of the columns of the history: see HEADINGS.
_WIDTHS = (10, 15, 40, 35)
_CLASS_OF = {
    Words.OLD_VERSION: "hdl-cite-old",
    Words.CITE_LATEST: "hdl-cite-latest",
    Words.CITE_THIS: "hdl-cite-this",
}


def block_node(block: CitationBlock, translate: Translate) -> nodes.container:
    """The whole block.

    Nothing in it is for the translators of the document: its words come from
    this extension's own catalogue, the rest are identifiers and data.
    """
    container = nodes.container(classes=["hdl-cite"])
    statements = [] if block.notice is None else [block.notice]
    for statement in (*statements, *block.statements):
        container += _paragraph(statement, translate)
    if block.history:
        container += _history(block.history, translate)
    return container


def _paragraph(statement: Statement, translate: Translate) -> nodes.paragraph:
    paragraph = nodes.paragraph(classes=[_CLASS_OF[statement.words]])
    paragraph["translatable"] = False
    paragraph.extend(_inline(statement.pieces(translate)))
    return paragraph


def _inline(pieces: Iterable[Piece]) -> list[nodes.Node]:
    found: list[nodes.Node] = []
    for piece in pieces:
        if piece.href is None:
            found.append(nodes.Text(piece.text))
            continue
        link = nodes.reference("", piece.text, refuri=piece.href, internal=False)
        link["support_smartquotes"] = False
        found.append(link)
    return found


def _history(rows: Iterable[HistoryRow], translate: Translate) -> nodes.table:
    group = nodes.tgroup(cols=len(HEADINGS))
    group.extend(nodes.colspec(colwidth=width) for width in _WIDTHS)
    head = nodes.row()
    for heading in HEADINGS:
        head += _entry([nodes.Text(translate(heading.value))])
    group += nodes.thead("", head)
    body = nodes.tbody()
    for row in rows:
        cells = nodes.row(classes=["hdl-this-version"] if row.is_this else [])
        cells.extend(_entry(_inline(cell)) for cell in row.cells(translate))
        body += cells
    group += body
    title = nodes.title("", translate(Words.HISTORY.value))
    title["translatable"] = False
    return nodes.table("", title, group, classes=["hdl-history"])


def _entry(content: Iterable[nodes.Node]) -> nodes.entry:
    paragraph = nodes.paragraph("", "", *content)
    paragraph["translatable"] = False
    return nodes.entry("", paragraph)
