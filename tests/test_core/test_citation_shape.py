"""`handle_system.citing.shape`: values that know their place."""

import datetime as dt

import pytest

from handle_system.citing.shape import Node
from handle_system.citing.values import CitationError


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("x", "text"),
        (False, "true or false"),
        (1, "a number"),
        (1.5, "a number"),
        ([], "an array"),
        ({}, "a table"),
        (dt.datetime(2007, 6, 26, tzinfo=dt.UTC), "a date with a time"),
        (dt.date(2007, 6, 26), "a date"),
        (dt.time(1), "a time"),
        (None, "nothing"),
    ],
)
def test_every_kind_of_value_has_a_name(value: object, kind: str) -> None:
    """An error can say what it found, whatever a parser makes."""
    assert Node(value).kind == kind


def test_places_grow_on_the_way_in() -> None:
    """A value knows its path from the top."""
    top = Node({"a": [{"b": "c"}]})
    inner = next(top.required("a").elements()).required("b")

    assert (inner.path, inner.text(), inner.is_text) == ("a[0].b", "c", True)
    assert top.member("z") is None
    assert top.read("z", lambda text, _: text) is None
    assert Node({"b": "c"}, "a").read("b", lambda text, where: (text, where)) == (
        "c",
        "a.b",
    )


def test_error_names_the_place() -> None:
    """An error at the top is one of the file."""
    with pytest.raises(CitationError) as top:
        Node("x").required("a")
    with pytest.raises(CitationError) as inner:
        Node({"a": {"b": 1}}).required("a").only(["c"])
    with pytest.raises(CitationError) as date:
        Node(1, "a").date_text()

    assert str(top.value) == "the file: a table is expected here, not text"
    assert str(inner.value) == "a.b: no such key; there are c"
    assert str(date.value) == "a: a date is expected here, not a number"
