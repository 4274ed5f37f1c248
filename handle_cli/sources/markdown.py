"""Markdown (CommonMark, GFM, MyST): what is prose, links' targets, our roles."""

import re
from collections.abc import Iterator
from html import unescape

from handle_cli.sources.blocks import Block, blocks_at, starts_in
from handle_cli.sources.markdown_blocks import definitions, prose_spans
from handle_cli.sources.markdown_links import link_spans
from handle_cli.sources.piece import Piece, PieceKind, blanked, decoded
from handle_system import Proxies

__all__ = ["pieces", "starts"]

_ROLES = frozenset({"hdl", "doi"})
_ROLE = re.compile(r"\{(?:hdl|doi)\}`", re.IGNORECASE)
_ESCAPE = re.compile(
    r"\\(?P<plain>[!-/:-@\[-`{-~])"
    r"|(?P<hard>\\)(?=\r?\n)"
    r"|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
)
_RUN = re.compile(r"(?P<slashes>\\*)(?P<marks>`+)")
_ROLE_BEFORE = re.compile(r"\{(?P<role>[A-Za-z][\w:.-]*)\}\Z")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>|<!--")
_HELD = frozenset({"a", "code", "pre", "kbd", "script", "style"})
_MATH = re.compile(r"\\\$|\$\$[^$]+\$\$|\$(?=\S)[^$]*?(?<=\S)\$(?![0-9])")
_LONGEST_ROLE = 40


def starts(text: str, proxies: Proxies) -> list[int]:
    """Where references may begin, in order."""
    return starts_in(text, proxies, _ROLE)


def pieces(text: str, proxies: Proxies) -> Iterator[Piece]:
    """Running text, link targets and roles of a Markdown file."""
    wanted = starts(text, proxies)
    if wanted:
        for block in blocks_at(text, wanted, prose_spans(text)):
            yield from _in_block(block)


def _in_block(block: Block) -> Iterator[Piece]:
    gone = []
    for line, (start, end) in definitions(block.text):
        gone.append(line)
        yield _piece(block.text[start:end], block.begin + start, PieceKind.TARGET)
    text = blanked(block.text, gone)
    for start, inside, end, role in _code(text):
        gone.append((start, end))
        if role in _ROLES:
            begin = block.begin + inside.start
            is_doi = role == "doi"
            yield _piece(text[inside], begin, PieceKind.ROLE, doi_only=is_doi)
    if not block.has_starts_outside(gone):
        return
    text = blanked(text, gone)
    text = blanked(text, _markup(text))
    text = blanked(text, [found.span() for found in _MATH.finditer(text)])
    linked = [*link_spans(text)]
    for _, target in linked:
        if target is not None:
            start, end = target
            yield _piece(text[start:end], block.begin + start, PieceKind.TARGET)
    gone += (whole for whole, _ in linked)
    if block.has_starts_outside(gone):
        text = blanked(text, (whole for whole, _ in linked))
        yield _piece(text, block.begin, PieceKind.RUNNING)


def _code(block: str) -> Iterator[tuple[int, slice, int, str | None]]:
    """Code spans and roles: a run of backquotes up to the next one as long."""
    runs = list(_RUN.finditer(block))
    following: dict[int, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):
        following.setdefault(len(runs[number]["marks"]), []).append(number)
    number = 0
    while number < len(runs):
        opening = runs[number]
        # A backslash takes the first mark away from what opens, never from what
        # closes: in code it is an ordinary character.
        escaped = len(opening["slashes"]) % 2
        length = len(opening["marks"]) - escaped
        same = following.get(length, [])
        while same and same[-1] <= number:
            same.pop()
        number += 1
        if not length or not same:
            continue
        start = opening.start("marks") + escaped
        closing = runs[same[-1]]
        number = same[-1] + 1
        inside = slice(start + length, closing.start("marks"))
        role = _ROLE_BEFORE.search(block[max(0, start - _LONGEST_ROLE) : start])
        if role is not None:
            start -= len(role[0])
        yield start, inside, closing.end(), role["role"].lower() if role else None


def _markup(block: str) -> Iterator[tuple[int, int]]:
    """HTML: tags, comments, and what links and code hold."""
    position = 0
    missing = set()
    while (found := _TAG.search(block, position)) is not None:
        position = found.end()
        if found[0] == "<!--":
            ending = "-->"
        else:
            name = found[0].strip("<>/").split(maxsplit=1)[0].lower()
            ending = f"</{name}" if name in _HELD and found[0][1] != "/" else ""
        if ending and ending not in missing:
            close = block.find(ending, position)
            if close < 0:
                missing.add(ending)
            else:
                angle = block.find(">", close)
                position = len(block) if angle < 0 else angle + 1
        yield found.start(), position


def _piece(text: str, begin: int, kind: PieceKind, *, doi_only: bool = False) -> Piece:
    if kind is PieceKind.ROLE:
        return decoded(text, begin, kind, doi_only=doi_only)
    return decoded(text, begin, kind, _ESCAPE, _meant)


def _meant(found: re.Match[str]) -> str:
    # A backslash at a line's end breaks the line, and is no text.
    return "" if found["hard"] else found["plain"] or unescape(found[0])
