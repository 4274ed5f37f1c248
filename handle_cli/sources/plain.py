"""Plain text: every block is prose."""

from collections.abc import Iterator

from handle_cli.sources.piece import Piece, PieceKind, decoded, paragraphs
from handle_system import Proxies

__all__ = ["pieces"]


def pieces(text: str, _proxies: Proxies) -> Iterator[Piece]:
    """The blocks of a plain text."""
    for start, end in paragraphs(text):
        yield decoded(text[start:end], start, PieceKind.RUNNING)
