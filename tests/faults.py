"""What a server can do wrong, played over real connections on loopback.

Each fault takes over one request of `tests.proxy_server`.  None waits by
itself: one that lets its client wait does so until the client goes away.
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
NOT_JSON = b"<html><body>Sign in to the network</body></html>"


def right_answer(handler: BaseHTTPRequestHandler) -> bytes:
    """What a server in order would have answered."""
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
    """Send a whole answer; `headers` go before the usual ones."""
    usual = {"Content-Type": JSON_TYPE, "Content-Length": str(len(body))}
    handler.send_response(status)
    for name, text in {**usual, **(headers or {})}.items():
        handler.send_header(name, text)
    handler.end_headers()
    handler.wfile.write(body)


def sending(
    body: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Fault:
    """A fault that is one answer, always the same."""
    return lambda handler: send(handler, body, status=status, headers=headers)


def wait_for_the_end(handler: BaseHTTPRequestHandler) -> None:
    """Say nothing until the client goes away."""
    handler.close_connection = True
    handler.connection.recv(1)


def reset(handler: BaseHTTPRequestHandler) -> None:
    """Break the connection off, without a farewell."""
    handler.close_connection = True
    at_once = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    handler.connection.close()


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    """Close the connection with a farewell, and no answer."""
    handler.close_connection = True


def drip(handler: BaseHTTPRequestHandler, octets: bytes) -> None:
    """One octet, and another as soon as the client has been patient a little."""
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
    """Headers that do not end."""
    drip(handler, b"HTTP/1.1 200 OK\r\nX-Patience: " + b"x" * 60_000)


def drip_body(handler: BaseHTTPRequestHandler) -> None:
    """A right answer, one octet at a time."""
    body = right_answer(handler).ljust(60_000)
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: {JSON_TYPE}\r\nContent-Length: 60000\r\n\r\n"
    )
    handler.wfile.write(head.encode())
    drip(handler, body)


def endless_body(handler: BaseHTTPRequestHandler) -> None:
    """No length, and no end."""
    handler.close_connection = True
    handler.send_response(200)
    handler.send_header("Content-Type", JSON_TYPE)
    handler.end_headers()
    while True:
        handler.wfile.write(b" " * 65536)


def endless_chunks(handler: BaseHTTPRequestHandler) -> None:
    """As `endless_body`, in chunks."""
    handler.close_connection = True
    handler.send_response(200)
    handler.send_header("Content-Type", JSON_TYPE)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    while True:
        handler.wfile.write(b"10000\r\n" + b" " * 65536 + b"\r\n")


def large_body(handler: BaseHTTPRequestHandler) -> None:
    """A right answer, and ten megabytes of white space."""
    send(handler, right_answer(handler).ljust(10_000_000))


def compressed_wrongly(handler: BaseHTTPRequestHandler) -> None:
    """Says gzip, and is not."""
    send(handler, right_answer(handler), headers={"Content-Encoding": "gzip"})


def compressed_oddly(handler: BaseHTTPRequestHandler) -> None:
    """Says it is what nobody asked for."""
    send(handler, right_answer(handler), headers={"Content-Encoding": "br"})


def gzip_bomb(handler: BaseHTTPRequestHandler) -> None:
    """Fifty megabytes in a few kilobytes."""
    send(handler, BOMB, headers={"Content-Encoding": "gzip"})


def wrong_type(handler: BaseHTTPRequestHandler) -> None:
    """A right answer that says it is something else."""
    send(handler, right_answer(handler), headers={"Content-Type": "text/plain"})


def cut_body(handler: BaseHTTPRequestHandler) -> None:
    """Half of an answer, and the connection is closed."""
    body = right_answer(handler)
    handler.close_connection = True
    send(handler, body[: len(body) // 2], headers={"Content-Length": str(len(body))})


def cut_json(handler: BaseHTTPRequestHandler) -> None:
    """Half of an answer that says it is whole."""
    body = right_answer(handler)
    send(handler, body[: len(body) // 2])


def wrong_echo(handler: BaseHTTPRequestHandler) -> None:
    """A right answer to somebody else's question."""
    body = {"responseCode": 100, "handle": "20.1000/somebody-elses"}
    send(handler, json.dumps(body).encode(), status=404)


def redirect_in_circles(handler: BaseHTTPRequestHandler) -> None:
    """To itself."""
    send(handler, b"", status=302, headers={"Location": handler.path})


def redirect_to(where: str) -> Fault:
    """To another address."""
    return sending(b"", status=302, headers={"Location": where})


def garbage(handler: BaseHTTPRequestHandler) -> None:
    """What is no HTTP."""
    handler.close_connection = True
    handler.wfile.write(b"220 mail.example.org ESMTP\r\n")


def many_headers(handler: BaseHTTPRequestHandler) -> None:
    """More headers than anybody reads."""
    headers = {f"X-Header-{number}": "x" for number in range(1000)}
    send(handler, right_answer(handler), headers=headers)


def busy(retry_after: str | None) -> Fault:
    """Too many requests."""
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
    "endless body": endless_body,
    "endless chunks": endless_chunks,
    "large body": large_body,
    "deep JSON": sending(b"[" * 200_000),
    "wrong type": wrong_type,
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
    "gzip bomb": gzip_bomb,
    "compressed wrongly": compressed_wrongly,
    "compressed oddly": compressed_oddly,
    "invalid UTF-8": sending(
        b'{"responseCode":100,"handle":"20.1000/\xff"}', status=404
    ),
    "cut body": cut_body,
    "cut JSON": cut_json,
    "empty": sending(b""),
    "wrong echo": wrong_echo,
    "no echo": sending(b'{"responseCode":100}', status=404),
    "garbage": garbage,
    "many headers": many_headers,
}
"""Every fault of a single answer, by name; those of a whole server are elsewhere."""
