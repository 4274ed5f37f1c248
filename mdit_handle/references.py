"""The references in the source of one inline block, and where each stands in it.

Where a reference starts and ends is the business of `handle_system.find_references`,
which reads text.  The source of a block is Markdown: backslash escapes and entities
are decoded here first, code spans are closed off, and positions in the text are mapped
back to positions in the source.
"""

import re
from collections import defaultdict, deque
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

from markdown_it.common.utils import unescapeAll

from handle_system.errors import HandleSyntaxError
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from handle_system.scanning import find_references, may_hold_reference

__all__ = ["Markup", "Note", "find_source_references", "may_hold_markup"]

#: How a reference is marked up: in running text, in ``<…>``, in a role, as the target
#: of a link, as the target of a link's definition.
Markup = Literal["text", "autolink", "role", "link", "definition"]

#: No reference continues beyond it, and markdown-it leaves none in a source.
_STOP = "\0"
_IN_CODE = str.maketrans(dict.fromkeys("`*_~", _STOP))
_SPECIAL = re.compile(
    r"\\(?:\n|[!-/:-@\[-`{-~])"
    r"|&(?:#[xX][0-9A-Fa-f]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});"
    r"|`+"
)
_RULE_OF = {"\\": "escape", "&": "entity", "`": "backticks"}
#: The inline rules of markdown-it that a source is decoded for.
MARKUP_RULES = frozenset({"escape", "entity", "backticks", "autolink"})
_TICKS = re.compile("`+")
# A role; or an escape or an entity that may hide the ":", "/" or "." of a reference.
_MARKUP = re.compile(
    r"\{(?:hdl|doi)\}`|\\[:/.]|&(?:#|colon;|sol;|period;)", re.IGNORECASE
)


class Note(NamedTuple):
    """A reference in the source of a block, kept for the core rule.

    Attributes:
        source: The source of the inline block.
        start: Where the markup of the reference begins in it; -1 if unknown.
        end: Where the markup ends; `start` if only the line of `start` is known.
        written: The reference as its author wrote it, with escapes and entities decoded.
        markup: How it is marked up.
        meant: The reference, or why it is malformed; `None` before it is read.
    """

    source: str
    start: int
    end: int
    written: str
    markup: Markup
    meant: HandleReference | HandleSyntaxError | None = None


def may_hold_markup(source: str, proxies: Proxies) -> bool:
    """Whether a source may hold a reference or a role, as a cheap test."""
    if may_hold_reference(source, proxies=proxies):
        return True
    return _MARKUP.search(source) is not None


def find_source_references(
    source: str,
    proxies: Proxies,
    rules: Collection[str] = MARKUP_RULES,
    *,
    text: bool = True,
) -> Sequence[Note]:
    """The references in running text and in ``<…>``, in order, none overlapping.

    Args:
        source: The source of an inline block.
        proxies: The proxies whose URLs are references.
        rules: The names of markdown-it's inline rules that are switched on.
        text: Whether references in running text count, besides those in ``<…>``.
    """
    if not may_hold_markup(source, proxies):
        return ()
    decoded, offsets, escaped = _decode(source, rules)
    references = []
    for found in find_references(decoded, proxies=proxies, escaped=escaped):
        start, end = offsets[found.start], offsets[found.end]
        close = end
        while source[close : close + 1].isspace():
            close += 1
        written, reference = decoded[found.start : found.end], found.reference
        is_autolink = "autolink" in rules and source[close : close + 1] == ">"
        # The decoded "<" of "\<" or "&lt;" begins further to the left.
        if (
            is_autolink
            and source[start - 1 : start] == "<"
            and offsets[found.start - 1] == start - 1
        ):
            # An autolink has entities, and its backslashes are characters.
            raw = unescapeAll(source[start:end].replace("\\", "\\\\"))
            with suppress(HandleSyntaxError):
                reference, written = HandleReference.parse(raw, proxies=proxies), raw
            note = Note(source, start - 1, close + 1, written, "autolink", reference)
            references.append(note)
        elif text:
            references.append(Note(source, start, end, written, "text", reference))
    return references


def _decode(
    source: str, rules: Collection[str]
) -> tuple[str, Sequence[int], Sequence[int]]:
    """A source as text, the position of each character, and which were escaped.

    The text has one position more than it has characters.
    """
    if not _SPECIAL.search(source):
        return source, range(len(source) + 1), ()
    closing = _runs_of_backticks(source)
    texts: list[str] = []
    offsets: list[int] = []
    escaped: list[int] = []
    position = 0
    while found := _SPECIAL.search(source, position):
        start, end = found.span()
        texts.append(source[position:start])
        offsets += range(position, start)
        if _RULE_OF[source[start]] not in rules:
            decoded = found.group()
            offsets += range(start, end)
        elif source[start] == "`":
            end = _end_of_code(closing[end - start], start, end)
            decoded = source[start:end]
            if end > found.end():
                # In code nothing opens emphasis, and no reference begins or ends beyond.
                decoded = decoded.translate(_IN_CODE)
            offsets += range(start, end)
        else:
            # A backslash before a line break ends the line and is no character.
            decoded = _STOP if found.group() == "\\\n" else unescapeAll(found.group())
            if decoded == found.group():
                offsets += range(start, end)
            else:
                escaped.append(len(offsets))
                offsets += [start] * len(decoded)
        texts.append(decoded)
        position = end
    texts.append(source[position:])
    offsets += range(position, len(source) + 1)
    return "".join(texts), offsets, escaped


def _runs_of_backticks(source: str) -> dict[int, deque[int]]:
    """The positions of the runs of backticks, by their length."""
    runs: dict[int, deque[int]] = defaultdict(deque)
    for run in _TICKS.finditer(source):
        runs[run.end() - run.start()].append(run.start())
    return runs


def _end_of_code(closing: deque[int], start: int, end: int) -> int:
    """Where the code ends that a run of backticks opens; `end` if it opens none."""
    while closing and closing[0] < end:
        closing.popleft()
    return closing[0] + end - start if closing else end
