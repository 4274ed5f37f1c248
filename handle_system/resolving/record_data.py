"""The data of a value, in every format that the proxy's JSON knows.

The formats (HANDLE.NET Technical Manual 9, section 14.8): ``string``;
``base64`` and ``hex`` for octets; and structure for the types that administer
the system itself: ``admin`` (HS_ADMIN), ``vlist`` (HS_VLIST), ``site``
(HS_SITE) and ``key`` (HS_PUBKEY).  Servers of version 8 give a plain JSON string
where later ones give ``{"format": "string", "value": …}``.

A string becomes a `str` and octets become `bytes`, because that is what they
are.  A format that this module does not know is kept as `OtherData`: a new
format in one value says nothing against the others.  Handles *inside* the data
stay text: they are what a server wrote, and nothing here acts upon them.
"""

import binascii
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from handle_system.resolving.json_shape import (
    RecordError,
    as_boolean,
    as_integer,
    as_list,
    as_object,
    as_text,
    member,
    member_or,
)
from handle_system.resolving.site_data import (
    PublicKey,
    Site,
    as_key,
    as_octets,
    as_site,
    octets_to_json,
    site_to_json,
)

__all__ = ["AdminData", "OtherData", "ValueData", "ValueReference"]


@dataclass(frozen=True, slots=True)
class ValueReference:
    """One value of another handle: that handle, and the value's index."""

    handle: str
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminData:
    """Who may administer a handle, and how.

    Attributes:
        handle: The administrator's handle, as the server writes it.
        index: The value of that handle which holds a key or a list.
        permissions: Twelve characters, each ``0`` or ``1``.
        legacy_byte_length: Stored in the encoding of servers before 7.
    """

    handle: str
    index: int
    permissions: str
    legacy_byte_length: bool = False


@dataclass(frozen=True, slots=True)
class OtherData:
    """Data in a format that this library does not know, as JSON text in ASCII."""

    format: str
    json: str


ValueData: TypeAlias = (
    str | bytes | AdminData | tuple[ValueReference, ...] | Site | PublicKey | OtherData
)


def as_data(data: object) -> ValueData:
    """Read the ``data`` of a value."""
    if isinstance(data, str):
        return data
    members = as_object(data)
    name = member(members, "format", as_text)
    reader = _READERS.get(name)
    if reader is not None:
        return member(members, "value", reader)
    return OtherData(name, json.dumps(members.get("value")))


def data_to_json(data: ValueData) -> dict[str, object]:
    """Write data as the proxy does: the inverse of `as_data`."""
    match data:
        case str():
            return {"format": "string", "value": data}
        case bytes():
            return {"format": "base64", "value": octets_to_json(data)}
        case tuple():
            return {"format": "vlist", "value": references_to_json(data)}
        case AdminData():
            return {"format": "admin", "value": _admin_to_json(data)}
        case PublicKey():
            return {"format": "key", "value": dict(data.parameters)}
        case Site():
            return {"format": "site", "value": site_to_json(data)}
        case OtherData():
            return {"format": data.format, "value": json.loads(data.json)}
        case never:
            assert_never(never)


def as_references(value: object) -> tuple[ValueReference, ...]:
    """Read a list of ``{"handle": …, "index": …}``."""
    return as_list(value, _as_reference)


def references_to_json(references: Iterable[ValueReference]) -> list[object]:
    """Write such a list."""
    return [{"handle": item.handle, "index": item.index} for item in references]


def _as_hex(value: object) -> bytes:
    text = as_text(value)
    try:
        return binascii.unhexlify(text)
    except (binascii.Error, ValueError) as error:
        raise RecordError("", "these are not pairs of hex digits") from error


def _as_admin(value: object) -> AdminData:
    members = as_object(value)
    return AdminData(
        handle=member(members, "handle", as_text),
        index=member(members, "index", as_integer),
        permissions=member(members, "permissions", as_text),
        legacy_byte_length=member_or(members, "legacyByteLength", as_boolean, False),  # noqa: FBT003 (the default, where its name is said)
    )


def _admin_to_json(admin: AdminData) -> dict[str, object]:
    written: dict[str, object] = {
        "handle": admin.handle,
        "index": admin.index,
        "permissions": admin.permissions,
    }
    if admin.legacy_byte_length:
        written["legacyByteLength"] = True
    return written


def _as_reference(value: object) -> ValueReference:
    members = as_object(value)
    return ValueReference(
        member(members, "handle", as_text), member(members, "index", as_integer)
    )


_READERS: Mapping[str, Callable[[object], ValueData]] = {
    "string": as_text,
    "base64": as_octets,
    "hex": _as_hex,
    "admin": _as_admin,
    "vlist": as_references,
    "site": as_site,
    "key": as_key,
}
