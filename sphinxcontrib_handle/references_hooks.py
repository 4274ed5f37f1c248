"""When a build describes works: with a file of references, lists or citations.

Most projects have none of them, and load nothing that reads works or makes lists.
"""

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from handle_system.describing.described_works import CITATIONS_STYLESHEET, STATIC
from handle_system.describing.list_options import ListOptions
from sphinxcontrib_handle.citation_nodes import ReferencesNode, setup_nodes
from sphinxcontrib_handle.collect import present_late_links
from sphinxcontrib_handle.domain import handle_domain
from sphinxcontrib_handle.links import (
    CITATION,
    CLUSTER,
    HAS_CITATIONS,
    HAS_LINKS,
    PLACE_NUMBER,
    inline_nodes,
)
from sphinxcontrib_handle.references_directive import HandleReferences
from sphinxcontrib_handle.references_files import file_paths, read_files
from sphinxcontrib_handle.written_again import documents_to_write

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

# ruff: noqa: PLC0415
# The text at the top says why modules are imported in functions.


class DescribeWorks(SphinxPostTransform):
    """Complete the links of a document, and describe works in them, in lists and in cards."""

    # After links have their targets (at 5 those of sphinxcontrib-bibtex, at 10 those of
    # Sphinx), before builders look at texts (450).
    default_priority = 16

    def run(self, **_kwargs: Any) -> None:
        """Work on one document."""
        self._complete_links()
        domain = handle_domain(self.env)
        # After the links of the text: those of a list need no title.
        if domain.has_lists and any(self.document.findall(ReferencesNode)):
            from sphinxcontrib_handle.references_list import ListFiller

            ListFiller(self.document, self.env).fill()
        has_cards = bool(domain.data["cited"] and domain.has_works)
        if has_cards and domain.builder.format != "html":
            from sphinxcontrib_handle.update_lines import put_article_updates

            put_article_updates(self.document, self.env)

    def _complete_links(self) -> None:
        """Present the links that have a target only now, and describe their works."""
        in_text = inline_nodes(self.document)
        links = [node for node in in_text if isinstance(node, nodes.reference)]
        present_late_links(links, self.document, self.env)
        if any("hdl" in link["classes"] for link in links):
            self.document[HAS_LINKS] = True
        if handle_domain(self.env).describes_works or _has_citations(in_text):
            from sphinxcontrib_handle.in_text import LinkDescriber

            LinkDescriber(self.document, self.env).describe(in_text)
        else:
            for link in links:
                link.attributes.pop(PLACE_NUMBER, None)


def _has_citations(in_text: Sequence[nodes.Element]) -> bool:
    """Whether a role cites a work, for which a list or a file may have a text."""
    return any(
        CITATION in node.attributes or CLUSTER in node.attributes for node in in_text
    )


def _report_works(app: "Sphinx", env: "BuildEnvironment") -> None:
    """Report what is said of works, and whether anything has changed that pages show."""
    domain = handle_domain(env)
    is_described = bool(
        file_paths(env)
        or app.config.handle_retractions
        or domain.data["reference_lists"]
    )
    is_numbered = app.config.handle_display == "number"
    if is_described or is_numbered or domain.has_texts:
        from sphinxcontrib_handle.references_list import report_works

        report_works(app, env)
    else:
        domain.data["last_builds"].pop(app.builder.name, None)


def _write_downloads(app: "Sphinx", env: "BuildEnvironment") -> None:
    """Write the files of lists, before processes of their own write pages."""
    lists = chain.from_iterable(handle_domain(env).data["reference_lists"].values())
    if any(ListOptions(*fields).is_offered for fields in lists):
        from sphinxcontrib_handle.list_downloads import write_downloads

        write_downloads(app, env)


def _copy_stylesheets(app: "Sphinx", env: "BuildEnvironment") -> None:
    """Have the stylesheets copied, if a page has a list or may cite works.

    Before Sphinx 8.1, ``singlehtml`` has no event for the begin of writing.
    """
    domain = handle_domain(env)
    if app.builder.format == "html" and domain.describes_works:
        app.config.html_static_path.append(str(STATIC))


def _add_head(
    app: "Sphinx",
    _pagename: str,
    _template: str,
    context: dict[str, object],
    doctree: nodes.document | None,
) -> None:
    """Link the stylesheets that a page needs, and name the works of its lists."""
    if doctree is None:
        return
    if HAS_CITATIONS in doctree:
        app.add_css_file(CITATIONS_STYLESHEET)
    if handle_domain(app.env).has_lists:
        from sphinxcontrib_handle.references_list import add_works_to_head

        add_works_to_head(app, context, doctree)


def setup_references(app: "Sphinx") -> None:
    """Add the directive, the transform and the events."""
    app.add_directive("handle-references", HandleReferences)
    setup_nodes(app)
    app.add_post_transform(DescribeWorks)
    app.connect("env-get-outdated", read_files)
    # All documents are read at `env-updated`, and bibliographies are recorded (700).
    app.connect("env-updated", _report_works, priority=800)
    app.connect("env-updated", documents_to_write, priority=820)
    app.connect("env-updated", _write_downloads, priority=830)
    app.connect("env-updated", _copy_stylesheets)
    app.connect("html-page-context", _add_head)
