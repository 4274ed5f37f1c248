"""Which URLs are a proxy's."""

import pytest

from handle_system.bases import ProxyBases, checked_base

KNOWN = ProxyBases(
    [
        "https://doi.org/",
        "http://h.example:8000/hdl",
        "https://h.example/",
        "https://h.example/a/",
    ]
)


@pytest.mark.parametrize(
    ("base", "checked"),
    [
        ("https://doi.org", "https://doi.org/"),
        ("https://doi.org/", "https://doi.org/"),
        ("http://h.example:8000/hdl", "http://h.example:8000/hdl/"),
        ("HTTP://[::1]:2641", "HTTP://[::1]:2641/"),
        ("https://h.example/a/b/", "https://h.example/a/b/"),
    ],
)
def test_base(base: str, checked: str) -> None:
    """A base ends in a slash, so that a handle can stand behind it."""
    assert checked_base(base) == checked


@pytest.mark.parametrize(
    "base",
    [
        *["", "doi.org", "//doi.org/", "ftp://doi.org/", "https://", "https:///x"],
        *["https://user@doi.org/", "https://doi.org?x=", "https://doi.org/#", "/hdl/"],
        *["https://doi.org/a b/", "https://doi.org/?q=", 'https://doi.org/"', "hdl:"],
        *["https://doi.org\n/", "https://doi.org/\n", "javascript:alert(1)//"],
        *["https://do\u0131.org/", "http\u017f://doi.org/", "https://d\u043ei.org/"],
        *["https://doi.org/é/", "https://doi.org:port/", "https://doi.org\\@x/"],
        *["https://doi.org:65536/", "http://[::1]:99999999999999999999/"],
    ],
)
def test_no_base(base: str) -> None:
    """What is not an http(s) URL of a host and a path is refused, with its text."""
    with pytest.raises(ValueError) as caught:
        checked_base(base)
    assert str(caught.value) == (
        f"{base!r} is not the base of a proxy: an http or https URL with a host, "
        "an optional port and path, and nothing else"
    )


@pytest.mark.parametrize(
    ("url", "handle"),
    [
        ("https://doi.org/10.1/x", "10.1/x"),
        ("http://doi.org/10.1/x", "10.1/x"),
        ("//DOI.org/10.1/x", "10.1/x"),
        ("https://doi.org:443/10.1/x", "10.1/x"),
        ("http://doi.org:80/10.1/x", "10.1/x"),
        ("https://doi.org/", ""),
        ("http://h.example:8000/hdl/1/2", "1/2"),
        ("https://h.example:8000/hdl/1/2", "1/2"),
        ("https://h.example/a/1/2", "1/2"),
        ("https://h.example/ab/1/2", "ab/1/2"),
        ("https://doi.org:80/10.1/x", None),
        ("http://doi.org:443/10.1/x", None),
        ("https://doi.org", None),
        ("https://doi.org?x/10.1/x", None),
        ("https://doi.org#/10.1/x", None),
        ("https://user@doi.org/10.1/x", None),
        ("https://user:doi.org/10.1/x", None),
        ("https://doi.org@evil.example/10.1/x", None),
        ("https://doi.org\\.evil.example/10.1/x", None),
        ("https://doi.org./10.1/x", None),
        ("https://xdoi.org/10.1/x", None),
        ("http://h.example:8000/hdlx/1/2", None),
        ("http://h.example:8000/HDL/1/2", None),
        ("http://h.example:8001/hdl/1/2", None),
        ("ftp://doi.org/10.1/x", None),
        ("http:doi.org/10.1/x", None),
        ("doi.org/10.1/x", None),
        ("http\u017f://doi.org/10.1/x", None),
    ],
)
def test_locate(url: str, handle: str | None) -> None:
    """A URL is a proxy's if scheme, host, port and the whole base path are."""
    tail = KNOWN.locate(url)
    assert (None if tail is None else url[tail.start :]) == handle
    embedded = KNOWN.locate(f"见{url}", 1)
    assert (embedded is None) is (tail is None)


@pytest.mark.parametrize("url", ["https://doi.org/10.1/x", "https://h.example/a/b/c"])
def test_may_begin(url: str) -> None:
    """The cheap test before it never says no where the whole one says yes."""
    assert KNOWN.may_begin(url, url.index("//") + 2)
    assert not KNOWN.may_begin("http://example.org/10.1/x", 7)
    assert not KNOWN.may_begin("http://" + "x" * 1000, 7)


@pytest.mark.parametrize(
    ("name", "host", "domain"),
    [
        ("doi.org", True, True),
        ("DOI.org", True, True),
        ("dxsdfas.doi.org", False, True),
        ("xdoi.org", False, False),
        ("org", False, False),
        ("example", False, False),
        ("", False, False),
        ("d\u043ei.org", False, False),
    ],
)
def test_names(name: str, host: bool, domain: bool) -> None:  # noqa: FBT001 - a table's columns.
    """A host is known by its name, and what lies below one as its domain's."""
    assert KNOWN.knows_host(name) is host
    assert KNOWN.knows_domain_of(name) is domain


def test_root_hosts() -> None:
    """Where nothing but the host stands before handles, it is known at once."""
    assert KNOWN.root_hosts == {"doi.org"}
