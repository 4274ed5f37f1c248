"""What a handle resolves to: its record, made of values.

A record's values are read from the JSON of the proxy's REST interface
(HANDLE.NET Technical Manual 9, section 14.8), in the server's order, which is
also the order in which the proxy looks for the first URL.

Reading a record costs more than fetching it from a cache, and a warm build
asks for thousands whose values nobody looks at.  So a record that comes from
our own cache keeps its JSON text until its values are first asked for, and one
that comes from outside is read, and so checked, at once.  Where a record leads is
wanted of each: in the cache that stands before the values, on a line of its own.
"""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import NoReturn

from handle_system.handle import Handle
from handle_system.resolving.json_shape import (
    RecordError,
    as_list,
    as_object,
    as_text,
    member,
)
from handle_system.resolving.locations import Locations, LocationsError
from handle_system.resolving.targets import absolute_url
from handle_system.resolving.value import HandleValue, as_value, value_to_json
from handle_system.text import fold_ascii

__all__ = ["HandleRecord"]

# No address and no JSON without spaces has one.
_LINE_END = b"\n"
# What JSON writes as it is.
_NEVER_ESCAPED = re.compile(r"[0-9A-Za-z_./-]+")
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class HandleRecord:
    """The public values of one handle, in the server's order.

    Immutable; two records are equal if their handles and values are.

    Attributes:
        handle: The handle as it was asked for: the proxy echoes the request
            and never tells the registered spelling.
    """

    __slots__ = ("_json", "_target", "_values", "handle")

    handle: Handle
    _values: tuple[HandleValue, ...] | None
    _json: bytes | None
    # Not there until somebody has asked for it.
    _target: str | None

    def __init__(self, handle: Handle, values: Iterable[HandleValue]) -> None:
        _set_handle(self, handle)
        _set_json(self, None)
        _set_values(self, tuple(values))

    @classmethod
    def from_json(cls, handle: Handle, body: object) -> "HandleRecord":
        """Read ``{"handle": …, "values": […]}`` as the proxy returns it.

        Other members are ignored.

        Raises:
            RecordError: with the path of what has not the protocol's shape, or
                of a ``handle`` that is another one.
        """
        members = as_object(body)
        check_echo(handle, members)
        return cls(handle, member(members, "values", _as_values))

    @classmethod
    def from_stored(cls, handle: Handle, stored: bytes) -> "HandleRecord":
        """A record whose values this library wrote itself, with `stored`."""
        draft = _Draft()
        draft.handle = handle
        draft._json = stored  # noqa: SLF001 (it is about to be a record)
        draft._values = None  # noqa: SLF001 (as above)
        draft.__class__ = cls  # type: ignore[assignment]  # of the same layout
        return draft  # type: ignore[return-value]  # it is one now

    @property
    def values(self) -> tuple[HandleValue, ...]:
        """All values.

        Raises:
            RecordError: only for a record out of a cache that somebody else
                has written to.
        """
        values = self._values
        if values is None:
            stored = self._json
            if stored is None:
                # Another thread has read them meanwhile.
                return self.values
            values = _as_values(_load(stored.rpartition(_LINE_END)[2]))
            # In this order, for another thread may look; both would be twice as much.
            _set_values(self, values)
            _set_json(self, None)
        return values

    @property
    def stored(self) -> bytes:
        """What `from_stored` reads: its target, if any, and its values in a second line.

        The values are compact JSON, in UTF-8.
        """
        stored = self._json
        if stored is not None:
            return stored
        written = [value_to_json(value) for value in self.values]
        # A lone surrogate is legal in JSON, as an escape only.
        values = _ENCODER.encode(written).encode("utf-8", "backslashreplace")
        target = (self.target or "").encode("utf-8", "replace")
        # One with such a surrogate is worked out anew.
        if not target or target.decode() != self.target:
            return values
        return target + _LINE_END + values

    def to_json(self) -> dict[str, object]:
        """The record as the proxy's REST interface returns it."""
        return {
            "responseCode": 1,
            "handle": str(self.handle),
            "values": [value_to_json(value) for value in self.values],
        }

    def values_of(self, type_: str) -> tuple[HandleValue, ...]:
        """The values of a type and its subtypes, in any letter case."""
        stored = self._json
        if stored is not None:
            written = _written_folded(type_)
            if written and written not in stored.lower():
                # What is not in the text is not among the values.
                return ()
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
        try:
            return self._target
        except AttributeError:
            target = self._find_target()
            _set_target(self, target)
            return target

    def _find_target(self) -> str | None:
        stored = self._json
        if stored is not None and not stored.startswith(b"["):
            return stored.partition(_LINE_END)[0].decode()
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
        return min((value.time_to_live(now) for value in self.values), default=0)

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
        stored = self._json
        if stored is not None:
            return HandleRecord.from_stored, (self.handle, stored)
        return HandleRecord, (self.handle, self.values)


class _Draft:
    """A record while it is made: of the same layout, and not frozen yet.

    A warm cache makes thousands of them, and a frozen class has its slots set
    by a detour that costs more than the rest.
    """

    __slots__ = ("_json", "_target", "_values", "handle")
    handle: Handle
    _values: tuple[HandleValue, ...] | None
    _json: bytes | None
    _target: str | None


# The slots' own setters, which a frozen class hides.
_set_handle = vars(HandleRecord)["handle"].__set__
_set_values = vars(HandleRecord)["_values"].__set__
_set_json = vars(HandleRecord)["_json"].__set__
_set_target = vars(HandleRecord)["_target"].__set__


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


# For thousands of records the same few types are asked for.
@lru_cache(maxsize=64)
def _written_folded(type_: str) -> bytes:
    """How JSON writes a type, in lower case; empty where that takes an escape."""
    return fold_ascii(type_).encode() if _NEVER_ESCAPED.fullmatch(type_) else b""


def _as_values(value: object) -> tuple[HandleValue, ...]:
    return as_list(value, as_value)


def _load(stored: bytes) -> object:
    try:
        loaded: object = json.loads(stored)
    except (ValueError, RecursionError) as error:
        raise RecordError("", "the stored record is not JSON") from error
    return loaded
