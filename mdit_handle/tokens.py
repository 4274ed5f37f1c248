"""The tokens of a link to a handle: markdown-it's own, with a class and a title.

Text that is an identifier is a ``text_special``, like the text of an escape: the
typographer and ``linkify`` leave it alone, and the core rule ``text_join`` makes plain
text of it.
"""

from typing import NamedTuple

from markdown_it.token import Token

from handle_system.display import hover
from handle_system.errors import HandleSyntaxError
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from mdit_handle.references import Markup

__all__ = ["MALFORMED", "MARKUP", "NOTE", "Note", "dress", "exact", "unlink"]

#: The value of `Token.markup` in the tokens of this plugin.
MARKUP = "handle"
#: The class of text that was meant as a reference and is malformed.
MALFORMED = "hdl hdl-malformed"
#: The key of a `Note` in `Token.meta`, until the core rule takes it away.
NOTE = "handle_note"


class Note(NamedTuple):
    """A reference that an inline rule has read, kept for the core rule.

    Attributes:
        source: The source of the inline block.
        start: Where the markup of the reference begins in it; `None` if unknown.
        end: Where the markup ends; `start` if only the line of `start` is known.
        written: The reference as its author wrote it.
        markup: How it is marked up.
        meant: The reference, or why it is malformed; `None` before it is read.
    """

    source: str
    start: int | None
    end: int
    written: str
    markup: Markup
    meant: HandleReference | HandleSyntaxError | None = None


def dress(
    token: Token,
    reference: HandleReference,
    proxies: Proxies,
    *,
    is_identifier: bool = False,
) -> None:
    """Give a ``link_open`` the address of a reference, its classes, and a title.

    A text that shows the identifier needs no title: a screen reader would read the
    identifier twice.  A title that the author wrote stays.
    """
    is_doi = reference.handle.is_doi
    token.attrs["href"] = proxies.link(reference)
    token.attrJoin("class", "hdl doi" if is_doi else "hdl")
    if not is_identifier:
        token.attrs.setdefault("title", hover(reference, proxies))
    token.markup = MARKUP
    token.meta["handle"] = str(reference.handle)


def unlink(opening: Token, closing: Token) -> None:
    """Make a malformed link, which would lead nowhere, plain text."""
    opening.type, closing.type = "span_open", "span_close"
    opening.tag = closing.tag = "span"
    opening.attrs = {"class": MALFORMED}
    opening.markup = closing.markup = MARKUP
    opening.info = closing.info = ""


def exact(text: str, level: int) -> Token:
    """Text that the typographer must not change."""
    return Token(
        "text_special", "", 0, content=text, markup=text, info=MARKUP, level=level
    )
