"""The tokens of a link to a handle: markdown-it's own, dressed.

``link_open`` and ``link_close`` are what every renderer and tree knows.  The text
between them is a ``text_special``, as that of an escape is: the typographic rules and
``linkify`` leave it alone, and the core rule ``text_join`` makes plain text of it.
"""

from typing import assert_never

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from handle_system.display import hover
from handle_system.proxy import Proxies
from handle_system.reference import HandleReference
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
    opening: Token | None
    match mention:
        case _ if state.linkLevel > 0:
            _push_text(state, mention)
            opening = None
        case Mention(linked=True):
            opening = _push_around(state, mention, "link", "a")
            dress(opening, mention.reference, proxies)
        case Mention():
            opening = _push_around(state, mention, "span", "span")
            opening.attrs["class"] = "hdl no-handle"
        case Malformed():
            opening = _push_around(state, mention, "span", "span")
            opening.attrs["class"] = _MALFORMED
        case _:
            assert_never(mention)
    return opening


def dress(token: Token, reference: HandleReference, proxies: Proxies) -> None:
    """Give a ``link_open`` the right address, its classes, and a title to hover.

    A title of the author's own stays.
    """
    token.attrs["href"] = proxies.link(reference)
    token.attrJoin("class", "hdl doi" if reference.handle.is_doi else "hdl")
    token.attrs.setdefault("title", hover(reference, proxies))
    token.markup = MARKUP
    token.meta["handle"] = str(reference.handle)


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


def _push_around(
    state: StateInline, mention: Mention | Malformed, name: str, tag: str
) -> Token:
    opening = state.push(f"{name}_open", tag, 1)
    _push_text(state, mention)
    closing = state.push(f"{name}_close", tag, -1)
    opening.markup = closing.markup = MARKUP
    if isinstance(mention, Mention) and not mention.is_title:
        opening.info = closing.info = "auto"
    return opening


def _push_text(state: StateInline, mention: Mention | Malformed) -> None:
    if isinstance(mention, Mention):
        text, is_title = mention.text, mention.is_title
    else:
        text, is_title = mention.written, False
    token = state.push("text" if is_title else "text_special", "", 0)
    token.content = text
    if not is_title:
        token.markup = text
        token.info = MARKUP
