"""Links to handles in a doctree: their settings, and how they are made.

References in text and roles make links while a document is parsed. Until the transform in
`sphinxcontrib_handle.targets` has run, attributes of ours travel with nodes. They hold
plain data, and the transform takes them off.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from docutils import nodes

from handle_system.diagnostics import diagnose
from handle_system.display import DisplayStyle, hover, shows
from handle_system.errors import HandleSyntaxError, showable
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference

__all__ = [
    "NAMES",
    "NO_HANDLE",
    "PROBLEM",
    "WRITTEN",
    "ReferenceSettings",
    "dress",
    "findings",
    "is_off",
    "link_node",
    "linked_reference",
    "malformed",
    "proxies_of",
    "reference_settings",
]

#: A link's reference as its author wrote it. The link's line is exact.
WRITTEN = "handle-written"
#: Names of targets in a reference in text, each after its offset in that.
NAMES = "handle-names"
#: Kind of message, text as written, reason, and message, for what is no reference.
PROBLEM = "handle-problem"
#: The class of links and blocks that stay as they are.
NO_HANDLE = "no-handle"


@dataclass(frozen=True, slots=True)
class ReferenceSettings:
    """How the references of a document are read and shown.

    Attributes:
        proxies: Where links go, and which URLs are references.
        charset: Charset of percent-encoded octets that are not UTF-8.
        display: What a role without a title shows.
        recognize: Whether references in text and links of authors count; roles do.
    """

    proxies: Proxies = DEFAULT_PROXIES
    charset: str | None = None
    display: DisplayStyle = "uri"
    recognize: bool = True


def reference_settings(settings: Any) -> ReferenceSettings | None:
    """The settings for a document with these docutils settings, if it has any.

    A parser sets them as ``handle_references``. In Sphinx they come from the
    configuration of the application, if that has loaded the extension.
    """
    own: ReferenceSettings | None = getattr(settings, "handle_references", None)
    config = getattr(getattr(settings, "env", None), "config", None)
    if own is not None or config is None or "handle_recognize" not in config:
        return own
    return ReferenceSettings(
        proxies=proxies_of(config),
        charset=config.source_encoding,
        display=config.handle_display,
        recognize=config.handle_recognize,
    )


def proxies_of(config: Any) -> Proxies:
    """The proxies that the options of a Sphinx project name."""
    return _proxies(
        tuple(config.handle_proxies.items()), tuple(config.handle_known_proxies)
    )


@lru_cache(maxsize=8)
def _proxies(bases: tuple[tuple[str, str], ...], also: tuple[str, ...]) -> Proxies:
    return Proxies(dict(bases), also=also)


def linked_reference(target: str, proxies: Proxies) -> HandleReference | None:
    """The reference that a link's target is; `None` for any other, malformed or not."""
    try:
        return HandleReference.from_link(target, proxies=proxies)
    except HandleSyntaxError:
        return None


def link_node(
    reference: HandleReference,
    settings: ReferenceSettings,
    *,
    written: str,
    text: str,
    rawsource: str = "",
    is_identifier: bool = True,
) -> nodes.reference:
    """A link to a handle's proxy.

    Args:
        reference: The reference.
        settings: Where links go.
        written: The reference as its author wrote it.
        text: The link's text.
        rawsource: The markup of the link.
        is_identifier: Whether the text shows the identifier.
    """
    node = nodes.reference(rawsource, text, internal=False)
    node[WRITTEN] = written
    dress(node, reference, settings.proxies, is_identifier=is_identifier)
    return node


def dress(
    node: nodes.reference,
    reference: HandleReference,
    proxies: Proxies,
    *,
    is_identifier: bool = False,
) -> None:
    """Give a link its target, its classes, and a title unless it has one.

    A text that shows the identifier needs no title: a screen reader would read the
    identifier twice.
    """
    node["refuri"] = proxies.link(reference)
    for name in ("hdl", "doi") if reference.handle.is_doi else ("hdl",):
        if name not in node["classes"]:
            node["classes"].append(name)
    text = node.astext()
    is_shown = text == node.get(WRITTEN) or shows(text, reference, proxies)
    if is_identifier or is_shown:
        node["support_smartquotes"] = False
    if not is_shown and not node.get("reftitle"):
        node["reftitle"] = hover(reference, proxies)


def findings(written: str, reference: HandleReference) -> Iterator[tuple[str, str]]:
    """Kinds and messages of what is suspicious about a reference."""
    for finding in diagnose(reference):
        message = f"{showable(written)}: {finding.message}"
        if finding.suggestion is not None:
            message += f"; write {showable(finding.suggestion)}"
        yield finding.code.value, message


def malformed(kind: str, error: HandleSyntaxError) -> list[str]:
    """The value of `PROBLEM` for what cannot be read."""
    return [kind, error.source, error.reason, str(error)]


def is_off(node: nodes.Node | None) -> bool:
    """Whether the node or one that holds it has the class ``no-handle``."""
    while node is not None:
        if isinstance(node, nodes.Element) and NO_HANDLE in node.get("classes", ()):
            return True
        node = node.parent
    return False
