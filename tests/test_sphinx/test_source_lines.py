"""The lines of a file that no parser knows are looked up in one index of it."""

from pathlib import Path

import pytest

from sphinxcontrib_handle import lines
from tests.test_sphinx.project import Project

CARD = """
.. cite-version::
   :title: T{number}
   :creators: Doe, Jane
   :version: 1.0
   :handle: 20.1000/{number}
"""


def test_a_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards and entries of a toctree look their lines up in one text of their page."""
    made: list[str] = []

    class CountedText(lines.FileText):
        def __init__(self, text: str) -> None:
            made.append(text)
            super().__init__(text)

    monkeypatch.setattr(lines, "FileText", CountedText)
    entries = "\n".join(f"   Entry <hdl:20.1000/t{number}>" for number in range(20))
    cards = "".join(CARD.format(number=number) for number in range(20))
    page = f"T\n=\n\n.. toctree::\n\n{entries}\n{cards}"
    built = Project(tmp_path, {"index.rst": page}).build("dummy")

    assert made == [page]
    assert built.warnings == ""


def test_lines_of_many_cards(tmp_path: Path) -> None:
    """Each option has the line of its own card."""
    cards = "".join(CARD.format(number=number) for number in range(3))
    wrong = cards.replace("20.1000/2", "20.1000")
    built = Project(tmp_path, {"index.rst": f"T\n=\n{wrong}"}).build("dummy")

    assert "index.rst:20: WARNING:" in built.warnings


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    """The text belongs to a state of the file, which the next document sees."""
    path = tmp_path / "page.rst"
    path.write_text("hdl:20.1000/a\n")
    first_lines = lines.SourceLines(None)
    assert first_lines.find_again(str(path), 1, "hdl:20.1000/a")[1] == 1

    path.write_text("\n\nhdl:20.1000/a\n")
    next_lines = lines.SourceLines(None)
    assert next_lines.find_again(str(path), 1, "hdl:20.1000/a")[1] == 3


def test_entries_of_a_bibliography(tmp_path: Path) -> None:
    """The first line of an entry counts, by its key in any letter case."""
    path = tmp_path / "a.bib"
    path.write_text("@book{One,\n}\n  @ARTICLE { two ,\n}\n@book{one,\n}\n")
    source_lines = lines.SourceLines("utf-8")
    numbers = [source_lines.entry_line(str(path), key) for key in ("one", "two", "3")]

    assert numbers == [1, 3, 0]
