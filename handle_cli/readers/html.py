"""HTML: the targets of links, and text outside of links, code and scripts.

The parser of the standard library does not say where in a tag an attribute stands, and
some releases of Python take quadratic time for markup that is never closed. The part of
HTML's grammar ("Tokenization", HTML Standard) that says where text and attributes stand
is small, and is read here in one pass: what is never closed goes on to the end.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from handle_cli.readers import ReadingRules, at
from handle_system.found import Found, Markup
from handle_system.lines import Lines
from handle_system.shortcodes import shortcodes

_TAG_NAME = re.compile(r"</?+(?P<name>[A-Za-z][^\s/>]*+)")
_ATTRIBUTE = re.compile(
    r"""
    [\s/]*+ (?P<name> [^\s/>][^\s/>=]*+ )
    (?> (?: \s*+ = \s*+
        (?: "(?P<double> [^"]*+ )" | '(?P<single> [^']*+ )'
          | (?P<open> ["'] ) | (?P<bare> [^\s>]++ ) ) )? )
    """,
    re.VERBOSE,
)
_TAG_END = re.compile(r"[\s/]*+>")
# Their content is text for programs, and ends at the closing tag alone.
_RAW = frozenset(
    {"script", "style", "textarea", "xmp", "noembed", "noframes", "iframe"}
)
# Their text is no prose, as in Markdown.
_CODE = frozenset({"code", "kbd", "pre", "samp", "tt", "svg", "math", "template"})
_ENTITY = re.compile(
    r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?"
)
# Text of a template, such as Jinja, PHP or ERB, whose value nobody knows.
_TEMPLATE = re.compile(r"\{\{|\{%|<%|<\?|\$\{")
# In characters; who compares a text with a target needs no more.
_LONGEST_LABEL = 500


class _Text(NamedTuple):
    """The span of a text between tags."""

    start: int
    end: int


class _Tag(NamedTuple):
    """A tag.

    Attributes:
        name: Its name, in lower case.
        end: The offset behind it.
        is_closing: Whether it ends an element.
        is_empty: Whether it is written as the tag of an empty element.
        target: The span of its target, if it has one.
    """

    name: str
    end: int
    is_closing: bool
    is_empty: bool
    target: _Text | None


def read_html(text: str, rules: ReadingRules) -> Iterator[Found]:
    """The references in the links and the text of a page."""
    page = _Page(text, rules)
    for part in _parts(text):
        if isinstance(part, _Text):
            yield from page.in_text(part)
        else:
            yield from page.at_tag(part)
    yield from page.at_end_of_link()


class _Page:
    """A page that is read from its beginning to its end."""

    def __init__(self, text: str, rules: ReadingRules) -> None:
        self._lines = Lines(text)
        self._rules = rules
        self._calls = _Spans(shortcodes(text))
        # The link that is open: the texts in it, and the references that it leads to.
        self._label: list[str] | None = None
        self._linked: list[Found] = []
        self._depth_of_code = 0

    def in_text(self, span: _Text) -> Iterator[Found]:
        """The references in a text outside of links and code, with decoded entities."""
        raw = self._lines.text[span.start : span.end]
        if self._label is not None:
            self._label.append(raw[:_LONGEST_LABEL])
            return
        if self._depth_of_code:
            return
        decoded, offsets = _decoded(raw)
        for found in self._rules.find(decoded):
            start = offsets[found.start]
            written = raw[start : offsets[found.end]]
            begin = span.start + start
            if not (_TEMPLATE.search(written) or self._calls.hold(begin)):
                yield from at(
                    self._lines, begin, Markup.PLAIN, found.reference, written
                )

    def at_tag(self, tag: _Tag) -> Iterator[Found]:
        """The reference that is the target of a tag, and those of a link that ends."""
        if tag.name in _CODE and not tag.is_empty:
            change = -1 if tag.is_closing else 1
            self._depth_of_code = max(self._depth_of_code + change, 0)
        if tag.name == "a":
            # No link holds another one.
            yield from self.at_end_of_link()
        if tag.target is None or tag.name == "base":
            return
        targets = self._at_target(tag.target)
        if tag.name == "a":
            self._label = []
            self._linked = [*targets]
        else:
            yield from targets

    def at_end_of_link(self) -> Iterator[Found]:
        """The references that the open link leads to, with the text that it shows."""
        shown = " ".join(html.unescape("".join(self._label or ())).split())
        for found in self._linked:
            yield found._replace(shown=shown[:_LONGEST_LABEL])
        self._label = None
        self._linked = []

    def _at_target(self, span: _Text) -> Iterator[Found]:
        raw = self._lines.text[span.start : span.end]
        written = raw.strip()
        if _TEMPLATE.search(written):
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
    if "&" not in raw:
        return raw, range(len(raw) + 1)
    parts: list[str] = []
    offsets: list[int] = []
    position = 0
    for entity in _ENTITY.finditer(raw):
        parts.append(raw[position : entity.start()])
        offsets += range(position, entity.start())
        character = html.unescape(entity[0])
        parts.append(character)
        offsets += [entity.start()] * len(character)
        position = entity.end()
    parts.append(raw[position:])
    offsets += range(position, len(raw) + 1)
    return "".join(parts), offsets


def _parts(text: str) -> Iterator[_Text | _Tag]:
    """The texts and tags of a page, without comments, declarations and raw elements."""
    start = 0
    position = 0
    while (opening := text.find("<", position)) >= 0:
        tag = None
        if text.startswith("<!--", opening):
            end = _behind(text, "-->", opening + 2)
        elif text.startswith(("<!", "<?"), opening):
            end = _behind(text, ">", opening)
        else:
            tag = _tag_at(text, opening)
            if tag is None:
                # The sign itself.
                position = opening + 1
                continue
            end = tag.end
        if start < opening:
            yield _Text(start, opening)
        if tag is not None:
            yield tag
            if tag.name in _RAW and not tag.is_closing:
                closing = re.compile(rf"</{tag.name}(?=[\s/>])", re.IGNORECASE)
                match = closing.search(text, end)
                end = match.start() if match else len(text)
        start = position = end
    if start < len(text):
        yield _Text(start, len(text))


def _behind(text: str, mark: str, position: int) -> int:
    """The offset behind the next mark; the end of the text if there is none."""
    start = text.find(mark, position)
    return len(text) if start < 0 else start + len(mark)


def _tag_at(text: str, opening: int) -> _Tag | None:
    """The tag that begins at a ``<``, if one does; an open one has the rest of the text."""
    head = _TAG_NAME.match(text, opening)
    if head is None:
        return None
    name = head["name"].lower()
    is_closing = text.startswith("</", opening)
    target = None
    position = head.end()
    while (end := _TAG_END.match(text, position)) is None:
        attribute = _ATTRIBUTE.match(text, position)
        if attribute is None or attribute["open"]:
            return _Tag(name, len(text), is_closing, is_empty=False, target=None)
        position = attribute.end()
        if target is None and attribute["name"].lower() == "href":
            target = _value(attribute)
    is_empty = "/" in end[0]
    return _Tag(name, end.end(), is_closing, is_empty, None if is_closing else target)


def _value(attribute: re.Match[str]) -> _Text | None:
    for group in ("double", "single", "bare"):
        if attribute[group] is not None:
            return _Text(*attribute.span(group))
    return None
