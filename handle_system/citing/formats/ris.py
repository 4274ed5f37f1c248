"""RIS: the tagged format of EndNote, Zotero and Mendeley.

A line is a tag of two characters, two spaces, a hyphen, a space, and the value. The
format has no escapes and needs few: a value ends with its line, and no value of ours
holds a line's end. The handle's link is in ``UR``; ``DO`` is for DOIs. In a name a
comma divides family and given names: every reader takes "Friends, Inc." for a person
called Inc. Friends. So a name that does not divide loses its commas here.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import starmap

from handle_system.citing.style import (
    Date,
    Described,
    Name,
    first_and_last_page,
    plain_text,
)
from handle_system.handle import Handle

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


def write(works: Iterable[tuple[str, Described]]) -> str:
    """The works by their keys as records, with an empty line between them."""
    return "\n".join(starmap(_record, works))


def _record(key: str, work: Described) -> str:
    first, last = first_and_last_page(work.pages_or_number)
    # The tags in their order, each with its value; an unknown one is empty.
    tags: list[tuple[str, str | None]] = [
        ("TY", _TYPES.get(work.type, "GEN")),
        ("ID", key),
        *(("AU", _person(name)) for name in work.authors),
        *(("ED", _person(name)) for name in work.editors),
        ("TI", plain_text(work.title)),
        ("T2", work.container),
        ("T3", work.series),
        ("VL", work.volume),
        ("IS", work.issue_or_number),
        ("SP", first),
        ("EP", last),
        ("ET", work.version or work.edition),
        ("PB", work.publisher),
        ("CY", work.place),
        ("PY", work.year),
        ("DA", _date(work.date)),
        ("DO", _doi(work.handle)),
        # A semicolon divides addresses in this field; encoded, it is the same link.
        ("UR", work.url.replace(";", "%3B") if work.url else None),
        ("LA", work.language),
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
