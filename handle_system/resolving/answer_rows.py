"""Outcomes as rows of the cache's file, to and fro.

A row's body is what the outcome carries beyond its name: nothing for what is
not registered or shows nothing, the code of a refusal, a record as
`HandleRecord.stored` writes it, and for a handle that is an alias the whole way in
an object.

The plain record is by far the commonest and is not read here: its octets are
compared with their checksum and read when somebody looks at them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never
from zlib import crc32

from handle_system.handle import Handle, exact_handle
from handle_system.resolving.cache_file import CacheRow, FoundRow
from handle_system.resolving.json_shape import as_list, as_object, as_text, member
from handle_system.resolving.outcome import (
    NotRegistered,
    NoValues,
    Outcome,
    OutcomeName,
    Refused,
    Resolved,
    Unreachable,
    plainly_resolved,
)
from handle_system.resolving.record import HandleRecord

__all__ = ["outcome_of_row", "outcomes_of_rows", "row_of_outcome", "sound_target"]

_WAY = b"{"
_NO_RECORD = (b"", _WAY)
# Nor a record without an address before its values.
_NOT_LED = (*_NO_RECORD, b"[")
# In any record with values of this type, which may be malformed, whatever the case of
# the letters that follow.
_LOCATIONS = b"10320/"


def row_of_outcome(
    resolver: str, handle: Handle, outcome: Outcome, asked: int, ttl: int
) -> CacheRow:
    """The row that remembers an outcome.

    Raises:
        ValueError: for `Unreachable`, which is never remembered.
    """
    body = _body(outcome)
    return CacheRow(
        resolver=resolver,
        handle=handle.comparison_key,
        outcome=str(outcome.name),
        asked=asked,
        ttl=ttl,
        body=body,
        sum=crc32(body),
    )


def outcome_of_row(
    handle: Handle, name: str, body: bytes, checksum: int
) -> Outcome | None:
    """The outcome that a row remembers, or `None` if the row is damaged.

    Args:
        handle: The handle asked for, in the author's spelling.
        name: The outcome's name.
        body: The row's body.
        checksum: The row's sum.
    """
    if crc32(body) != checksum:
        return None
    if name == "resolved" and body and not body.startswith(_WAY):
        return Resolved(HandleRecord.from_stored(handle, body))
    try:
        return _read(name, body)
    except (ValueError, RecursionError):
        # `RecordError` and `HandleSyntaxError` are among them.
        return None


def outcomes_of_rows(
    rows: Iterable[FoundRow], handles: Mapping[str, Handle]
) -> Iterator[tuple[str, Outcome, int, int]]:
    """The key, outcome, moment and time to live of each row that is not damaged.

    Args:
        rows: What was found.
        handles: The handles asked for, by their keys.
    """
    stored = HandleRecord.from_stored
    for key, name, moment, ttl, body, checksum in rows:
        # As `outcome_of_row`, and without a call for each of thousands.
        if (
            name == "resolved"
            and body[:1] not in _NO_RECORD
            and crc32(body) == checksum
        ):
            yield key, plainly_resolved(stored(handles[key], body)), moment, ttl
        else:
            outcome = outcome_of_row(handles[key], name, body, checksum)
            if outcome is not None:
                yield key, outcome, moment, ttl


def sound_target(name: str, body: bytes, checksum: int) -> str | None:
    """Where a row's record leads, if it leads there and nothing is wrong with it.

    `None` where that takes a closer look.  The arguments are those of
    `outcome_of_row`.
    """
    if (
        name != "resolved"
        or body[:1] in _NOT_LED
        or _LOCATIONS in body
        or crc32(body) != checksum
    ):
        return None
    return body[: body.find(b"\n")].decode()


def _body(outcome: Outcome) -> bytes:
    match outcome:
        case Resolved(record, (), None):
            return record.stored
        case Resolved(record, aliases, dead_end):
            way = {
                "aliases": [str(alias) for alias in aliases],
                "handle": str(record.handle),
                "values": record.to_json()["values"],
                "dead_end": dead_end,
            }
            return json.dumps(way, separators=(",", ":")).encode()
        case NotRegistered() | NoValues():
            return b""
        case Refused(code):
            return str(code).encode()
        case Unreachable():
            raise ValueError("what is unreachable is not remembered")
        case never:
            assert_never(never)


def _read(name: str, body: bytes) -> Outcome | None:
    match name:
        case OutcomeName.RESOLVED:
            return _read_way(body)
        case OutcomeName.NOT_REGISTERED:
            return NotRegistered()
        case OutcomeName.NO_VALUES:
            return NoValues()
        case OutcomeName.REFUSED:
            return Refused(int(body))
        case _:
            return None


def _read_way(body: bytes) -> Resolved:
    members = as_object(json.loads(body))
    last = exact_handle(member(members, "handle", as_text))
    dead_end = members["dead_end"]
    return Resolved(
        HandleRecord.from_json(last, members),
        tuple(map(exact_handle, member(members, "aliases", _as_texts))),
        None if dead_end is None else as_text(dead_end),
    )


def _as_texts(value: object) -> tuple[str, ...]:
    return as_list(value, as_text)
