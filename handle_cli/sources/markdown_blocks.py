"""Markdown, line by line: which lines are code, comments, HTML or front matter.

CommonMark's fences, indented code and blocks of HTML, and of MyST comments and
directives in fences, whose content is prose unless the directive holds code.
"""

import re
from collections.abc import Iterator

from handle_cli.sources.rst_blocks import CODE_DIRECTIVES

__all__ = ["DIRECTIVE", "FENCE", "closes", "code_spans_of_lines", "definitions"]

#: What begins or ends a fence, after the marks of lists and quotes.
FENCE = re.compile(
    r"(?:[ \t>]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*(?P<fence>`{3,}|~{3,}|:{3,})"
    r"[ \t]*(?P<info>[^\n]*)"
)
#: What follows the mark of a fence that is a directive.
DIRECTIVE = re.compile(r"\{(?P<name>[^}\s]+)\}")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+")
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
_DEFINITION = re.compile(
    r"^[ >]*\[(?!\^)[^\]\n]+\]:[ \t]*(?:<(?P<angled>[^<>\n]*)>|(?P<plain>[^\s<]\S*))"
    r"[^\n]*$",
    re.MULTILINE,
)
_CODE_NAMES = CODE_DIRECTIVES | {"bibliography", "tableofcontents"}


def code_spans_of_lines(text: str) -> Iterator[tuple[int, int]]:
    """The spans of lines that are no prose, in order."""
    lines = _Lines()
    position = 0
    front = text.startswith(("---\n", "---\r\n"))
    for line in text.splitlines(keepends=True):
        start, position = position, position + len(line)
        if front:
            front = start == 0 or line.strip() not in {"---", "..."}
            yield start, position
        elif lines.is_masked(line):
            yield start, position


class _Lines:
    """What is open from one line to the next."""

    def __init__(self) -> None:
        self._fences: list[tuple[str, int, bool]] = []
        # Where the contents of the open list items begin.
        self._columns = [0]
        # What ends the HTML block that is open, and whether an empty line does.
        self._until = ""
        self._until_empty = False
        self._blank = True

    def is_masked(self, line: str) -> bool:
        """Whether the line, the next one, is no prose."""
        if self._until:
            if self._until in line.lower():
                self._until = ""
            return True
        fence = FENCE.match(line)
        if self._fences and self._fences[-1][2]:
            if fence and closes(fence, *self._fences[-1][:2]):
                self._fences.pop()
            return True
        if fence and _is_fence(fence):
            return self._at_fence(fence)
        begin = line.lstrip(" \t>\r\n")[:1]
        if not begin:
            self._blank = True
            self._until_empty = False
            return False
        if self._until_empty or begin == "%":
            return True
        follows_empty = self._blank
        if self._is_indented_code(line):
            return True
        return begin == "<" and self._is_html(line, follows_empty=follows_empty)

    def _at_fence(self, fence: re.Match[str]) -> bool:
        self._blank = True
        self._until_empty = False
        if self._fences and closes(fence, *self._fences[-1][:2]):
            self._fences.pop()
            return True
        is_code = _is_code(fence)
        self._fences.append((fence["fence"][0], len(fence["fence"]), is_code))
        return is_code

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
        self._blank = False
        return False

    def _is_html(self, line: str, *, follows_empty: bool) -> bool:
        html = _HTML.match(line)
        if html is None:
            begins = _BLOCK.match(line) or (follows_empty and _TAG.match(line))
            self._until_empty = bool(begins)
            return self._until_empty
        what = html["what"].lower()
        ending = "-->" if what == "!--" else f"</{what}"
        lowered = line.lower().rstrip()
        if ending not in lowered:
            self._until = ending
            return True
        return lowered.endswith((ending, f"{ending}>"))


def definitions(masked: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The spans of ``[label]: target``: of the line, and of the target."""
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
