"""The card as nodes of docutils, for every builder but HTML's.

No text of a card is translated with its page, nor set with typographic signs: it comes
from this extension's own catalogue, and the rest are identifiers and data.
"""

from collections.abc import Iterable, Iterator

from docutils import nodes
from docutils.utils import column_width
from sphinx.addnodes import only, tabular_col_spec

from handle_system.citing.card import LANGUAGES, Card, InlineText
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from sphinxcontrib_handle.links import dress

__all__ = ["CardNode", "card_content", "paragraph"]

# Addresses are long words, so lines are not justified, and break after hyphens too.
_BEGIN_LATEX = (
    "\\begingroup\\raggedright"
    "\\expandafter\\def\\expandafter\\UrlBreaks\\expandafter{\\UrlBreaks\\do\\-}%"
)


class CardNode(nodes.container):
    """The card; ``docname`` and ``number`` name it in the domain.

    Until the page is parsed it holds ``directive``, the directive's text in parts.
    """

    tagname = "container"


def card_content(card: Card, proxies: Proxies) -> Iterator[nodes.Element]:
    """The content of a card, in its order."""
    yield nodes.raw("", _BEGIN_LATEX, format="latex")
    for content in card.paragraphs.values():
        yield paragraph(content, proxies)
    for form, name, exported in card.formats:
        text = exported.removesuffix("\n")
        # Names of people need not be names to a highlighter.
        language = LANGUAGES.get(form, "text")
        block = nodes.literal_block(text, text, language=language, force=True)
        # Nobody copies a citation from paper for a reference manager.
        heading = paragraph([InlineText(name)], proxies)
        yield only("", heading, block, expr="not latex")
    if card.history:
        # No title of the table: manual pages take the first one for their own.
        yield paragraph([InlineText(card.labels["history"])], proxies)
        # Labels and dates do not break; changes and identifiers share the rest.
        yield only("", tabular_col_spec(spec="llLL"), expr="latex")
        yield _history(card, proxies)
    # A setting of paragraphs must hold until they end.
    yield nodes.raw("", "\\par\\endgroup", format="latex")


def paragraph(content: Iterable[InlineText], proxies: Proxies) -> nodes.paragraph:
    """A paragraph that is neither translated nor set with typographic signs."""
    inline = [_link_or_text(each, proxies) for each in content]
    return nodes.paragraph(
        "", "", *inline, translatable=False, support_smartquotes=False
    )


def _link_or_text(each: InlineText, proxies: Proxies) -> nodes.Node:
    if each.href is None:
        return nodes.Text(each.text)
    link = nodes.reference(
        "", each.text, refuri=each.href, internal=False, support_smartquotes=False
    )
    reference = HandleReference.from_link(each.href, proxies=proxies)
    if reference is not None:
        dress(link, reference, proxies)
    return link


def _history(card: Card, proxies: Proxies) -> nodes.table:
    group = nodes.tgroup(cols=len(card.columns))
    for index, heading in enumerate(card.columns):
        texts = [
            heading,
            *("".join(e.text for e in row[index]) for row in card.history),
        ]
        width = max(map(column_width, texts))
        if heading == card.labels["changes"]:
            # In plain text, a line of changes takes no more columns.
            width = min(width, 40)
        # The text builder breaks words that are wider, identifiers too.
        group += nodes.colspec(colwidth=width)
    headings = [[InlineText(heading)] for heading in card.columns]
    group += nodes.thead("", _row(headings, proxies))
    group += nodes.tbody("", *(_row(row, proxies) for row in card.history))
    return nodes.table("", group, classes=["colwidths-auto"])


def _row(cells: Iterable[Iterable[InlineText]], proxies: Proxies) -> nodes.row:
    return nodes.row("", *(nodes.entry("", paragraph(cell, proxies)) for cell in cells))
