"""Entries: works as the formats of reference managers need them.

An entry is made of a citation, of the article that describes its work, or of a work of
the file of references. A format writes entries, and knows nothing of where they are from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handle_system.citing.citation import Citation, article_key
from handle_system.citing.style import Item
from handle_system.citing.work import ArticleKind, WorkKind
from handle_system.handle import Handle

__all__ = ["ARTICLE_TYPES", "WORK_TYPES", "Entry", "entries_of"]

#: The type of an entry in CSL; it has none for manuals, which BibTeX has.
WORK_TYPES: Mapping[WorkKind, str] = {
    WorkKind.DOCUMENT: "document",
    WorkKind.MANUAL: "manual",
    WorkKind.REPORT: "report",
    WorkKind.SOFTWARE: "software",
    WorkKind.DATASET: "dataset",
}
#: The same for articles that describe a work.
ARTICLE_TYPES: Mapping[ArticleKind, str] = {
    ArticleKind.ARTICLE: "article-journal",
    ArticleKind.CONFERENCE_PAPER: "paper-conference",
    ArticleKind.BOOK: "book",
    ArticleKind.REPORT: "report",
    ArticleKind.THESIS: "thesis",
    ArticleKind.OTHER: "document",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry; a text that is not known is empty.

    Attributes:
        key: A name for it that every format can hold.
        type: Its type, one of CSL or ``manual``.
        item: What a reference says of the work.
        handle: The identifier of the work; `None` if it has none.
        url: Its address, in which a handle is encoded; `None` if it has none.
        date: Year, month and day of publication, as far as they are known.
        genre: What a thesis is for.
        number: The number of a report.
        series: The series that holds the container or the work.
        edition: The edition.
        place: The place of the publisher.
        language: The tag of its language.
    """

    key: str
    type: str
    item: Item
    handle: Handle | None
    url: str | None
    date: Sequence[int] = ()
    genre: str = ""
    number: str = ""
    series: str = ""
    edition: str = ""
    place: str = ""
    language: str = ""


def entries_of(citation: Citation) -> list[Entry]:
    """The version that is cited, and behind it the article that describes the work."""
    work = citation.work
    date = citation.version.date
    version = Entry(
        key=citation.key,
        type=WORK_TYPES[work.kind],
        item=citation.item,
        handle=citation.version.handle,
        url=citation.url,
        date=(date.year, date.month, date.day) if date else (),
        language=work.language or "",
    )
    article = work.article
    if article is None:
        return [version]
    about_work = Entry(
        key=article_key(article),
        type=ARTICLE_TYPES[article.kind],
        item=citation.article_item(article),
        handle=article.handle,
        url=citation.article_url(article),
    )
    return [version, about_work]
