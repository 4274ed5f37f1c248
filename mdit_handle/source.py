"""The text of an inline block, out of its Markdown source.

An inline rule sees the source as it was typed.  What is looked for in it is
text, so backslash escapes and entities are decoded here first, code spans are
blanked out, and every position of the text can be told in the source.

The alternative, a rule on the finished text tokens, sees no escapes; but by then
an identifier has been cut at its underscores, and what ``linkify`` or an autolink
took out of its middle is gone.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property

from markdown_it.common.utils import replaceEntityPattern

__all__ = ["BLANK", "CodeSpans", "Source", "Syntax", "decode_entities", "read_source"]

#: Stands for what no reference reaches into; normalised source holds no NUL.
BLANK = "\0"

_SPECIAL = re.compile(
    r"\\(?:\n|(?P<escaped>[!-/:-@\[-`{-~]))"
    r"|&(?P<entity>#[xX][0-9A-Fa-f]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});"
    r"|`+"
)
_ENTITY = re.compile(r"&(#[xX][0-9A-Fa-f]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});")
_TICKS = re.compile("`+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """What of a source is markup, with the rules that a parser has switched on.

    Attributes:
        escapes: Backslash escapes.
        entities: Entities and numeric character references.
        code: Code spans.
        autolinks: Autolinks.
        labels: The labels that the document defines, normalised.
    """

    escapes: bool = True
    entities: bool = True
    code: bool = True
    autolinks: bool = True
    labels: Container[str] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A block's text, and where in the source it was written.

    Attributes:
        text: The text, with code spans blanked out.
        decoded: Positions in `text` where a stretch begins that stands in the
            source as it is.
        raw: The same positions in the source.
    """

    text: str
    decoded: tuple[int, ...] = (0,)
    raw: tuple[int, ...] = (0,)

    def offset(self, position: int) -> int:
        """Where a position of the text is in the source."""
        stretch = bisect_right(self.decoded, position) - 1
        return self.raw[stretch] + position - self.decoded[stretch]


class CodeSpans:
    """Where runs of backticks open and close in a source."""

    def __init__(self, source: str) -> None:
        self._source = source

    @cached_property
    def _runs(self) -> dict[int, list[int]]:
        runs: dict[int, list[int]] = {}
        for run in _TICKS.finditer(self._source):
            runs.setdefault(run.end() - run.start(), []).append(run.start())
        return runs

    def close_of(self, start: int, end: int) -> int | None:
        """Where the run begins that closes the one at the half-open span."""
        closing = self._runs.get(end - start, [])
        index = bisect_left(closing, end)
        return closing[index] if index < len(closing) else None


def read_source(source: str, spans: CodeSpans, syntax: Syntax) -> Source:
    """Decode a block's source.

    A backslash before a line break ends the line and is no character of a text.
    """
    chunks: list[str] = []
    decoded = [0]
    raw = [0]
    position = 0
    length = 0
    while found := _SPECIAL.search(source, position):
        text, end = _decoded(found, spans, syntax)
        before = source[position : found.start()]
        chunks += (before, text)
        length += len(before)
        if len(text) != end - found.start():
            decoded += (length, length + len(text))
            raw += (found.start(), end)
        length += len(text)
        position = end
    chunks.append(source[position:])
    return Source("".join(chunks), tuple(decoded), tuple(raw))


def _decoded(found: re.Match[str], spans: CodeSpans, syntax: Syntax) -> tuple[str, int]:
    """The text of what is special in a source, and where that ends."""
    start, end = found.span()
    match found.group()[0]:
        case "\\" if syntax.escapes:
            return found["escaped"] or BLANK * 2, end
        case "&" if syntax.entities:
            return replaceEntityPattern(found.group(), found["entity"]), end
        case "`" if syntax.code:
            close = spans.close_of(start, end)
            if close is not None:
                return BLANK * (close + end - 2 * start), close + end - start
    return found.group(), end


def decode_entities(text: str) -> str:
    """The text with its entities decoded, and backslashes as they are."""
    return _ENTITY.sub(
        lambda found: replaceEntityPattern(found.group(), found[1]), text
    )
