"""CSL-JSON, the input of citeproc (schema 1.0.2, ``csl-data.json``).

The schema has a field for DOIs and none for handles: a handle's link is in ``URL``, and
the handle itself in ``custom``, the schema's field for additions.
"""

import json

from handle_system.citing.citation import Citation, without_unknown
from handle_system.citing.work import Creator, WorkKind

__all__ = ["write"]

_TYPES = {
    WorkKind.DOCUMENT: "document",
    WorkKind.MANUAL: "document",
    WorkKind.REPORT: "report",
    WorkKind.SOFTWARE: "software",
    WorkKind.DATASET: "dataset",
}


def write(citation: Citation) -> str:
    """The citation as a list of one item."""
    work = citation.work
    date = citation.version.date
    handle = citation.version.handle
    is_plain_handle = handle is not None and citation.doi is None
    item = {
        "id": citation.key,
        "type": _TYPES[work.kind],
        "title": work.title,
        "author": [_name(creator) for creator in work.creators] or None,
        "version": citation.number,
        "publisher": work.publisher,
        "issued": {"date-parts": [[date.year, date.month, date.day]]} if date else None,
        "DOI": citation.doi,
        "URL": citation.url,
        "language": work.language,
        "custom": {"handle": str(handle)} if is_plain_handle else None,
    }
    items = [without_unknown(item)]
    return f"{json.dumps(items, ensure_ascii=False, indent=2)}\n"


def _name(creator: Creator) -> dict[str, object]:
    if creator.family is None:
        return {"literal": creator.name}
    return without_unknown({"family": creator.family, "given": creator.given})
