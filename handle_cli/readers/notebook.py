"""Jupyter notebooks: the Markdown cells, at their places in the JSON text."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from handle_cli.readers.markdown import read_markdown
from handle_cli.readers.source import Lines, SourceReference, UnreadableError, may_hold
from handle_system import Proxies

__all__ = ["read_notebook"]

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
# One character of a string's value (RFC 8259, section 7): a pair of surrogates is one.
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\u[0-9a-fA-F]{4}|\\.|[^\\]",
    re.DOTALL,
)


def read_notebook(text: str, proxies: Proxies) -> Iterator[SourceReference]:
    """The references in the Markdown cells of a notebook.

    Raises:
        UnreadableError: when the file is not JSON.
    """
    try:
        notebook = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError("it is not JSON") from error
    lines = Lines(text)
    written = _STRING.finditer(text)
    for cell, strings in _sources(notebook):
        # The file holds the strings of the cells in the same order, among others.
        spans = [
            next(found.span() for found in written if json.loads(found[0]) == string)
            for string in strings
        ]
        source = Lines("".join(strings))
        if cell.get("cell_type") != "markdown" or not may_hold(source.text, proxies):
            continue
        offsets = [
            character.start()
            for start, end in spans
            for character in _CHARACTER.finditer(text, start + 1, end - 1)
        ]
        for each in read_markdown(source.text, proxies):
            offset = offsets[source.offset(each.line, max(each.column, 1))]
            line, column = lines.place(offset)
            yield replace(each, line=line, column=column if each.column else 0)


def _sources(notebook: object) -> Iterator[tuple[dict[str, object], list[str]]]:
    """Each cell of a notebook, and the strings of its source."""
    match notebook:
        case {"cells": [*cells]}:
            for cell in cells:
                match cell:
                    case {"source": str() as source}:
                        yield cell, [source]
                    case {"source": [*strings]}:
                        yield cell, [each for each in strings if isinstance(each, str)]
