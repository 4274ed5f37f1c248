"""A server of Redis that answers wrongly, slowly, or without an end."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

__all__ = ["ANSWERS", "Answer", "hostile_redis"]

#: Octets, or a function that sends them.
Answer: TypeAlias = bytes | Callable[[socket.socket], object]


def _drip(peer: socket.socket) -> None:
    """Send a bulk one octet at a time, until the client goes."""
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    peer.sendall(b"$4000000\r\n")
    while True:
        peer.sendall(b"1")


def _flood(peer: socket.socket) -> None:
    """Send a bulk of 200 MB."""
    peer.sendall(b"$200000000\r\n")
    for _ in range(200):
        peer.sendall(b"x" * 1_000_000)


def _endless_line(peer: socket.socket) -> None:
    while True:
        peer.sendall(b"+" * 65536)


ANSWERS: dict[str, Answer] = {
    "drip": _drip,
    "flood": _flood,
    "endless line": _endless_line,
    "integer": b":1\r\n",
    "long integer": b":" + b"9" * 5000 + b"\r\n",
    "nested arrays": b"*1\r\n" * 100_000,
    "array": b"*2\r\n:1\r\n:2\r\n",
    "negative size": b"$-7\r\n",
    "no protocol": b"HTTP/1.1 200 OK\r\n\r\n",
    "nothing": b"",
    "error": b"-ERR \x1b[31mno\r\n",
}


@contextmanager
def hostile_redis(answer: Answer) -> Iterator[str]:
    """A server that answers each command like this; its address."""

    def serve(peer: socket.socket) -> None:
        with peer, suppress(OSError):
            while peer.recv(65536):
                if isinstance(answer, bytes):
                    peer.sendall(answer)
                else:
                    answer(peer)

    def accept() -> None:
        with suppress(OSError):
            while True:
                peer, _ = listening.accept()
                threading.Thread(target=serve, args=(peer,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=accept, daemon=True).start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
