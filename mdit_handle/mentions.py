"""The references in one inline block, and what is shown for each.

Three ways of writing one are found here, all of them in the source of a block and
before anything else reads it: the explicit forms in running text, autolinks
(``<hdl:…>``, also those that CommonMark gives up because of a ``<``, a ``>`` or a
space in them), and the roles ``{hdl}`…``` and ``{doi}`…```.  Where a reference begins
and ends is the core's business; here its position is told in the source.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from markdown_it.common.utils import normalizeReference

from handle_system.display import shown
from handle_system.errors import HandleSyntaxError
from handle_system.escaped_marks import find_references_beside_escapes
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from handle_system.role_content import read_role_content
from handle_system.scan_blocks import find_in_blocks
from handle_system.scanning import Found, find_references, may_hold_reference
from mdit_handle.options import Options
from mdit_handle.source import CodeSpans, Source, Syntax, decode_entities, read_source

__all__ = [
    "FAR",
    "Malformed",
    "Mention",
    "Mentions",
    "find_all_mentions",
    "find_mentions",
    "may_mention",
]

#: Further than any source goes, which has not a thousand million characters; and no
#: further, for larger numbers are compared more slowly.
FAR = 2**30 - 1
_ROLE = re.compile(r"\{(hdl|doi)\}(`+)", re.IGNORECASE | re.ASCII)
_EMPHASIS = frozenset("*_~")
# Entities that can stand in the middle of what makes a reference one.
_TELLING_ENTITIES = ("&#", "&colon;", "&sol;", "&period;")


class Mention(NamedTuple):
    """A reference at a place in a block's source.

    Attributes:
        reference: The reference.
        start: Where it begins in the source, with the markup that is its own.
        end: Where that ends.
        written: The reference as its author wrote it, without markup.
        text: What is shown.
        is_title: Whether the text is its author's own and no identifier.
        linked: Whether it becomes a link.
    """

    reference: HandleReference
    start: int
    end: int
    written: str
    text: str
    is_title: bool = False
    linked: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A role whose content is no reference, at a place in a block's source.

    Attributes:
        start: Where it begins in the source.
        end: Where it ends.
        written: The content as its author wrote it.
        error: What is wrong with that.
    """

    start: int
    end: int
    written: str
    error: HandleSyntaxError


class Mentions:
    """What one block's source mentions.

    Attributes:
        by_start: Mentions and malformed roles by the place where they begin.
        starts: Those places in order, and behind them `FAR`.
    """

    __slots__ = ("by_start", "starts")

    def __init__(self, found: Iterable[Mention | Malformed]) -> None:
        self.by_start = {each.start: each for each in found}
        self.starts = [*sorted(self.by_start), FAR]


def may_mention(source: str, proxies: Proxies) -> bool:
    """Whether it is worth looking: `False` means that no reference is there.

    For a whole document's source as well as for a block's.
    """
    if may_hold_reference(source, proxies=proxies):
        return True
    if "{" in source and _ROLE.search(source):
        return True
    if "\\" in source and may_hold_reference(source.replace("\\", ""), proxies=proxies):
        return True
    return "&" in source and any(entity in source for entity in _TELLING_ENTITIES)


def find_all_mentions(
    sources: Sequence[str], options: Options, syntax: Syntax
) -> Iterator[tuple[int, Sequence[Mention | Malformed]]]:
    """What those of many blocks mention that it is worth looking at, by their index.

    Those come last that hold markup of another kind only.
    """
    # Blocks may be alike, as the cells of a table.
    look_into = cache(lambda source: find_mentions(source, options, syntax))
    marked = _which_are_marked(sources)
    told = find_in_blocks(sources, _as_written, proxies=options.proxies)
    for index, found in told:
        if found and options.text and index not in marked:
            # Nearly all are of this kind.
            yield index, found
        else:
            marked.discard(index)
            yield index, look_into(sources[index])
    for index in sorted(marked):
        if may_mention(sources[index], options.proxies):
            yield index, look_into(sources[index])


def _which_are_marked(sources: Sequence[str]) -> set[int]:
    """The indices of blocks in which a role, an escape or an entity may stand."""
    whole = "".join(sources)
    if "{" not in whole and "\\" not in whole and "&" not in whole:
        return set()
    return {
        index
        for index, source in enumerate(sources)
        if "{" in source or "\\" in source or "&" in source
    }


def _as_written(reference: HandleReference, start: int, end: int) -> Mention:
    """The mention of a reference in whose source and text nothing differs."""
    written = reference.source
    # As calling it does, which takes twice as long.
    return tuple.__new__(
        Mention, (reference, start, end, written, written, False, True)
    )


