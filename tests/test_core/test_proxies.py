"""The one correct link of a handle, and the handle in a link."""

import pickle
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.proxies import (
    DEFAULT_PROXIES,
    KNOWN_BASES,
    OWN_PAGES,
    Proxies,
    checked_base,
)
from handle_system.reference import HandleReference
from tests.strategies import handles, written_references

INSTITUTE = Proxies(
    {
        "10": "https://hdl.handle.net/",
        "102.100.272": "https://resolver.example.org/hdl",
        "10.1045": "http://dlib.example.org:8000/",
        "0.na": "https://na.example.org",
    },
    also=["https://old.example.org/handle/"],
)


@pytest.mark.parametrize(
    ("handle", "link"),
    [
        ("10.1000/182", "https://doi.org/10.1000/182"),
        ("10/cr3qwn", "https://doi.org/10/cr3qwn"),
        ("10.1000.1/x", "https://doi.org/10.1000.1/x"),
        ("102.100.272/0N8J991QH", "https://hdl.handle.net/102.100.272/0N8J991QH"),
        ("1010.1/x", "https://hdl.handle.net/1010.1/x"),
        ("10-1/x", "https://hdl.handle.net/10-1/x"),
        ("0.NA/10.1000", "https://hdl.handle.net/0.NA/10.1000"),
        ("\u0661\u0660.1/x", "https://hdl.handle.net/%D9%A1%D9%A0.1/x"),
        ("10.1000/ABC", "https://doi.org/10.1000/ABC"),
        (
            "10.1175/1520-0493(1972)100<0081:OTAOSH>2.3.CO;2",
            "https://doi.org/10.1175/1520-0493(1972)100%3C0081:OTAOSH%3E2.3.CO;2",
        ),
        (
            'any-printable-characters/a-zA-Z0-9!@#$$%^&*()_ "< > , . ? / ~ | \\',
            (
                "https://hdl.handle.net/any-printable-characters/a-zA-Z0-9!@%23$$%25%5E%26"
                "*()_%20%22%3C%20%3E%20,%20.%20%3F%20/%20~%20%7C%20%5C"
            ),
        ),
    ],
)
def test_link(handle: str, link: str) -> None:
    """The prefix decides the proxy; the path is the handle, encoded once."""
    assert DEFAULT_PROXIES.link(Handle.parse(handle)) == link
    reference = HandleReference.parse(handle)
    assert DEFAULT_PROXIES.link(reference) == reference.url() == link


@pytest.mark.parametrize(
    "written",
    [
        *["10.1000/182", "doi:10.1000/182", "DOI: 10.1000/182", "hdl:10.1000/182"],
        *["info:doi/10.1000/182", "info:hdl/10.1000/182", "urn:doi:10.1000:182"],
        *["http://dx.doi.org/10.1000/182", "https://hdl.handle.net/10.1000/182"],
        *["http://www.doi.org/10.1000%2F182", "doi.org/10.1000/182"],
        *["300:10.1000/182", "hdl://190.12.34.56/10.1000/182"],
        *["https://doi.org/https://doi.org/10.1000/182"],
    ],
)
def test_one_link_however_written(written: str) -> None:
    """A handle has one link: old proxies and plain http are modernised."""
    reference = HandleReference.parse(written)
    assert DEFAULT_PROXIES.link(reference) == "https://doi.org/10.1000/182"


@pytest.mark.parametrize(
    ("handle", "base"),
    [
        ("10.1000/x", "https://hdl.handle.net/"),
        ("10.1045/x", "http://dlib.example.org:8000/"),
        ("10.1045.1/x", "http://dlib.example.org:8000/"),
        ("10.10450/x", "https://hdl.handle.net/"),
        ("102.100.272/x", "https://resolver.example.org/hdl/"),
        ("102.100.2720/x", "https://hdl.handle.net/"),
        ("102.100/x", "https://hdl.handle.net/"),
        ("0.NA/X", "https://na.example.org/"),
    ],
)
def test_longest_prefix_wins(handle: str, base: str) -> None:
    """A prefix covers derived prefixes, in whole segments and any letter case; the
    longest wins."""
    assert INSTITUTE.base_of(Handle.parse(handle)) == base
    assert INSTITUTE.link(Handle.parse(handle)) == base + handle


@pytest.mark.parametrize(
    "url",
    [
        "https://resolver.example.org/hdl/102.100.272/X",
        "http://old.example.org/handle/102.100.272/X",
        "https://hdl.handle.net/102.100.272/X",
    ],
)
def test_configured(url: str) -> None:
    """Configured bases are recognised, and lead to the one configured link."""
    reference = HandleReference.from_link(url, proxies=INSTITUTE)
    assert reference is not None
    assert reference == HandleReference.parse(url, proxies=INSTITUTE)
    assert INSTITUTE.link(reference) == "https://resolver.example.org/hdl/102.100.272/X"


@given(handles, st.sampled_from([DEFAULT_PROXIES, INSTITUTE]))
@example(Handle("10", "."), DEFAULT_PROXIES)
@example(Handle("a", "b/../c"), DEFAULT_PROXIES)
@example(Handle("10.1000", "hdl:10.1000/1"), DEFAULT_PROXIES)
@example(Handle("300", "1:2"), DEFAULT_PROXIES)
def test_link_is_read_back(handle: Handle, proxies: Proxies) -> None:
    """A link leads back to its handle, unless a proxy keeps that path for itself."""
    own = OWN_PAGES | {"hdl", "handle"}
    assume(handle.prefix.lower() not in {name.lower() for name in own})
    link = proxies.link(handle)
    reference = HandleReference.from_link(link, proxies=proxies)
    assert reference is not None
    assert str(reference.handle) == str(handle)
    assert proxies.link(reference) == link
    assert (reference.query, reference.fragment) == (None, None)


