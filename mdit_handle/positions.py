"""Where in a document a reference stands: line, column, and span.

markdown-it says on which lines a block stands, and hands its inline rules the source of
the block: without the marks of the blocks around it, without the indentation, without
white space at both ends.  Here a position in that source is found in the document.

The line is always right or unknown.  The column, and the span of the reference, are
known where the document holds the source of the block character by character.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from markdown_it.token import Token

__all__ = ["UNKNOWN", "FindPosition", "Page", "Position", "lines_of"]


class Position(NamedTuple):
    r"""A position in a document.

    Attributes:
        line: The line, from 1; `None` if unknown.
        offset: The index in the document's source, with line breaks as ``\n``; `None`
            if unknown.
        column: The column, from 1; `None` if unknown.
    """

    line: int | None = None
    offset: int | None = None
    column: int | None = None


UNKNOWN = Position()
#: Gives the position of an offset in the source of a block.
FindPosition = Callable[[int], Position]


def lines_of(token: Token, count: int) -> tuple[int, int] | None:
    """The lines of a token, as a half-open span from 0, in a document of `count` lines.

    `None` if the token does not say, or says what cannot be: another plugin made it.
    """
    if not token.map or None in token.map:
        return None
    first, end = token.map[0], max(token.map[-1], token.map[0] + 1)
    return (first, min(end, count)) if 0 <= first < count else None


class Page:
    """A document whose inline blocks are visited in order.

    Args:
        source: The source of the document, as markdown-it has normalized it.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        # The row of a table: its line, and where its last known cell ends.
        self._row = (-1, 0)

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins, and where one after the last would."""
        lengths = (len(line) + 1 for line in self._source.split("\n"))
        return [*accumulate(lengths, initial=0)]

    def cell(self, block: Token) -> FindPosition:
        """The positions in a cell of a table.  Every cell of a row is visited."""
        lines = lines_of(block, len(self._starts) - 1)
        if lines is None or "\n" in block.content:
            return self.block(block, block.content)
        first = lines[0]
        line, position = self._row
        if line != first:
            position = self._starts[first]
        written = block.content.replace("|", "\\|")
        begin = self._source.find(written, position, self._starts[first + 1])
        if begin < 0:
            return lambda _offset: Position(first + 1)
        self._row = (first, begin + len(written))
        bars = [found.start() for found in re.finditer(r"\|", block.content)]
        return lambda offset: self._at(begin + offset + bisect_left(bars, offset))

    def block(self, block: Token, source: str) -> FindPosition:
        """The positions in the source of an inline block that is no cell."""
        lines = lines_of(block, len(self._starts) - 1)
        if lines is None:
            # A footnote ``^[…]`` has become a block at the document's end.
            before, mark, after = self._source.partition(f"^[{source}]")
            if not mark or f"^[{source}]" in after:
                return lambda _offset: UNKNOWN
            return lambda offset: self._at(len(before) + 2 + offset)
        first, end = lines
        begin = self._source.find(source, self._starts[first], self._starts[end])
        if begin >= 0:
            return lambda offset: self._at(begin + offset)
        return self._rows(source, first, end)

    def _rows(self, source: str, first: int, end: int) -> FindPosition:
        """The positions in a block from whose lines the marks of others were removed."""
        rows = source.split("\n")
        row_starts = [*accumulate((len(row) + 1 for row in rows), initial=0)]
        # A line of no-break spaces belongs to the block, and not to its source.
        while first < end - len(rows) and self._begin_of(rows[0], first) is None:
            first += 1
        begins = [self._begin_of(row, first + index) for index, row in enumerate(rows)]

        def find(offset: int) -> Position:
            index = bisect_right(row_starts, offset, hi=len(rows)) - 1
            begin = begins[index]
            if begin is None:
                return Position(first + index + 1)
            return self._at(begin + offset - row_starts[index])

        return find

    def _begin_of(self, row: str, line: int) -> int | None:
        """Where the source of a row begins in a line, which may end with it."""
        if line >= len(self._starts) - 1:
            return None
        start = self._starts[line]
        text = self._source[start : self._starts[line + 1] - 1].rstrip()
        # The row may be indented by the rest of a tab.
        if not text.endswith(row.strip()):
            return None
        return start + len(text) - len(row.rstrip())

    def _at(self, offset: int) -> Position:
        line = bisect_right(self._starts, offset)
        return Position(line, offset, offset - self._starts[line - 1] + 1)
