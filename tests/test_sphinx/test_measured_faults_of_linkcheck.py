"""Faults of the link checker, as measured: each is there without us, and mended with us.

A server on loopback plays a proxy that answers at records, and sends browsers on to a
publisher, as `doi.org` does; the publisher lets nobody in who is a machine.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.background import serving
from tests.proxy_server import API, values_of
from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built


class ProxyBeforePublisher(BaseHTTPRequestHandler):
    """`/api/handles/…` is the proxy's, `/refusing/…` and `/open/…` the publishers'."""

    def do_GET(self) -> None:
        """Answer at the record, or send to the publisher that the suffix names."""
        handle = self.path.removeprefix(API)
        if handle == "20.1000/unknown":
            self.answer(404, {"responseCode": 100, "handle": handle})
        elif handle != self.path:
            values = values_of("https://publisher.example/")
            self.answer(200, {"responseCode": 1, "handle": handle, "values": values})
        elif self.path.startswith("/20.1000/"):
            where = self.path.replace("/20.1000/", "/publisher/")
            self.answer(302, {}, Location=where)
        else:
            self.answer(403 if "refuses" in self.path else 200, {})

    do_HEAD = do_GET  # noqa: N815 - the name is the method of HTTP

    def answer(self, status: int, body: object, **headers: str) -> None:
        """Send a whole answer."""
        octets = json.dumps(body).encode() if self.command == "GET" else b""
        self.send_response(status)
        named = {"Content-Type": "application/json", "Content-Length": str(len(octets))}
        for name, text in {**named, **headers}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(octets)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
        """Nothing."""


@pytest.fixture(scope="module")
def proxy() -> Iterator[str]:
    """The proxy's base URL."""
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), ProxyBeforePublisher)) as server:
        yield f"http://127.0.0.1:{server.server_port}/"


#: Line, status, what is named, and why.
Row = tuple[int, str, str, str]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A text, and what the link checker says of it today and with us.

    Where the proxy's address stands in either, it is `{proxy}`.
    """

    text: str
    today: list[Row]
    mended: list[Row]
    conf: dict[str, Any] = field(default_factory=dict)
    statuses: tuple[int, int] = (0, 0)


FAULTS = {
    "1-broken-without-a-reason": Fault(
        text="hdl:20.1000/one",
        today=[(4, "broken", "hdl:20.1000/one", "")],
        mended=[(4, "working", "hdl:20.1000/one", "")],
        statuses=(1, 0),
    ),
    "1-unchecked": Fault(
        text="hdl://127.0.0.1/20.1000/unknown",
        today=[(4, "unchecked", "hdl://127.0.0.1/20.1000/unknown", "")],
        mended=[
            (
                4,
                "broken",
                "hdl://127.0.0.1/20.1000/unknown",
                "this handle is not registered",
            )
        ],
        statuses=(0, 1),
    ),
    "13-the-first-place-only": Fault(
        text="`x <{proxy}20.1000/unknown>`__\n\n`x <{proxy}20.1000/unknown>`__",
        today=[(4, "redirected", "{proxy}20.1000/unknown", "{proxy}publisher/unknown")],
        mended=[
            (line, "broken", "{proxy}20.1000/unknown", "this handle is not registered")
            for line in (4, 6)
        ],
        statuses=(0, 1),
    ),
    "13-a-refusing-publisher": Fault(
        text="{proxy}20.1000/refuses",
        today=[
            (
                4,
                "broken",
                "{proxy}20.1000/refuses",
                "403 Client Error: Forbidden for url: {proxy}publisher/refuses",
            )
        ],
        mended=[(4, "working", "{proxy}20.1000/refuses", "")],
        statuses=(1, 0),
    ),
    "13-a-redirect-is-a-warning": Fault(
        text="{proxy}20.1000/one",
        conf={"linkcheck_allowed_redirects": {"https://example.org/": ".*"}},
        today=[(4, "redirected", "{proxy}20.1000/one", "{proxy}publisher/one")],
        mended=[(4, "working", "{proxy}20.1000/one", "")],
        statuses=(1, 0),
    ),
    "13-the-rewritten-address-is-named": Fault(
        text="{proxy}20.1000/one",
        today=[
            (
                4,
                "working",
                "{proxy}api/handles/20.1000/one",
                "",
            )
        ],
        mended=[(4, "working", "{proxy}20.1000/one", "")],
        conf={"rewriting": True},
    ),
}

#: What projects do today, so that a proxy is asked instead of a publisher.
REWRITING = """
def rewrite(app, uri):
    if "/20.1000/" in uri:
        return uri.replace("/20.1000/", "/api/handles/20.1000/")
def setup(app):
    app.connect("linkcheck-process-uri", rewrite)
"""


def check(make: MakeProject, fault: Fault, proxy: str, *, ours: bool) -> Built:
    """Check a fault's links, with the extension or without; strictly, as `-W` does."""
    settings = dict(fault.conf)
    rewriting = settings.pop("rewriting", False)
    if ours:
        settings |= {"handle_resolver": proxy, "handle_cache": False}
        settings |= {"handle_known_proxies": [proxy]}
    text = fault.text.replace("{proxy}", proxy)
    prelude = REWRITING if rewriting and not ours else ""
    made = make(f"Title\n=====\n\n{text}\n", ours=ours, prelude=prelude, **settings)
    return made.build("linkcheck", strict=True)


def rows(built: Built) -> list[Row]:
    """What the link checker reports."""
    read = map(json.loads, built.page("output.json").splitlines())
    return [(row["lineno"], row["status"], row["uri"], row["info"]) for row in read]


def at(proxy: str, expected: list[Row]) -> list[Row]:
    """The same with the proxy's address in its places."""
    return [
        (line, status, uri.replace("{proxy}", proxy), info.replace("{proxy}", proxy))
        for line, status, uri, info in expected
    ]


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_fault_is_there_without_us(
    project: MakeProject, fault: Fault, proxy: str
) -> None:
    """The link checker alone says what is not so, or does not say what is."""
    built = check(project, fault, proxy, ours=False)

    assert rows(built) == at(proxy, fault.today)
    assert built.returncode == fault.statuses[0]


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_fault_is_mended_with_us(
    project: MakeProject, fault: Fault, proxy: str
) -> None:
    """Handles are asked for at their records, at every place, as they are written."""
    built = check(project, fault, proxy, ours=True)

    assert rows(built) == at(proxy, fault.mended)
    assert built.returncode == fault.statuses[1]
