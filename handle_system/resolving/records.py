"""The record of a handle: a list of values.

A record keeps the JSON that the proxy's REST interface sent (HANDLE.NET Technical
Manual 9, section 14.8); it goes into the cache and out of `hdl resolve` unchanged.
Only the parts that this library acts upon are checked and read: index, type, text and
time to live.  Structured data (HS_ADMIN, HS_SITE, …) stays JSON.

Where a record leads is decided as CNRI's proxy 9.3.1 decides it; see
`HandleRecord.written_target`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from handle_system.encoding import encode_path
from handle_system.handle import Handle
from handle_system.text import fold_ascii

__all__ = ["HandleRecord", "HandleValue", "RecordError", "absolute_url"]

# Seconds.  The reference server gives it to every value without a TTL of its own.
_DEFAULT_TTL = 86_400
# A control character in an address would be removed or obeyed by its next reader.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ABSOLUTE = re.compile(r"(?:https?|ftp)://[^/?#\\\s]", re.IGNORECASE)
_ZERO = re.compile(r"[+-]?(?:0+\.?0*|\.0+)")
_BARE_AMPERSAND = re.compile(r"&(?!#?[0-9A-Za-z]{1,32};)")


class RecordError(ValueError):
    """The JSON of a record does not have the protocol's shape.

    The message begins with the part that is wrong, such as ``values[0].ttl:``, unless
    that is the whole.
    """


@dataclass(frozen=True, slots=True)
class HandleValue:
    """One value of a record (RFC 3651, section 3.1).

    Attributes:
        json: The value as the server wrote it: ``index``, ``type``, ``data``, and
            optionally ``ttl``, ``timestamp``, ``permissions`` and ``references``.
    """

    json: Mapping[str, Any]

    @property
    def index(self) -> int:
        """The number of the value, unique in its record."""
        return int(self.json["index"])

    @property
    def type(self) -> str:
        """``URL``, ``HS_ADMIN``, ``10320/loc``, …; a dot begins a subtype."""
        return str(self.json["type"])

    @property
    def data(self) -> Any:
        """The data: a text if it is one, else JSON in the format that `json` names.

        Servers of version 8 send a text as a plain JSON string.
        """
        data = self.json["data"]
        return data if isinstance(data, str) else data["value"]

    @property
    def text(self) -> str | None:
        """The data if it is a text, else `None`."""
        match self.json["data"]:
            case str(text) | {"format": "string", "value": str(text)}:
                return text
        return None

    def time_to_live(self, now: datetime) -> int:
        """For how many seconds from `now` the value may be kept."""
        ttl = self.json.get("ttl", _DEFAULT_TTL)
        if isinstance(ttl, int):
            return ttl
        moment = datetime.fromisoformat(ttl)
        left = moment.replace(tzinfo=moment.tzinfo or UTC) - now
        return int(left.total_seconds())

    def is_of(self, wanted: str) -> bool:
        """Whether the type is `wanted` or a subtype of it, in any letter case.

        >>> HandleValue({"index": 1, "type": "URL.SUB", "data": ""}).is_of("url")
        True
        """
        return f"{fold_ascii(self.type)}.".startswith(f"{fold_ascii(wanted)}.")


@dataclass(frozen=True, slots=True)
class HandleRecord:
    """The public values of one handle.

    Attributes:
        handle: The handle as it was asked for: a proxy echoes the request and never
            says how the handle is spelled in its registry.
        values: The values in the server's order.
    """

    handle: Handle
    values: tuple[HandleValue, ...]

    @classmethod
    def from_json(cls, handle: Handle, values: object) -> "HandleRecord":
        """Check the member ``values`` of an answer.

        Raises:
            RecordError: when it has another shape.
        """
        if not isinstance(values, list):
            raise RecordError("values: an array is expected")
        for number, value in enumerate(values):
            _check_value(value, f"values[{number}]")
        return cls(handle, tuple(map(HandleValue, values)))

    @classmethod
    def of_url(cls, handle: Handle, url: str) -> "HandleRecord":
        """A record of one URL value."""
        data = {"format": "string", "value": url}
        value = {"index": 1, "type": "URL", "data": data, "ttl": _DEFAULT_TTL}
        return cls(handle, (HandleValue(value),))

    def to_json(self) -> dict[str, object]:
        """The record as the proxy's REST interface returns it."""
        values = [value.json for value in self.values]
        return {"responseCode": 1, "handle": str(self.handle), "values": values}

    def texts_of(self, type_: str) -> tuple[str, ...]:
        """The texts of the values of a type and its subtypes."""
        texts = (value.text for value in self.values if value.is_of(type_))
        return tuple(text for text in texts if text is not None)

    @property
    def alias(self) -> str | None:
        """The handle that this one stands for (HS_ALIAS), as it is written."""
        return next(iter(self.texts_of("HS_ALIAS")), None)

    @property
    def written_target(self) -> str | None:
        """The address to which a proxy sends a reader, as it is registered.

        A ``10320/loc`` value with a location of a weight above 0 goes before every
        ``URL``, whatever their indexes; if its locations have no address, the record
        leads nowhere.  If all weights are 0, the proxy chooses among the ``URL`` and
        the locations by chance; here the ``URL`` comes first.
        """
        text = next(iter(self.texts_of("10320/loc")), "")
        locations = _read_locations(text, self.handle)
        weighted = [href for href, has_weight in locations if has_weight]
        if weighted:
            return next(filter(None, weighted), None)
        urls = self.texts_of("URL") or self.texts_of("0.TYPE/URL")
        hrefs = (href for href, _ in locations)
        return next(filter(None, (*urls, *hrefs)), None)

    @property
    def target(self) -> str | None:
        """The same if it is an absolute http, https or ftp address, else `None`."""
        return absolute_url(self.written_target or "")

    def time_to_live(self, now: datetime) -> int:
        """For how many seconds from `now` all values may be kept."""
        return min((value.time_to_live(now) for value in self.values), default=0)


