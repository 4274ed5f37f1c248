"""The roles ``hdl`` and ``doi``.

They are docutils roles, so reStructuredText, MyST and plain docutils have the same ones.
"""

from functools import partial
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils import unescape

from handle_system.errors import HandleSyntaxError
from handle_system.findings.finding import Place
from handle_system.found import Found, Markup
from handle_system.presenting import CITING_DISPLAYS, MALFORMED_CLASSES
from handle_system.role_citations import (
    CitedReference,
    Cluster,
    read_role,
)
from handle_system.role_content import RoleContent
from sphinxcontrib_handle.links import (
    CITATION,
    CLUSTER,
    FOUND,
    NAMED,
    NO_HANDLE,
    ReferenceSettings,
    reference_settings,
    set_presented,
)

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def handle_role(  # noqa: PLR0913, PLR0917 - docutils calls with these
    name: str,  # noqa: ARG001 - docutils calls with it
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Any,
    options: dict[str, Any] | None = None,
    content: object = None,
    *,
    doi_only: bool,
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Make the nodes of a role whose content is a reference to a handle.

    With `doi_only`, only a DOI will do. `LinkTargets` reports content that is malformed:
    only the finished document knows whether the text is shown.
    """
    settings = reference_settings(inliner.document.settings) or ReferenceSettings()
    try:
        content = read_role(
            unescape(text),
            proxies=settings.values.link_proxies,
            document_charset=settings.charset,
            doi_only=doi_only,
        )
    except HandleSyntaxError as error:
        node, found = _malformed_node(error, text, rawtext)
        links: list[tuple[nodes.Element, Found]] = [(node, found)]
    else:
        if isinstance(content, Cluster):
            node = cluster_node(content, settings, rawtext, has_escapes="\0" in text)
            links = [
                (child, child[FOUND])
                for child in node
                if isinstance(child, nodes.reference)
            ]
        else:
            node, found = _role_node(content, text, settings, rawtext)
            links = [(node, found)]
    # A role that the document derives from this one adds classes.
    node["classes"] += (options or {}).get("classes", [])
    for link, found in links:
        _put(link, found, text, lineno, inliner)
        if NO_HANDLE in node["classes"]:
            del link[FOUND]
    return [node], []


def _put(
    node: nodes.Element, found: Found, text: str, lineno: int, inliner: Any
) -> None:
    """Give a node what was found in the content of its role, and its place."""
    # MyST's stand-in for an inliner has no such method, and says so in its own way.
    if hasattr(type(inliner), "put_role"):
        inliner.put_role(node, found, text)
    else:
        node.source, node.line = inliner.reporter.get_source_and_line(lineno)
        node[FOUND] = found._replace(place=Place(node.source or "", node.line or 0))


def _malformed_node(
    error: HandleSyntaxError, text: str, rawtext: str
) -> tuple[nodes.TextElement, Found]:
    written = unescape(text)
    node = nodes.inline(rawtext, written, classes=list(MALFORMED_CLASSES))
    error.with_traceback(None)
    return node, Found(error, 0, len(text), written, Markup.ROLE)


def cluster_node(
    cluster: Cluster, settings: ReferenceSettings, rawtext: str, *, has_escapes: bool
) -> nodes.inline:
    """The links of a cluster, whose texts are identifiers.

    In Sphinx a post-transform puts names and years or numbers in the place of them, if a
    file of references has them.

    Args:
        cluster: The cluster.
        settings: How references are shown.
        rawtext: The markup of the cluster.
        has_escapes: Whether offsets behind an escape differ from those in the source.
    """
    node = nodes.inline(rawtext, "", classes=["hdl-cluster"])
    if settings.describes_works:
        node[CLUSTER] = cluster.is_bracketed
        node[NAMED] = cluster.is_named
    if not any(cited.prefix or cited.locator for cited in cluster.cited):
        # Typography need not look at brackets and semicolons.
        node["support_smartquotes"] = False
    *before, behind = cluster.texts
    for cited, text in zip(cluster.cited, before, strict=True):
        node += nodes.Text(text)
        node += _cited_link(cited, settings, has_escapes=has_escapes)
    node += nodes.Text(behind)
    return node


def _cited_link(
    cited: CitedReference, settings: ReferenceSettings, *, has_escapes: bool
) -> nodes.reference:
    """The link of one reference of a cluster."""
    start, end = cited.start, cited.start + len(cited.written)
    if has_escapes:
        start, end = -1, -1
    found = Found(cited.reference, start, end, cited.written, Markup.ROLE)
    presented = settings.presenter.present(cited.reference)
    link = nodes.reference(cited.written, presented.text, internal=False)
    set_presented(link, presented)
    link[FOUND] = found
    if settings.describes_works:
        link[CITATION] = (cited.prefix, cited.locator)
    return link


def _role_node(
    content: RoleContent, text: str, settings: ReferenceSettings, rawtext: str
) -> tuple[nodes.TextElement, Found]:
    """The node of a role, and what is in its content: offsets count from there."""
    start, end = content.start, content.start + len(content.written)
    if "\0" in text:
        # Offsets behind an escape differ; the whole content has them.
        start, end = (0, len(text)) if content.title is None else (-1, -1)
    found = content.found._replace(start=start, end=end)
    presented = settings.presenter.present_role(content)
    if not content.linked:
        node = nodes.inline(rawtext, presented.text, support_smartquotes=False)
        node["classes"] += presented.classes
        return node, found
    link = nodes.reference(rawtext, presented.text, internal=False)
    set_presented(link, presented)
    is_citation = settings.values.display in CITING_DISPLAYS and content.with_scheme
    if is_citation and content.title is None and settings.describes_works:
        link[CITATION] = ("", "")
    return link, found


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
