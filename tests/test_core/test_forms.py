"""Reading in one pass, and reading step by step, are the same reading."""

import string

from hypothesis import example, given
from hypothesis import strategies as st

from handle_system import forms
from handle_system.errors import HandleSyntaxError
from handle_system.proxy import DEFAULT_PROXIES, Proxies
from tests.strategies import TELLING_HANDLES, reference_like, written_references

_EVERYWHERE = Proxies({"": "https://resolver.example.org/api/"}, also=["http://a.b/"])

_SCHEMES = [
    *["", "hdl:", "HDL:", "doi:", "Doi:", "info:hdl/", "info:doi/", "urn:doi:"],
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


def _read(text: str, proxies: Proxies, *, one_pass: bool) -> object:
    read = forms.read if one_pass else forms._read_any
    try:
        return _spelled(read(text, proxies.known, None))
    except HandleSyntaxError as error:
        return type(error), error.span, error.reason, error.suggestion


def _spelled(written: forms.Written) -> object:
    """All parts, the handle as it is spelled: handles compare without case."""
    return written._replace(handle=str(written.handle))  # type: ignore[arg-type]


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
def test_one_pass_reads_alike(text: str, proxies: Proxies) -> None:
    """What the one pass reads, the reading step by step reads to the same parts."""
    assert _read(text, proxies, one_pass=True) == _read(text, proxies, one_pass=False)
