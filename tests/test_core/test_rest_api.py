"""`handle_system.resolving.rest_api`: what the proxy's interface asks and answers.

The collected answers: `record-samples-local.jsonl` were recorded from a CNRI
handle server on loopback with invented records.  Those of real handles are not
ours to copy, and are read where `HANDLE_TEST_DATA` says that they lie.
"""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.handle import Handle
from handle_system.resolving.gate import Attempt
from handle_system.resolving.outcomes import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
    handle_or_none,
)
from handle_system.resolving.rest_api import Answer, api_path, read_answer
from tests.strategies import handles

LOCAL = Path(__file__).parent.parent / "corpus" / "record-samples-local.jsonl"
DATA = os.environ.get("HANDLE_TEST_DATA")
HANDLE = Handle.parse("20.1000/x")


def rows(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def recorded_answer(row: dict[str, Any]) -> Answer:
    body = row["body"]
    return Answer(
        status=row["http_status"],
        content_type=row.get("content_type", "application/json"),
        body=(body if isinstance(body, str) else json.dumps(body)).encode(),
    )


def handle_of(row: dict[str, Any]) -> Handle | None:
    """The handle that a row asks the interface for."""
    path = urlsplit(row["request"].removeprefix("GET ")).path
    _, is_interface, name = path.partition("/api/handles/")
    return handle_or_none(unquote(name)) if is_interface else None


LOCAL_ROWS = rows(LOCAL)
API_ROWS = [row for row in LOCAL_ROWS if handle_of(row)]
OTHER_ROWS = [row for row in LOCAL_ROWS if not handle_of(row)]


def expected_outcome(row: dict[str, Any]) -> type[Outcome]:
    """The outcome of a recorded status and code."""
    body = row["body"]
    code = body["responseCode"] if isinstance(body, dict) else 0
    outcomes: dict[tuple[int, int], type[Outcome]] = {
        (200, 1): Resolved,
        (200, 200): NoValues,
        (404, 100): NotRegistered,
        (403, 402): Refused,
    }
    return outcomes.get((row["http_status"], code), Unreachable)


@pytest.mark.parametrize("row", API_ROWS, ids=lambda row: row["request"])
def test_recorded_answers_have_the_outcome_of_their_status(row: dict[str, Any]) -> None:
    """A record keeps its JSON, and leads to the target of the recorded redirect."""
    handle = handle_of(row) or HANDLE
    outcome = read_answer(handle, recorded_answer(row)).result

    assert isinstance(outcome, expected_outcome(row))
    if isinstance(outcome, Resolved):
        values = row["body"]["values"]
        assert outcome.record.to_json()["values"] == values
        assert outcome.record.target == first_address(values)


def first_address(values: list[dict[str, Any]]) -> str | None:
    """The target of the recorded records, whose locations are well-formed."""
    if any(value["type"] == "10320/loc" for value in values):
        return "http://www1.example.com/"
    return next((v["data"]["value"] for v in values if v["type"] == "URL"), None)


@pytest.mark.parametrize(
    "row", OTHER_ROWS, ids=lambda row: f"{row['kind']} {row['request']}"
)
def test_an_answer_of_another_page_is_never_news(row: dict[str, Any]) -> None:
    """Redirects, pages of values and errors of the web server are unreachable."""
    outcome = read_answer(HANDLE, recorded_answer(row)).result

    assert isinstance(outcome, Unreachable)


@pytest.mark.skipif(not DATA, reason="HANDLE_TEST_DATA does not name a folder")
def test_collected_records_of_real_handles_are_read() -> None:
    """Every row has the outcome of its status, and its record stays unchanged."""
    seen = 0
    for row in rows(Path(DATA or "") / "record-samples.jsonl"):
        body = row.get("body")
        if row["kind"].startswith("real-") and isinstance(body, dict):
            handle = Handle.parse(row["handle"])
            outcome = read_answer(handle, recorded_answer(row), is_global=True).result
            is_unhomed = body["responseCode"] == 301
            expected = NotRegistered if is_unhomed else expected_outcome(row)
            assert isinstance(outcome, expected), row["handle"]
            if isinstance(outcome, Resolved):
                assert outcome.record.to_json()["values"] == body["values"]
            seen += 1
    assert seen >= 25


def answered(
    body: object, *, status: int = 200, content_type: str = "application/json"
) -> Attempt[Outcome]:
    octets = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = Answer(status=status, content_type=content_type, body=octets)
    return read_answer(HANDLE, answer)


RECORD = {"responseCode": 1, "handle": "20.1000/x", "values": []}


def test_code_301_speaks_for_the_whole_system_at_a_global_proxy_only() -> None:
    """At any other server, 301 means that another server is responsible."""
    body = {"responseCode": 301, "handle": "20.1000/x", "message": "not here"}
    answer = Answer(400, "application/json", json.dumps(body).encode())

    assert read_answer(HANDLE, answer, is_global=True).result == NotRegistered()
    assert read_answer(HANDLE, answer) == Attempt(
        Unreachable("response code 301: the server is not responsible for this handle"),
        is_answered=True,
    )


ABOUT_ANOTHER = {"responseCode": 100, "handle": "20.1000/y"}
# As large as an answer may be, with its last name twice.
MANY_NAMES = ",".join(f'"{number}":0' for number in range(150_000))
TWICE = f'{{{MANY_NAMES},"149999":1}}'.encode()


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ({"responseCode": 2}, 500, "the responsible server did not answer"),
        ({"responseCode": 9, "message": "Odd\x1b[2Jthing"}, 500, "Odd\\x1b[2Jthing"),
        ({"responseCode": 9}, 500, "no reason given"),
        ({"responseCode": 100}, 404, "it is about another handle: None"),
        (ABOUT_ANOTHER, 404, "it is about another handle: '20.1000/y'"),
        ({**ABOUT_ANOTHER, "responseCode": 1}, 200, "it is about another handle: '20"),
        ({**ABOUT_ANOTHER, "responseCode": 402}, 401, "it is about another handle: '2"),
        ({"responseCode": "1"}, 200, "responseCode: a number is expected"),
        ({"responseCode": True}, 404, "response code True does not belong to this"),
        ([], 200, "an object is expected"),
        *(
            (
                {**RECORD, "responseCode": code},
                status,
                f"response code {code} does not belong to this status",
            )
            for code, status in (
                (1, 404),
                (100, 200),
                (100, 500),
                (200, 404),
                (301, 404),
            )
        ),
        (b'{"responseCode": 1', 200, "no valid JSON: Expecting ',' delimiter: line 1"),
        (b'{"responseCode": NaN}', 200, "no valid JSON: NaN is not JSON"),
        (b'{"handle": "\xff"}', 200, "no valid JSON: 'utf-8' codec can't decode"),
        (TWICE, 200, 'no valid JSON: "149999" stands twice in one object'),
        (b"[" * 200_000, 200, "no valid JSON: maximum recursion depth exceeded"),
        (b'{"responseCode": ' + b"1" * 10_000 + b"}", 200, "no valid JSON: Exceeds"),
    ],
    ids=lambda each: str(each)[:20],
)
def test_error_in_an_answer_means_that_nothing_was_learned(
    body: Any, status: int, reason: str
) -> None:
    """A malformed answer is unreachable, whatever its status."""
    reading = answered(body, status=status)

    begin = f"unexpected answer (HTTP {status}): "
    if reading.is_answered:
        begin = f"response code {body['responseCode']}: "
    assert isinstance(reading.result, Unreachable)
    assert reading.result.reason.startswith(f"{begin}{reason}")


