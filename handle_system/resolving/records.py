"""The record of a handle: a list of values.

A record keeps the JSON that the proxy's REST interface sent (HANDLE.NET Technical
Manual 9, section 14.8); it goes into the cache and out of `hdl resolve` unchanged.
Only the parts that this library acts upon are checked and read: index, type, text and
time to live.  Structured data (HS_ADMIN, HS_SITE, …) stays JSON.

`handle_system.resolving.locations` decides where a record leads.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import quote, urlsplit

from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.reference import reference_or_none
from handle_system.resolving.locations import (
    Candidate,
    Locations,
    Reader,
    choose,
    has_type,
    possible,
    read_locations,
)
from handle_system.text import fold_ascii

# Seconds.  The reference server gives it to every value without a TTL of its own.
_DEFAULT_TTL = 86_400
# A control character in an address would be removed or obeyed by its next reader.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
#: Java removes these around a text: all control characters, and the space.
TRIMMED = "".join(map(chr, range(0x21)))
_ABSOLUTE = re.compile(r"(?:https?|ftp)://[^/?#\\\s]", re.IGNORECASE)
# Most addresses: nothing in them has to be removed, encoded or looked at by a parser.
_ORDINARY = re.compile(r"(?:https?|ftp)://[0-9A-Za-z.-]+(?::[0-9]+)?(?:[/?#][!-~]*)?")

# The types of values that name a newer version: EUDAT's B2HANDLE has both spellings.
_REPLACING_TYPES = {"replaced_by", "isreplacedby", "eudat/replaced_by"}
_BROWSER = Reader()
#: What an object of JSON is read as. The test for any mapping takes several times as long.
JSON_OBJECT = (dict, Mapping)


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
        data = self.json["data"]
        if isinstance(data, JSON_OBJECT) and data.get("format") == "string":
            data = data.get("value")
        return data if isinstance(data, str) else None

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
        return has_type(self.type, wanted)

    def has_requested_type(self, requested: str) -> bool:
        """Whether the type is the requested one, or a subtype of one with a final dot.

        >>> HandleValue({"index": 1, "type": "URL.SUB"}).has_requested_type("url.")
        True
        """
        if requested.endswith("."):
            return self.is_of(requested[:-1])
        return fold_ascii(self.type) == fold_ascii(requested)

    @property
    def is_public(self) -> bool:
        """Whether everybody may read the value, as the third of its permissions says."""
        return str(self.json.get("permissions", "1110"))[2:3] == "1"


# Without slots: the locations are kept, because a verdict needs them several times.
@dataclass(frozen=True)
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

    def select(
        self, indexes: Collection[int], types: Collection[str]
    ) -> tuple[HandleValue, ...]:
        """The values of some indexes or types, or all if neither is given.

        A type that ends in a dot stands for its subtypes, too.
        """
        if not (indexes or types):
            return self.values
        return tuple(
            value
            for value in self.values
            if value.index in indexes or any(map(value.has_requested_type, types))
        )

    @cached_property
    def public_values(self) -> tuple[HandleValue, ...]:
        """The values that everybody may read; readers see no others."""
        return tuple(value for value in self.values if value.is_public)

    @cached_property
    def alias(self) -> str | None:
        """The handle that this one stands for (HS_ALIAS), as it is written."""
        aliases = (
            value.text for value in self.public_values if value.is_of("HS_ALIAS")
        )
        return next((alias for alias in aliases if alias is not None), None)

    @cached_property
    def locations(self) -> Locations:
        """The locations to which the public values may lead."""
        typed = [(value.type, value.text) for value in self.public_values]
        return read_locations(
            [(type_, text) for type_, text in typed if text is not None]
        )

    @property
    def written_target(self) -> str | None:
        """The address to which a proxy sends a browser, as it is registered.

        Where chance chooses, it is the first that the proxy may choose.  `None` if the
        proxy shows a page of values.
        """
        return next(iter(self._addresses(choose(self.locations, _BROWSER))), None)

    @cached_property
    def target(self) -> str | None:
        """The same if it is an absolute http, https or ftp address, else `None`."""
        return absolute_url(self.written_target or "")

    @property
    def possible_targets(self) -> tuple[str, ...]:
        """The absolute addresses to which a proxy may send a browser.

        `target` comes first.  Which one a reader gets depends on chance, and on the
        address, the country and the languages of the reader.
        """
        if len(self.locations.candidates) <= 1:
            return () if self.target is None else (self.target,)
        written = self._addresses(possible(self.locations))
        return _absolute_urls([self.written_target or "", *written])

    @property
    def addresses(self) -> tuple[str, ...]:
        """All absolute addresses of the public values; `target` comes first."""
        locations = self.locations
        listed = self._addresses(locations.candidates)
        return _absolute_urls([*self.possible_targets, *locations.urls, *listed])

    @property
    def replaced_by(self) -> Handle | None:
        """The handle that replaces this one, as EUDAT's records say; `None` without one."""
        for value in self.public_values:
            if value.type.casefold() in _REPLACING_TYPES and value.text:
                reference = reference_or_none(value.text, DEFAULT_PROXIES)
                if reference is not None and reference.handle != self.handle:
                    return reference.handle
        return None

    def _addresses(self, candidates: Iterable[Candidate]) -> Iterator[str]:
        """The addresses of the candidates that have one."""
        for candidate in candidates:
            address = candidate.written_target(self.handle)
            if address:
                yield address

    def time_to_live(self, now: datetime) -> int:
        """For how many seconds from `now` all values may be kept."""
        return min((value.time_to_live(now) for value in self.values), default=0)


