"""Versions at Zenodo: the newest version of a work, from its concept DOI.

Zenodo registers a DOI for each version of a work, and a concept DOI for all of them.
The metadata of a version name the concept DOI (``IsVersionOf``), and no newer version.
Those of the concept DOI name all versions (``HasVersion``).

The source is Zenodo's help, "DOI versioning".
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from handle_system.describing.items import handle_in, members
from handle_system.handle import Handle

#: The prefix of its DOIs.
ZENODO_PREFIX = "10.5281"
# Numbers of records grow, also from version to version of one work.
_SUFFIX = re.compile("zenodo\\.([0-9]{1,15})", re.IGNORECASE)


def concept_of(answer: Mapping[str, Any], handle: Handle) -> Handle | None:
    """The concept DOI of a version at Zenodo; `None` for any other work.

    Args:
        answer: DataCite's attributes of the work.
        handle: The identifier of the work.
    """
    if handle.prefix != ZENODO_PREFIX:
        return None
    concepts = _related(answer, "IsVersionOf")
    return next((concept for concept in concepts if concept != handle), None)


def newer_version(concept: Mapping[str, Any], handle: Handle) -> Handle | None:
    """The newest version of a work, if it is newer than that of a handle.

    Args:
        concept: DataCite's attributes of the concept DOI.
        handle: The identifier of a version.
    """
    newest = max(_related(concept, "HasVersion"), key=_number, default=handle)
    return newest if _number(newest) > _number(handle) else None


def record_number(name: str) -> int:
    """The number of a record, by its DOI; 0 for any other identifier.

    >>> record_number("10.5281/zenodo.12"), record_number("10.5555/zenodo.12")
    (12, 0)
    """
    prefix, _, suffix = name.partition("/")
    number = _SUFFIX.fullmatch(suffix)
    return int(number[1]) if number and prefix == ZENODO_PREFIX else 0


def _related(answer: Mapping[str, Any], relation: str) -> Iterator[Handle]:
    """The works of Zenodo with a relation to a work."""
    for related in members(answer, "relatedIdentifiers"):
        if related.get("relationType") == relation:
            handle = handle_in(related.get("relatedIdentifier"))
            if handle is not None and handle.prefix == ZENODO_PREFIX:
                yield handle


def _number(handle: Handle) -> int:
    return record_number(str(handle))
