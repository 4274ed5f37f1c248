"""Markdown, line by line: which lines are code, comments, HTML or front matter.

CommonMark's fences, indented code and blocks of HTML, and of MyST comments and
directives in fences, whose content is prose unless the directive holds code.  Only
the lines that may begin something else than prose are looked at.
"""

import re
from collections.abc import Iterator

from handle_cli.sources.blocks import Span, next_line
from handle_cli.sources.rst_blocks import CODE_DIRECTIVES

__all__ = ["DIRECTIVE", "FENCE", "closes", "definitions", "prose_spans"]

_FRONT = re.compile(r"---[ \t]*\r?\n")
_FRONT_END = re.compile(r"\n(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)")
# What may stand before a fence: quotes and list items that it is in.
_BEFORE_FENCE = r"(?>(?:[ \t>]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*)"
_ITEM_MARK = r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]"
_EMPTY_LINE = r"[ \t\r\f\v>]*\n"
# What a line begins with that is more than a line of text.
_SPECIAL = " \t\r\f\v`~:>*+<%0123456789-"
# A line after an empty one, or one that begins a fence, a list item, HTML or a comment.
_NOTABLE = re.compile(
    rf"\n(?:(?P<blank>{_EMPTY_LINE}(?:{_EMPTY_LINE})*)(?=[^\n])"
    rf"|(?={_BEFORE_FENCE}(?:`{{3}}|~{{3}}|:{{3}})|{_ITEM_MARK}|[ \t>]*[<%]))"
)
# The same where no list is open, which a line of text would end.
_NOTABLE_OUTSIDE = re.compile(
    _NOTABLE.pattern.replace(r"(?=[^\n])", f"(?=[{_SPECIAL}])", 1)
)
#: What begins or ends a fence, after the marks of lists and quotes.
FENCE = re.compile(
    rf"{_BEFORE_FENCE}(?P<fence>`{{3,}}|~{{3,}}|:{{3,}})[ \t]*(?P<info>[^\n]*)"
)
_NEXT_FENCE = re.compile(rf"\n(?={_BEFORE_FENCE}(?:`{{3}}|~{{3}}|:{{3}}))")
#: What follows the mark of a fence that is a directive.
DIRECTIVE = re.compile(r"\{(?P<name>[^}\s]+)\}")
_ITEM = re.compile(rf"{_ITEM_MARK}+")
_HTML = re.compile(
    r"[ ]{0,3}<(?P<what>!--|(?:pre|script|style|textarea)\b)", re.IGNORECASE
)
# What begins HTML up to an empty line: an element that is no part of a sentence,
# and any tag that has a line for itself (CommonMark 0.31, section 4.6).
_BLOCK = re.compile(
    r"[ >]*</?(?:address|article|aside|base|basefont|blockquote|body|caption|center"
    r"|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer"
    r"|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu"
    r"|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table"
    r"|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:[ \t\r\n>]|/>)",
    re.IGNORECASE,
)
_TAG = re.compile(r"[ >]*</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>\s*\Z")
_END_OF_BLOCK = re.compile(
    rf"\n(?:(?={_EMPTY_LINE})|(?={_BEFORE_FENCE}(?:`{{3}}|~{{3}}|:{{3}})))"
)
_DEFINITION = re.compile(
    r"^[ >]*\[(?!\^)[^\]\n]+\]:[ \t]*(?:<(?P<angled>[^<>\n]*)>|(?P<plain>[^\s<]\S*))"
    r"(?:[ \t]+[\"'(][^\n]*|[ \t\r]*)$",
    re.MULTILINE,
)
_CODE_NAMES = CODE_DIRECTIVES | {"bibliography", "tableofcontents"}


def prose_spans(text: str) -> Iterator[Span]:
    """The spans of lines that are prose, in order."""
    lines = _Lines(text)
    prose = lines.position
    for start, end in lines.passed_over():
        if start > prose:
            yield prose, start
        prose = end
    if prose < len(text):
        yield prose, len(text)


