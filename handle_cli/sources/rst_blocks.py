"""reStructuredText, line by line: which lines are literal, code or comment.

Read as the specification of reStructuredText reads indentation; what a directive
holds is prose, unless it is one of those that hold code.
"""

import re
from collections.abc import Iterator

__all__ = ["CODE_DIRECTIVES", "literal_spans", "targets"]

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


def literal_spans(text: str) -> Iterator[tuple[int, int]]:
    """The spans of lines that are no prose, in order."""
    lines = _Lines()
    position = 0
    for line in text.splitlines(keepends=True):
        start, position = position, position + len(line)
        if lines.is_masked(line):
            yield start, position


class _Lines:
    """What is open from one line to the next."""

    def __init__(self) -> None:
        # Lines deeper than this belong to what is masked.
        self._inside: int | None = None
        # The indentation of a text that ended in "::".
        self._pending: int | None = None
        self._quoted = ""
        self._doctest = self._blank = False

    def is_masked(self, line: str) -> bool:
        """Whether the line, the next one, is no prose."""
        stripped = line.strip()
        if not stripped:
            self._blank, self._doctest, self._quoted = True, False, ""
            return False
        indent = len(line) - len(line.lstrip())
        if self._pending is not None:
            self._begin_literal(self._pending, indent, stripped)
        self._blank = False
        if self._inside is not None and indent <= self._inside:
            self._inside = None
        if self._inside is not None or self._doctest or stripped[0] == self._quoted:
            return True
        if stripped.startswith(">>>"):
            self._doctest = True
            return True
        return self._begins(stripped, indent)

    def _begin_literal(self, pending: int, indent: int, stripped: str) -> None:
        if self._blank and indent > pending:
            self._inside = pending
        elif self._blank and indent == pending and stripped[0] in _PUNCTUATION:
            self._quoted = stripped[0]
        self._pending = None

    def _begins(self, stripped: str, indent: int) -> bool:
        if stripped.startswith("..") and stripped[2:3] in {"", " "}:
            explicit = _EXPLICIT.match(stripped)
            if explicit is None or explicit["directive"] in CODE_DIRECTIVES:
                self._inside = indent
                return True
        elif stripped.endswith("::"):
            item = _ITEM.match(stripped)
            self._pending = indent + (item.end() if item else 0)
        return False


def targets(masked: str) -> Iterator[tuple[int, int]]:
    """The spans of the targets of ``.. _name: target`` and ``__ target``."""
    for found in _TARGET.finditer(masked):
        yield found.span("target")
