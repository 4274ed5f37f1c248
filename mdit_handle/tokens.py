"""The tokens of a link to a handle: markdown-it's own, dressed.

``link_open`` and ``link_close`` are what every renderer and tree knows.  The text
between them is a ``text_special``, as that of an escape is: the typographic rules and
``linkify`` leave it alone, and the core rule ``text_join`` makes plain text of it.
"""

from collections.abc import Iterator
from typing import assert_never

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from handle_system.display import anchor
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from handle_system.scanning import find_references
from mdit_handle.mentions import Malformed, Mention

__all__ = ["MARKUP", "as_malformed", "dress", "exact", "push"]

#: What `Token.markup` says of tokens that are made here.
MARKUP = "handle"

_MALFORMED = "hdl hdl-malformed"


def push(
    state: StateInline, mention: Mention | Malformed, proxies: Proxies
) -> Token | None:
    """Append the tokens of a reference, and give the one that opens it.

    In the text of another link it is text: links do not nest.
    """
    if state.pending:
        state.pushPending()
    if isinstance(mention, Mention):
        text, is_title = mention.text, mention.is_title
        if mention.linked and not is_title and state.linkLevel == 0:
            return _push_identifier(state, mention.reference, text, proxies)
    else:
        text, is_title = mention.written, False
    if state.linkLevel > 0:
        _append(state, *_shown(text, state.level, proxies, is_title=is_title))
        return None
    match mention:
        case Mention(linked=True):
            opening, closing = _pair(state, "link", "a")
            dress(opening, mention.reference, proxies)
        case Mention():
            opening, closing = _pair(state, "span", "span")
            opening.attrs["class"] = "hdl no-handle"
        case Malformed():
            opening, closing = _pair(state, "span", "span")
            opening.attrs["class"] = _MALFORMED
        case _:
            assert_never(mention)
    if isinstance(mention, Mention) and not is_title:
        opening.info = closing.info = "auto"
    inner = _shown(text, state.level + 1, proxies, is_title=is_title)
    _append(state, opening, *inner, closing)
    return opening


def _push_identifier(
    state: StateInline, reference: HandleReference, text: str, proxies: Proxies
) -> Token:
    """Append a link that shows an identifier, as nearly all do."""
    href, title, handle, is_doi = anchor(reference, proxies)
    attrs: dict[str, str | int | float] = {
        "href": href,
        "class": "hdl doi" if is_doi else "hdl",
        "title": title,
    }
    level = state.level
    # By their places: by name, their fields would take as long again to be told apart.
    meta = {"handle": handle}
    opening = Token(
        "link_open", "a", 1, attrs, None, level, None, "", MARKUP, "auto", meta
    )
    state.tokens += (
        opening,
        Token("text_special", "", 0, {}, None, level + 1, None, text, text, MARKUP, {}),
        Token("link_close", "a", -1, {}, None, level, None, "", MARKUP, "auto", {}),
    )
    state.pendingLevel = level
    return opening


def dress(token: Token, reference: HandleReference, proxies: Proxies) -> None:
    """Give a ``link_open`` the right address, its classes, and a title to hover.

    A title of the author's own stays.
    """
    attrs = token.attrs
    href, title, handle, is_doi = anchor(reference, proxies)
    css = "hdl doi" if is_doi else "hdl"
    attrs["href"] = href
    if "class" in attrs:
        css = f"{attrs['class']} {css}"
    attrs["class"] = css
    if "title" not in attrs:
        attrs["title"] = title
    token.markup = MARKUP
    token.meta["handle"] = handle


def as_malformed(opening: Token, closing: Token) -> None:
    """Make plain text of a link that would lead nowhere."""
    opening.type, closing.type = "span_open", "span_close"
    opening.tag = closing.tag = "span"
    opening.attrs = {"class": _MALFORMED}
    opening.markup = closing.markup = MARKUP
    opening.info = closing.info = ""


def exact(text: str, level: int) -> Token:
    """The token of text that is not for typography to change."""
    return Token(
        "text_special", "", 0, content=text, markup=text, info=MARKUP, level=level
    )


def _pair(state: StateInline, name: str, tag: str) -> tuple[Token, Token]:
    level = state.level
    return (
        Token(f"{name}_open", tag, 1, level=level, markup=MARKUP),
        Token(f"{name}_close", tag, -1, level=level, markup=MARKUP),
    )


def _shown(
    text: str, level: int, proxies: Proxies, *, is_title: bool
) -> tuple[Token, ...]:
    return tuple(_title(text, level, proxies)) if is_title else (exact(text, level),)


def _title(text: str, level: int, proxies: Proxies) -> Iterator[Token]:
    """The tokens of an author's own text, in which identifiers stay as they are."""
    position = 0
    for found in find_references(text, proxies=proxies):
        if found.start > position:
            yield _text(text[position : found.start], level)
        yield exact(text[found.start : found.end], level)
        position = found.end
    if position < len(text):
        yield _text(text[position:], level)


def _text(text: str, level: int) -> Token:
    return Token("text", "", 0, content=text, level=level)


def _append(state: StateInline, *tokens: Token) -> None:
    """Append tokens as `StateInline.push` does, at a third of its time.

    Nothing between them is parsed, so no list of delimiters is begun for it; and
    `StateInline.tokens_meta`, which does not count the tokens of text either, is gone
    through for such lists by every rule that pairs them.
    """
    state.tokens += tokens
    state.pendingLevel = state.level
