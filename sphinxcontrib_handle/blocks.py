"""A block of text as its author wrote it, across the nodes it was cut into.

Docutils makes a link of what its own pattern of a URI takes, and that pattern
stops at ``<`` and at any character that is not ASCII; a name that ends in ``_``
becomes a reference to a target.  So one identifier can lie in pieces: half a
link, then text, then the name of a target that nobody has written.  Here the
pieces of a block are laid side by side as one text with offsets, so that what
is found in the text can be put in their place.

The alternative, reading the block's ``rawsource`` again, would need a second
parser of inline markup; and the source of a translated block is not its text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import cast

from docutils import nodes

from sphinxcontrib_handle.reading import Reading

__all__ = ["Block", "Kind", "Piece", "read_block", "replace_spans"]

#: Stands for a node that no reference reaches across.
_BARRIER = "\n"


class Kind(Enum):
    """What a piece of a block is, and what may be done with it."""

    TEXT = auto()
    """Text: may be split anywhere."""
    STANDALONE = auto()
    """A URI in the text, which docutils made a link: may be split anywhere."""
    LINKIFIED = auto()
    """A link whose text is its address, perhaps its author's own: goes whole, as a
    part of something longer, or stays."""
    NAME = auto()
    """A name that ends in an underscore, read as a reference to a target."""
    MARKUP = auto()
    """Emphasis, or a start of it without an end: goes whole or stays."""
    BARRIER = auto()
    """Anything else: no reference reaches across it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A child of a block, and the half-open span of its text in the block's."""

    node: nodes.Node
    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """The text of a block, and the pieces that it consists of."""

    text: str
    pieces: tuple[Piece, ...]

    def within(self, start: int, end: int) -> list[Piece]:
        """The pieces that the span touches."""
        return [
            piece for piece in self.pieces if piece.start < end and start < piece.end
        ]


def read_block(
    element: nodes.TextElement, document: Reading, *, joins_markup: bool = True
) -> Block:
    """Lay the children of an element side by side.

    Args:
        element: The element.
        document: What is known of the document.
        joins_markup: Whether emphasis may be a part of a reference: not where its
            source is not its author's, but made of another syntax.
    """
    pieces = []
    texts = []
    position = 0
    for index, node in enumerate(element.children):
        kind, text = _classify(node, document)
        if kind in _JOINED and (
            _is_set_apart(element, index) or (kind is Kind.MARKUP and not joins_markup)
        ):
            kind, text = Kind.BARRIER, _BARRIER
        pieces.append(Piece(node, kind, position, position + len(text)))
        texts.append(text)
        position += len(text)
    return Block("".join(texts), tuple(pieces))


_JOINED = frozenset({Kind.NAME, Kind.MARKUP})
# An escaped space, which shows nothing, and says that markup begins or ends there.
_APART = ("\x00 ", "\x00\n")


def _is_set_apart(element: nodes.TextElement, index: int) -> bool:
    r"""Whether the author set markup apart from the text beside it (``a\ *b*``)."""
    before = element[index - 1] if index else None
    after = element[index + 1] if index + 1 < len(element) else None
    return (isinstance(before, nodes.Text) and str(before).endswith(_APART)) or (
        isinstance(after, nodes.Text) and str(after).startswith(_APART)
    )


def _classify(node: nodes.Node, document: Reading) -> tuple[Kind, str]:
    if isinstance(node, nodes.Text):
        return Kind.TEXT, node.astext()
    if isinstance(node, nodes.reference):
        return _classify_reference(node, is_standalone=document.is_standalone(node))
    if type(node) in _MARKUP:
        source = cast("nodes.Element", node).rawsource
        # White space ends a reference.  What does not begin with the markup's sign
        # is no source, but the text that Sphinx puts where MyST left none.
        if source.startswith(_MARKUP[type(node)]) and not any(map(str.isspace, source)):
            return Kind.MARKUP, source
    return Kind.BARRIER, _BARRIER


_MARKUP: dict[type[nodes.Node], str] = {
    nodes.emphasis: "*",
    nodes.strong: "**",
    nodes.problematic: "",
}


def _classify_reference(
    node: nodes.reference, *, is_standalone: bool
) -> tuple[Kind, str]:
    source = node.rawsource
    if len(node) != 1 or not isinstance(node[0], nodes.Text):
        return Kind.BARRIER, _BARRIER
    text = node.astext()
    if "refuri" in node:
        if "name" in node or node.get("reftitle"):
            return Kind.BARRIER, _BARRIER
        target = node["refuri"]
        if is_standalone:
            return Kind.STANDALONE, text
        if target in {text, f"http://{text}", f"https://{text}", f"mailto:{text}"}:
            return Kind.LINKIFIED, text
    elif source in {f"{text}_", f"{text}__"}:
        return Kind.NAME, source
    return Kind.BARRIER, _BARRIER


def replace_spans(
    block: Block, replacements: Sequence[tuple[int, int, nodes.Node]]
) -> list[nodes.Node]:
    """The children of the block with nodes in place of spans of its text.

    The spans are in order and do not overlap.  A piece that no span touches stays
    as it is; what is left of one that a span cuts becomes text.
    """
    children: list[nodes.Node] = []
    pending = list(replacements)
    for piece in block.pieces:
        while pending and pending[0][1] <= piece.start:
            pending.pop(0)
        touching = [each for each in pending if each[0] < piece.end]
        if not touching:
            children.append(piece.node)
            continue
        position = piece.start
        for start, end, node in touching:
            if start > position:
                children.append(_part(piece, position, start))
            if start >= piece.start:
                children.append(node)
            position = end
        if position < piece.end:
            children.append(_part(piece, position, piece.end))
    return children


def _part(piece: Piece, start: int, end: int) -> nodes.Text:
    start -= piece.start
    end -= piece.start
    node = piece.node
    text = node if isinstance(node, nodes.Text) else nodes.Text(node.astext())
    raw = str(text)
    if "\x00" in raw:
        # Escapes travel as NUL before a character; smart quotes heed them.
        offsets = _offsets(raw)
        return nodes.Text(raw[offsets[start] : offsets[end]])
    return nodes.Text(raw[start:end])


def _offsets(raw: str) -> list[int]:
    """Where each character of the decoded text, and its end, begins in `raw`."""
    offsets = []
    position = 0
    while position < len(raw):
        offsets.append(position)
        if raw[position] == "\x00":
            position += 1
            if raw[position : position + 1] in {" ", "\n"}:
                # Escaped white space is no text at all.
                offsets.pop()
        position += 1
    return [*offsets, len(raw)]
