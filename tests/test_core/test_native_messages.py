"""Messages of the Handle System's own protocol, beside exchanges with a real server.

`native-vectors.jsonl` holds exchanges with the reference server, version 9.3.1, whose
records are invented.
"""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system import Handle
from handle_system.resolving.native.messages import (
    ENVELOPE,
    RESOLUTION,
    SITE_INFO,
    Answer,
    Envelope,
    Message,
    MessageError,
    Query,
    string,
)
from handle_system.resolving.native.transport import assembled, parts_of
from handle_system.resolving.native.values import Site, read_site, read_values
from tests.native_values import write_site, write_values

CORPUS = Path(__file__).parent.parent / "corpus"


def _rows(name: str) -> list[dict[str, Any]]:
    lines = (CORPUS / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


VECTORS = {row["name"]: row for row in _rows("native-vectors.jsonl")}
each_vector = pytest.mark.parametrize("vector", VECTORS.values(), ids=list(VECTORS))


def _datagrams(vector: dict[str, Any], direction: str) -> list[bytes]:
    octets = bytes.fromhex(vector[f"{direction}_hex"])
    parts, start = [], 0
    for length in vector["kw"].get(f"{direction}_datagrams", [len(octets)]):
        parts.append(octets[start : start + length])
        start += length
    return parts


def _assembled(datagrams: list[bytes]) -> Message:
    if len(datagrams) == 1:
        return Message.from_octets(datagrams[0])
    assert assembled(datagrams[:-1]) is None
    message = assembled(datagrams)
    assert message is not None
    return message


@each_vector
def test_a_request_is_built_as_it_was_sent(vector: dict[str, Any]) -> None:
    """A request has the recorded octets, over TCP and UDP."""
    datagrams = _datagrams(vector, "request")
    sent = _assembled(datagrams)
    asked = vector["kw"]
    opcode = asked.get("opcode", RESOLUTION)
    body = b"\xff\xff\xff\xff"
    if opcode == SITE_INFO:
        body = string(vector["handle"])
        # The server takes this one with and without the lists of a query.
        if sent.body != body:
            body = Query(vector["handle"].encode()).to_octets()
    elif opcode == RESOLUTION and "malformed" not in asked:
        name = vector["handle"].encode()
        if "not UTF-8" in vector["name"]:
            name = bytes.fromhex(vector["handle"])
        types = tuple(each.encode() for each in asked.get("types", ()))
        body = Query(name, tuple(asked.get("indexes", ())), types).to_octets()
    elif opcode != RESOLUTION:
        body = b""
    major, minor = asked.get("suggested", (2, 11))
    request = Message(
        opcode=opcode,
        body=body,
        recursion=asked.get("recursion", 0),
        expiration=sent.expiration,
        envelope=Envelope(
            sent.envelope.request_id,
            0,
            version=tuple(asked.get("version", (2, 11))),
            flags=major,
            suggested_minor=minor,
        ),
    )
    if "flags" in asked:
        request = replace(request, flags=int(asked["flags"], 16))
    if len(datagrams) == 1:
        assert request.to_octets() == datagrams[0]
    else:
        assert parts_of(request) == datagrams


@each_vector
def test_an_answer_is_read_to_its_last_octet(vector: dict[str, Any]) -> None:
    """An answer has the recorded code, and writing it gives its octets."""
    datagrams = _datagrams(vector, "response")
    answer = _assembled(datagrams)
    assert answer.code == vector["parsed_rc"]
    if len(datagrams) == 1:
        assert answer.to_octets() == datagrams[0]
    if answer.opcode == SITE_INFO:
        assert write_site(read_site(answer.body)) == answer.body
    elif answer.code in {1, 303}:
        body = Answer.of(answer)
        assert write_values(read_values(body.values)) == body.values
        expected = b"" if answer.code == 303 else vector["handle"].encode()
        assert body.name == expected


def _records_of_the_proxy() -> dict[str, Any]:
    return {
        row["body"]["handle"]: row["body"]["values"]
        for row in _rows("record-samples-local.jsonl")
        if row["kind"] == "local-real-server-api"
        and isinstance(row["body"], dict)
        and row["body"].get("responseCode") == 1
        and "?" not in row["request"]
    }


def test_values_are_those_that_the_proxy_gives() -> None:
    """Native records equal those of the same server over HTTP."""
    expected = _records_of_the_proxy()
    compared = 0
    for name, vector in VECTORS.items():
        if name in expected and not vector["kw"] and vector["parsed_rc"] == 1:
            answer = Message.from_octets(bytes.fromhex(vector["response_hex"]))
            values = read_values(Answer.of(answer).values)
            for value in (*values, *expected[name]):
                if value["type"] == "HS_SITE":
                    # Keys stay octets here, and are numbers there.
                    del value["data"]["value"]["servers"][0]["publicKey"]
            assert values == expected[name]
            compared += 1
    assert compared == 9


@pytest.mark.parametrize(
    "vector",
    [row for row in VECTORS.values() if "server_number" in row["kw"]],
    ids=lambda row: row["name"],
)
def test_the_hash_names_the_server_that_has_a_handle(vector: dict[str, Any]) -> None:
    """The hash gives the server that the real site uses."""
    asked = vector["kw"]
    servers = [{"address": "192.0.2.1", "interfaces": []}] * asked["servers"]
    site = Site.from_json(
        {
            "attributes": [],
            "servers": servers,
            "hashOption": asked["hash_option"],
            "primarySite": True,
        }
    )
    assert site.position_of(Handle.parse(vector["handle"])) == asked["server_number"]


ANSWERS = [
    bytes.fromhex(VECTORS[name]["response_hex"])
    for name in ("TEST/multi", "TEST/site", "TEST/refs", "prefix referral, deeper")
]


def _read_all(octets: bytes) -> None:
    read_values(Answer.of(Message.from_octets(octets)).values)


@pytest.mark.parametrize("octets", ANSWERS)
def test_a_cut_answer_is_an_error(octets: bytes) -> None:
    """An answer that is cut anywhere is a `MessageError`."""
    for end in range(len(octets)):
        with pytest.raises(MessageError):
            _read_all(octets[:end])


@given(
    octets=st.sampled_from(ANSWERS),
    position=st.integers(ENVELOPE, 2000),
    replacement=st.binary(min_size=1, max_size=8),
)
def test_a_changed_answer_is_read_or_an_error(
    octets: bytes, position: int, replacement: bytes
) -> None:
    """A changed answer is read, or is a `MessageError`."""
    position %= len(octets)
    changed = octets[:position] + replacement + octets[position + len(replacement) :]
    with suppress(MessageError):
        _read_all(changed)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"flags": 0x82}, "the message is compressed or encrypted"),
        ({"length": 300_000}, "a message of 300000 octets"),
        ({"length": 3}, "a message of 3 octets"),
        ({"length": 40}, "126 octets of 40"),
    ],
)
def test_an_envelope_that_cannot_be_is_named(
    change: dict[str, Any], message: str
) -> None:
    """The error names the fault of an envelope."""
    octets = bytes.fromhex(VECTORS["TEST/plain"]["response_hex"])[:146]
    envelope = Envelope.from_octets(octets)._replace(**change)
    with pytest.raises(MessageError) as error:
        Message.from_octets(envelope.to_octets() + octets[ENVELOPE:])
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([{"index": 1}], "not the values of a record: KeyError('data')"),
        (
            [{"index": 1, "type": "KEY", "data": {"format": "key", "value": {}}}],
            (
                "not the values of a record: ValueError("
                "\"data of the format 'key' cannot be written\")"
            ),
        ),
    ],
)
def test_values_that_cannot_be_written_are_an_error(
    values: list[dict[str, Any]], message: str
) -> None:
    """A value of another shape than the proxy's JSON is an error with the reason."""
    with pytest.raises(MessageError) as error:
        write_values(values)
    assert str(error.value) == message


def test_parts_arrive_in_any_order_and_more_than_once() -> None:
    """The parts of a message may arrive in any order, and twice."""
    datagrams = _datagrams(VECTORS["udp, answer in nineteen datagrams"], "response")
    whole = _assembled(datagrams)
    shuffled = [datagrams[3], datagrams[3], *datagrams[:3], *datagrams[:3:-1]]
    last = _assembled(shuffled)
    assert (last.code, last.body) == (whole.code, whole.body)


def test_parts_that_contradict_each_other_are_an_error() -> None:
    """A part that is too long, or of another message, is refused."""
    datagrams = _datagrams(VECTORS["udp, both in several datagrams"], "response")
    envelope = Envelope.from_octets(datagrams[1])
    for wrong in (
        datagrams[1] + b"x",
        envelope._replace(length=100_000).to_octets() + datagrams[1][ENVELOPE:],
        envelope._replace(sequence=4_000_000_000).to_octets() + b"x",
    ):
        with pytest.raises(MessageError, match=r"^parts that do not make one message$"):
            assembled([datagrams[0], wrong])
