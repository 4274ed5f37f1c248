"""The directive ``cite-version``, and the transform that makes the cards of a page.

The directive leaves an empty card: its content depends on the metadata of the page too,
which are known when the page has been parsed.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
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
from handle_system.citing.pipeline import citation, to_plain
from handle_system.citing.sources import (
    OPTIONS,
    READ_THE_DOCS,
    Directive,
    Source,
    configuration_source,
    directive_source,
    file_source,
    page_source,
    read_front_matter,
    works_path,
)
from handle_system.found import Found, Markup, Place
from handle_system.reference import HandleReference
from sphinxcontrib_handle.cite.nodes import CardNode, card_content, paragraph
from sphinxcontrib_handle.collect import is_on, is_translated_message, page_fields
from sphinxcontrib_handle.domain import handle_domain, recorded_place
from sphinxcontrib_handle.lines import SourceLines
from sphinxcontrib_handle.links import proxies_of
from sphinxcontrib_handle.messages import HandleWarning, _, citation_warning, warn

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

__all__ = ["CiteVersion", "Citing"]


class CiteVersion(SphinxDirective):
    """Keep what the author wrote, and on which lines."""

    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], object]]] = dict.fromkeys(
        OPTIONS, directives.unchanged
    )

    def run(self) -> list[nodes.Node]:
        """Leave an empty card."""
        source, first = self.get_source_info()
        # MyST-Parser counts the lines of the content from 0.
        is_myst = bool(self.content) and self.content.offset(0) == 0
        start = first + self.content_offset if is_myst else 0
        rows: list[tuple[int | None, str]] = [
            (start + offset + 1, row) for _, offset, row in self.content.xitems()
        ]
        file, below = SourceLines(self.config.source_encoding), slice(first, None)
        lines = {
            name: file.find(source, first, f"{name}:", below)[1]
            for name in self.options
        }
        node = CardNode(directive=Directive(self.options, rows, lines))
        self.set_source_info(node)
        return [node]


class Citing(SphinxTransform):
    """Make the cards of one document.

    It runs at 400: the fields of the page are in their places then (340).
    """

    default_priority = 400

    def apply(self, **_kwargs: Any) -> None:
        """Work on one document."""
        if is_translated_message(self.document):
            return
        metadata: Mapping[str, Any] = {}
        try:
            metadata = _page_metadata(self.document)
        except CitationError as error:
            warn(
                self.config,
                HandleWarning.CITATION,
                str(error),
                location=(self.env.docname, error.line),
            )
        cards = list(self.document.findall(CardNode))
        is_root = self.env.docname == self.config.root_doc
        wanted = {"root", "every"} if is_root else {"every"}
        if (
            self.config.handle_cite in wanted
            and not cards
            and not is_on(str(metadata.get("no-cite", "no")))
        ):
            cards = [CardNode()]
            cards[0].source = str(self.document.get("source", ""))
            parts: list[nodes.Element] = [
                each
                for each in self.document.children
                if isinstance(each, nodes.section)
            ]
            (parts or [self.document])[-1].append(cards[0])
        for card in cards:
            self._cite(card, metadata)

    def _cite(self, node: CardNode, metadata: Mapping[str, Any]) -> None:
        """Fill the card of a citation, or take it away if there is no citation."""
        config = self.config
        is_root = self.env.docname == config.root_doc
        is_automatic = "directive" not in node
        directive = node.attributes.pop("directive", Directive({}, [], {}))
        is_shared = False
        try:
            page = page_source(metadata)
            written = directive_source(*directive)
            works_file = written.works_file or page.works_file
            is_shared = is_automatic and not (page.values or works_file)
            # A page elsewhere may be about a work of its own, with versions of its own.
            is_of_site = config.handle_work and not works_file
            release = config.release if is_root or is_of_site else None
            reader = HandleReader(
                proxies=proxies_of(config),
                environment=allowed_variables(config.handle_environment),
            )
            sources = _sources(self.document, written, page)
            cited = citation(sources, reader, release=release or None)
        except CitationError as error:
            fields = self.document.findall(nodes.field)
            lines = {each.children[0].astext().strip(): each.line for each in fields}
            lines |= directive.lines
            line = error.line or lines.get(error.where.strip(":"))
            self._warn(
                node, HandleWarning.CITATION, str(error), line, is_shared=is_shared
            )
            # A label before the directive still needs its place.
            node.replace_self(nodes.container() if node["ids"] else [])
            return
        for problem in cited.problems:
            kind = citation_warning(problem.code)
            self._warn(node, kind, str(problem), problem.line, is_shared=is_shared)
        card = self._fill(node, cited, is_own=is_root or not is_shared)
        if is_automatic and "old" in card.paragraphs:
            notice = paragraph(card.paragraphs["old"], cited.proxies)
            notice["classes"].append("hdl-cite-old")
            section = next(self.document.findall(nodes.section), None)
            # Below the title, if the page has one.
            (section or self.document).insert(1 if section else 0, notice)

    def _warn(
        self,
        node: CardNode,
        kind: str,
        message: str,
        line: int | None,
        *,
        is_shared: bool,
    ) -> None:
        """Warn of a card; of a citation that pages share once, at the root page."""
        location = self.config.root_doc if is_shared else self._location(node, line)
        warn(self.config, kind, message, location=location, once=is_shared)

    def _location(self, node: CardNode, line: int | None = None) -> str:
        """The place of a card, or of another line in its file, for a message."""
        known = line or node.line
        return f"{node.source}:{known}" if known else str(self.env.docname)

    def _fill(self, node: CardNode, cited: Citation, *, is_own: bool) -> Card:
        """Fill a card; its handles are recorded for verification and lists."""
        env, document = self.env, self.document
        anchor = make_id(env, document, "cite", slug(cited.work.title))
        card = make_card(cited, _)
        target = nodes.target("", "", ids=[anchor])
        document.set_id(target)
        node += [target, *card_content(card, cited.proxies)]
        pages = handle_domain(env).data["cited"].setdefault(env.docname, [])
        node["docname"], node["number"] = env.docname, len(pages)
        # The fields of `CitedPage`, as plain data.
        pages.append((to_plain(cited), anchor, self._location(node), is_own))
        lines = SourceLines(self.config.source_encoding)
        for handle in cited.handles if is_own else ():
            position = lines.find(node.source or "", node.line or 0, str(handle))
            reference = HandleReference(handle=handle, source=str(handle))
            found = Found(reference, markup=Markup.FIELD, place=Place(*position))
            handle_domain(env).note(recorded_place(found, env.docname, anchor))
        for each in node.findall():
            each.source, each.line = node.source, node.line
        return card


def _page_metadata(document: nodes.document) -> Mapping[str, Any]:
    """The field list of a page, or its front matter, by name.

    Sphinx has not collected them yet when cards are made.  Front matter is read from the
    file: MyST-Parser makes numbers of it, and 1.10 would be 1.1.

    Raises:
        CitationError: when the front matter is about a citation and cannot be read.
    """
    found: dict[str, Any] = dict(page_fields(document))
    if any(name == "cite" or name.startswith("cite-") for name in found):
        with suppress(OSError, UnicodeDecodeError):
            text = Path(str(document.get("source", ""))).read_text("utf-8-sig")
            found.update(read_front_matter(text))
    return found


def _sources(document: nodes.document, written: Source, page: Source) -> list[Source]:
    """All sources of a page's citation, the nearest to the reader first.

    A file that ``conf.py`` names may be anywhere.  One that a page names is in the
    source folder, and the project lets pages insert files.

    Args:
        document: The page.
        written: The directive.
        page: The page's metadata.

    Raises:
        CitationError: when the works file cannot be read.
    """
    env: BuildEnvironment = document.settings.env
    config, folder = env.config, Path(env.srcdir)
    sources = [written, page]
    named = written.works_file or page.works_file
    if named and not document.settings.file_insertion_enabled:
        raise CitationError(
            "pages may not name files here: file_insertion_enabled is off",
            where=":source:",
        )
    beside = Path(env.doc2path(env.docname)).parent if named else folder
    file = named or config.handle_work
    if file:
        path, identity = works_path(file, beside, folder if named else None)
        env.note_dependency(str(path))
        sources.append(file_source(path, identity, proxies=proxies_of(config)))
    read_the_docs = os.environ.get(READ_THE_DOCS, "")
    settings = {
        "project": config.project,
        "author": config.author,
        "copyright": config.copyright,
        "release": config.release,
        "handle_version": config.handle_version or "",
        "read_the_docs": read_the_docs,
    }
    sources.append(configuration_source(settings, config.handle_cite_show))
    if read_the_docs or "env:" in repr([each.values for each in sources]):
        # The environment may be another one in the next build.
        env.note_reread()
    return sources
