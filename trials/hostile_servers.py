"""A server that misbehaves for one handle, in every way that we know of.

    python -m trials.hostile_servers

For each behaviour one resolver requests valid handles, then the bad one, then more valid
ones, over the connections that it keeps. The bad one has the outcome in the table, its
neighbours have theirs, and no request lasts longer than the timeout.

A cache at a server of Redis that misbehaves is given up after one operation, within its
time, and the resolver goes on without it; its memory stays bounded.
"""

import gzip
import json
import resource
import socket
import struct
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from urllib.parse import unquote

from handle_system.handle import Handle
from handle_system.resolving import HttpSettings
from handle_system.resolving.cache import (
    _REDIS_SECONDS,
    CachingResolver,
    open_cache,
)
from handle_system.resolving.gate import Gate, RateLimit
from handle_system.resolving.outcomes import Resolved
from handle_system.resolving.resolvers import ProxyResolver
from tests.background import FakeClock
from tests.hostile_redis import ANSWERS, Answer, hostile_redis

BAD = "20.1000/bad"
TIMEOUT = 1.0
# A try can wait for the timeout, and the watchdog looks five times a second.
PATIENCE = 2 * TIMEOUT + 1.0
# What an answer of Redis may add to the memory of the process.
MOST_KILOBYTES = 64 * 1024
JSON_TYPE = "Content-Type: application/json;charset=utf-8"

Behaviour = bytes | Callable[[socket.socket], object]


def body(code: object = 1, handle: object = BAD, **members: object) -> bytes:
    """The JSON of a response about the bad handle."""
    values = [{"index": 1, "type": "URL", "data": "https://example.org/"}]
    return json.dumps(
        {"responseCode": code, "handle": handle, "values": values, **members}
    ).encode()


