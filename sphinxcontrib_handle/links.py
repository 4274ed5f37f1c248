"""Writing references into a document, as docutils' own ``reference`` nodes.

Standard nodes, so that every builder knows them.  While a document is read,
attributes of ours travel with a node: what its author wrote, what is wrong with it,
what typography is not to change.  `sphinxcontrib_handle.collection` takes them off
again.
"""

from typing import TYPE_CHECKING

from docutils import nodes

from handle_system.display import hover
from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from handle_system.proxies import Proxies
    from sphinxcontrib_handle.messages import HandleWarning

__all__ = [
    "KEPT",
    "MALFORMED",
    "NO_HANDLE",
    "WRITTEN",
    "WRITTEN_ENTRIES",
    "dress",
    "is_off",
    "link_node",
    "linked_reference",
    "malformed",
    "marked",
]

#: The attribute that carries a reference as written, until it is recorded.
WRITTEN = "handle-written"
#: The attribute that carries what stood in a toctree's external entries.
WRITTEN_ENTRIES = "handle-written-entries"
#: The attribute that carries why a text is no reference, until that is told.
MALFORMED = "handle-malformed"
#: The attribute that carries what a wrapper keeps from typography, until it is past.
KEPT = "handle-kept"
#: The class that takes a link, or a block, out of all this.
NO_HANDLE = "no-handle"


def linked_reference(target: str, proxies: "Proxies") -> HandleReference | None:
    """The reference that a link's target is; `None` for any other, malformed or not."""
    try:
        return HandleReference.from_link(target, proxies=proxies)
    except HandleSyntaxError:
        return None


def link_node(
    reference: "HandleReference",
    proxies: "Proxies",
    *,
    written: str,
    text: str,
    rawsource: str = "",
    is_identifier: bool = True,
) -> nodes.reference:
    """A link to a handle's proxy.

    Args:
        reference: The reference.
        proxies: Where links go.
        written: The reference as its author wrote it.
        text: What the link shows.
        rawsource: The markup that it replaces.
        is_identifier: Whether the text is the identifier, and typography is to
            leave it alone.
    """
    node = nodes.reference(rawsource, text, internal=False)
    node[WRITTEN] = written
    if is_identifier:
        node["support_smartquotes"] = False
    dress(node, reference, proxies)
    return node


def dress(
    node: nodes.reference, reference: "HandleReference", proxies: "Proxies"
) -> None:
    """Give a reference node the right address, its classes, and a title to hover.

    A title of the author's own stays.
    """
    node["refuri"] = proxies.link(reference)
    for name in ("hdl", "doi") if reference.handle.is_doi else ("hdl",):
        if name not in node["classes"]:
            node["classes"].append(name)
    if not node.get("reftitle"):
        node["reftitle"] = hover(reference, proxies)


def malformed(kind: "HandleWarning", error: "HandleSyntaxError") -> list[str]:
    """The value of `MALFORMED`: kind of warning, what was written, why, and drawn."""
    return [kind.value, error.source, error.reason, str(error)]


def marked(document: nodes.document) -> "Iterator[nodes.Element]":
    """The nodes that carry something to be recorded or told."""
    for node in document.findall():
        if isinstance(node, nodes.Element) and not _MARKS.isdisjoint(node.attributes):
            yield node


_MARKS = frozenset({WRITTEN, WRITTEN_ENTRIES, MALFORMED, KEPT})


def is_off(node: nodes.Node | None) -> bool:
    """Whether the node or one that holds it has the class ``no-handle``."""
    while node is not None:
        if isinstance(node, nodes.Element) and NO_HANDLE in node.get("classes", ()):
            return True
        node = node.parent
    return False
