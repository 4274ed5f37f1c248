"""Finds the lines of references in source files.

Docutils counts lines wrongly in some blocks, and knows only the first line of others.
"""

import os
import re
from collections import Counter
from pathlib import Path

__all__ = ["SourceLines"]

# Markup, escapes and encodings leave a reference as it stands before these.
_PLAIN_END = re.compile(r"[^A-Za-z0-9:/.+-]")
_SHORTEST = 4


class SourceLines:
    """Looks a reference up in its file, near the line that is known."""

    def __init__(self, encoding: str | None) -> None:
        self._encoding = encoding or "utf-8"
        self._files: dict[str, list[str]] = {}
        self._used: Counter[tuple[str, int, str]] = Counter()

    def find(
        self, source: str, line: int, written: str, lines: slice = slice(None)
    ) -> tuple[str, int]:
        """The file, by its full path, and the line of a reference.

        It is the line nearest to `line` that holds the reference; `line` if none does.
        Each occurrence is found once: references come in the order of the document. Of
        two lines as near the later one counts, for blocks begin before their references.

        Args:
            source: The file, as docutils or Sphinx names it.
            line: The line where its block begins; 0 if not known.
            written: The reference as written.
            lines: The lines that may hold it, counted from 0.
        """
        if not source or source.startswith("<"):
            return source, line
        # Docutils names an included file from the working folder, which the next build
        # may not have.
        path = os.path.abspath(source)  # noqa: PTH100 - a name need not be a path
        needle = _PLAIN_END.split(written, maxsplit=1)[0]
        if len(needle) < _SHORTEST:
            return path, line
        numbers = range(1, len(self.read(path)) + 1)[lines]
        nearest = line
        if line not in numbers or not self._is_free(path, line, needle):
            nearest = min(
                (number for number in numbers if self._is_free(path, number, needle)),
                key=lambda number: (abs(number - line), -number),
                default=line,
            )
        self._used[path, nearest, needle] += 1
        return path, nearest

    def _is_free(self, path: str, number: int, needle: str) -> bool:
        """Whether a line holds a reference more often than it was found there."""
        used = self._used[path, number, needle]
        return used < self.read(path)[number - 1].count(needle)

    def read(self, path: str) -> list[str]:
        """The lines of a file; none if it cannot be read."""
        if path not in self._files:
            try:
                text = Path(path).read_text(self._encoding, errors="replace")
            except (OSError, LookupError, ValueError):
                # No path, or no known encoding.
                text = ""
            self._files[path] = text.split("\n")
        return self._files[path]