def answer(
    status: object, content: bytes, *headers: str, length: object = None
) -> bytes:
    """A framed response, with headers before the usual ones."""
    length = len(content) if length is None else length
    lines = [
        f"HTTP/1.1 {status} Word",
        *headers,
        JSON_TYPE,
        f"Content-Length: {length}",
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + content


def framed(head: str, content: bytes) -> bytes:
    """A response with its own head."""
    return head.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + content


OK = body()
GONE = body(100)
CHUNKED = f"HTTP/1.1 200 OK\n{JSON_TYPE}\nTransfer-Encoding: chunked"
ZIP = "Content-Encoding: gzip"
FIVE = b"5\r\n" + OK[:5] + b"\r\n"
BEHAVIOURS: dict[str, tuple[Behaviour, str]] = {}


def add(name: str, behaviour: Behaviour, expected: str = "unreachable") -> None:
    """Add a row to the table."""
    assert name not in BEHAVIOURS, name
    BEHAVIOURS[name] = behaviour, expected


def statuses() -> None:
    """Contradictory statuses and bodies."""
    for status in (
        201,
        202,
        203,
        206,
        226,
        300,
        304,
        400,
        401,
        403,
        404,
        405,
        410,
        418,
    ):
        add(f"code 1 with {status}", answer(status, OK))
    for status in (
        200,
        201,
        206,
        400,
        401,
        403,
        410,
        451,
        500,
        502,
        503,
        511,
        599,
        999,
    ):
        add(f"code 100 with {status}", answer(status, GONE))
    for status in (404, 429, 500, 503):
        add(f"HTML with {status}", answer(status, b"<p>not registered</p>"))
    for status in (204, 205):
        add(f"nothing with {status}", answer(status, b""))
    for word in ("20", "2000", "-200", "OK", "4O4", "404.0", "\xb2\xb0\xb0"):
        add(f"status {word}", answer(word, GONE))
    for number in (0, 2, 3, 4, 5, 6, 7, 99, 101, 201, 300, 301, 302, 2**63, -100):
        add(f"code {number}", answer(200, body(number)))
    add("code 200", answer(200, body(200)), "no-values")
    add("code 402", answer(401, body(402)), "refused")
    add("code 1", answer(200, OK), "resolved")
    add("code 100", answer(404, GONE), "not-registered")


def shapes() -> None:
    """Bodies that deviate from the protocol."""
    for code in ("100", 100.0, True, None, [100], {"code": 100}, float("nan")):
        add(f"code as {code!r}", answer(404, body(code)))
    for handle in ("20.1000/other", "", None, 7, "20.1000/BAD", "bad", "20.1000/bad/"):
        add(f"echo {handle!r}", answer(404, body(100, handle)))
    odd: tuple[object, ...] = (
        *({}, "x", None, 7, [7], [[]], [{}], [{"index": "1"}], [None]),
    )
    for values in odd:
        add(f"values {values!r}", answer(200, body(values=values)))
    for text in (
        *(b"", b"null", b"[]", b"100", b'"100"', b"{}", b"{", GONE + b"}", GONE + GONE),
        *(b"\xef\xbb\xbf" + GONE, GONE.decode().encode("utf-16"), b"[" * 10**5),
        *(b"\xff" + GONE, b"(" + GONE + b")", b"for(;;);" + GONE, b"\0" + GONE),
        GONE.replace(b"{", b'{"responseCode":1,', 1),
        GONE[:-1] + b',"handle":"20.1000/bad"}',
        b'{"responseCode":1' + b"0" * 5000 + b"}",
    ):
        add(f"body {text[:20]!r}, {len(text)} octets", answer(404, text))
    for url in (
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http://",
        "\x1b[2J",
        "x" * 9**5,
    ):
        value = {"index": 1, "type": "URL", "data": url}
        add(f"target {url[:20]!r}", answer(200, body(values=[value])), "resolved")
    alias = {"index": 1, "type": "HS_ALIAS", "data": BAD}
    add("alias of itself", answer(200, body(values=[alias])), "resolved")
    bomb = '<!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><locations>&b;</locations>'
    loc = {"index": 1, "type": "10320/loc", "data": bomb}
    add("bomb of XML", answer(200, body(values=[loc])), "resolved")


def framing() -> None:
    """Responses with a wrong length."""
    for length in (
        -1,
        "x",
        "",
        "0x10",
        10**20,
        len(GONE) - 1,
        len(GONE) + 1,
        "+5",
        "1 1",
    ):
        add(f"length {length}", answer(404, GONE, length=length))
    add("length 0", answer(404, GONE, length=0))
    twice = f"Content-Length: {len(GONE) - 9}"
    add("two lengths", answer(404, GONE, twice))
    add("answer and a second", answer(404, body(100, "20.1000/x")) + answer(404, GONE))
    add("HTTP/0.9", GONE)
    for name, content in {
        "no end": FIVE,
        "size x": b"x\r\n" + OK + b"\r\n0\r\n\r\n",
        "size -1": b"-1\r\n" + OK + b"\r\n0\r\n\r\n",
        "huge size": b"f" * 17 + b"\r\n" + OK,
        "no break after it": b"5\r\n" + OK + b"\r\n0\r\n\r\n",
        "empty": b"0\r\n\r\n",
        "endless extension": b"5;" + b"x" * 10**5,
    }.items():
        add(f"chunks, {name}", framed(CHUNKED, content))
    add("chunks and a length", framed(f"{CHUNKED}\nContent-Length: 3", FIVE))
    add("transfer coding x", framed(CHUNKED.replace("chunked", "x"), OK[:9]))
    packed = gzip.compress(OK)
    for name, content in {
        "cut": packed[:-12],
        "not at all": OK,
        "empty": b"",
        "bomb": gzip.compress(b" " * 10**8, 1),
        "twice": gzip.compress(packed),
        "damaged": packed[:20] + b"\0\0" + packed[22:],
        "a zlib stream cut": zlib.compress(OK)[:-8],
    }.items():
        add(f"gzip, {name}", answer(200, content, ZIP))
    for coding in ("br", "zstd", "compress", "gzip, gzip", "x" * 1000):
        add(f"coding {coding[:9]}", answer(200, OK, f"Content-Encoding: {coding}"))
    for kind in ("text/html", "text/plain", "application/octet-stream", "x"):
        lines = f"HTTP/1.1 404 No\nContent-Type: {kind}\nContent-Length: {len(GONE)}"
        add(f"type {kind}", framed(lines, GONE))
    add("no type", framed(f"HTTP/1.1 404 No\nContent-Length: {len(GONE)}", GONE))


def heads() -> None:
    """Malformed heads."""
    for name, octets in {
        "mail": b"220 mail.example.org ESMTP\r\n",
        "TLS alert": b"\x15\x03\x01\x00\x02\x02\x46",
        "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0" * 20,
        "nothing": b"",
        "line breaks": b"\r\n" * 1000,
        "nulls": b"\0" * 1000,
        "no space": b"HTTP/1.1200\r\n\r\n",
        "version 9": b"HTTP/9.9 404 No\r\n\r\n" + GONE,
        "a request": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "a long line": b"HTTP/1.1 200 " + b"x" * 10**6,
        "a long header": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 10**6,
        "many headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10**4,
    }.items():
        add(f"head: {name}", octets)
    go_on = b"HTTP/1.1 100 Continue\r\n\r\n"
    add("endless 100", partial(_repeat, octets=go_on))
    add("101", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")
    for value in (
        "1",
        "-1",
        "1e9",
        "99999999999",
        "soon",
        "Fri, 31 Dec 9999 23:59:59 GMT",
    ):
        add(f"429, {value}", answer(429, GONE, f"Retry-After: {value}"))
    for where in (
        *(
            "/api/handles/20.1000/bad",
            "//",
            "http://example.invalid/",
            "file:///etc/passwd",
        ),
        *(
            "javascript:alert(1)",
            "http://[",
            "http://a@127.0.0.1:1/",
            "ftp://x/",
            "\x1b[2J",
        ),
        *("https://127.0.0.1:1/", "http://127.0.0.1:1/", "x" * 10**4, "?", "\\\\x\\y"),
        "http://example.invalid\\@127.0.0.1/",
        "https://example.invalid\\@127.0.0.1/",
        "//example.invalid\\@127.0.0.1:1/",
        "/\\example.invalid/",
    ):
        add(f"redirect to {where[:48]!r}", answer(302, GONE, f"Location: {where}"))


def timing() -> None:
    """Connections that break, wait or never end."""
    whole = answer(200, OK)
    for cut in (1, 12, 60, len(whole) - len(OK), len(whole) - 1):
        add(f"closed after {cut}", whole[:cut])
        for ending in (_reset, _wait, _drip):
            add(f"{ending.__name__} after {cut}", partial(ending, octets=whole[:cut]))
    head = framed("HTTP/1.1 200 OK\n" + JSON_TYPE, b"")
    add("endless body", partial(_repeat, octets=b" " * 9999, head=head))
    add("endless chunks", partial(_repeat, octets=FIVE, head=framed(CHUNKED, b"")))
    add("endless head", partial(_repeat, octets=b"HTTP/1.1 200 OK\r\nX: "))
    add("reset at once", partial(_reset, octets=b""))


def _repeat(peer: socket.socket, octets: bytes, head: bytes = b"") -> None:
    peer.sendall(head)
    while True:
        peer.sendall(octets)


def _reset(peer: socket.socket, octets: bytes) -> None:
    peer.sendall(octets)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _wait(peer: socket.socket, octets: bytes) -> None:
    peer.sendall(octets)
    peer.recv(1)


def _drip(peer: socket.socket, octets: bytes) -> None:
    peer.sendall(octets)
    peer.settimeout(0.05)
    while True:
        peer.sendall(b" ")
        with suppress(TimeoutError):
            if not peer.recv(1):
                return


@contextmanager
def serving(behaviour: Behaviour) -> Iterator[str]:
    """The address of a server with this behaviour."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    peer, _ = server.accept()
                    threading.Thread(
                        target=_serve, args=(peer, behaviour), daemon=True
                    ).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        server.shutdown(socket.SHUT_RDWR)


def _serve(peer: socket.socket, behaviour: Behaviour) -> None:
    with peer, suppress(OSError):
        requests = peer.makefile("rb")
        while line := requests.readline():
            path = line.split()[1].decode()
            while requests.readline().strip():
                pass
            handle = unquote(path.partition("?")[0].removeprefix("/api/handles/"))
            if handle != BAD:
                value = {
                    "index": 1,
                    "type": "URL",
                    "data": f"https://example.org/{handle}",
                }
                peer.sendall(answer(200, body(1, handle, values=[value])))
            elif isinstance(behaviour, bytes):
                peer.sendall(behaviour)
                if not behaviour.startswith(b"HTTP/1.1") or b"Length" not in behaviour:
                    return
            else:
                behaviour(peer)
                return


def play(name: str, behaviour: Behaviour, expected: str) -> str | None:
    """Play one behaviour; return the error, if any."""
    clock = FakeClock()
    gate = Gate(RateLimit(tries=2), monotonic=clock.monotonic, sleep=clock.sleep)
    with (
        serving(behaviour) as url,
        ProxyResolver(url, http=HttpSettings(timeout=TIMEOUT), gate=gate) as resolver,
    ):
        for handle in ("20.1000/1", "20.1000/2", BAD, "20.1000/3", "20.1000/4"):
            begin = time.monotonic()
            outcome = resolver.resolve(Handle.parse(handle))
            seconds = time.monotonic() - begin
            if seconds > PATIENCE:
                return f"{name}: {handle} took {seconds:.1f} s"
            if handle == BAD and outcome.name != expected:
                return f"{name}: {outcome}"
            if handle == BAD and outcome.target not in {None, "https://example.org/"}:
                return f"{name}: leads to {outcome.target}"
            if handle != BAD and not (
                isinstance(outcome, Resolved)
                and outcome.target == f"https://example.org/{handle}"
            ):
                return f"{name}: its neighbour {handle} is {outcome}"
    return None


def play_redis(name: str, redis_answer: Answer) -> str | None:
    """Play one misbehaving server of Redis; return the error, if any."""
    warnings: list[str] = []
    handle = Handle.parse("20.1000/1")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with (
        serving(b"") as url,
        hostile_redis(redis_answer) as server,
        open_cache(f"redis://:secret@{server}/0", warn=warnings.append) as cache,
        CachingResolver(ProxyResolver(url), cache) as resolver,
    ):
        begin = time.monotonic()
        outcomes = [resolver.resolve(handle) for _ in range(3)]
        seconds = time.monotonic() - begin
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    if seconds > _REDIS_SECONDS + 1.0:
        return f"Redis, {name}: {seconds:.1f} s"
    if grown > MOST_KILOBYTES:
        return f"Redis, {name}: {grown} kB more memory"
    if len(warnings) != 1 or "secret" in warnings[0]:
        return f"Redis, {name}: {warnings}"
    if not all(isinstance(outcome, Resolved) for outcome in outcomes):
        return f"Redis, {name}: {outcomes}"
    return None


def main() -> int:
    """Play all behaviours; return the exit code."""
    for table in (statuses, shapes, framing, heads, timing):
        table()
    begin = time.monotonic()
    results = [play(name, *row) for name, row in BEHAVIOURS.items()]
    wrong = [result for result in results if result is not None]
    results += [
        play_redis(name, redis_answer) for name, redis_answer in ANSWERS.items()
    ]
    expected = Counter(name for _, name in BEHAVIOURS.values())
    print("\n".join(wrong))
    print(
        f"{len(BEHAVIOURS)} behaviours ({dict(expected)} expected), {len(ANSWERS)} of "
        f"Redis, {len(wrong)} wrong, "
        f"{time.monotonic() - begin:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
