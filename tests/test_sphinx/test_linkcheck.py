"""`-b linkcheck` checks handles at their records, without its measured faults."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.background import nobody_at, serving
from tests.proxy_server import API, running, values_of
from tests.test_sphinx.conftest import MakeProject, needs_sphinx_8_1
from tests.test_sphinx.project import Built

pytestmark = pytest.mark.slow

PAGE = """
Title
=====

Good: hdl:/20.1000/1 and http://dx.doi.org/10.1000%2F182.
Bad: :hdl:`a title <20.1000/404>`, and again
`here <https://hdl.handle.net/20.1000/404>`_.
"""


def test_each_place_is_reported_as_its_author_wrote_it(project: MakeProject) -> None:
    """Good handles are ok; unregistered ones are broken, with the reason."""
    records = {"20.1000/1": "https://example.org/", "10.1000/182": "https://doi.org/x"}
    with running(records) as proxy:
        built = project(PAGE, handle_resolver=proxy.url, handle_cache=False).build(
            "linkcheck"
        )
        rows = [json.loads(line) for line in built.page("output.json").splitlines()]

        assert [(row["lineno"], row["status"], row["uri"]) for row in rows] == [
            (4, "working", "hdl:/20.1000/1"),
            (4, "working", "http://dx.doi.org/10.1000%2F182"),
            (5, "broken", "20.1000/404"),
            (6, "broken", "https://hdl.handle.net/20.1000/404"),
        ]
        assert built.page("output.txt") == (
            "index.rst:5: [broken] 20.1000/404: this handle is not registered\n"
            "index.rst:6: [broken] https://hdl.handle.net/20.1000/404: "
            "this handle is not registered\n"
        )
        assert built.returncode == 1
        assert proxy.asked == {"20.1000/1": 1, "10.1000/182": 1, "20.1000/404": 1}


def test_an_unreachable_handle_is_not_broken(project: MakeProject) -> None:
    """Links to unreachable handles are ignored."""
    with nobody_at() as address:
        built = project(PAGE, handle_resolver=address, handle_cache=False).build(
            "linkcheck"
        )
    rows = [json.loads(line) for line in built.page("output.json").splitlines()]

    assert {row["status"] for row in rows} == {"ignored"}
    assert built.page("output.txt") == ""
    assert built.returncode == 0


def test_patterns_of_ignored_links_hold_for_handles_too(project: MakeProject) -> None:
    """`linkcheck_ignore` applies to handles, too."""
    with running({}) as proxy:
        built = project(
            PAGE,
            handle_resolver=proxy.url,
            handle_cache=False,
            linkcheck_ignore=[r".*20\.1000", "http://dx"],
        ).build("linkcheck")

        assert built.page("output.txt") == ""
        assert built.returncode == 0
        assert proxy.requests == []


@pytest.mark.parametrize(
    "conf",
    [
        {"linkcheck_exclude_documents": ["ind.*"]},
        {"linkcheck_ignore": [r"https://(doi\.org|hdl\.handle\.net)/"]},
        {"handle_verify_exclude_documents": ["index"]},
        {"handle_verify_ignore": ["20.1000", "10.1000/1*"]},
    ],
)
def test_what_is_left_out_is_ignored_and_not_asked_for(
    project: MakeProject, conf: dict[str, object]
) -> None:
    """Sphinx's options and ours exclude handles."""
    with running({}) as proxy:
        built = project(
            PAGE, handle_resolver=proxy.url, handle_cache=False, **conf
        ).build("linkcheck")
        rows = [json.loads(line) for line in built.page("output.json").splitlines()]

        assert [(row["status"], row["uri"]) for row in rows] == [
            ("ignored", "hdl:/20.1000/1"),
            ("ignored", "http://dx.doi.org/10.1000%2F182"),
            ("ignored", "20.1000/404"),
            ("ignored", "https://hdl.handle.net/20.1000/404"),
        ]
        assert built.returncode == 0
        assert proxy.requests == []


@pytest.mark.parametrize("off", ["", ":no-handle:\n\n", ".. rst-class:: no-handle\n\n"])
def test_links_that_are_not_taken_for_handles_are_checked_as_any_other(
    project: MakeProject, off: str
) -> None:
    """Sphinx checks the links that are not recognised as handles."""
    with running({}) as proxy:
        link = f"{proxy.url}20.1000/1"
        built = project(
            f"{off}`a link <{link}>`_\n",
            handle_resolver=proxy.url,
            handle_proxies={"": proxy.url},
            handle_cache=False,
            handle_recognize=bool(off),
        ).build("linkcheck")
        (row,) = [json.loads(line) for line in built.page("output.json").splitlines()]

        assert (row["status"], row["uri"], row["code"]) == ("broken", link, 0)
        assert row["info"].startswith("404 Client Error: Not Found for url: ")
        assert built.returncode == 1
        assert {path.partition("?")[0] for path in proxy.requests} == {"/20.1000/1"}


