"""References in the text of a document's blocks, put together and linked."""

from collections.abc import Iterator
from typing import cast

from docutils import nodes
from sphinx import addnodes

from handle_system.errors import HandleSyntaxError
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from handle_system.scanning import Found, find_references, may_hold_reference
from sphinxcontrib_handle.blocks import Block, Kind, Piece, read_block, replace_spans
from sphinxcontrib_handle.links import MALFORMED, NO_HANDLE, WRITTEN, dress, link_node
from sphinxcontrib_handle.reading import Reading

__all__ = ["TextRepair"]

#: Nodes in which no text is a reference, or none of ours to touch.
_CLOSED = (
    nodes.FixedTextElement,
    nodes.literal,
    nodes.math,
    nodes.raw,
    nodes.comment,
    nodes.reference,
    nodes.target,
    nodes.label,
    nodes.footnote_reference,
    nodes.citation_reference,
    nodes.problematic,
    nodes.system_message,
    nodes.generated,
    nodes.option_string,
    addnodes.pending_xref,
    addnodes.download_reference,
    addnodes.not_smartquotable,
    addnodes.toctree,
    addnodes.index,
)


class TextRepair:
    """Links the references in running text, and unlinks what is none.

    Args:
        document: The document, whose names are not resolved yet.
        known: What is known of it.
        proxies: Where links go, and which URLs are references.
    """

    def __init__(
        self, document: nodes.document, known: Reading, proxies: Proxies
    ) -> None:
        self._document = document
        self._known = known
        self._proxies = proxies
        # A notebook's Markdown comes as rST of pandoc: "_a_" has become "*a*".
        source = str(document.get("source", ""))
        self._joins_markup = not source.endswith(".ipynb")
        #: Names left as links to targets: the node, and the reference it is part of.
        self.kept_names: list[tuple[nodes.Element, str]] = []
        #: References in which docutils warned of markup: the node, and as written.
        self.marked_up: list[tuple[nodes.Element, str]] = []
        #: Whether a reference may go on in a substitution that is not made yet.
        self.is_unfinished = False

    def run(self) -> None:
        """Go through every block of text."""
        for element in _open_text(self._document):
            if not self._may_hold(element):
                continue
            block = read_block(element, self._known, joins_markup=self._joins_markup)
            if may_hold_reference(block.text, proxies=self._proxies):
                self.is_unfinished |= any(map(_is_substitution, block.pieces))
                self._repair(element, block)

    def _may_hold(self, element: nodes.TextElement) -> bool:
        """A cheap test: no reference begins but in one of its pieces."""
        for child in element.children:
            if isinstance(child, nodes.Text):
                text = child.astext() if "\x00" in child else str(child)
            elif isinstance(child, nodes.reference):
                text = child.rawsource
            else:
                continue
            if (":" in text or "/" in text) and may_hold_reference(
                text, proxies=self._proxies
            ):
                return True
        return False

    def _repair(self, element: nodes.TextElement, block: Block) -> None:
        replacements: list[tuple[int, int, nodes.Node]] = []
        linked: set[int] = set()
        for found in find_references(block.text, proxies=self._proxies):
            pieces = block.within(found.start, found.end)
            if _goes_on_in_substitution(block, found):
                linked.update(id(piece.node) for piece in pieces)
                continue
            node = self._link(block, found, pieces)
            if node is not None:
                replacements.append((found.start, found.end, node))
                linked.update(id(piece.node) for piece in pieces)
        for piece in block.pieces:
            if piece.kind is Kind.STANDALONE and id(piece.node) not in linked:
                node = cast("nodes.reference", piece.node)
                if self._is_dead(node["refuri"]):
                    text = nodes.Text(node.astext())
                    replacements.append((piece.start, piece.end, text))
        if replacements:
            self._known.is_marked = True
            replacements.sort(key=lambda each: each[0])
            self._forget_names(block, replacements)
            # Not `extend`, which gives a child without a line the last one parsed.
            element.children = replace_spans(block, replacements)
            for child in element.children:
                child.parent = element

    def _is_dead(self, target: str) -> bool:
        """Whether docutils linked what is no handle, and nothing else's either.

        "HDL:LDL" is hardware, and was never meant as a link.
        """
        if target[:4].lower() == "hdl:":
            return True
        if target[:4].lower() == "http":
            return False
        try:
            HandleReference.from_link(target, proxies=self._proxies)
        except HandleSyntaxError:
            return True
        return False

    def _link(
        self, block: Block, found: Found, pieces: list[Piece]
    ) -> nodes.reference | None:
        """The link in the span's place; `None` where all stays as it is."""
        if not all(self._may_go(block, found, piece) for piece in pieces):
            return None
        written = block.text[found.start : found.end]
        first = pieces[0]
        if len(pieces) == 1 and first.kind is Kind.LINKIFIED:
            # All of it, or a part: a link that is there is repaired as such.
            return None
        if (
            len(pieces) == 1
            and first.kind is Kind.STANDALONE
            and (first.start, first.end) == (found.start, found.end)
        ):
            node = cast("nodes.reference", first.node).deepcopy()
            node[WRITTEN] = written
            node["support_smartquotes"] = False
            dress(node, found.reference, self._proxies)
            return node
        link = link_node(
            found.reference,
            self._proxies,
            written=written,
            text=written,
            rawsource=written,
        )
        if any(isinstance(piece.node, nodes.problematic) for piece in pieces):
            self.marked_up.append((link, written))
        return link

    def _may_go(self, block: Block, found: Found, piece: Piece) -> bool:
        """Whether a piece may become a part of the reference found."""
        if piece.kind in {Kind.TEXT, Kind.STANDALONE}:
            return True
        if piece.kind is Kind.BARRIER:
            return False
        if piece.start < found.start or found.end < piece.end:
            return False
        if piece.kind is Kind.NAME and self._is_target(piece):
            written = block.text[found.start : found.end]
            self.kept_names.append((cast("nodes.reference", piece.node), written))
            return False
        return True

    def _is_target(self, piece: Piece) -> bool:
        node = cast("nodes.reference", piece.node)
        if node.get("anonymous"):
            return _anonymous_match(self._document)
        return node.get("refname") in self._document.nameids

    def _forget_names(
        self, block: Block, replacements: list[tuple[int, int, nodes.Node]]
    ) -> None:
        """Take names that became parts of references off the list of the missed."""
        for start, end, _ in replacements:
            for piece in block.within(start, end):
                if piece.kind is Kind.NAME:
                    node = cast("nodes.reference", piece.node)
                    waiting = self._document.refnames.get(node.get("refname"), [])
                    if node in waiting:
                        waiting.remove(node)


