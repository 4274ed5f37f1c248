"""The directive ``cite-version``: how to cite this version, and the work.

It leaves a placeholder: what it says depends on the page's metadata too, and those
are known when the page has been parsed (`cite_transform`).
"""

from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from handle_system.citing.gathering import DIRECTIVE_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

__all__ = ["DIRECTIVE", "CitePlaceholder", "CiteVersion", "setup_cite_directive"]

#: The directive's name.
DIRECTIVE = "cite-version"


class CitePlaceholder(nodes.General, nodes.Element):
    """The place of a block, while its page is being read.

    Its attributes are ``options`` (text by name), ``body`` (lines, each with its
    number), and ``lines`` (the numbers of the options' lines, by name).
    """


class CiteVersion(SphinxDirective):
    """Keep what is written, and where."""

    has_content = True
    option_spec: ClassVar[dict[str, "Callable[[str], object]"]] = dict.fromkeys(
        DIRECTIVE_OPTIONS, directives.unchanged
    )

    def run(self) -> list[nodes.Node]:
        """Leave a placeholder."""
        placeholder = CitePlaceholder(
            options=dict(self.options),
            body=[
                (self.content.items[index][1] + 1, text)
                for index, text in enumerate(self.content)
            ],
            lines=self._option_lines(),
        )
        self.set_source_info(placeholder)
        return [placeholder]

    def _option_lines(self) -> dict[str, int]:
        """On which line each option stands; none that cannot be told."""
        _, first = self.get_source_info()
        lines = self.block_text.splitlines()
        if not lines or DIRECTIVE not in lines[0]:
            return {}
        found: dict[str, int] = {}
        for number, line in enumerate(lines, first):
            name = line.strip().removeprefix(":").partition(":")[0]
            if name in self.options:
                found.setdefault(name, number)
        return found


def setup_cite_directive(app: "Sphinx") -> None:
    """Register the directive."""
    app.add_directive(DIRECTIVE, CiteVersion)
