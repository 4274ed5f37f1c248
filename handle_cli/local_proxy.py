"""What a handle proxy answers, from a file of records.

The redirects with ``noredirect``, ``urlappend``, ``locatt``, ``type`` and
``index``, and the REST interface (HANDLE.NET Technical Manual 9, chapter 14), as
the reference server was seen to answer.  No input or output here: a request is a
method and a path, an answer is a value.

Not played: authentication, so that what needs it is refused to everybody;
``callback`` and ``cert``, the server's own pages (``/api/site``, ``robots.txt``),
templates that make records, and a choice among locations by chance or by country.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import assert_never

from handle_cli.output import as_json
from handle_system import Handle, HandleReference, HandleSyntaxError
from handle_system.encoding import decode, decode_leniently, encode_path
from handle_system.errors import showable
from handle_system.resolving.outcome import (
    NotRegistered,
    NoValues,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.record import HandleRecord
from handle_system.resolving.records_file import RecordsResolver
from handle_system.resolving.targets import absolute_url
from handle_system.resolving.value import HandleValue
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
        body: Its text.
        is_json: Whether that is JSON; else it is HTML.
        location: Where the reader is sent.
    """

    status: int
    body: str
    is_json: bool = False
    location: str | None = None


@dataclass(frozen=True, slots=True)
class _Query:
    """The parameters that count, each as often as it was given."""

    parameters: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, text: str) -> "_Query":
        pairs = (part.partition("=") for part in text.split("&") if part)
        return cls(tuple((name, decode_leniently(value)) for name, _, value in pairs))

    def all(self, name: str) -> list[str]:
        return [value for each, value in self.parameters if each == name]

    def chosen(self, values: Iterable[HandleValue]) -> list[HandleValue]:
        """The values of the types and indexes asked for; all, if none is."""
        types, indexes = self.all("type"), {int(each) for each in self.all("index")}
        if not types and not indexes:
            return list(values)
        return [
            value
            for value in values
            if value.index in indexes
            or any(fold_ascii(value.type) == fold_ascii(name) for name in types)
            or any(name.endswith(".") and value.is_of(name[:-1]) for name in types)
        ]


class LocalProxy:
    """Answers for the handles of a records file."""

    def __init__(self, records: RecordsResolver) -> None:
        self._records = records
        self._prefixes = {fold_ascii(each.prefix) for each in records.handles}

    def refusal(self, target: str) -> Reply:
        """The answer to who wants to change what is at a request target."""
        path = target.partition("?")[0]
        if not path.startswith(f"{_HANDLES}/"):
            return _page(404, "Not Found", "")
        return _refused(decode_leniently(path.removeprefix(f"{_HANDLES}/")))

    def reply(self, target: str) -> Reply:
        """The answer to ``GET`` of a request target, path and query."""
        path, _, query = target.partition("?")
        try:
            parameters = _Query.read(query)
            parameters.chosen(())
        except ValueError:
            return _problem(400, 4, "a number is expected as the index")
        if _is_malformed(path):
            return _page(400, "Bad Request", "")
        if path.rstrip("/") == _HANDLES:
            return _problem(400, 102, "Empty handle invalid")
        if path.startswith(f"{_HANDLES}/"):
            name = decode_leniently(path.removeprefix(f"{_HANDLES}/"))
            if "false" in parameters.all("publicOnly"):
                # For that, one has to say who one is.
                return _refused(name)
            return self._record(name, parameters)
        if path.startswith(_API):
            message = f"Unknown HTTP API endpoint GET {path}"
            return _problem(404, 4, message)
        if not path.strip("/"):
            names = [_paragraph(str(each)) for each in self._records.handles]
            return _page(200, "Handle Proxy", "".join(names))
        return self._redirect(target, parameters)

    def _record(self, name: str, query: _Query) -> Reply:
        try:
            handle = Handle.parse(name)
        except HandleSyntaxError:
            return _answer(404, {"responseCode": 100, "handle": name})
        match self._records.look_up(handle):
            case Resolved(record):
                return _values(name, record, query)
            case NoValues():
                empty: list[object] = []
                return _answer(
                    200, {"responseCode": 200, "values": empty, "handle": name}
                )
            case NotRegistered():
                if fold_ascii(handle.prefix) not in self._prefixes:
                    members = {"responseCode": 301, "message": _NOT_HOMED}
                    return _answer(400, {**members, "handle": name})
                return _answer(404, {"responseCode": 100, "handle": name})
            case Refused(code):
                return _answer(403, {"responseCode": code, "handle": name})
            case Unreachable():
                return _answer(500, {"responseCode": 2, "handle": name})
            case never:
                assert_never(never)

    def _redirect(self, target: str, query: _Query) -> Reply:
        path, mark, asked = target.lstrip("/").partition("?")
        name = decode_leniently(path)
        if name != name.lstrip(SURROUNDING_SPACE):
            path = encode_path(name.lstrip(SURROUNDING_SPACE))
        try:
            reference = HandleReference.parse(f"{_BASE}/{path}{mark}{asked}")
        except HandleSyntaxError as error:
            return _page(404, "Not Found", _paragraph(error.reason))
        outcome = self._records.resolve(reference.handle)
        match outcome:
            case Resolved(dead_end=str(reason)):
                return _page(404, "Not Found", _paragraph(reason))
            case Resolved(record):
                return _led(record, query)
            case NoValues():
                return _page(200, "No Values Found", "")
            case _:
                return _page(404, "Not Found", _paragraph(str(reference.handle)))


