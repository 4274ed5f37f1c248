"""Plain text in which each identifier stands on one line."""

import pytest

from tests.test_sphinx.conftest import MakeProject

LONG = "20.1000/" + "-".join(["part"] * 20)
SICI = "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V"


def plain(project: MakeProject, text: str, **settings: object) -> str:
    """What the text builder makes of a page."""
    built = project(f"T\n=\n\n{text}", **settings).build("text")
    assert built.warnings == ""
    return built.page("index.txt")


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("hdl:20.1000/a-long-name-of-words", id="hyphens"),
        pytest.param(f"doi:{SICI}", id="SICI"),
        pytest.param("hdl:20.1000/日本語の長い名前", id="Japanese"),
        pytest.param(f"hdl:{LONG}", id="longer than a line"),
        pytest.param(f"https://hdl.handle.net/{LONG}", id="URL"),
    ],
)
@pytest.mark.parametrize("before", range(0, 64, 9))
def test_running_text(project: MakeProject, written: str, before: int) -> None:
    """Wherever its line ends, an identifier is not broken."""
    filling = "x" * before
    text = plain(
        project, f"{filling} a ({written}), and more.\n\n- in a list {written}"
    )

    assert text.count(written) == 2
    assert f"({written}), and" in " ".join(text.split())
    assert all(len(line) <= 70 for line in text.split("\n") if written not in line)


def test_lines_are_filled_as_ever(project: MakeProject) -> None:
    """Where no identifier would be broken, the text is as Sphinx makes it."""
    text = (
        "Much text with doi:10.1000/182 in it, and well-known words of several-parts "
        "that go on so that a line is full, and *another* (hdl:20.1000/100) too.\n\n"
        "A title hdl:20.1000/1\n---------------------\n\n"
        "==================  ====\none                 two\n==================  ====\n"
        "doi:10.1000/182     text\n==================  ====\n"
    )

    assert plain(project, text) == plain(project, text, ours=False)


def test_tables(project: MakeProject) -> None:
    """A column is as wide as the identifiers in it, and its frame fits."""
    text = plain(
        project,
        f".. list-table::\n   :widths: 5 5 5\n\n   * - :hdl:`{LONG[:50]}`\n"
        f"     - two\n     - see `x <hdl:{LONG[:40]}>`_, and more\n"
        "   * - one\n     - two words\n     - three",
    )

    assert f"| hdl:{LONG[:50]} | two   | see x " in text
    assert f"(hdl:{LONG[:40]})," in text
    assert len({len(line) for line in text.split("\n") if line[:1] in {"+", "|"}}) == 1


def test_a_cell_that_spans_columns(project: MakeProject) -> None:
    """Each of them gets its part of the room that is lacking."""
    written = f"hdl:{LONG[:40]}"
    text = plain(
        project,
        f"=====  =====\none    two\n=====  =====\n|s|\n------------\na      b\n"
        f"=====  =====\n\n.. |s| replace:: {written}\n",
    )

    assert f"| {written} " in text
    assert max(map(len, text.split("\n"))) < len(written) + 10
    assert len({len(line) for line in text.split("\n") if line[:1] in {"+", "|"}}) == 1


def test_a_longer_one_than_a_line_in_a_table(project: MakeProject) -> None:
    """It stands out of the frame, in one piece."""
    text = plain(
        project, f".. list-table::\n   :widths: 5 5\n\n   * - :hdl:`{LONG}`\n     - two"
    )

    assert f"hdl:{LONG}" in text


def test_a_writer_of_the_projects_own(project: MakeProject) -> None:
    """What a project's own writer does, it still does."""
    own = (
        "from sphinx.writers.text import TextTranslator\n"
        "class Loud(TextTranslator):\n"
        "    def visit_emphasis(self, node):\n"
        "        self.add_text('!!!')\n"
        "def setup(app):\n"
        "    app.set_translator('text', Loud)\n"
    )
    text = plain(project, f"{'x' * 60} *a* doi:{SICI}", prelude=own)

    assert "!!!a" in text
    assert f"doi:{SICI}" in text


def test_private_characters_of_the_document(project: MakeProject) -> None:
    """Who uses the last plane privately keeps it, and Sphinx's own line breaks."""
    text = f"\U00100000 \U0010fffd\U0010fffd {'x' * 40} doi:{SICI}"
    page = plain(project, text)

    assert "\U00100000 \U0010fffd\U0010fffd " in page
    assert page == plain(project, text, ours=False)


def test_the_address_of_what_has_no_handle_is_whole(project: MakeProject) -> None:
    """In a citation, where it is in the place of one; other words are as they were."""
    address = (
        "https://example.org/a-rather-long/address-with-hyphens/that-goes-on/and-on"
    )
    built = project(
        "T\n=\n\n.. cite-version::\n   :title: A well-known title\n   :version: 1.0\n"
        f"   :date: 2007-06-26\n   :url: {address}\n   :reference:\n"
    ).build("text")

    assert f"\n(2007). A well-known title. Version 1.0.\n{address}\n" in built.page(
        "index.txt"
    )
