"""The roles ``hdl`` and ``doi``.

They are docutils roles, so reStructuredText, MyST and plain docutils have the same ones.
"""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils import unescape

from handle_system.display import shown
from handle_system.errors import HandleSyntaxError
from handle_system.found import Found, Markup, Place
from handle_system.role_content import read_role_content
from sphinxcontrib_handle.links import (
    CITATION,
    FOUND,
    NO_HANDLE,
    ReferenceSettings,
    link_node,
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
    node, found = _role_node(text, settings, rawtext, doi_only=doi_only)
    # A role that the document derives from this one adds classes.
    node["classes"] += (options or {}).get("classes", [])
    # MyST's stand-in for an inliner has no such method, and says so in its own way.
    if hasattr(type(inliner), "put_role"):
        inliner.put_role(node, found, text)
    else:
        node.source, node.line = inliner.reporter.get_source_and_line(lineno)
        node[FOUND] = replace(found, place=Place(node.source or "", node.line or 0))
    if NO_HANDLE in node["classes"]:
        del node[FOUND]
    return [node], []


def _role_node(
    text: str, settings: ReferenceSettings, rawtext: str, *, doi_only: bool
) -> tuple[nodes.TextElement, Found]:
    """The node of a role, and what is in its content: offsets count from there."""
    written = unescape(text)
    try:
        content = read_role_content(
            written,
            proxies=settings.proxies,
            document_charset=settings.charset,
            doi_only=doi_only,
        )
    except HandleSyntaxError as error:
        node = nodes.inline(rawtext, written, classes=["hdl", "hdl-malformed"])
        error.with_traceback(None)
        return node, Found(error, 0, len(text), written, Markup.ROLE)
    start, end = content.start, content.start + len(content.written)
    if "\0" in text:
        # Offsets behind an escape differ; the whole content has them.
        start, end = (0, len(text)) if content.title is None else (-1, -1)
    found = Found(content.reference, start, end, content.written, Markup.ROLE)
    style = settings.display if content.with_scheme else "handle"
    shown_text = content.title or shown(content.reference, settings.proxies, style)
    if content.linked:
        link = link_node(found, settings, text=shown_text, rawsource=rawtext)
        if style == "citation" and content.title is None:
            link[CITATION] = True
        return link, found
    classes = ["hdl", NO_HANDLE]
    node = nodes.inline(rawtext, shown_text, classes=classes, support_smartquotes=False)
    return node, found


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
