"""The plugin's options, once checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from handle_system.citing.card import Translate, untranslated
from handle_system.citing.sources import Source
from handle_system.display import DisplayStyle
from handle_system.proxies import DEFAULT_PROXIES, Proxies

__all__ = ["Options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the plugin was told; see `mdit_handle.handle_plugin`.

    Attributes:
        proxies: Where links lead, and which URLs are references.
        document_charset: Charset of percent-encoded octets that are not UTF-8.
        display: What a reference shows that has no text of its own.
        text: Whether references in running text become links.
        roles: Whether the roles ``{hdl}`` and ``{doi}`` are read.
        cite: Whether the directive ``{cite-version}`` is read.
        version: Which version of a work its pages are, if they do not say.
        translate: What turns the words of a citation into the reader's language.
        release: The release of what the documents describe.
        work: The work that the documents are, if they do not say.
        cite_show: The parts that every card shows.
        sources: The folder whose files documents may name; `None` for none.
        environment: The environment variables that documents may name.
    """

    proxies: Proxies = DEFAULT_PROXIES
    document_charset: str | None = None
    display: DisplayStyle = "uri"
    text: bool = True
    roles: bool = True
    cite: bool = True
    version: str | None = None
    translate: Translate = untranslated
    release: str | None = None
    work: Source | None = None
    cite_show: tuple[str, ...] = ()
    sources: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
