"""What a handle resolves to: its record, made of values.

A record's values are read from the JSON of the proxy's REST interface
(HANDLE.NET Technical Manual 9, section 14.8), in the server's order, which is
also the order in which the proxy looks for the first URL.

Reading a record costs more than fetching it from a cache, and a warm build
asks for thousands whose values nobody looks at.  So a record that comes from
our own cache keeps its JSON text and reads it when its values are first asked
for; one that comes from outside is read, and so checked, at once.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from sys import intern
from typing import NoReturn

from handle_system.handle import Handle, fold_ascii
from handle_system.json_shape import (
    RecordError,
    as_integer,
    as_list,
    as_object,
    as_text,
    kind_of,
    member,
    member_or,
)
from handle_system.locations import Locations, LocationsError
from handle_system.record_data import (
    ValueData,
    ValueReference,
    as_data,
    as_references,
    data_to_json,
    references_to_json,
)
from handle_system.targets import absolute_url

__all__ = ["HandleRecord", "HandleValue"]

DAY = 86_400
# What the reference server gives a value for which nobody chose.
DEFAULT_TTL = DAY
USUAL_PERMISSIONS = "1110"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandleValue:
    """One value of a record (RFC 3651, section 3.1).

    Attributes:
        index: The value's number, unique in its record.
        type: ``URL``, ``HS_ADMIN``, ``10320/loc``, …; a dot begins a subtype.
        data: Text, octets, or structure; see `handle_system.record_data`.
        ttl: How long it may be kept: seconds, or a moment in UTC.
        timestamp: When it was last written, in UTC; servers omit it at times.
        permissions: Four characters, ``0`` or ``1``: whether administrators
            may read and write it, and whether the public may.
        references: Values of other handles that this one names.
    """

    index: int
    type: str
    data: ValueData
    ttl: int | datetime = DEFAULT_TTL
    timestamp: datetime | None = None
    permissions: str = USUAL_PERMISSIONS
    references: tuple[ValueReference, ...] = ()

    def is_of(self, wanted: str) -> bool:
        """Whether the type is `wanted` or a subtype of it, in any letter case.

        >>> HandleValue(index=1, type="URL.SUB", data="").is_of("url")
        True
        """
        own, wanted = fold_ascii(self.type), fold_ascii(wanted)
        return own == wanted or own.startswith(f"{wanted}.")


class HandleRecord:
    """The public values of one handle, in the server's order.

    Immutable; two records are equal if their handles and values are.

    Attributes:
        handle: The handle as it was asked for: the proxy echoes the request
            and never tells the registered spelling.
    """

    __slots__ = ("_json", "_values", "handle")

    handle: Handle
    _values: tuple[HandleValue, ...] | None
    _json: str | None

    def __init__(self, handle: Handle, values: Iterable[HandleValue]) -> None:
        _set_once(self, handle, tuple(values), None)

    @classmethod
    def from_json(cls, handle: Handle, body: object) -> "HandleRecord":
        """Read ``{"handle": …, "values": […]}`` as the proxy returns it.

        Other members are ignored; ``handle`` may be missing.

        Raises:
            RecordError: with the path of what has not the protocol's shape, or
                of a ``handle`` that is another one.
        """
        members = as_object(body)
        if "handle" in members:
            check_echo(handle, members)
        return cls(handle, member(members, "values", _as_values))

    @classmethod
    def from_stored(cls, handle: Handle, text: str) -> "HandleRecord":
        """A record whose JSON text this library wrote itself, with `stored`."""
        record = cls.__new__(cls)
        _set_once(record, handle, None, text)
        return record

    @property
    def values(self) -> tuple[HandleValue, ...]:
        """All values.

        Raises:
            RecordError: only for a record out of a cache that somebody else
                has written to.
        """
        values = self._values
        if values is None:
            values = as_list(_load(self._json or ""), _as_value)
            _set_once(self, self.handle, values, None)
        return values

    @property
    def stored(self) -> str:
        """The values as compact JSON text: what `from_stored` reads."""
        if self._json is not None:
            return self._json
        return json.dumps(
            [_value_to_json(value) for value in self.values],
            ensure_ascii=False,
            separators=(",", ":"),
        )

    def to_json(self) -> dict[str, object]:
        """The record as the proxy's REST interface returns it."""
        return {
            "responseCode": 1,
            "handle": str(self.handle),
            "values": [_value_to_json(value) for value in self.values],
        }

    def values_of(self, type_: str) -> tuple[HandleValue, ...]:
        """The values of a type and its subtypes, in any letter case."""
        return tuple(value for value in self.values if value.is_of(type_))

    @property
    def urls(self) -> tuple[str, ...]:
        """The texts of its URL values, as they stand."""
        return tuple(
            value.data for value in self.values_of("URL") if isinstance(value.data, str)
        )

    @property
    def locations(self) -> tuple[Locations, ...]:
        """What its ``10320/loc`` values list; those that cannot be read are left out."""
        found = []
        for value in self.values_of("10320/loc"):
            if isinstance(value.data, str):
                try:
                    found.append(Locations.parse(value.data))
                except LocationsError:
                    continue
        return tuple(found)

    @property
    def target(self) -> str | None:
        """Where the proxy would send a reader, if that is an absolute address.

        The first URL value; without any, the first location (as the proxy
        does).  `None` if there is neither, or if it is not an absolute http,
        https or ftp address.
        """
        for url in self.urls:
            return absolute_url(url)
        for locations in self.locations:
            if locations.first is not None:
                return absolute_url(locations.first.href)
        return None

    @property
    def alias(self) -> str | None:
        """The handle that this one stands for (HS_ALIAS), as it is written."""
        for value in self.values_of("HS_ALIAS"):
            if isinstance(value.data, str):
                return value.data
        return None

    def time_to_live(self, now: datetime) -> int:
        """For how many seconds from `now` all of its values may be kept."""
        return min((_seconds(value.ttl, now) for value in self.values), default=0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HandleRecord):
            return NotImplemented
        return self.handle == other.handle and self.values == other.values

    def __hash__(self) -> int:
        return hash((self.handle, self.values))

    def __repr__(self) -> str:
        return f"HandleRecord({self.handle!r}, {self.values!r})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a record is immutable: {name!r} cannot be set")

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        if self._json is not None:
            return HandleRecord.from_stored, (self.handle, self._json)
        return HandleRecord, (self.handle, self._values)


