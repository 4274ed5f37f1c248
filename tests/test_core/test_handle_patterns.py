"""Which handles are meant by a prefix or a pattern."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.text import SURROUNDING_SPACE
from handle_system.verifying.handle_patterns import HandlePatterns
from tests.strategies import handles


@pytest.mark.parametrize(
    ("entry", "meant", "not_meant"),
    [
        ("20.1000", ["20.1000/1", "20.1000.5/1", "20.1000/a/b"], ["20.10001/1"]),
        (" cnri.Test ", ["CNRI.test/x"], ["cnri/x"]),
        ("10", ["10.1000/1", "10/cr3qwn"], ["100.1/1"]),
        ("20.1000/a*", ["20.1000/a", "20.1000/abc"], ["20.1000/A", "20.1000.5/a"]),
        ("10.5555/A*", ["10.5555/a", "10.5555/ABC"], ["10.5555/ba"]),
        ("1/a*b*c", ["1/abc", "1/axxbyybzc"], ["1/ab", "1/acb", "1/abcd"]),
        ("1/a*a", ["1/aa", "1/aba"], ["1/a"]),
        ("1/[ab]?", ["1/[ab]?"], ["1/ax", "1/b?"]),
        ("1/*", ["1/x", "1/*"], ["1.2/x"]),
    ],
)
def test_an_entry_means_these_and_not_those(
    entry: str, meant: list[str], not_meant: list[str]
) -> None:
    """A prefix by whole segments; a pattern with stars and no other signs."""
    patterns = HandlePatterns([entry])

    assert [text for text in meant if Handle.parse(text) not in patterns] == []
    assert [text for text in not_meant if Handle.parse(text) in patterns] == []


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("", "the prefix is missing: a handle is prefix/suffix"),
        ("a b", "white space is not allowed in a prefix"),
        (
            "hdl:20.1000/1",
            "a handle has no scheme; read a reference with HandleReference.parse",
        ),
        ("20.1000/", 'the suffix is missing: nothing after "/"'),
    ],
)
def test_error_for_an_entry_that_is_neither(entry: str, reason: str) -> None:
    """With the reason why it is no handle."""
    with pytest.raises(HandleSyntaxError) as caught:
        HandlePatterns([entry])

    assert caught.value.reason == reason


def test_error_for_a_star_in_a_prefix() -> None:
    """With what to write instead."""
    with pytest.raises(ValueError) as caught:
        HandlePatterns(["10.5*"])

    assert str(caught.value) == (
        '"*" in a prefix: a prefix covers those derived from it; '
        "10.5*/* is a pattern of handles"
    )


def test_nothing_is_meant_by_no_entries() -> None:
    """And it is false, so that nobody need ask."""
    assert not HandlePatterns()
    assert Handle("1", "2") not in HandlePatterns()
    assert HandlePatterns(["1"])


@given(handles.filter(lambda handle: "*" not in str(handle)))
def test_a_handle_means_itself_and_so_does_its_prefix(handle: Handle) -> None:
    """Whatever other characters it is made of."""
    prefix = handle.prefix.upper() if handle.prefix.isascii() else handle.prefix

    assert handle in HandlePatterns([handle.prefix])
    assert Handle(prefix, handle.suffix) in HandlePatterns([handle.prefix])
    assert handle in HandlePatterns([f"{handle.prefix}/*"])
    if str(handle) == str(handle).strip(SURROUNDING_SPACE):
        # White space at its end is its own, and cannot be written in a list.
        assert handle in HandlePatterns([str(handle)])


@given(st.lists(st.text("ab", max_size=3), min_size=2, max_size=6), st.text("abc"))
def test_a_star_stands_for_any_text(pieces: list[str], between: str) -> None:
    """Wherever it stands, however many there are."""
    pattern = "1/x" + "*".join(pieces)

    assert Handle("1", "x" + between.join(pieces)) in HandlePatterns([pattern])


def test_many_stars_are_read_in_linear_time() -> None:
    """Where a regular expression would try every place for each of them."""
    patterns = HandlePatterns(["1/" + "*a" * 500 + "b"])

    assert Handle("1", "a" * 100_000) not in patterns
    assert Handle("1", "a" * 100_000 + "b") in patterns
