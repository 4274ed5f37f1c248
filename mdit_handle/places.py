"""Where in a document something stands, as its reader counts: from line 1, column 1."""

from collections.abc import Sequence

from markdown_it.token import Token

__all__ = ["Place", "Places"]

#: Line and column, counted from 1; `None` where that cannot be told.
Place = tuple[int | None, int | None]


class Places:
    """The places of one inline block's source in its document.

    A block's source is that of its lines without what the blocks around it are
    marked with: quotes, list items, the bars of a table.  Places are asked for in
    their order, and no character is counted twice.

    Args:
        token: The block's ``inline`` token.
        lines: The lines of the document.
    """

    __slots__ = ("_column", "_counted", "_line", "_lines", "_row_start", "_source")

    def __init__(self, token: Token, lines: Sequence[str]) -> None:
        self._source = token.content
        self._lines = lines
        self._line = token.map[0] if token.map else None
        self._counted = 0
        self._row_start = 0
        self._column: int | None = None

    def at(self, offset: int) -> Place:
        """The place of a position in the block's source."""
        if self._line is None:
            return None, None
        source, counted = self._source, self._counted
        if offset < counted:
            # Two links of one target, in another order than was thought.
            return self._line + 1, None
        breaks = source.count("\n", counted, offset)
        if breaks:
            self._line += breaks
            self._row_start = source.rfind("\n", counted, offset) + 1
        if breaks or self._column is None:
            self._column = self._column_of_row(self._line)
        self._counted = offset
        if self._column < 0:
            return self._line + 1, None
        return self._line + 1, self._column + offset - self._row_start + 1

    def _column_of_row(self, line: int) -> int:
        """Where in its line the row of the block begins; -1 if that is not found."""
        end = self._source.find("\n", self._row_start)
        row = self._source[self._row_start : end if end >= 0 else None]
        return self._lines[line].find(row) if line < len(self._lines) else -1
