"""The roles ``hdl`` and ``doi``, and those that a project binds to a prefix.

They are docutils roles and need no Sphinx, so reStructuredText, MyST and plain docutils
have the same ones.

Sphinx registers them at ``builder-inited``, after the extensions that register theirs
there (extlinks is one). Only then is it known whether the project has a role of that
name, which stays as it is.
"""

from typing import TYPE_CHECKING, Any, cast

from docutils import nodes
from docutils.parsers.rst import roles
from docutils.utils import unescape

from handle_system.display import shown
from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.reference import HandleReference
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

__all__ = ["HandleRole", "PrefixRole", "register_roles"]


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
            node = _node(self.read(written, settings), settings, rawtext)
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

    def read(self, text: str, settings: ReferenceSettings) -> RoleContent:
        """Read the content.

        Raises:
            HandleSyntaxError: when it is no reference.
        """
        return read_role_content(
            text,
            proxies=settings.proxies,
            document_charset=settings.charset,
            doi_only=self.doi_only,
        )


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
        is_identifier=content.title is None,
    )


class PrefixRole(HandleRole):
    """A role of the project, whose content is a suffix: the prefix is fixed.

    ::

        content = [ "!" | "~" ] suffix
                | title white-space "<" suffix ">"

    Args:
        prefix: The prefix of all its handles.
    """

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self.prefix = prefix

    def read(self, text: str, settings: ReferenceSettings) -> RoleContent:  # noqa: ARG002 - as in the base class
        """Read the content. Every character of a suffix is legal.

        Raises:
            HandleSyntaxError: when it is no suffix.
        """
        text = text.replace("\n", " ").strip()
        title, bracket, inner = text.rpartition(" <")
        if bracket and inner.endswith(">"):
            return self._content(inner.removesuffix(">"), title=title.rstrip())
        mark = text[:1] if text[:1] in {"!", "~"} else ""
        return self._content(
            text.removeprefix(mark), linked=mark != "!", with_scheme=mark != "~"
        )

    def _content(self, suffix: str, **content: Any) -> RoleContent:
        reference = HandleReference(handle=Handle(self.prefix, suffix))
        return RoleContent(reference=reference, written=suffix, **content)


def register_roles(app: "Sphinx") -> None:
    """Register the roles of a project whose names are free."""
    # Only Sphinx calls this; plain docutils does without it.
    from sphinx.util import logging  # noqa: PLC0415 - see above

    from sphinxcontrib_handle.messages import HandleWarning, warn  # noqa: PLC0415 - see above

    own: dict[str, str] = app.config.handle_roles
    for name, prefix in own.items():
        if _registered(name) in {None, PrefixRole}:
            app.add_role(name, PrefixRole(prefix), override=True)
        else:
            message = f"handle_roles: {name!r} is a role already, and stays as it is"
            warn(app.config, HandleWarning.CONFIG, message)
    for name in {"hdl", "doi"} - own.keys():
        if _registered(name) in {None, HandleRole}:
            app.add_role(name, HandleRole(doi_only=name == "doi"), override=True)
        else:
            logging.getLogger(__name__).info(
                "the role %r is the project's own and stays as it is; "
                "sphinxcontrib_handle leaves it alone",
                name,
            )


def _registered(name: str) -> type | None:
    """The type of the role that has the name; an earlier build's in this process counts."""
    # Docutils keeps roles in one table of the process, and has no accessor for it.
    table = cast("dict[str, object]", roles._roles)  # type: ignore[attr-defined]  # noqa: SLF001 - see above
    return type(table[name]) if name in table else None
