"""CSL-JSON, the input of citeproc (schema 1.0.2, ``csl-data.json``).

The schema has a field for DOIs and none for handles: a handle's link is in ``URL``, and
the handle itself in ``custom``, the schema's field for additions. Nor has it an escape
for the tags of rich text: where an author's title holds ``<i>``, styles print italics.
"""

import json
from collections.abc import Iterable
from typing import Any

from handle_system.citing.citation import without_unknown
from handle_system.citing.entries import Entry

__all__ = ["write"]


def write(entries: Iterable[Entry]) -> str:
    """A file with an item for each entry."""
    items = [*map(_item, entries)]
    return f"{json.dumps(items, ensure_ascii=False, indent=2)}\n"


def _item(entry: Entry) -> dict[str, Any]:
    handle = entry.handle
    is_doi = handle is not None and handle.is_doi
    identifiers = {
        "DOI": str(handle) if is_doi else None,
        "URL": entry.url,
        "custom": {"handle": str(handle)} if handle and not is_doi else None,
    }
    return {
        "id": entry.id or entry.key,
        **entry.variables,
        **without_unknown(identifiers),
    }
