"""The answers of a local proxy and of a local handle server, from a file of records.

The proxy answers as CNRI's proxy 9.3.1 does: redirects with ``noredirect``,
``ignore_aliases`` and ``urlappend``, and the REST interface with ``type`` and ``index``
(HANDLE.NET Technical Manual 9, chapter 14).  The handle server answers requests for
resolution (RFC 3652).  This module does no input or output: a request and an answer are
values.

It does not support authentication, private values, changes of records, templates that
make records, or a choice among the targets of a record.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from html import escape
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, unquote

from handle_cli.output import as_json
from handle_system import Handle, HandleReference, HandleSyntaxError
from handle_system.encoding import encode_path
from handle_system.errors import showable
from handle_system.resolving.native.messages import (
    RESOLUTION,
    Message,
    MessageError,
    Query,
    string,
)
from handle_system.resolving.native.values import write_values
from handle_system.resolving.outcomes import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
    follow_aliases,
)
from handle_system.resolving.records import HandleRecord, HandleValue, absolute_url
from handle_system.resolving.resolvers import RecordsResolver
from handle_system.resolving.rest_api import (
    NO_VALUES,
    NOT_FOUND,
    NOT_RESPONSIBLE,
    STATUSES,
    SUCCESS,
)
from handle_system.text import SURROUNDING_SPACE, fold_ascii

__all__ = ["NativeResponder", "ProxyResponder", "Reply"]

_API = "/api/handles/"
# Response codes of RFC 3652.
_ERROR, _BAD_OPERATION = 2, 5
_NOT_HERE = "That prefix doesn't live here"


class Reply(NamedTuple):
    """An HTTP answer.

    Attributes:
        status: The HTTP status.
        body: The text of the body.
        media_type: The type of the body.
        location: The address of a redirect, in ASCII.
    """

    status: int
    body: str
    media_type: str = "text/html"
    location: str | None = None


class ProxyResponder:
    """Answers HTTP requests for the handles of a records file.

    Args:
        records: The records.
        ignore_case: Whether the ASCII case of suffixes is ignored, as most handle
            servers are set up.
    """

    def __init__(self, records: RecordsResolver, *, ignore_case: bool = False) -> None:
        self._records = records
        self._prefixes = _prefixes_of(records)
        folded = records.handles if ignore_case else ()
        self._spelled = {fold_ascii(str(each)): each for each in folded}

    def reply(self, target: str) -> Reply:
        """The answer to ``GET`` of a request target, path and query."""
        path, _, query = target.partition("?")
        parameters = parse_qs(query, keep_blank_values=True)
        if path.startswith(_API):
            return self._rest(unquote(path.removeprefix(_API)), parameters)
        name = unquote(path).lstrip("/").strip(SURROUNDING_SPACE)
        if not name:
            return _page(200, "Handle Proxy", *map(str, self._records.handles))
        return self._redirect(name, parameters)

    def _look_up(self, handle: Handle) -> Outcome:
        spelled = self._spelled.get(fold_ascii(str(handle)), handle)
        return self._records.look_up(spelled)

    def _is_homed(self, prefix: str) -> bool:
        return fold_ascii(prefix) in self._prefixes

    def _rest(self, name: str, parameters: Mapping[str, list[str]]) -> Reply:
        """The answer of the REST interface."""
        try:
            outcome = self._look_up(Handle.parse(name))
        except HandleSyntaxError:
            outcome = NotRegistered()
        indexes = [each for each in parameters.get("index", []) if each.isdecimal()]
        code, values = _response(outcome, indexes, parameters.get("type", []))
        if code == NOT_FOUND and not self._is_homed(name.partition("/")[0]):
            code = NOT_RESPONSIBLE
        members: dict[str, object] = {"responseCode": code, "handle": name}
        if code in {SUCCESS, NO_VALUES}:
            members["values"] = values
        return Reply(STATUSES.get(code, 500), as_json(members), "application/json")

    def _redirect(self, name: str, parameters: Mapping[str, list[str]]) -> Reply:
        """The answer to a reader who follows a link; `name` is in any written form."""
        try:
            handle = HandleReference.parse(
                f"https://hdl.handle.net/{encode_path(name)}"
            ).handle
        except HandleSyntaxError as error:
            return _page(404, "Not Found", error.reason)
        outcome = self._look_up(handle)
        if "ignore_aliases" not in parameters:
            outcome = follow_aliases(outcome, self._look_up)
        match outcome:
            case Resolved(dead_end=str(reason)):
                return _page(404, "Not Found", reason)
            case Resolved(record):
                return _lead(record, parameters)
            case NoValues():
                return _page(200, "No Values Found")
            case _:
                status = 404 if self._is_homed(handle.prefix) else 400
                return _page(status, "Not Found", str(handle))


def _lead(record: HandleRecord, parameters: Mapping[str, list[str]]) -> Reply:
    """The redirect of a record, or the page of its values."""
    target = record.written_target or ""
    is_relative = target and ":" not in target.partition("/")[0]
    is_address = is_relative or absolute_url(target) is not None
    if not is_address or "noredirect" in parameters:
        rows = (f"{each.index} {each.type} {each.data}" for each in record.values)
        return _page(200, "Handle Proxy", *rows)
    for appended in parameters.get("urlappend", []):
        # If the result is no address, the target stays as it is.
        target = absolute_url(target + appended) or target
    # Characters of a URI and percent-escapes stay.
    location = quote(target.strip(), safe="%:/?#[]@!$&'()*+,;=~", errors="replace")
    return _page(302, "Handle Redirect")._replace(location=location)


def _response(
    outcome: Outcome, indexes: Collection[str], types: Collection[str]
) -> tuple[int, list[Mapping[str, Any]]]:
    """The response code of an outcome, and the JSON of the selected values."""
    match outcome:
        case Resolved(record):
            values = [
                value.json
                for value in record.values
                if _is_selected(value, indexes, types)
            ]
            return (SUCCESS if values else NO_VALUES), values
        case NotRegistered():
            return NOT_FOUND, []
        case NoValues():
            return NO_VALUES, []
        case Refused(code):
            return code, []
        case Unreachable():
            return _ERROR, []


def _is_selected(
    value: HandleValue, indexes: Collection[str], types: Collection[str]
) -> bool:
    """Whether a value is public, and of a requested index or type, if any is requested.

    A type that ends in a dot stands for its subtypes, too.
    """
    # The third of four permissions: the public may read it.
    if str(value.json.get("permissions", "1110"))[2:3] != "1":
        return False
    if str(value.index) in indexes or not (indexes or types):
        return True
    return any(
        value.is_of(name[:-1])
        if name.endswith(".")
        else fold_ascii(value.type) == fold_ascii(name)
        for name in types
    )


def _page(status: int, title: str, *paragraphs: str) -> Reply:
    body = "".join(f"<p>{escape(showable(each))}</p>\n" for each in paragraphs)
    page = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{title}</title></head>\n<body>{body}</body></html>\n"
    )
    return Reply(status, page)


class NativeResponder:
    """Answers requests of the Handle System's own protocol for a records file.

    An alias is answered with its value, which the client follows.

    Args:
        records: The records.
    """

    def __init__(self, records: RecordsResolver) -> None:
        self._records = records
        self._prefixes = _prefixes_of(records)

    def answer(self, request: Message) -> Message:
        """The answer to `request`."""
        if request.opcode == RESOLUTION:
            code, body = self._resolve(request)
        else:
            code, body = _BAD_OPERATION, string("only resolution is answered")
        envelope = request.envelope._replace(version=(2, 11), sequence=0, flags=2)
        return replace(request, code=code, body=body, envelope=envelope)

    def _resolve(self, request: Message) -> tuple[int, bytes]:
        """The response code and the body of the answer."""
        try:
            query = Query.from_octets(request.body)
            name = query.name.decode()
            types = [type_.decode() for type_ in query.types]
        except (MessageError, UnicodeDecodeError) as error:
            return _ERROR, string(str(error))
        if fold_ascii(name.partition("/")[0]) not in self._prefixes:
            return NOT_RESPONSIBLE, string(_NOT_HERE)
        try:
            outcome = self._records.look_up(Handle.parse(name))
        except HandleSyntaxError:
            outcome = NotRegistered()
        code, values = _response(outcome, [*map(str, query.indexes)], types)
        if code != SUCCESS:
            return code, b""
        try:
            return code, string(query.name) + write_values(values)
        except MessageError as error:
            return _ERROR, string(str(error))


def _prefixes_of(records: RecordsResolver) -> frozenset[str]:
    """The prefixes of the handles in a records file, in lower case."""
    return frozenset(fold_ascii(handle.prefix) for handle in records.handles)
