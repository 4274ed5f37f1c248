"""Python: the docstrings, read as reStructuredText; all else is code.

A file that Python cannot read, of a newer version or in a template, has no
docstrings that we know of.
"""

import ast
import re
import warnings
from collections.abc import Iterator

from handle_cli.sources import rst
from handle_cli.sources.piece import Offsets, Piece
from handle_system import Proxies
from handle_system.scan import may_hold_reference

__all__ = ["pieces"]

_QUOTES = re.compile(r"(?i)[rub]*(\"\"\"|'''|\"|')")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def pieces(text: str, proxies: Proxies) -> Iterator[Piece]:
    """The pieces of a Python file's docstrings."""
    if not may_hold_reference(text, proxies=proxies):
        return
    try:
        # What Python thinks of a file's escapes is no matter of ours.
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    starts = _starts(text)
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False):
            yield from _docstring(text, starts, node.body[0], proxies)


def _docstring(
    text: str, starts: list[int], node: ast.stmt, proxies: Proxies
) -> Iterator[Piece]:
    start = _offset(text, starts, node.lineno, node.col_offset)
    end = _offset(text, starts, node.end_lineno or 0, node.end_col_offset or 0)
    opening = _QUOTES.match(text, start)
    if opening is None or not text.startswith(opening[1], end - len(opening[1])):
        return
    begin = opening.end()
    content = text[begin : end - len(opening[1])]
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


def _starts(text: str) -> list[int]:
    # As Python counts lines: a form feed ends none.
    starts = [0, 0]
    starts.extend(found.end() for found in re.finditer(r"\r\n|\r|\n", text))
    return starts


def _offset(text: str, starts: list[int], line: int, octets: int) -> int:
    start = starts[line]
    prefix = text[start : start + octets]
    if prefix.isascii():
        return start + octets
    return start + len(prefix.encode()[:octets].decode(errors="ignore"))
