"""The proxy's REST interface: the request for a handle, and the meaning of an answer.

``GET <base>/api/handles/<handle>`` (HANDLE.NET Technical Manual 9, chapter 14)::

    {"responseCode": 1, "handle": "10.1000/1", "values": […]}

No input or output here: a request is a path, an answer is octets.

In every doubt nothing was learned.  "Not registered" needs a whole answer of the
protocol with that code, with the HTTP status that belongs to the code, and with the
handle that was asked for.  A load balancer's 404, a captive portal's page and a
truncated body are no answers.
"""

import json
from dataclasses import dataclass
from typing import Any

from handle_system.encoding import encode_path
from handle_system.errors import HandleSyntaxError, brief, showable
from handle_system.handle import Handle
from handle_system.resolving.outcomes import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.records import HandleRecord, RecordError

__all__ = [
    "STRICT_JSON",
    "Answer",
    "NoAnswerError",
    "Reading",
    "api_path",
    "outcome_of_body",
    "read_answer",
]

# Response codes of RFC 3652, section 2.2.2.2, as the reference server uses them, and
# the HTTP statuses that it sends with them.
_STATUSES = {1: {200}, 100: {404}, 200: {200}, 301: {400}}
_MEANINGS = {
    2: "the responsible server did not answer",
    3: "the server is too busy",
    4: "the server did not understand the request",
    5: "the server does not do this",
    7: "the server is shut down",
    301: "the server is not responsible for this handle",
}
_AUTHENTICATION = range(400, 407)
_TOO_MANY = frozenset({429, 503})
# With these statuses the same request may succeed a moment later.
_PASSING = _TOO_MANY | {408, 425, 500, 502, 504}
_OK = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer.

    Attributes:
        status: The HTTP status code.
        content_type: The header ``Content-Type``; empty if there was none.
        body: The whole body, decompressed.
        retry_after: The seconds that the header ``Retry-After`` asks for.
    """

    status: int
    content_type: str
    body: bytes
    retry_after: float | None = None


class NoAnswerError(Exception):
    """No answer came, or none that can be read.

    Attributes:
        reason: Why, in a few words without a full stop.
        again: Whether the same request may succeed a moment later.
    """

    def __init__(self, reason: str, *, again: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again = again


@dataclass(frozen=True, slots=True)
class Reading:
    """The meaning of an answer, for the handle and for the server.

    Attributes:
        outcome: The outcome for the handle.
        is_protocol: Whether the answer is one of the protocol.
        again: Whether the same request may succeed a moment later.
        is_busy: Whether the server asks all its clients for fewer requests.
        retry_after: The seconds for which it asks to be left alone.
    """

    outcome: Outcome
    is_protocol: bool = False
    again: bool = False
    is_busy: bool = False
    retry_after: float | None = None


def api_path(handle: Handle) -> str:
    """The path of the request, below the proxy's base.

    >>> api_path(Handle.parse("10.1000/a?b"))
    'api/handles/10.1000/a%3Fb'
    """
    return f"api/handles/{encode_path(str(handle))}"


def read_answer(handle: Handle, answer: Answer, *, is_global: bool = False) -> Reading:
    """The meaning of an HTTP answer to the request for `handle`.

    Args:
        handle: The handle.
        answer: The answer.
        is_global: Whether the server speaks for the whole system, so that code 301
            means an unregistered prefix.
    """
    again = answer.status in _PASSING
    is_busy = answer.status in _TOO_MANY
    is_protocol = True
    try:
        body = _load(answer)
        outcome = outcome_of_body(handle, body, is_global=is_global)
    except RecordError as error:
        what = f"in its JSON, {error}" if error.where else error.reason
        what = showable(what)[:200]
        status = f"HTTP {answer.status}, and"
        begin = "the answer is not the protocol's:" if answer.status == _OK else status
        outcome = Unreachable(f"{begin} {what}")
        is_protocol = False
    if not isinstance(outcome, Unreachable):
        return Reading(outcome, is_protocol=True)
    is_protocol = is_protocol and not is_busy
    return Reading(outcome, is_protocol, again, is_busy, answer.retry_after)


def outcome_of_body(handle: Handle, body: Any, *, is_global: bool = False) -> Outcome:
    """The meaning of the JSON of an answer.

    Raises:
        RecordError: when it does not have the protocol's shape, or is about another
            handle.
    """
    match body:
        case {"responseCode": int(code)} if not isinstance(code, bool):
            pass
        case _:
            raise RecordError("responseCode", "a number is expected")
    if code in _STATUSES or code in _AUTHENTICATION:
        _check_echo(handle, body.get("handle"))
    if code == 1:
        return Resolved(HandleRecord.from_json(handle, body.get("values")))
    if code == 100 or (code == 301 and is_global):
        return NotRegistered()
    if code == 200:
        return NoValues()
    if code in _AUTHENTICATION:
        return Refused(code)
    message = body.get("message")
    said = brief(message) if isinstance(message, str) else "no reason given"
    return Unreachable(f"response code {code}: {_MEANINGS.get(code, said)}")


def _check_echo(handle: Handle, echoed: object) -> None:
    try:
        if isinstance(echoed, str) and Handle.parse(echoed) == handle:
            return
    except HandleSyntaxError:
        pass
    raise RecordError("handle", f"the answer is about another handle: {echoed!r}")


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # Readers differ in which of two members of one name they take.
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RecordError("", f"{json.dumps(twice[:60])} stands twice in one object")
    return members


def _load(answer: Answer) -> dict[str, Any]:
    """The JSON object of an answer.

    Raises:
        RecordError: when there is none, or its code does not belong to the status.
    """
    media_type = answer.content_type.partition(";")[0].strip().lower()
    if not media_type.endswith(("/json", "+json")):
        shown = brief(media_type) or "of no type"
        raise RecordError("", f"its body is {shown}, not JSON")
    try:
        # Strictly UTF-8, as JSON between systems is (RFC 8259, section 8.1).
        loaded = STRICT_JSON.decode(answer.body.decode("utf-8"))
    except RecordError:
        raise
    except (ValueError, RecursionError) as error:
        raise RecordError("", "its body is not JSON") from error
    if not isinstance(loaded, dict):
        raise RecordError("", "its JSON is no object")
    code = loaded.get("responseCode")
    belonging = _STATUSES.get(code) if isinstance(code, int) else None
    if belonging is not None and answer.status not in belonging:
        raise RecordError("", f"response code {code} does not belong to this status")
    return loaded


def _refuse_constant(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


#: JSON without its extensions: no repeated name, no ``NaN``.
STRICT_JSON = json.JSONDecoder(
    object_pairs_hook=_without_repetition, parse_constant=_refuse_constant
)
