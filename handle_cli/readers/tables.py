"""Tables of comma-separated values (RFC 4180), which librarians and programs write.

The cells are those that Python's module `csv` reads, which does not say where they stand.
The first row names the columns. In columns for identifiers, handles often stand bare; in
all other cells, what counts in plain text counts.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from handle_cli.readers import ReadingRules, at
from handle_system.found import Found, Markup
from handle_system.lines import Lines

_DELIMITERS = ",;\t|"
# The columns that hold a handle.
_COLUMNS = frozenset({"handle", "hdl", "doi"})
# What people write where there is none; "n/a" could be a handle.
_NO_VALUE = frozenset({"", "-", "--", "n/a", "na", "none", "null", "nil", "unknown"})
# Columns of this name hold identifiers of any kind.
_MIXED_COLUMN = "identifier"
# What is certainly a handle among identifiers of any kind.
_NUMERIC_HANDLE = re.compile(r"(?:[0-9]{4,}|[0-9]+(?:\.[0-9]+)+)/\S+")
# A form with a scheme, or an address.
_NAMED_FORM = re.compile(r"\s*(?:[A-Za-z][A-Za-z+.-]*:|[A-Za-z0-9.-]+\.[A-Za-z]+/)")
# Several identifiers in one cell, as repositories export them.
_PART = re.compile(
    r"(?>(?:\s|\|\||;(?=\s))*)(?P<part>(?>(?:[^|;\s]++|\|(?!\|)|;(?!\s)|[^\S\r\n]++(?=[^|;\s]))+))"
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
    names: dict[int, str] = {}
    for cell in cells_of(text):
        if cell.row == 0:
            names[cell.column] = cell.value.strip("\ufeff \t").casefold()
        name = names.get(cell.column, "") if cell.row else ""
        if _holds_bare_handles(name, cell):
            yield from _bare_handles(lines, cell, rules, doi_only=name == "doi")
        else:
            yield from _in_text(lines, cell, rules)


def _holds_bare_handles(name: str, cell: Cell) -> bool:
    """Whether what stands in a cell is read as handles, by the name of its column."""
    # A form with a scheme is found as in any other cell.
    if _NAMED_FORM.match(cell.content):
        return False
    if cell.content.strip().casefold() in _NO_VALUE:
        return False
    if name == _MIXED_COLUMN:
        return _NUMERIC_HANDLE.match(cell.content.strip()) is not None
    return name in _COLUMNS


def _bare_handles(
    lines: Lines, cell: Cell, rules: ReadingRules, *, doi_only: bool
) -> Iterator[Found]:
    """The handles in a cell, each of which stands bare."""
    for part in _parts_of(cell.content):
        written = part["part"]
        reference = rules.parse_field(written, doi_only=doi_only)
        begin = cell.start + part.start("part")
        yield from at(lines, begin, Markup.FIELD, reference, written)


def _in_text(lines: Lines, cell: Cell, rules: ReadingRules) -> Iterator[Found]:
    """The references in a cell of text."""
    if cell.content.strip().casefold() in _NO_VALUE:
        return
    # Most cells are numbers and words, and every form has one of these.
    if "/" not in cell.content and "%" not in cell.content:
        return
    for found in rules.find(cell.content):
        written = cell.content[found.start : found.end]
        begin = cell.start + found.start
        yield from at(lines, begin, Markup.PLAIN, found.reference, written)


def _parts_of(content: str) -> Iterator[re.Match[str]]:
    """The identifiers in a cell, one behind the other.

    A search would begin anew at each character of the space at the end.
    """
    part = _PART.match(content)
    while part is not None:
        yield part
        part = _PART.match(content, part.end())


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
