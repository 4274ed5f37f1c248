"""`handle_system.proxy_resolver`: asking a proxy server over HTTP."""

import subprocess
import sys

import pytest

from handle_system.handle import Handle
from handle_system.outcome import (
    NotRegistered,
    NoValues,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.proxy_resolver import ProxyResolver
from tests.proxy_server import Record, running


def test_importing_loads_no_http_library() -> None:
    """Who does not resolve over HTTP does not pay for it."""
    code = (
        "import sys, handle_system.proxy_resolver, handle_system.resolving;"
        "print(sorted({'urllib3', 'ssl', 'http.client', 'sqlite3'} & set(sys.modules)))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )

    assert done.stdout == "[]\n"


def test_every_answer_of_the_interface_has_its_outcome() -> None:
    """The response code decides, and a code that is no answer teaches nothing."""
    records: dict[str, Record] = {
        "20.1/there": "https://example.org/",
        "20.1/empty": {"responseCode": 200, "values": []},
        "20.1/secret": {"responseCode": 402},
        "20.9/unhomed": {
            "responseCode": 301,
            "message": "That prefix doesn't live here",
        },
        "20.1/silent": {"responseCode": 2},
    }
    with running(records) as server, ProxyResolver(server.url) as resolver:
        outcomes = [
            resolver.resolve(Handle.parse(text)) for text in (*records, "20.1/none")
        ]

    assert isinstance(outcomes[0], Resolved)
    assert outcomes[0].target == "https://example.org/"
    assert outcomes[1:] == [
        NoValues(),
        Refused(402),
        NotRegistered(),
        Unreachable("response code 2: the responsible server did not answer"),
        NotRegistered(),
    ]


@pytest.mark.parametrize(
    ("handle", "path"),
    [
        ("20.1/a/../b", "/api/handles/20.1/a/..%2Fb"),
        ("20.1/./a", "/api/handles/20.1/.%2Fa"),
        ("20.1/a/..", "/api/handles/20.1/a%2F.."),
        ("20.1//double//slash/", "/api/handles/20.1//double//slash/"),
        ("20.1/a%2Fb?c=d#e", "/api/handles/20.1/a%252Fb%3Fc=d%23e"),
        ("20.1/日本 +", "/api/handles/20.1/%E6%97%A5%E6%9C%AC%20%2B"),
        (
            "10.1002/(SICI)1:2<3::A>3.0.CO;2-V",
            "/api/handles/10.1002/(SICI)1:2%3C3::A%3E3.0.CO;2-V",
        ),
    ],
)
def test_the_path_arrives_as_it_was_encoded(handle: str, path: str) -> None:
    """Nothing between here and the server takes out dots, slashes or escapes."""
    with running({handle: "https://example.org/"}) as server:
        with ProxyResolver(server.url) as resolver:
            outcome = resolver.resolve(Handle.parse(handle))

        assert server.requests == [path]
        assert isinstance(outcome, Resolved)


@pytest.mark.parametrize(
    "base",
    [
        "ftp://example.org/",
        "https:///x",
        "https://me:secret@example.org/",
        "https://example.org/?q",
        "example.org",
    ],
)
def test_error_on_a_base_that_is_none(base: str) -> None:
    """A wrong configuration is said at once, not at the first handle."""
    with pytest.raises(ValueError) as raised:
        ProxyResolver(base)

    assert str(raised.value) == (
        f"{base!r} is not the base of a proxy: an http or https URL with a host, "
        "an optional port and path, and nothing else"
    )
