"""A citation in CSL-JSON, the input of citeproc (schema 1.0.2, ``csl-data.json``).

The schema has a field for DOIs and none for handles, so a handle's link is in
``URL``, and the handle itself in ``custom``, which the schema keeps for what has
no field.
"""

import json

from handle_system.citing.cited import Cited
from handle_system.citing.work import Creator, WorkKind

__all__ = ["csl_item", "csl_json"]

_TYPES = {
    WorkKind.DOCUMENT: "document",
    WorkKind.MANUAL: "document",
    WorkKind.REPORT: "report",
    WorkKind.SOFTWARE: "software",
    WorkKind.DATASET: "dataset",
}


def csl_json(cited: Cited) -> str:
    """The citation as a list of one item."""
    return f"{json.dumps([csl_item(cited)], ensure_ascii=False, indent=2)}\n"


def csl_item(cited: Cited) -> dict[str, object]:
    """The citation as an item, in plain data."""
    work, version = cited.work, cited.version
    item: dict[str, object | None] = {
        "id": cited.key,
        "type": _TYPES[work.kind],
        "title": work.title,
        "author": [_name(creator) for creator in work.creators] or None,
        "version": cited.number,
        "publisher": work.publisher,
        "issued": None,
        "DOI": cited.doi,
        "URL": cited.url,
        "language": work.language,
        "custom": None,
    }
    if version.date:
        parts = [version.date.year, version.date.month, version.date.day]
        item["issued"] = {"date-parts": [parts]}
    if cited.handle is not None and cited.doi is None:
        item["custom"] = {"handle": str(cited.handle)}
    return {name: value for name, value in item.items() if value is not None}


def _name(creator: Creator) -> dict[str, str]:
    if creator.family is None:
        return {"literal": creator.name}
    if creator.given is None:
        return {"family": creator.family}
    return {"family": creator.family, "given": creator.given}
