"""Keeping MyST's hands off references while it reads a page.

With ``smartquotes``, ``replacements`` or ``linkify`` MyST alters text before
there is any doctree, and emphasis splits ``doi:10.1000/_abc_``; a template in
``myst_url_schemes`` loses all that follows a ``;``.  No later repair can know
what stood there.  So two rules are added to MyST's parser: they put references
out of the reach of its other rules, as text that is already final, and leave
linking them to the transform that does so in every syntax.

MyST has no hook for rules.  Its function ``create_md_parser`` is replaced, in
the two modules that call it, by one that adds them; what a page's own project
wants is looked up when the page is read, so that other projects of the same
process stay as they are.  ``handle_myst_rules = False`` switches it off; the
transform then repairs what it still can.
"""

import sys
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, cast

from handle_system.display import shows
from handle_system.escaped_marks import find_references_beside_escapes
from handle_system.scanning import find_references, may_hold_reference
from sphinxcontrib_handle.links import linked_reference
from sphinxcontrib_handle.options import options, proxies
from sphinxcontrib_handle.recognition import PAGE_SWITCH, is_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
    from sphinx.application import Sphinx
    from sphinx.config import Config

    from handle_system.proxies import Proxies

__all__ = ["setup_myst", "wrap_parsers"]

#: The modules whose name ``create_md_parser`` is called when a page is read.
_CALLERS = ("myst_parser.parsers.sphinx_", "myst_nb.sphinx_")
_PROXIES = "handle_proxies"
_SPANS = "handle_spans"
_OURS = "handle"
# What a decoder leaves of octets that are not UTF-8.
_LOST = "\ufffd"
_SCHEMES = frozenset({"hdl", "doi", "info", "urn"})

#: A reference in the source of a block: where it stands, and it, decoded.
_Span = tuple[int, int, str]


def setup_myst(app: "Sphinx") -> None:
    """Add the rules to MyST's parser, if MyST is there."""
    # MyST and MyST-NB are loaded by now, whatever the order of extensions.
    app.connect("builder-inited", _wrap)


def _wrap(_app: "Sphinx") -> None:
    wrap_parsers()


def wrap_parsers() -> None:
    """Add the rules to the parsers that are loaded; a second time changes nothing."""
    for name in _CALLERS:
        module: Any = sys.modules.get(name)
        create = getattr(module, "create_md_parser", None)
        if create is not None and not hasattr(create, _PROXIES):
            module.create_md_parser = _with_rules(create)


def _with_rules(create: "Callable[..., MarkdownIt]") -> "Callable[..., MarkdownIt]":
    def create_md_parser(*args: Any, **kwargs: Any) -> "MarkdownIt":
        md = create(*args, **kwargs)
        md.core.ruler.before("inline", "handle_prepare", _prepare)
        md.core.ruler.after("inline", "handle_protect", _protect_text)
        # After "text", which stops only where another rule may begin.
        md.inline.ruler.after("text", "handle_protect", _protect_at)
        return md

    setattr(create_md_parser, _PROXIES, True)
    return create_md_parser


def _prepare(state: "StateCore") -> None:
    """Find out, once for a page, what its project wants."""
    if _PROXIES in state.env:
        return
    document = state.md.options.get("document")
    env = getattr(getattr(document, "settings", None), "env", None)
    config: Config | None = getattr(env, "config", None)
    state.env[_PROXIES] = None
    if config is None or not hasattr(config, "handle_myst_rules"):
        return
    wanted = options(config)
    if not (wanted.recognize and wanted.myst_rules):
        return
    first = state.tokens[0] if state.tokens else None
    if first and first.type == "front_matter" and _is_off(str(first.content)):
        return
    state.env[_PROXIES] = proxies(config)
    state.env[_SPANS] = ("", [])
    _pass_targets_whole(state.md.options)


def _is_off(front_matter: str) -> bool:
    """Whether a key of the front matter switches the page off."""
    for line in front_matter.splitlines():
        key, colon, value = line.partition(":")
        if colon and key.strip("\"'").lower() == PAGE_SWITCH:
            return is_on(value.partition(" #")[0].strip().strip("\"'"))
    return False


def _pass_targets_whole(md_options: Any) -> None:
    """Let templates for our schemes keep titles and classes, not make addresses."""
    config = md_options.get("myst_config")
    schemes = getattr(config, "url_schemes", {})
    if any(schemes.get(scheme) for scheme in _SCHEMES):
        whole = {
            scheme: {**given, "url": "{{uri}}"}
            if scheme in _SCHEMES and given
            else given
            for scheme, given in schemes.items()
        }
        md_options["myst_config"] = config.copy(url_schemes=whole)


def _protect_at(state: "StateInline", silent: bool) -> bool:  # noqa: FBT001 - a rule's signature
    """At a character where another rule may begin: inside a reference none does."""
    where: Proxies | None = state.env.get(_PROXIES)
    if where is None:
        return False
    source, spans = cast("tuple[str, list[_Span]]", state.env[_SPANS])
    if source is not state.src:
        spans = _spans(state.src, where)
        state.env[_SPANS] = (state.src, spans)
    if not spans:
        return False
    at = bisect_right(spans, state.pos, key=lambda span: span[0]) - 1
    if at < 0:
        return False
    start, end, text = spans[at]
    begun = state.src[start : state.pos]
    if not state.pos < end <= state.posMax:
        return False
    if not silent:
        if not state.pending.endswith(begun):
            return False
        state.pending = state.pending.removesuffix(begun)
        token = state.push("text_special", "", 0)
        token.content = text
        token.markup = state.src[start:end]
        token.info = _OURS
    state.pos = end
    return True


