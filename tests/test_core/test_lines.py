"""Lines and columns of what stands in a document."""

import pytest

from handle_system.lines import Lines

DOCUMENT = "one\n\ttwo one\none two one"


@pytest.mark.parametrize(
    ("offset", "place"),
    [(0, (1, 1)), (3, (1, 4)), (4, (2, 1)), (13, (3, 1)), (24, (3, 12))],
)
def test_place_and_offset(offset: int, place: tuple[int, int]) -> None:
    """An offset is a line and a column, both from 1, and the other way round."""
    lines = Lines(DOCUMENT)

    assert lines.place(offset) == place
    assert lines.offset(*place) == offset


@pytest.mark.parametrize(
    ("line", "row"), [(0, "one"), (4, "one"), (-1, "two"), (1, "two"), (5, "")]
)
def test_row_that_is_not_on_its_line(line: int, row: str) -> None:
    """The columns are unknown, too, where the document has no such line."""
    assert Lines(DOCUMENT).columns(line, row) is None


def test_equal_rows_follow_each_other() -> None:
    """The second of two equal rows is found behind the first, a third at the first."""
    lines = Lines(DOCUMENT)

    found = [lines.columns(3, "one") for _ in range(3)]

    assert [columns and columns.column(0) for columns in found] == [1, 9, 1]


def test_expanded_tabs() -> None:
    """Columns are those of the line, whether or not the parser expanded its tabs."""
    expanded = Lines(DOCUMENT).columns(2, "        two one")
    kept = Lines(DOCUMENT).columns(2, "\ttwo one")

    assert expanded is not None
    assert [expanded.column(offset) for offset in (0, 7, 8, 11, 15, 99)] == [
        *(1, 1, 2, 5, 9, 9)
    ]
    assert kept is not None
    assert [kept.column(offset) for offset in (0, 1, 4)] == [1, 2, 5]
