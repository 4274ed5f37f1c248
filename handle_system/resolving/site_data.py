"""Service sites and public keys: the structured data of HS_SITE and HS_PUBKEY.

Read for completeness, not acted upon: this library asks a proxy, which finds
the responsible servers by itself (HANDLE.NET Technical Manual 9, chapter 6).
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass

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

__all__ = ["PublicKey", "Site", "SiteInterface", "SiteServer"]


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
        """The kind of key, ``RSA`` or ``DSA``; empty where none is given."""
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
    public_key: PublicKey | bytes | None
    interfaces: tuple[SiteInterface, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A service site: servers that share one set of handles.

    Attributes:
        hash_option: How a handle picks its server: 0 by its prefix, 1 by its
            suffix, 2 by the whole; 2 where the server does not say.
    """

    version: int
    protocol_version: str
    serial_number: int
    primary: bool
    multi_primary: bool
    hash_option: int
    hash_filter: str | None
    attributes: tuple[tuple[str, str], ...]
    servers: tuple[SiteServer, ...]


def as_octets(value: object) -> bytes:
    """Read base64 text."""
    text = as_text(value)
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise RecordError("", "this is not base64") from error


def octets_to_json(octets: bytes) -> str:
    """Write base64 text."""
    return base64.b64encode(octets).decode("ascii")


def as_key(value: object) -> PublicKey:
    """Read a key."""
    members = as_object(value)
    return PublicKey(tuple((name, member(members, name, as_text)) for name in members))


def as_site(value: object) -> Site:
    """Read a site."""
    members = as_object(value)
    return Site(
        version=member(members, "version", as_integer),
        protocol_version=member(members, "protocolVersion", as_text),
        serial_number=member(members, "serialNumber", as_integer),
        primary=member(members, "primarySite", as_boolean),
        multi_primary=member(members, "multiPrimary", as_boolean),
        hash_option=member_or(members, "hashOption", as_integer, 2),
        hash_filter=(
            member(members, "hashFilter", as_text) if "hashFilter" in members else None
        ),
        attributes=member_or(
            members, "attributes", lambda value: as_list(value, _as_attribute), ()
        ),
        servers=member(members, "servers", lambda value: as_list(value, _as_server)),
    )


def site_to_json(site: Site) -> dict[str, object]:
    """Write a site: the inverse of `as_site`."""
    written: dict[str, object] = {
        "version": site.version,
        "protocolVersion": site.protocol_version,
        "serialNumber": site.serial_number,
        "primarySite": site.primary,
        "multiPrimary": site.multi_primary,
        "attributes": [
            {"name": name, "value": value} for name, value in site.attributes
        ],
        "servers": [_server_to_json(server) for server in site.servers],
    }
    if site.hash_option != 2:
        written["hashOption"] = site.hash_option
    if site.hash_filter is not None:
        written["hashFilter"] = site.hash_filter
    return written


def _as_attribute(value: object) -> tuple[str, str]:
    members = as_object(value)
    return member(members, "name", as_text), member(members, "value", as_text)


def _as_server(value: object) -> SiteServer:
    members = as_object(value)
    return SiteServer(
        server_id=member(members, "serverId", as_integer),
        address=member(members, "address", as_text),
        public_key=(
            member(members, "publicKey", _as_server_key)
            if "publicKey" in members
            else None
        ),
        interfaces=member(
            members, "interfaces", lambda value: as_list(value, _as_interface)
        ),
    )


def _as_server_key(value: object) -> PublicKey | bytes:
    members = as_object(value)
    name = member(members, "format", as_text)
    if name == "key":
        return member(members, "value", as_key)
    if name == "base64":
        return member(members, "value", as_octets)
    raise RecordError("format", f'a key is "key" or "base64", not "{name}"')


def _as_interface(value: object) -> SiteInterface:
    members = as_object(value)
    return SiteInterface(
        query=member(members, "query", as_boolean),
        admin=member(members, "admin", as_boolean),
        protocol=member(members, "protocol", as_text),
        port=member(members, "port", as_integer),
    )


def _server_to_json(server: SiteServer) -> dict[str, object]:
    written: dict[str, object] = {
        "serverId": server.server_id,
        "address": server.address,
    }
    key = server.public_key
    if isinstance(key, bytes):
        written["publicKey"] = {"format": "base64", "value": octets_to_json(key)}
    elif key is not None:
        written["publicKey"] = {"format": "key", "value": dict(key.parameters)}
    written["interfaces"] = [_interface_to_json(each) for each in server.interfaces]
    return written


def _interface_to_json(interface: SiteInterface) -> Mapping[str, object]:
    return {
        "query": interface.query,
        "admin": interface.admin,
        "protocol": interface.protocol,
        "port": interface.port,
    }
