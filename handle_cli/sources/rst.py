"""reStructuredText: what is prose in it, which links it has, and our roles."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from handle_cli.sources.blocks import Block, Span, blocks_at, starts_in
from handle_cli.sources.piece import Piece, PieceKind, blanked, decoded
from handle_cli.sources.rst_blocks import prose_spans, targets
from handle_system import Proxies

__all__ = ["EMPHASIS", "pieces"]

_ROLES = frozenset({"hdl", "doi"})
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# Bounded, so that no run of colons is read again from each of them.
_NAME = r":(?P<{}>[^\W_]{{1,40}}(?:[-._+:][^\W_]{{1,40}}){{0,8}}):"
_QUOTE = re.compile(r"\\.|``|(?:" + _NAME.format("role") + ")?`(?!`)", re.DOTALL)
_LONGEST_LINK = 10_000
_ROLE_AFTER = re.compile(_NAME.format("role"))
#: Emphasis, weak or strong, and what begins and ends it.
EMPHASIS = re.compile(
    r"(?<![^\s\-/:'\"<(\[{])(\*\*?)(?=[^\s*])(?:[^*\\]|\\.)*(?<=[^\s\\])(\1)"
    r"(?![^\s\-/:.,;!?'\")\]}>])",
    re.DOTALL,
)
_EMBEDDED = re.compile(r"(?:\A|\s)<(?P<target>[^\s<>`](?:[^`]*[^\s`])?)>\Z")


def pieces(text: str, proxies: Proxies) -> Iterator[Piece]:
    """Running text, link targets and roles of a reStructuredText file."""
    starts = starts_in(text, proxies)
    if starts:
        for block in blocks_at(text, starts, prose_spans(text)):
            yield from _in_block(block)


def _in_block(block: Block) -> Iterator[Piece]:
    spans = [*targets(block.text)]
    for start, end in spans:
        yield _piece(block.text[start:end], block.begin + start, PieceKind.TARGET)
    text = blanked(block.text, spans)
    quoted = []
    for quote in _quotes(text):
        quoted.append(quote.span)
        yield from _quoted(text, block.begin, quote)
    if block.has_starts_outside(quoted):
        rest = blanked(text, quoted)
        if "*" in rest:
            # Where emphasis ends, so does a reference, whatever follows.
            ends = [found.span(2) for found in EMPHASIS.finditer(rest)]
            rest = blanked(rest, ends)
        yield _piece(rest, block.begin, PieceKind.RUNNING)


class _Quote(NamedTuple):
    """What stands in backquotes.

    Attributes:
        span: All of it, with the role before it.
        inside: What is inside of single ones; `None` for a literal.
        role: The role before it.
    """

    span: Span
    inside: slice | None
    role: str | None


def _quotes(block: str) -> Iterator[_Quote]:
    position = 0
    unclosed = False
    while (found := _QUOTE.search(block, position)) is not None:
        position = found.end()
        mark = found[0]
        if mark[0] == "\\":
            continue
        if mark == "``" and unclosed:
            continue
        closing = _closing(block, "``" if mark == "``" else "`", position)
        if closing is None:
            # Nothing that is opened so from here on has an end, either.
            if mark != "``":
                break
            unclosed = True
            continue
        inside = None if mark == "``" else slice(position, closing)
        position = closing + (2 if mark == "``" else 1)
        yield _Quote((found.start(), position), inside, found["role"])


def _quoted(block: str, begin: int, quote: _Quote) -> Iterator[Piece]:
    inside, role = quote.inside, quote.role
    if inside is None:
        return
    content = block[inside]
    after = quote.span[1]
    if role is None:
        behind = _ROLE_AFTER.match(block, after)
        role = behind["role"] if behind else None
    if role is not None:
        name = role.rpartition(":")[2].lower()
        if name in _ROLES:
            yield _piece(
                content, begin + inside.start, PieceKind.ROLE, doi_only=name == "doi"
            )
    elif block.startswith("_", after) and len(content) <= _LONGEST_LINK:
        embedded = _EMBEDDED.search(content)
        if embedded is not None:
            start = begin + inside.start + embedded.start("target")
            yield _piece(embedded["target"], start, PieceKind.TARGET)


def _closing(block: str, mark: str, start: int) -> int | None:
    position = start
    while (position := block.find(mark, position)) >= 0:
        if position > start and not block[position - 1].isspace():
            before = position
            while before > start and block[before - 1] == "\\":
                before -= 1
            if mark == "``" or (position - before) % 2 == 0:
                return position
        position += 1
    return None


def _piece(text: str, begin: int, kind: PieceKind, *, doi_only: bool = False) -> Piece:
    return decoded(text, begin, kind, _ESCAPE, _meant, doi_only=doi_only)


def _meant(found: re.Match[str]) -> str:
    # An escaped space separates without being one.
    return "" if found[1].isspace() else found[1]
