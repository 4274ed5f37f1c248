"""The blocks of a file that are worth reading: those in which a reference may begin.

A file has few references, and to find out what is code and what is prose takes longer
than to find the places where one may begin.  So these are found first, over the text
as it is, and only the blocks around them are read.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from re import Pattern

from handle_system import Proxies
from handle_system.scanning import possible_starts

__all__ = ["Block", "Span", "blocks_at", "next_line", "starts_in"]

_WHITE = " \t\r\f\v"
_BLANK_LINE = re.compile(rf"\n[{_WHITE}]*\n")

#: From a place in a text to another one, half-open.
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Block:
    """What stands between two empty lines.

    Attributes:
        text: The lines, as they stand in the file.
        begin: Where in the file they begin.
        starts: Where in the block a reference may begin, in order.
    """

    text: str
    begin: int
    starts: list[int]

    def has_starts_outside(self, spans: Iterable[Span]) -> bool:
        """Whether a reference may begin outside of the spans."""
        waiting = iter(sorted(spans))
        first, last = next(waiting, (len(self.text), 0))
        reached = 0
        for at in self.starts:
            while first <= at:
                reached = max(reached, last)
                first, last = next(waiting, (len(self.text), 0))
            if at >= reached:
                return True
        return False


def starts_in(
    text: str, proxies: Proxies, also: Pattern[str] | None = None
) -> list[int]:
    """Where something may begin that is a reference, in order.

    Args:
        text: A file's text, with the escapes of its syntax.
        proxies: Whose URLs are references as well.
        also: What else begins one in this syntax.
    """
    starts = [*possible_starts(text, proxies=proxies)]
    if "\\:" in text:
        # A scheme's colon may be escaped.
        starts += (found.start() for found in re.finditer(r"\\:", text))
    if also is not None:
        starts += (found.start() for found in also.finditer(text))
    starts.sort()
    return starts


def blocks_at(
    text: str, starts: Iterable[int], prose: Iterable[Span]
) -> Iterator[Block]:
    """The blocks that hold a start, each once.

    Args:
        text: A file's text.
        starts: Places in the text, in order.
        prose: The spans of whole lines that are prose, in order.
    """
    waiting = iter(starts)
    at = next(waiting, None)
    for first, last in prose:
        while at is not None and at < first:
            at = next(waiting, None)
        while at is not None and at < last:
            blank = _BLANK_LINE.search(text, at, last)
            end = blank.start() + 1 if blank else last
            begin = _first_line(text, at, first)
            inside = []
            while at is not None and at < end:
                inside.append(at - begin)
                at = next(waiting, None)
            yield Block(text[begin:end], begin, inside)
        if at is None:
            return


def next_line(text: str, start: int) -> int:
    """Where the line begins after the one that holds `start`."""
    newline = text.find("\n", start)
    return len(text) if newline < 0 else newline + 1


def _first_line(text: str, at: int, first: int) -> int:
    """Where the block that holds `at` begins, from `first` on."""
    while (newline := text.rfind("\n", first, at)) >= 0:
        before = max(text.rfind("\n", first, newline) + 1, first)
        if not text[before:newline].strip(_WHITE):
            return newline + 1
        at = newline
    return first
