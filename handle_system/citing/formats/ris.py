"""RIS: the tagged format of EndNote, Zotero and Mendeley.

A line is a tag of two characters, two spaces, a hyphen, a space, and the value. The
format has no escapes and needs few: a value ends with its line, and no value of ours
holds a line's end. The handle's link is in ``UR``; ``DO`` is for DOIs. In a name a
comma divides family and given names: every reader takes "Friends, Inc." for a person
called Inc. Friends. So a name that does not divide loses its commas here.
"""

import re

from handle_system.citing.citation import Citation
from handle_system.citing.work import Creator, WorkKind

__all__ = ["write"]

_TYPES = {
    WorkKind.DOCUMENT: "GEN",
    WorkKind.MANUAL: "GEN",
    WorkKind.REPORT: "RPRT",
    WorkKind.SOFTWARE: "COMP",
    WorkKind.DATASET: "DATA",
}


def write(citation: Citation) -> str:
    """The citation as one record."""
    work = citation.work
    date = citation.version.date
    tags: list[tuple[str, str | None]] = [
        ("TY", _TYPES[work.kind]),
        ("ID", citation.key),
        *(("AU", _name(creator)) for creator in work.creators),
        ("TI", work.title),
        ("ET", citation.number),
        ("PB", work.publisher),
        ("PY", citation.year),
        ("DA", date.isoformat().replace("-", "/") if date else None),
        ("DO", _doi(citation)),
        # A semicolon divides addresses in this field; encoded, it is the same link.
        ("UR", citation.url.replace(";", "%3B") if citation.url else None),
        ("LA", work.language),
    ]
    lines = [f"{tag}  - {value}" for tag, value in tags if value]
    return "\n".join((*lines, "ER  - ", ""))


def _doi(citation: Citation) -> str | None:
    # White space can end a line for a reader (U+2028); the URL has it encoded.
    if citation.doi is None or re.search(r"\s", citation.doi):
        return None
    return citation.doi


def _name(creator: Creator) -> str:
    if creator.family is None:
        return _without_commas(creator.name) or creator.name
    parts = (_without_commas(creator.family), _without_commas(creator.given or ""))
    return ", ".join(part for part in parts if part) or creator.name


def _without_commas(name: str) -> str:
    return " ".join(name.replace(",", " ").split())
