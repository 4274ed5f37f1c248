"""The directive ``cite-version``, and the transform that makes cards.

The directive leaves an empty card: its content depends on the metadata of the page too,
which are known when the page has been parsed.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
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
    READ_THE_DOCS,
    Directive,
    Source,
    configuration_source,
    directive_source,
    file_source,
    page_source,
    read_directive,
    read_front_matter,
    works_path,
)
from sphinxcontrib_handle.cite.nodes import CardNode, card_content, paragraph
from sphinxcontrib_handle.cite.works import CitedPage, note_cited
from sphinxcontrib_handle.collect import is_on, is_translated_message, page_fields
from sphinxcontrib_handle.domain import Place, handle_domain
from sphinxcontrib_handle.lines import SourceLines
from sphinxcontrib_handle.links import proxies_of
from sphinxcontrib_handle.messages import HandleWarning, _, citation_warning, warn

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = ["DIRECTIVE", "CiteVersion", "Citing", "report_shared_problems"]

#: The directive's name.
DIRECTIVE = "cite-version"


class CiteVersion(SphinxDirective):
    """Keep what the author wrote, and on which lines."""

    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], object]]] = dict.fromkeys(
        OPTIONS, directives.unchanged
    )

    def run(self) -> list[nodes.Node]:
        """Leave an empty card."""
        _source, first = self.get_source_info()
        lines = self.block_text.splitlines()
        # MyST-Parser leaves the first line out of the text.
        if lines and DIRECTIVE in lines[0]:
            lines.pop(0)
        if self.options and self.block_text == "\n".join(self.content):
            # MyST-Parser 4 leaves out the options, too.
            first += self.content_offset
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
            metadata = _page_metadata(self.document)
        except CitationError as error:
            location = (self.env.docname, error.line)
            warn(self.config, HandleWarning.CITATION, str(error), location=location)
        cards = list(self.document.findall(CardNode))
        for card in cards:
            self._cite(card, metadata)
        is_root = self.env.docname == self.config.root_doc
        wanted = {"root", "every"} if is_root else {"every"}
        if (
            self.config.handle_cite in wanted
            and not cards
            and not is_on(str(metadata.get("no-cite", "no")))
        ):
            self._append_card(metadata)

    def _append_card(self, metadata: Mapping[str, Any]) -> None:
        """Put a card at the end of the page, and its notice below the title."""
        page = self.document
        parts = [each for each in page.children if isinstance(each, nodes.section)]
        node = CardNode()
        node.source = str(page.get("source", ""))
        (parts[-1] if parts else page).append(node)
        card = self._cite(node, metadata)
        if card is not None and "old" in card.paragraphs:
            notice = paragraph(card.paragraphs["old"], proxies_of(self.config))
            notice["classes"].append("hdl-cite-old")
            if parts:
                parts[0].insert(1, notice)
            else:
                page.insert(0, notice)

    def _cite(self, node: CardNode, metadata: Mapping[str, Any]) -> Card | None:
        """Fill the card of a citation, or take it away if there is no citation."""
        is_root = self.env.docname == self.config.root_doc
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
            release = self.config.release if is_root or is_of_site else None
            reader = HandleReader(
                proxies=proxies_of(self.config),
                environment=allowed_variables(self.config.handle_environment),
            )
            sources = _sources(self.document, written, page)
            cited = citation(sources, reader, release=release or None)
            problems = [
                (citation_warning(each.code), str(each), each.line)
                for each in cited.problems
            ]
        except CitationError as error:
            line = error.line or self._lines(directive).get(error.where.strip(":"))
            problems = [(HandleWarning.CITATION, str(error), line)]
        kept = handle_domain(self.env).data["shared_problems"]
        for kind, message, line in problems:
            if is_shared:
                kept.setdefault(self.env.docname, []).append((kind, message))
            else:
                location = self._location(node, line)
                warn(self.config, kind, message, location=location)
        if cited is None:
            # A label before the directive still needs its place.
            node.replace_self(nodes.container() if node["ids"] else [])
            return None
        return self._fill(node, cited, is_own=is_root or not is_shared)

    def _location(self, node: CardNode, line: int | None = None) -> str:
        """The place of a card, or of another line in its file, for a message."""
        known = line or node.line
        return f"{node.source}:{known}" if known else str(self.env.docname)

    def _lines(self, directive: Directive) -> Mapping[str, int | None]:
        """The lines of the directive's options, and of the page's fields."""
        fields = {
            field.children[0].astext().strip(): field.line
            for field in self.document.findall(nodes.field)
        }
        return {**fields, **directive.lines}

    def _fill(self, node: CardNode, cited: Citation, *, is_own: bool) -> Card:
        """Fill a card; its handles are recorded for verification and lists."""
        env, document = self.env, self.document
        anchor = make_id(env, document, "cite", slug(cited.work.title))
        card = make_card(cited, _)
        target = nodes.target("", "", ids=[anchor])
        document.set_id(target)
        node += [target, *card_content(card, cited.proxies)]
        node["docname"] = env.docname
        node["number"] = note_cited(
            env, CitedPage(cited, anchor, self._location(node), is_own)
        )
        lines = SourceLines(self.config.source_encoding)
        for handle in cited.handles if is_own else ():
            written = str(handle)
            found = lines.find(node.source or "", node.line or 0, written)
            place = Place(env.docname, *found, written, written, anchor)
            handle_domain(env).note(place)
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
        reason = "pages may not name files here: file_insertion_enabled is off"
        raise CitationError(reason, where=":source:")
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


def report_shared_problems(app: "Sphinx", env: "BuildEnvironment") -> list[str]:
    """Report what is wrong with the site's own citation once, whatever pages show it.

    Sphinx calls this after reading.
    """
    kept = handle_domain(env).data["shared_problems"]
    for kind, message in dict.fromkeys(chain.from_iterable(kept.values())):
        warn(app.config, kind, message, location=app.config.root_doc)
    kept.clear()
    return []
