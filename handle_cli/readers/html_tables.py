"""Columns for identifiers in the tables of HTML.

The names of columns are those in the first row that holds headings alone. Of a table with
a cell that spans others, nobody knows the columns, and all of it is text.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from handle_cli.readers import ReadingRules, at
from handle_cli.readers.columns import (
    CellForIdentifiers,
    Column,
    holds_identifier,
    identifier_in,
    is_address,
    is_no_value,
    parts_of,
    to_the_ends,
)
from handle_cli.readers.html_parts import CELLS, TEMPLATE, Tag, Text, shown
from handle_system import HandleReference
from handle_system.errors import PlaceholderError
from handle_system.found import Found, Markup
from handle_system.lines import Lines

_ROWS = frozenset({"tr", "thead", "tbody", "tfoot"})


@dataclass(slots=True)
class _Cell:
    """A cell that is open: what stands in it so far.

    Attributes:
        number: The number of its column, from 0.
        is_heading: Whether it is a heading of its column or its row.
        column: Its column, if that is one for identifiers.
        texts: The texts in it that are not code.
        targets: The targets of the links in it.
        references: The references in it, as they are read in any text.
    """

    number: int
    is_heading: bool
    column: Column | None
    texts: list[Text] = field(default_factory=list)
    targets: list[Text] = field(default_factory=list)
    references: list[Found] = field(default_factory=list)


@dataclass(slots=True)
class _Table:
    """A table that is open.

    Attributes:
        columns: Its columns for identifiers, by number.
        cell: The cell that is open.
        headings: The headings of the row that is open, by the numbers of their columns.
        width: How many cells of that row have begun.
        has_names: Whether the row with the names of columns was read.
        is_regular: Whether no cell spans others.
    """

    columns: dict[int, Column] = field(default_factory=dict)
    cell: _Cell | None = None
    headings: dict[int, str] = field(default_factory=dict)
    width: int = 0
    has_names: bool = False
    is_regular: bool = True

    def begin_cell(self, tag: Tag) -> None:
        """Begin a cell of the row that is open."""
        number = self.width
        is_heading = tag.name == "th"
        column = None if is_heading else self.columns.get(number)
        self.cell = _Cell(number, is_heading, column)
        self.width += 1
        self.is_regular = self.is_regular and not tag.spans_cells

    def end_row(self) -> None:
        """End the row that is open, which may have the names of the columns."""
        if self.headings and len(self.headings) == self.width and not self.has_names:
            self.has_names = True
            for number, name in self.headings.items():
                column = Column.named(name)
                if column is not None:
                    self.columns[number] = column
        self.headings = {}
        self.width = 0


class Tables:
    """The tables of a page that is read from its beginning to its end.

    Args:
        lines: The lines of the page.
        rules: How references are recognised.
    """

    def __init__(self, lines: Lines, rules: ReadingRules) -> None:
        self._lines = lines
        self._rules = rules
        self._open: list[_Table] = []

    @property
    def are_open(self) -> bool:
        """Whether a table is open."""
        return bool(self._open)

    @property
    def _cell(self) -> _Cell | None:
        """The cell that is open."""
        return self._open[-1].cell if self._open else None

    def at_tag(self, tag: Tag) -> Iterator[Found]:
        """Take up a tag in a table; it may end the table, whose references follow."""
        if tag.name == "table" and not tag.is_closing:
            self._open.append(_Table())
        elif not self._open:
            return
        elif tag.name == "table":
            yield from self._end_of_table()
        elif tag.name in CELLS:
            self._end_cell()
            if not tag.is_closing:
                self._open[-1].begin_cell(tag)
        elif tag.name in _ROWS:
            self._end_cell()
            self._open[-1].end_row()
        elif tag.name == "a" and tag.target is not None and self._cell is not None:
            self._cell.targets.append(tag.target)

    def at_text(self, span: Text) -> None:
        """Take up a text that is no code."""
        cell = self._cell
        if cell is not None and (cell.is_heading or cell.column is not None):
            cell.texts.append(span)

    def outside(self, references: Iterable[Found]) -> Iterator[Found]:
        """The references that stand in no cell for identifiers; those wait for its end."""
        cell = self._cell
        if cell is None or cell.column is None:
            yield from references
        else:
            cell.references += references

    def at_end(self) -> Iterator[Found]:
        """The references of the tables that nothing closed."""
        while self._open:
            yield from self._end_of_table()

    def _end_of_table(self) -> Iterator[Found]:
        self._end_cell()
        table = self._open.pop()
        for column in table.columns.values():
            yield from column.references(is_regular=table.is_regular)

    def _end_cell(self) -> None:
        table = self._open[-1]
        cell = table.cell
        table.cell = None
        if cell is None:
            return
        text = shown("".join(map(self._written, cell.texts)))
        if cell.is_heading:
            table.headings[cell.number] = text
        elif cell.column is not None:
            as_field = self._as_field(cell, text.strip(), cell.column)
            read = " ".join([text, *map(self._written, cell.targets)])
            cell.column.add(CellForIdentifiers(read, cell.references, as_field))

    def _written(self, span: Text) -> str:
        return self._lines.text[span.start : span.end]

    def _as_field(self, cell: _Cell, text: str, column: Column) -> Sequence[Found]:
        """What a cell holds that is a place for identifiers."""
        spans = [span for span in cell.texts if self._written(span).strip()]
        if holds_identifier(cell.references):
            parts = {
                span.start + start: part
                for span in spans
                for start, part in parts_of(self._written(span))
            }
            return to_the_ends(cell.references, parts, self._rules)
        if is_no_value(text) or not spans:
            return cell.references
        if TEMPLATE.search(text):
            return cell.references
        doi_only = column.takes_dois_only
        in_text = [
            found
            for span in spans
            for found in self._identifiers_in(span, doi_only=doi_only)
        ]
        is_filled = any(not _is_malformed(found) for found in in_text)
        if len(spans) == 1 and is_filled:
            return in_text
        whole = identifier_in(text, self._rules, doi_only=doi_only)
        if is_filled or isinstance(whole, HandleReference):
            # Markup stands in it, and nobody knows which parts belong together.
            return cell.references
        if any(found.markup.is_target for found in cell.references):
            return cell.references
        for span in cell.targets:
            if is_address(shown(self._written(span)).strip()):
                return [*self._identifiers_in(span, doi_only=doi_only)]
        return in_text[:1]

    def _identifiers_in(self, span: Text, *, doi_only: bool) -> Iterator[Found]:
        """The identifiers in a text, or what is wrong with each."""
        raw = self._written(span)
        parts: Iterable[tuple[int, str]] = parts_of(raw)
        whole = raw.strip()
        if "\n" in whole:
            # A word behind the end of a line is no identifier of its own.
            parts = [(raw.index(whole), whole)]
        for start, written in parts:
            read = " ".join(shown(written).split())
            if not is_no_value(read):
                reference = identifier_in(read, self._rules, doi_only=doi_only)
                begin = span.start + start
                yield from at(self._lines, begin, Markup.CELL, reference, written)


def _is_malformed(found: Found) -> bool:
    """Whether a text holds neither an identifier nor a word for one that is to come."""
    return not isinstance(found.reference, HandleReference | PlaceholderError)
