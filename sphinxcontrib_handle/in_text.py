"""Links in the text, as the files of references and the lists have them.

A link gets the reference of its work as its title. A citation gets its text (names and
year, or a number), and leads to the entry of the list that its document uses; there the
entry leads back. All of this happens as a page is written, so a doctree does not grow
stale when the file or a list changes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx import addnodes
from sphinx.errors import NoUri
from sphinx.util.nodes import make_refnode

from handle_system.citing.in_text import (
    CitingStyle,
    Label,
    citation_text,
    citing_style,
    signs_around,
)
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.reference_lists import Entry
from handle_system.describing.retraction import RETRACTED_CLASS, retraction_of
from handle_system.describing.updates import Update
from handle_system.presenting import display_text, keeps_title
from handle_system.reference import HandleReference
from sphinxcontrib_handle.domain import (
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
    linked_reference,
    proxies_of,
    upwards,
)
from sphinxcontrib_handle.messages import _
from sphinxcontrib_handle.reference_nodes import CitationNode
from sphinxcontrib_handle.retraction_marks import is_marked_already, mark_nodes

if TYPE_CHECKING:
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

__all__ = ["LinkDescriber", "document_of", "is_in_output", "link_within_project"]


@dataclass(frozen=True, slots=True)
class _Citation:
    """A link that cites its work.

    Attributes:
        link: The link.
        document: The document that holds it.
        reference: What it leads to.
        work: The work, if a file describes it.
        entry: Its entry in the list of the document.
        page: The page of that list.
        prefix: The words before it.
        locator: The words behind it.
    """

    link: nodes.reference
    document: str
    reference: HandleReference
    work: DescribedWork | None
    entry: Entry | None
    page: str
    prefix: str
    locator: str


class LinkDescriber:
    """Gives links the reference as their title, and citations their text and target."""

    def __init__(self, document: nodes.document, env: "BuildEnvironment") -> None:
        """Take a document that is about to be written."""
        self._document = document
        self._env = env
        self._domain = handle_domain(env)
        self._display = env.config.handle_display
        self._proxies = proxies_of(env.config)
        self._has_works = self._domain.describes_works
        self._ids: set[str] = set()

    def describe(self, in_text: Iterable[nodes.Element]) -> None:
        """Describe the links and the clusters among the nodes in text."""
        in_text = list(in_text)
        for link in in_text:
            if isinstance(link, nodes.reference):
                self._describe(link)
        for node in in_text:
            if isinstance(node, nodes.inline) and CLUSTER in node:
                self._cite_cluster(node)
        if self._domain.builder_format == "latex":
            for link in list(self._document.findall(nodes.reference)):
                self._label_for_pages(link)

    def _label_for_pages(self, link: nodes.reference) -> None:
        """Put a label of LaTeX in the place of an id: it knows the page of a PDF."""
        for name in self._ids.intersection(link["ids"]):
            link["ids"].remove(name)
            label = f"\\phantomsection\\label{{{name}}}"
            anchor = nodes.raw("", label, format="latex")
            link.parent.insert(link.parent.index(link), anchor)

    def _describe(self, link: nodes.reference) -> None:
        words = link.attributes.pop(CITATION, None)
        number = link.attributes.pop(PLACE_NUMBER, 0)
        # Without works and lists there is nothing to say, unless a link cites its work.
        is_described = self._has_works or words is not None
        if not is_described or "hdl" not in link["classes"]:
            return
        reference = self._reference(link)
        if reference is None:
            return
        if number and self._domain.lists.by_page:
            self._give_id(link, number)
        work = self._domain.references.get(reference.handle)
        if work is not None:
            self._set_title(link, reference, work)
        if words is None:
            self._mark(link, work)
            return
        citation = self._citation(link, reference, work, words)
        if CLUSTER in link.parent:
            link[CITATION] = citation
            return
        style = citing_style(self._display, is_bracketed=False)
        if style is None:
            self._mark(link, work)
        else:
            link.parent.replace(link, self._cited([citation], style))

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

    def _citation(
        self,
        link: nodes.reference,
        reference: HandleReference,
        work: DescribedWork | None,
        words: tuple[str, str],
    ) -> _Citation:
        document = document_of(link, self._env)
        used = self._domain.lists.used_by(document)
        entry = self._domain.lists.entry(document, reference.handle)
        prefix, locator = words
        page = used.page if used else ""
        return _Citation(link, document, reference, work, entry, page, prefix, locator)

    def _give_id(self, link: nodes.reference, number: int) -> None:
        """Let the entry of a work lead back to a link; a repeated one leads nowhere."""
        document = document_of(link, self._env)
        name = self._domain.lists.id_of_place(document, number)
        if not name or name in self._ids:
            return
        self._ids.add(name)
        link["ids"].append(name)

    def _set_title(
        self, link: nodes.reference, reference: HandleReference, work: DescribedWork
    ) -> None:
        if keeps_title(reference, link.get("reftitle", ""), self._proxies):
            return
        titles = self._domain.titles
        title = titles.get(work.handle)
        if title is None:
            title = work.title(_)
            titles[work.handle] = title
        if title:
            link["reftitle"] = title

    def _mark(self, link: nodes.reference, work: DescribedWork | None) -> None:
        """Say behind a link that its work was retracted."""
        retraction = retraction_of(work)
        if retraction is None:
            return
        link["classes"].append(RETRACTED_CLASS)
        if not is_marked_already(link, link.astext()):
            index = link.parent.index(link) + 1
            link.parent.insert(index, self._mark_nodes(retraction))

    def _mark_nodes(
        self, retraction: Update, *, has_brackets: bool = True
    ) -> list[nodes.Node]:
        self._document[HAS_CITATIONS] = True
        is_html = self._domain.builder_format == "html"
        return mark_nodes(
            retraction, self._proxies, is_html=is_html, has_brackets=has_brackets
        )

    def _cite_cluster(self, cluster: nodes.inline) -> None:
        """Put citations in the place of the identifiers of a cluster."""
        is_bracketed = cluster.attributes.pop(CLUSTER)
        is_named = cluster.attributes.pop(NAMED)
        citations: list[_Citation] = []
        for link in cluster.findall(nodes.reference):
            citation = link.attributes.pop(CITATION, None)
            if citation is not None:
                citations.append(citation)
        style = citing_style(
            self._display, is_bracketed=is_bracketed, is_named=is_named
        )
        if not citations:
            return
        if style is None:
            for citation in citations:
                self._mark(citation.link, citation.work)
            return
        cited = self._cited(citations, style)
        cluster.clear()
        cluster += cited

    def _cited(
        self, citations: Sequence[_Citation], style: CitingStyle
    ) -> list[nodes.Node]:
        """The text of citations that stand together."""
        texts = [self._text(citation, style) for citation in citations]
        words = [(citation.prefix, citation.locator) for citation in citations]
        opening, separator, closing = signs_around(style, texts, words)
        made: list[nodes.Node] = []
        for citation, text in zip(citations, texts, strict=True):
            if made:
                made.append(nodes.Text(separator))
            if citation.prefix:
                made.append(nodes.Text(f"{citation.prefix} "))
            made += self._link_and_mark(citation, text, is_number=style == "number")
        if not opening:
            return made
        self._document[HAS_CITATIONS] = True
        brackets = nodes.inline("", "", classes=["hdl-bracket"])
        brackets += [nodes.Text(opening), *made, nodes.Text(closing)]
        return [brackets]

    def _text(self, citation: _Citation, style: CitingStyle) -> str:
        """The text of a citation; empty if too little is known of its work."""
        label = citation.entry.label if citation.entry else Label()
        if citation.work is None and style not in {"number", "named"}:
            return ""
        work = citation.work or DescribedWork(citation.reference.handle, {})
        return citation_text(work.described, label, style, _, locator=citation.locator)

    def _link_and_mark(
        self, citation: _Citation, text: str, *, is_number: bool
    ) -> list[nodes.Node]:
        behind: list[nodes.Node] = []
        if not text:
            # The identifier stands in the place of names, and the locator is no part of it.
            text = display_text(citation.reference, self._proxies)
            if citation.locator:
                behind = [nodes.Text(f", {citation.locator}")]
        mark: list[nodes.Node] = []
        retraction = retraction_of(citation.work)
        if retraction is not None:
            citation.link["classes"].append(RETRACTED_CLASS)
            if not is_marked_already(citation.link, text):
                mark = self._mark_nodes(retraction, has_brackets=not is_number)
        return [self._link(citation, text), *mark, *behind]

    def _link(self, citation: _Citation, text: str) -> nodes.TextElement:
        """The link of a citation: to its entry, if a list has one, else to the work."""
        link = citation.link
        builder = self._domain.builder
        # That builder checks the works, and shows no list.
        is_link_check = self._domain.builder_name == "linkcheck"
        if (
            citation.entry is None
            or builder is None
            or is_link_check
            or not is_in_output(builder, citation.page)
        ):
            link.clear()
            link += nodes.Text(text)
            return link
        if self._domain.builder_name == "man":
            # A manual page would print the id.
            return nodes.inline(link.rawsource, text, classes=link["classes"])
        target = link_within_project(
            builder, citation.document, citation.page, citation.entry.id
        )
        made = CitationNode(
            link.rawsource,
            text,
            ids=link["ids"],
            classes=link["classes"],
            internal=True,
            **target,
        )
        if "reftitle" in link:
            made["reftitle"] = link["reftitle"]
        return made


def link_within_project(
    builder: "Builder", document: str, target_document: str, target_id: str
) -> dict[str, str]:
    """The attributes of a link from a document to an id in another, or to that one.

    The result has ``refid`` or ``refuri``.
    """
    # All documents of ``singlehtml`` are one page, where ids of ours differ.
    if builder.name == "singlehtml" and target_id:
        document = target_document
    link = make_refnode(builder, document, target_document, target_id, [])
    names = ("refid", "refuri")
    return {name: link[name] for name in names if name in link}


def is_in_output(builder: "Builder", document: str) -> bool:
    """Whether what a builder writes holds a document; a book may leave some out."""
    # Manual pages name documents, and link none.
    if builder.name == "man":
        return True
    try:
        builder.get_target_uri(document)
    except NoUri:
        return False
    return True


def document_of(node: nodes.Node, env: "BuildEnvironment") -> str:
    """The document that holds a node, also in an output that joins documents."""
    for ancestor in upwards(node):
        # Sphinx joins documents without telling their nodes the new parent.
        if isinstance(ancestor, addnodes.start_of_file):
            return str(ancestor["docname"])
        if isinstance(ancestor, nodes.document):
            name = env.path2doc(str(ancestor.get("source", "")))
            if name in env.found_docs:
                return str(name)
    return env.docname
