"""The data of a handle's value, in every format that the proxy's JSON knows.

The formats (HANDLE.NET Technical Manual 9, section 14.8): ``string``;
``base64`` and ``hex`` for octets; and structure for the types that administer
the system itself: ``admin`` (HS_ADMIN), ``vlist`` (HS_VLIST), ``site``
(HS_SITE) and ``key`` (HS_PUBKEY).  Servers of version 8 give a plain JSON string
where later ones give ``{"format": "string", "value": …}``.

A string becomes a `str` and octets become `bytes`, because that is what they
are; a format that this module does not know is kept as `OtherData`, for a new
format in one value says nothing about the others.  Handles *inside* the data
stay text: they are what a server wrote, and nothing here acts on them.

Errors carry a path, which grows on the way out: the reader of a member knows
its name, and nobody pays for paths while all is well.
"""

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

__all__ = [
    "AdminData",
    "OtherData",
    "PublicKey",
    "RecordError",
    "Site",
    "SiteInterface",
    "SiteServer",
    "ValueData",
    "ValueReference",
    "data_from_json",
    "data_to_json",
]

_T = TypeVar("_T")


class RecordError(ValueError):
    """A record's JSON has not the shape that the protocol gives it.

    Attributes:
        path: Where, from the record's top: ``values[2].data.value``; empty for
            the record itself.
        reason: What is wrong there, without a full stop.
    """

    path: str
    reason: str

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.path else self.reason

    def within(self, outer: str) -> "RecordError":
        """The same error, seen from the object that holds this one at `outer`."""
        joint = "." if self.path and not self.path.startswith("[") else ""
        return RecordError(f"{outer}{joint}{self.path}", self.reason)


@dataclass(frozen=True, slots=True)
class ValueReference:
    """One value of another handle: its handle and the value's index."""

    handle: str
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminData:
    """Who may administer the handle (HS_ADMIN).

    Attributes:
        handle: The administrator's handle, as the server writes it.
        index: The value of that handle which holds the key or the list.
        permissions: Twelve characters, ``0`` or ``1`` each.
        legacy_byte_length: Written in the encoding of servers before 7.
    """

    handle: str
    index: int
    permissions: str
    legacy_byte_length: bool = False


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key in the manner of a JSON Web Key.

    Attributes:
        parameters: Names and base64url texts in the server's order: ``kty``,
            then ``n`` and ``e`` for RSA, ``y``, ``p``, ``q`` and ``g`` for DSA.
    """

    parameters: tuple[tuple[str, str], ...]

    @property
    def kty(self) -> str:
        """The kind of key: ``RSA`` or ``DSA``; empty if the server gives none."""
        return dict(self.parameters).get("kty", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteInterface:
    """One port of a server, and what it answers.

    Attributes:
        query: Whether it resolves.
        admin: Whether it administers.
        protocol: ``TCP``, ``UDP``, ``HTTP`` or ``HTTPS``.
        port: The port's number.
    """

    query: bool
    admin: bool
    protocol: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteServer:
    """One server of a site; its key is octets where the server sends octets."""

    server_id: int
    address: str
    public_key: "PublicKey | bytes | None"
    interfaces: tuple[SiteInterface, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A service site (HS_SITE): the servers that share one set of handles.

    Attributes:
        hash_option: How a handle picks its server: 0 by prefix, 1 by suffix, 2
            by the whole; 2 where the server does not say.
    """

    version: int
    protocol_version: str
    serial_number: int
    primary: bool
    multi_primary: bool
    hash_option: int = 2
    hash_filter: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    servers: tuple[SiteServer, ...] = ()


@dataclass(frozen=True, slots=True)
class OtherData:
    """Data in a format that this library does not know, kept as JSON text."""

    format: str
    json: str


ValueData = str | bytes | AdminData | tuple[ValueReference, ...] | Site | PublicKey
ValueData = ValueData | OtherData


def data_from_json(data: object) -> ValueData:
    """Read the ``data`` member of a value.

    Raises:
        RecordError: with a path below ``data``.
    """
    if isinstance(data, str):
        return data
    members = as_object(data)
    name = member(members, "format", as_text)
    if name == "string":
        return member(members, "value", as_text)
    reader = _READERS.get(name)
    if reader is None:
        return OtherData(name, json.dumps(members.get("value"), ensure_ascii=False))
    return member(members, "value", reader)


def data_to_json(data: ValueData) -> dict[str, object]:
    """Write data as the proxy does: the inverse of `data_from_json`."""
    match data:
        case str():
            return {"format": "string", "value": data}
        case bytes():
            octets = base64.b64encode(data).decode("ascii")
            return {"format": "base64", "value": octets}
        case tuple():
            return {"format": "vlist", "value": references_to_json(data)}
        case AdminData():
            admin: dict[str, object] = {
                "handle": data.handle,
                "index": data.index,
                "permissions": data.permissions,
            }
            if data.legacy_byte_length:
                admin["legacyByteLength"] = True
            return {"format": "admin", "value": admin}
        case PublicKey():
            return {"format": "key", "value": dict(data.parameters)}
        case Site():
            return {"format": "site", "value": _site_to_json(data)}
        case OtherData():
            return {"format": data.format, "value": json.loads(data.json)}


