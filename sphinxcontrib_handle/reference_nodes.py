"""Nodes of citations and lists of references, and how HTML writes them.

Other builders get the node of docutils that each extends: some know writers' nodes by the
names of their classes alone.
"""

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from sphinxcontrib_handle.cite.nodes import CardNode

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

__all__ = [
    "BackNode",
    "CitationNode",
    "DateNode",
    "DocutilsNodes",
    "DownloadNode",
    "NoticeNode",
    "ReferencesNode",
    "setup_nodes",
]


class ReferencesNode(nodes.General, nodes.Element):
    """The place of a list of references, until its page is written.

    Its attributes are ``page``, the name of its document, which a PDF has among others,
    and ``index``, the number of the list there, from 0.
    """


class DateNode(nodes.inline):
    """A date; in HTML a ``time``, in other builders its text."""


class NoticeNode(nodes.reference):
    """A link to a notice, in HTML with a name that screen readers can tell apart."""


class CitationNode(nodes.reference):
    """A citation that leads to its entry, and says so to screen readers in HTML."""


class BackNode(nodes.reference):
    """A mark that leads from an entry back to a place, with a ``label`` in HTML."""


#: What each node is for builders other than HTML's.
_DOCUTILS_NODES: dict[type[nodes.Element], type[nodes.Element]] = {
    BackNode: nodes.reference,
    CardNode: nodes.container,
    CitationNode: nodes.reference,
    DateNode: nodes.inline,
    NoticeNode: nodes.reference,
}


class DocutilsNodes(SphinxPostTransform):
    """Builders other than HTML's: put docutils' own nodes in the place of ours."""

    # After everything that makes our nodes or looks at them.
    default_priority = 900

    def run(self, **_kwargs: Any) -> None:
        """Work on one document."""
        for node in list(self.document.findall(nodes.Element)):
            docutils_class = _DOCUTILS_NODES.get(type(node))
            if docutils_class is not None:
                node.replace_self(_as(docutils_class, node))


def _as(docutils_class: type[nodes.Element], node: nodes.Element) -> nodes.Element:
    """A node of another class with the same attributes and children."""
    made = docutils_class()
    made.rawsource = node.rawsource
    made.source = node.source
    made.line = node.line
    made.attributes = node.attributes
    made += node.children
    return made


class DownloadNode(nodes.reference):
    """A link to a file that readers download."""


def _visit_date(writer: "HTML5Translator", node: DateNode) -> None:
    writer.body.append(writer.starttag(node, "time", "", datetime=node.astext()))


def _depart_date(writer: "HTML5Translator", _node: DateNode) -> None:
    writer.body.append("</time>")


def _visit_notice(writer: "HTML5Translator", node: NoticeNode) -> None:
    attributes: dict[str, Any] = {
        "class": "reference external",
        "href": node["refuri"],
        "title": node["reftitle"],
        "aria-label": node["label"],
    }
    writer.body.append(writer.starttag(node, "a", "", **attributes))


def _visit_citation(writer: "HTML5Translator", node: CitationNode) -> None:
    attributes: dict[str, Any] = {
        "class": "reference internal",
        "href": _target(node),
        "role": "doc-biblioref",
    }
    if "reftitle" in node:
        attributes["title"] = node["reftitle"]
    writer.body.append(writer.starttag(node, "a", "", **attributes))


def _visit_back(writer: "HTML5Translator", node: BackNode) -> None:
    attributes: dict[str, Any] = {
        "class": "reference internal",
        "href": _target(node),
        "role": "doc-backlink",
        "aria-label": node["label"],
    }
    writer.body.append(writer.starttag(node, "a", "", **attributes))


def _visit_download(writer: "HTML5Translator", node: DownloadNode) -> None:
    attributes: dict[str, Any] = {
        "class": "reference download internal",
        "download": "",
        "href": node["refuri"],
    }
    writer.body.append(writer.starttag(node, "a", "", **attributes))


def _depart_link(writer: "HTML5Translator", _node: nodes.reference) -> None:
    writer.body.append("</a>")


def _target(node: nodes.reference) -> str:
    """The address of a link within the project."""
    return f"#{node['refid']}" if "refid" in node else str(node["refuri"])


def _replace_for_other_builders(app: "Sphinx") -> None:
    if app.builder.format != "html":
        app.add_post_transform(DocutilsNodes)


def setup_nodes(app: "Sphinx") -> None:
    """Add the nodes, and the transform that replaces them."""
    app.connect("builder-inited", _replace_for_other_builders)
    app.add_node(ReferencesNode)
    app.add_node(DateNode, html=(_visit_date, _depart_date))
    app.add_node(NoticeNode, html=(_visit_notice, _depart_link))
    app.add_node(CitationNode, html=(_visit_citation, _depart_link))
    app.add_node(BackNode, html=(_visit_back, _depart_link))
    app.add_node(DownloadNode, html=(_visit_download, _depart_link))
