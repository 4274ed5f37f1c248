"""The formats in which reference managers take a citation: their names."""

from enum import StrEnum

__all__ = ["CitationFormat"]


class CitationFormat(StrEnum):
    """A format, by the name that an author writes."""

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
        """The format's name for readers; names are not translated."""
        return _TITLES[self]

    @property
    def media_type(self) -> str:
        """The media type of a file in the format."""
        return _MEDIA_TYPES[self]

    @property
    def file_suffix(self) -> str:
        """What the name of a file in the format ends with."""
        return _SUFFIXES[self]


_TITLES = {
    CitationFormat.BIBTEX: "BibTeX",
    CitationFormat.RIS: "RIS",
    CitationFormat.CSL_JSON: "CSL-JSON",
    CitationFormat.CFF: "CITATION.cff",
    CitationFormat.TEXT: "Plain text",
}
_MEDIA_TYPES = {
    CitationFormat.BIBTEX: "application/x-bibtex",
    CitationFormat.RIS: "application/x-research-info-systems",
    CitationFormat.CSL_JSON: "application/vnd.citationstyles.csl+json",
    CitationFormat.CFF: "application/yaml",
    CitationFormat.TEXT: "text/plain",
}
_SUFFIXES = {
    CitationFormat.BIBTEX: ".bib",
    CitationFormat.RIS: ".ris",
    CitationFormat.CSL_JSON: ".csl.json",
    CitationFormat.CFF: ".cff",
    CitationFormat.TEXT: ".txt",
}
