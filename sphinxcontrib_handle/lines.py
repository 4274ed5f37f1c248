"""On which line a reference stands.

Docutils knows the first line of a block and MyST that of a table; a message
should name the line of the reference itself.  It is counted from the text
before it in its block, and then looked up in the file: of the lines that hold
the reference the nearest is taken, each as often as it holds it.
"""

import os
import re
from collections import Counter
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

from sphinxcontrib_handle.docstrings import named_docstring

__all__ = ["NO_FILE", "LineFinder"]

# What markup, escapes and encodings leave alone at the start of a reference.
_PLAIN_START = re.compile(r"[A-Za-z0-9:/.+-]*")
_LEAST = 4
#: How Sphinx begins the name of what stands in no file.
NO_FILE = ("<", "docstring of ")


class LineFinder:
    """Finds the lines of references of one document, asked in their order."""

    def __init__(self, document: nodes.document, encoding: str) -> None:
        self._default = str(document.get("source", ""))
        self._encoding = encoding
        self._files: dict[str, list[str]] = {}
        self._used: Counter[tuple[str, int, str]] = Counter()

    def find(self, node: nodes.Element, written: str) -> tuple[str, int]:
        """The file as Sphinx names it, by its full path, and the line (0: not known)."""
        block = _block_of(node)
        source, first = _start_of(node, self._default)
        if source and not source.startswith(NO_FILE):
            # Docutils names an included file from the working folder on, which is
            # another one when the next build asks where it is.
            source = os.path.abspath(source)  # noqa: PTH100 - what is a name is no path
        if source.endswith(".bib"):
            # Where the entry has been found already.
            return source, first
        counted = first + _lines_before(node, block) if first else 0
        return source, self._looked_up(source, counted, written)

    def _looked_up(self, source: str, counted: int, written: str) -> int:
        found = _PLAIN_START.match(written)
        needle = found.group() if found else ""
        if len(needle) < _LEAST:
            return counted
        lines = self._lines(source)
        if self._holds(source, lines, counted, needle):
            nearest = counted
        else:
            nearest = min(
                (
                    number
                    for number, line in enumerate(lines, 1)
                    if needle in line and self._holds(source, lines, number, needle)
                ),
                # Of two lines as near, the later one: blocks begin too early.
                key=lambda number: (abs(number - counted), -number),
                default=counted,
            )
        self._used[source, nearest, needle] += 1
        return nearest

    def _holds(self, source: str, lines: list[str], number: int, needle: str) -> bool:
        if not 0 < number <= len(lines):
            return False
        return self._used[source, number, needle] < lines[number - 1].count(needle)

    def _lines(self, source: str) -> list[str]:
        known = self._files.get(source)
        if known is None:
            docstring = named_docstring(source, self._encoding)
            text = self._read(source) if docstring is None else docstring.text
            known = self._files[source] = text.split("\n")
        return known

    def _read(self, path: str) -> str:
        try:
            return Path(path).read_text(self._encoding, errors="replace")
        except (OSError, LookupError, ValueError):
            # No path: what was counted holds.
            return ""


def _block_of(node: nodes.Element) -> nodes.Element:
    block = node
    while isinstance(block.parent, nodes.TextElement):
        block = block.parent
    return block


def _start_of(node: nodes.Element, default: str) -> tuple[str, int]:
    """Where the block of a node begins, as far as any node around it knows."""
    current: nodes.Element | None = node
    while current is not None:
        # Another extension's nodes may hold anything there.
        if isinstance(current.line, int) and current.line:
            return _untranslated(str(current.source or default), current.line)
        if isinstance(current, addnodes.desc):
            # The fields of a docstring have no line, its signature has.
            signature = current.next_node(addnodes.desc_signature)
            if signature is not None and signature.source:
                return str(signature.source), signature.line or 1
        current = current.parent
    return default, 0


def _untranslated(source: str, line: int) -> tuple[str, int]:
    """Where the original of a translated message stands, which is no file itself."""
    if not source.endswith(":<translated>"):
        return source, line
    original, _, number = source.removesuffix(":<translated>").rpartition(":")
    return original, int(number) if number.isdecimal() else 0


def _lines_before(node: nodes.Node, block: nodes.Element) -> int:
    count = 0
    while node is not block and node.parent is not None:
        for sibling in node.parent.children:
            if sibling is node:
                break
            count += _lines_in(sibling)
        node = node.parent
    return count


def _lines_in(node: nodes.Node) -> int:
    if isinstance(node, nodes.Text):
        return str(node).count("\n")
    if isinstance(node, nodes.target) and "refuri" in node:
        # Of the link before it, which names its address: `text <address>`_.
        return 0
    if isinstance(node, nodes.raw):
        # MyST writes a hard line break once for HTML and once for LaTeX.
        return int(node.get("format") == "html" and node.astext().endswith("\n"))
    if isinstance(node, nodes.Element) and node.rawsource:
        return node.rawsource.count("\n")
    return sum(map(_lines_in, node.children))
