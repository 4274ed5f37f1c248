"""Python: the docstrings, read as reStructuredText; all else is code."""

import re
from ast import literal_eval
from collections.abc import Iterator
from contextlib import suppress

from handle_cli.sources import rst
from handle_cli.sources.blocks import starts_in
from handle_cli.sources.piece import Offsets, Piece, PieceKind, decoded
from handle_cli.sources.python_docstrings import docstrings
from handle_system import Proxies

__all__ = ["pieces"]

_RAW = re.compile(r"[rR](?:\"\"\"|'''|\"|')\Z")
_ESCAPE = re.compile(
    r"\\(?:[abfnrtv'\"\\\n]|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}"
    r"|U[0-9a-fA-F]{8}|N\{[^{}\n]+\})"
)


def pieces(text: str, proxies: Proxies) -> Iterator[Piece]:
    """The pieces of a Python file's docstrings."""
    starts = starts_in(text, proxies)
    if starts:
        for begin, end in docstrings(text, starts):
            is_raw = _RAW.search(text, max(begin - 4, 0), begin) is not None
            yield from _docstring(text[begin:end], begin, proxies, is_raw=is_raw)


def _docstring(
    content: str, begin: int, proxies: Proxies, *, is_raw: bool
) -> Iterator[Piece]:
    read = decoded(
        content, begin, PieceKind.RUNNING, None if is_raw else _ESCAPE, _meant
    )
    content = read.text
    # The first line stands as deep as the others do, though it follows quotes.
    depth = min(
        (
            len(line) - len(line.lstrip())
            for line in content.splitlines()[1:]
            if line.strip()
        ),
        default=0,
    )
    offsets = Offsets([(0, 0), (depth, 0)])
    for piece in rst.pieces(" " * depth + content, proxies):
        yield piece.rebased(offsets).rebased(*read.offsets)


def _meant(found: re.Match[str]) -> str:
    with suppress(SyntaxError):  # no such name, no such character
        meant: str = literal_eval(f'"{found[0]}"')
        return meant
    return found[0]
