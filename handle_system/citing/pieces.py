"""Runs of text and links: what every sentence of a citation is made of."""

from dataclasses import dataclass

__all__ = ["Piece", "ShownHandle", "text_of"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text; with `href`, an identifier that links there.

    An identifier's text is exact: no smart quotes, no hyphenation.
    """

    text: str
    href: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownHandle:
    """A handle as the block shows it.

    Attributes:
        url: Its link, shown as it is, so that it survives being copied.
        uri: Its ``hdl:`` or ``doi:`` form, where that is asked for.
    """

    url: str
    uri: str | None = None

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The link, then the URI in brackets, leading to the same place."""
        link = Piece(self.url, self.url)
        if self.uri is None:
            return (link,)
        return (link, Piece(" ("), Piece(self.uri, self.url), Piece(")"))


def text_of(pieces: tuple[Piece, ...]) -> str:
    """What is read, without the links.

    >>> text_of((Piece("use "), Piece("hdl:1/2", "https://hdl.handle.net/1/2")))
    'use hdl:1/2'
    """
    return "".join(piece.text for piece in pieces)
