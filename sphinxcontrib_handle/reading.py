"""What is known of a document only while it is read.

Sphinx throws it away when the next document begins; nothing of it is stored, and
nothing of it hangs on nodes.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.environment import BuildEnvironment

__all__ = ["Reading", "reading"]

_KEY = "sphinxcontrib_handle"


@dataclass(slots=True)
class Reading:
    """What the passes over one document tell each other.

    Attributes:
        standalone: Links that docutils made of URIs in running text, by identity.
        is_marked: Whether any node carries something to be recorded or told.
        marked: Those nodes, in the document's order, before substitution.
        texts: What those show that are to be left alone by typography, by identity.
    """

    standalone: "dict[int, nodes.reference]" = field(default_factory=dict)
    is_marked: bool = False
    marked: "list[nodes.Element]" = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)

    def note_standalone(self, link: "nodes.reference") -> None:
        """Remember a link; it stays alive as long as its identity counts."""
        self.standalone[id(link)] = link

    def is_standalone(self, link: "nodes.Node") -> bool:
        """Whether docutils made the link of a URI in running text."""
        return id(link) in self.standalone


def reading(env: "BuildEnvironment") -> Reading:
    """What is known of the document that is being read."""
    return cast("Reading", env.temp_data.setdefault(_KEY, Reading()))
