"""Targets: proxy responses, the records in them, and native messages."""

import json
import random
from functools import cache
from pathlib import Path

from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.resolving.native.messages import Answer as NativeAnswer
from handle_system.resolving.native.messages import Message, MessageError
from handle_system.resolving.native.resolver import sites_in
from handle_system.resolving.native.values import read_values
from handle_system.resolving.outcomes import (
    NotRegistered,
    Resolved,
    Unreachable,
    outcome_from_json,
    outcome_to_json,
)
from handle_system.resolving.rest_api import Answer, read_answer
from trials.fuzz.mutation import mutated, mutated_octets

__all__ = ["fuzz_message", "fuzz_record"]

CORPUS = Path(__file__).parents[2] / "tests/corpus/native-vectors.jsonl"
HANDLE = Handle("20.1000", "x")

_LOCATIONS = (
    '<locations chooseby="weighted"><location id="0" href="https://a.example/?a&b"'
    ' weight="1"/><location href_template="{hdl}/x" weight="0"/></locations>'
)
_VALUES = (
    {"index": 1, "type": "URL", "data": {"format": "string", "value": "http://a.b/"}},
    {
        "index": 2,
        "type": "10320/loc",
        "data": {"format": "string", "value": _LOCATIONS},
    },
    {"index": 3, "type": "HS_ALIAS", "data": "20.1000/y", "ttl": 86400},
    {
        "index": 4,
        "type": "URL",
        "data": "https://a.example/",
        "ttl": "2030-01-01T00:00Z",
    },
    {
        "index": 100,
        "type": "HS_ADMIN",
        "data": {"format": "admin", "value": {"index": 3}},
    },
)
_STATUSES = {1: 200, 100: 404, 200: 200, 301: 400, 402: 401, 2: 500}
_PIECES = (
    *("{", "}", "[", "]", '"', ":", ",", "null", "true", "NaN", "-1", "1e999", "[[[[["),
    *(
        '"responseCode":100',
        '"handle":"20.1000/x"',
        '"values":[]',
        '"ttl":-1',
        "\\u0000",
    ),
    *(
        "javascript:alert(1)",
        "http://",
        "https://[",
        "\\ud800",
        "\x1b[2J",
        "&lol;",
        "<!",
    ),
    *(
        "9" * 5000,
        "<location ",
        'href=\\"javascript:x\\"',
        'weight=\\"inf\\"',
        "\0",
        "é",
    ),
)


def fuzz_record(rng: random.Random) -> str:
    """Only a complete response about this handle makes it unregistered."""
    code = rng.choice((1, 1, 1, 100, 200, 301, 402, 2))
    values = rng.sample(_VALUES, rng.randint(0, len(_VALUES)))
    body = {"responseCode": code, "handle": str(HANDLE), "values": values}
    text = mutated(json.dumps(body), _PIECES, rng)
    octets = text.encode("utf-8", "surrogatepass")
    status = rng.choice((_STATUSES[code], _STATUSES[code], 200, 404, 500))
    answer = Answer(status, "application/json;charset=utf-8", octets)
    outcome = read_answer(HANDLE, answer, is_global=rng.random() < 0.5).result
    if not isinstance(outcome, Unreachable):
        kept = json.dumps(outcome_to_json(outcome))
        again = outcome_from_json(json.loads(kept))
        assert again == outcome, "a cache keeps an outcome"
    reason = outcome.reason or ""
    assert isinstance(outcome, Resolved) or showable(reason) == reason, "it is showable"
    target = outcome.target
    assert target is None or target.lower().startswith(("http:", "https:", "ftp:"))
    if isinstance(outcome, NotRegistered):
        told = json.loads(octets)
        assert (told["responseCode"], status) in {(100, 404), (301, 400)}
        assert Handle.parse(told["handle"]) == HANDLE
    return str(outcome.name)


def fuzz_message(rng: random.Random) -> str:
    """Decoding a mutated response of a real server raises only `MessageError`."""
    try:
        message = Message.from_octets(mutated_octets(rng.choice(_messages()), rng))
        sites_in(read_values(NativeAnswer.of(message).values))
    except MessageError:
        return "refused"
    return "read"


@cache
def _messages() -> list[bytes]:
    lines = CORPUS.read_text(encoding="utf-8").splitlines()
    return [bytes.fromhex(json.loads(line)["response_hex"]) for line in lines]
