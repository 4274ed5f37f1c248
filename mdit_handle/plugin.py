"""The plugin: its options, its rules, and their places in the chains."""

from collections.abc import Mapping
from functools import partial

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from handle_system.citation_words import Translate, untranslated
from handle_system.display import DisplayStyle
from handle_system.proxy import DEFAULT_PROXIES, Proxies
from mdit_handle.cite import cite_rule
from mdit_handle.document import Document
from mdit_handle.links import finish_rule
from mdit_handle.options import Options
from mdit_handle.record import HANDLES
from mdit_handle.text import Memory, replace_text_rule
from mdit_handle.tokens import push

__all__ = ["handle_plugin"]


def handle_plugin(  # noqa: PLR0913 - options, each by its name
    md: MarkdownIt,
    *,
    proxies: Proxies | Mapping[str, str] = DEFAULT_PROXIES,
    display: DisplayStyle = "uri",
    text: bool = True,
    roles: bool = True,
    cite: bool = True,
    version: str | None = None,
    translate: Translate = untranslated,
) -> None:
    """Make links of the handles and DOIs in a document.

    Args:
        md: The parser.
        proxies: Base of the link by prefix, or a `Proxies`.
        display: What a reference shows that has no text of its own: ``uri``
            (``hdl:20.1000/100``), ``url``, or the ``handle`` alone.
        text: Whether references in running text become links.
        roles: Whether ``{hdl}`…``` and ``{doi}`…``` are read.
        cite: Whether the directive ``{cite-version}`` is read.
        version: Which version of a work its pages are, if they do not say.
        translate: What turns the words of a citation into the reader's language.
    """
    options = Options(
        proxies=proxies if isinstance(proxies, Proxies) else Proxies(proxies),
        display=display,
        text=text,
        roles=roles,
        cite=cite,
        version=version,
        translate=translate,
    )

    def scan(state: StateCore) -> None:
        state.env.setdefault(HANDLES, [])
        Document.begin(state, options)

    memory = Memory(options, partial(push, proxies=options.proxies))
    replace_text_rule(md, memory)
    core = md.core.ruler
    core.before("inline", "handle_scan", scan)
    # After what other plugins put after "inline", such as footnotes' texts.
    core.before("linkify", "handle_links", finish_rule(options, memory))
    if cite:
        core.before("linkify", "handle_cite", cite_rule(options))
