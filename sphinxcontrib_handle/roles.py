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
from handle_system.handle import Handle
from handle_system.reference import HandleReference
from handle_system.role_content import RoleContent, read_role_content
from sphinxcontrib_handle.links import MALFORMED, NO_HANDLE, link_node, malformed
from sphinxcontrib_handle.messages import HandleWarning, warn
from sphinxcontrib_handle.options import options, proxies
from sphinxcontrib_handle.reading import reading

if TYPE_CHECKING:
    from docutils.nodes import Node, system_message
    from sphinx.application import Sphinx

__all__ = ["HandleRole", "PrefixRole", "setup_roles"]

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
            content = self.read()
        except HandleSyntaxError as error:
            node: nodes.TextElement = nodes.inline(self.rawtext, self.text)
            node["classes"] = ["hdl", "hdl-malformed"]
            node["support_smartquotes"] = False
            node[MALFORMED] = malformed(HandleWarning.SYNTAX, error)
        else:
            node = self._node_of(content)
        # What a role that the document makes of this one asks for.
        node["classes"] += self.options.get("classes", [])
        reading(self.env).is_marked = True
        self.set_source_info(node)
        return [node], []

    def read(self) -> RoleContent:
        """Read the content.

        Raises:
            HandleSyntaxError: when it is no reference.
        """
        return read_role_content(
            self.text,
            proxies=proxies(self.config),
            document_charset=self.config.source_encoding,
            doi_only=self.doi_only,
        )

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


class PrefixRole(HandleRole):
    """A role of the project's own, whose content is a suffix: the prefix is fixed.

    ::

        content = [ "!" | "~" ] suffix
                | title white-space "<" suffix ">"

    Args:
        prefix: The prefix of all its handles.
    """

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self.prefix = prefix

    def read(self) -> RoleContent:
        """Read the content; what may stand in a suffix is no error.

        Raises:
            HandleSyntaxError: when it is no suffix.
        """
        text = self.text.replace("\n", " ").strip()
        title, bracket, inner = text.rpartition(" <")
        if bracket and inner.endswith(">"):
            return self._content(inner.removesuffix(">"), title=title.rstrip())
        mark = text[:1] if text[:1] in {"!", "~"} else ""
        return self._content(
            text.removeprefix(mark), linked=mark != "!", with_scheme=mark != "~"
        )

    def _content(
        self,
        suffix: str,
        *,
        title: str | None = None,
        linked: bool = True,
        with_scheme: bool = True,
    ) -> RoleContent:
        return RoleContent(
            reference=HandleReference(handle=Handle(self.prefix, suffix)),
            written=suffix,
            title=title,
            linked=linked,
            with_scheme=with_scheme,
        )


def setup_roles(app: "Sphinx") -> None:
    """Register the roles once it is known which names are free."""
    app.connect("builder-inited", _register_roles, priority=_AFTER_OTHERS)


def _register_roles(app: "Sphinx") -> None:
    own = options(app.config).roles
    for name, prefix in own.items():
        if _registered(name) in {None, PrefixRole}:
            app.add_role(name, PrefixRole(prefix), override=True)
        else:
            message = f"handle_roles: {name!r} is a role already, and stays as it is"
            warn(app.config, HandleWarning.CONFIG, message)
    for name in ("hdl", "doi"):
        if name in own:
            continue
        if _registered(name) in {None, HandleRole}:
            app.add_role(name, HandleRole(doi_only=name == "doi"), override=True)
        else:
            logger.info(
                "the role %r is the project's own and stays as it is; "
                "sphinxcontrib_handle leaves it alone",
                name,
            )


def _registered(name: str) -> type | None:
    """What kind of role has the name; one of an earlier build in this process counts."""
    # Docutils keeps roles in one table of the process, and has no accessor for it.
    table = cast("dict[str, object]", roles._roles)  # type: ignore[attr-defined]  # noqa: SLF001
    return type(table[name]) if name in table else None
