"""HTML: the targets of links, and text outside of links, code and scripts.

What stands beside the only reference of a paragraph, an item or a cell may be a written
one.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from handle_cli.readers import Block, ReadingRules, at
from handle_cli.readers.html_parts import (
    BREAK,
    TEMPLATE,
    Tag,
    Text,
    parts_of_page,
    shown,
)
from handle_cli.readers.html_tables import Tables
from handle_system.found import Found, Markup
from handle_system.lines import Lines
from handle_system.shortcodes import shortcodes

# Their text is no prose, as in Markdown.
_CODE = frozenset({"code", "kbd", "pre", "samp", "tt", "svg", "math", "template"})
_ENTITY = re.compile(
    rf"{BREAK}|&(?:#[0-9]{{1,7}}|#[xX][0-9A-Fa-f]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});?"
)
# The tags of other elements stand in a text, and those of cells and headings end one.
_INLINE = frozenset(
    """
    a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q s
    samp small span strike strong sub sup svg time tt u var
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)
# In characters; who compares a text with a target needs no more.
_LONGEST_LABEL = 500


def read_html(text: str, rules: ReadingRules) -> Iterator[Found]:
    """The references in the links and the text of a page."""
    lines = Lines(text)
    page = _Page(lines, rules)
    tables = Tables(lines, rules)
    for part in parts_of_page(text):
        if isinstance(part, Text):
            if not page.is_in_code:
                tables.at_text(part)
            page.at_text(part)
        else:
            # Those of a cell are known before its end.
            references = page.at_tag(part)
            yield from tables.outside(references) if tables.are_open else references
            if tables.are_open or part.name == "table":
                yield from tables.at_tag(part)
    yield from tables.outside(page.at_end())
    yield from tables.at_end()


class _Page:
    """A page that is read from its beginning to its end."""

    def __init__(self, lines: Lines, rules: ReadingRules) -> None:
        self._lines = lines
        self._rules = rules
        self._calls = _Spans(shortcodes(lines.text))
        # The link that is open: the texts in it, and the references that it leads to.
        self._label: list[str] | None = None
        self._linked: list[Found] = []
        self._depth_of_code = 0
        self._block = Block()

    @property
    def is_in_code(self) -> bool:
        """Whether code is open, whose text is no prose."""
        return self._depth_of_code > 0

    def at_text(self, span: Text) -> None:
        """Take up a text; outside of links and code, its entities are decoded."""
        raw = self._lines.text[span.start : span.end]
        if self._label is not None:
            self._label.append(raw[:_LONGEST_LABEL])
            return
        if self.is_in_code:
            return
        decoded, offsets = _decoded(raw)
        for found in self._rules.find(decoded):
            start = offsets[found.start]
            written = raw[start : offsets[found.end]]
            begin = span.start + start
            if TEMPLATE.search(written) or self._calls.hold(begin):
                continue
            for one in at(self._lines, begin, Markup.PLAIN, found.reference, written):
                begin = self._block.length
                self._block.keep(one, begin + found.start, begin + found.end)
        self._block.add(decoded)

    def at_tag(self, tag: Tag) -> Iterator[Found]:
        """Take up a tag, which may end a block, whose references follow."""
        if tag.name in _CODE and not tag.is_empty:
            change = -1 if tag.is_closing else 1
            self._depth_of_code = max(self._depth_of_code + change, 0)
        if tag.name == "a":
            # No link holds another one.
            self._end_link()
        elif tag.name == "br":
            self._block.add(" ")
        elif tag.name not in _INLINE:
            yield from self._end_block()
        if tag.target is None or tag.name == "base":
            return
        targets = [*self._at_target(tag.target)]
        if tag.name == "a":
            self._label = []
            self._linked = targets
        else:
            yield from targets

    def at_end(self) -> Iterator[Found]:
        """The references of the block that nothing ended."""
        self._end_link()
        yield from self._end_block()

    def _end_link(self) -> None:
        """Keep the references that the open link leads to, with the text that it shows."""
        label = " ".join(shown("".join(self._label or ())).split())
        begin = self._block.length
        for found in self._linked:
            in_link = found._replace(shown=label[:_LONGEST_LABEL])
            self._block.keep(in_link, begin, begin)
        if not self._linked:
            self._block.add(label)
        self._label = None
        self._linked = []

    def _end_block(self) -> Iterator[Found]:
        block, self._block = self._block, Block()
        return block.references()

    def _at_target(self, span: Text) -> Iterator[Found]:
        raw = self._lines.text[span.start : span.end]
        written = raw.strip()
        if TEMPLATE.search(written):
            return
        start = span.start + raw.find(written)
        reference = self._rules.parse_target(html.unescape(written))
        yield from at(self._lines, start, Markup.LINK, reference, written)


class _Spans:
    """Spans of a text, asked for in any order."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._spans = [*spans]

    def hold(self, offset: int) -> bool:
        """Whether one of them holds an offset."""
        number = bisect_right(self._spans, offset, key=itemgetter(0))
        return number > 0 and offset < self._spans[number - 1][1]


def _decoded(raw: str) -> tuple[str, Sequence[int]]:
    """A text without entities, and the offset of each of its characters in the raw one.

    One more offset is that of the end.
    """
    if "&" not in raw and "<" not in raw:
        return raw, range(len(raw) + 1)
    parts: list[str] = []
    offsets: list[int] = []
    position = 0
    for entity in _ENTITY.finditer(raw):
        parts.append(raw[position : entity.start()])
        offsets += range(position, entity.start())
        character = shown(entity[0])
        parts.append(character)
        offsets += [entity.start()] * len(character)
        position = entity.end()
    parts.append(raw[position:])
    offsets += range(position, len(raw) + 1)
    return "".join(parts), offsets
