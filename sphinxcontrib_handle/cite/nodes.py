"""The card as docutils nodes.

HTML writes the card as a whole (`html`).  Every other builder writes the children of
its node, which are nodes of docutils.  No text of a card is translated with its page,
nor set with typographic signs: it comes from this extension's own catalogue, and the
rest are identifiers and data.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from docutils import nodes
from docutils.utils import column_width

from handle_system.citing.card import LANGUAGES, Card, InlineText, Label, Text
from handle_system.citing.citation import Citation
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from sphinxcontrib_handle.links import dress

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.latex import LaTeXTranslator
    from sphinx.writers.manpage import ManualPageTranslator
    from sphinx.writers.texinfo import TexinfoTranslator

__all__ = ["CardNode", "card_content", "notice_node", "setup_nodes"]

N = TypeVar("N", bound=nodes.Element)
#: The functions that a writer calls before and after a node.
Visitors: TypeAlias = tuple[
    Callable[[Any, Any], None], Callable[[Any, Any], None] | None
]

# The class of a citation for reference managers.
_FORMAT = "hdl-format"
# Columns of characters that a line of changes may take in plain text.
_WIDEST_CHANGES = 40
# Labels and dates do not break; changes and identifiers share the rest.
_LATEX_COLUMNS = "llLL"
# Addresses are long words, so lines are not justified, and break after hyphens too.
_LATEX_SETTING = (
    "\\raggedright"
    "\\expandafter\\def\\expandafter\\UrlBreaks\\expandafter{\\UrlBreaks\\do\\-}%\n"
)


class CardNode(nodes.container):
    """The card; ``docname`` and ``number`` name it in the domain."""

    tagname = "container"


def card_content(card: Card, cited: Citation) -> Iterator[nodes.Element]:
    """The content of a card, in its order."""
    where = cited.proxies
    for content in card.paragraphs.values():
        yield _paragraph(content, where)
    for form, exported in card.formats:
        name = card.format_name(form)
        yield _exempt(nodes.paragraph("", name, classes=[_FORMAT]))
        text = exported.removesuffix("\n")
        # Names of people need not be names to a highlighter.
        language = LANGUAGES.get(form, "text")
        yield nodes.literal_block(
            text, text, language=language, force=True, classes=[_FORMAT]
        )
    if card.history:
        # No title of the table: manual pages take the first one for their own.
        yield _exempt(nodes.paragraph("", card.labels[Label.HISTORY]))
        yield _history(card, where)


def notice_node(notice: Text, proxies: Proxies) -> nodes.paragraph:
    """The notice alone, for the top of a page."""
    node = _paragraph(notice, proxies)
    node["classes"].append("hdl-cite-old")
    return node


def _paragraph(content: Iterable[InlineText], proxies: Proxies) -> nodes.paragraph:
    inline = (_link_or_text(each, proxies) for each in content)
    return _exempt(nodes.paragraph("", "", *inline))


def _link_or_text(each: InlineText, proxies: Proxies) -> nodes.Node:
    if each.href is None:
        return nodes.Text(each.text)
    link = nodes.reference("", each.text, refuri=each.href, internal=False)
    link["support_smartquotes"] = False
    reference = HandleReference.from_link(each.href, proxies=proxies)
    if reference is not None:
        dress(link, reference, proxies)
    return link


def _history(card: Card, proxies: Proxies) -> nodes.table:
    rows = [row.cells for row in card.history]
    group = nodes.tgroup(cols=len(card.columns))
    for index, heading in enumerate(card.columns):
        texts = [heading, *("".join(e.text for e in row[index]) for row in rows)]
        width = max(map(column_width, texts))
        if heading == card.labels[Label.CHANGES]:
            width = min(width, _WIDEST_CHANGES)
        # The text builder breaks words that are wider, identifiers too.
        group += nodes.colspec(colwidth=width)
    headings = [[InlineText(heading)] for heading in card.columns]
    group += nodes.thead("", _row(headings, proxies))
    group += nodes.tbody("", *(_row(row, proxies) for row in rows))
    return nodes.table("", group, classes=["colwidths-auto"])


def _row(cells: Iterable[Iterable[InlineText]], proxies: Proxies) -> nodes.row:
    return nodes.row(
        "", *(nodes.entry("", _paragraph(cell, proxies)) for cell in cells)
    )


def _exempt(node: N) -> N:
    """A node whose text is neither translated nor set with typographic signs."""
    node["translatable"] = False
    node["support_smartquotes"] = False
    return node


def _is_format(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Element) and _FORMAT in node["classes"]


def _visit_latex(writer: "LaTeXTranslator", node: CardNode) -> None:
    # Nobody copies a citation from paper for a reference manager.
    for each in list(node.findall(_is_format)):
        node.remove(each)
    writer.visit_container(node)
    writer.body.append(writer.hypertarget_to(node, anchor=True))
    writer.body.append(_LATEX_SETTING)
    if node.next_node(nodes.table):
        writer.next_table_colspec = _LATEX_COLUMNS


def _depart_latex(writer: "LaTeXTranslator", node: CardNode) -> None:
    # A setting of paragraphs must hold until they end.
    writer.body.append("\n\\par\n")
    writer.depart_container(node)


def _visit_texinfo(writer: "TexinfoTranslator", node: CardNode) -> None:
    for anchor in node["ids"]:
        writer.add_anchor(anchor, node)


def _visit_man(writer: "ManualPageTranslator", _node: CardNode) -> None:
    # The writer does not set the first paragraph of a container apart.
    writer.ensure_eol()
    writer.body.append(".sp\n")


def _depart(_writer: object, _node: CardNode) -> None:
    """Nothing ends a container here."""


def setup_nodes(app: "Sphinx", html: Visitors) -> None:
    """Register the card with the writers that do more than write its content.

    Args:
        app: The application.
        html: The visitors for HTML.
    """
    app.add_node(
        CardNode,
        html=html,
        latex=(_visit_latex, _depart_latex),
        texinfo=(_visit_texinfo, _depart),
        man=(_visit_man, _depart),
    )
