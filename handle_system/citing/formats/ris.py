"""RIS: the tagged format of EndNote, Zotero and Mendeley.

A line is a tag of two characters, two spaces, a hyphen, a space, and the value. The
format has no escapes and needs few: a value ends with its line, and no value of ours
holds a line's end. The handle's link is in ``UR``; ``DO`` is for DOIs. In a name a
comma divides family and given names: every reader takes "Friends, Inc." for a person
called Inc. Friends. So a name that does not divide loses its commas here.
"""

import re

from handle_system.citing.citation import Citation, article_key, style_name
from handle_system.citing.style import Name, first_and_last_page
from handle_system.citing.work import Article, ArticleKind, WorkKind
from handle_system.handle import Handle

__all__ = ["Tags", "identifier_tags", "person", "record", "write"]

#: The tags of a record in their order, each with its value; an unknown one is empty.
Tags = list[tuple[str, str | None]]

_TYPES = {
    WorkKind.DOCUMENT: "GEN",
    WorkKind.MANUAL: "GEN",
    WorkKind.REPORT: "RPRT",
    WorkKind.SOFTWARE: "COMP",
    WorkKind.DATASET: "DATA",
}


_ARTICLE_TYPES = {
    ArticleKind.ARTICLE: "JOUR",
    ArticleKind.CONFERENCE_PAPER: "CPAPER",
    ArticleKind.BOOK: "BOOK",
    ArticleKind.REPORT: "RPRT",
    ArticleKind.THESIS: "THES",
    ArticleKind.OTHER: "GEN",
}


def write(citation: Citation) -> str:
    """The citation as a record, and the article that describes the work as another."""
    records = [_version(citation)]
    if citation.work.article is not None:
        records.append(_article(citation, citation.work.article))
    return "\n".join(records)


def _version(citation: Citation) -> str:
    work = citation.work
    date = citation.version.date
    return record(
        [
            ("TY", _TYPES[work.kind]),
            ("ID", citation.key),
            *(("AU", person(style_name(creator))) for creator in work.creators),
            ("TI", work.title),
            ("ET", citation.number),
            ("PB", work.publisher),
            ("PY", citation.year),
            ("DA", date.isoformat().replace("-", "/") if date else None),
            *identifier_tags(citation.version.handle, citation.url),
            ("LA", work.language),
        ]
    )


def _article(citation: Citation, article: Article) -> str:
    first, last = first_and_last_page(article.pages)
    return record(
        [
            ("TY", _ARTICLE_TYPES[article.kind]),
            ("ID", article_key(article)),
            *(("AU", person(style_name(creator))) for creator in article.creators),
            ("TI", article.title),
            ("T2", article.journal),
            ("VL", article.volume),
            ("IS", article.issue),
            ("SP", first),
            ("EP", last),
            ("PB", article.publisher),
            ("PY", article.year),
            *identifier_tags(article.handle, citation.article_url(article)),
        ]
    )


def record(tags: Tags) -> str:
    """A record of these tags, with its end."""
    lines = [f"{tag}  - {value}" for tag, value in tags if value]
    return "\n".join((*lines, "ER  - ", ""))


def identifier_tags(handle: Handle | None, url: str | None) -> Tags:
    """The tags for an identifier and its address."""
    return [
        ("DO", _doi(handle)),
        # A semicolon divides addresses in this field; encoded, it is the same link.
        ("UR", url.replace(";", "%3B") if url else None),
    ]


def person(name: Name) -> str:
    """A name: family and given names divided by a comma, any other without one."""
    parts = map(_without_commas, (name.family, name.given, name.suffix))
    return ", ".join(part for part in parts if part) or name.family


def _doi(handle: Handle | None) -> str | None:
    # White space can end a line for a reader (U+2028); the URL has it encoded.
    if handle is None or not handle.is_doi or re.search(r"\s", str(handle)):
        return None
    return str(handle)


def _without_commas(name: str) -> str:
    return " ".join(name.replace(",", " ").split())
