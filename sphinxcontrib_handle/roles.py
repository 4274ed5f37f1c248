"""The roles ``hdl`` and ``doi``.

They are docutils roles, so reStructuredText, MyST and plain docutils have the same ones.
"""

from functools import partial
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils import unescape

from handle_system.display import shown
from handle_system.errors import HandleSyntaxError
from handle_system.role_content import read_role_content
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

__all__ = ["handle_role", "register_roles"]


def handle_role(  # noqa: PLR0913, PLR0917 - docutils calls with these
    name: str,  # noqa: ARG001 - docutils calls with it
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Any,
    options: dict[str, Any] | None = None,
    content: object = None,  # noqa: ARG001 - docutils calls with it
    *,
    doi_only: bool,
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Make the nodes of a role whose content is a reference to a handle.

    With `doi_only`, only a DOI will do. `LinkTargets` reports content that is malformed:
    only the finished document knows whether the text is shown.
    """
    settings = reference_settings(inliner.document.settings) or ReferenceSettings()
    node = _role_node(unescape(text), settings, rawtext, doi_only=doi_only)
    # A role that the document derives from this one adds classes.
    node["classes"] += (options or {}).get("classes", [])
    # MyST's stand-in for an inliner has no such method, and says so in its own way.
    if hasattr(type(inliner), "position"):
        node.source, node.line = inliner.position()
    else:
        node.source, node.line = inliner.reporter.get_source_and_line(lineno)
    return [node], []


def _role_node(
    written: str, settings: ReferenceSettings, rawtext: str, *, doi_only: bool
) -> nodes.TextElement:
    try:
        content = read_role_content(
            written,
            proxies=settings.proxies,
            document_charset=settings.charset,
            doi_only=doi_only,
        )
    except HandleSyntaxError as error:
        node = nodes.inline(rawtext, written, classes=["hdl", "hdl-malformed"])
        node[PROBLEM] = malformed("syntax", error)
        return node
    style = settings.display if content.with_scheme else "handle"
    text = content.title or shown(content.reference, settings.proxies, style)
    if content.linked:
        return link_node(
            content.reference,
            settings,
            written=content.written,
            text=text,
            rawsource=rawtext,
        )
    classes = ["hdl", NO_HANDLE]
    return nodes.inline(rawtext, text, classes=classes, support_smartquotes=False)


def register_roles(app: "Sphinx") -> None:
    """Register the two roles, unless the project has one of that name."""
    # Plain docutils does without Sphinx.
    from sphinx.util.docutils import is_role_registered  # noqa: PLC0415 - see above

    from sphinxcontrib_handle.messages import logger  # noqa: PLC0415 - see above

    for name in ("hdl", "doi"):
        if is_role_registered(name):
            logger.info(
                "the role %r is registered already and stays as it is; "
                "sphinxcontrib_handle leaves it alone",
                name,
            )
        else:
            app.add_role(name, partial(handle_role, doi_only=name == "doi"))
