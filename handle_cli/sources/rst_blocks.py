"""reStructuredText, line by line: which lines are literal, code or comment.

Read as the specification of reStructuredText reads indentation; what a directive
holds is prose, unless it is one of those that hold code.  Only the lines that may
begin something else than prose are looked at, and what they begin is passed over.
"""

import re
from collections.abc import Iterator

from handle_cli.sources.blocks import Span, next_line

__all__ = ["CODE_DIRECTIVES", "prose_spans", "targets"]

#: Directives whose content is no prose, in Sphinx and its usual extensions.
CODE_DIRECTIVES = frozenset(
    """
    actdiag aafig autoclass autofunction automethod automodule blockdiag bokeh-plot
    code code-block code-cell command-output csv-table digraph doctest exec graph
    graphviz highlight include inheritance-diagram ipython jupyter-execute
    literalinclude math mermaid nwdiag parsed-literal plantuml plot
    productionlist program-output prompt raw seqdiag sourcecode testcleanup testcode
    testoutput testsetup tikz uml eval-rst
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)

_MARK = re.compile(r"\.\.(?![^ \r\n])|::(?=[ \t\r]*(?:\n|\Z))|>>>")
_EXPLICIT = re.compile(
    r"\.\.(?:\s+(?P<directive>[^\W_][\w.+:-]*?)\s?::(?:\s|$)"
    r"|\s+(?P<other>_|\[|\|))"
)
_ITEM = re.compile(r"(?:(?:[-*+•]|\(?(?:[0-9]+|[A-Za-z#])[.)])\s+)+")
_TARGET = re.compile(
    r"^(?P<indent>[ ]*)(?:\.\.[ ]_(?:`[^`\n]+`|(?:[^:\n\\]|\\.|:(?![ \r\n]))+):|__)"
    r"(?:[ ]+|[ ]*\r?\n(?P=indent)[ ]+)"
    r"(?P<target>\S(?:[^\n]*\S)?)[ \t\r]*$",
    re.MULTILINE,
)
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_WORD = re.compile(r"\S")
_OUTER_LINE = re.compile(r"\n(?=\S)")
_LINE = re.compile(r"\n[^\S\n]*(?=\S)")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def prose_spans(text: str) -> Iterator[Span]:
    """The spans of lines that are prose, in order."""
    prose = line_end = 0
    for mark in _MARK.finditer(text):
        # What is not the first of its line matters at the line's end only.
        if mark.start() < prose or (mark.start() < line_end and mark[0] != "::"):
            continue
        start = max(text.rfind("\n", prose, mark.start()) + 1, prose)
        line_end = next_line(text, mark.end())
        passed = _passed_over(text, start, mark)
        if passed is not None:
            if passed[0] > prose:
                yield prose, passed[0]
            prose = passed[1]
    if prose < len(text):
        yield prose, len(text)


def _passed_over(text: str, start: int, mark: re.Match[str]) -> Span | None:
    """The lines that are no prose because of a mark in the line from `start` on."""
    if mark[0] == "::":
        return _literal(text, start, mark.end())
    before = text[start : mark.start()]
    if before and not before.isspace():
        return None
    if mark[0] == ">>>":
        blank = _BLANK_LINE.search(text, mark.end())
        return start, blank.start() + 1 if blank else len(text)
    line_end = next_line(text, mark.end())
    explicit = _EXPLICIT.match(text, mark.start(), line_end)
    if explicit is not None and explicit["directive"] not in CODE_DIRECTIVES:
        return None
    return start, _end_of_deeper(text, line_end, len(before))


def _literal(text: str, start: int, colons: int) -> Span | None:
    """The literal block after a line that ends in ``::``."""
    line = text[start:colons]
    stripped = line.lstrip()
    if stripped.startswith("..") and stripped[2:3] in {"", " "}:
        return None
    item = _ITEM.match(stripped)
    depth = len(line) - len(stripped) + (item.end() if item else 0)
    line_end = next_line(text, colons)
    word = _WORD.search(text, line_end)
    if word is None:
        return None
    first = max(text.rfind("\n", line_end, word.start()) + 1, line_end)
    if first == line_end:
        # No empty line between: the text goes on.
        return None
    indent = word.start() - first
    if indent > depth:
        return first, _end_of_deeper(text, first, depth)
    if indent == depth and word[0] in _PUNCTUATION:
        return first, _end_of_quoted(text, first, word[0])
    return None


def _end_of_quoted(text: str, first: int, mark: str) -> int:
    """Where the lines end that all begin with the same mark."""
    end = first
    while end < len(text):
        following = next_line(text, end)
        if not text[end:following].lstrip().startswith(mark):
            break
        end = following
    return end


def _end_of_deeper(text: str, start: int, depth: int) -> int:
    """Where the first line begins, from `start` on, that is no deeper than `depth`."""
    if not depth:
        outer = _OUTER_LINE.search(text, start - 1)
        return outer.end() if outer else len(text)
    for line in _LINE.finditer(text, start - 1):
        if line.end() - line.start() - 1 <= depth:
            return line.start() + 1
    return len(text)


def targets(block: str) -> Iterator[Span]:
    """The spans of the targets of ``.. _name: target`` and ``__ target``."""
    # Most blocks have none, which is told faster so.
    if ".. _" in block or "__" in block:
        for found in _TARGET.finditer(block):
            yield found.span("target")
