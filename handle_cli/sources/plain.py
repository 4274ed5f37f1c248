"""Plain text: every block is prose."""

from collections.abc import Iterator

from handle_cli.sources.blocks import blocks_at, starts_in
from handle_cli.sources.piece import Piece, PieceKind, decoded
from handle_system import Proxies

__all__ = ["pieces"]


def pieces(text: str, proxies: Proxies) -> Iterator[Piece]:
    """The blocks of a plain text."""
    for block in blocks_at(text, starts_in(text, proxies), [(0, len(text))]):
        yield decoded(block.text, block.begin, PieceKind.RUNNING)
