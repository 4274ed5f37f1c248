"""Where in a document something stands, as its reader counts: from line 1, column 1."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Protocol

from markdown_it.token import Token

from mdit_handle.document import Document

__all__ = ["Page", "Place", "Places"]

#: Line and column, counted from 1; `None` where that cannot be told.
Place = tuple[int | None, int | None]

# What a token says of its lines: the first, and the one after the last.
_Lines = list[int] | None
_CELLS = frozenset({"td_open", "th_open"})


class Places(Protocol):
    """The places of one inline block's source in its document."""

    def at(self, offset: int) -> Place:
        """The place of a position in the block's source."""


class Page:
    """A document: its source, and the tokens of its blocks.

    Args:
        source: The source.
        tokens: The tokens.
        document: What is known of them.
    """

    def __init__(
        self, source: str, tokens: Sequence[Token], document: Document
    ) -> None:
        self._source = source
        self._tokens = tokens
        self._document = document
        # Of blocks that others come from; and of the row of a table in hand.
        self._origins: dict[int, Places] = {}
        self._columns: dict[int, int] = {}

    def places(self, index: int) -> Places:
        """The places in the block whose token has the index."""
        token = self._tokens[index]
        origin = self._document.nesting.origin_of(token)
        if origin is None:
            return self._places_in(token, index)
        block = origin.block
        places = self._origins.get(id(block))
        if places is None:
            places = self._places_in(block, self._index_of.get(id(block), 0))
            self._origins[id(block)] = places
        return _Within(places, origin.start)

    def _places_in(self, block: Token, index: int) -> Places:
        source = self._document.source_of(block)
        # Other plugins may know cells of several lines.
        if self._tokens[index - 1].type in _CELLS and "\n" not in source:
            return _InCell(self, source, block.map, index)
        lines = block.map
        if not lines or None in lines:
            return _NOWHERE
        first, end = lines[0], lines[-1]
        starts = self._starts
        if 0 <= first <= end < len(starts):
            # As nearly all stand there: nothing before their lines but before the first.
            begin = self._source.find(source, starts[first], starts[end])
            if begin >= 0:
                return _Verbatim(starts, begin, first, end)
            first = self._line_of(source, first, end)
        return _InLines(self, source, first)

    def _line_of(self, source: str, first: int, end: int) -> int:
        """The line that a block's source begins on, from its first line on.

        A line of no-break spaces belongs to the block, and not to its source.
        """
        spare = end - first - source.count("\n") - 1
        row = source.partition("\n")[0].strip()
        for line in range(first, first + spare + 1):
            text = self._source[self._starts[line] : self._starts[line + 1]]
            if text.rstrip().endswith(row):
                return line
        return first

    @cached_property
    def _index_of(self) -> dict[int, int]:
        return {id(token): index for index, token in enumerate(self._tokens)}

    @cached_property
    def _starts(self) -> list[int]:
        return _starts_of_lines(self._source)

    def find(self, text: str, line: int, start: int = 0) -> int:
        """Where in a line a text begins; -1 if that is not found."""
        starts = self._starts
        if not 0 <= line < len(starts) - 1:
            return -1
        begin = starts[line]
        found = self._source.find(text, begin + start, starts[line + 1] - 1)
        return found - begin if found >= 0 else -1

    def column_of_cell(self, index: int) -> int:
        """Where in its line a cell's text begins; -1 if that is not found."""
        if index not in self._columns:
            self._columns = dict(self._columns_of_row(index))
        return self._columns.get(index, -1)

    def _columns_of_row(self, index: int) -> Iterator[tuple[int, int]]:
        """The columns of the cells in the row of one.

        Each is looked for behind the one before, for they may be alike; and what
        stands behind one that is not found may be anywhere.
        """
        position = 0
        for each in _row_of(self._tokens, index):
            cell = self._tokens[each]
            written = _in_row(self._document.source_of(cell))
            if position >= 0 and cell.map is not None:
                position = self.find(written, cell.map[0], position)
            yield each, position
            if position >= 0:
                position += len(written)


