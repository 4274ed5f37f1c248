"""Server faults, over real connections on loopback.

Each fault handles one request of `tests.proxy_server`.  A fault that keeps its client
waiting ends when the client closes the connection.
"""

import gzip
import json
import socket
import struct
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote

from tests.proxy_server import API, Fault, values_of

BOMB = gzip.compress(b" " * 50_000_000, compresslevel=1)
JSON_TYPE = "application/json;charset=utf-8"
CHUNK = b"10000\r\n" + b" " * 65536 + b"\r\n"
SOMEBODY_ELSES = b'{"responseCode":100,"handle":"20.1000/somebody-elses"}'
NOT_JSON = b"<html><body>Sign in to the network</body></html>"


def right_answer(handler: BaseHTTPRequestHandler) -> bytes:
    """The response of a server without a fault."""
    handle = unquote(handler.path.partition("?")[0].removeprefix(API))
    values = values_of("https://example.org/")
    body = {"responseCode": 1, "handle": handle, "values": values}
    return json.dumps(body).encode()


def send(
    handler: BaseHTTPRequestHandler,
    body: bytes,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Send a complete response; `headers` precede the usual ones."""
    usual = {"Content-Type": JSON_TYPE, "Content-Length": str(len(body))}
    handler.send_response(status)
    for name, text in {**usual, **(headers or {})}.items():
        handler.send_header(name, text)
    handler.end_headers()
    handler.wfile.write(body)


def sending(
    body: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Fault:
    """A fault that always sends the same response."""
    return lambda handler: send(handler, body, status=status, headers=headers)


def rightly(headers: Mapping[str, str] | None = None) -> Fault:
    """The correct response, with headers that may be wrong."""
    return lambda handler: send(handler, right_answer(handler), headers=headers)


def wait_for_the_end(handler: BaseHTTPRequestHandler) -> None:
    """Send nothing until the client closes the connection."""
    handler.close_connection = True
    handler.connection.recv(1)


def reset(handler: BaseHTTPRequestHandler) -> None:
    """Reset the connection."""
    handler.close_connection = True
    at_once = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    handler.connection.close()


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    """Close the connection without a response."""
    handler.close_connection = True


def drip(handler: BaseHTTPRequestHandler, octets: bytes) -> None:
    """Send one octet at a time, with pauses."""
    handler.close_connection = True
    handler.connection.settimeout(0.01)
    for octet in octets:
        handler.wfile.write(bytes([octet]))
        try:
            if handler.connection.recv(1) == b"":
                return
        except TimeoutError:
            continue


def drip_head(handler: BaseHTTPRequestHandler) -> None:
    """Send headers that do not end."""
    drip(handler, b"HTTP/1.1 200 OK\r\nX-Patience: " + b"x" * 60_000)


def drip_body(handler: BaseHTTPRequestHandler) -> None:
    """Send the correct response one octet at a time."""
    body = right_answer(handler).ljust(60_000)
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: {JSON_TYPE}\r\nContent-Length: 60000\r\n\r\n"
    )
    handler.wfile.write(head.encode())
    drip(handler, body)


def endless(framing: Mapping[str, str], part: bytes) -> Fault:
    """Repeat a part of a body without a length or an end."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        handler.send_response(200)
        for name, text in {"Content-Type": JSON_TYPE, **framing}.items():
            handler.send_header(name, text)
        handler.end_headers()
        while True:
            handler.wfile.write(part)

    return answer


def large_body(handler: BaseHTTPRequestHandler) -> None:
    """Send the correct response and ten megabytes of white space."""
    send(handler, right_answer(handler).ljust(10_000_000))


def cut_body(handler: BaseHTTPRequestHandler) -> None:
    """Send half of a response and close the connection."""
    body = right_answer(handler)
    handler.close_connection = True
    send(handler, body[: len(body) // 2], headers={"Content-Length": str(len(body))})


def cut_json(handler: BaseHTTPRequestHandler) -> None:
    """Send half of a response with the length of that half."""
    body = right_answer(handler)
    send(handler, body[: len(body) // 2])


def redirect_in_circles(handler: BaseHTTPRequestHandler) -> None:
    """Redirect to the same address."""
    send(handler, b"", status=302, headers={"Location": handler.path})


def redirect_to(where: str) -> Fault:
    """Redirect to another address."""
    return sending(b"", status=302, headers={"Location": where})


def garbage(handler: BaseHTTPRequestHandler) -> None:
    """Send a response that is not HTTP."""
    handler.close_connection = True
    handler.wfile.write(b"220 mail.example.org ESMTP\r\n")


def busy(retry_after: str | None) -> Fault:
    """Report too many requests."""
    headers = {"Content-Type": "text/html"}
    if retry_after is not None:
        headers["Retry-After"] = retry_after
    return sending(NOT_JSON, status=429, headers=headers)


FAULTS: dict[str, Fault] = {
    "time-out": wait_for_the_end,
    "reset": reset,
    "hang up": hang_up,
    "drip of headers": drip_head,
    "drip of body": drip_body,
    "endless body": endless({}, b" " * 65536),
    "endless chunks": endless({"Transfer-Encoding": "chunked"}, CHUNK),
    "large body": large_body,
    "deep JSON": sending(b"[" * 200_000),
    "wrong type": rightly({"Content-Type": "text/plain"}),
    "HTML 200": sending(NOT_JSON, headers={"Content-Type": "text/html"}),
    "HTML 404": sending(NOT_JSON, status=404, headers={"Content-Type": "text/html"}),
    "429": busy(None),
    "429, seconds": busy("1"),
    "429, many seconds": busy("86400"),
    "429, date": busy("Fri, 20 Nov 2026 12:00:01 GMT"),
    "429, nonsense": busy("soon"),
    "500": sending(b"", status=500),
    "502": sending(NOT_JSON, status=502, headers={"Content-Type": "text/html"}),
    "503": sending(b"", status=503),
    "code 2": sending(b'{"responseCode":2}', status=500),
    "redirect in circles": redirect_in_circles,
    "redirect to nowhere": redirect_to("//"),
    "redirect to a script": redirect_to("javascript:alert(1)"),
    "gzip bomb": sending(BOMB, headers={"Content-Encoding": "gzip"}),
    "compressed wrongly": rightly({"Content-Encoding": "gzip"}),
    "compressed oddly": rightly({"Content-Encoding": "br"}),
    "invalid UTF-8": sending(
        b'{"responseCode":100,"handle":"20.1000/\xff"}', status=404
    ),
    "cut body": cut_body,
    "cut JSON": cut_json,
    "empty": sending(b""),
    "wrong echo": sending(SOMEBODY_ELSES, status=404),
    "no echo": sending(b'{"responseCode":100}', status=404),
    "garbage": garbage,
    "many headers": rightly({f"X-Header-{n}": "x" for n in range(1000)}),
}
"""Every fault of a single response, by name."""