@given(written_references())
@example(("hdl:10/;", Handle("10", ";")))
@example(("hdl:10/../.%2E/.", Handle("10", "../../.")))
def test_link_of_any_writing(written: tuple[str, Handle]) -> None:
    """The link keeps query and fragment, and no tool changes the URL."""
    reference = HandleReference.parse(written[0])
    link = DEFAULT_PROXIES.link(reference)
    assert link.isascii()
    parts = urlsplit(link)
    assert parts.scheme == "https"
    assert parts.netloc in {"doi.org", "hdl.handle.net"}
    assert ("?" in link) is (reference.query is not None)
    assert ("#" in link) is (reference.fragment is not None)
    # No segment of dots is left, which a browser would collapse.
    assert not {".", ".."} & {unquote(each) for each in parts.path.split("/")}
    back = HandleReference.from_link(link)
    assume(reference.handle.prefix not in {"hdl", *OWN_PAGES})
    assert back is not None
    assert back.handle == reference.handle
    assert (back.query, back.fragment) == (reference.query, reference.fragment)


@given(written_references())
@example(("https://doi.org/10.1/x?a b%zz#é[]", Handle("10.1", "x")))
@example(("hdl:10.1/x%25zz%5B?'#'", Handle("10.1", "x")))
def test_link_is_a_fixed_point_of_markdown(written: tuple[str, Handle]) -> None:
    """markdown-it's normalisation leaves the link unchanged."""
    markdown_it = pytest.importorskip("markdown_it")
    link = DEFAULT_PROXIES.link(HandleReference.parse(written[0]))
    markdown = markdown_it.MarkdownIt()
    assert markdown.normalizeLink(link) == link
    assert markdown.validateLink(link)


@pytest.mark.parametrize(
    ("bases", "message"),
    [
        (
            {"10": "doi.org"},
            (
                "'doi.org' is not the base of a proxy: an http or https URL with a host, "
                "an optional port and path, and nothing else"
            ),
        ),
        (
            {"10.": "https://doi.org/"},
            "a prefix has no empty segment: nothing beside this dot\n    10./x\n      ^",
        ),
        (
            {"a/b": "https://doi.org/"},
            '"/" is not allowed in a prefix\n    a/b/x\n     ^',
        ),
        (
            {"a b": "https://doi.org/"},
            "white space is not allowed in a prefix\n    a b/x\n     ^",
        ),
    ],
)
def test_refused(bases: dict[str, str], message: str) -> None:
    """An invalid map is refused when the proxies are made."""
    with pytest.raises(ValueError) as caught:
        Proxies(bases)
    assert str(caught.value) == message


def test_pickling() -> None:
    """Proxies can be pickled for Sphinx's processes."""
    again = pickle.loads(pickle.dumps(INSTITUTE))  # noqa: S301 - our own bytes.
    assert (
        again.link(Handle("10.1045", "x")) == "http://dlib.example.org:8000/10.1045/x"
    )


@pytest.mark.parametrize("base", KNOWN_BASES)
@pytest.mark.parametrize("scheme", ["http:", "https:", ""])
def test_known_by_default(base: str, scheme: str) -> None:
    """The public proxies, the Library of Congress and PILIN are known, in both schemes."""
    url = scheme + base.removeprefix("https:") + "10.1000/182"
    reference = HandleReference.from_link(url)
    assert reference is not None
    assert str(reference.handle) == "10.1000/182"


KNOWN = Proxies(
    also=[
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
    """A base gets a final slash."""
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
        *["https://doi.org:0/", "http://[::1]:99999999999999999999/"],
    ],
)
def test_no_base(base: str) -> None:
    """Anything but an http(s) URL of a host and a path is refused, and quoted."""
    with pytest.raises(ValueError) as caught:
        checked_base(base)
    shown = "a URL with user information" if "@" in base else repr(base)
    assert str(caught.value) == (
        f"{shown} is not the base of a proxy: an http or https URL with a host, "
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
        ("https://doi.org:80/10.1/x", "10.1/x"),
        ("http://doi.org:443/10.1/x", "10.1/x"),
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


def test_the_longest_base_of_a_host_counts() -> None:
    """Of bases that begin alike, the longest says most about what follows."""
    bases = [f"https://r.example.org/{'hdl/' * depth}" for depth in range(9)]
    proxies = Proxies(also=bases)

    for base in bases:
        reference = HandleReference.parse(f"{base}20.1000/100", proxies=proxies)
        assert str(reference.handle) == "20.1000/100"


@pytest.mark.parametrize(
    "page", ["api", "doiRA", "ra", "static", "images", "css", "js", "favicon.ico"]
)
def test_the_pages_of_a_proxy_are_no_references(page: str) -> None:
    """A proxy serves them at the beginning of its paths, so they name no handle."""
    for host, path, kind in (
        ("hdl.handle.net", f"{page}/x", "handle"),
        ("doi.org", page, "DOI"),
    ):
        with pytest.raises(HandleSyntaxError) as error:
            HandleReference.parse(f"https://{host}/{path}")
        assert error.value.reason == f"this is a page of {host} itself, not a {kind}"
