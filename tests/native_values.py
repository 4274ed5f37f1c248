"""Writes the values of records as a handle server sends them (RFC 3651).

A client only reads them, so the product has no writer.
"""

import base64
import struct
from collections.abc import Iterable, Mapping
from datetime import datetime
from ipaddress import ip_address
from typing import Any, Final

from handle_system.resolving.native.messages import MessageError, i32, string, u32

_FIXED: Final = struct.Struct(">iIBIB")
_USUAL_PERMISSIONS: Final = "1110"
_SITE: Final = struct.Struct(">HBBHBB")
_INTERFACE: Final = struct.Struct(">BBI")
_PRIMARY, _MULTI_PRIMARY = 0x80, 0x40
_ADMIN, _QUERY = 1, 2
_PROTOCOLS: Final = ("UDP", "TCP", "HTTP", "HTTPS")
_BY_WHOLE: Final = 2


def write_values(values: Iterable[Mapping[str, Any]]) -> bytes:
    """Write the values of an answer.

    Raises:
        MessageError: when a value has not the shape that proxies write, or a number
            is out of range.
    """
    try:
        written = list(map(_write_value, values))
    except (AttributeError, KeyError, TypeError, ValueError, struct.error) as error:
        raise MessageError(f"not the values of a record: {error!r}") from error
    return u32(len(written)) + b"".join(written)


def _write_value(value: Mapping[str, Any]) -> bytes:
    ttl = value.get("ttl", 86_400)
    is_absolute = isinstance(ttl, str)
    fixed = _FIXED.pack(
        value["index"],
        _seconds(value["timestamp"]) if "timestamp" in value else 0,
        is_absolute,
        _seconds(ttl) if is_absolute else ttl % 2**32,
        int(value.get("permissions", _USUAL_PERMISSIONS), 2),
    )
    data = _write_data(value["data"])
    references = _write_references(value.get("references", ()))
    return fixed + string(value["type"]) + string(data) + references


def _write_data(data: Mapping[str, Any] | str) -> bytes:
    if isinstance(data, str):
        # Servers before version 8 wrote the text alone.
        return data.encode()
    value = data["value"]
    match data["format"]:
        case "string":
            return bytes(value, "utf-8")
        case "base64":
            return base64.b64decode(value, validate=True)
        case "admin":
            permissions = struct.pack(">H", int(value["permissions"], 2))
            return permissions + string(value["handle"]) + i32(value["index"])
        case "vlist":
            return _write_references(value)
        case "site":
            return write_site(value)
        case other:
            raise ValueError(f"data of the format {other!r} cannot be written")


def _write_references(references: Iterable[Mapping[str, Any]]) -> bytes:
    written = [
        string(reference["handle"]) + i32(reference["index"])
        for reference in references
    ]
    return u32(len(written)) + b"".join(written)


def _seconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp())


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
        _SITE.pack(
            site["version"], major, minor, site["serialNumber"], mask, hash_option
        ),
        string(site.get("hashFilter", "")),
        u32(len(site["attributes"])),
        *(
            string(attribute["name"]) + string(attribute["value"])
            for attribute in site["attributes"]
        ),
        u32(len(site["servers"])),
        *map(_write_server, site["servers"]),
    ]
    return b"".join(parts)


def _write_server(server: Mapping[str, Any]) -> bytes:
    key = server.get("publicKey", {})
    octets = base64.b64decode(key["value"]) if key.get("format") == "base64" else b""
    interfaces = [
        _INTERFACE.pack(
            _ADMIN * interface["admin"] | _QUERY * interface["query"],
            _PROTOCOLS.index(interface["protocol"]),
            interface["port"],
        )
        for interface in server["interfaces"]
    ]
    address = ip_address(server["address"]).packed.rjust(16, b"\0")
    count = u32(len(interfaces))
    return b"".join(
        (u32(server["serverId"]), address, string(octets), count, *interfaces)
    )
