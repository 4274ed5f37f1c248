"""The roles ``hdl`` and ``doi``, and those that a project binds to a prefix.

They are registered late, at ``builder-inited`` and after the extensions that
register theirs there (extlinks is one): only then is it known whether the
project has a role of that name of its own, which is left alone.
"""

from typing import TYPE_CHECKING, cast

from docutils import nodes
from docutils.parsers.rst import roles
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from handle_system.display import shown
from handle_system.errors import HandleSyntaxError
from handle_system.role_content import RoleContent, read_role_content
from sphinxcontrib_handle.links import MALFORMED, NO_HANDLE, link_node, malformed
from sphinxcontrib_handle.messages import HandleWarning
from sphinxcontrib_handle.options import options, proxies

if TYPE_CHECKING:
    from docutils.nodes import Node, system_message
    from sphinx.application import Sphinx

__all__ = ["HandleRole", "setup_roles"]

logger = logging.getLogger(__name__)

# After extlinks and others, which register their roles with the default of 500.
_AFTER_OTHERS = 900


class HandleRole(SphinxRole):
    """A role whose content is a reference to a handle.

    What is wrong with a content is not told here but once the document is whole
    (`sphinxcontrib_handle.collection`): a role only knows the line on which its
    paragraph begins.

    Args:
        doi_only: Whether only a DOI will do.
    """

    def __init__(self, *, doi_only: bool = False) -> None:
        super().__init__()
        self.doi_only = doi_only

    def run(self) -> "tuple[list[Node], list[system_message]]":
        """Make the nodes of one role."""
        try:
            content = read_role_content(
                self.text,
                proxies=proxies(self.config),
                document_charset=self.config.source_encoding,
                doi_only=self.doi_only,
            )
        except HandleSyntaxError as error:
            node: nodes.TextElement = nodes.inline(self.rawtext, self.text)
            node["classes"] = ["hdl", "hdl-malformed"]
            node["support_smartquotes"] = False
            node[MALFORMED] = malformed(HandleWarning.SYNTAX, error)
        else:
            node = self._node_of(content)
        self.set_source_info(node)
        return [node], []

    def _node_of(self, content: RoleContent) -> nodes.TextElement:
        style = options(self.config).display if content.with_scheme else "handle"
        where = proxies(self.config)
        text = content.title or shown(content.reference, where, style)
        if not content.linked:
            node = nodes.inline(self.rawtext, text, classes=["hdl", NO_HANDLE])
            node["support_smartquotes"] = False
            return node
        return link_node(
            content.reference,
            where,
            written=content.written,
            text=text,
            rawsource=self.rawtext,
            is_identifier=content.title is None,
        )


def setup_roles(app: "Sphinx") -> None:
    """Register the roles once it is known which names are free."""
    app.connect("builder-inited", _register_roles, priority=_AFTER_OTHERS)


def _register_roles(app: "Sphinx") -> None:
    for name in ("hdl", "doi"):
        # Docutils keeps roles by name in one table of the process.
        registered = cast("dict[str, object]", roles._roles).get(name)  # type: ignore[attr-defined]  # noqa: SLF001 - it has no other accessor
        if registered is None or isinstance(registered, HandleRole):
            app.add_role(name, HandleRole(doi_only=name == "doi"), override=True)
        else:
            logger.info(
                "the role %r is the project's own and stays as it is; "
                "sphinxcontrib_handle leaves it alone",
                name,
            )