class _Verbatim:
    """In a block whose source stands in the document as it is.

    Args:
        starts: Where the lines of the document begin.
        begin: Where the source does.
        first: The block's first line, counted from zero.
        end: The line after its last.
    """

    __slots__ = ("_begin", "_end", "_first", "_starts")

    def __init__(self, starts: Sequence[int], begin: int, first: int, end: int) -> None:
        self._starts = starts
        self._begin = begin
        self._first = first
        self._end = end

    def at(self, offset: int) -> Place:
        position = self._begin + offset
        line = bisect_right(self._starts, position, self._first, self._end)
        return line, position - self._starts[line - 1] + 1


class _InLines:
    """In a block of whole lines, without what the blocks around it are marked with."""

    def __init__(self, page: Page, source: str, first: int) -> None:
        self._page = page
        self._source = source
        self._first = first
        # The row in hand: from where to where in the source it goes, and counted from one
        # its line and the column that the block's first character would have there.
        self._start = self._end = 0
        self._line = 0
        self._column: int | None = None

    def at(self, offset: int) -> Place:
        if not self._start <= offset < self._end:
            self._turn_to(offset)
        column = self._column
        return self._line, None if column is None else column + offset

    @cached_property
    def _starts(self) -> list[int]:
        return _starts_of_lines(self._source)

    def _turn_to(self, offset: int) -> None:
        """Take the row of a position in hand."""
        starts = self._starts
        row = bisect_right(starts, offset, hi=len(starts) - 1) - 1
        line = self._first + row
        start, end = self._start, self._end = starts[row], starts[row + 1]
        text = self._source[start : end - 1]
        # What it is indented by may be the rest of a tab.
        shown = text.lstrip(" ")
        found = self._page.find(shown, line)
        before = start + len(text) - len(shown)
        self._line = line + 1
        self._column = None if found < 0 else found - before + 1


class _InCell:
    """In a cell of a table: on one line with others, where a bar is escaped."""

    __slots__ = ("_bars", "_index", "_line", "_page", "_source")

    def __init__(self, page: Page, source: str, lines: _Lines, index: int) -> None:
        self._page = page
        self._source = source
        self._index = index
        self._line = lines[0] + 1 if lines else None
        self._bars: list[int] | None = None

    def at(self, offset: int) -> Place:
        column = self._page.column_of_cell(self._index)
        if column < 0 or self._line is None:
            return self._line, None
        if self._bars is None:
            self._bars = list(_all(self._source, "|"))
        return self._line, column + offset + bisect_left(self._bars, offset) + 1


class _Nowhere:
    """In a block that does not say where it stands."""

    def at(self, _offset: int) -> Place:
        return None, None


_NOWHERE = _Nowhere()


@dataclass(frozen=True, slots=True)
class _Within:
    """In a text that is a part of a block's."""

    around: Places
    start: int

    def at(self, offset: int) -> Place:
        return self.around.at(self.start + offset)


def _row_of(tokens: Sequence[Token], index: int) -> Iterator[int]:
    """The indices of the blocks that stand in one row of a table with a block."""
    while index > 0 and tokens[index].type != "tr_open":
        index -= 1
    while index < len(tokens) and tokens[index].type != "tr_close":
        if tokens[index].type == "inline":
            yield index
        index += 1


def _in_row(text: str) -> str:
    """A cell's text as it stands in the row."""
    return text.replace("|", "\\|")


def _starts_of_lines(text: str) -> list[int]:
    """Where each line begins, and where one behind the last would."""
    return [*accumulate([len(line) + 1 for line in text.split("\n")], initial=0)]


def _all(text: str, character: str) -> Iterator[int]:
    """Where a character stands in a text."""
    position = text.find(character)
    while position >= 0:
        yield position
        position = text.find(character, position + 1)
