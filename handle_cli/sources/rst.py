"""reStructuredText: what is prose in it, which links it has, and our roles."""

import re
from collections.abc import Iterator

from handle_cli.sources.piece import Piece, PieceKind, blanked, decoded, paragraphs
from handle_cli.sources.rst_blocks import literal_spans, targets
from handle_system import Proxies
from handle_system.scan import may_hold_reference

__all__ = ["pieces"]

_ROLES = frozenset({"hdl", "doi"})
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# Bounded, so that no run of colons is read again from each of them.
_NAME = r":(?P<{}>[^\W_]{{1,40}}(?:[-._+:][^\W_]{{1,40}}){{0,8}}):"
_QUOTE = re.compile(r"\\.|``|(?:" + _NAME.format("role") + ")?`(?!`)", re.DOTALL)
_LONGEST_LINK = 10_000
_ROLE_AFTER = re.compile(_NAME.format("role"))
_EMBEDDED = re.compile(r"(?:\A|\s)<(?P<target>[^\s<>`](?:[^`]*[^\s`])?)>\Z")


def pieces(text: str, proxies: Proxies) -> Iterator[Piece]:
    """Running text, link targets and roles of a reStructuredText file."""
    masked = blanked(text, literal_spans(text))
    spans = list(targets(masked))
    for start, end in spans:
        yield _piece(text[start:end], start, PieceKind.TARGET)
    masked = blanked(masked, spans)
    for start, end in paragraphs(masked):
        block = masked[start:end]
        if may_hold_reference(block, proxies=proxies) or "`" in block:
            yield from _inline(block, start, proxies)


def _inline(block: str, begin: int, proxies: Proxies) -> Iterator[Piece]:
    gone = []
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
        inside = slice(position, closing)
        position = closing + (2 if mark == "``" else 1)
        gone.append((found.start(), position))
        if mark != "``":
            yield from _quoted(block, begin, inside, found["role"], position)
    rest = blanked(block, gone)
    if may_hold_reference(rest, proxies=proxies):
        yield _piece(rest, begin, PieceKind.RUNNING)


def _quoted(
    block: str, begin: int, inside: slice, role: str | None, after: int
) -> Iterator[Piece]:
    content = block[inside]
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
