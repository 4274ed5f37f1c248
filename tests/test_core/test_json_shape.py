"""`handle_system.resolving.json_shape`: reading JSON of a known shape."""

import pickle

import pytest

from handle_system.resolving.json_shape import (
    RecordError,
    as_boolean,
    as_integer,
    as_list,
    as_object,
    as_text,
    member,
    member_or,
)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (1, "an integer"),
        (1.5, "a number with a fraction"),
        ([], "an array"),
        ({}, "an object"),
    ],
)
def test_error_says_what_kind_is_there(value: object, kind: str) -> None:
    """Kinds are called what JSON calls them."""
    with pytest.raises(RecordError) as raised:
        as_text(value)

    assert str(raised.value) == f"a string is expected here, not {kind}"


def test_error_path_grows_on_the_way_out() -> None:
    """Each reader adds the member or the place that it read."""
    body = {"values": [{"index": 1}, {"index": "two"}]}

    with pytest.raises(RecordError) as raised:
        member(
            as_object(body),
            "values",
            lambda values: as_list(
                values, lambda each: member(as_object(each), "index", as_integer)
            ),
        )

    assert raised.value.path == "values[1].index"
    assert raised.value.reason == "an integer is expected here, not a string"
    assert str(raised.value) == (
        "values[1].index: an integer is expected here, not a string"
    )


def test_error_on_a_missing_member_names_it() -> None:
    """Where a member is missing, the path is its owner's."""
    with pytest.raises(RecordError) as raised:
        member({}, "index", as_integer)

    assert (raised.value.path, raised.value.reason) == ("", '"index" is missing')
    assert member_or({}, "index", as_integer, 7) == 7


def test_true_is_no_integer_and_one_is_no_boolean() -> None:
    """To Python they are; to JSON they are not."""
    yes: object = True
    with pytest.raises(RecordError):
        as_integer(yes)
    with pytest.raises(RecordError):
        as_boolean(1)
    assert as_boolean(yes)


def test_error_can_be_pickled() -> None:
    """It may cross a process boundary."""
    error = pickle.loads(pickle.dumps(RecordError("values[0]", "why")))  # noqa: S301 (ours)

    assert (error.path, error.reason) == ("values[0]", "why")