class _Lines:
    """What is open from one line to the next."""

    def __init__(self, text: str) -> None:
        self._text = text
        # The line that is read next.
        self.position = _front_matter(text)
        # Whether it follows an empty one, or something that ends like one.
        self._blank = True
        # The directives that are open: the mark of each, and its length.
        self._fences: list[tuple[str, int]] = []
        # Where the contents of the open list items begin.
        self._columns = [0]

    def passed_over(self) -> Iterator[Span]:
        """The lines that are no prose, in order; some may stand side by side."""
        text = self._text
        while self.position < len(text):
            if not self._blank:
                outside = len(self._columns) == 1
                pattern = _NOTABLE_OUTSIDE if outside else _NOTABLE
                notable = pattern.search(text, self.position - 1)
                if notable is None:
                    return
                self._blank = notable["blank"] is not None
                self.position = notable.end()
            start = self.position
            self.position = next_line(text, start)
            end = self._read_line(start)
            if end is not None:
                yield start, end
                self.position = end

    def _read_line(self, start: int) -> int | None:
        """Read a line; where the lines end that it makes no prose, if it does."""
        text = self._text
        if text[start] != "\n" and text[start] not in _SPECIAL:
            del self._columns[1:]
            self._blank = False
            return None
        fence = FENCE.match(text, start)
        if fence is not None and _is_fence(fence):
            return self._at_fence(fence)
        line = text[start : self.position]
        begin = line.lstrip(" \t>\r\n\f\v")[:1]
        if not begin:
            self._blank = True
            return None
        if begin == "%":
            return self.position
        follows_empty = self._blank
        if self._is_indented_code(line):
            return self.position
        self._blank = False
        if begin != "<":
            return None
        html = _HTML.match(line)
        if html is not None:
            return self._end_of_html(html["what"].lower(), line.lower().rstrip())
        if _BLOCK.match(line) or (follows_empty and _TAG.match(line)):
            return self._end_of_block()
        return None

    def _at_fence(self, fence: re.Match[str]) -> int | None:
        self._blank = True
        if self._fences and closes(fence, *self._fences[-1]):
            self._fences.pop()
            return self.position
        mark, length = fence["fence"][0], len(fence["fence"])
        if not _is_code(fence):
            self._fences.append((mark, length))
            return None
        for each in _NEXT_FENCE.finditer(self._text, self.position - 1):
            end = FENCE.match(self._text, each.end())
            if end is not None and closes(end, mark, length):
                return next_line(self._text, end.end())
        return len(self._text)

    def _is_indented_code(self, line: str) -> bool:
        expanded = line.expandtabs(4)
        indent = len(expanded) - len(expanded.lstrip())
        columns = self._columns
        item = _ITEM.match(expanded)
        if self._blank or item is not None:
            while len(columns) > 1 and indent < columns[-1]:
                columns.pop()
        if self._blank and indent >= columns[-1] + 4:
            return True
        if item is not None:
            columns.append(item.end())
        return False

    def _end_of_html(self, what: str, line: str) -> int | None:
        ending = "-->" if what == "!--" else f"</{what}"
        if ending in line:
            is_whole = line.endswith((ending, f"{ending}>"))
            return self.position if is_whole else None
        found = re.compile(ending, re.IGNORECASE).search(self._text, self.position)
        return next_line(self._text, found.end()) if found else len(self._text)

    def _end_of_block(self) -> int:
        """Where HTML ends that goes on to an empty line, or to a fence."""
        for end in _END_OF_BLOCK.finditer(self._text, self.position - 1):
            fence = FENCE.match(self._text, end.end())
            if fence is None or _is_fence(fence):
                return end.end()
        return len(self._text)


def _front_matter(text: str) -> int:
    """Where the front matter ends; 0 without any."""
    if _FRONT.match(text) is None:
        return 0
    end = _FRONT_END.search(text, 3)
    return end.end() if end else 0


def definitions(masked: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The spans of ``[label]: target``: of the line, and of the target."""
    # Most blocks have none, which is told faster so.
    if "]:" in masked:
        for found in _DEFINITION.finditer(masked):
            yield found.span(), found.span("plain" if found["plain"] else "angled")


def _is_fence(fence: re.Match[str]) -> bool:
    # A run of backquotes with another one behind it on the line is a code span.
    return not (fence["fence"][0] == "`" and "`" in fence["info"])


def closes(fence: re.Match[str], mark: str, length: int) -> bool:
    """Whether a fence ends the one that so many marks began."""
    return (
        fence["fence"][0] == mark
        and len(fence["fence"]) >= length
        and not fence["info"].strip()
    )


def _is_code(fence: re.Match[str]) -> bool:
    directive = DIRECTIVE.match(fence["info"])
    if directive is None:
        return fence["fence"][0] != ":"
    return directive["name"].lower() in _CODE_NAMES
