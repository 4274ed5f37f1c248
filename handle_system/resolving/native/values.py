"""The values of a record (RFC 3651, section 3.1), to and from the JSON of proxies.

::

    values    = count *value
    value     = index timestamp ttl-type ttl permissions type data references
    reference = handle index

Data of three types has a structure; all other data is text, or octets in base64
(HANDLE.NET Technical Manual 9, section 14.8).
"""

import base64
import re
import struct
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from handle_system.resolving.native.octets import (
    MessageError,
    OctetReader,
    string,
    u32,
)
from handle_system.resolving.native.sites import read_site, write_site

__all__ = ["read_values", "write_values"]

_FIXED: Final = struct.Struct(">IIBIB")
# The fixed part, and four empty strings and lists.
_SMALLEST: Final = _FIXED.size + 12
_DAY: Final = 86_400
_USUAL_PERMISSIONS: Final = "1110"
# Text with any of these is written as octets.
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def read_values(octets: bytes) -> list[dict[str, Any]]:
    """Read the values of an answer.

    Raises:
        MessageError: when the octets are none.
    """
    reader = OctetReader(octets)
    values = [_read_value(reader) for _ in reader.count(_SMALLEST)]
    reader.finish()
    return values


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


def _read_value(reader: OctetReader) -> dict[str, Any]:
    index, timestamp, is_absolute, ttl, permissions = reader.numbers(_FIXED)
    type_ = reader.text()
    value = {
        "index": index,
        "type": type_,
        "data": _read_data(type_, reader.string()),
        "ttl": _moment(ttl) if is_absolute else _signed(ttl),
        "timestamp": _moment(timestamp),
        "permissions": f"{permissions & 15:04b}",
        "references": _read_references(reader),
    }
    # Proxies write these only where they say something.
    usual = {
        "timestamp": _moment(0),
        "permissions": _USUAL_PERMISSIONS,
        "references": [],
    }
    return {name: each for name, each in value.items() if usual.get(name) != each}


def _write_value(value: Mapping[str, Any]) -> bytes:
    ttl = value.get("ttl", _DAY)
    is_absolute = isinstance(ttl, str)
    fixed = _FIXED.pack(
        value["index"],
        _seconds(value["timestamp"]) if "timestamp" in value else 0,
        is_absolute,
        _seconds(ttl) if is_absolute else ttl % 2**32,
        int(value.get("permissions", _USUAL_PERMISSIONS), 2),
    )
    data, references = _write_data(value["data"]), value.get("references", ())
    return fixed + string(value["type"]) + string(data) + _write_references(references)


def _read_data(type_: str, octets: bytes) -> dict[str, Any]:
    try:
        match type_.upper().partition(".")[0]:
            case "HS_ADMIN":
                return {"format": "admin", "value": _read_admin(octets)}
            case "HS_SITE" | "HS_NA_DELEGATE":
                return {"format": "site", "value": read_site(octets)}
            case "HS_VLIST":
                return {
                    "format": "vlist",
                    "value": _read_references(OctetReader(octets)),
                }
    except MessageError:
        # A server stores whatever it was given.
        return _as_octets(octets)
    try:
        text = octets.decode()
    except UnicodeDecodeError:
        return _as_octets(octets)
    if _NOT_TEXT.search(text):
        return _as_octets(octets)
    return {"format": "string", "value": text}


def _as_octets(octets: bytes) -> dict[str, str]:
    return {"format": "base64", "value": base64.b64encode(octets).decode()}


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
            return permissions + string(value["handle"]) + u32(value["index"])
        case "vlist":
            return _write_references(value)
        case "site":
            return write_site(value)
        case other:
            raise ValueError(f"data of the format {other!r} cannot be written")


def _read_admin(octets: bytes) -> dict[str, object]:
    reader = OctetReader(octets)
    permissions = int.from_bytes(reader.take(2), "big")
    handle, index = reader.text(), reader.u32()
    reader.finish()
    return {"handle": handle, "index": index, "permissions": f"{permissions:012b}"}


def _read_references(reader: OctetReader) -> list[dict[str, object]]:
    return [{"handle": reader.text(), "index": reader.u32()} for _ in reader.count(8)]


def _write_references(references: Iterable[Mapping[str, Any]]) -> bytes:
    written = [string(each["handle"]) + u32(each["index"]) for each in references]
    return u32(len(written)) + b"".join(written)


def _signed(number: int) -> int:
    return number - 2**32 if number >= 2**31 else number


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _seconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp())
