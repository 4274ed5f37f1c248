"""The formats in which a citation is exported, in one table.

Options need the names alone, so what writes is loaded with a citation.

**Add an output format.** For works, add a module with a function `write` to
`handle_system/citing/formats/`, which writes works by their keys (`Described` in
`handle_system/citing/style.py`): those of a card, and those of `hdl references list`,
alike. Add its line to `writers.py` there, and its name and its row to the table
here; options, the plugin, the pages and the command take it from the table.
`example_docs/cite-version.rst` and the docstring of `handle_plugin()`
(`mdit_handle/plugin.py`) list the names by hand. Cards show every format, so rewrite
the golden files as `tests/test_parity/test_cite_cases.py` says, and read the
difference. Name it in `example_docs/references.rst`, whose commands
`tests/test_cli/test_manual.py` runs. For a report, add a function to `handle_system/findings/reports.py`
(`junit.py` beside it is for XML) and its name to `REPORTS` in
`handle_cli/check_reports.py`; the option `--format` and its tests take it from there. A
report that `handlecheck` writes, too, has its file in `REPORT_FILES` and
`write_reports()` of `sphinxcontrib_handle/verification/report.py`, and its line in
`example_docs/verification.rst`. Validate the output in the tests with a library that
others use.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from handle_system.citing.citation import Citation

__all__ = ["CitationFormat"]


class CitationFormat(StrEnum):
    """A format of reference managers, by the name that an author writes."""

    BIBTEX = "bibtex"
    """BibTeX and BibLaTeX."""
    RIS = "ris"
    """RIS, which EndNote, Zotero and Mendeley read."""
    CSL_JSON = "csl-json"
    """CSL-JSON, which citeproc reads."""
    CFF = "cff"
    """CITATION.cff, which repositories show."""
    TEXT = "text"
    """A plain reference."""

    @property
    def heading(self) -> str:
        """The format's name for readers."""
        return _ROWS[self].heading

    @property
    def media_type(self) -> str:
        """The media type of a file in the format."""
        return _ROWS[self].media_type

    @property
    def file_suffix(self) -> str:
        """The end of the name of a file in the format."""
        return _ROWS[self].file_suffix

    @property
    def language(self) -> str:
        """The language of its text, as highlighters call it."""
        return _ROWS[self].language

    def export(self, citation: "Citation") -> str:
        """The citation in the format; the text ends with a line's end."""
        # Options need the names of formats alone.
        if self is CitationFormat.CFF:
            # It tells a work from its version, and no list has it.
            from handle_system.citing.formats import cff  # noqa: PLC0415 (as it says)

            return cff.write(citation)
        from handle_system.citing.formats.writers import WRITERS  # noqa: PLC0415 (as well)

        return WRITERS[self](citation.entries)

    def file_name(self, citation: "Citation") -> str:
        """A name for the citation's file: ASCII letters, digits, dots, hyphens."""
        # Options need the names of formats alone.
        from handle_system.citing.citation import slug  # noqa: PLC0415

        words = (slug(citation.work.title) or "work", slug(citation.number))
        stem = "-".join(word for word in words if word)
        return f"{stem}{self.file_suffix}"


class _Row(NamedTuple):
    """A format; for the columns see the properties of `CitationFormat`."""

    heading: str
    media_type: str
    file_suffix: str
    language: str


_ROWS = {
    CitationFormat.BIBTEX: _Row("BibTeX", "application/x-bibtex", ".bib", "bibtex"),
    CitationFormat.RIS: _Row(
        "RIS", "application/x-research-info-systems", ".ris", "text"
    ),
    CitationFormat.CSL_JSON: _Row(
        "CSL-JSON", "application/vnd.citationstyles.csl+json", ".csl.json", "json"
    ),
    CitationFormat.CFF: _Row("CITATION.cff", "application/yaml", ".cff", "yaml"),
    CitationFormat.TEXT: _Row("Plain text", "text/plain", ".txt", "text"),
}