def find_mentions(
    source: str, options: Options, syntax: Syntax
) -> list[Mention | Malformed]:
    """What a block's source mentions."""
    spans = CodeSpans(source)
    mentions: list[Mention | Malformed] = []
    read, references = _references(source, spans, options, syntax)
    for found in references:
        mentions += _read(source, read, found, options, syntax)
    if options.roles and "{" in source:
        mentions += _roles(source, spans, options)
    return mentions


def _references(
    source: str, spans: CodeSpans, options: Options, syntax: Syntax
) -> tuple[Source, list[Found]]:
    """The text of a source, and the references in that."""
    if "\\" not in source and "&" not in source:
        # Source and text are one, but for code spans; and few of these matter.
        found = list(find_references(source, proxies=options.proxies))
        if "`" not in source or not any(_may_meet_code(source, each) for each in found):
            return Source(source), found
    read = read_source(source, spans, syntax)
    # What was decoded begins at every other position.
    return read, find_references_beside_escapes(
        read.text, read.decoded[1::2], proxies=options.proxies
    )


def _read(
    source: str, read: Source, found: Found, options: Options, syntax: Syntax
) -> Iterator[Mention]:
    """What is mentioned by a reference, which may stand in an autolink."""
    close = _closing_angle(source, read, found) if syntax.autolinks else None
    if close is not None:
        yield _autolink(source, read, found, close, options)
    elif options.text:
        reference = _before_label(read.text, found, options, syntax)
        yield _bare(source, read, reference)


def _before_label(text: str, found: Found, options: Options, syntax: Syntax) -> Found:
    """The reference without a link in square brackets that stands directly after it."""
    if text[found.end - 1] != "]":
        return found
    start = text.rfind("[", found.start, found.end)
    label = normalizeReference(text[start + 1 : found.end - 1])
    if start < 0 or label not in syntax.labels:
        return found
    references = find_references(text[found.start : start], proxies=options.proxies)
    before = next(references, None)
    if before is None:
        return found
    return Found(before.reference, found.start, found.start + before.end)


def _may_meet_code(source: str, found: Found) -> bool:
    """Whether a reference might run into code, or end where code opens emphasis."""
    return (
        source.find("`", found.start, found.end) >= 0
        or source[found.end : found.end + 1] in _EMPHASIS
    )


def _bare(source: str, read: Source, found: Found) -> Mention:
    start, end = found.start, found.end
    text = read.text[start:end]
    if read.text is not source:
        start, end = read.offset(start), read.offset(end)
    return Mention(
        reference=found.reference, start=start, end=end, written=text, text=text
    )


def _autolink(
    source: str, read: Source, found: Found, close: int, options: Options
) -> Mention:
    start = read.offset(found.start) - 1
    text = read.text[found.start : found.end]
    reference = found.reference
    inner = decode_entities(source[start + 1 : close]).strip()
    if inner != text:
        # In an autolink a backslash is a character like any other.
        try:
            reference = HandleReference.parse(inner, proxies=options.proxies)
            text = inner
        except HandleSyntaxError:
            pass
    return Mention(
        reference=reference, start=start, end=close + 1, written=text, text=text
    )


def _closing_angle(source: str, read: Source, found: Found) -> int | None:
    """Where the ``>`` is of an autolink, if the reference stands in one."""
    if found.start == 0 or read.text[found.start - 1] != "<":
        return None
    start = read.offset(found.start)
    if read.offset(found.start - 1) != start - 1:
        # An escaped one is text.
        return None
    end = found.end
    while read.text[end : end + 1].isspace():
        end += 1
    close = read.offset(end)
    return close if source[close : close + 1] == ">" else None


def _roles(
    source: str, spans: CodeSpans, options: Options
) -> Iterator[Mention | Malformed]:
    for role in _ROLE.finditer(source):
        close = spans.close_of(role.start(2), role.end())
        if close is None:
            continue
        start, end = role.start(), close + role.end() - role.start(2)
        written = source[role.end() : close]
        try:
            content = read_role_content(
                written,
                proxies=options.proxies,
                doi_only=role[1].lower() == "doi",
            )
        except HandleSyntaxError as error:
            yield Malformed(start=start, end=end, written=written, error=error)
            continue
        style = options.display if content.with_scheme else "handle"
        yield Mention(
            reference=content.reference,
            start=start,
            end=end,
            written=content.written,
            text=content.title or shown(content.reference, options.proxies, style),
            is_title=content.title is not None,
            linked=content.linked,
        )
