r"""Jupyter notebooks: the Markdown cells, with the offsets in the JSON text.

A notebook is read where it stands: the decoder is asked for one value after another,
for one that gives the whole has lost where its parts were.  Escapes (``\n``, ``\"``,
``\u00e9``) are read as JSON reads them (RFC 8259, section 7).  What is no JSON has no
cells.
"""

import re
from collections.abc import Iterator
from json import JSONDecoder
from typing import NamedTuple

from handle_cli.sources import markdown
from handle_cli.sources.blocks import Span
from handle_cli.sources.piece import Offsets, Piece
from handle_system import Proxies

__all__ = ["pieces"]

_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|u[0-9a-fA-F]{4}|[^u])"
)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
# Escapes that may hide the beginning of a reference: of a slash, and of ASCII.
_HIDING = re.compile(r"\\(?:/|u00)")
# Numbers stay text: nobody asks for them, and Python refuses very long ones.
_DECODER = JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, strict=False)


def pieces(text: str, proxies: Proxies) -> Iterator[Piece]:
    """The pieces of a notebook's Markdown cells."""
    if not markdown.starts(text, proxies) and _HIDING.search(text) is None:
        return
    try:
        cells = [*_cells(text, proxies)]
    except (ValueError, RecursionError):
        return
    for spans in cells:
        source, offsets = _joined(text, spans)
        for piece in markdown.pieces(source, proxies):
            yield piece.rebased(offsets)


def _cells(text: str, proxies: Proxies) -> Iterator[list[Span]]:
    """The strings that are the source of each Markdown cell with a reference.

    A notebook is an object with a list of "cells"; a cell is an object with a
    "cell_type" and a "source", which is a string or a list of strings.
    """
    for cells in _members(text, _space(text, 0)):
        if cells.key != "cells" or not isinstance(cells.value, list):
            continue
        if not any(_is_wanted(cell, proxies) for cell in cells.value):
            continue
        for cell in _items(text, cells.start):
            if not _is_wanted(cell.value, proxies):
                continue
            for source in _members(text, cell.start):
                if source.key == "source":
                    yield _strings(text, source)


def _is_wanted(cell: object, proxies: Proxies) -> bool:
    if not isinstance(cell, dict) or cell.get("cell_type") != "markdown":
        return False
    source = cell.get("source")
    lines = source if isinstance(source, list) else [source]
    written = "".join(line for line in lines if isinstance(line, str))
    return bool(markdown.starts(written, proxies))


class _Value(NamedTuple):
    """A value, where it stands, and under which key if it is an object's."""

    value: object
    start: int
    end: int
    key: str = ""


def _strings(text: str, source: _Value) -> list[Span]:
    lines = [source]
    if isinstance(source.value, list):
        lines = [*_items(text, source.start)]
    return [
        (line.start + 1, line.end - 1) for line in lines if isinstance(line.value, str)
    ]


def _members(text: str, start: int) -> Iterator[_Value]:
    """The values of the object that begins at `start`; of nothing else any."""
    if not text.startswith("{", start):
        return
    position = _space(text, start + 1)
    while not text.startswith("}", position):
        key, end = _DECODER.raw_decode(text, position)
        first = _space(text, _space(text, end) + 1)
        value, end = _DECODER.raw_decode(text, first)
        yield _Value(value, first, end, key)
        position = _space(text, end)
        if text.startswith(",", position):
            position = _space(text, position + 1)


def _items(text: str, start: int) -> Iterator[_Value]:
    """The values of the list that begins at `start`."""
    position = _space(text, start + 1)
    while not text.startswith("]", position):
        value, end = _DECODER.raw_decode(text, position)
        yield _Value(value, position, end)
        position = _space(text, end)
        if text.startswith(",", position):
            position = _space(text, position + 1)


def _space(text: str, start: int) -> int:
    """Where white space ends."""
    found = _SPACE.match(text, start)
    return found.end() if found else start


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