def _is_malformed(path: str) -> bool:
    try:
        decode(path, 0, len(path), document_charset="iso-8859-1")
    except HandleSyntaxError:
        return True
    return False


def _values(name: str, record: HandleRecord, query: _Query) -> Reply:
    chosen = HandleRecord(record.handle, query.chosen(record.values)).to_json()
    values = chosen["values"]
    code = 1 if values else 200
    return _answer(200, {"responseCode": code, "handle": name, "values": values})


def _led(record: HandleRecord, query: _Query) -> Reply:
    chosen = HandleRecord(record.handle, query.chosen(record.values))
    if not chosen.values:
        return _page(200, "No Values Found", "")
    target = _asked_location(chosen, query.all("locatt")) or chosen.target
    if target is None or query.all("noredirect"):
        rows = (
            _paragraph(f"{value.index} {value.type} {_shown(value)}")
            for value in chosen.values
        )
        return _page(200, "Handle Proxy", "".join(rows))
    for appended in query.all("urlappend"):
        # What is no address any more with it, is left without it.
        target = absolute_url(target + appended) or target
    link = escape(target)
    body = f'<a href="{link}">{link}</a>'
    return _page(302, "Handle Redirect", body, location=target)


def _asked_location(record: HandleRecord, wanted: list[str]) -> str | None:
    """The address of the first location that has an attribute asked for."""
    pairs = {tuple(each.partition(":")[::2]) for each in wanted}
    for locations in record.locations if pairs else ():
        for location in locations.locations:
            if pairs.intersection(location.attributes):
                return absolute_url(location.href)
    return None


def _shown(value: HandleValue) -> str:
    return (
        value.data if isinstance(value.data, str) else f"({type(value.data).__name__})"
    )


def _answer(status: int, members: dict[str, object]) -> Reply:
    return Reply(status=status, body=as_json(members), is_json=True)


def _refused(name: str) -> Reply:
    return _answer(403, {"responseCode": 402, "handle": name})


def _problem(status: int, code: int, message: str) -> Reply:
    return _answer(status, {"responseCode": code, "message": message})


def _paragraph(text: str) -> str:
    return f"<p>{escape(showable(text))}</p>\n"


def _page(status: int, title: str, body: str, location: str | None = None) -> Reply:
    page = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{title}</title></head>\n<body>{body}</body></html>\n"
    )
    return Reply(status=status, body=page, location=location)
