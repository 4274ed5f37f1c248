"""Making the blocks of a page: read, checked, and put in their places.

It runs at 400: the page's fields are in their places then (340), and links are not
yet recorded (870).  What is wrong is warned of, and the build goes on.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import make_id

from handle_system.citing.block import citation_block
from handle_system.citing.checks import CitationProblem, check_work
from handle_system.citing.cited import distinct_handles, slug
from handle_system.citing.gathering import (
    EXAMPLE_OPTION,
    Surroundings,
    gather_citation,
    named_source,
)
from handle_system.citing.options import CitationRequest
from handle_system.citing.page import read_page
from handle_system.citing.values import CitationError, read_flag
from sphinxcontrib_handle.citation_nodes import (
    CiteBlock,
    FormatBlock,
    block_node,
    notice_node,
)
from sphinxcontrib_handle.cite_automatic import add_placeholder, place_notice
from sphinxcontrib_handle.cite_directive import CitePlaceholder
from sphinxcontrib_handle.cite_sources import Variables, metadata_of, surroundings
from sphinxcontrib_handle.cite_store import note_block, note_page, note_variables
from sphinxcontrib_handle.cite_trouble import Trouble, note_trouble
from sphinxcontrib_handle.cited_page import CitedPage
from sphinxcontrib_handle.collect import is_translated_message
from sphinxcontrib_handle.domain import Place, handle_domain
from sphinxcontrib_handle.links import SourceLines
from sphinxcontrib_handle.messages import HandleWarning, citation_warning
from sphinxcontrib_handle.options import proxies
from sphinxcontrib_handle.translations import _

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["Citing", "setup_cite_transform"]


class Citing(SphinxTransform):
    """Make the blocks of one document."""

    default_priority = 400

    def apply(self, **_kwargs: Any) -> None:
        """Work on one document."""
        if is_translated_message(self.document):
            return
        add_placeholder(self.env, self.document)
        lines = SourceLines(self.config.source_encoding)
        for placeholder in list(self.document.findall(CitePlaceholder)):
            block = _Block(self, placeholder, lines).make()
            placeholder.replace_self([] if block is None else block)


class _Block:
    """One block, from what is written to what is shown."""

    def __init__(
        self, page: Citing, placeholder: CitePlaceholder, lines: SourceLines
    ) -> None:
        self.document = page.document
        self.env = page.env
        self.config = page.config
        self.placeholder = placeholder
        self.lines = lines
        self.options: dict[str, str | None] = placeholder["options"]
        self.is_automatic = bool(placeholder.get("automatic"))
        #: Whether it is only the site's citation, on one of its pages.
        self.is_shared = self.is_automatic
        self.source = placeholder.source or ""
        self.line = placeholder.line or 0

    def make(self) -> CiteBlock | None:
        """The block; `None` if it cannot be made."""
        variables = Variables()
        try:
            around = self._surroundings(variables)
            request = gather_citation(self.options, self.placeholder["body"], around)
            is_example = EXAMPLE_OPTION in self.options and read_flag(
                self.options[EXAMPLE_OPTION], f":{EXAMPLE_OPTION}:"
            )
        except CitationError as error:
            self._tell(HandleWarning.CITATION, str(error), self._line_of(error))
            return None
        finally:
            note_variables(self.env, variables)
        if not is_example:
            self._check(request)
        return self._shown(request, is_example=is_example)

    def _surroundings(self, variables: Variables) -> Surroundings:
        if self.is_automatic:
            page = read_page(metadata_of(self.document))
            self.is_shared = not (page.options or page.body or page.source)
        return surroundings(self.env, self.document, self.options, variables)

    def _check(self, request: CitationRequest) -> None:
        for problem in check_work(
            request.work, request.this, release=self._release_to_match()
        ):
            kind = citation_warning(problem.code)
            self._tell(kind, str(problem), self._line_of_problem(problem))

    def _release_to_match(self) -> str | None:
        """The release, if the block speaks for the whole of what is released.

        A page elsewhere may have a work of its own, with versions of its own.
        """
        named = named_source(
            self.options, metadata_of(self.document), self.config.handle_work
        )
        speaks = self.env.docname == self.config.root_doc or (
            named is not None and named.is_configured
        )
        return self.config.release if speaks else None

    def _shown(self, request: CitationRequest, *, is_example: bool) -> CiteBlock:
        where = proxies(self.config)
        work, this = request.work, request.this
        shown = citation_block(work, this, request.display, proxies=where)
        block = block_node(shown, _, where)
        anchor = make_id(self.env, self.document, "cite", slug(work.title))
        block["ids"].append(anchor)
        self.document.set_id(block)
        note_block(self.env)
        if not is_example and note_page(
            self.env,
            CitedPage(
                work=work,
                this=this,
                anchor=anchor,
                formats=request.display.formats,
                has_history=request.display.history,
                source=self.source,
                line=self.line,
                is_own=self._speaks_for_itself(),
            ),
        ):
            for each in block.findall(FormatBlock):
                each["page"] = self.env.docname
        self._note_places(request, anchor)
        if self.is_automatic and shown.notice is not None:
            place_notice(self.document, notice_node(shown.notice, _, where))
        for node in block.findall():
            node.source, node.line = self.source, self.line or None
        return block

    def _speaks_for_itself(self) -> bool:
        return not self.is_shared or self.env.docname == self.config.root_doc

    def _note_places(self, request: CitationRequest, anchor: str) -> None:
        """Record the handles, so that they are verified and listed."""
        if not self._speaks_for_itself():
            # They are on every page, and recorded on the root page.
            return
        for handle in distinct_handles(request.work, request.this):
            first = self.line or getattr(self.placeholder.parent, "line", 0) or 0
            source, line = self.lines.find(self.source, first, str(handle))
            place = Place(
                self.env.docname,
                source,
                line,
                str(handle),
                str(handle),
                handle.comparison_key,
                anchor,
            )
            handle_domain(self.env).note_place(place)

    def _line_of(self, error: CitationError) -> int:
        if error.line is not None:
            return error.line
        known: dict[str, int] = self.placeholder["lines"]
        return known.get(error.where.strip(":"), 0) or self._field_line(error.where)

    def _field_line(self, name: str) -> int:
        for field in self.document.findall(nodes.field):
            if field.children[0].astext().strip() == name and field.line:
                return field.line
        return self.line

    def _line_of_problem(self, problem: CitationProblem) -> int:
        """The line of the version concerned in the body, if it stands there."""
        for line, label in self._rows():
            if label == problem.version and line is not None:
                return line
        return self.line

    def _rows(self) -> Iterator[tuple[int | None, str]]:
        for line, text in self.placeholder["body"]:
            yield line, text.partition("|")[0].strip()

    def _tell(self, kind: HandleWarning, message: str, line: int) -> None:
        note_trouble(
            self.env,
            Trouble(
                kind=kind,
                message=message,
                source=self.source,
                line=line,
                is_shared=self.is_shared,
            ),
        )


def setup_cite_transform(app: "Sphinx") -> None:
    """Register the transform."""
    app.add_transform(Citing)
