"""`handle_system.resolving.transport`, `.tls`: real connections, certificates, proxies."""

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from queue import LifoQueue
from typing import Any, ClassVar

import pytest
from urllib3.connection import HTTPConnection
from urllib3.exceptions import NameResolutionError

from handle_system import __version__
from handle_system.handle import Handle
from handle_system.resolving.answer import Answer, NoAnswer
from handle_system.resolving.http_settings import HttpSettings, UnusableSettingError
from handle_system.resolving.old_many import resolve_many
from handle_system.resolving.outcome import Resolved, Unreachable
from handle_system.resolving.proxy_resolver import ProxyResolver
from handle_system.resolving.tls import check_reach, tls_context
from handle_system.resolving.transport import Transport
from tests.background import nobody_at
from tests.http_proxy import HttpProxy, running_proxy
from tests.proxy_server import AUTHORITY, ProxyServer, running
from tests.proxy_server import encrypted as running_encrypted

# Dots and doubled slashes, which a tidy proxy would take out.
HANDLES = [Handle.parse(text) for text in ("20.1000/a", "20.1000/b/../c", "20.1//d/")]
RECORDS = {str(handle): "https://example.org/" for handle in HANDLES}


@pytest.fixture
def plain() -> Iterator[ProxyServer]:
    with running(RECORDS) as server:
        yield server


@pytest.fixture
def encrypted() -> Iterator[ProxyServer]:
    with running_encrypted(RECORDS) as server:
        yield server


@pytest.fixture
def http_proxy() -> Iterator[HttpProxy]:
    with running_proxy() as proxy:
        yield proxy


def settings(environment: dict[str, str] | None = None, **options: Any) -> HttpSettings:
    return HttpSettings(timeout=60.0, environment=environment or {}, **options)


def all_resolved(server: ProxyServer, http: HttpSettings) -> bool:
    with ProxyResolver(server.url, http=http) as resolver:
        return all(isinstance(resolver.resolve(each), Resolved) for each in HANDLES)


def test_one_connection_serves_one_thread(plain: ProxyServer) -> None:
    """It is kept open, whatever the answer."""
    handles = [Handle("20.1000", str(number)) for number in range(50)]
    with ProxyResolver(plain.url) as resolver:
        resolve_many([*HANDLES, *handles], resolver, connections=1)

    assert len(plain.requests) == 53
    assert plain.connections == 1


def test_a_connection_that_the_server_closed_is_replaced(plain: ProxyServer) -> None:
    """Unnoticed by whoever asks."""

    def close(handler: Any) -> None:
        handler.answer(200, {"responseCode": 1, "handle": "20.1/last", "values": []})
        handler.close_connection = True

    plain.records["20.1/last"] = close
    with ProxyResolver(plain.url, http=settings()) as resolver:
        for _ in range(3):
            assert isinstance(resolver.resolve(Handle("20.1", "last")), Resolved)

    assert (len(plain.requests), plain.connections) == (3, 3)


BODY = b'{"responseCode":1,"handle":"20.1/odd","values":[]}'
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
TYPE = b"Content-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("pieces", "connections"),
    [
        pytest.param([b"HTTP/1.1 200 OK\r\n" + TYPE + LENGTH, b"\r\n", BODY], 1),
        pytest.param([b"HTTP/1.1 200\r\n" + TYPE + LENGTH + b"\r\n" + BODY], 1),
        pytest.param(
            [
                b"HTTP/1.1 100 Continue\r\n\r\n",
                b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
                b"HTTP/1.1 200 OK\r\n" + TYPE + LENGTH + b"\r\n" + BODY,
            ],
            1,
        ),
        pytest.param(
            [
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + TYPE + b"\r\n",
                b"%x\r\n%b\r\n" % (9, BODY[:9]),
                b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY) - 9, BODY[9:]),
            ],
            1,
        ),
        pytest.param(
            [
                b"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Type:\r\n",
                b" application/json\r\n" + LENGTH + b"\r\n" + BODY,
            ],
            1,
        ),
        pytest.param([b"HTTP/1.0 200 OK\r\n" + TYPE + b"\r\n" + BODY, None], 2),
        pytest.param(
            [
                b"HTTP/1.1 200 OK\r\nConnection: close\r\n" + TYPE + LENGTH + b"\r\n",
                BODY,
            ],
            2,
        ),
    ],
    ids=["pieces", "short", "interim", "chunks", "folded", "until the end", "close"],
)
def test_an_answer_may_come_as_http_allows(
    plain: ProxyServer, pieces: list[bytes | None], connections: int
) -> None:
    """And the connection serves on, unless the answer ended with it."""

    def answer(handler: Any) -> None:
        for piece in pieces:
            if piece is None:
                handler.close_connection = True
            else:
                handler.wfile.write(piece)

    plain.records["20.1/odd"] = answer
    transport = Transport(plain.url, settings())
    odd = transport.get("api/handles/20.1/odd")
    usual = transport.get("api/handles/20.1000/a")
    transport.close()

    assert odd == Answer(status=200, content_type="application/json", body=BODY)
    assert isinstance(usual, Answer)
    assert b"20.1000/a" in usual.body
    assert plain.connections == connections


