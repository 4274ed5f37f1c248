"""Markdown, line by line: which lines are code, comments, HTML or front matter.

CommonMark's fences and indented code, and MyST's directives in fences, whose
content is prose unless the directive holds code.
"""

import re
from collections.abc import Iterator

from handle_cli.sources.rst_blocks import CODE_DIRECTIVES

__all__ = ["code_spans_of_lines", "definitions"]

_FENCE = re.compile(
    r"(?:[ \t>]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*(?P<fence>`{3,}|~{3,}|:{3,})"
    r"[ \t]*(?P<info>[^\n]*)"
)
_DIRECTIVE = re.compile(r"\{(?P<name>[^}\s]+)\}")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+")
_HTML = re.compile(
    r"[ ]{0,3}<(?P<what>!--|(?:pre|script|style|textarea)\b)", re.IGNORECASE
)
_DEFINITION = re.compile(
    r"^[ >]*\[(?!\^)[^\]\n]+\]:[ \t]*(?:<(?P<angled>[^<>\n]*)>|(?P<plain>[^\s<]\S*))"
    r"[^\n]*$",
    re.MULTILINE,
)
_CODE_NAMES = CODE_DIRECTIVES | {"toctree", "bibliography", "tableofcontents"}


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
        # What ends the HTML block that is open.
        self._until = ""
        self._blank = True

    def is_masked(self, line: str) -> bool:
        """Whether the line, the next one, is no prose."""
        if self._until:
            if self._until in line.lower():
                self._until = ""
            return True
        fence = _FENCE.match(line)
        if self._fences and self._fences[-1][2]:
            if fence and _closes(fence, self._fences[-1]):
                self._fences.pop()
            return True
        if fence and _is_fence(fence):
            return self._at_fence(fence)
        if not line.strip():
            self._blank = True
            return False
        return self._is_indented_code(line) or self._is_html(line)

    def _at_fence(self, fence: re.Match[str]) -> bool:
        self._blank = True
        if self._fences and _closes(fence, self._fences[-1]):
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

    def _is_html(self, line: str) -> bool:
        html = _HTML.match(line)
        if html is None:
            return False
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


def _closes(fence: re.Match[str], opened: tuple[str, int, bool]) -> bool:
    mark, length, _ = opened
    return (
        fence["fence"][0] == mark
        and len(fence["fence"]) >= length
        and not fence["info"].strip()
    )


def _is_code(fence: re.Match[str]) -> bool:
    directive = _DIRECTIVE.match(fence["info"])
    if directive is None:
        return fence["fence"][0] != ":"
    return directive["name"].lower() in _CODE_NAMES
