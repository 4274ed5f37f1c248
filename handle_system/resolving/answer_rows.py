"""Outcomes as rows of the cache's file, to and fro.

A row's body is what the outcome carries beyond its name: nothing for what is
not registered or shows nothing, the code of a refusal, a record as
`HandleRecord.stored` writes it, and for a handle that is an alias the whole way in
an object.

The plain record is by far the commonest and is not read here: its octets are
compared with their checksum and read when somebody looks at them.
"""

import json
from collections.abc import Container, Iterable, Iterator, Mapping
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

__all__ = ["outcome_of_row", "outcomes_of_rows", "row_of_outcome", "sound_targets"]

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
    key, name, body = handle.comparison_key, str(outcome.name), _body(outcome)
    return CacheRow(
        resolver=resolver,
        handle=key,
        outcome=name,
        asked=asked,
        ttl=ttl,
        body=body,
        sum=_sum(_begun_sum(resolver, name), key, body),
    )


def outcome_of_row(
    resolver: str, handle: Handle, name: str, body: bytes, checksum: int
) -> Outcome | None:
    """The outcome that a row remembers, or `None` if the row is damaged.

    Args:
        resolver: Whose answer it is.
        handle: The handle asked for, in the author's spelling.
        name: The outcome's name.
        body: The row's body.
        checksum: The row's sum.
    """
    if _sum(_begun_sum(resolver, name), handle.comparison_key, body) != checksum:
        return None
    if name == "resolved" and body and not body.startswith(_WAY):
        return Resolved(HandleRecord.from_stored(handle, body))
    try:
        return _read(name, body)
    except (ValueError, RecursionError):
        # `RecordError` and `HandleSyntaxError` are among them.
        return None


def outcomes_of_rows(
    resolver: str, rows: Iterable[FoundRow], handles: Mapping[str, Handle]
) -> Iterator[tuple[str, Outcome, int, int]]:
    """The key, outcome, moment and time to live of each row that is not damaged.

    Args:
        resolver: Whose answers they are.
        rows: What was found, others' among it: an index that is damaged may lead there.
        handles: The handles asked for, by their keys.
    """
    stored = HandleRecord.from_stored
    begun = _begun_sum(resolver, OutcomeName.RESOLVED)
    for key, name, moment, ttl, body, checksum in rows:
        handle = handles.get(key)
        if handle is None:
            continue
        # As `outcome_of_row`, and without a call for each of thousands.
        if (
            name == "resolved"
            and body[:1] not in _NO_RECORD
            and _sum(begun, key, body) == checksum
        ):
            yield key, plainly_resolved(stored(handle, body)), moment, ttl
        else:
            outcome = outcome_of_row(resolver, handle, name, body, checksum)
            if outcome is not None:
                yield key, outcome, moment, ttl


def sound_targets(
    resolver: str, rows: Iterable[FoundRow], handles: Container[str]
) -> Iterator[tuple[str, str, int]]:
    """Where records lead, of the rows of those that lead there with nothing wrong.

    All others take a closer look.

    Args:
        resolver: Whose answers they are.
        rows: What was found, others' among it.
        handles: The keys of the handles asked for.

    Yields:
        The key, the target, and the moment of the answer.
    """
    begun = _begun_sum(resolver, OutcomeName.RESOLVED)
    for key, name, moment, _ttl, body, checksum in rows:
        if (
            key in handles
            and name == "resolved"
            and body[:1] not in _NOT_LED
            and _LOCATIONS not in body
            and _sum(begun, key, body) == checksum
        ):
            yield key, body[: body.find(b"\n")].decode(), moment


def _begun_sum(resolver: str, name: str) -> int:
    """The part of a row's sum that is the same for many."""
    return crc32(f"{resolver} {name} ".encode())


def _sum(begun: int, key: str, body: bytes) -> int:
    """CRC-32 of a row: of whom, which outcome, of which handle, and its body.

    Not of the body alone, which a damaged index may lead to from another handle.
    """
    return crc32(body, crc32(key.encode(), begun))


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
