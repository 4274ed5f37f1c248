"""The answers of a handle proxy, from a file of records.

The redirects with ``noredirect``, ``ignore_aliases``, ``urlappend``, ``locatt``,
``type`` and ``index``, and the REST interface (HANDLE.NET Technical Manual 9,
chapter 14), as CNRI's proxy 9.3.1 was seen to answer.  No input or output here: a
request is a method and a path, an answer is a value.

Left out are authentication (a request that needs it is refused), ``callback`` and
``cert``, the server's own pages (``/api/site``, ``robots.txt``), templates that make
records, and the choice of a location by chance or by country.
"""

import re
from dataclasses import dataclass, replace
from html import escape

from handle_cli.output import as_json
from handle_system import Handle, HandleReference, HandleSyntaxError
from handle_system.encoding import (
    decode,
    decode_leniently,
    encode_path,
    encode_query,
)
from handle_system.errors import showable
from handle_system.resolving.outcomes import (
    NotRegistered,
    NoValues,
    Outcome,
    Resolved,
    follow_aliases,
)
from handle_system.resolving.records import HandleRecord, HandleValue, absolute_url
from handle_system.resolving.resolvers import RecordsResolver
from handle_system.text import SURROUNDING_SPACE, fold_ascii

__all__ = ["LocalProxy", "Reply"]

