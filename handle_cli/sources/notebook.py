r"""Jupyter notebooks: the Markdown cells, with the offsets in the JSON text.

A notebook is read where it stands, string by string, for a parser that gives
values has lost where they were.  Escapes (``\n``, ``\"``, ``\u00e9``) are read as
JSON reads them (RFC 8259, section 7).
"""

import re
from collections.abc import Iterator

from handle_cli.sources import markdown
from handle_cli.sources.piece import Offsets, Piece
from handle_system import Proxies

__all__ = ["pieces"]

_TOKEN = re.compile(r'"(?P<string>[^"\\]*(?:\\.[^"\\]*)*)"|[\[\]{}:,]', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|u[0-9a-fA-F]{4}|[^u])"
)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def pieces(text: str, proxies: Proxies) -> Iterator[Piece]:
    """The pieces of a notebook's Markdown cells."""
    for spans in _cells(text):
        source, offsets = _joined(text, spans)
        for piece in markdown.pieces(source, proxies):
            yield piece.rebased(offsets)


def _cells(text: str) -> Iterator[list[tuple[int, int]]]:
    """The spans of the strings that are the source of each Markdown cell.

    A notebook is an object with a list of "cells"; a cell is an object with a
    "cell_type" and a "source", which is a string or a list of strings.
    """
    kinds: dict[int, str] = {}
    sources: dict[int, list[tuple[int, int]]] = {}
    for path, key, (start, end) in _strings(text):
        if [name for name, _ in path[1:3]] != ["cells", "cells"]:
            continue
        cell = path[2][1]
        if len(path) == 3 and key == "cell_type":
            kinds[cell] = text[start:end]
        elif key == "source" and [name for name, _ in path[3:]] in ([], ["source"]):
            sources.setdefault(cell, []).append((start, end))
    for cell, spans in sources.items():
        if kinds.get(cell) == "markdown":
            yield spans


_Path = list[tuple[str, int]]


def _strings(text: str) -> Iterator[tuple[_Path, str, tuple[int, int]]]:
    """The strings that are values: what they are in, under which key, and where.

    What a string is in, is told as a list of the brackets that are open: the key
    under which each stands, and where it is in the text.
    """
    path: _Path = []
    brackets = ""
    key = ""
    is_value = False
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "[{":
            path.append((key, token.start()))
            brackets += mark
            is_value = mark == "["
        elif mark in "]}":
            if path:
                key, _ = path.pop()
                brackets = brackets[:-1]
        elif mark in ":,":
            is_value = mark == ":" or brackets[-1:] == "["
        elif is_value:
            yield path, key, token.span("string")
        else:
            key = token["string"]


def _joined(text: str, spans: list[tuple[int, int]]) -> tuple[str, Offsets]:
    parts = []
    breaks = []
    length = 0
    for start, end in spans:
        breaks.append((length, start))
        position = start
        for found in _ESCAPE.finditer(text, start, end):
            meant = _meant(found[0])
            parts += [text[position : found.start()], meant]
            length += found.start() - position
            # The last character of the escape is where what it means stands.
            breaks.append((length, found.end() - 1))
            length += len(meant)
            position = found.end()
            breaks.append((length, position))
        parts.append(text[position:end])
        length += end - position
    return "".join(parts), Offsets(breaks or [(0, 0)])


def _meant(escape: str) -> str:
    if escape[1] != "u":
        return _SHORT.get(escape[1], escape[1])
    if len(escape) == 12:
        high, low = int(escape[2:6], 16), int(escape[8:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    return chr(int(escape.removeprefix("\\u"), 16))
