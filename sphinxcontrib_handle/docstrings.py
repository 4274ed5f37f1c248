"""Docstrings in the files that hold them.

Sphinx names a place in one ``path:docstring of module.name`` and counts its lines
from the docstring's first; who is shown a file beside its findings, and who looks
for a line in it, needs to know where that is.
"""

import ast
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["Docstring", "named_docstring"]

_MARK = ":docstring of "
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Docstring(NamedTuple):
    """A docstring, as far as it can be found.

    Attributes:
        path: The file.
        text: The docstring, cleaned as autodoc does; empty if it was not found.
        line: The line of its first line in the file, from 1; 0 if not known.
    """

    path: str
    text: str = ""
    line: int = 0


def named_docstring(source: str, encoding: str) -> Docstring | None:
    """The docstring that Sphinx calls `source`; `None` if that is the name of a file."""
    path, mark, name = source.partition(_MARK)
    if not mark:
        return None
    try:
        module = _parsed(path, encoding, Path(path).stat().st_mtime_ns)
    except (OSError, LookupError, ValueError, SyntaxError):
        # No path, no known encoding, or no Python.
        return Docstring(path)
    return _find(path, module, name.split("."))


# A module's docstrings are asked for one after the other.
@lru_cache(maxsize=4)
def _parsed(path: str, encoding: str, _changed: int) -> ast.Module:
    return ast.parse(Path(path).read_text(encoding, errors="replace"))


def _find(path: str, module: ast.Module, names: list[str]) -> Docstring:
    """The docstring of an object by its dotted name, of which the module is a part.

    Lines are counted as autodoc counts them: from the first that is not empty.
    """
    for start in range(len(names) + 1):
        node: ast.AST | None = module
        for name in names[start:]:
            node = next(
                (
                    each
                    for each in getattr(node, "body", [])
                    if getattr(each, "name", None) == name
                ),
                None,
            )
        if isinstance(node, _WITH_DOCSTRING):
            raw = ast.get_docstring(node, clean=False)
            if raw is None:
                break
            empty = len(raw) - len(raw.lstrip())
            first = node.body[0].lineno + raw.count("\n", 0, empty)
            return Docstring(path, ast.get_docstring(node) or "", first)
    return Docstring(path)