def _check_value(json: Any, where: str) -> None:
    if not _is_value(json):
        expected = "a value with an index, a type and data"
        raise RecordError(f"{where}: {expected} is expected, not {str(json)[:60]}")
    if not isinstance(json.get("ttl", _DEFAULT_TTL), int):
        _check_moment(json, where)


def _is_value(json: Any) -> bool:
    """Whether a part of a record has an index, a type and data of their types.

    A pattern of `match` would take twice as long, for every value of every record.
    """
    if not isinstance(json, JSON_OBJECT):
        return False
    if not (isinstance(json.get("index"), int) and isinstance(json.get("type"), str)):
        return False
    data = json.get("data")
    if not isinstance(data, JSON_OBJECT):
        return isinstance(data, str)
    if data.get("format") == "string":
        return isinstance(data.get("value"), str)
    return isinstance(data.get("format"), str) and "value" in data


def _check_moment(json: Any, where: str) -> None:
    """Check the time to live of a value that ends at a moment."""
    try:
        HandleValue(json).time_to_live(datetime.now(UTC))
    except (ValueError, TypeError, OverflowError) as error:
        raise RecordError(f"{where}.ttl: {error}") from error


def absolute_url(text: str) -> str | None:
    """The address if it is an absolute http, https or ftp one, else `None`.

    As CNRI's proxy does, it removes white space and control characters around the
    address, and percent-encodes control characters inside.

    >>> absolute_url(" https://example.org/a b "), absolute_url("www.example.org")
    ('https://example.org/a b', None)
    """
    return text if _ORDINARY.fullmatch(text) else _read_address(text)


# A verdict asks for each address several times.
@lru_cache(maxsize=64)
def _read_address(text: str) -> str | None:
    address = _CONTROL.sub(_percent_encoded, text.strip(TRIMMED))
    if _SURROGATE.search(address) or not _ABSOLUTE.match(address):
        return None
    try:
        return address if urlsplit(address).hostname else None
    except ValueError:  # An IPv6 address without its closing bracket.
        return None


def _absolute_urls(texts: Iterable[str]) -> tuple[str, ...]:
    """The absolute addresses among the texts, each once."""
    urls = map(absolute_url, dict.fromkeys(texts))
    return tuple(dict.fromkeys(url for url in urls if url is not None))


def _percent_encoded(characters: re.Match[str]) -> str:
    return quote(characters[0])
