"""A real HTTP server on loopback that plays doi.org, an agency, or a publisher.

An entry answers for one path, which is compared percent-decoded.  The server counts
requests, so that tests can assert the real traffic, and a page that must not be opened.
"""

import json
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, unquote, urlsplit

from tests.background import serving

CSL_JSON = "application/vnd.citationstyles.csl+json"
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """An answer of the server."""

    status: int = 200
    body: bytes = b""
    content_type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict)
    after: threading.Event | None = None
    """The reply waits for this event."""


def as_csl(value: object, content_type: str = CSL_JSON) -> Reply:
    """An answer in JSON."""
    return Reply(body=json.dumps(value).encode(), content_type=content_type)


def redirect(location: str, status: int = 302) -> Reply:
    """A redirect, with the page that doi.org sends along."""
    body = b"<html>Handle Redirect</html>"
    return Reply(status=status, body=body, headers={"Location": location})


class AgencyServer(ThreadingHTTPServer):
    """The server; use `running_agency`."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies: dict[str, list[Reply]] = {}
        self.lock = threading.Lock()
        self.requests: list[str] = []
        self.headers_seen: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        """The base of the server."""
        return f"{self.origin}/"

    @property
    def origin(self) -> str:
        """Its scheme and host."""
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, path: str, *replies: Reply) -> None:
        """Answer for a path with these replies in turn; the last one stays."""
        self.replies[f"/{path}"] = list(replies)

    def describe(self, doi: str, answer: object) -> None:
        """Redirect a DOI to this very server, and answer there."""
        self.answer(doi, redirect(f"{self.url}metadata/{doi}"))
        self.answer(f"metadata/{doi}", as_csl(answer))

    def next_reply(self, path: str) -> Reply:
        """The reply to a request."""
        with self.lock:
            self.requests.append(path)
            replies = self.replies.get(path)
            if not replies:
                return Reply(status=404, body=b"<html>DOI Not Found</html>")
            return replies.pop(0) if len(replies) > 1 else replies[0]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print an error, but for that of a client that was killed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class ListingServer(AgencyServer):
    """A server that answers about single DOIs and lists of them, as both agencies do.

    Attributes:
        is_datacite: Whether it plays DataCite, else Crossref.
        works: What it answers about each DOI, which stands there in lower case.
        most_characters: The length of an address, above which it answers 414.
        refused: A DOI that makes it answer 400.
        trouble: What it answers to each list instead.
    """

    def __init__(self, *, is_datacite: bool = False) -> None:
        super().__init__()
        self.is_datacite = is_datacite
        self.works: dict[str, Any] = {}
        self.most_characters = 10_000
        self.refused = ""
        self.trouble: Reply | None = None

    @property
    def lists(self) -> list[list[str]]:
        """The DOIs of each list that it was asked for."""
        queries = [urlsplit(path).query for path in self.requests if "?" in path]
        return [self._dois_of(query) for query in queries]

    def next_reply(self, path: str) -> Reply:
        """The reply to a request for a list, or for one DOI."""
        name = path.partition("/")[2].partition("/")[2]
        if "?" not in path:
            work = self.works.get(name.lower())
            if work is not None:
                self.replies[path] = [as_csl(self._alone(work))]
            return super().next_reply(path)
        with self.lock:
            self.requests.append(path)
        query = urlsplit(path).query
        dois = self._dois_of(query)
        if self.trouble is not None:
            return self.trouble
        if len(path) > self.most_characters:
            return Reply(status=414)
        if self.refused in dois:
            return Reply(status=400)
        fields = parse_qs(query)
        usual, name = (25, "page[size]") if self.is_datacite else (20, "rows")
        size = int(fields.get(name, [str(usual)])[0])
        found = [self.works[doi] for doi in dois if doi in self.works]
        return as_csl(self._together(list(reversed(found))[:size]))

    def _dois_of(self, query: str) -> list[str]:
        name = "ids" if self.is_datacite else "filter"
        terms = parse_qs(query)[name][0].split(",")
        return [term.removeprefix("doi:").lower() for term in terms]

    def _alone(self, work: object) -> object:
        if self.is_datacite:
            return {"data": {"attributes": work}}
        return {"status": "ok", "message": work}

    def _together(self, works: list[object]) -> object:
        if self.is_datacite:
            return {"data": [{"attributes": work} for work in works]}
        return {"status": "ok", "message": {"items": works, "total-results": 1}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body are written apart, and a client would wait for the second.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        server = cast("AgencyServer", self.server)
        with server.lock:
            server.headers_seen.append(dict(self.headers))
        reply = server.next_reply(unquote(self.path))
        if reply.after is not None:
            reply.after.wait()
        # A client that was stopped reads no answer.
        with suppress(ConnectionError):
            self._send(reply)

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, *_arguments: Any) -> None:
        """Write no log."""


@contextmanager
def running_agency() -> Iterator[AgencyServer]:
    """A server while the context lasts."""
    with serving(AgencyServer()) as server:
        yield server
