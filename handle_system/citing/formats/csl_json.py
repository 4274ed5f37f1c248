"""CSL-JSON, the input of citeproc (schema 1.0.2, ``csl-data.json``).

The schema has a field for DOIs and none for handles: a handle's link is in ``URL``, and
the handle itself in ``custom``, the schema's field for additions.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from handle_system.citing.citation import Citation, article_key, without_unknown
from handle_system.citing.entries import ARTICLE_TYPES, WORK_TYPES
from handle_system.citing.work import Article, Creator, WorkKind
from handle_system.handle import Handle

__all__ = ["file_text", "identifier_members", "write"]

_YEAR = re.compile("[0-9]{1,4}")


def write(citation: Citation) -> str:
    """The citation as an item, and the article that describes the work as another."""
    items = [_version(citation)]
    if citation.work.article is not None:
        items.append(_article(citation, citation.work.article))
    return file_text([without_unknown(item) for item in items])


def _version(citation: Citation) -> dict[str, object]:
    work = citation.work
    # CSL has no type for one.
    is_manual = work.kind is WorkKind.MANUAL
    date = citation.version.date
    identifier = identifier_members(citation.version.handle, citation.url)
    return {
        "id": citation.key,
        "type": "document" if is_manual else WORK_TYPES[work.kind],
        "title": work.title,
        "author": [_name(creator) for creator in work.creators] or None,
        "version": citation.number,
        "publisher": work.publisher,
        "issued": {"date-parts": [[date.year, date.month, date.day]]} if date else None,
        "DOI": identifier["DOI"],
        "URL": identifier["URL"],
        "language": work.language,
        "custom": identifier["custom"],
    }


def _article(citation: Citation, article: Article) -> dict[str, object]:
    identifier = identifier_members(article.handle, citation.article_url(article))
    return {
        "id": article_key(article),
        "type": ARTICLE_TYPES[article.kind],
        "title": article.title,
        "author": [_name(creator) for creator in article.creators] or None,
        "container-title": article.journal or None,
        "volume": article.volume or None,
        "issue": article.issue or None,
        "page": article.pages or None,
        "publisher": article.publisher or None,
        "issued": _issued(article.year),
        **identifier,
    }


def _issued(year: str) -> dict[str, object] | None:
    """The date of a year, which need not be a number: "in press"."""
    if not year:
        return None
    if _YEAR.fullmatch(year):
        return {"date-parts": [[int(year)]]}
    return {"literal": year}


def file_text(items: Sequence[Mapping[str, Any]]) -> str:
    """A file with these items."""
    return f"{json.dumps(items, ensure_ascii=False, indent=2)}\n"


def identifier_members(handle: Handle | None, url: str | None) -> dict[str, Any]:
    """The members for an identifier and its address; an unknown one is `None`."""
    is_doi = handle is not None and handle.is_doi
    is_plain_handle = handle is not None and not is_doi
    return {
        "DOI": str(handle) if is_doi else None,
        "URL": url,
        "custom": {"handle": str(handle)} if is_plain_handle else None,
    }


def _name(creator: Creator) -> dict[str, object]:
    if creator.family is None:
        return {"literal": creator.name}
    return without_unknown({"family": creator.family, "given": creator.given})
