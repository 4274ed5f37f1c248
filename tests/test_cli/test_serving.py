"""`hdl serve`: what it answers, beside what the reference server answered."""

import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handle_cli.command import hdl
from handle_cli.local_proxy import LocalProxy
from handle_cli.serving import ProxyHTTPServer
from handle_system.resolving.resolvers import RecordsResolver
from tests.background import serving
from tests.command_line import runner

CORPUS = Path(__file__).parent.parent / "corpus" / "record-samples-local.jsonl"
SAMPLES: list[dict[str, Any]] = [
    json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()
]

NOT_COVERED = {
    "GET /api/handles/TEST/plain?callback=cb": "A script of another site's.",
    "GET /api/handles/TEST/plain@x": "A template of the prefix makes this record.",
    "GET /test/PLAIN": "That server was told to ignore the case of suffixes.",
    "GET /api/site": "The server's own site.",
    "GET /robots.txt": "No crawler finds a server on loopback.",
}
"""What was recorded and is not played, and why."""

COVERED = [
    sample
    for sample in SAMPLES
    if sample["kind"].startswith("local-") and sample["request"] not in NOT_COVERED
]


def _records() -> dict[str, object]:
    """The records of the recorded server, out of its own answers."""
    records: dict[str, object] = {}
    for sample in SAMPLES:
        request, body = sample["request"], sample["body"]
        whole = request.startswith("GET /api/handles/") and "?" not in request
        if whole and isinstance(body, dict) and body.get("responseCode") == 1:
            records.setdefault(body["handle"], body)
    # The case of a DOI's suffix does not count, so that this one is the other.
    del records["10.1234/(sici)1097-4679(199902)55:2<241::aid-jclp12>3.0.co;2-v"]
    octets = {"index": 1, "type": "BIN", "data": {"format": "base64", "value": "AA=="}}
    records["TEST/bin"] = {"values": [octets]}
    records["TEST/private"] = {"responseCode": 200}
    return records


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    proxy = LocalProxy(RecordsResolver(_records()))
    with serving(ProxyHTTPServer(("127.0.0.1", 0), proxy)) as server:
        yield server.server_port


def ask(port: int, request: str) -> tuple[int, str | None, str]:
    method, _, target = request.partition(" ")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.putrequest(method, target)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read().decode()
        return answer.status, answer.getheader("Location"), body
    finally:
        connection.close()


@pytest.mark.parametrize("sample", COVERED, ids=lambda sample: sample["request"])
def test_answers_are_those_of_the_reference_server(
    port: int, sample: dict[str, Any]
) -> None:
    """The same status, the same location, and the same fields in the body."""
    status, location, body = ask(port, sample["request"])

    assert status == sample["http_status"]
    assert location == sample.get("location")
    if isinstance(sample["body"], dict):
        answered = json.loads(body)
        wanted = dict(sample["body"])
        # A message is a sentence of the server's language.
        if "NumberFormatException" in wanted.get("message", ""):
            answered["message"] = wanted["message"]
        assert answered == wanted


def test_every_recorded_request_is_covered_or_listed() -> None:
    """What is not played is known by name."""
    assert set(NOT_COVERED) <= {sample["request"] for sample in SAMPLES}
    assert len(COVERED) == len(SAMPLES) - len(NOT_COVERED)


@pytest.mark.parametrize(
    "target", ["/TEST/plain?urlappend=%0d%0aX:%20y", "/TEST/plain?urlappend=%00"]
)
def test_no_header_is_smuggled_in(port: int, target: str) -> None:
    """Controls in what is to be appended do not reach the header."""
    assert ask(port, f"GET {target}")[:2] == (302, "https://example.org/plain")


def test_what_a_reader_asks_for_is_escaped(port: int) -> None:
    """A page that names a handle holds no markup of it."""
    status, _, body = ask(port, "GET /TEST/%3Cscript%3E")

    assert status == 404
    assert "<script>" not in body
    assert "&lt;script&gt;" in body


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("PUT /api/handles/TEST/new", 403),
        ("DELETE /api/handles/TEST/plain", 403),
        ("DELETE /TEST/plain", 404),
    ],
)
def test_nothing_can_be_changed(port: int, request_line: str, status: int) -> None:
    """Who tries is refused, and finds the record as it was."""
    assert ask(port, request_line)[0] == status
    assert ask(port, "GET /TEST/plain")[0] == 302


