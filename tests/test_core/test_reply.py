"""`handle_system.resolving.reply`: what is plain is read as the standard library reads it."""

import io
from http.client import HTTPException, HTTPResponse
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.resolving.reply import plain_reply

BODY = b'{"responseCode":1}'
LENGTH = b"Content-Length: 18\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
PLAIN = HEAD + LENGTH + b"\r\n" + BODY


class Received:
    """A socket that has received something, and nothing more will come."""

    def __init__(self, octets: bytes) -> None:
        self._octets = octets

    def makefile(self, _mode: str) -> io.BytesIO:
        return io.BytesIO(self._octets)


def read_by_the_standard_library(octets: bytes) -> tuple[int, dict[str, str], bytes]:
    sock: Any = Received(octets)
    response = HTTPResponse(sock)
    response.begin()
    headers: dict[str, str] = {}
    for name, text in response.headers.items():
        headers.setdefault(name.lower(), text.strip(" \t"))
    return response.status, headers, response.read()


def test_a_plain_reply_is_read_at_one_look() -> None:
    """Status, headers by their names in lower case, body."""
    reply = plain_reply(PLAIN)

    assert reply is not None
    assert (reply.status, reply.body) == (200, BODY)
    assert reply.headers == {"content-type": "application/json", "content-length": "18"}


@pytest.mark.parametrize(
    "octets",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(PLAIN[:-1], id="body not whole"),
        pytest.param(PLAIN + b"x", id="more than its body"),
        pytest.param(HEAD + LENGTH, id="head not whole"),
        pytest.param(HEAD + b"\r\n" + BODY, id="until the end"),
        pytest.param(HEAD + LENGTH * 2 + b"\r\n" + BODY, id="two lengths"),
        pytest.param(
            HEAD + LENGTH + b"content-length:  9\r\n\r\n" + BODY, id="contradiction"
        ),
        pytest.param(HEAD + b"Content-Length: +18\r\n\r\n" + BODY, id="odd length"),
        pytest.param(HEAD + b"Content-Length : 18\r\n\r\n" + BODY, id="space in name"),
        pytest.param(HEAD + LENGTH + b" more\r\n\r\n" + BODY, id="continued line"),
        pytest.param(HEAD + LENGTH + b"nonsense\r\n\r\n" + BODY, id="no colon"),
        pytest.param(HEAD + LENGTH + b": x\r\n\r\n" + BODY, id="no name"),
        pytest.param(HEAD + LENGTH + b"X: a\nY: b\r\n\r\n" + BODY, id="bare line feed"),
        pytest.param(HEAD + LENGTH + b"X: a\rY: b\r\n\r\n" + BODY, id="bare return"),
        pytest.param(
            HEAD + LENGTH + b"Transfer-Encoding: chunked\r\n\r\n" + BODY, id="chunks"
        ),
        pytest.param(HEAD + LENGTH + b"Connection: Close\r\n\r\n" + BODY, id="close"),
        pytest.param(
            HEAD + LENGTH + b"X: x\r\n" * 100 + b"\r\n" + BODY, id="many headers"
        ),
        pytest.param(PLAIN.replace(b"200 OK", b"100 OK"), id="interim"),
        pytest.param(PLAIN.replace(b"200 OK", b"204 OK"), id="no content"),
        pytest.param(PLAIN.replace(b"200 OK", b"304 OK"), id="not modified"),
        pytest.param(PLAIN.replace(b"200 OK", b"2000 OK"), id="odd status"),
        pytest.param(PLAIN.replace(b"200 OK", b"2\xb2\xb2 OK"), id="odd digits"),
        pytest.param(PLAIN.replace(b"1.1", b"1.0"), id="older"),
        pytest.param(b"220 mail.example.org ESMTP\r\n\r\n", id="another protocol"),
        pytest.param(b"\r\n" + PLAIN, id="empty line first"),
    ],
)
def test_what_is_not_plain_is_left_to_the_standard_library(octets: bytes) -> None:
    """Rather one look too many than an answer misread."""
    assert plain_reply(octets) is None


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *(LENGTH, b"Content-Length: 3\r\n", b"content-length:18 \t\r\n"),
                *(b"Connection: keep-alive\r\n", b"connection: close\r\n"),
                *(b"Transfer-Encoding: chunked\r\n", b"Retry-After: 3\r\n"),
                *(b"Content-Type: a/b\r\n", b"Content-Type:\r\n", b" c\r\n", b"\r\n"),
                *(b"X: \xe9:\x00\x0b\r\n", b"Set-Cookie: a\r\nSet-Cookie: b\r\n"),
            ]
        ),
        st.binary(max_size=12).map(lambda octets: octets + b"\r\n"),
    ),
    max_size=6,
)


@given(
    status=st.sampled_from([b"200 OK", b"404", b"429 ", b"302 Found", b"304 x"]),
    lines=LINES,
    body=st.sampled_from([BODY, b"", b"{}\n", BODY + b"\r\n\r\n"]),
)
def test_no_reply_is_read_in_two_ways(
    status: bytes, lines: list[bytes], body: bytes
) -> None:
    """Whatever it is taken for here, it is so there."""
    octets = b"HTTP/1.1 %b\r\n%b\r\n%b" % (status, b"".join(lines), body)

    reply = plain_reply(octets)

    if reply is not None:
        try:
            expected = read_by_the_standard_library(octets)
        except HTTPException as error:
            raise AssertionError(octets) from error
        assert (reply.status, reply.headers, reply.body) == expected
