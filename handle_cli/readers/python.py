"""Python: the docstrings, read as reStructuredText; everything else is code.

`tokenize` finds them, because `ast` fails for files of a newer Python, and for
templates.  A docstring is the first statement of a module, a class or a function, and
nothing but a string (Python's language reference, "Glossary").
"""

import tokenize
from ast import literal_eval
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO

from handle_cli.readers.rst import read_rst
from handle_cli.readers.source import SourceReference, may_hold, within
from handle_system import Proxies

__all__ = ["read_python"]

_LAYOUT = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
)
_ENDS = frozenset({tokenize.NEWLINE, tokenize.COMMENT, tokenize.ENDMARKER})


def read_python(text: str, proxies: Proxies) -> Iterator[SourceReference]:
    """The references in the docstrings of a Python file."""
    rows = text.split("\n")
    for token in _docstrings(text):
        try:
            content = literal_eval(token.string)
        except (SyntaxError, ValueError):
            continue
        if not isinstance(content, str) or not may_hold(content, proxies):
            continue
        inner = _dedented(content)
        first = token.start[0] - 1
        yield from within(read_rst("\n".join(inner), proxies), inner, rows, first)


def _dedented(docstring: str) -> list[str]:
    """The lines of a docstring; the first one stands as deep as the others."""
    first, *rest = docstring.split("\n")
    depth = min(
        (len(row) - len(row.lstrip()) for row in rest if row.strip()), default=0
    )
    return [first.lstrip(), *(row[depth:] for row in rest)]


def _docstrings(text: str) -> Iterator[tokenize.TokenInfo]:
    """The tokens of a module's docstrings, as far as it can be read."""
    is_first = is_start = True
    is_head = False
    depth = 0
    held: tokenize.TokenInfo | None = None
    tokens = tokenize.generate_tokens(StringIO(text.removeprefix("\ufeff")).readline)
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokens:
            if held is not None and (token.type in _ENDS or token.string == ";"):
                yield held
            held = None
            if token.type in _LAYOUT:
                is_start = is_start or token.type == tokenize.NEWLINE
                continue
            if token.type == tokenize.STRING and is_first:
                held = token
            is_first = False
            if is_start and token.string in {"def", "class"}:
                is_head, depth = True, 0
            elif is_head and token.type == tokenize.OP:
                depth += (token.string in "([{") - (token.string in ")]}")
                if token.string == ":" and not depth:
                    is_first, is_head = True, False
            is_start = token.string == "async"
