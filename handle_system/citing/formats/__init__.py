"""The formats in which a citation is exported, in one table.

A new format is a module here with a function ``write``, which `writers` names, and its
name and its row in this file. Options, the Markdown plugin, cards, files and links of pages
take it from here. Options need the names alone, so what writes is loaded with a citation.
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
        from handle_system.citing.formats.writers import export  # noqa: PLC0415

        return export(citation, self)

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
