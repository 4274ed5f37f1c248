"""`handle_system.resolving.locations`: the value type 10320/loc."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.resolving.locations import Location, Locations, LocationsError

EXAMPLE = (
    '<locations chooseby="locatt, country,weighted">\n'
    '<location id="0" href="http://uk.example.com/" country="gb" weight="0" />\n'
    '<location id="1" href="http://www1.example.com/" weight="1" />\n'
    "</locations>"
)


def test_locations_are_read_in_their_order() -> None:
    """Addresses, weights, further attributes, and the methods of choice."""
    locations = Locations.parse(EXAMPLE)

    assert locations == Locations(
        choose_by=("locatt", "country", "weighted"),
        locations=(
            Location(
                href="http://uk.example.com/",
                weight=0.0,
                attributes=(("id", "0"), ("country", "gb")),
            ),
            Location(
                href="http://www1.example.com/", weight=1.0, attributes=(("id", "1"),)
            ),
        ),
    )


def test_the_first_location_is_one_that_is_chosen_unasked() -> None:
    """Weight 0 is for those who ask for it; failing all others it serves."""
    assert Locations.parse(EXAMPLE).first == Locations.parse(EXAMPLE).locations[1]
    only = Locations.parse('<locations><location href="a" weight="0"/></locations>')
    assert only.first == only.locations[0]
    assert Locations.parse("<locations/>").first is None


@pytest.mark.parametrize(
    ("written", "choice"),
    [
        ('chooseby="weighted"', ("weighted",)),
        ('choose_by="country , "', ("country",)),
        ("", ("locatt", "country", "weighted")),
    ],
)
def test_the_choice_has_two_spellings_and_a_default(
    written: str, choice: tuple[str, ...]
) -> None:
    """As the reference proxy reads it."""
    assert Locations.parse(f"<locations {written}/>").choose_by == choice


@pytest.mark.parametrize(
    ("weight", "read"),
    [("0.5", 0.5), ("many", 1.0), ("-1", 1.0), ("nan", 1.0), ("inf", 1.0)],
)
def test_a_weight_that_is_none_counts_as_one(weight: str, read: float) -> None:
    """A slip in a weight is no reason to lose the address."""
    text = f'<locations><location href="a" weight="{weight}"/></locations>'

    assert Locations.parse(text).locations[0].weight == read


def test_what_is_no_location_is_passed_over() -> None:
    """Other elements, deeper ones, and locations without an address."""
    text = (
        "<locations><other href='a'/><location/><group><location href='b'/></group>"
        "<location href='c'/></locations>"
    )

    assert [each.href for each in Locations.parse(text).locations] == ["c"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '<locations>\n<location href=href="https://example.org/" />\n</locations>',
            "line 2, column 16: not well-formed (invalid token)",
        ),
        ("", "line 1, column 1: no element found"),
        (
            "<html><location href='a'/></html>",
            "line 1, column 1: the element is <html>, not <locations>",
        ),
        ("<locations>\ud800</locations>", "line 1, column 12: a lone surrogate"),
        ("<locations>&x;</locations>", "line 1, column 12: undefined entity"),
    ],
    ids=["malformed", "empty", "other", "surrogate", "entity"],
)
def test_error_says_where_and_why(text: str, message: str) -> None:
    """Malformed and hostile text alike."""
    with pytest.raises(LocationsError) as raised:
        Locations.parse(text)

    assert str(raised.value) == message


BILLION = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    "document_type",
    [
        "<!DOCTYPE locations>",
        "<!DOCTYPE locations SYSTEM 'file:///etc/passwd'>",
        '<!DOCTYPE locations [<!ENTITY e9 SYSTEM "file:///etc/passwd">]>',
        f'<!DOCTYPE locations [<!ENTITY e0 "x">{BILLION}]>',
    ],
    ids=["bare", "external", "external entity", "a billion"],
)
def test_error_on_any_document_type(document_type: str) -> None:
    """Entities that expand or fetch are never declared, so never expanded."""
    with pytest.raises(LocationsError) as raised:
        Locations.parse(f"{document_type}<locations>&e9;</locations>")

    assert raised.value.reason == "a document type has no place in a list of locations"


def test_depth_is_no_danger() -> None:
    """A hundred thousand elements within each other are read, and mean nothing."""
    depth = 100_000
    text = f"<locations>{'<a>' * depth}{'</a>' * depth}</locations>"

    assert Locations.parse(text).locations == ()


@given(st.text() | st.text(alphabet="<>/&;'\"= locatinshref!-[]"))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing but `LocationsError` ever comes out."""
    reason = "none"
    try:
        Locations.parse(text)
    except LocationsError as error:
        reason = error.reason

    assert reason
