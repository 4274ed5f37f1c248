"""Plain text in which no identifier is broken over lines.

Sphinx's text writer breaks a line behind a hyphen, between two characters of
Chinese or Japanese, and anywhere in a word for which a column of a table is too
narrow.  Nobody who copies an identifier from there knows whether the hyphen is a
part of it; and of a long one in a table it makes two words.

So an identifier travels through the writer as one private character that stands
for it, with as many others behind it as make it as wide, and takes its place again
when all lines are broken.  One that is wider than a line stands out at its end.
"""

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils import column_width
from sphinx.writers.text import MAXWIDTH, TextTranslator

from sphinxcontrib_handle.citation_nodes import Sentence

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["WholeIdentifiers", "setup_whole_identifiers"]

# Characters for private use, of the last plane; and what they make together.
_FIRST = 0x100000
_MOST = 0xFFFD
_FILLER = "\U0010fffd"
_PRIVATE = re.compile("[\U00100000-\U0010fffd]")
_SEALED = re.compile(rf"([\U00100000-\U0010FFFC]){_FILLER}*|{_FILLER}+")
# Brackets and marks that may stand directly beside an identifier.
_BESIDE = 8


class WholeIdentifiers(TextTranslator):
    """Sphinx's writer of plain text, for which an identifier is one word."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._identifiers: list[str] = []
        # Who uses these characters privately, as a font of symbols does, keeps them.
        self._is_sealing = _PRIVATE.search(self.document.astext()) is None

    def visit_Text(self, node: nodes.Text) -> None:  # noqa: N802 - docutils' name
        """Seal the identifiers in the text of what is one, or leads to one."""
        if self._is_sealing and _is_identifier(node.parent):
            words = re.split(r"(\s+)", node.astext())
            self.add_text("".join(map(self._sealed, words)))
        else:
            super().visit_Text(node)

    def _sealed(self, word: str) -> str:
        if "/" not in word or len(self._identifiers) >= _MOST:
            return word
        room = MAXWIDTH - sum(self.stateindent) - _BESIDE
        width = max(1, min(column_width(word), room))
        self._identifiers.append(word)
        return chr(_FIRST + len(self._identifiers) - 1) + _FILLER * (width - 1)

    def depart_table(self, node: nodes.Element) -> None:
        """Make columns as wide as the identifiers in them."""
        table = self.table
        for cell in table.cells:
            words = [word for word in cell.text.split() if _SEALED.search(word)]
            wanted = max(map(column_width, words), default=0)
            lacking = wanted - table.cell_width(cell, table.colwidth)
            if lacking > 0 and cell.col is not None:
                for column in range(cell.col, cell.col + cell.colspan):
                    table.colwidth[column] += -(-lacking // cell.colspan)
        super().depart_table(node)

    def depart_document(self, node: nodes.Element) -> None:
        """Put the identifiers in their places again."""
        super().depart_document(node)
        if self._is_sealing:
            self.body = _SEALED.sub(self._opened, self.body)

    def _opened(self, found: re.Match[str]) -> str:
        return self._identifiers[ord(found[1]) - _FIRST] if found[1] else ""


def _is_identifier(parent: nodes.Node | None) -> bool:
    """Whether the text of this node is one, or an address that stands for one."""
    if not isinstance(parent, nodes.Element):
        return False
    return "hdl" in parent.get("classes", ()) or (
        # What has no handle yet is cited by its address.
        isinstance(parent, nodes.reference) and isinstance(parent.parent, Sentence)
    )


def setup_whole_identifiers(app: "Sphinx") -> None:
    """Give the text builder that writer, once its own is known."""
    app.connect("builder-inited", _replace_translator)


def _replace_translator(app: "Sphinx") -> None:
    builder = app.builder
    if builder.format != "text":
        return
    # A project's own writer keeps what it does.
    try:
        own = app.registry.get_translator_class(builder)
    except AttributeError:
        # A builder that writes by itself has none.
        return
    if issubclass(own, TextTranslator) and not issubclass(own, WholeIdentifiers):
        bases = (
            (WholeIdentifiers,) if own is TextTranslator else (WholeIdentifiers, own)
        )
        whole = type("WholeIdentifiersTranslator", bases, {})
        app.set_translator(builder.name, whole, override=True)