def _goes_on_in_substitution(block: Block, found: Found) -> bool:
    """Whether ``|name|`` follows, as in ``doi:10.5281/zenodo.|id|``."""
    for piece in block.pieces:
        if piece.start >= found.end and piece.kind is Kind.BARRIER:
            between = block.text[found.end : piece.start]
            return _is_substitution(piece) and not any(map(str.isspace, between))
    return False


def _is_substitution(piece: Piece) -> bool:
    return isinstance(piece.node, nodes.substitution_reference)


def _anonymous_match(document: nodes.document) -> bool:
    """Whether there are as many anonymous references as targets for them.

    Only then can docutils resolve them at all, so that each is one.
    """
    references = sum(
        bool(node.get("anonymous")) for node in document.findall(nodes.reference)
    )
    targets = sum(
        bool(node.get("anonymous")) for node in document.findall(nodes.target)
    )
    return references == targets


def _open_text(node: nodes.Element) -> Iterator[nodes.TextElement]:
    """Every element that holds text of its own, in the document's order."""
    for child in list(node.children):
        if (
            not isinstance(child, nodes.Element)
            or isinstance(child, _CLOSED)
            or NO_HANDLE in child["classes"]
            or MALFORMED in child
        ):
            continue
        if isinstance(child, nodes.TextElement):
            yield child
        yield from _open_text(child)
