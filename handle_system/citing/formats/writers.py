"""What writes works in each format."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from handle_system.citing.formats import (
    CitationFormat,
    bibtex,
    csl_json,
    ris,
)
from handle_system.citing.style import Described, plain_text, reference


def _write_text(works: Iterable[tuple[str, Described]]) -> str:
    """The reference of each work in English with its link, on a line of its own."""
    lines = []
    for _, work in works:
        text = plain_text(reference(work, is_shortened=False))
        lines.append(f"{text} {work.url}\n" if work.url else f"{text}\n")
    return "".join(lines)


#: The function that writes works in a format: those of a card, or of a list.
WRITERS: Mapping[str, Callable[[Iterable[tuple[str, Described]]], str]] = (
    MappingProxyType(
        {
            CitationFormat.BIBTEX.value: bibtex.write,
            CitationFormat.RIS.value: ris.write,
            CitationFormat.CSL_JSON.value: csl_json.write,
            CitationFormat.TEXT.value: _write_text,
        }
    )
)
