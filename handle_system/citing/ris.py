"""A citation in RIS, the tagged format of EndNote, Zotero and Mendeley.

A line is a tag of two characters, two spaces, a hyphen, a space, and the value.
Nothing can be escaped in it, and nearly nothing needs to be: a value ends with
its line, and no value of ours holds a line's end.  The handle's link is in ``UR``;
``DO`` is for DOIs.

In a name a comma stands between family and given names, and nowhere else: every
reader would take "Friends, Inc." for somebody called Inc. Friends.  So a name that
does not divide loses its commas here, and stays a name.
"""

import re
from collections.abc import Iterator

from handle_system.citing.cited import Cited
from handle_system.citing.work import Creator, WorkKind

__all__ = ["ris"]

_TYPES = {
    WorkKind.DOCUMENT: "GEN",
    WorkKind.MANUAL: "GEN",
    WorkKind.REPORT: "RPRT",
    WorkKind.SOFTWARE: "COMP",
    WorkKind.DATASET: "DATA",
}


def ris(cited: Cited) -> str:
    """The citation as one record."""
    lines = [f"{tag}  - {value}" for tag, value in _tags(cited) if value]
    return "\n".join((*lines, "ER  - ", ""))


def _tags(cited: Cited) -> Iterator[tuple[str, str | None]]:
    work, version = cited.work, cited.version
    yield "TY", _TYPES[work.kind]
    yield "ID", cited.key
    for creator in work.creators:
        yield "AU", _name(creator)
    yield "TI", work.title
    yield "ET", cited.number
    yield "PB", work.publisher
    yield "PY", cited.year
    if version.date:
        yield "DA", version.date.isoformat().replace("-", "/")
    # White space may be a line's end to a reader (U+2028); the address has it encoded.
    if cited.doi is not None and not re.search(r"\s", cited.doi):
        yield "DO", cited.doi
    # A semicolon divides addresses in this field; encoded, it is the same link.
    yield "UR", cited.url and cited.url.replace(";", "%3B")
    yield "LA", work.language


def _name(creator: Creator) -> str:
    if creator.family is None:
        return " ".join(creator.name.replace(",", " ").split()) or creator.name
    parts = (creator.family, creator.given or "")
    return ", ".join(" ".join(part.replace(",", " ").split()) for part in parts if part)
