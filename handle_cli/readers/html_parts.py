"""The part of HTML's grammar that says where text, tags and attributes stand.

The parser of the standard library does not say where in a tag an attribute stands, and
some releases of Python take quadratic time for markup that is never closed. This part of
the grammar ("Tokenization", HTML Standard) is small, and is read here in one pass: what
is never closed goes on to the end.
"""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

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

#: A tag that says where a line may break, within a word; XHTML closes it.
BREAK = r"(?i:</?wbr(?=[\s/>])[^>]*+>)"
#: The elements that are cells of tables.
CELLS = frozenset({"td", "th"})
_SPANS = frozenset({"colspan", "rowspan"})
#: Text of a template, such as Jinja, PHP or ERB, whose value nobody knows.
TEMPLATE = re.compile(r"\{\{|\{%|<%|<\?|\$\{")


class Text(NamedTuple):
    """The span of a text between tags; one that says where a line may break is in it."""

    start: int
    end: int


class Tag(NamedTuple):
    """A tag.

    Attributes:
        name: Its name, in lower case.
        end: The offset behind it.
        is_closing: Whether it ends an element.
        is_empty: Whether it is written as the tag of an empty element.
        target: The span of its target, if it has one.
        spans_cells: Whether it is a cell of a table in the place of several.
    """

    name: str
    end: int
    is_closing: bool
    is_empty: bool
    target: Text | None
    spans_cells: bool = False


def parts_of_page(text: str) -> Iterator[Text | Tag]:
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
            if tag is None or tag.name == "wbr":
                # The sign itself, or where a line may break.
                position = opening + 1
                continue
            end = tag.end
        if start < opening:
            yield Text(start, opening)
        if tag is not None:
            yield tag
            if tag.name in _RAW and not tag.is_closing:
                closing = re.compile(rf"</{tag.name}(?=[\s/>])", re.IGNORECASE)
                match = closing.search(text, end)
                end = match.start() if match else len(text)
        start = position = end
    if start < len(text):
        yield Text(start, len(text))


def shown(raw: str) -> str:
    """What readers see of a text."""
    return html.unescape(re.sub(BREAK, "", raw))


def _behind(text: str, mark: str, position: int) -> int:
    """The offset behind the next mark; the end of the text if there is none."""
    start = text.find(mark, position)
    return len(text) if start < 0 else start + len(mark)


def _tag_at(text: str, opening: int) -> Tag | None:
    """The tag that begins at a ``<``, if one does; an open one has the rest of the text."""
    head = _TAG_NAME.match(text, opening)
    if head is None:
        return None
    name = head["name"].lower()
    is_closing = text.startswith("</", opening)
    target = None
    spans_cells = False
    position = head.end()
    while (end := _TAG_END.match(text, position)) is None:
        attribute = _ATTRIBUTE.match(text, position)
        if attribute is None or attribute["open"]:
            return Tag(name, len(text), is_closing, is_empty=False, target=None)
        position = attribute.end()
        if target is None and attribute["name"].lower() == "href":
            target = _value(attribute)
        elif name in CELLS and attribute["name"].lower() in _SPANS:
            value = _value(attribute)
            spans_cells = value is None or text[slice(*value)].strip() != "1"
    is_empty = "/" in end[0]
    target = None if is_closing else target
    return Tag(name, end.end(), is_closing, is_empty, target, spans_cells)


def _value(attribute: re.Match[str]) -> Text | None:
    for group in ("double", "single", "bare"):
        if attribute[group] is not None:
            return Text(*attribute.span(group))
    return None
