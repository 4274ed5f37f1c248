"""The answers of registration agencies, and the items that are made of them."""

import datetime as dt
import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from handle_system.describing.items import (
    JsonObject,
    handle_in,
    item_of_csl,
    item_of_datacite,
)
from handle_system.describing.rich_text import identifier_text
from handle_system.describing.updates import is_notice, read_updates
from handle_system.handle import Handle
from handle_system.resolving.outcomes import NotRegistered, Unreachable
from handle_system.resolving.rest_api import Answer


@dataclass(frozen=True, slots=True)
class Described:
    """The agency described the work.

    Attributes:
        item: The item, as the file stores it.
    """

    item: JsonObject


@dataclass(frozen=True, slots=True)
class NoMetadata:
    """The DOI is registered, and there are no metadata that a machine can read.

    Attributes:
        reason: Why, without a full stop.
    """

    reason: str


#: The result of asking for one DOI: a closed union.
Description: TypeAlias = Described | NoMetadata | NotRegistered | Unreachable


@dataclass(frozen=True, slots=True)
class Metadata:
    """The answer about a work, and whose it is.

    Attributes:
        answer: The object that describes the work.
        agency: The name of the agency.
        is_of_datacite: Whether it has the form of DataCite's attributes.
    """

    answer: JsonObject
    agency: str
    is_of_datacite: bool = False


#: Why there are no metadata.
Failure: TypeAlias = NoMetadata | NotRegistered | Unreachable


def metadata_in(answer: Answer | Unreachable, agency: str) -> Metadata | Failure:
    """The meaning of the answer of an agency about one DOI."""
    if isinstance(answer, Unreachable):
        return answer
    if answer.status in {404, 410}:
        return NoMetadata(f"{agency} has no metadata of it")
    if answer.status != 200:
        return NoMetadata(f"{agency} gave none (HTTP {answer.status})")
    try:
        loaded = _loaded(answer)
    except ValueError:
        return NoMetadata(f"the answer of {agency} is not JSON")
    if isinstance(loaded, list) and loaded:
        loaded = loaded[0]
    if not isinstance(loaded, dict):
        return NoMetadata(f"the answer of {agency} is not an object")
    data = loaded.get("data")
    if isinstance(data, dict) and isinstance(data.get("attributes"), dict):
        return _metadata_of(data, agency)
    message = loaded.get("message")
    return _metadata_of(message if isinstance(message, dict) else loaded, agency)


def metadata_in_list(answer: Answer, agency: str) -> list[Metadata] | None:
    """The works in the answer of an agency about many DOIs; `None` if it has no list."""
    if answer.status != 200:
        return None
    try:
        loaded = _loaded(answer)
    except ValueError:
        return None
    if not isinstance(loaded, dict):
        return None
    message = loaded.get("message")
    works = message.get("items") if isinstance(message, dict) else loaded.get("data")
    if not isinstance(works, list):
        return None
    return [_metadata_of(work, agency) for work in works if isinstance(work, dict)]


def _loaded(answer: Answer) -> object:
    """The body of an answer, in UTF-8, -16 or -32, with or without a byte order mark.

    Raises:
        ValueError: when it is not JSON, or nested too deep.
    """
    try:
        loaded: object = json.loads(answer.body)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    return loaded


def _metadata_of(loaded: JsonObject, agency: str) -> Metadata:
    attributes = loaded.get("attributes")
    if isinstance(attributes, dict):
        return Metadata(attributes, agency, is_of_datacite=True)
    return Metadata(loaded, agency)


def described_doi(answer: JsonObject) -> Handle | None:
    """The DOI that an answer says it is about; `None` if it does not say."""
    names = map(answer.get, ("DOI", "doi"))
    return handle_in(next(filter(identifier_text, names), None))


def item_of(handle: Handle, metadata: Metadata, today: dt.date) -> JsonObject:
    """The item of an answer, with what we keep besides in ``custom``."""
    answer = metadata.answer
    if metadata.is_of_datacite:
        item = item_of_datacite(answer, handle)
    else:
        item = item_of_csl(answer, handle)
    described = described_doi(answer) or handle
    custom: dict[str, Any] = {"agency": metadata.agency, "asked": str(today)}
    if described != handle:
        custom["described"] = described.comparison_key
    names_of_work = {handle, described}
    if is_notice(answer, names_of_work):
        custom["notice"] = True
    updates = read_updates(answer, names_of_work)
    if updates:
        custom["updates"] = updates
    return {**item, "custom": custom}
