"""The directive ``cite-version``, and the transform that makes cards.

The directive leaves an empty card: its content depends on the metadata of the page too,
which are known when the page has been parsed.
"""

from textwrap import dedent
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_id

from handle_system.citing.card import Card, make_card
from handle_system.citing.citation import Citation, slug
from handle_system.citing.fields import (
    CitationError,
    HandleReader,
    allowed_variables,
)
from handle_system.citing.pipeline import citation
from handle_system.citing.sources import (
    OPTIONS,
    Directive,
    directive_source,
    page_source,
    read_directive,
)
from sphinxcontrib_handle.cite.nodes import CardNode, card_content, paragraph
from sphinxcontrib_handle.cite.works import (
    CitedPage,
    citation_sources,
    note_cited,
    note_shared_problem,
    page_metadata,
)
from sphinxcontrib_handle.collect import is_on, is_translated_message
from sphinxcontrib_handle.config import proxies
from sphinxcontrib_handle.domain import Place, handle_domain
from sphinxcontrib_handle.lines import SourceLines
from sphinxcontrib_handle.messages import HandleWarning, _, citation_warning, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["DIRECTIVE", "CiteVersion", "Citing"]

#: The directive's name.
DIRECTIVE = "cite-version"


class CiteVersion(SphinxDirective):
    """Keep what the author wrote, and on which lines."""

    has_content = True
    option_spec: ClassVar[dict[str, "Callable[[str], object]"]] = dict.fromkeys(
        OPTIONS, directives.unchanged
    )

    def run(self) -> list[nodes.Node]:
        """Leave an empty card."""
        _source, first = self.get_source_info()
        lines = self.block_text.splitlines()
        # MyST-Parser leaves the first line out of the text.
        if lines and DIRECTIVE in lines[0]:
            lines.pop(0)
        text = read_directive(dedent("\n".join(lines)), first + 1)
        # Nor is its closing fence a part of the content.
        rows = {each.strip() for each in self.content}
        body = [row for row in text.body if row[1].strip() in rows]
        node = CardNode(directive=text._replace(options=self.options, body=body))
        self.set_source_info(node)
        return [node]


class Citing(SphinxTransform):
    """Make the cards of one document.

    It runs at 400: the fields of the page are in their places then (340), and links
    are not collected yet (870).
    """

    default_priority = 400

    def apply(self, **_kwargs: Any) -> None:
        """Work on one document."""
        if is_translated_message(self.document):
            return
        metadata: Mapping[str, Any] = {}
        try:
            metadata = page_metadata(self.document)
        except CitationError as error:
            location = (self.env.docname, error.line)
            warn(self.config, HandleWarning.CITATION, str(error), location=location)
        cards = list(self.document.findall(CardNode))
        for card in cards:
            self._cite(card, metadata)
        where = self.config.handle_cite
        is_wanted = where == "every" or (where == "root" and self._is_root)
        if is_wanted and not cards and not is_on(str(metadata.get("no-cite", "no"))):
            card = CardNode()
            card.source = str(self.document.get("source", ""))
            page = self.document.children
            sections = [each for each in page if isinstance(each, nodes.section)]
            (sections[-1] if sections else self.document).append(card)
            self._cite(card, metadata)

    @property
    def _is_root(self) -> bool:
        return bool(self.env.docname == self.config.root_doc)

    def _cite(self, node: CardNode, metadata: "Mapping[str, Any]") -> None:
        """Fill the card of a citation, or take it away if there is no citation."""
        is_automatic = "directive" not in node
        directive = node.attributes.pop("directive", Directive({}, [], {}))
        is_shared = False
        cited = None
        try:
            page = page_source(metadata)
            written = directive_source(*directive)
            is_shared = is_automatic and not (page.values or page.works_file)
            # A page elsewhere may be about a work of its own, with versions of its own.
            is_of_site = self.config.handle_work and not (
                written.works_file or page.works_file
            )
            release = self.config.release if self._is_root or is_of_site else None
            reader = HandleReader(
                proxies=proxies(self.config),
                environment=allowed_variables(self.config.handle_environment),
            )
            sources = citation_sources(self.document, written, page)
            cited = citation(sources, reader, release=release or None)
            problems = [
                (citation_warning(each.code), str(each), each.line)
                for each in cited.problems
            ]
        except CitationError as error:
            line = error.line or self._lines(directive).get(error.where.strip(":"))
            problems = [(HandleWarning.CITATION, str(error), line)]
        for kind, message, line in problems:
            known = line or node.line
            location = f"{node.source}:{known}" if known else self.env.docname
            if is_shared:
                note_shared_problem(self.env, kind, message)
            else:
                warn(self.config, kind, message, location=location)
        if cited is None:
            # A label before the directive still needs its place.
            node.replace_self(nodes.container() if node["ids"] else [])
            return
        card = make_card(cited, _)
        self._fill(node, card, cited, is_own=self._is_root or not is_shared)
        if is_automatic and "old" in card.paragraphs:
            self._add_notice(paragraph(card.paragraphs["old"], cited.proxies))

    def _add_notice(self, notice: nodes.paragraph) -> None:
        """Put the notice on an old version below the title of the page."""
        notice["classes"].append("hdl-cite-old")
        title = self.document.next_node(nodes.title)
        if title is not None and isinstance(title.parent, nodes.section):
            title.parent.insert(title.parent.index(title) + 1, notice)
        else:
            self.document.insert(0, notice)

    def _lines(self, directive: Directive) -> "Mapping[str, int | None]":
        """The lines of the directive's options, and of the page's fields."""
        fields = {
            field.children[0].astext().strip(): field.line
            for field in self.document.findall(nodes.field)
        }
        return {**fields, **directive.lines}

    def _fill(
        self, node: CardNode, card: Card, cited: Citation, *, is_own: bool
    ) -> None:
        """Fill a card; its handles are recorded for verification and lists."""
        env, document = self.env, self.document
        source, line = node.source or "", node.line or 0
        anchor = make_id(env, document, "cite", slug(cited.work.title))
        document.ids[anchor] = node
        node["ids"].insert(0, anchor)
        node += card_content(card, cited)
        node["docname"] = env.docname
        node["number"] = note_cited(
            env, CitedPage(cited, anchor, source, line, is_own=is_own)
        )
        lines = SourceLines(self.config.source_encoding)
        for handle in cited.handles if is_own else ():
            written = str(handle)
            found = lines.find(source, line, written)
            place = Place(env.docname, *found, written, written, anchor)
            handle_domain(env).note("places", place)
        for each in node.findall():
            each.source, each.line = node.source, node.line
