"""The formats of reference managers: each is a table of fields, and its text."""

from collections.abc import Callable
from dataclasses import dataclass

from handle_system.citing.citation import Citation, CitationFormat
from handle_system.citing.formats.bibtex import bibtex
from handle_system.citing.formats.cff import cff
from handle_system.citing.formats.csl import csl_json
from handle_system.citing.formats.ris import ris

__all__ = ["CitationExport", "CitationFormat", "export"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationExport:
    """A citation in one format.

    Attributes:
        format: The format; it knows its name for readers and its media type.
        text: The whole text; it ends with a line's end.
        file_name: A name for a file: lower-case ASCII letters, digits, dots, hyphens.
    """

    format: CitationFormat
    text: str
    file_name: str


def export(citation: Citation, form: CitationFormat) -> CitationExport:
    """The citation in a format. The same data give the same text."""
    return CitationExport(
        format=form,
        text=_WRITERS[form](citation),
        file_name=f"{citation.file_stem}{form.file_suffix}",
    )


def _text(citation: Citation) -> str:
    return f"{citation.reference()} {citation.url or ''}".rstrip() + "\n"


_WRITERS: dict[CitationFormat, Callable[[Citation], str]] = {
    CitationFormat.BIBTEX: bibtex,
    CitationFormat.RIS: ris,
    CitationFormat.CSL_JSON: csl_json,
    CitationFormat.CFF: cff,
    CitationFormat.TEXT: _text,
}
