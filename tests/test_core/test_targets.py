"""`handle_system.resolving.targets`: whether a URL value is an address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.resolving.targets import absolute_url


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/",
        "HTTP://EXAMPLE.ORG",
        "ftp://ftp.example.org/pub/x",
        "https://example.org/a b/ä?x=[1]#f",
        "http://[2001:db8::1]:8080/",
        "https://user@example.org/",
    ],
)
def test_absolute_addresses_are_kept_as_registered(url: str) -> None:
    """http, https and ftp, with a host."""
    assert absolute_url(url) == url
    assert absolute_url(f" \n{url}\t") == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "www.example.org",
        "/path",
        "//example.org/",
        "https:/example.org",
        "https://",
        "https:///path",
        "https://?q",
        "http://[2001:db8::1/",
        "javascript:alert(1)//https://example.org/",
        "java\nscript:alert(1)",
        "https://example.org/\x00",
        "https://example.org/\r\nSet-Cookie: a=b",
        "https://exam\u0085ple.org/",
        "data:text/html,<b>",
        "file:///etc/passwd",
        "https:\\\\example.org",
    ],
)
def test_everything_else_is_none(text: str) -> None:
    """Relative, hostless, of another scheme, or with characters that act."""
    assert absolute_url(text) is None


@given(st.text())
def test_what_is_accepted_begins_as_an_address(text: str) -> None:
    """No text whatever gets another scheme through."""
    url = absolute_url(text)

    assert url is None or url.lower().startswith(("http://", "https://", "ftp://"))
