"""The second pass: every link that came of the first is dressed and recorded.

It runs at 870, when names and substitutions are resolved: a link by name
(``Title_``) has its address only then, and a substitution that nobody uses has
gone.  What is wrong is told here, so that it is told once, with its own line.

A third pass works on the finished tree, for links that other extensions make
only then, those of sphinxcontrib-bibtex among them.
"""

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

from handle_system.diagnostics import diagnose
from handle_system.errors import HandleSyntaxError, showable
from handle_system.reference import HandleReference
from sphinxcontrib_handle.bibliographies import repair_bibliographies
from sphinxcontrib_handle.domain import Malformed, Place, handle_domain
from sphinxcontrib_handle.kept_text import let_go
from sphinxcontrib_handle.lines import LineFinder
from sphinxcontrib_handle.link_repair import LinkRepair, leads_nowhere, unlink
from sphinxcontrib_handle.links import (
    KEPT,
    MALFORMED,
    WRITTEN,
    WRITTEN_ENTRIES,
    dress,
    is_off,
    marked,
)
from sphinxcontrib_handle.messages import HandleWarning, warn
from sphinxcontrib_handle.options import options, proxies
from sphinxcontrib_handle.reading import Reading, reading
from sphinxcontrib_handle.recognition import (
    PAGE_SWITCH,
    is_on,
    is_switched_off,
    is_translated_message,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx
    from sphinx.config import Config

__all__ = ["Collection", "LateLinks", "setup_collection"]


class Collection(SphinxTransform):
    """Record the references of a document, and tell what is malformed."""

    default_priority = 870

    def apply(self, **_kwargs: Any) -> None:
        """Work on one document."""
        if is_translated_message(self.document) or not reading(self.env).is_marked:
            return
        if options(self.config).recognize and not is_switched_off(self.document):
            dress_links(self.document, self.config)
        self._told: set[tuple[str, int, str]] = set()
        # Substitution copies nodes; without it the first pass has seen them all.
        found = reading(self.env).marked
        if self.document.substitution_defs:
            found = list(marked(self.document))
        for node in found:
            self._keep_text(node)
            if WRITTEN in node:
                written = node.attributes.pop(WRITTEN)
                if isinstance(node.parent, nodes.substitution_definition):
                    # Recorded where it is used: whoever does not use it refers to
                    # nothing.
                    continue
                self._note(node["refuri"], written, node)
            elif MALFORMED in node:
                self._tell(node)
            elif WRITTEN_ENTRIES in node:
                self._note_entries(node)
            elif KEPT in node:
                let_go(node)

    def _keep_text(self, node: nodes.Element) -> None:
        """Undo the typography of docutils itself, which heeds no attribute.

        Sphinx has one that does, but a parser of an extension's own brings the other.
        """
        text = reading(self.env).texts.get(id(node))
        if text is not None and node.astext() != text:
            node.children = [nodes.Text(text)]
            node.children[0].parent = node

    def _note(self, link: str, written: str, node: nodes.Element) -> None:
        reference = proxies(self.config).match(link)
        if reference is not None:
            handle = reference.handle
            place = Place(
                self.env.docname,
                node.source or "",
                node.line or 0,
                written,
                str(handle),
                handle.comparison_key,
                _anchor(node),
            )
            handle_domain(self.env).note_place(place)
            self._diagnose(place, reference)

    def _diagnose(self, place: Place, linked: HandleReference) -> None:
        """Tell what is suspicious about a reference as it was written."""
        try:
            reference = HandleReference.parse(
                place.written, proxies=proxies(self.config)
            )
        except HandleSyntaxError:
            # A role bound to a prefix holds the suffix only.
            reference = linked
        if reference.handle != linked.handle:
            reference = linked
        for finding in diagnose(reference):
            message = f"{showable(place.written)}: {finding.message}"
            if finding.suggestion is not None:
                message += f"; write {showable(finding.suggestion)}"
            kind = HandleWarning(finding.code.value)
            warn(self.config, kind, message, location=place.location)

    def _note_entries(self, toctree: nodes.Element) -> None:
        lines = LineFinder(self.document, self.config.source_encoding)
        for written in toctree.attributes.pop(WRITTEN_ENTRIES):
            toctree.source, toctree.line = lines.find(toctree, written)
            self._note(written, written, toctree)

    def _tell(self, node: nodes.Element) -> None:
        kind, written, reason, drawn = node.attributes.pop(MALFORMED)
        told = (node.source or "", node.line or 0, written)
        if told in self._told:
            # In a substitution: its definition is told, its uses are not.
            return
        if isinstance(node.parent, nodes.substitution_definition):
            self._told.add(told)
        malformed = Malformed(
            self.env.docname, node.source or "", node.line or 0, written, reason, kind
        )
        handle_domain(self.env).note_malformed(malformed)
        warn(self.config, HandleWarning(kind), drawn, location=malformed.location)


def _anchor(node: nodes.Element) -> str:
    """The id of the section that holds a node; none for a page's first."""
    current: nodes.Element | None = node
    while current is not None:
        if isinstance(current, nodes.section) and current["ids"]:
            page = current.document
            is_first = page is not None and page.next_node(nodes.section) is current
            return "" if is_first else str(current["ids"][0])
        current = current.parent
    return ""


class LateLinks(SphinxPostTransform):
    """Put right the links that came after the document was read."""

    # Before the builder's own; after sphinxcontrib-bibtex, whose links are at 5.
    default_priority = 15

    def run(self, **_kwargs: Any) -> None:
        """Work on one document as it is about to be written."""
        if options(self.config).recognize:
            repair_bibliographies(self.document, self.env)
            dress_links(self.document, self.config, self._page_is_off)

    def _page_is_off(self, link: nodes.Node) -> bool:
        # Several documents may be assembled in one: the link's own one counts.  Its
        # sections still name that one, as a whole, for their parent.
        docname: str | None = None
        node: nodes.Element | None = link.parent
        while node is not None and docname is None:
            if isinstance(node, addnodes.start_of_file):
                docname = node["docname"]
            elif isinstance(node, nodes.document):
                docname = self.env.path2doc(node.get("source", ""))
            node = node.parent
        metadata = self.env.metadata.get(docname or self.env.docname, {})
        return any(
            is_on(value)
            for name, value in metadata.items()
            if name.lower() == PAGE_SWITCH
        )


def dress_links(
    document: nodes.document,
    config: "Config",
    skip: "Callable[[nodes.Node], bool]" = lambda _: False,
) -> None:
    """Put right every link whose address is known by now."""
    where = proxies(config)
    repair = LinkRepair(Reading(), where, config.source_encoding)
    for link in list(document.findall(nodes.reference)):
        if isinstance(link.get("refuri"), str):
            try:
                reference = repair.read(link["refuri"])
            except HandleSyntaxError:
                if is_off(link) or skip(link):
                    continue
                if leads_nowhere(link) and MALFORMED not in link:
                    # By name, to a target that has been warned of.
                    unlink(link)
                continue
            if reference is not None and not is_off(link) and not skip(link):
                dress(link, reference, where)


def setup_collection(app: "Sphinx") -> None:
    """Register the second and the third pass."""
    app.add_transform(Collection)
    app.add_post_transform(LateLinks)
