"""A citation in CSL-JSON, the input of citeproc (schema 1.0.2, ``csl-data.json``).

The schema has a field for DOIs and none for handles: a handle's link is in ``URL``,
and the handle itself in ``custom``, the schema's field for additions.
"""

import json

from handle_system.citing.citation import Citation
from handle_system.citing.work import Creator, WorkKind

__all__ = ["csl_item", "csl_json"]

_TYPES = {
    WorkKind.DOCUMENT: "document",
    WorkKind.MANUAL: "document",
    WorkKind.REPORT: "report",
    WorkKind.SOFTWARE: "software",
    WorkKind.DATASET: "dataset",
}


def csl_json(citation: Citation) -> str:
    """The citation as a list of one item."""
    return f"{json.dumps([csl_item(citation)], ensure_ascii=False, indent=2)}\n"


def csl_item(citation: Citation) -> dict[str, object]:
    """The citation as an item, in plain data."""
    work, version = citation.work, citation.version
    item: dict[str, object | None] = {
        "id": citation.key,
        "type": _TYPES[work.kind],
        "title": work.title,
        "author": [_name(creator) for creator in work.creators] or None,
        "version": citation.number,
        "publisher": work.publisher,
        "issued": None,
        "DOI": citation.doi,
        "URL": citation.url,
        "language": work.language,
        "custom": None,
    }
    if version.date:
        parts = [version.date.year, version.date.month, version.date.day]
        item["issued"] = {"date-parts": [parts]}
    if citation.handle is not None and citation.doi is None:
        item["custom"] = {"handle": str(citation.handle)}
    return {name: value for name, value in item.items() if value is not None}


def _name(creator: Creator) -> dict[str, str]:
    if creator.family is None:
        return {"literal": creator.name}
    if creator.given is None:
        return {"family": creator.family}
    return {"family": creator.family, "given": creator.given}