def _has_new_protocol() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@pytest.mark.parametrize(
    ("host", "shown"),
    [("127.0.0.1", "127.0.0.1"), ("localhost", "127.0.0.1"), ("::1", "[::1]")],
)
def test_addresses_of_both_kinds_are_listened_at(host: str, shown: str) -> None:
    """Of the old protocol and the new one, where the machine has it."""
    if host == "::1" and not _has_new_protocol():
        pytest.skip("this machine has no such address")
    with ProxyHTTPServer((host, 0), LocalProxy(RecordsResolver({}))) as server:
        assert server.url in {
            f"http://{shown}:{server.server_port}/",
            f"http://[::1]:{server.server_port}/",
        }


def test_records_that_cannot_be_used_are_wrong(tmp_path: Path) -> None:
    """Exit code 2 and the place in the file, not a traceback."""
    path = tmp_path / "records.json"
    path.write_text('{"20.1/a": 1}')
    done = runner().invoke(hdl, ["serve", str(path)])

    assert done.exit_code == 2
    assert '["20.1/a"]: a URL or an object is expected here' in done.stderr


def values(*triples: tuple[int, str, str]) -> dict[str, object]:
    """A record of texts: index, type and data of each value."""
    return {"values": [{"index": i, "type": t, "data": d} for i, t, d in triples]}


LIKE_CNRI: dict[str, object] = {
    "20.1000/plain": "https://example.org/plain",
    "20.1000/Mixed": "https://example.org/mixed",
    "20.1000/odd": 'https://example.org/a b/é?q=ü"#f[1]',
    "20.1000/ipv6": "http://[::1]:8080/x",
    "20.1000/script": "javascript:alert(1)",
    "20.1000/alias": values(
        (1, "HS_ALIAS", "20.1000/plain"), (2, "URL", "http://e.x/")
    ),
    "20.1000/loc": values(
        (1, "URL", "https://example.org/url"),
        (2, "10320/loc", "<Locations><Location href='/rel?a=1&b=2'/></Locations>"),
    ),
}


@pytest.mark.parametrize(
    ("target", "status", "location"),
    [
        ("/20.1000/plain%20", 302, "https://example.org/plain"),
        ("/20.1000/plain%E2%80%8B", 302, "https://example.org/plain"),
        ("/20.1000/plain?index=abc", 302, "https://example.org/plain"),
        ("/20.1000/odd", 302, "https://example.org/a%20b/%C3%A9?q=%C3%BC%22#f%5B1%5D"),
        ("/20.1000/ipv6", 302, "http://[::1]:8080/x"),
        ("/20.1000/script", 200, None),
        ("/20.1000/alias", 301, "/20.1000/plain"),
        ("/20.1000/alias?urlappend=%3Fa", 301, "/20.1000/plain?urlappend=%3Fa"),
        ("/20.1000/alias?ignore_aliases", 302, "http://e.x/"),
        ("/20.1000/loc", 302, "/rel?a=1&b=2"),
        ("/20.1000/none", 404, None),
        ("/20.9999/none", 400, None),
        ("/20.1000/mixed", 404, None),
    ],
)
def test_redirects_are_those_of_the_reference_proxy(
    target: str, status: int, location: str | None
) -> None:
    """As CNRI's proxy 9.3.1 answered."""
    reply = LocalProxy(RecordsResolver(LIKE_CNRI)).reply(target)

    assert (reply.status, reply.location) == (status, location)


def test_the_case_of_suffixes_can_be_ignored() -> None:
    """In redirects and in the REST interface."""
    proxy = LocalProxy(RecordsResolver(LIKE_CNRI), ignore_case=True)

    assert proxy.reply("/20.1000/mIXED").location == "https://example.org/mixed"
    assert proxy.reply("/api/handles/20.1000/MIXED").status == 200


def test_a_page_of_another_origin_may_ask(port: int) -> None:
    """The origin is echoed, and a preflight request has an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    origin = {"Origin": "https://example.org", "Access-Control-Request-Headers": "a, b"}
    connection.request("OPTIONS", "/api/handles/TEST/plain", headers=origin)
    preflight = connection.getresponse()
    preflight.read()
    connection.request("GET", "/api/handles/TEST/plain", headers=origin)
    answer = connection.getresponse()
    answer.read()
    connection.close()

    assert preflight.status == 200
    assert dict(preflight.getheaders()) | {
        "Access-Control-Allow-Origin": "https://example.org",
        "Access-Control-Allow-Methods": "GET, POST, HEAD, PUT, DELETE",
        "Access-Control-Allow-Headers": "a, b",
        "Access-Control-Max-Age": "86400",
    } == dict(preflight.getheaders())
    assert answer.headers["Access-Control-Allow-Origin"] == "https://example.org"
    assert answer.headers["Vary"] == "Origin"
