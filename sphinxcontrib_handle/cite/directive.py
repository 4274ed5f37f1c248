"""The directive ``cite-version``, and the transform that makes cards.

The directive leaves a placeholder: the card depends on the metadata of the page too,
which are known when the page has been parsed.
"""

from textwrap import dedent
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_id

from handle_system.citing.card import make_card
from handle_system.citing.citation import Citation, slug
from handle_system.citing.fields import CitationError
from handle_system.citing.pipeline import citation
from handle_system.citing.sources import (
    OPTIONS,
    Directive,
    directive_source,
    page_source,
    read_directive,
)
from sphinxcontrib_handle.cite.nodes import CardNode, card_content, notice_node
from sphinxcontrib_handle.cite.works import (
    CitedPage,
    citation_sources,
    note_cited,
    note_shared_problem,
    page_metadata,
)
from sphinxcontrib_handle.collect import is_on, is_translated_message
from sphinxcontrib_handle.domain import Place, handle_domain
from sphinxcontrib_handle.lines import SourceLines
from sphinxcontrib_handle.messages import HandleWarning, _, citation_warning, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["DIRECTIVE", "CiteVersion", "Citing"]

#: The directive's name.
DIRECTIVE = "cite-version"
#: The field, or key of a page's front matter, that keeps a card off the page.
PAGE_SWITCH = "no-cite"


class CitePlaceholder(nodes.General, nodes.Element):
    """The place of a card while its page is read.

    Attributes ``directive`` (its text in parts), ``automatic`` (whether there is none),
    and ``shared`` (whether its citation is that of the whole site).
    """


class CiteVersion(SphinxDirective):
    """Keep what the author wrote, and on which lines."""

    has_content = True
    option_spec: ClassVar[dict[str, "Callable[[str], object]"]] = dict.fromkeys(
        OPTIONS, directives.unchanged
    )

    def run(self) -> list[nodes.Node]:
        """Leave a placeholder."""
        _source, first = self.get_source_info()
        lines = self.block_text.splitlines()
        # MyST-Parser leaves the first line out of the text.
        if lines and DIRECTIVE in lines[0]:
            lines.pop(0)
        text = read_directive(dedent("\n".join(lines)), first + 1)
        # Nor is its closing fence a part of the content.
        rows = {each.strip() for each in self.content}
        body = [row for row in text.body if row[1].strip() in rows]
        placeholder = CitePlaceholder(
            directive=text._replace(options=self.options, body=body)
        )
        self.set_source_info(placeholder)
        return [placeholder]


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
        self._add_placeholder(metadata)
        for placeholder in list(self.document.findall(CitePlaceholder)):
            card = self._card(placeholder, metadata)
            placeholder.replace_self([] if card is None else card)

    def _add_placeholder(self, metadata: "Mapping[str, Any]") -> None:
        """Put a card at the end of the page, if the project wants one there."""
        wanted = self.config.handle_cite
        switch = metadata.get(PAGE_SWITCH)
        if (
            not wanted
            or (wanted == "root" and self.env.docname != self.config.root_doc)
            or self.document.next_node(CitePlaceholder) is not None
            or (switch is not None and is_on(str(switch)))
        ):
            return
        placeholder = CitePlaceholder(directive=Directive({}, [], {}), automatic=True)
        placeholder.source = str(self.document.get("source", ""))
        sections = [
            each for each in self.document.children if isinstance(each, nodes.section)
        ]
        (sections[-1] if sections else self.document).append(placeholder)

    def _card(
        self, placeholder: CitePlaceholder, metadata: "Mapping[str, Any]"
    ) -> CardNode | None:
        """The card of a page; `None` if there is no citation."""
        is_root = self.env.docname == self.config.root_doc
        try:
            page = page_source(metadata)
            written = directive_source(*placeholder["directive"])
            is_about_site = not (page.values or page.works_file)
            placeholder["shared"] = "automatic" in placeholder and is_about_site
            sources, reader = citation_sources(self.document, written, page)
            # A page elsewhere may be about a work of its own, with versions of its own.
            is_of_site = self.config.handle_work and not (
                written.works_file or page.works_file
            )
            release = self.config.release if is_root or is_of_site else None
            cited = citation(sources, reader, release=release or None)
        except CitationError as error:
            line = error.line or self._line_of(error.where, placeholder)
            self._report(HandleWarning.CITATION, str(error), line, placeholder)
            return None
        for problem in cited.problems:
            kind = citation_warning(problem.code)
            line = problem.line or placeholder.line
            self._report(kind, str(problem), line, placeholder)
        return self._node(
            cited, placeholder, is_own=is_root or not placeholder["shared"]
        )

    def _line_of(self, where: str, placeholder: CitePlaceholder) -> int | None:
        """The line of an option, or of a field of the page; else the directive's."""
        lines = {
            field.children[0].astext().strip(): field.line
            for field in self.document.findall(nodes.field)
        }
        lines.update(placeholder["directive"].lines)
        return lines.get(where.strip(":")) or placeholder.line

    def _report(
        self,
        kind: str,
        message: str,
        line: int | None,
        placeholder: CitePlaceholder,
    ) -> None:
        if placeholder.get("shared"):
            note_shared_problem(self.env, kind, message)
            return
        location = f"{placeholder.source}:{line}" if line else self.env.docname
        warn(self.config, kind, message, location=location)

    def _node(
        self, cited: Citation, placeholder: CitePlaceholder, *, is_own: bool
    ) -> CardNode:
        """The node of a card; its handles are recorded for verification and lists."""
        env, document = self.env, self.document
        source, line = placeholder.source or "", placeholder.line or 0
        anchor = make_id(env, document, "cite", slug(cited.work.title))
        card = make_card(cited, _)
        node = CardNode("", *card_content(card, cited), ids=[anchor])
        document.set_id(node)
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
        if "automatic" in placeholder and "old" in card.paragraphs:
            # Below the title of the page.
            notice = notice_node(card.paragraphs["old"], cited.proxies)
            title = document.next_node(nodes.title)
            above = title if title and isinstance(title.parent, nodes.section) else None
            parent = above.parent if above else document
            parent.insert(parent.index(above) + 1 if above else 0, notice)
        for each in node.findall():
            each.source, each.line = placeholder.source, placeholder.line
        return node
