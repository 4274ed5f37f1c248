"""Where in a document a reference stands: line, column, and span.

markdown-it says on which lines a block stands, and hands its inline rules the source of
the block: without the marks of the blocks around it, without the indentation, without
white space at both ends.  Here a position in that source is found in the document.

The line is always right or unknown.  The column, and the span of the reference, are
known where the document holds the source of the block character by character.
"""

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
        self._footnotes: dict[int, tuple[int, int]] = {}
        self._in_footnote: tuple[int, int] | None = None
        self._footnote_end = 0

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins, and where one after the last would."""
        lengths = (len(line) + 1 for line in self._source.split("\n"))
        return [*accumulate(lengths, initial=0)]

    def enter_footnote(self, number: int) -> None:
        """The blocks that follow belong to this footnote."""
        self._in_footnote = self._footnotes.get(number)

    def refer_to_footnote(self, block: Token, number: int) -> None:
        """An inline block refers to a footnote, whose text may stand in the block."""
        lines = lines_of(block, len(self._starts) - 1) or self._in_footnote
        if lines is not None:
            self._footnotes[number] = lines

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
        bars: list[int] = []
        if "|" in block.content:
            bars = [index for index, sign in enumerate(block.content) if sign == "|"]
        return lambda offset: self._at(begin + offset + bisect_left(bars, offset))

    def block(self, block: Token, source: str) -> FindPosition:
        """The positions in the source of an inline block that is no cell."""
        lines = lines_of(block, len(self._starts) - 1)
        if lines is None:
            return self._inline_footnote(source)
        first, end = lines
        begin = self._source.find(source, self._starts[first], self._starts[end])
        if begin >= 0:
            return lambda offset: self._at(begin + offset)
        return _Rows(self._source, self._starts, source, lines).at

    def _inline_footnote(self, source: str) -> FindPosition:
        """The positions in ``^[…]``, which has become a block at the document's end."""
        if self._in_footnote is None:
            return lambda _offset: UNKNOWN
        first, end = self._in_footnote
        # Footnotes come in the order of their openings.
        position = max(self._footnote_end, self._starts[first])
        begin = self._source.find(f"^[{source}]", position, self._starts[end])
        if begin < 0:
            line = first + 1 if end == first + 1 else None
            return lambda _offset: Position(line)
        begin = self._footnote_end = begin + len("^[")
        return lambda offset: self._at(begin + offset)

    def _at(self, offset: int) -> Position:
        line = bisect_right(self._starts, offset)
        return Position(line, offset, offset - self._starts[line - 1] + 1)


class _Rows:
    """The lines of a block from which the marks of other blocks have been removed.

    Args:
        document: The source of the document.
        starts: Where its lines begin.
        source: The source of the block.
        lines: The lines of the block, as a half-open span from 0.
    """

    def __init__(
        self, document: str, starts: list[int], source: str, lines: tuple[int, int]
    ) -> None:
        self._document = document
        self._starts = starts
        self._rows = source.split("\n")
        self._begins = [*accumulate((len(row) + 1 for row in self._rows), initial=0)]
        self._first = self._first_line(*lines)
        # For each row that was asked for, where its source begins in the document.
        self._found: dict[int, int | None] = {}

    def _first_line(self, first: int, end: int) -> int:
        """The line of the first row.

        A line of no-break spaces belongs to the block, and not to its source.
        """
        for line in range(first, end - len(self._rows) + 1):
            if self._begin_of(0, line) is not None:
                return line
        return first

    def _begin_of(self, row: int, line: int) -> int | None:
        """Where the source of a row begins in a line, which may end with it."""
        if line >= len(self._starts) - 1:
            return None
        start = self._starts[line]
        text = self._document[start : self._starts[line + 1] - 1].rstrip()
        # The row may be indented by the rest of a tab.
        written = self._rows[row].strip()
        if not text.endswith(written):
            return None
        indent = len(self._rows[row]) - len(self._rows[row].lstrip())
        return start + len(text) - len(written) - indent

    def at(self, offset: int) -> Position:
        """The position of an offset in the source of the block."""
        row = bisect_right(self._begins, offset, hi=len(self._rows)) - 1
        line = self._first + row
        if row not in self._found:
            self._found[row] = self._begin_of(row, line)
        begin = self._found[row]
        if begin is None:
            return Position(line + 1)
        position = begin + offset - self._begins[row]
        return Position(line + 1, position, position - self._starts[line] + 1)
