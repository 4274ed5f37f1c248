"""`handle_system.resolving.unpacking`: the body of an answer, capped."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.resolving.unpacking import LARGEST_BODY, BodyError, unpacked


@given(body=st.binary())
def test_what_was_packed_is_unpacked(body: bytes) -> None:
    """In each way that a cache on the way may have packed it."""
    assert unpacked(body, "") == body
    assert unpacked(body, "identity") == body
    assert unpacked(gzip.compress(body), "gzip") == body
    assert unpacked(gzip.compress(body), " X-GZIP ") == body
    assert unpacked(zlib.compress(body), "deflate") == body


def test_the_cap_is_exact() -> None:
    """The largest body there may be, and one octet more."""
    assert len(unpacked(gzip.compress(bytes(LARGEST_BODY)), "gzip")) == LARGEST_BODY
    with pytest.raises(BodyError) as raised:
        unpacked(gzip.compress(bytes(LARGEST_BODY + 1)), "gzip")

    assert str(raised.value) == "the answer is larger than 2,097,152 octets"


@pytest.mark.parametrize(
    ("body", "coding", "message"),
    [
        (b"{}", "gzip", "the answer is not compressed as it says"),
        (b"{}", "br", "the answer is encoded as br"),
        (b"{}", "gzip, gzip", "the answer is encoded as gzip, gzip"),
        (b"{}", "\x1b[2J", "the answer is encoded as \\x1b[2j"),
    ],
)
def test_error_on_what_cannot_be_unpacked(
    body: bytes, coding: str, message: str
) -> None:
    """Wrongly packed, or in a way that nobody asked for."""
    with pytest.raises(BodyError) as raised:
        unpacked(body, coding)

    assert str(raised.value) == message
