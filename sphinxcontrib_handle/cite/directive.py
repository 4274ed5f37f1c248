"""The directive ``cite-version``, and the transform that makes cards.

The directive leaves a placeholder: the card depends on the metadata of the page too,
which are known when the page has been parsed.
"""

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
from handle_system.citing.sources import OPTIONS, directive_source, page_source
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
from sphinxcontrib_handle.messages import HandleWarning, citation_warning, warn
from sphinxcontrib_handle.translations import _

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.environment import BuildEnvironment

__all__ = ["DIRECTIVE", "CiteVersion", "Citing"]

#: The directive's name.
DIRECTIVE = "cite-version"
#: The field, or key of a page's front matter, that keeps a card off the page.
PAGE_SWITCH = "no-cite"


class CitePlaceholder(nodes.General, nodes.Element):
    """The place of a card while its page is read.

    Attributes ``options`` (text by name), ``body`` (lines with their numbers) and
    ``lines`` (numbers of the options' lines); ``automatic`` without a directive.
    """


class CiteVersion(SphinxDirective):
    """Keep what the author wrote, and on which lines."""

    has_content = True
    option_spec: ClassVar[dict[str, "Callable[[str], object]"]] = dict.fromkeys(
        OPTIONS, directives.unchanged
    )

    def run(self) -> list[nodes.Node]:
        """Leave a placeholder."""
        lines, body = self._lines()
        placeholder = CitePlaceholder(
            options=dict(self.options), body=body, lines=lines
        )
        self.set_source_info(placeholder)
        return [placeholder]

    def _lines(self) -> tuple[dict[str, int], list[tuple[int, str]]]:
        """The lines of the options, and the body with its line numbers.

        The text of the block counts: parsers number the body in different ways.
        MyST-Parser leaves the first line out of it.
        """
        _source, first = self.get_source_info()
        lines = self.block_text.splitlines()
        start = first if lines and DIRECTIVE in lines[0] else first + 1
        numbered = [(number, line.strip()) for number, line in enumerate(lines, start)]
        found: dict[str, int] = {}
        for number, line in numbered:
            name = line.removeprefix(":").partition(":")[0]
            if name in self.options:
                found.setdefault(name, number)
        body = []
        for text in self.content:
            while numbered and numbered[0][1] != text.strip():
                numbered.pop(0)
            body.append((numbered.pop(0)[0] if numbered else first, text))
        return found, body


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
        try:
            self.metadata = page_metadata(self.document)
        except CitationError as error:
            location = (self.env.docname, error.line and error.line + 1)
            warn(self.config, HandleWarning.CITATION, str(error), location=location)
            self.metadata = {}
        self._add_placeholder()
        self.lines = SourceLines(self.config.source_encoding)
        for placeholder in list(self.document.findall(CitePlaceholder)):
            card = _Card(self, placeholder).make()
            placeholder.replace_self([] if card is None else card)

    def _add_placeholder(self) -> None:
        """Put a card at the end of the page, if the project wants one there."""
        wanted = self.config.handle_cite
        switch = self.metadata.get(PAGE_SWITCH)
        if (
            not wanted
            or (wanted == "root" and self.env.docname != self.config.root_doc)
            or self.document.next_node(CitePlaceholder) is not None
            or (switch is not None and is_on(str(switch)))
        ):
            return
        placeholder = CitePlaceholder(options={}, body=[], lines={}, automatic=True)
        placeholder.source = str(self.document.get("source", ""))
        sections = [
            each for each in self.document.children if isinstance(each, nodes.section)
        ]
        (sections[-1] if sections else self.document).append(placeholder)


class _Card:
    """One card, from the sources to its node."""

    def __init__(self, page: Citing, placeholder: CitePlaceholder) -> None:
        self.page = page
        self.env: BuildEnvironment = page.env
        self.config = page.config
        self.placeholder = placeholder
        self.source = placeholder.source or ""
        self.line = placeholder.line or 0
        #: Whether it is the card of the whole site on one of its pages.
        self.is_shared = bool(placeholder.get("automatic"))

    def make(self) -> CardNode | None:
        """The node; `None` if there is no citation."""
        try:
            cited = self._citation()
        except CitationError as error:
            line = error.line or self._line_of(error.where)
            self._report(HandleWarning.CITATION, str(error), line)
            return None
        for problem in cited.problems:
            kind = citation_warning(problem.code)
            self._report(kind, str(problem), problem.line or self.line)
        return self._node(cited)

    def _citation(self) -> Citation:
        written = directive_source(
            self.placeholder["options"],
            self.placeholder["body"],
            self.placeholder["lines"],
        )
        own = page_source(self.page.metadata)
        if own.values or own.works_file:
            self.is_shared = False
        sources, reader = citation_sources(
            self.page.document, written, self.page.metadata
        )
        # A page elsewhere may be about a work of its own, with versions of its own.
        is_of_site = bool(self.config.handle_work) and not (
            written.works_file or own.works_file
        )
        is_root = self.env.docname == self.config.root_doc
        release = self.config.release if is_root or is_of_site else None
        return citation(sources, reader, release=release or None)

    def _node(self, cited: Citation) -> CardNode:
        is_own = not self.is_shared or self.env.docname == self.config.root_doc
        document = self.page.document
        anchor = make_id(self.env, document, "cite", slug(cited.work.title))
        card = make_card(cited, _)
        node = CardNode("", *card_content(card, cited), ids=[anchor])
        document.set_id(node)
        page = CitedPage(
            citation=cited,
            anchor=anchor,
            source=self.source,
            line=self.line,
            is_own=is_own,
        )
        node["docname"] = self.env.docname
        node["number"] = note_cited(self.env, page)
        if is_own:
            self._note_places(cited, anchor)
        if self.placeholder.get("automatic") and card.notice is not None:
            notice = notice_node(card.notice, cited.proxies)
            notice["docname"], notice["number"] = node["docname"], node["number"]
            _place_notice(document, notice)
        for each in node.findall():
            each.source, each.line = self.source, self.line or None
        return node

    def _note_places(self, cited: Citation, anchor: str) -> None:
        """Record the handles, so that they are verified and listed."""
        for handle in cited.handles:
            written = str(handle)
            source, line = self.page.lines.find(self.source, self.line, written)
            place = Place(
                self.env.docname,
                source,
                line,
                written,
                written,
                handle.comparison_key,
                anchor,
            )
            handle_domain(self.env).note_place(place)

    def _line_of(self, where: str) -> int:
        known: dict[str, int] = self.placeholder["lines"]
        name = where.strip(":")
        if name in known:
            return known[name]
        for field in self.page.document.findall(nodes.field):
            if field.children[0].astext().strip() == name and field.line:
                return field.line
        return self.line

    def _report(self, kind: str, message: str, line: int) -> None:
        if self.is_shared:
            note_shared_problem(self.env, kind, message)
            return
        location = f"{self.source}:{line}" if line else self.env.docname
        warn(self.config, kind, message, location=location)


def _place_notice(document: nodes.document, notice: nodes.Element) -> None:
    """Put the notice on an old version below the title of the page."""
    title = document.next_node(nodes.title)
    if title is None or not isinstance(title.parent, nodes.section):
        document.insert(0, notice)
        return
    title.parent.insert(title.parent.index(title) + 1, notice)
