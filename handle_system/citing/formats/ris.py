"""A citation in RIS, the tagged format of EndNote, Zotero and Mendeley.

A line is a tag of two characters, two spaces, a hyphen, a space, and the value.
The format has no escapes and needs few: a value ends with its line, and no value
of ours holds a line's end. The handle's link is in ``UR``; ``DO`` is for DOIs.

In a name a comma divides family and given names: every reader takes "Friends,
Inc." for a person called Inc. Friends. So a name that does not divide loses its
commas here.
"""

import re
from collections.abc import Iterator

from handle_system.citing.citation import Citation
from handle_system.citing.work import Creator, WorkKind

__all__ = ["ris"]

_TYPES = {
    WorkKind.DOCUMENT: "GEN",
    WorkKind.MANUAL: "GEN",
    WorkKind.REPORT: "RPRT",
    WorkKind.SOFTWARE: "COMP",
    WorkKind.DATASET: "DATA",
}


def ris(citation: Citation) -> str:
    """The citation as one record."""
    lines = [f"{tag}  - {value}" for tag, value in _tags(citation) if value]
    return "\n".join((*lines, "ER  - ", ""))


def _tags(citation: Citation) -> Iterator[tuple[str, str | None]]:
    work, version = citation.work, citation.version
    yield "TY", _TYPES[work.kind]
    yield "ID", citation.key
    for creator in work.creators:
        yield "AU", _name(creator)
    yield "TI", work.title
    yield "ET", citation.number
    yield "PB", work.publisher
    yield "PY", citation.year
    if version.date:
        yield "DA", version.date.isoformat().replace("-", "/")
    # White space can end a line for a reader (U+2028); the URL has it encoded.
    if citation.doi is not None and not re.search(r"\s", citation.doi):
        yield "DO", citation.doi
    # A semicolon divides addresses in this field; encoded, it is the same link.
    yield "UR", citation.url and citation.url.replace(";", "%3B")
    yield "LA", work.language


def _name(creator: Creator) -> str:
    if creator.family is None:
        return " ".join(creator.name.replace(",", " ").split()) or creator.name
    parts = (creator.family, creator.given or "")
    return ", ".join(" ".join(part.replace(",", " ").split()) for part in parts if part)
