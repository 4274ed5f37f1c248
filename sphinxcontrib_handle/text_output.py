"""Plain text shows identifiers: a link with a title of its own drops its target.

Sphinx's text writer writes the text of a link and nothing else; that of manual
pages adds the address itself, and paper has links of its own.
"""

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from handle_system.display import shown
from sphinxcontrib_handle.options import proxies

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["PlainText", "setup_text_output"]


class PlainText(SphinxPostTransform):
    """Put the identifier, in parentheses, after links that do not show it."""

    formats = ("text",)
    # After the links that come late (15) and what resolves references (10).
    default_priority = 400

    def run(self, **_kwargs: Any) -> None:
        """Work on one document."""
        where = proxies(self.config)
        for link in list(self.document.findall(nodes.reference)):
            if "hdl" not in link["classes"] or "refuri" not in link:
                continue
            reference = where.match(link["refuri"])
            if reference is None:
                continue
            text = link.astext().lower()
            told = (str(reference.handle), where.link(reference.handle), link["refuri"])
            if not any(each.lower() in text for each in told):
                link.append(nodes.Text(f" ({shown(reference, where)})"))


def setup_text_output(app: "Sphinx") -> None:
    """Register what plain text needs."""
    app.add_post_transform(PlainText)