_API = "/api/"
_HANDLES = "/api/handles"
_BASE = "https://hdl.handle.net"
_NOT_HOMED = "That prefix doesn't live here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer.

    Attributes:
        status: The HTTP status.
        body: The text of the body.
        is_json: Whether the body is JSON; else it is HTML.
        location: The address of a redirect, in ASCII.
    """

    status: int
    body: str
    is_json: bool = False
    location: str | None = None


@dataclass(frozen=True, slots=True)
class _Query:
    """The parameters of a request, each as often as it was given."""

    parameters: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, text: str) -> "_Query":
        pairs = (part.partition("=") for part in text.split("&") if part)
        return cls(tuple((name, decode_leniently(value)) for name, _, value in pairs))

    def all(self, name: str) -> list[str]:
        return [value for each, value in self.parameters if each == name]

    @property
    def malformed_index(self) -> str | None:
        return next((each for each in self.all("index") if not _is_number(each)), None)

    def select(self, record: HandleRecord) -> HandleRecord:
        """The record with the values of the requested types and indexes."""
        types = self.all("type")
        indexes = {int(each) for each in self.all("index") if _is_number(each)}
        if not types and not indexes:
            return record
        values = (
            value
            for value in record.values
            if value.index in indexes or any(_matches(value, name) for name in types)
        )
        return replace(record, values=tuple(values))


class LocalProxy:
    """Answers for the handles of a records file.

    Args:
        records: The records.
        ignore_case: Whether the ASCII case of suffixes is ignored, as most handle
            servers are set up.  Of two handles that differ only in case, the first
            one counts.
    """

    def __init__(self, records: RecordsResolver, *, ignore_case: bool = False) -> None:
        self._records = records
        self._prefixes = {fold_ascii(each.prefix) for each in records.handles}
        self._spelled: dict[str, Handle] = {}
        for handle in records.handles if ignore_case else ():
            self._spelled.setdefault(fold_ascii(str(handle)), handle)

    def reply(self, target: str) -> Reply:
        """The answer to ``GET`` of a request target, path and query."""
        path, _, text = target.partition("?")
        query = _Query.parse(text)
        if _is_malformed(path):
            return _page(400, "Bad Request", "")
        if path.rstrip("/") == _HANDLES:
            return _problem(400, 102, "Empty handle invalid")
        if path.startswith(f"{_HANDLES}/"):
            return self._values(decode_leniently(path[len(_HANDLES) + 1 :]), query)
        if path.startswith(_API):
            message = f"Unknown HTTP API endpoint GET {path}"
            return _problem(404, 4, message)
        if not path.strip("/"):
            names = (_paragraph(str(each)) for each in self._records.handles)
            return _page(200, "Handle Proxy", "".join(names))
        return self._redirect(target, query)

    def refusal(self, target: str) -> Reply:
        """The answer to a request to change the handle at a target."""
        path = target.partition("?")[0]
        if not path.startswith(f"{_HANDLES}/"):
            return _page(404, "Not Found", "")
        return _answer(403, 402, decode_leniently(path[len(_HANDLES) + 1 :]))

    def _look_up(self, handle: Handle) -> Outcome:
        spelled = self._spelled.get(fold_ascii(str(handle)), handle)
        return self._records.look_up(spelled)

    def _is_homed(self, handle: Handle) -> bool:
        return fold_ascii(handle.prefix) in self._prefixes

    def _values(self, name: str, query: _Query) -> Reply:
        """The answer of the REST interface."""
        if query.malformed_index is not None:
            return _problem(400, 4, "a number is expected as the index")
        if "false" in query.all("publicOnly"):
            # That needs authentication.
            return _answer(403, 402, name)
        try:
            handle = Handle.parse(name)
        except HandleSyntaxError:
            return _answer(404, 100, name)
        match self._look_up(handle):
            case Resolved(record):
                values = query.select(record).to_json()["values"]
                return _answer(200, 1 if values else 200, name, values=values)
            case NoValues():
                return _answer(200, 200, name, values=[])
            case NotRegistered() if not self._is_homed(handle):
                return _answer(400, 301, name, message=_NOT_HOMED)
            case NotRegistered():
                return _answer(404, 100, name)
            # Records in a file may have any outcome.
            case _:
                return _answer(500, 2, name)

    def _redirect(self, target: str, query: _Query) -> Reply:
        path, mark, text = target.lstrip("/").partition("?")
        name = decode_leniently(path)
        if name != name.strip(SURROUNDING_SPACE):
            path = encode_path(name.strip(SURROUNDING_SPACE))
        try:
            handle = HandleReference.parse(f"{_BASE}/{path}").handle
        except HandleSyntaxError as error:
            return _page(404, "Not Found", _paragraph(error.reason))
        outcome = self._look_up(handle)
        if not query.all("ignore_aliases"):
            outcome = follow_aliases(outcome, self._look_up)
        match outcome:
            case Resolved(dead_end=str(reason)):
                return _page(404, "Not Found", _paragraph(reason))
            case Resolved(record, aliases) if aliases:
                path = encode_path(str(record.handle))
                return _led_to(301, f"/{path}{mark}{encode_query(text)}")
            case Resolved(record):
                return _lead(query.select(record), query)
            case NoValues():
                return _page(200, "No Values Found", "")
            case _:
                status = 404 if self._is_homed(handle) else 400
                return _page(status, "Not Found", _paragraph(str(handle)))


def _lead(record: HandleRecord, query: _Query) -> Reply:
    """The redirect of a record, or the page of its values."""
    if not record.values:
        return _page(200, "No Values Found", "")
    target = _requested_location(record, query) or record.written_target or ""
    if not _is_address(target) or query.all("noredirect"):
        rows = (
            _paragraph(f"{value.index} {value.type} {value.data}")
            for value in record.values
        )
        return _page(200, "Handle Proxy", "".join(rows))
    for appended in query.all("urlappend"):
        # Without it, if the result is no address any more.
        target = absolute_url(target + appended) or target
    return _led_to(302, target)


def _is_address(target: str) -> bool:
    """Whether a browser may be sent there: an absolute address, or a relative one."""
    is_relative = target and ":" not in target.partition("/")[0]
    return bool(is_relative) or absolute_url(target) is not None


def _requested_location(record: HandleRecord, query: _Query) -> str | None:
    """The address of the first location with an attribute that ``locatt`` names."""
    pairs = {tuple(each.partition(":")[::2]) for each in query.all("locatt")}
    for location in record.locations if pairs else ():
        if pairs.intersection(location.attributes.items()):
            return location.href
    return None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 10


def _matches(value: HandleValue, name: str) -> bool:
    if name.endswith("."):
        return value.is_of(name[:-1])
    return fold_ascii(value.type) == fold_ascii(name)


def _is_malformed(path: str) -> bool:
    try:
        decode(path, 0, len(path), document_charset="iso-8859-1")
    except HandleSyntaxError:
        return True
    return False


def _answer(status: int, code: int, name: str, **members: object) -> Reply:
    body = as_json({"responseCode": code, "handle": name, **members})
    return Reply(status=status, body=body, is_json=True)


def _problem(status: int, code: int, message: str) -> Reply:
    body = as_json({"responseCode": code, "message": message})
    return Reply(status=status, body=body, is_json=True)


def _paragraph(text: str) -> str:
    return f"<p>{escape(showable(text))}</p>\n"


def _page(status: int, title: str, body: str) -> Reply:
    page = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{title}</title></head>\n<body>{body}</body></html>\n"
    )
    return Reply(status=status, body=page)


def _led_to(status: int, target: str) -> Reply:
    """A redirect; its ``Location`` is percent-encoded, its text is as registered."""
    address, mark, fragment = target.strip().partition("#")
    location = f"{encode_query(address)}{mark}{encode_query(fragment)}"
    # The brackets of an IPv6 address.
    location = re.sub(r"^(\w+://)%5B([0-9A-Fa-f:.]+)%5D", r"\1[\2]", location)
    link = f'<a href="{escape(location)}">{escape(showable(target))}</a>'
    return replace(_page(status, "Handle Redirect", link), location=location)
