"""`handle_system.resolving.http_settings`: which HTTP proxy is asked through."""

import pytest

from handle_system.resolving.http_settings import UnusableSettingError, find_proxy

PROXY = "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("origin", "environment", "proxy"),
    [
        ("https://doi.org", {}, None),
        ("https://doi.org", {"HTTPS_PROXY": PROXY}, PROXY),
        ("https://doi.org", {"https_proxy": PROXY, "HTTPS_PROXY": "http://no/"}, PROXY),
        ("https://doi.org", {"https_proxy": "", "HTTPS_PROXY": PROXY}, PROXY),
        ("https://doi.org", {"HTTP_PROXY": PROXY}, None),
        ("http://doi.org", {"HTTP_PROXY": PROXY}, PROXY),
        ("http://doi.org", {"HTTP_PROXY": PROXY, "REQUEST_METHOD": "GET"}, None),
        ("http://doi.org", {"http_proxy": PROXY, "REQUEST_METHOD": "GET"}, PROXY),
        ("http://doi.org", {"ALL_PROXY": PROXY}, PROXY),
        (
            "http://doi.org",
            {"all_proxy": PROXY, "HTTP_PROXY": "http://b/"},
            "http://b/",
        ),
        ("https://doi.org", {"HTTPS_PROXY": "proxy.example:3128"}, PROXY),
    ],
)
def test_the_variable_of_the_scheme_decides(
    origin: str, environment: dict[str, str], proxy: str | None
) -> None:
    """Lower case first; `HTTP_PROXY` not where it may be a visitor's header."""
    assert find_proxy(origin, environment) == proxy


@pytest.mark.parametrize(
    ("no_proxy", "origin"),
    [
        ("*", "https://doi.org"),
        ("doi.org", "https://doi.org"),
        ("doi.org", "https://www.doi.org"),
        (".doi.org", "https://www.doi.org"),
        ("*.doi.org", "https://www.doi.org"),
        ("other.example, DOI.org", "https://doi.org"),
        ("doi.org:443", "https://doi.org"),
        ("localhost:8000", "http://localhost:8000"),
        ("127.0.0.1", "http://127.0.0.1:9"),
        ("127.0.0.0/8", "http://127.0.0.1:9"),
        ("::1", "http://[::1]:9"),
        ("[::1]", "http://[::1]:9"),
        ("fe80::/10", "http://[fe80::1]"),
    ],
)
def test_exempt_hosts_are_asked_directly(no_proxy: str, origin: str) -> None:
    """Hosts with what is below them, ports, addresses and networks."""
    for name in ("no_proxy", "NO_PROXY"):
        environment = {"ALL_PROXY": PROXY, name: no_proxy}
        assert find_proxy(origin, environment) is None


@pytest.mark.parametrize(
    "no_proxy",
    ["", ",", "example.org", "oi.org", "doi.org:80", "doi.org.example", "10.0.0.0/8"],
)
def test_all_others_are_not(no_proxy: str) -> None:
    """A part of a name is another name."""
    environment = {"HTTPS_PROXY": PROXY, "NO_PROXY": no_proxy}

    assert find_proxy("https://doi.org", environment) == PROXY


NO_ADDRESS = "it is not the address of a proxy"


@pytest.mark.parametrize(
    ("proxy", "reason"),
    [
        (
            "socks5://me:secret@[::1]:1",
            "the proxy socks5://[::1]:1 cannot be used: only http and https proxies can",
        ),
        ("http://me:secret\u2100@[::1", NO_ADDRESS),
        ("http://me:secret@", NO_ADDRESS),
        ("http://me:secret@proxy.example:99999", NO_ADDRESS),
        ("me:secret@proxy.example:port", NO_ADDRESS),
        ("two words", NO_ADDRESS),
        (":3128", NO_ADDRESS),
    ],
)
def test_error_on_a_proxy_that_cannot_be_used(proxy: str, reason: str) -> None:
    """Named by its variable, and without its password."""
    with pytest.raises(UnusableSettingError) as caught:
        find_proxy("https://doi.org", {"https_proxy": proxy, "HTTPS_PROXY": PROXY})

    assert str(caught.value) == f"https_proxy: {reason}"


def test_a_proxy_that_is_not_asked_through_is_not_looked_at() -> None:
    """Somebody else may be able to use it."""
    environment = {"HTTPS_PROXY": "socks5://proxy.example", "NO_PROXY": "doi.org"}

    assert find_proxy("https://doi.org", environment) is None
