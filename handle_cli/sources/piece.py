"""A piece of a file in which references may stand, and where each character was.

Markup has escapes, so that what a reader sees is not what the file holds.  A
piece has the text as it is read and the offsets back into the file; what is no
prose (code, literals, comments, other links' text) is blanked before, one
character for one, with a character that ends every reference and begins none.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from re import Match, Pattern

__all__ = ["BLANK", "Offsets", "Piece", "PieceKind", "blanked", "decoded"]

#: What is put in place of what is no prose.
BLANK = "\0"


class PieceKind(StrEnum):
    """How a piece is read."""

    RUNNING = "running"
    """Running text: references are looked for in it."""
    TARGET = "target"
    """A link's target: all of it is a reference, or it is none of ours."""
    ROLE = "role"
    """What stands in one of our roles: all of it has to be a reference."""
    FIELD = "field"
    """A field for an identifier: all of it has to be a reference, often bare."""


class Offsets:
    """Where each character of a text was in another one.

    Between two breaks the characters stand side by side in both.
    """

    __slots__ = ("_places", "_positions")

    def __init__(self, breaks: Iterable[tuple[int, int]]) -> None:
        """Take over pairs of a position in the text and its place in the other."""
        pairs = list(breaks)
        self._positions = [position for position, _ in pairs]
        self._places = [place for _, place in pairs]

    def at(self, position: int) -> int:
        """The place of the character at `position`."""
        found = max(bisect_right(self._positions, position) - 1, 0)
        return self._places[found] + position - self._positions[found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of a file.

    Attributes:
        kind: How it is read.
        text: What a reader sees.
        offsets: Back to the file, one step after another.
        doi_only: Whether only a DOI will do.
    """

    kind: PieceKind
    text: str
    offsets: tuple[Offsets, ...]
    doi_only: bool = False

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where the half-open span of the text is in the file."""
        if start == end:
            return self._at(start), self._at(start)
        # An escape belongs to the character that it stands for.
        return self._at(start), max(self._at(end - 1) + 1, self._at(start))

    def rebased(self, outer: Offsets) -> "Piece":
        """The piece of the file that holds what this one was taken from."""
        return replace(self, offsets=(*self.offsets, outer))

    def _at(self, position: int) -> int:
        for offsets in self.offsets:
            position = offsets.at(position)
        return position


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with the spans blanked; line ends stay."""
    spans = sorted(spans)
    if not spans:
        return text
    parts = []
    position = 0
    for start, end in spans:
        if end <= position:
            continue
        first = max(start, position)
        parts.append(text[position:first])
        covered = text[first:end]
        parts.append(
            "\n".join(BLANK * len(line) for line in covered.split("\n"))
            if "\n" in covered
            else BLANK * len(covered)
        )
        position = end
    parts.append(text[position:])
    return "".join(parts)


def decoded(
    text: str,
    begin: int,
    kind: PieceKind,
    escapes: Pattern[str] | None = None,
    meaning: Callable[[Match[str]], str] = lambda found: found[0],
    *,
    doi_only: bool = False,
) -> Piece:
    """A piece of `text`, which begins at `begin`, with its escapes read.

    The place of a character behind an escape is that of the escape's last one,
    and what stands before it begins where the escape does.
    """
    parts = []
    breaks = [(0, begin)]
    length = position = 0
    for found in escapes.finditer(text) if escapes else ():
        meant = meaning(found)
        if meant == found[0]:
            continue
        before = text[position : found.start()]
        parts += [before, meant]
        length += len(before)
        if meant:
            breaks.append((length, begin + found.end() - len(meant)))
        length += len(meant)
        position = found.end()
        breaks.append((length, begin + position))
    parts.append(text[position:])
    return Piece(
        kind=kind,
        text="".join(parts),
        offsets=(Offsets(breaks),),
        doi_only=doi_only,
    )
