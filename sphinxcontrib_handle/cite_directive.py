"""The directive ``cite-version``: how to cite this version, and the work."""

from typing import TYPE_CHECKING, ClassVar

from docutils.parsers.rst import directives
from sphinx.locale import get_translation
from sphinx.util.docutils import SphinxDirective

from handle_system.citation_block import citation_block
from handle_system.citation_checks import check_work
from handle_system.citation_options import (
    FLAG_OPTIONS,
    TEXT_OPTIONS,
    CitationContext,
    read_options,
)
from handle_system.citation_values import CitationError, Reading
from sphinxcontrib_handle.citation_nodes import block_node
from sphinxcontrib_handle.messages import HandleWarning, citation_warning, warn
from sphinxcontrib_handle.options import proxies

if TYPE_CHECKING:
    from collections.abc import Callable

    from docutils import nodes
    from sphinx.application import Sphinx

__all__ = ["MESSAGE_CATALOG", "CiteVersion", "setup_citing"]

#: The name of this extension's message catalogue.
MESSAGE_CATALOG = "sphinxcontrib.handle"


class CiteVersion(SphinxDirective):
    """Read the options, check them, and build the block."""

    has_content = True
    option_spec: ClassVar[dict[str, "Callable[[str], object]"]] = {
        **dict.fromkeys(TEXT_OPTIONS, directives.unchanged),
        **dict.fromkeys(FLAG_OPTIONS, directives.unchanged),
    }

    def run(self) -> "list[nodes.Node]":
        """Make the block; what is wrong is warned of, and the build goes on."""
        where = proxies(self.config)
        location = self.get_location()
        context = CitationContext(
            label=self.config.release or None, reading=Reading(proxies=where)
        )
        body = [
            (self.content.items[index][1] + 1, text)
            for index, text in enumerate(self.content)
        ]
        try:
            request = read_options(self.options, body, context)
        except CitationError as error:
            warn(self.config, HandleWarning.CITATION, str(error), location=location)
            return []
        for problem in check_work(request.work, request.this):
            kind = citation_warning(problem.code)
            warn(self.config, kind, str(problem), location=location)
        block = citation_block(
            request.work, request.this, request.display, proxies=where
        )
        node = block_node(block, get_translation(MESSAGE_CATALOG))
        for each in node.findall():
            self.set_source_info(each)
        return [node]


def setup_citing(app: "Sphinx") -> None:
    """Register the directive."""
    app.add_directive("cite-version", CiteVersion)
