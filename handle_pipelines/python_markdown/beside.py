"""The text beside a reference in a page, if it names the work that is meant."""

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias
from xml.etree.ElementTree import Element

from markdown.util import BLOCK_LEVEL_ELEMENTS, ETX, STX

from handle_pipelines.python_markdown.decoding import without_escapes
from handle_pipelines.python_markdown.page import Showing
from handle_system.found import Found
from handle_system.text_beside import TextBeside, text_beside

#: The names of elements that are blocks.
BLOCKS = frozenset(BLOCK_LEVEL_ELEMENTS)
# A text, or an element that shows a reference.
_Piece: TypeAlias = str | Element
# What stands for HTML, and for marks of footnotes.
_PLACEHOLDER = re.compile(f"{STX}[^{ETX}]*{ETX}")


class TextsBeside:
    """Finds the texts beside the references of a page."""

    def __init__(self, root: Element, shown: Mapping[Element, Showing]) -> None:
        """Find the references that are the only ones of their blocks.

        Args:
            root: The page.
            shown: What its elements show.
        """
        self._shown = shown
        # What stands before each of them in its block, and behind it.
        self._around: dict[Element, tuple[list[_Piece], list[_Piece]]] = {}
        # The texts of a block, and its elements that show references.
        self._block: list[_Piece] = []
        self._read(root)

    def of(self, element: Element, found: Found) -> TextBeside | None:
        """The text beside a reference that can be compared with the work that it names.

        Args:
            element: The element that shows it.
            found: The reference.
        """
        # A text of ours says nothing of what the author means.
        own_text = "" if found.is_citation else found.shown
        pieces = self._around.get(element)
        around = None
        if pieces is not None:
            before, behind = pieces
            around = _text_of(before), _text_of(behind)
        return text_beside(own_text, around)

    def _read(self, element: Element) -> None:
        """Read an element, and the text behind it."""
        is_block = element.tag in BLOCKS
        if is_block:
            self._end_block()
        shown = self._shown.get(element)
        if shown is None:
            if element.text:
                self._block.append(element.text)
            for child in element:
                self._read(child)
        elif shown.cluster is None:
            self._block.append(element)
        else:
            for text in shown.cluster.texts:
                self._block += [text, element]
            # No reference stands behind the last text.
            self._block.pop()
        if is_block:
            self._end_block()
        if element.tail:
            self._block.append(element.tail)

    def _end_block(self) -> None:
        pieces, self._block = self._block, []
        places = [
            index for index, piece in enumerate(pieces) if not isinstance(piece, str)
        ]
        if len(places) == 1:
            (place,) = places
            element = pieces[place]
            if isinstance(element, Element) and self._shown[element].is_linked:
                self._around[element] = pieces[:place], pieces[place + 1 :]


def _text_of(pieces: Iterable[_Piece]) -> str:
    """A text as readers see it."""
    text = "".join([piece for piece in pieces if isinstance(piece, str)])
    if STX in text or "&" in text:
        text = _PLACEHOLDER.sub("", without_escapes(text))
    return text
