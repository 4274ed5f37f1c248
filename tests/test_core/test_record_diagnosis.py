"""`handle_system.resolving.record_diagnosis`: what is wrong with a registered handle."""

import pytest

from handle_system.handle import Handle
from handle_system.resolving.outcome import Resolved
from handle_system.resolving.record import HandleRecord
from handle_system.resolving.record_data import ValueData
from handle_system.resolving.record_diagnosis import diagnose_record
from handle_system.resolving.value import HandleValue


def record(*values: tuple[str, ValueData]) -> Resolved:
    return Resolved(
        HandleRecord(
            Handle.parse("20.1000/x"),
            [
                HandleValue(index=number, type=type_, data=data)
                for number, (type_, data) in enumerate(values, start=1)
            ],
        )
    )


def told(resolved: Resolved) -> list[tuple[str, str]]:
    return [(str(each.code), each.message) for each in diagnose_record(resolved)]


@pytest.mark.parametrize(
    "resolved",
    [
        record(("URL", "https://example.org/")),
        record(("URL", "ftp://example.org/"), ("EMAIL", "x")),
        record(("10320/loc", '<locations><location href="http://a/"/></locations>')),
    ],
)
def test_a_record_that_leads_somewhere_is_in_order(resolved: Resolved) -> None:
    """A URL or a location is enough."""
    assert diagnose_record(resolved) == ()


def test_nothing_to_lead_to_is_told() -> None:
    """The proxy shows such a handle as a page of values."""
    assert told(record(("EMAIL", "x@example.org"))) == [
        ("no-location", "its record has neither a URL nor a location")
    ]
    assert told(record(("10320/loc", "<locations/>"))) == [
        ("no-location", "its record has neither a URL nor a location")
    ]


@pytest.mark.parametrize(
    ("type_", "data"),
    [
        ("URL", "www.example.org/\u202e"),
        (
            "10320/loc",
            '<locations><location href="www.example.org/\u202e"/></locations>',
        ),
    ],
)
def test_an_address_that_is_not_absolute_is_told(type_: str, data: str) -> None:
    """It is shown, with what a terminal would obey made visible."""
    assert told(record((type_, data))) == [
        (
            "location-not-absolute",
            (
                "it leads to what is no absolute http, https or ftp address: "
                "'www.example.org/\\\\u202e'"
            ),
        )
    ]


def test_locations_that_cannot_be_read_are_told_beside_the_rest() -> None:
    """Real records have them; a URL beside them still leads somewhere."""
    broken = ("10320/loc", '<locations><location href=href="https://a/"/></locations>')
    problem = (
        "malformed-locations",
        (
            "its value 1, of type 10320/loc, cannot be read: "
            "line 1, column 27: not well-formed (invalid token)"
        ),
    )

    assert told(record(broken, ("URL", "https://example.org/"))) == [problem]
    assert told(record(broken)) == [
        problem,
        ("no-location", "its record has neither a URL nor a location"),
    ]
    assert told(record(("10320/loc", b"\xff")))[0][0] == "malformed-locations"


def test_of_many_values_that_cannot_be_read_the_first_are_told() -> None:
    """A hostile record has thousands; what is said of it stays a line."""
    values = [("10320/loc", "<")] * 5

    assert [message for _, message in told(record(("URL", "https://a/"), *values))] == [
        *(
            f"its value {number}, of type 10320/loc, cannot be read: "
            "line 1, column 1: unclosed token"
            for number in (2, 3, 4)
        ),
        "2 more of its values of type 10320/loc cannot be read",
    ]


def test_an_alias_to_nowhere_is_all_there_is_to_tell() -> None:
    """Its record has no URL because it is an alias."""
    outcome = Resolved(record(("HS_ALIAS", "1/b")).record, (), "it leads nowhere")

    assert told(outcome) == [("alias-to-nowhere", "it leads nowhere")]
