"""Where in a document something stands, as its reader counts: from line 1, column 1."""

from bisect import bisect_right
from collections.abc import Sequence

from markdown_it.token import Token

__all__ = ["Place", "Places"]

#: Line and column, counted from 1; `None` where that cannot be told.
Place = tuple[int | None, int | None]


class Places:
    """The places of one inline block's source in its document.

    A block's source is that of its lines without what the blocks around it are
    marked with: quotes, list items, the bars of a table.

    Args:
        token: The block's ``inline`` token.
        lines: The lines of the document.
    """

    __slots__ = ("_columns", "_first", "_lines", "_starts", "_texts")

    def __init__(self, token: Token, lines: Sequence[str]) -> None:
        self._first = token.map[0] if token.map else None
        self._lines = lines
        self._texts = token.content.split("\n")
        self._starts = [0]
        for text in self._texts[:-1]:
            self._starts.append(self._starts[-1] + len(text) + 1)
        self._columns: dict[int, int] = {}

    def at(self, offset: int) -> Place:
        """The place of a position in the block's source."""
        if self._first is None:
            return None, None
        row = bisect_right(self._starts, offset) - 1
        line = self._first + row
        if row not in self._columns:
            known = line < len(self._lines)
            self._columns[row] = (
                self._lines[line].find(self._texts[row]) if known else -1
            )
        column = self._columns[row]
        if column < 0:
            return line + 1, None
        return line + 1, column + offset - self._starts[row] + 1
