r"""Where in a document a reference stands: line, column, and offset.

markdown-it says on which lines a block stands, and hands its inline rules the source of
the block: without the marks of the blocks around it, without the indentation, without
white space at both ends.  Here a position in that source is found in the document.

The line is always right or unknown.  The column and the offset are known where the line
of the document holds the line of the block character by character, or with ``\|`` for each
``|``, as in the cell of a table.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

__all__ = ["FindPosition", "Page", "Position"]


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


#: Gives the position of an offset in the source of a block.
FindPosition = Callable[[int], Position]


def _starts(lines: Sequence[str]) -> list[int]:
    """Where each line begins in the text that they are of."""
    return [*accumulate((len(line) + 1 for line in lines[:-1]), initial=0)]


class Page:
    """A document whose inline blocks are visited in order.

    Args:
        source: The source of the document, as markdown-it has normalized it.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._lines = source.split("\n")
        self._starts = _starts(self._lines)
        # Where in a line the last cell ends that was visited.
        self._ends: dict[int, int] = {}

    def visit(self, lines: Sequence[int] | None, source: str) -> FindPosition:
        """The positions in the source of an inline block.

        Args:
            lines: The first line of the block, from 0, and the one after its last.
                Another plugin may have made the block, with lines that cannot be.
            source: The source of the block.
        """
        if not lines or lines[0] not in range(len(self._lines)):
            return self._footnote(source)
        rows = source.split("\n")
        first, last = lines[0], min(lines[-1], len(self._lines))
        # A line of no-break spaces belongs to the block, and not to its source.
        while first < last - len(rows) and rows[0] not in self._lines[first]:
            first += 1
        row_starts = _starts(rows)
        begins = [self._begin(row, number) for number, row in enumerate(rows, first)]

        def find(offset: int) -> Position:
            index = bisect_right(row_starts, offset) - 1
            begin, bars = begins[index]
            if begin is None:
                return Position(first + index + 1)
            column = offset - row_starts[index]
            return self._at(begin + column + bisect_left(bars, column))

        return find

    def _begin(self, row: str, number: int) -> tuple[int | None, Sequence[int]]:
        """Where a row of a block begins in its line, and its bars that are escaped."""
        line = self._lines[number] if number < len(self._lines) else ""
        start = self._ends.get(number, 0)
        # The row may be indented by the rest of a tab.
        written = row.strip()
        bars: Sequence[int] = ()
        begin = line.find(written, start)
        if begin < 0:
            written = written.replace("|", "\\|")
            bars = [found.start() for found in re.finditer(r"\|", row)]
            begin = line.find(written, start)
        if begin < 0:
            return None, ()
        self._ends[number] = begin + len(written)
        indent = len(row) - len(row.lstrip())
        return self._starts[number] + begin - indent, bars

    def _footnote(self, source: str) -> FindPosition:
        """The positions in a footnote ``^[…]``, a block at the end of the document."""
        before, mark, after = self._source.partition(f"^[{source}]")
        if not mark or f"^[{source}]" in after:
            return lambda _offset: Position()
        return lambda offset: self._at(len(before) + 2 + offset)

    def _at(self, offset: int) -> Position:
        line = bisect_right(self._starts, offset)
        return Position(line, offset, offset - self._starts[line - 1] + 1)
