"""RIS: the tagged format of EndNote, Zotero and Mendeley.

A line is a tag of two characters, two spaces, a hyphen, a space, and the value. The
format has no escapes and needs few: a value ends with its line, and no value of ours
holds a line's end. The handle's link is in ``UR``; ``DO`` is for DOIs. In a name a
comma divides family and given names: every reader takes "Friends, Inc." for a person
called Inc. Friends. So a name that does not divide loses its commas here.
"""

import re
from collections.abc import Iterable, Mapping

from handle_system.citing.dates import Date
from handle_system.citing.entries import Entry
from handle_system.citing.style import Name, first_and_last_page, plain_text
from handle_system.handle import Handle

__all__ = ["write"]

_TYPES: Mapping[str, str] = {
    "article-journal": "JOUR",
    "article-magazine": "MGZN",
    "article-newspaper": "NEWS",
    "book": "BOOK",
    "chapter": "CHAP",
    "dataset": "DATA",
    "entry": "CHAP",
    "entry-dictionary": "DICT",
    "entry-encyclopedia": "ENCYC",
    "map": "MAP",
    "paper-conference": "CPAPER",
    "patent": "PAT",
    "report": "RPRT",
    "review": "JOUR",
    "review-book": "JOUR",
    "software": "COMP",
    "standard": "STAND",
    "thesis": "THES",
    "webpage": "ELEC",
}


def write(entries: Iterable[Entry]) -> str:
    """The entries as records, with an empty line between them."""
    return "\n".join(map(_record, entries))


def _record(entry: Entry) -> str:
    item = entry.item
    first, last = first_and_last_page(item.pages)
    # The tags in their order, each with its value; an unknown one is empty.
    tags: list[tuple[str, str | None]] = [
        ("TY", _TYPES.get(entry.type, "GEN")),
        ("ID", entry.key),
        *(("AU", _person(name)) for name in item.authors),
        *(("ED", _person(name)) for name in item.editors),
        ("TI", plain_text(item.title)),
        ("T2", item.container),
        ("T3", entry.text("collection-title")),
        ("VL", item.volume),
        ("IS", item.issue),
        ("SP", first),
        ("EP", last),
        ("ET", item.version or entry.text("edition")),
        ("PB", item.publisher),
        ("CY", entry.text("publisher-place")),
        ("PY", item.year),
        ("DA", _date(item.date)),
        ("DO", _doi(entry.handle)),
        # A semicolon divides addresses in this field; encoded, it is the same link.
        ("UR", entry.url.replace(";", "%3B") if entry.url else None),
        ("LA", entry.text("language")),
    ]
    lines = [f"{tag}  - {value}" for tag, value in tags if value]
    return "\n".join((*lines, "ER  - ", ""))


def _date(date: Date | None) -> str:
    """The date, ``2007/06/26``, if more than the year is known."""
    return date.isoformat().replace("-", "/") if date and date.month else ""


def _person(name: Name) -> str:
    """A name: family and given names divided by a comma, any other without one."""
    parts = map(_without_commas, (name.short, name.given, name.suffix))
    return ", ".join(part for part in parts if part) or name.short


def _doi(handle: Handle | None) -> str | None:
    # White space can end a line for a reader (U+2028); the URL has it encoded.
    if handle is None or not handle.is_doi or re.search(r"\s", str(handle)):
        return None
    return str(handle)


def _without_commas(name: str) -> str:
    return " ".join(name.replace(",", " ").split())