def references_to_json(references: Iterable[ValueReference]) -> list[object]:
    """Write a list of value references."""
    return [{"handle": item.handle, "index": item.index} for item in references]


def as_references(value: object) -> tuple[ValueReference, ...]:
    """Read a list of ``{"handle": …, "index": …}``."""
    return as_list(value, _as_reference)


def as_object(value: object) -> Mapping[str, object]:
    """A JSON object, or an error."""
    if isinstance(value, dict):
        return value
    raise RecordError("", f"an object is expected here, not {kind_of(value)}")


def as_text(value: object) -> str:
    """A JSON string, or an error."""
    if isinstance(value, str):
        return value
    raise RecordError("", f"a string is expected here, not {kind_of(value)}")


def as_integer(value: object) -> int:
    """A JSON number without a fraction, or an error."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise RecordError("", f"an integer is expected here, not {kind_of(value)}")


def as_boolean(value: object) -> bool:
    """``true`` or ``false``, or an error."""
    if isinstance(value, bool):
        return value
    raise RecordError("", f"true or false is expected here, not {kind_of(value)}")


def as_list(value: object, reader: Callable[[object], _T]) -> tuple[_T, ...]:
    """A JSON array, each element read by `reader`, or an error."""
    if not isinstance(value, list):
        raise RecordError("", f"an array is expected here, not {kind_of(value)}")
    read = []
    for number, element in enumerate(value):
        try:
            read.append(reader(element))
        except RecordError as error:
            raise error.within(f"[{number}]") from error
    return tuple(read)


def member(
    members: Mapping[str, object], name: str, reader: Callable[[object], _T]
) -> _T:
    """The member `name`, read by `reader`; an error names the member."""
    try:
        value = members[name]
    except KeyError:
        raise RecordError("", f'"{name}" is missing') from None
    try:
        return reader(value)
    except RecordError as error:
        raise error.within(name) from error


def kind_of(value: object) -> str:
    """What JSON calls a value's kind, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _KINDS.get(type(value), "something else")


_KINDS: Mapping[type, str] = {
    str: "a string",
    int: "an integer",
    float: "a number with a fraction",
    list: "an array",
    dict: "an object",
}


def _as_base64(value: object) -> bytes:
    try:
        return base64.b64decode(as_text(value), validate=True)
    except (binascii.Error, ValueError) as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError("", "this is not base64") from error


def _as_hex(value: object) -> bytes:
    try:
        return binascii.unhexlify(as_text(value))
    except (binascii.Error, ValueError) as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError("", "this is not an even number of hex digits") from error


def _as_admin(value: object) -> AdminData:
    members = as_object(value)
    return AdminData(
        handle=member(members, "handle", as_text),
        index=member(members, "index", as_integer),
        permissions=member(members, "permissions", as_text),
        legacy_byte_length="legacyByteLength" in members
        and member(members, "legacyByteLength", as_boolean),
    )


def _as_reference(value: object) -> ValueReference:
    members = as_object(value)
    return ValueReference(
        member(members, "handle", as_text), member(members, "index", as_integer)
    )


def _as_key(value: object) -> PublicKey:
    members = as_object(value)
    return PublicKey(tuple((name, member(members, name, as_text)) for name in members))


def _as_site(value: object) -> Site:
    members = as_object(value)

    def optional(name: str, reader: Callable[[object], _T], default: _T) -> _T:
        return member(members, name, reader) if name in members else default

    return Site(
        version=member(members, "version", as_integer),
        protocol_version=member(members, "protocolVersion", as_text),
        serial_number=member(members, "serialNumber", as_integer),
        primary=member(members, "primarySite", as_boolean),
        multi_primary=member(members, "multiPrimary", as_boolean),
        hash_option=optional("hashOption", as_integer, 2),
        hash_filter=optional("hashFilter", as_text, ""),
        attributes=optional("attributes", _as_attributes, ()),
        servers=member(members, "servers", _as_servers),
    )


def _as_attributes(value: object) -> tuple[tuple[str, str], ...]:
    def attribute(element: object) -> tuple[str, str]:
        members = as_object(element)
        return member(members, "name", as_text), member(members, "value", as_text)

    return as_list(value, attribute)


def _as_servers(value: object) -> tuple[SiteServer, ...]:
    def server(element: object) -> SiteServer:
        members = as_object(element)
        return SiteServer(
            server_id=member(members, "serverId", as_integer),
            address=member(members, "address", as_text),
            public_key=(
                member(members, "publicKey", _as_server_key)
                if "publicKey" in members
                else None
            ),
            interfaces=member(members, "interfaces", _as_interfaces),
        )

    return as_list(value, server)
