"""What writes a citation in each format."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from handle_system.citing.citation import Citation
from handle_system.citing.formats import (
    CitationFormat,
    bibtex,
    cff,
    csl_json,
    ris,
    text,
)

__all__ = ["WRITERS"]

#: The function that writes a citation in a format.
WRITERS: Mapping[CitationFormat, Callable[[Citation], str]] = MappingProxyType(
    {
        CitationFormat.BIBTEX: bibtex.write,
        CitationFormat.RIS: ris.write,
        CitationFormat.CSL_JSON: csl_json.write,
        CitationFormat.CFF: cff.write,
        CitationFormat.TEXT: text.write,
    }
)