@pytest.mark.parametrize(
    ("content_type", "shown"),
    [("text/html; charset=utf-8", "text/html"), ("", "of no type")],
)
def test_only_json_is_an_answer(content_type: str, shown: str) -> None:
    """The page of a captive portal is no answer."""
    reading = answered(RECORD, content_type=content_type)

    assert reading == Attempt(
        Unreachable(f"unexpected answer (HTTP 200): its body is {shown}, not JSON")
    )


@pytest.mark.parametrize(
    ("body", "status", "is_protocol", "again"),
    [
        (RECORD, 200, True, False),
        ({"responseCode": 2}, 500, True, True),
        ({"responseCode": 3}, 503, False, True),
        *((b"<html>", status, False, True) for status in (429, 500, 502)),
        *((b"<html>", status, False, False) for status in (200, 404)),
    ],
)
def test_a_request_is_repeated_only_if_the_status_passes(
    body: object, status: int, *, is_protocol: bool, again: bool
) -> None:
    """HTTP 5xx and 429 are repeated, with or without an answer of the protocol."""
    reading = answered(body, status=status)

    assert (reading.is_answered, reading.again) == (is_protocol, again)


@given(handle=handles)
def test_the_path_is_read_back_to_the_handle(handle: Handle) -> None:
    """A server that decodes percent-encoded UTF-8 reads the handle."""
    path = api_path(handle)

    assert unquote(path.removeprefix("api/handles/"), errors="strict") == str(handle)
    assert {".", ".."}.isdisjoint(path.split("/"))


@given(body=st.binary(max_size=200), status=st.integers(100, 599))
def test_noise_is_never_news(body: bytes, status: int) -> None:
    """Random octets never make a handle registered or unregistered."""
    reading = answered(body, status=status)

    assert isinstance(reading.result, Unreachable)
    assert not reading.is_answered
