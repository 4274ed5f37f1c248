"""Reading in one pass, and reading step by step, are the same reading."""

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handle_system import forms
from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.plain import read_plain
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference
from tests.strategies import TELLING_HANDLES, reference_like, written_references

_EVERYWHERE = Proxies({"": "https://resolver.example.org/api/"}, also=["http://a.b/"])

_SCHEMES = [
    *["", "hdl:", "HDL: ", "doi:", "Doi: ", "doi:\xa0", "doi.org/", "hdl.loc.gov/"],
    *[
        "hdl.handle.net/",
        "resolver.net.au/",
        "resolver.net.au/hdl/",
        "info:hdl/",
        "info:doi/",
        "urn:doi:",
    ],
    *["https://doi.org/", "http://DX.doi.org/", "https://hdl.handle.net/"],
    *["https://resolver.net.au/hdl/", "https://a.b/", "https://x.example/"],
    *["http\u017f://doi.org/", "do\u0131:", "\u0131nfo:hdl/"],
]
_PLAIN_CHARACTERS = (
    string.ascii_letters + string.digits + "._-%2Ff:;()<>@/!$'*+,=&^|~`\\"
)

plain_like = st.builds(
    "{}{}/{}".format,
    st.sampled_from(_SCHEMES),
    st.from_regex(r"[0-9][0-9A-Za-z_.-]{0,6}", fullmatch=True)
    | st.sampled_from(["10.1000", "api", "ra", "10", "20.1000", "hdl.handle.net"]),
    st.text(_PLAIN_CHARACTERS, min_size=1, max_size=10),
)
"""Texts that the one pass reads, or nearly reads."""


def _parts(text: str, proxies: Proxies) -> object:
    """What reading step by step gives, the handle as it is spelled."""
    try:
        written = forms.read(text, proxies.known, None)
    except HandleSyntaxError as error:
        return error
    return (*written[:1], str(written.handle), *written[2:])


@given(
    st.one_of(
        plain_like,
        reference_like,
        written_references().map(lambda written: written[0]),
        st.sampled_from(TELLING_HANDLES),
    ),
    st.sampled_from([DEFAULT_PROXIES, _EVERYWHERE]),
)
@example("doi:10.1000/a%2Fb", DEFAULT_PROXIES)
@example("10.1000/a%2Fb", DEFAULT_PROXIES)
@example("https://doi.org/10.1000/a%7f", DEFAULT_PROXIES)
@example("hdl:10.1000/%25%2G", DEFAULT_PROXIES)
@example("10.COM/x", DEFAULT_PROXIES)
@example("0.NA/x", DEFAULT_PROXIES)
@example("https://hdl.handle.net/1/2", Proxies({"": "https://h.example/"}, also=[]))
@example("doi: 10.1/x", DEFAULT_PROXIES)
@example("hdl:\xa020.1/x", DEFAULT_PROXIES)
@example("doi.org/10.1/x", DEFAULT_PROXIES)
@example("doi.org/11.1/x", DEFAULT_PROXIES)
@example("hdl.handle.net/11.1/x", DEFAULT_PROXIES)
@example("https://doi.org/11.1/x", DEFAULT_PROXIES)
def test_one_pass_reads_alike(text: str, proxies: Proxies) -> None:
    """What the one pass reads, the reading step by step reads to the same parts."""
    plain = read_plain(text, proxies.known)
    if plain is not None:
        form, handle = plain
        wanted = (form, str(handle), None, None, None, None)
        assert _parts(text, proxies) == wanted
        reference = HandleReference.parse(text, proxies=proxies)
        assert (reference.form, str(reference.handle)) == (form, str(handle))
        assert reference.source == text
        assert reference == HandleReference(handle=handle)
        assert type(reference) is HandleReference
        assert type(reference.handle) is Handle


@pytest.mark.parametrize(
    "text",
    [
        *["10.1000/182", "hdl:20.1000/100", "HDL: 20.1000/100", "doi: 10.1000/182"],
        *["info:hdl/1/2", "info:doi/10.1/2", "https://doi.org/10.1000/a%2Fb"],
        *["http://dx.doi.org/10.1/2", "doi.org/10.1/x", "hdl.handle.net/1/2"],
    ],
)
def test_common_references_are_read_in_one_pass(text: str) -> None:
    """The forms that most documents write take the short way."""
    assert read_plain(text, DEFAULT_PROXIES.known) is not None
