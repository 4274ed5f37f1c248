"""Entries: works as the formats of reference managers need them.

An entry is made of a citation, of the article that describes its work, or of a work of
the file of references. A format writes entries, and knows nothing of where they are from.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from handle_system.citing.citation import Citation, article_key
from handle_system.citing.style import Item, Name, plain_text
from handle_system.citing.work import ArticleKind, WorkKind
from handle_system.handle import Handle

__all__ = ["ARTICLE_TYPES", "WORK_TYPES", "Entry", "entries_of"]

#: The type of an entry in CSL.
WORK_TYPES: Mapping[WorkKind, str] = {
    WorkKind.DOCUMENT: "document",
    WorkKind.MANUAL: "document",
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
    """A work as every format writes it.

    Attributes:
        key: A name for it that every format can hold.
        item: What a reference says of the work.
        variables: What is known of it, by the variables of CSL, each of CSL's shape.
        handle: The identifier of the work; `None` if it has none.
        url: Its address, in which a handle is encoded; `None` if it has none.
        id: Its name in CSL-JSON, if that is not the key.
        is_manual: Whether it is a manual, for which CSL has no type.
    """

    key: str
    item: Item
    variables: Mapping[str, Any]
    handle: Handle | None
    url: str | None
    id: str = ""
    is_manual: bool = False

    @property
    def type(self) -> str:
        """Its type, one of CSL or ``manual``."""
        return "manual" if self.is_manual else self.text("type")

    def text(self, variable: str) -> str:
        """A variable that is a text; empty if it is not known."""
        value = self.variables.get(variable, "")
        return value if isinstance(value, str) else ""


def entries_of(citation: Citation) -> list[Entry]:
    """The version that is cited, and behind it the article that describes the work."""
    work = citation.work
    version = Entry(
        key=citation.key,
        item=citation.item,
        variables=_variables(
            WORK_TYPES[work.kind],
            citation.item,
            work.creators,
            work.language,
        ),
        handle=citation.version.handle,
        url=citation.url,
        is_manual=work.kind is WorkKind.MANUAL,
    )
    article = work.article
    if article is None:
        return [version]
    item = citation.article_item(article)
    about_work = Entry(
        key=article_key(article),
        item=item,
        variables=_variables(ARTICLE_TYPES[article.kind], item, article.creators),
        handle=article.handle,
        url=citation.article_url(article),
    )
    return [version, about_work]


def _variables(
    kind: str,
    item: Item,
    creators: Iterable[Name],
    language: str | None = None,
) -> dict[str, object]:
    """What an author says of a work, in the variables of CSL."""
    variables = {
        "type": kind,
        "title": plain_text(item.title),
        "author": [name.csl for name in creators],
        "container-title": item.container,
        "volume": item.volume,
        "issue": item.issue,
        "page": item.pages,
        "version": item.version,
        "publisher": item.publisher,
        "issued": item.date.csl if item.date else None,
        "language": language,
    }
    return {variable: value for variable, value in variables.items() if value}
