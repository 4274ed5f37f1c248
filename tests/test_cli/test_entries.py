"""Entries of bibliographies and citation files, as text beside their identifiers."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from handle_cli.readers.entries import read_bibtex_entry, read_cff_entry
from handle_system.text_beside import TextBeside, TextKind


def cff_entry(text: str) -> TextBeside | None:
    """The entry that a text of YAML is."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(node, yaml.MappingNode)
    return read_cff_entry(node)


class TestBibtex:
    """Entries of BibTeX and BibLaTeX."""

    def test_what_is_compared(self) -> None:
        """Title, people and pages stand apart; an abstract is left out."""
        source = r"""kahn2006,
          Title = {A {Framework} for {D{\"i}stributed} objects},
          author = "Kahn, Robert and {Corporation {for} Research}",
          journal = ijdl # { (online)}, volume = 6, year = 2006,
          pages = {115--123},
          abstract = {Everything else is left out.},
          urldate = {1999-01-01},
        }
        A comment = {behind the entry}
        """
        assert read_bibtex_entry("article", source) == TextBeside(
            TextKind.ENTRY,
            'A {Framework} for {D{\\"i}stributed} objects\n115--123\n'
            "ijdl  (online)\n6\n2006\n"
            "Kahn, Robert and {Corporation {for} Research}",
            title='A {Framework} for {D{\\"i}stributed} objects',
            people="Kahn, Robert and {Corporation {for} Research}",
            pages="115--123",
            journal="ijdl  (online)",
        )

    @pytest.mark.parametrize(
        ("kind", "field", "is_part"),
        [
            ("article", "", False),
            ("InProceedings", "", True),
            ("misc", "booktitle = {A book},", True),
            ("misc", "chapter = 3,", True),
        ],
    )
    def test_parts_of_works(self, kind: str, field: str, is_part: bool) -> None:  # noqa: FBT001 (a column of the table)
        """Chapters and papers of proceedings are parts of works."""
        beside = read_bibtex_entry(kind, f"key, title = {{A title}}, {field} }}")
        assert beside is not None
        assert beside.is_part is is_part

    def test_editors_stand_for_authors(self) -> None:
        """Where there are no authors, the people are the editors."""
        beside = read_bibtex_entry("book", "key, title={A book}, editor={Kahn, R.}}")
        assert beside is not None
        assert beside.people == "Kahn, R."

    @pytest.mark.parametrize(
        "source",
        [
            "",
            "}",
            "key}",
            "key, author = {Kahn}}",
            "key, title = {never ends",
            "key, title=",
        ],
    )
    def test_no_entry_without_a_title(self, source: str) -> None:
        """An entry without a title, or a damaged one, is not compared."""
        assert read_bibtex_entry("article", source) is None

    @given(st.text(alphabet='{}"=,# \\ab1', max_size=60))
    def test_nothing_is_an_exception(self, source: str) -> None:
        """Any text can be read."""
        read_bibtex_entry("article", source)


class TestCitationFile:
    """Entries of CITATION.cff."""

    def test_what_is_compared(self) -> None:
        """People have their names in one line, and bodies in braces."""
        text = """
          type: article
          title: A framework
          authors:
            - {given-names: Robert, name-particle: van, family-names: Kahn}
            - name: A Body
            - alias: nobody
          journal: IJDL
          publisher: {name: Springer}
          year: 2006
          start: 115
          end: 123
          abstract: left out
        """
        assert cff_entry(text) == TextBeside(
            TextKind.ENTRY,
            "A framework\n115-123\nIJDL\nSpringer\n2006\nvan Kahn, Robert and {A Body}",
            title="A framework",
            people="van Kahn, Robert and {A Body}",
            pages="115-123",
            journal="IJDL",
        )

    def test_parts_of_works(self) -> None:
        """A paper in a collection is a part of it."""
        text = "{type: conference-paper, title: T, authors: [], editors: [{name: E}]}"
        beside = cff_entry(text)
        assert beside is not None
        assert beside.is_part
        assert beside.people == "{E}"

    def test_no_entry_without_a_title(self) -> None:
        """A title that is no text is none."""
        assert cff_entry("title: [a, b]\nauthors: {a: b}") is None


def test_a_long_space_without_a_key_takes_linear_time() -> None:
    """Quadratic work on it takes longer than any test may."""
    entry = read_bibtex_entry("article", f"{' ' * 1_000_000}title = {{Urns}}}}")

    assert entry is not None
    assert entry.title == "Urns"
