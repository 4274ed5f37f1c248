"""The roles ``hdl`` and ``doi``.

They are docutils roles and need no Sphinx, so reStructuredText, MyST and plain docutils
have the same ones.

Sphinx registers them at ``builder-inited``, after the extensions that register theirs
there (extlinks is one). Only then is it known whether the project has a role of that
name, which stays as it is.
"""

from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.parsers.rst import roles
from docutils.utils import unescape

from handle_system.display import shown
from handle_system.errors import HandleSyntaxError
from handle_system.role_content import RoleContent, read_role_content
from sphinxcontrib_handle.links import (
    NO_HANDLE,
    PROBLEM,
    ReferenceSettings,
    link_node,
    malformed,
    reference_settings,
)

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["HandleRole", "register_roles"]


class HandleRole:
    """A role whose content is a reference to a handle.

    `LinkTargets` reports content that is malformed: only the finished document knows
    whether the text is shown.

    Args:
        doi_only: Whether only a DOI will do.
    """

    def __init__(self, *, doi_only: bool = False) -> None:
        self.doi_only = doi_only

    def __call__(  # noqa: PLR0913, PLR0917 - docutils calls with these
        self,
        name: str,  # noqa: ARG002 - docutils calls with it
        rawtext: str,
        text: str,
        lineno: int,
        inliner: Any,
        options: dict[str, Any] | None = None,
        content: object = None,  # noqa: ARG002 - docutils calls with it
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the nodes of one role."""
        settings = reference_settings(inliner.document.settings) or ReferenceSettings()
        written = unescape(text)
        try:
            parsed = read_role_content(
                written,
                proxies=settings.proxies,
                document_charset=settings.charset,
                doi_only=self.doi_only,
            )
            node = _node(parsed, settings, rawtext)
        except HandleSyntaxError as error:
            node = nodes.inline(rawtext, written, classes=["hdl", "hdl-malformed"])
            node[PROBLEM] = malformed("syntax", error)
        # A role that the document derives from this one adds classes.
        node["classes"] += (options or {}).get("classes", [])
        # MyST's stand-in for an inliner has no such method, and says so in its own way.
        if hasattr(type(inliner), "position"):
            node.source, node.line = inliner.position()
        else:
            node.source, node.line = inliner.reporter.get_source_and_line(lineno)
        return [node], []


def _node(
    content: RoleContent, settings: ReferenceSettings, rawtext: str
) -> nodes.TextElement:
    style = settings.display if content.with_scheme else "handle"
    text = content.title or shown(content.reference, settings.proxies, style)
    if not content.linked:
        node = nodes.inline(rawtext, text, classes=["hdl", NO_HANDLE])
        node["support_smartquotes"] = False
        return node
    return link_node(
        content.reference,
        settings,
        written=content.written,
        text=text,
        rawsource=rawtext,
    )


def register_roles(app: "Sphinx") -> None:
    """Register the two roles, unless the project has a role of that name."""
    # Only Sphinx calls this; plain docutils does without it.
    from sphinx.util import logging  # noqa: PLC0415 - see above

    # Docutils keeps roles in one table of the process, and has no accessor for it.
    table: dict[str, object] = roles._roles  # type: ignore[attr-defined]  # noqa: SLF001 - see above
    for name in ("hdl", "doi"):
        # An earlier build in this process may have registered ours.
        if isinstance(table.get(name), HandleRole | None):
            app.add_role(name, HandleRole(doi_only=name == "doi"), override=True)
        else:
            logging.getLogger(__name__).info(
                "the role %r is the project's own and stays as it is; "
                "sphinxcontrib_handle leaves it alone",
                name,
            )
