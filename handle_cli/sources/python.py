"""Python: the docstrings, read as reStructuredText; all else is code."""

from collections.abc import Iterator

from handle_cli.sources import rst
from handle_cli.sources.blocks import starts_in
from handle_cli.sources.piece import Offsets, Piece
from handle_cli.sources.python_docstrings import docstrings
from handle_system import Proxies

__all__ = ["pieces"]


def pieces(text: str, proxies: Proxies) -> Iterator[Piece]:
    """The pieces of a Python file's docstrings."""
    starts = starts_in(text, proxies)
    if starts:
        for begin, end in docstrings(text, starts):
            yield from _docstring(text[begin:end], begin, proxies)


def _docstring(content: str, begin: int, proxies: Proxies) -> Iterator[Piece]:
    # The first line stands as deep as the others do, though it follows quotes.
    depth = min(
        (
            len(line) - len(line.lstrip())
            for line in content.splitlines()[1:]
            if line.strip()
        ),
        default=0,
    )
    offsets = Offsets([(0, begin), (depth, begin)])
    for piece in rst.pieces(" " * depth + content, proxies):
        yield piece.rebased(offsets)
