"""A citation in each of its formats, as text and as a file to write."""

from dataclasses import dataclass

from handle_system.citing.bibtex import bibtex
from handle_system.citing.cff_writing import cff
from handle_system.citing.cited import Cited, slug
from handle_system.citing.csl import csl_json
from handle_system.citing.formats import CitationFormat
from handle_system.citing.reference import plain_text
from handle_system.citing.ris import ris

__all__ = ["CitationExport", "export"]

_WRITERS = {
    CitationFormat.BIBTEX: bibtex,
    CitationFormat.RIS: ris,
    CitationFormat.CSL_JSON: csl_json,
    CitationFormat.CFF: cff,
    CitationFormat.TEXT: plain_text,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationExport:
    """A citation in one format.

    Attributes:
        format: Which.
        text: The whole of it; ends with a line's end.
        file_name: A name for a file of it: ASCII letters in lower case, digits,
            dots and hyphens.
    """

    format: CitationFormat
    text: str
    file_name: str


def export(cited: Cited, form: CitationFormat) -> CitationExport:
    """The citation in a format. The same data give the same text."""
    words = (slug(cited.work.title) or "work", slug(cited.number))
    stem = "-".join(word for word in words if word)
    return CitationExport(
        format=form,
        text=_WRITERS[form](cited),
        file_name=f"{stem}{form.file_suffix}",
    )
