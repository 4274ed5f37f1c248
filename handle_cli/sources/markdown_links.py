"""Links and images of Markdown: ``[text](target)`` and ``[text][label]``."""

import re
from collections.abc import Iterator

from handle_cli.sources.blocks import Span

__all__ = ["link_spans"]

_BRACKET = re.compile(r"\\.|[\[\]]", re.DOTALL)
_ANGLED = re.compile(r"\(\s*<(?P<target>[^<>\n]*)>")
_OPENING = re.compile(r"\(\s*")
_PAREN = re.compile(r"\\.|[()\s\0]", re.DOTALL)
# No link is longer, and what is none is not read to its end from each bracket.
_LONGEST_TARGET = 4096
_DEEPEST = 32
_TITLE = re.compile(r"\s*(?:\"[^\"]*\"|'[^']*'|\([^()]*\))?\s*\)")


def link_spans(block: str) -> Iterator[tuple[Span, Span | None]]:
    """The spans of links: of the whole, and of the target if it stands there."""
    opened: list[int] = []
    for found in _BRACKET.finditer(block):
        if found[0] == "[":
            opened.append(found.start())
        elif found[0] == "]" and opened:
            start = opened.pop()
            after = found.end()
            if block.startswith("(", after):
                target = _target(block, after)
                title = target and _TITLE.match(block, target[1] + target[2])
                if target and title:
                    yield (start, title.end()), target[:2]
            elif block.startswith("[", after):
                end = block.find("]", after)
                if end >= 0:
                    yield (start, end + 1), None


def _target(block: str, start: int) -> tuple[int, int, int] | None:
    """Where a target begins and ends, and the length of what closes it."""
    angled = _ANGLED.match(block, start)
    if angled is not None:
        return (*angled.span("target"), 1)
    opening = _OPENING.match(block, start)
    if opening is None:
        return None
    depth = 0
    start = opening.end()
    for found in _PAREN.finditer(block, start, start + _LONGEST_TARGET):
        if found[0] == "(":
            depth += 1
            if depth > _DEEPEST:
                return None
        elif found[0] == ")" and depth:
            depth -= 1
        elif found[0][0] != "\\":
            return start, found.start(), 0
    return None
