"""`handle_system.citing.version_labels`: which labels are the same, which is later."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.version_labels import covers, is_later, numbers_of, same_label

numbered = st.builds(
    lambda numbers, stage: ".".join(map(str, numbers)) + stage,
    st.lists(st.integers(0, 30), min_size=1, max_size=4),
    st.sampled_from(["", "rc1", ".dev2", "-beta.1", ".post1", " draft"]),
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.0", "V1.0"),
        ("1.0", "v 1.0.0"),
        ("1", "1.0"),
        ("1.0", "Version 1.0"),
        ("1.0rc1", "1.0-rc.1"),
        ("1.0a1", "1.0 alpha 1"),
        ("First edition", "first edition "),
        ("ver\u017fion 1.0", "version 1"),
    ],
)
def test_spellings_of_one_label(one: str, other: str) -> None:
    """Authors write one version in many ways."""
    assert same_label(one, other)
    assert not is_later(one, than=other)


def test_labels_without_numbers_have_no_order() -> None:
    """A scheme that was never meant to be sorted is not sorted."""
    assert is_later("Trusty", than="Bionic") is None
    assert is_later("1.0", than="Bionic") is None
    assert not same_label("Trusty", "Bionic")
    assert not covers("Trusty", "1.0")


@pytest.mark.parametrize(
    "rising",
    [
        ["0.1", "0.2", "0.10", "1.0rc1", "1.0", "1.0.post1", "1.1", "2007"],
        ["2007-05-25", "2007-06-26", "2008-01-01"],
        ["V0.1", "V0.2", "V1.0"],
        ["1.0.dev1", "1.0 draft", "1.0a1", "1.0b1", "1.0rc1", "1.0rc2", "1.0"],
    ],
)
def test_numbers_rise(rising: list[str]) -> None:
    """Numbers count as numbers, and drafts come before what they become."""
    for index, label in enumerate(rising):
        for earlier in rising[:index]:
            assert is_later(label, than=earlier)
            assert not is_later(earlier, than=label)


def test_label_covers_the_releases_within_it() -> None:
    """A document labelled 1.2 is that of 1.2.7, not of 1.20, nor of 1.3."""
    assert covers("1.2", "1.2.7")
    assert covers("1.2", "v1.2")
    assert not covers("1.2", "1.20")
    assert not covers("1.2", "1.3")
    assert not covers("1.2.7", "1.2")
    assert not covers("1.2rc1", "1.2.7")


@given(numbered, numbered, numbered)
def test_order_is_one(first: str, second: str, third: str) -> None:
    """Exactly one of before, same and after holds, and order is passed on."""
    relations = (
        same_label(first, second),
        is_later(first, than=second),
        is_later(second, than=first),
    )

    assert sum(map(bool, relations)) == 1
    if is_later(first, than=second) and is_later(second, than=third):
        assert is_later(first, than=third)


@given(numbered, numbered)
def test_same_numbers_hash_alike(first: str, second: str) -> None:
    """Numbers that are equal are one key."""
    one, other = numbers_of(first), numbers_of(second)

    assert (one == other) <= (hash(one) == hash(other))
    assert one != first


@given(st.text())
def test_reading_a_label_never_fails(text: str) -> None:
    """Whatever an author calls a version, asking about it is safe."""
    assert same_label(text, text)
    assert is_later(text, than=text) in {None, False}
