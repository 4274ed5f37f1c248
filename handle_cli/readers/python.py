"""Python: the docstrings, read as reStructuredText; everything else is code.

A docstring here is a string that is a statement.  Sphinx reads those of modules,
classes, functions and attributes.  `tokenize` finds them, because `ast` fails for files
of a newer Python, and for templates.
"""

import tokenize
from ast import literal_eval
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from textwrap import dedent

from handle_cli.readers.rst import read_rst
from handle_cli.readers.source import SourceReference, may_hold, within
from handle_system import Proxies

__all__ = ["read_python"]

# Tokens that stand before a statement.
_BEFORE = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}


def read_python(text: str, proxies: Proxies) -> Iterator[SourceReference]:
    """The references in the docstrings of a Python file."""
    rows = text.split("\n")
    for token in _docstrings(text):
        if not may_hold(token.string, proxies):
            continue
        try:
            content = literal_eval(token.string)
        except (SyntaxError, ValueError):
            continue
        if isinstance(content, str):
            first, _, rest = content.partition("\n")
            inner = f"{first.lstrip()}\n{dedent(rest)}"
            found = read_rst(inner, proxies)
            yield from within(found, inner.split("\n"), rows, token.start[0] - 1)


def _docstrings(text: str) -> Iterator[tokenize.TokenInfo]:
    """The strings that are statements, as far as the file can be read."""
    before = tokenize.ENCODING
    held: tokenize.TokenInfo | None = None
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(
            StringIO(text.removeprefix("\ufeff")).readline
        ):
            if token.type in {tokenize.NL, tokenize.COMMENT}:
                continue
            if held is not None and token.type == tokenize.NEWLINE:
                yield held
            is_first = token.type == tokenize.STRING and before in _BEFORE
            held = token if is_first else None
            before = token.type
