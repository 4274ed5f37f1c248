"""Links in the text, as the files of references and the lists have them.

A link gets the reference of its work as its title, and what the page of the project shows
in its place: a citation gets its text (names and year, or a number), and leads to the entry
of the list that its document uses. All of this happens as a page is written, so a doctree
does not grow stale when the file or a list changes.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx import addnodes

from handle_system.citing.in_text_style import citing_style
from handle_system.describing.page_citations import (
    NEAR,
    CitingPage,
    PageLink,
    says_retracted,
)
from handle_system.describing.parts import Parts, Shown
from handle_system.presenting import keeps_title
from handle_system.reference import HandleReference
from sphinxcontrib_handle.bibtex import links_to_entry
from sphinxcontrib_handle.cite.nodes import CardNode
from sphinxcontrib_handle.domain import (
    CitedKey,
    IdentifiedEntry,
    RecordedPlace,
    handle_domain,
    recorded_handle,
)
from sphinxcontrib_handle.links import (
    CITATION,
    CLUSTER,
    HAS_CITATIONS,
    NAMED,
    PLACE_NUMBER,
    elements_within,
    linked_reference,
    proxies_of,
    upwards,
)
from sphinxcontrib_handle.messages import _
from sphinxcontrib_handle.part_nodes import PartsWriter
from sphinxcontrib_handle.project_page import project_page

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

# Titles of sections travel to menus, and a card names a document's own versions.
_WITHOUT_MARKS = (nodes.title, nodes.caption, CardNode)


class LinkDescriber:
    """Gives links their titles, and puts what the page shows in their place."""

    def __init__(self, document: nodes.document, env: "BuildEnvironment") -> None:
        """Take a document that is about to be written."""
        self._document = document
        self._env = env
        self._domain = handle_domain(env)
        self._proxies = proxies_of(env.config)
        self._writer = PartsWriter(env)

    @cached_property
    def _page(self) -> CitingPage:
        """The page of the project, which is made for the first link that needs it."""
        return project_page(self._env)

    def describe(self, in_text: Iterable[nodes.Element]) -> None:
        """Describe the links and the clusters among the nodes in text, in their order."""
        in_clusters: set[nodes.reference] = set()
        for node in in_text:
            if isinstance(node, nodes.reference):
                if node not in in_clusters:
                    self._describe(node)
            elif CLUSTER in node:
                in_clusters.update(self._describe_cluster(node))
            elif node["ids"] and self._domain.retracted_entries:
                self._mark_entries(node)
        if self._domain.builder.format == "latex":
            for link in list(self._document.findall(nodes.reference)):
                self._label_for_pages(link)

    def _label_for_pages(self, link: nodes.reference) -> None:
        """Put a label of LaTeX in the place of an id: it knows the page of a PDF."""
        for name in self._writer.ids.intersection(link["ids"]):
            link["ids"].remove(name)
            label = f"\\phantomsection\\label{{{name}}}"
            anchor = nodes.raw("", label, format="latex")
            link.parent.insert(link.parent.index(link), anchor)

    def _describe(self, link: nodes.reference) -> None:
        page_link = self._page_link(link)
        if page_link is not None:
            self._show(link, page_link)

    def _show(self, link: nodes.reference, page_link: PageLink) -> None:
        """Put what the page shows in the place of a link."""
        parts = self._page.shown_link(page_link, partial(_text_behind, link))
        parent = link.parent
        index = parent.index(link)
        made = self._written(parts, page_link.document, [link])
        if made != [link]:
            parent[index : index + 1] = made

    def _describe_cluster(self, cluster: nodes.Element) -> Sequence[nodes.reference]:
        """Describe a cluster if it cites works; the links that are described then."""
        is_bracketed = cluster.attributes.pop(CLUSTER)
        is_named = cluster.attributes.pop(NAMED)
        links = elements_within(cluster, nodes.reference)
        display = self._env.config.handle_display
        style = citing_style(display, is_bracketed=is_bracketed, is_named=is_named)
        if style is None:
            # Its words stay, too, as other extensions have changed them.
            for link in links:
                link.attributes.pop(CITATION, None)
            return ()
        page_links: list[PageLink] = []
        own_links: list[nodes.reference] = []
        for link in links:
            page_link = self._page_link(link)
            if page_link is not None:
                page_links.append(page_link)
                own_links.append(link)
        if not page_links:
            return links
        text_behind = partial(_text_behind, cluster)
        parts = self._page.shown_cluster(
            page_links, text_behind, is_bracketed=is_bracketed, is_named=is_named
        )
        made = self._written(parts, page_links[0].document, own_links)
        cluster.clear()
        cluster += made
        return links

    def _mark_entries(self, citation: nodes.Element) -> None:
        """Mark the retracted works in a citation that sphinxcontrib-bibtex made."""
        document = self._document_of(citation)
        for fields in self._domain.data["cited_keys"].get(document, ()):
            cited = CitedKey(*fields)
            if cited.id not in citation["ids"]:
                continue
            for entry in self._domain.retracted_entries.get(cited.key, ()):
                self._mark_entry(citation, entry, document)

    def _mark_entry(
        self, citation: nodes.Element, entry: IdentifiedEntry, document: str
    ) -> None:
        builder = self._domain.builder
        if not self._domain.has_page(entry.document):
            return
        for link in links_to_entry(citation, entry, document, builder):
            before = citation.astext().partition(link.astext())[0]
            page_link = PageLink(
                entry.handle,
                link.astext(),
                document=document,
                number=0,
                is_in_brackets=before.count("[") > before.count("]"),
            )
            self._show(link, page_link)

    def _written(
        self, parts: Parts, document: str, links: Sequence[nodes.reference]
    ) -> list[nodes.Node]:
        if any(isinstance(part, Shown) and part.link is None for part in parts):
            # A mark, or brackets around citations.
            self._document[HAS_CITATIONS] = True
        return self._writer.nodes_of(parts, document, links)

    def _page_link(self, link: nodes.reference) -> PageLink | None:
        """A link as the page knows it; `None` if there is nothing to say about it."""
        words = link.attributes.pop(CITATION, None)
        number = link.attributes.pop(PLACE_NUMBER, 0)
        # Without works and lists there is nothing to say, unless a link cites its work.
        is_described = self._domain.describes_works or words is not None
        if not is_described or "hdl" not in link["classes"]:
            return None
        reference = self._reference(link)
        if reference is None:
            return None
        self._set_title(link, reference)
        document = self._document_of(link)
        return PageLink(reference.handle, link.astext(), words, document, number)

    def _document_of(self, node: nodes.Element) -> str:
        """The document that holds a node, also in an output that joins documents."""
        for ancestor in upwards(node):
            # Sphinx joins documents without telling their nodes the new parent.
            if isinstance(ancestor, addnodes.start_of_file):
                return str(ancestor["docname"])
            if isinstance(ancestor, nodes.document) and ancestor is not self._document:
                name = self._env.path2doc(str(ancestor.get("source", "")))
                if name in self._env.found_docs:
                    return str(name)
        return self._env.docname

    def _reference(self, link: nodes.reference) -> HandleReference | None:
        """The reference that the address of a link is."""
        address = link.get("refuri", "")
        recorded = self._recorded_references.get(address)
        return recorded or linked_reference(address, self._proxies)

    @cached_property
    def _recorded_references(self) -> dict[str, HandleReference]:
        """The references of the document that is written, by the addresses of their links.

        They have been read once. To read an address takes ten times as long as to write
        it.
        """
        references: dict[str, HandleReference] = {}
        for fields in self._domain.data["places"].get(self._env.docname, ()):
            place = RecordedPlace(*fields)
            if place.handle:
                handle = recorded_handle(place.handle)
                address = self._proxies.link(handle)
                references[address] = HandleReference(handle=handle)
        return references

    def _set_title(self, link: nodes.reference, reference: HandleReference) -> None:
        work = self._domain.references.get(reference.handle)
        if work is None:
            return
        if keeps_title(reference, link.get("reftitle", ""), self._proxies):
            return
        titles = self._domain.titles
        title = titles.get(work.handle)
        if title is None:
            title = work.title(_)
            titles[work.handle] = title
        if title:
            link["reftitle"] = title


def _text_behind(node: nodes.Element) -> str | None:
    """The beginning of the text behind a node in its paragraph.

    It is `None` where no mark may stand, and in an entry of sphinxcontrib-bibtex whose text
    says what became of the work.
    """
    for ancestor in upwards(node):
        if isinstance(ancestor, _WITHOUT_MARKS):
            return None
        if _is_entry(ancestor) and says_retracted([ancestor.astext()], _):
            return None
    text = ""
    for behind in _nodes_behind(node):
        text += behind.astext()
        if len(text) >= NEAR:
            break
    return text


def _is_entry(node: nodes.Element) -> bool:
    """Whether a node is an entry of a bibliography."""
    is_item = isinstance(node, nodes.list_item) and bool(node["ids"])
    return is_item or isinstance(node, (nodes.citation, nodes.footnote))


def _nodes_behind(link: nodes.Element) -> Iterator[nodes.Node]:
    """The nodes that follow a node in its paragraph, in order."""
    for node in upwards(link):
        parent = node.parent
        if parent is None or not isinstance(parent, nodes.TextElement):
            return
        index = parent.index(node)
        yield from islice(parent.children, index + 1, None)