@pytest.mark.parametrize(
    ("severity", "status", "word"),
    [("error", 1, "broken"), ("note", 0, "ignored"), ("off", 0, "ignored")],
)
def test_links_are_broken_where_the_project_says_so(
    project: MakeProject, severity: str, status: int, word: str
) -> None:
    """`handle_severity` applies to linkcheck, too."""
    with running({"20.1000/1": {"responseCode": 2}}) as proxy:
        built = project(
            "T\n=\n\nhdl:20.1000/1\n",
            handle_resolver=proxy.url,
            handle_cache=False,
            handle_severity={"unreachable": severity},
        ).build("linkcheck")
    (row,) = [json.loads(line) for line in built.page("output.json").splitlines()]

    assert (built.returncode, row["status"]) == (status, word)


def test_hostile_records_make_no_lines(project: MakeProject) -> None:
    """Line breaks from a record are escaped."""
    url = {
        "index": 1,
        "type": "URL",
        "data": {"format": "string", "value": "x\nindex.rst:1: [broken] forged"},
        "ttl": 86400,
        "timestamp": "2026-11-20T17:05:40Z",
    }
    with running({"20.1000/1": [url]}) as proxy:
        built = project(
            "T\n=\n\nhdl:20.1000/1\n",
            handle_resolver=proxy.url,
            handle_cache=False,
            handle_severity={"record": "warning"},
        ).build("linkcheck")

    assert built.page("output.txt").count("\n") == 1
    assert built.page("output.txt").startswith("index.rst:4: [broken] hdl:20.1000/1: ")


class ProxyBeforePublisher(BaseHTTPRequestHandler):
    """The proxy serves `/api/handles/…` and redirects to publishers on this server."""

    def do_GET(self) -> None:
        """Send the record, or redirect to the publisher that the suffix names."""
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
        """Send a complete response."""
        octets = json.dumps(body).encode() if self.command == "GET" else b""
        self.send_response(status)
        named = {"Content-Type": "application/json", "Content-Length": str(len(octets))}
        for name, text in {**named, **headers}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(octets)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
        """Log nothing."""


@pytest.fixture(scope="module")
def proxy() -> Iterator[str]:
    """The proxy's base URL."""
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), ProxyBeforePublisher)) as server:
        yield f"http://127.0.0.1:{server.server_port}/"


#: Line, status, URI, and information.
Row = tuple[int, str, str, str]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A text, and linkcheck's rows without and with the extension.

    `{proxy}` stands for the proxy's address.
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

#: A hook of today's projects that makes linkcheck request the proxy instead of a
#: publisher.
REWRITING = """
def rewrite(app, uri):
    if "/20.1000/" in uri:
        return uri.replace("/20.1000/", "/api/handles/20.1000/")
def setup(app):
    app.connect("linkcheck-process-uri", rewrite)
"""


def check(make: MakeProject, fault: Fault, proxy: str, *, ours: bool) -> Built:
    """Check a fault's links, with or without the extension; strictly, as `-W` does."""
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
    """The rows of linkcheck's report."""
    read = map(json.loads, built.page("output.json").splitlines())
    return [(row["lineno"], row["status"], row["uri"], row["info"]) for row in read]


def at(proxy: str, expected: list[Row]) -> list[Row]:
    """The expected rows with the proxy's address."""
    return [
        (line, status, uri.replace("{proxy}", proxy), info.replace("{proxy}", proxy))
        for line, status, uri, info in expected
    ]


def _faults(*, ours: bool) -> list[Any]:
    """The faults; with old versions of Sphinx, none that makes a strict build fail."""
    parameters = []
    for name, fault in FAULTS.items():
        fails = fault.statuses[ours] != 0
        marks = [needs_sphinx_8_1] if fails else []
        parameters.append(pytest.param(fault, id=name, marks=marks))
    return parameters


@pytest.mark.parametrize("fault", _faults(ours=False))
def test_the_fault_is_there_without_us(
    project: MakeProject, fault: Fault, proxy: str
) -> None:
    """Without the extension, linkcheck gives a false result."""
    built = check(project, fault, proxy, ours=False)

    assert rows(built) == at(proxy, fault.today)
    assert built.returncode == fault.statuses[0]


@pytest.mark.parametrize("fault", _faults(ours=True))
def test_the_fault_is_mended_with_us(
    project: MakeProject, fault: Fault, proxy: str
) -> None:
    """Handles are checked at their records, at every place, as written."""
    built = check(project, fault, proxy, ours=True)

    assert rows(built) == at(proxy, fault.mended)
    assert built.returncode == fault.statuses[1]