def _check_value(json: Any, where: str) -> None:
    match json:
        case {"data": {"format": "string", "value": text}} if not isinstance(text, str):
            pass
        case {
            "index": int(),
            "type": str(),
            "data": str() | {"format": str(), "value": _},
        }:
            try:
                HandleValue(json).time_to_live(datetime.now(UTC))
            except (ValueError, TypeError, OverflowError) as error:
                raise RecordError(f"{where}.ttl: {error}") from error
            return
    expected = "a value with an index, a type and data"
    raise RecordError(f"{where}: {expected} is expected, not {str(json)[:60]}")


def absolute_url(text: str) -> str | None:
    """The address if it is an absolute http, https or ftp one, else `None`.

    White space around it is removed, as every reader of a ``Location`` header does.

    >>> absolute_url(" https://example.org/a b "), absolute_url("www.example.org")
    ('https://example.org/a b', None)
    """
    text = text.strip(" \t\r\n")
    if _CONTROL.search(text) or not _ABSOLUTE.match(text):
        return None
    try:
        return text if urlsplit(text).hostname else None
    except ValueError:  # An IPv6 address without its closing bracket.
        return None


def _read_locations(text: str, handle: Handle) -> list[tuple[str, bool]]:
    """The locations that the XML of a ``10320/loc`` value lists.

    Each is its address, empty if it has none, and whether its weight is above 0::

        <locations chooseby="locatt,country,weighted">
          <location id="0" href="http://uk.example.com/" country="gb" weight="0" />
          <location id="1" href_template="http://www1.example.com/{hdl}" />
        </locations>

    As in CNRI's proxy, tag names are case-insensitive, and a bare ``&`` is forgiven.
    The text is hostile.  All attacks on a reader of XML begin in a document type, so a
    document type makes the text unreadable.
    """
    if not text or "<!DOCTYPE" in text:
        return []
    try:
        root = ET.fromstring(_BARE_AMPERSAND.sub("&amp;", text))  # noqa: S314 (no document type)
    except (ET.ParseError, ValueError):
        return []
    path = encode_path(str(handle))
    return [
        (
            each.get("href", each.get("href_template", "").replace("{hdl}", path)),
            not _ZERO.fullmatch(each.get("weight", "1").strip()),
        )
        for each in root
        if (_name(root), _name(each)) == ("locations", "location")
    ]


def _name(element: ET.Element) -> str:
    """The name of an element without its namespace, in lower case."""
    return element.tag.rpartition("}")[2].lower()
