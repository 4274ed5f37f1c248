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


class _Object(list[tuple[str, object]]):
    """A JSON object, with its members in the order in which they are written."""


def read_notebook(text: str, proxies: Proxies) -> Iterator[SourceReference]:
    """The references in the Markdown cells of a notebook.

    Raises:
        UnreadableError: when the file is not JSON.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_Object, parse_int=float, strict=False)
    try:
        notebook = decoder.decode(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError("it is not JSON") from error
    lines = Lines(text)
    strings = [found.span() for found in _STRING.finditer(text)]
    for first, source in _markdown_cells(notebook):
        cell = Lines("".join(source))
        if not may_hold(cell.text, proxies):
            continue
        offsets = [
            found.start()
            for start, end in strings[first : first + len(source)]
            for found in _CHARACTER.finditer(text, start + 1, end - 1)
        ]
        for each in read_markdown(cell.text, proxies):
            offset = offsets[cell.offset(each.line, max(each.column, 1))]
            line, column = lines.place(offset)
            yield replace(each, line=line, column=column if each.column else 0)


def _markdown_cells(notebook: object) -> Iterator[tuple[int, list[str]]]:
    """The source of each Markdown cell, with the number of its first string.

    The strings of the file are numbered in order, the keys of objects among them.
    """
    number = 0
    for key, cells in _members(notebook):
        number += 1
        if key != "cells" or not isinstance(cells, list):
            number += _count(cells)
            continue
        for cell in cells:
            is_markdown = ("cell_type", "markdown") in _members(cell)
            for name, source in _members(cell):
                number += 1
                if name == "source" and is_markdown:
                    strings = source if isinstance(source, list) else [source]
                    yield number, [each for each in strings if isinstance(each, str)]
                number += _count(source)


def _members(value: object) -> _Object:
    return value if isinstance(value, _Object) else _Object()


def _count(value: object) -> int:
    """The number of strings in a JSON value, the keys of objects among them."""
    match value:
        case str():
            return 1
        case _Object():
            return sum(1 + _count(member) for _, member in value)
        case list():
            return sum(map(_count, value))
        case _:
            return 0
