"""The proxy's REST interface: what is asked, and what an answer says.

``GET <base>/api/handles/<handle>``, and JSON in return (HANDLE.NET Technical
Manual 9, chapter 14)::

    {"responseCode": 1, "handle": "10.1000/1", "values": […]}

No input or output here: a request is a path, an answer is octets.

The rule for every doubt is that nothing was learned.  "Not registered" is only
said by a whole answer of the protocol that carries the code *and* echoes the
handle asked for; a 404 that a load balancer made up, a captive portal's page
and a truncated body are no answers.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from handle_system.encoding import encode_path
from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.resolving.answer import BUSY, Answer
from handle_system.resolving.json_shape import (
    RecordError,
    as_integer,
    as_object,
    member,
)
from handle_system.resolving.outcome import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.record import HandleRecord, check_echo

__all__ = ["Reading", "api_path", "outcome_of_body", "read_answer"]

SUCCESS = 1
SERVER_ERROR = 2
# Numbers of RFC 3652, section 2.2.2.2, as the reference server uses them.
_NOT_FOUND = frozenset({100, 301})
_VALUES_NOT_FOUND = 200
_AUTHENTICATION = range(400, 407)
_MEANINGS = {
    SERVER_ERROR: "the responsible server did not answer",
    3: "the server is too busy",
    4: "the server did not understand the request",
    5: "the server does not do this",
    7: "the server is shut down",
}
_SHOWN = 60
_OK = 200
# Statuses of a moment: the same request may go better soon.
_PASSING = BUSY | {408, 425, 500, 502, 504}


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer says, and what it says about the server.

    Attributes:
        outcome: What it says about the handle.
        spoke: Whether it is an answer of the protocol.
        again: Whether the same request may go better a moment later.
    """

    outcome: Outcome
    spoke: bool
    again: bool


def api_path(handle: Handle) -> str:
    """The path to ask, below the proxy's base.

    >>> api_path(Handle.parse("10.1000/a?b"))
    'api/handles/10.1000/a%3Fb'
    """
    return f"api/handles/{encode_path(str(handle))}"


def read_answer(handle: Handle, answer: Answer) -> Reading:
    """What an HTTP answer says about `handle`."""
    media_type = answer.content_type.partition(";")[0].strip().lower()
    if not media_type.endswith(("/json", "+json")):
        shown = showable(media_type[:_SHOWN]) or "of no type"
        return _no_protocol(answer, f"its body is {shown}, not JSON")
    try:
        # Strictly UTF-8, as JSON between systems is (RFC 8259, section 8.1).
        body: object = _DECODER.decode(answer.body.decode("utf-8"))
    except UnicodeDecodeError:
        return _no_protocol(answer, "its body is not UTF-8")
    except RecursionError:
        return _no_protocol(answer, "its JSON is nested too deep")
    except ValueError:
        return _no_protocol(answer, "its body is not JSON")
    try:
        outcome = outcome_of_body(handle, body)
    except RecordError as error:
        return _no_protocol(answer, f"in its JSON, {showable(str(error))[:200]}")
    busy = isinstance(outcome, Unreachable) and answer.is_busy
    return Reading(outcome, spoke=not busy, again=busy)


def outcome_of_body(handle: Handle, body: object) -> Outcome:
    """What the JSON of an answer says about `handle`.

    Raises:
        RecordError: with the path of what has not the protocol's shape.
    """
    members = as_object(body)
    code = member(members, "responseCode", as_integer)
    if code == SUCCESS:
        return Resolved(HandleRecord.from_json(handle, members))
    if code in _NOT_FOUND:
        check_echo(handle, members)
        return NotRegistered()
    if code == _VALUES_NOT_FOUND:
        check_echo(handle, members)
        return NoValues()
    if code in _AUTHENTICATION:
        check_echo(handle, members)
        return Refused(code)
    return Unreachable(_meaning(code, members))


def _meaning(code: int, members: Mapping[str, object]) -> str:
    meaning = _MEANINGS.get(code)
    if meaning is None:
        message = members.get("message")
        text = message if isinstance(message, str) else ""
        meaning = showable(text)[:_SHOWN] or "no reason given"
    return f"response code {code}: {meaning}"


def _no_protocol(answer: Answer, what: str) -> Reading:
    if answer.status == _OK:
        outcome = Unreachable(f"the answer is not the protocol's: {what}")
    else:
        outcome = Unreachable(f"HTTP {answer.status}, and {what}")
    return Reading(outcome, spoke=False, again=answer.status in _PASSING)


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


# Made once: with a hook, `json.loads` makes one for each text.
_DECODER = json.JSONDecoder(parse_constant=_refuse)