def _set_once(
    record: HandleRecord,
    handle: Handle,
    values: tuple[HandleValue, ...] | None,
    text: str | None,
) -> None:
    # Values first: another thread may look while the text goes away.
    object.__setattr__(record, "handle", handle)
    object.__setattr__(record, "_values", values)
    object.__setattr__(record, "_json", text)


def check_echo(handle: Handle, members: Mapping[str, object]) -> None:
    """Make sure that an answer speaks of `handle`.

    Raises:
        RecordError: if it names another handle, or none.
    """
    echoed = member(members, "handle", as_text)
    if echoed != str(handle):
        prefix, slash, suffix = echoed.partition("/")
        folded = f"{fold_ascii(prefix)}{slash}{suffix}"
        key = handle.comparison_key
        if key not in (folded, fold_ascii(echoed) if handle.is_doi else folded):
            raise RecordError(
                "handle", f"the answer is about another handle: {echoed!r}"
            )


def _as_values(value: object) -> tuple[HandleValue, ...]:
    return as_list(value, _as_value)


def _as_value(element: object) -> HandleValue:
    members = as_object(element)
    return HandleValue(
        index=member(members, "index", as_integer),
        # A handful of types fill every record: one string for each.
        type=intern(member(members, "type", as_text)),
        data=member(members, "data", as_data),
        ttl=member(members, "ttl", _as_ttl) if "ttl" in members else DEFAULT_TTL,
        timestamp=(
            member(members, "timestamp", _as_moment) if "timestamp" in members else None
        ),
        permissions=member_or(
            members, "permissions", _as_permissions, USUAL_PERMISSIONS
        ),
        references=member_or(members, "references", as_references, ()),
    )


def _value_to_json(value: HandleValue) -> dict[str, object]:
    ttl = value.ttl
    written: dict[str, object] = {
        "index": value.index,
        "type": value.type,
        "data": data_to_json(value.data),
        "ttl": ttl if isinstance(ttl, int) else _moment_to_json(ttl),
    }
    if value.timestamp is not None:
        written["timestamp"] = _moment_to_json(value.timestamp)
    if value.permissions != USUAL_PERMISSIONS:
        written["permissions"] = value.permissions
    if value.references:
        written["references"] = references_to_json(value.references)
    return written


def _as_ttl(value: object) -> int | datetime:
    if isinstance(value, str):
        return _as_moment(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return _shared_integer(value)
    raise RecordError(
        "", f"seconds or a moment are expected here, not {kind_of(value)}"
    )


def _as_moment(value: object) -> datetime:
    text = as_text(value)
    try:
        return _moment(text)
    except (ValueError, OverflowError) as error:
        raise RecordError("", f"this is not a date and time: {text[:40]!r}") from error


# The values of one record, and records of one batch, bear the same moment.
@lru_cache(maxsize=256)
def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return (
        moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    )


@lru_cache(maxsize=256)
def _shared_integer(number: int) -> int:
    return number


def _moment_to_json(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _as_permissions(value: object) -> str:
    text = as_text(value)
    if len(text) != 4 or text.strip("01"):
        raise RecordError(
            "", f"four characters 0 or 1 are expected here, not {text[:40]!r}"
        )
    return intern(text)


def _seconds(ttl: int | datetime, now: datetime) -> int:
    return ttl if isinstance(ttl, int) else int((ttl - now).total_seconds())


def _load(text: str) -> object:
    try:
        loaded: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError("", "the stored record is not JSON") from error
    return loaded
