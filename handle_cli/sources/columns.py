"""Where reStructuredText counts columns: titles and tables.

A title may not be longer than the line that underlines it, and what stands in a
table has to stay in its column (docutils, reStructuredText Markup Specification,
"Sections" and "Tables").  Where a reference in its canonical form would be too
long for its place, it is left as it is: to move what stands beside it would be to
change more than references.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter
from unicodedata import combining, east_asian_width

__all__ = ["Columns"]

_GRID_BORDER = re.compile(r"\+(?:[-=]+\+)+")
_SIMPLE_BORDER = re.compile(r"^[ ]*=+(?:[ ]+=+)+[ ]*\r?$", re.MULTILINE)
_COLUMN = re.compile(r"=+")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")


class Columns:
    """The titles and tables of a text in reStructuredText."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tables = list(_simple_tables(text))

    def take(self, start: int, end: int, written: str) -> bool:
        """Whether a line means what it did, with `written` in the span's place.

        Args:
            start: Where the span begins.
            end: Where it ends; it may not hold a line's end.
            written: What is to be written there.
        """
        text = self._text
        begin = text.rfind("\n", 0, start) + 1
        before, after = text[begin:start], _line(text, end)
        if _width(written) == _width(text[start:end]):
            return True
        if _is_in_grid(text, begin, before) or self._is_followed(begin, len(before)):
            return False
        below = _line(text, end + len(after) + 1).rstrip()
        if _ADORNMENT.fullmatch(below):
            return _width((before + written + after).rstrip()) <= len(below)
        return True

    def _is_followed(self, begin: int, column: int) -> bool:
        """Whether a place is in a simple table, and not in its last column.

        The last one has no end, so that it takes what is longer.
        """
        number = bisect_right(self._tables, begin, key=itemgetter(0)) - 1
        if number < 0:
            return False
        _, bottom, last = self._tables[number]
        return begin < bottom and column < last


def _line(text: str, start: int) -> str:
    """What is left of a line."""
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start:end]


def _width(text: str) -> int:
    """The columns that a text takes, as docutils counts them."""
    return sum(
        0 if combining(character) else 2 if east_asian_width(character) in "FW" else 1
        for character in text
    )


def _is_in_grid(text: str, begin: int, before: str) -> bool:
    """Whether the line that begins at `begin` is one of a grid table."""
    if not before.lstrip().startswith(("|", "+")):
        return False
    while begin:
        end = begin - 1
        begin = text.rfind("\n", 0, end) + 1
        above = text[begin:end].strip()
        if _GRID_BORDER.fullmatch(above):
            return True
        if not above.startswith(("|", "+")):
            return False
    return False


def _simple_tables(text: str) -> Iterator[tuple[int, int, int]]:
    """Where each simple table begins and ends, and its last column begins."""
    top: re.Match[str] | None = None
    has_head = False
    for border in _SIMPLE_BORDER.finditer(text):
        if top is None:
            top, has_head = border, False
        elif has_head or not _line(text, border.end() + 1).strip():
            *_, last = _COLUMN.finditer(top[0])
            yield top.start(), border.start(), last.start()
            top = None
        else:
            # Below its head, a table goes on to the next border.
            has_head = True
