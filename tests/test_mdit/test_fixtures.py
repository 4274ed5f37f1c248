"""Pages in, HTML out: the cases of the files in `fixtures`."""

from pathlib import Path

import pytest
from markdown_it.utils import read_fixture_file

from tests.test_mdit.parsers import FIXTURES, parser_for

FOLDER = Path(__file__).parent / "fixtures"

CASES = [
    pytest.param(name, source, expected, id=f"{name}.md:{line} {title}")
    for name in FIXTURES
    for line, title, source, expected in read_fixture_file(FOLDER / f"{name}.md")
]


@pytest.mark.parametrize(("name", "source", "expected"), CASES)
def test_page(name: str, source: str, expected: str) -> None:
    """Each case is rendered as its file says."""
    assert parser_for(name).render(source) == expected


def test_every_file_is_read() -> None:
    """No fixture file is without a parser, and none is empty."""
    files = sorted(FOLDER.glob("*.md"))

    assert sorted(FIXTURES) == sorted(file.stem for file in files)
    assert all(read_fixture_file(file) for file in files)