def _spans(source: str, where: "Proxies") -> list[_Span]:
    if not may_hold_reference(source, proxies=where):
        return []
    text, offsets, escaped = _decoded(source)
    # A footnote's mark may stand right behind a reference, and is none of it; nor is
    # the backslash that ends a line.
    searched = text.replace("[^", "\n^")
    if "\\\n" in searched:
        searched = _without_breaks(searched, frozenset(escaped))
    return [
        (
            offsets[found.start] if offsets else found.start,
            offsets[found.end] if offsets else found.end,
            text[found.start : found.end],
        )
        for found in find_references_beside_escapes(searched, escaped, proxies=where)
    ]


def _without_breaks(text: str, escaped: frozenset[int]) -> str:
    parts = text.split("\\\n")
    end = -2
    for index, part in enumerate(parts[:-1]):
        end += len(part) + 2
        parts[index] += "\\\n" if end in escaped else "\n\n"
    return "".join(parts)


def _decoded(source: str) -> tuple[str, list[int], list[int]]:
    """The source with escapes and entities decoded, and where its characters stood.

    And the positions of those that were decoded.
    """
    from markdown_it.common.utils import UNESCAPE_ALL_RE, unescapeAll  # noqa: PLC0415 - comes with MyST

    if "\\" not in source and "&" not in source:
        return source, [], []
    texts = []
    offsets: list[int] = []
    escaped = []
    position = 0
    for found in UNESCAPE_ALL_RE.finditer(source):
        texts.append(source[position : found.start()])
        offsets.extend(range(position, found.start()))
        character = unescapeAll(found.group())
        texts.append(character)
        escaped.append(len(offsets))
        offsets.extend([found.start()] * len(character))
        position = found.end()
    texts.append(source[position:])
    offsets.extend(range(position, len(source) + 1))
    return "".join(texts), offsets, escaped


def _protect_text(state: "StateCore") -> None:
    """References in which no rule could have begun, as ``doi.org/10.1000/a...b``."""
    where: Proxies | None = state.env.get(_PROXIES)
    if where is None:
        return
    for inline in state.tokens:
        if inline.type != "inline" or not inline.children:
            continue
        _protect_links(inline.children, state.md, where)
        if not may_hold_reference(inline.content, proxies=where):
            continue
        children: list[Token] = []
        for token in inline.children:
            for each in token.children or []:
                if _is_ours(each):
                    # The text of an image is text; older parsers would lose it.
                    each.type = "text"
            if token.type == "text":
                children += _split(token, children[-1] if children else None, where)
            else:
                children.append(token)
        inline.children = children


def _split(
    text: "Token", before: "Token | None", where: "Proxies"
) -> "Iterator[Token]":
    """The tokens of a text, with those of its references out of reach."""
    content = text.content
    position = 0
    if before is not None and _is_ours(before):
        position = _dots(content, 0)
        before.content += content[:position]
    for found in find_references(content, proxies=where):
        yield text.copy(content=content[position : found.start])
        position = _dots(content, found.end)
        special = content[found.start : position]
        yield text.copy(type="text_special", content=special, info=_OURS)
    yield text.copy(content=content[position:])


def _is_ours(token: "Token") -> bool:
    return token.type == "text_special" and token.info == _OURS


def _dots(text: str, start: int) -> int:
    """Where dots end that would become an ellipsis: one is no punctuation, but text."""
    end = start
    while text.startswith(".", end):
        end += 1
    return end if end - start > 1 else start


def _protect_links(
    children: "Sequence[Token]", md: "MarkdownIt", where: "Proxies"
) -> None:
    """Targets that MyST would spoil, and texts that are the identifiers they lead to."""
    start = 0
    for index, token in enumerate(children):
        if token.type == "link_open":
            start = index
        elif token.type == "link_close":
            inside = children[start + 1 : index]
            text = "".join(each.content for each in inside)
            href = str(children[start].attrs.get("href", ""))
            if _is_spoilt(href, md):
                # MyST leaves the target of an autolink alone.
                children[start].info = "auto"
            if _is_identifier(text, href, where):
                for each in inside:
                    if each.type == "text":
                        each.type, each.info = "text_special", _OURS


def _is_spoilt(href: str, md: "MarkdownIt") -> bool:
    """Whether MyST would decode octets of a reference that are not UTF-8."""
    is_one = "%" in href and href.partition(":")[0].lower() in _SCHEMES
    return is_one and _LOST in md.normalizeLinkText(href)


def _is_identifier(text: str, href: str, where: "Proxies") -> bool:
    if not may_hold_reference(href, proxies=where):
        return False
    reference = linked_reference(href, where)
    return reference is not None and shows(text, reference, where)
