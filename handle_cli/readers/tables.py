"""Tables of comma-separated values (RFC 4180), which librarians and programs write.

The cells are those that Python's module `csv` reads, which does not say where they stand.
The first row names the columns. In columns for identifiers, handles often stand bare; in
all other cells, what counts in plain text counts.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from handle_cli.readers import ReadingRules, at
from handle_cli.readers.columns import (
    CellForIdentifiers,
    Column,
    holds_identifier,
    identifier_in,
    is_no_value,
    parts_of,
    to_the_ends,
)
from handle_system.found import Found, Markup
from handle_system.lines import Lines

_DELIMITERS = ",;\t|"
# Columns of this name hold identifiers of any kind.
_MIXED_COLUMN = "identifier"
# What is certainly a handle among identifiers of any kind.
_NUMERIC_HANDLE = re.compile(r"(?:[0-9]{4,}|[0-9]+(?:\.[0-9]+)+)/\S+")
# A form with a scheme, an address, or a link of HTML, whose quotation marks are doubled.
_NAMED_FORM = re.compile(r"\s*(?:[A-Za-z][A-Za-z+.-]*:|[A-Za-z0-9.-]+\.[A-Za-z]+/|<)")
_ANCHOR = re.compile(
    r"""<a\s[^>]{0,500}?href\s*=\s*["']*(?P<target>[^"'>\s]+)""", re.IGNORECASE
)


class Cell(NamedTuple):
    """A cell of a table.

    Attributes:
        row: The number of its row, from 0.
        column: The number of its column, from 0.
        start: Where its content begins in the text, behind a quotation mark.
        content: Its content as it is written, where a quotation mark may be doubled.
        value: Its content as it is read.
    """

    row: int
    column: int
    start: int
    content: str
    value: str


def read_csv(text: str, rules: ReadingRules) -> Iterator[Found]:
    """The references in the cells of a table."""
    lines = Lines(text)
    columns: dict[int, Column] = {}
    mixed_columns: set[int] = set()
    for cell in cells_of(text):
        if cell.row == 0:
            column = Column.named(cell.value)
            if column is not None:
                columns[cell.column] = column
            if cell.value.strip("\ufeff \t").casefold() == _MIXED_COLUMN:
                mixed_columns.add(cell.column)
            yield from _in_text(lines, cell, rules)
        elif cell.column in columns:
            if not is_no_value(cell.content):
                _add_to(columns[cell.column], lines, cell, rules)
        elif cell.column in mixed_columns and _NUMERIC_HANDLE.match(
            cell.content.strip()
        ):
            yield from _bare_identifiers(lines, cell, rules, doi_only=False)
        else:
            yield from _in_text(lines, cell, rules)
    for column in columns.values():
        yield from column.references()


def _add_to(column: Column, lines: Lines, cell: Cell, rules: ReadingRules) -> None:
    """Read a cell of a column for identifiers."""
    doi_only = column.takes_dois_only
    if _NAMED_FORM.match(cell.content):
        as_text = [*_in_text(lines, cell, rules)]
        as_field = _to_the_ends(as_text, cell, rules)
        if not holds_identifier(as_text):
            as_field = [*_named_form(lines, cell, rules, doi_only=doi_only)]
    else:
        as_field = [*_bare_identifiers(lines, cell, rules, doi_only=doi_only)]
        as_text = [] if holds_identifier(as_field) else [*_in_text(lines, cell, rules)]
        if holds_identifier(as_text):
            as_field = _to_the_ends(as_text, cell, rules)
    column.add(CellForIdentifiers(cell.value, as_text, as_field))


def _to_the_ends(
    references: Sequence[Found], cell: Cell, rules: ReadingRules
) -> Sequence[Found]:
    """The references of a cell that is read as text, with the full stops behind them."""
    parts = {cell.start + start: part for start, part in parts_of(cell.content)}
    return to_the_ends(references, parts, rules)


def _named_form(
    lines: Lines, cell: Cell, rules: ReadingRules, *, doi_only: bool
) -> Iterator[Found]:
    """What a cell holds that is a form with a scheme, an address or a link as a whole."""
    anchor = _ANCHOR.search(cell.content)
    if anchor is None:
        written = cell.content.strip()
        begin = cell.start + cell.content.index(written)
    else:
        written = anchor["target"]
        begin = cell.start + anchor.start("target")
    reference = identifier_in(written, rules, doi_only=doi_only)
    yield from at(lines, begin, Markup.CELL, reference, written)


def _bare_identifiers(
    lines: Lines, cell: Cell, rules: ReadingRules, *, doi_only: bool
) -> Iterator[Found]:
    """The identifiers in a cell, each of which stands bare."""
    for start, written in parts_of(cell.content):
        if not is_no_value(written):
            reference = identifier_in(written, rules, doi_only=doi_only)
            yield from at(lines, cell.start + start, Markup.CELL, reference, written)


def _in_text(lines: Lines, cell: Cell, rules: ReadingRules) -> Iterator[Found]:
    """The references in a cell of text, where "||" divides them."""
    # Most cells are numbers and words, and every form has one of these.
    if "/" not in cell.content and "%" not in cell.content:
        return
    for found in rules.find(cell.content.replace("||", "  ")):
        written = cell.content[found.start : found.end]
        begin = cell.start + found.start
        yield from at(lines, begin, Markup.PLAIN, found.reference, written)


def cells_of(text: str) -> Iterator[Cell]:
    r"""The cells of a table, in the order in which they stand.

    >>> [cell.value for cell in cells_of('a,"b ""c"" d"\ne,f')]
    ['a', 'b "c" d', 'e', 'f']
    """
    pattern = _pattern_of_cells(_delimiter_of(text))
    row = 0
    column = 0
    position = 0
    # Behind a delimiter at the end there is an empty cell.
    while position < len(text) or column:
        cell = pattern.match(text, position)
        if cell is None:
            return
        yield _cell(row, column, cell)
        position = cell.end()
        column += 1
        if cell["end"] != cell["delimiter"]:
            row += 1
            column = 0


def _cell(row: int, column: int, match: re.Match[str]) -> Cell:
    if match["quoted"] is None:
        return Cell(row, column, match.start("cell"), match["cell"], match["cell"])
    value = match["quoted"].replace('""', '"') + match["rest"]
    # Behind the mark that closes it, a cell may go on.
    group = "cell" if match["rest"] else "quoted"
    return Cell(row, column, match.start(group), match[group], value)


def _pattern_of_cells(delimiter: str) -> re.Pattern[str]:
    """A pattern of one cell and what ends it: a delimiter or the end of a row."""
    mark = re.escape(delimiter)
    return re.compile(
        rf"""
        (?P<cell>
            "(?P<quoted>(?>(?:[^"]++|"")*))(?:"|\Z)(?P<rest>[^{mark}\r\n]*+)
          | [^{mark}\r\n]*+
        )
        (?P<end>(?P<delimiter>{mark})|\r\n|\r|\n|\Z)
        """,
        re.VERBOSE,
    )


def _delimiter_of(text: str) -> str:
    """The delimiter that the first row has most of."""
    first_row = re.sub('"[^"]*"', "", re.split("[\r\n]", text[:100_000], maxsplit=1)[0])
    return max(_DELIMITERS, key=first_row.count)
