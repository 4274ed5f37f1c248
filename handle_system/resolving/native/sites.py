"""Service sites: the servers that share a set of handles, and which of them has one.

The data of HS_SITE values (RFC 3651, section 3.2.2)::

    site      = version protocol-version serial mask hash-option hash-filter
                attributes servers
    server    = server-id address public-key interfaces
    address   = 16OCTET                     ; IPv6, or IPv4 after twelve zeros
    interface = purpose transport port

`read_site` and `write_site` translate it to and from the JSON that proxies write.
Public keys stay octets there: signatures are not checked.
"""

import base64
import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, Final, Self

from handle_system.handle import Handle
from handle_system.resolving.native.octets import (
    MessageError,
    OctetReader,
    string,
    u32,
)

__all__ = ["Server", "Site", "read_site", "write_site"]

_FIXED: Final = struct.Struct(">HBBHBB")
_INTERFACE: Final = struct.Struct(">BBI")
_PRIMARY, _MULTI_PRIMARY = 0x80, 0x40
_ADMIN, _QUERY = 1, 2
_PROTOCOLS: Final = ("UDP", "TCP", "HTTP", "HTTPS")
_LAST_PORT: Final = 65_535
# What chooses a handle's server: 0 its prefix, 1 its suffix, 2 all of it.
_BY_WHOLE: Final = 2
_CAPITALS = bytes.maketrans(
    b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)


@dataclass(frozen=True, slots=True)
class Server:
    """One server: its host, and the ports that resolve, by ``TCP`` and ``UDP``."""

    host: str
    ports: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Site:
    """The part of a service site that resolution needs."""

    servers: tuple[Server, ...]
    hash_option: int = _BY_WHOLE
    primary: bool = True

    @classmethod
    def from_json(cls, site: Mapping[str, Any]) -> Self:
        """Read it as proxies write it.

        Raises:
            MessageError: when a part is missing or of the wrong kind, or there is no
                server.
        """
        try:
            attributes = {each["name"]: each["value"] for each in site["attributes"]}
            servers = tuple(
                Server(
                    # The servers of a site with a domain have no addresses.
                    attributes.get("domain", each["address"]),
                    {
                        interface["protocol"]: interface["port"]
                        for interface in each["interfaces"]
                        if interface["query"]
                    },
                )
                for each in site["servers"]
            )
            hash_option = site.get("hashOption", _BY_WHOLE)
            primary = bool(site["primarySite"])
        except (AttributeError, KeyError, TypeError) as error:
            raise MessageError(f"not a service site: {error!r}") from error
        if not servers:
            raise MessageError("a service site without servers")
        return cls(servers, hash_option, primary)

    def position_of(self, handle: Handle) -> int:
        """The position of the one server that has `handle`.

        MD5 of the name in ASCII capitals; its last four octets, as a number with a
        sign; the absolute value, modulo the number of servers (RFC 3652, 3.3).
        """
        name = {0: handle.prefix, 1: handle.suffix}.get(self.hash_option, str(handle))
        capitals = name.encode().translate(_CAPITALS)
        digest = hashlib.md5(capitals, usedforsecurity=False).digest()
        number = int.from_bytes(digest[-4:], "big", signed=True)
        return abs(number) % len(self.servers)


def read_site(octets: bytes) -> dict[str, Any]:
    """Read a site.

    Raises:
        MessageError: when the octets are none.
    """
    reader = OctetReader(octets)
    version, major, minor, serial, mask, hash_option = reader.numbers(_FIXED)
    site: dict[str, Any] = {
        "version": version,
        "protocolVersion": f"{major}.{minor}",
        "serialNumber": serial,
        "primarySite": bool(mask & _PRIMARY),
        "multiPrimary": bool(mask & _MULTI_PRIMARY),
        "hashOption": hash_option,
        "hashFilter": reader.text(),
        "attributes": [
            {"name": reader.text(), "value": reader.text()} for _ in reader.count(8)
        ],
        "servers": [_read_server(reader) for _ in reader.count(28)],
    }
    # Proxies write these two only where they say something.
    for name, usual in (("hashOption", _BY_WHOLE), ("hashFilter", "")):
        if site[name] == usual:
            del site[name]
    return site


def write_site(site: Mapping[str, Any]) -> bytes:
    """Write a site.  Keys in the form of a JSON Web Key are left out.

    Raises:
        KeyError, TypeError, ValueError, struct.error: when a part is missing, of the
            wrong kind or out of range.
    """
    major, minor = map(int, site["protocolVersion"].split("."))
    mask = _PRIMARY * site["primarySite"] | _MULTI_PRIMARY * site["multiPrimary"]
    hash_option = site.get("hashOption", _BY_WHOLE)
    parts = [
        _FIXED.pack(
            site["version"], major, minor, site["serialNumber"], mask, hash_option
        ),
        string(site.get("hashFilter", "")),
        u32(len(site["attributes"])),
        *(string(each["name"]) + string(each["value"]) for each in site["attributes"]),
        u32(len(site["servers"])),
        *map(_write_server, site["servers"]),
    ]
    return b"".join(parts)


def _read_server(reader: OctetReader) -> dict[str, Any]:
    server_id, address, key = reader.u32(), reader.take(16), reader.string()
    # ::1 looks like 0.0.0.1, which no server has.
    is_ipv6 = any(address[:12]) or address[12:] == b"\0\0\0\1"
    interfaces = []
    for _ in reader.count(_INTERFACE.size):
        purpose, protocol, port = reader.numbers(_INTERFACE)
        if protocol >= len(_PROTOCOLS) or port > _LAST_PORT:
            raise MessageError(f"no interface: protocol {protocol}, port {port}")
        interfaces.append(
            {
                "query": bool(purpose & _QUERY),
                "admin": bool(purpose & _ADMIN),
                "protocol": _PROTOCOLS[protocol],
                "port": port,
            }
        )
    return {
        "serverId": server_id,
        "address": str(IPv6Address(address) if is_ipv6 else IPv4Address(address[12:])),
        "publicKey": {"format": "base64", "value": base64.b64encode(key).decode()},
        "interfaces": interfaces,
    }


def _write_server(server: Mapping[str, Any]) -> bytes:
    key = server.get("publicKey", {})
    octets = base64.b64decode(key["value"]) if key.get("format") == "base64" else b""
    interfaces = [
        _INTERFACE.pack(
            _ADMIN * each["admin"] | _QUERY * each["query"],
            _PROTOCOLS.index(each["protocol"]),
            each["port"],
        )
        for each in server["interfaces"]
    ]
    address = ip_address(server["address"]).packed.rjust(16, b"\0")
    count = u32(len(interfaces))
    return b"".join(
        (u32(server["serverId"]), address, string(octets), count, *interfaces)
    )