def test_a_pool_may_be_closed_while_somebody_looks_into_it(
    plain: ProxyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By another thread, when a run is broken off."""

    class Closing:
        """A pool that is closed when it has been looked at once."""

        looks: ClassVar[list[LifoQueue[None] | None]] = [None, LifoQueue()]

        @property
        def pool(self) -> LifoQueue[None] | None:
            return self.looks.pop()

    transport = Transport(plain.url, settings())
    monkeypatch.setattr(transport, "_pool", Closing())

    assert transport.take_connection() is None


def test_nothing_breaks_out_of_a_request(plain: ProxyServer) -> None:
    """Neither a target nor a header can begin another line."""
    transport = Transport(plain.url, settings())
    breaking = transport.get("a b\r\nX: y")
    transport.close()
    told = []
    for agent in ("me\r\nX: y", "日本", "\udce9"):
        with pytest.raises(UnusableSettingError) as caught:
            settings(user_agent=agent)
        told.append(str(caught.value))

    assert isinstance(breaking, Answer)
    assert breaking.status == 404
    assert plain.requests == ["/a%20b%0D%0AX:%20y"]
    assert told == [
        "user_agent: 'me\\r\\nX: y' cannot be sent: it is not printable Latin-1",
        "user_agent: '日本' cannot be sent: it is not printable Latin-1",
        "user_agent: '\\udce9' cannot be sent: it is not printable Latin-1",
    ]


def test_the_server_is_called_by_its_name(plain: ProxyServer) -> None:
    """With its port, unless it is the usual one."""
    transport = Transport(plain.url, settings())
    transport.get("api/handles/20.1000/a")
    transport.close()

    assert plain.headers_seen[0]["Host"] == f"127.0.0.1:{plain.server_port}"
    for base, host in {
        "https://p.example/": "p.example",
        "https://p.example:443/hdl/": "p.example",
        "http://p.example:443/": "p.example:443",
        "http://[::1]:80/": "[::1]",
    }.items():
        assert Transport(base, settings())._headers["Host"] == host


@pytest.mark.parametrize(
    ("chosen", "sent"),
    [("", f"handle-system/{__version__}"), ("Sphinx/9 (me)", "Sphinx/9 (me)")],
)
def test_who_asks_says_so(plain: ProxyServer, chosen: str, sent: str) -> None:
    """By default by this library's name; and what is asked for is JSON."""
    transport = Transport(plain.url, settings(user_agent=chosen))
    answer = transport.get("api/handles/20.1000/a")
    transport.close()

    assert isinstance(answer, Answer)
    headers = plain.headers_seen[0]
    assert headers["User-Agent"] == sent
    assert headers["Accept"] == "application/json"
    assert headers["Accept-Encoding"] == "identity"
    assert "Authorization" not in headers


def test_a_base_may_have_a_path(plain: ProxyServer) -> None:
    """As resolvers of institutions do."""
    with ProxyResolver(f"{plain.url}hdl") as resolver:
        outcome = resolver.resolve(HANDLES[0])

    assert plain.requests == ["/hdl/api/handles/20.1000/a"]
    assert outcome == Unreachable(
        "response code 4: the server did not understand the request"
    )


def test_a_server_that_nobody_vouches_for_is_not_believed(
    encrypted: ProxyServer,
) -> None:
    """TLS is verified unless somebody says otherwise."""
    with ProxyResolver(encrypted.url, http=settings()) as resolver:
        outcome = resolver.resolve(HANDLES[0])

    assert isinstance(outcome, Unreachable)
    assert outcome.reason.startswith("TLS: ")
    assert "certificate verify failed" in outcome.reason
    assert encrypted.requests == []


def test_a_server_without_tls_is_not_believed_to_have_it(plain: ProxyServer) -> None:
    """An encrypted question gets no plain answer."""
    encrypted_url = plain.url.replace("http:", "https:")
    with ProxyResolver(encrypted_url, http=settings()) as resolver:
        outcome = resolver.resolve(HANDLES[0])

    assert isinstance(outcome, Unreachable)
    assert outcome.reason.startswith("TLS: ")


@pytest.mark.parametrize(
    "http",
    [
        settings(tls_cacerts=AUTHORITY),
        settings(tls_cacerts=Path(AUTHORITY)),
        settings(tls_cacerts={"127.0.0.1": AUTHORITY}),
        settings({"REQUESTS_CA_BUNDLE": AUTHORITY}),
        settings({"CURL_CA_BUNDLE": AUTHORITY}),
        settings({"SSL_CERT_FILE": AUTHORITY}),
        settings({"SSL_CERT_FILE": "/nowhere"}, tls_cacerts=AUTHORITY),
        settings({"REQUESTS_CA_BUNDLE": AUTHORITY, "SSL_CERT_FILE": "/nowhere"}),
        settings(tls_verify=False),
    ],
    ids=[
        *("chosen", "path", "for the host", "requests", "curl", "OpenSSL"),
        *("chosen first", "requests first", "unverified"),
    ],
)
def test_a_private_authority_is_trusted_where_told(
    encrypted: ProxyServer, http: HttpSettings
) -> None:
    """By the caller, else by the environment; or nobody needs to be."""
    assert all_resolved(encrypted, http)


def test_another_hosts_authority_is_not_trusted(encrypted: ProxyServer) -> None:
    """One file for each host is for that host."""
    http = settings(tls_cacerts={"other.example": AUTHORITY})
    with ProxyResolver(encrypted.url, http=http) as resolver:
        assert isinstance(resolver.resolve(HANDLES[0]), Unreachable)


def test_error_on_authorities_that_cannot_be_read(tmp_path: Path) -> None:
    """A wrong configuration is said when the resolver is made."""
    (tmp_path / "letter.pem").write_text("no certificate")

    for name in ("none.pem", "letter.pem"):
        with pytest.raises(ValueError) as raised:
            ProxyResolver(
                "https://p.example/", http=settings(tls_cacerts=tmp_path / name)
            )
        assert str(raised.value).startswith(
            f"tls_cacerts: the certificates in {tmp_path}/{name} cannot be used: "
        )


@pytest.mark.parametrize(
    ("content", "is_usable"),
    [
        pytest.param(Path(AUTHORITY).read_bytes(), True, id="as usual"),
        pytest.param(b"Ours\n====\n" + Path(AUTHORITY).read_bytes(), True, id="titled"),
        pytest.param(
            Path(AUTHORITY).read_bytes().replace(b" CERT", b" TRUSTED CERT"),
            True,
            id="OpenSSL's own",
        ),
        pytest.param(Path(AUTHORITY).read_bytes()[:-200], False, id="cut"),
        pytest.param(Path(AUTHORITY).read_bytes()[:200] + b"?", False, id="cut short"),
        pytest.param(b"", False, id="empty"),
        pytest.param(b"\xff\0", False, id="no text"),
    ],
)
def test_authorities_are_looked_at_before_anything_is_asked(
    tmp_path: Path, content: bytes, *, is_usable: bool
) -> None:
    """And found usable where the connection would find them so."""
    path = tmp_path / "authorities.pem"
    path.write_bytes(content)
    http = settings(tls_cacerts=path)
    told = []
    for look in (check_reach, tls_context):
        try:
            look("https://p.example/", http)
        except UnusableSettingError as error:
            told.append(str(error))

    assert len(told) == (0 if is_usable else 2)
    assert len(set(told)) <= 1


def test_a_folder_of_authorities_may_be_trusted(tmp_path: Path) -> None:
    """OpenSSL looks into it when it is asked to."""
    context = tls_context(
        "https://p.example", settings({"SSL_CERT_DIR": str(tmp_path)})
    )

    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.cert_store_stats()["x509"] == 0


def test_a_system_that_trusts_nobody_gets_the_usual_authorities() -> None:
    """Where they are installed, as they are with Sphinx."""
    pytest.importorskip("certifi")
    nothing = ssl.DefaultVerifyPaths("", "", "", "", "", "")

    context = tls_context("https://p.example", settings(), system=lambda: nothing)

    assert context.cert_store_stats()["x509_ca"] > 50


def test_a_name_that_nobody_knows_is_told_from_a_host_that_is_silent() -> None:
    """Without a network there is no name service either."""
    transport = Transport("https://p.example/", settings())
    unknown = NameResolutionError("p.example", HTTPConnection("x"), socket.gaierror(1))

    answer = transport.no_answer(unknown)

    transport.close()
    assert answer == NoAnswer("the name of the host p.example is not known", again=True)


def test_a_host_of_many_silent_addresses_is_given_up_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As behind a firewall, where each address would take a time-out of its own."""
    tried: list[tuple[str, int]] = []

    class SilentSocket(socket.socket):
        def connect(self, address: Any) -> None:
            tried.append(address)
            # Nobody answers: as long as the time-out says, and no longer.
            super().bind(("127.0.0.1", 0))
            super().listen()
            super().accept()

    silent = [
        (socket.AF_INET, socket.SOCK_STREAM, 0, "", (f"127.0.0.{number}", 9))
        for number in range(1, 13)
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: silent)
    monkeypatch.setattr(socket, "socket", SilentSocket)
    transport = Transport("http://p.example/", HttpSettings(timeout=0.3))
    answer = transport.get("api/handles/20.1/x")
    transport.close()

    assert answer == NoAnswer("no answer within 0.3 s", again=True)
    assert tried == [("127.0.0.1", 9)]


def test_plain_requests_go_through_the_http_proxy(
    plain: ProxyServer, http_proxy: HttpProxy
) -> None:
    """With the whole address, and the path as it was encoded."""
    assert all_resolved(plain, settings({"HTTP_PROXY": http_proxy.url}))

    assert http_proxy.seen == [f"GET {plain.url}{path[1:]}" for path in plain.requests]
    assert plain.requests == [
        "/api/handles/20.1000/a",
        "/api/handles/20.1000/b/..%2Fc",
        "/api/handles/20.1//d/",
    ]


def test_encrypted_requests_go_through_a_tunnel(
    encrypted: ProxyServer, http_proxy: HttpProxy
) -> None:
    """One tunnel, for all requests of a thread."""
    http = settings({"HTTPS_PROXY": http_proxy.url}, tls_cacerts=AUTHORITY)

    assert all_resolved(encrypted, http)

    assert http_proxy.seen == [f"CONNECT 127.0.0.1:{encrypted.server_port}"]
    assert len(encrypted.requests) == 3


def test_exempt_hosts_are_asked_without_the_http_proxy(
    plain: ProxyServer, http_proxy: HttpProxy
) -> None:
    """As `NO_PROXY` says."""
    environment = {"HTTP_PROXY": http_proxy.url, "NO_PROXY": "localhost,127.0.0.1"}

    assert all_resolved(plain, settings(environment))

    assert http_proxy.seen == []


def test_the_http_proxy_is_shown_who_asks(
    plain: ProxyServer, http_proxy: HttpProxy
) -> None:
    """Name and password stand in its address; the server does not see them."""
    address = http_proxy.url.replace("//", "//me:se%40cret@")

    assert all_resolved(plain, settings({"HTTP_PROXY": address}))

    assert set(http_proxy.credentials) == {"Basic bWU6c2VAY3JldA=="}
    assert all("Proxy-Authorization" not in seen for seen in plain.headers_seen)


def test_error_on_a_proxy_of_another_kind() -> None:
    """Said when the resolver is made, and without its password."""
    address = "socks5://me:secret@127.0.0.1:1080"

    with pytest.raises(ValueError) as raised:
        ProxyResolver("https://p.example/", http=settings({"ALL_PROXY": address}))

    assert str(raised.value) == (
        "ALL_PROXY: the proxy socks5://127.0.0.1:1080 cannot be used: "
        "only http and https proxies can"
    )


def test_an_http_proxy_that_is_not_there_is_no_news() -> None:
    """Its name is in the reason, for it is where to look."""
    with nobody_at() as gone:
        transport = Transport("http://127.0.0.1:1/", settings({"HTTP_PROXY": gone}))
        answer = transport.get("api/handles/20.1/x")
        transport.close()

    assert answer == NoAnswer("through the HTTP proxy: Connection refused", again=True)
