"""Links that are there already: their address is put right, their text stays."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from docutils import nodes
from sphinx import addnodes

from handle_system.display import shown, shows
from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference
from sphinxcontrib_handle.kept_text import keep_identifiers, kept_text
from sphinxcontrib_handle.links import (
    MALFORMED,
    WRITTEN,
    WRITTEN_ENTRIES,
    dress,
    is_off,
    link_node,
    malformed,
)
from sphinxcontrib_handle.messages import HandleWarning

if TYPE_CHECKING:
    from handle_system.proxies import Proxies
    from sphinxcontrib_handle.reading import Reading

__all__ = ["LinkRepair"]


class LinkRepair:
    """Puts the addresses of links right.

    Args:
        known: What is known of the document.
        proxies: Where links go, and which URLs are references.
        document_charset: Charset of percent-encoded octets that are not UTF-8.
    """

    def __init__(
        self, known: "Reading", proxies: "Proxies", document_charset: str
    ) -> None:
        self._known = known
        self._proxies = proxies
        self._charset = document_charset

    def read(self, target: str) -> HandleReference | None:
        """The reference that a link's target is; `None` for any other.

        Raises:
            HandleSyntaxError: when it is meant for one and is malformed.
        """
        return HandleReference.from_link(
            target, proxies=self._proxies, document_charset=self._charset
        )

    def run(self, document: nodes.document) -> None:
        """Go through every link of a document, before names are resolved."""
        # A list, for some are replaced on the way; and without a condition, for
        # that is by far the fastest way through a tree.
        for node in [each for each in document.findall() if isinstance(each, _LINKS)]:
            if isinstance(node, addnodes.toctree):
                self._repair_toctree(node)
                continue
            if WRITTEN in node and _is_in_link(node):
                self._known.is_marked = True
                # Not `replace_self`, which wants to hand on the classes.
                place = node.parent.index(node)
                node.parent[place : place + 1] = kept_text(node)
                continue
            keep_identifiers(node, self._known, self._proxies)
            if isinstance(node, addnodes.pending_xref):
                if node.get("reftype") == "myst":
                    self._repair(node, node["reftarget"])
            elif isinstance(node.get("refuri"), str) and WRITTEN not in node:
                self._repair(node, node["refuri"])

    def _repair(self, node: nodes.Element, written: str) -> None:
        error = reference = None
        try:
            reference = self.read(written)
        except HandleSyntaxError as wrong:
            error = wrong
        if (error is None and reference is None) or is_off(node):
            return
        self._known.is_marked = True
        if isinstance(node, addnodes.pending_xref):
            self._repair_myst(node, reference, error)
        elif isinstance(node, nodes.target):
            self._repair_target(node, reference, error)
        elif isinstance(node, nodes.reference):
            self._repair_link(node, reference, error)

    def _repair_link(
        self,
        link: nodes.reference,
        reference: HandleReference | None,
        error: HandleSyntaxError | None,
    ) -> None:
        if error is not None and not self._is_standalone(link):
            told = unlink(link) if leads_nowhere(link) else link
            told[MALFORMED] = malformed(HandleWarning.LINK, error)
        if reference is None:
            return
        link[WRITTEN] = link["refuri"]
        if shows(link.astext(), reference, self._proxies):
            link["support_smartquotes"] = False
        dress(link, reference, self._proxies)

    def _is_standalone(self, link: nodes.reference) -> bool:
        """Whether the link was made of a URI in running text.

        MyST does so for ``http`` and ``https`` only; what it shows as ``hdl:…`` stood
        in angle brackets and was meant for a link.
        """
        if self._known.is_standalone(link):
            return True
        return link.astext() == link["refuri"] and not leads_nowhere(link)

    def _repair_target(
        self,
        target: nodes.target,
        reference: HandleReference | None,
        error: HandleSyntaxError | None,
    ) -> None:
        # One beside its link, as in `text <hdl:…>`_, is the link's own.
        is_block = not isinstance(target.parent, nodes.TextElement)
        if error is not None and is_block:
            target[MALFORMED] = malformed(HandleWarning.LINK, error)
        if reference is not None:
            if is_block:
                target[WRITTEN] = target["refuri"]
            target["refuri"] = self._proxies.link(reference)

    def _repair_toctree(self, toctree: addnodes.toctree) -> None:
        """External entries are no links yet, and get their text from the address."""
        entries = []
        written = []
        for title, target in toctree["entries"]:
            try:
                reference = self.read(target)
            except HandleSyntaxError:
                reference = None
            if reference is None:
                entries.append((title, target))
            else:
                entries.append((title or target, self._proxies.link(reference)))
                written.append(target)
        if written:
            toctree["entries"] = entries
            toctree[WRITTEN_ENTRIES] = written
            self._known.is_marked = True

    def _repair_myst(
        self,
        xref: addnodes.pending_xref,
        reference: HandleReference | None,
        error: HandleSyntaxError | None,
    ) -> None:
        """MyST takes a scheme that it does not know for a place in the project."""
        if error is not None:
            unlink(xref)[MALFORMED] = malformed(HandleWarning.LINK, error)
        if reference is None:
            return
        explicit = bool(xref.get("refexplicit"))
        text = "" if explicit else shown(reference, self._proxies)
        link = link_node(
            reference,
            self._proxies,
            written=xref["reftarget"],
            text=text,
            is_identifier=not explicit
            or shows(xref.astext(), reference, self._proxies),
        )
        # MyST 4 has it under the other name.
        title = xref.get("reftitle") or xref.get("title")
        if title:
            link["reftitle"] = title
        link.source, link.line = xref.source, xref.line
        if explicit:
            link.extend(inner_of(xref))
        xref.replace_self(link)


_LINKS = (nodes.reference, nodes.target, addnodes.pending_xref, addnodes.toctree)


def _is_in_link(node: nodes.Element) -> bool:
    """Whether a link stands in the text of another, as a role may in MyST."""
    outer: nodes.Element | None = node.parent
    while isinstance(outer, (nodes.TextElement, addnodes.pending_xref)):
        if isinstance(outer, (nodes.reference, addnodes.pending_xref)):
            return True
        outer = outer.parent
    return False


def leads_nowhere(link: nodes.reference) -> bool:
    """Whether no browser could open the link's malformed target."""
    return not link["refuri"].lower().startswith("http")


def unlink(link: nodes.Element) -> nodes.inline:
    """Leave the text of a link, and return it."""
    text = nodes.inline(link.rawsource, "", *inner_of(link))
    text["classes"] = ["hdl", "hdl-malformed"]
    text.source, text.line = link.source, link.line
    link.replace_self(text)
    return text


def inner_of(link: nodes.Element) -> Iterable[nodes.Node]:
    """What a link shows, without the wrapper that MyST puts around it."""
    children = link.children
    if isinstance(link, addnodes.pending_xref) and len(children) == 1:
        return cast("nodes.Element", children[0]).children
    return children
