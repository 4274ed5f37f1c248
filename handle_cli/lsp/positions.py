r"""Lines and positions as editors count them.

A line ends at ``\n``, ``\r\n`` or ``\r`` (Language Server Protocol 3.17, "Text
Documents"), and nowhere else: `str.splitlines` knows more ends.  A position counts in
code units of the encoding that client and server agree on, by default UTF-16.
"""

import re
from itertools import accumulate
from typing import Literal, TypeAlias

#: The encodings in whose code units a client may count.
Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = re.compile("\r\n|\r|\n")
_LAST_OF_PLANE = "\uffff"
# In characters; how far a count goes on from the nearest one that is kept.
_BETWEEN_COUNTS = 256


def with_line_feeds(text: str) -> str:
    """The text with line feeds as its only line ends; lines and columns stay."""
    return text if "\r" not in text else _LINE_END.sub("\n", text)


def line_starts(text: str) -> list[int]:
    """The offset of each line; a text that ends with a line end has an empty last one."""
    return [0, *(end.end() for end in _LINE_END.finditer(text))]


def units_of(text: str, encoding: Encoding) -> int:
    """How many code units a text has."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > _LAST_OF_PLANE for character in text)


def offset_of_units(line: str, units: int, encoding: Encoding) -> int:
    """The offset in a line of a count of code units.

    It is the end of the line if there are fewer, and the beginning of a character if it
    is within one.

    >>> offset_of_units("a😀b", 3, "utf-16")
    2
    """
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    left = units
    for offset, character in enumerate(line):
        left -= units_of(character, encoding)
        if left < 0:
            return offset
    return len(line)


class CountedRow:
    """A line whose code units are counted once, for any number of offsets in it.

    >>> CountedRow("a😀b", "utf-16").units_before(2)
    3
    """

    def __init__(self, row: str, encoding: Encoding) -> None:
        self._row = row
        self._encoding = encoding
        self._counts: list[int] = []
        if not row.isascii():
            starts = range(0, len(row), _BETWEEN_COUNTS)
            parts = (row[start : start + _BETWEEN_COUNTS] for start in starts)
            counts = (units_of(part, encoding) for part in parts)
            self._counts = [*accumulate(counts, initial=0)]

    def units_before(self, offset: int) -> int:
        """How many code units stand before an offset."""
        if not self._counts:
            return offset
        number = offset // _BETWEEN_COUNTS
        behind = self._row[number * _BETWEEN_COUNTS : offset]
        return self._counts[number] + units_of(behind, self._encoding)
