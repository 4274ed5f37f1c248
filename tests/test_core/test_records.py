"""`handle_system.resolving.records`: the values of a record, and its target."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.handle import Handle
from handle_system.resolving.records import (
    HandleRecord,
    RecordError,
    absolute_url,
)

HANDLE = Handle("20.1000", "x?")
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def record(*values: tuple[str, str]) -> HandleRecord:
    return HandleRecord.from_json(
        HANDLE,
        [
            {"index": number, "type": type_, "data": data}
            for number, (type_, data) in enumerate(values, 1)
        ],
    )


def locations(*attributes: str) -> tuple[str, str]:
    elements = "".join(f"<location {each}/>" for each in attributes)
    return "10320/loc", f"<locations>{elements}</locations>"


URL = ("URL", "https://example.org/url")
HREF, OTHER = 'href="https://example.org/loc"', 'href="https://example.org/other"'


@pytest.mark.parametrize(
    ("values", "target"),
    [
        # The seven cases that were measured at CNRI's proxy 9.3.1.
        ([URL, locations(HREF)], "https://example.org/loc"),
        ([locations(f'{HREF} weight="0"', OTHER), URL], "https://example.org/other"),
        ([URL, locations('href="../rel"')], "../rel"),
        (
            [locations('href_template="https://e.org/{hdl}"')],
            "https://e.org/20.1000/x%3F",
        ),
        (
            [("10320/LOC", f'<LOCATIONS><Location {HREF[:-1]}?a=1&b=2"/></LOCATIONS>')],
            "https://example.org/loc?a=1&b=2",
        ),
        ([locations(f'{HREF} weight="0"'), URL], "https://example.org/url"),
        ([locations('id="1"'), URL], None),
        # And what follows from them.
        ([locations(f'{HREF} weight="0"')], "https://example.org/loc"),
        ([locations('id="1"', HREF), URL], "https://example.org/loc"),
        ([locations(f'{HREF} weight="nan"', OTHER)], "https://example.org/loc"),
        ([locations(), URL], "https://example.org/url"),
        ([("10320/loc", "<locations><location href=href='x'/>"), URL], URL[1]),
        ([("10320/loc", "<other><location href='x'/></other>"), URL], URL[1]),
        ([("10320/loc", ""), URL], URL[1]),
        (
            [("EMAIL", "a@example.org"), ("url.sub", "https://sub/"), URL],
            "https://sub/",
        ),
        ([("0.TYPE/URL", "https://typed/")], "https://typed/"),
        ([("EMAIL", "a@example.org")], None),
    ],
)
def test_a_record_leads_where_the_reference_proxy_leads(
    values: list[tuple[str, str]], target: str | None
) -> None:
    """`10320/loc` comes before URL, with the reference proxy's precedence."""
    assert record(*values).written_target == target


BILLION = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    "text",
    [
        "<!DOCTYPE locations><locations><location href='a'/></locations>",
        "<!DOCTYPE l [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><locations>&e;</locations>",
        f"<!DOCTYPE l [<!ENTITY e0 'x'>{BILLION}]><locations>&e9;</locations>",
        "<locations>\ud800</locations>",
        "<locations>&undefined;<location href='a'/></locations>",
        f"<locations>{'<a>' * 100_000}{'</a>' * 100_000}</locations>",
    ],
    ids=["bare", "external", "a billion", "surrogate", "undefined", "deep"],
)
def test_hostile_locations_list_nothing(text: str) -> None:
    """Entities are never declared, expanded or fetched."""
    assert record(("10320/loc", text)).written_target is None


@given(st.text() | st.text(alphabet="<>/&;'\"= locatinshref!-[]"))
def test_any_text_may_stand_for_locations(text: str) -> None:
    """Any text gives a target or none, and raises nothing."""
    assert isinstance(record(("10320/loc", text), URL).written_target, str | None)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (" https://example.org/a b ", "https://example.org/a b"),
        ("HTTP://EXAMPLE.ORG", "HTTP://EXAMPLE.ORG"),
        ("ftp://example.org/", "ftp://example.org/"),
        *((text, None) for text in ("", "www.example.org", "//a/", "javascript:a")),
        *((text, None) for text in ("https:///a", "https://[::1/", "http://a/\x00")),
        *((text, None) for text in ("https://@/", "mailto:a@b", "http://a/\ud800")),
    ],
)
def test_only_absolute_addresses_are_targets(text: str, url: str | None) -> None:
    """Targets are http, https and ftp addresses; white space around them is ignored."""
    assert absolute_url(text) == url
    assert record(("URL", text)).target == url


def test_a_value_keeps_its_json() -> None:
    """Members that the library does not use are kept."""
    admin = {"handle": "0.NA/1", "index": 200, "permissions": "011111110011"}
    values: list[dict[str, Any]] = [
        {"index": 100, "type": "HS_ADMIN", "data": {"format": "admin", "value": admin}},
        {
            "index": 1,
            "type": "URL",
            "data": {"format": "string", "value": "https://example.org/"},
            "ttl": "2026-11-21T12:00:00Z",
            "timestamp": "2026-11-20T17:05:40Z",
            "permissions": "1100",
            "references": [{"handle": "1/a", "index": 3}],
            "new": [1.5],
        },
        {"index": 2, "type": "BIN", "data": {"format": "odd", "value": None}},
    ]
    read = HandleRecord.from_json(HANDLE, values)

    assert read.to_json() == {
        "responseCode": 1,
        "handle": "20.1000/x?",
        "values": values,
    }
    assert [value.text for value in read.values] == [None, "https://example.org/", None]
    assert read.values[0].data == admin
    assert read.time_to_live(NOW) == 86_400


VALUE: dict[str, Any] = {"index": 1, "type": "URL", "data": "a"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (None, "values: an array is expected"),
        ({}, "values: an array is expected"),
        ([None], "values[0]: a value with an index, a type and data is expected, not "),
        (["a"], "values[0]: a value with an index, a type and data is expected, not a"),
        ([[]], "values[0]: a value "),
        *(([{**VALUE, name: None}], "values[0]: a value ") for name in VALUE),
        *(
            ([{**VALUE, name: True}], "values[0]: a value ")
            for name in ("type", "data")
        ),
        ([{**VALUE, "data": {"format": "string", "value": 7}}], "values[0]: a value "),
        ([VALUE, {**VALUE, "data": {"value": "a"}}], "values[1]: a value "),
        ([{**VALUE, "ttl": "soon"}], "values[0].ttl: Invalid isoformat string: 'soon'"),
        *(
            ([{**VALUE, "ttl": ttl}], "values[0].ttl: ")
            for ttl in (None, 1.5, "9999-99-99")
        ),
    ],
)
def test_error_names_the_value_that_is_malformed(values: object, message: str) -> None:
    """The members that the library uses have their types."""
    with pytest.raises(RecordError) as raised:
        HandleRecord.from_json(HANDLE, values)

    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("times", "seconds"),
    [
        ([300, 10**30, "2026-11-20T12:10:00"], 300),
        ([10**30, "2026-11-20T12:10:00"], 600),
        ([86_401, None], 86_400),
        ([], 0),
    ],
)
def test_the_shortest_time_to_live_counts(
    times: list[int | str | None], seconds: int
) -> None:
    """The shortest TTL of all values counts; the default is a day."""
    values = [VALUE if ttl is None else {**VALUE, "ttl": ttl} for ttl in times]

    assert HandleRecord.from_json(HANDLE, values).time_to_live(NOW) == seconds


@pytest.mark.parametrize(
    ("wanted", "is_found"),
    [("url", True), ("URL.SUB", True), ("UR", False), ("URL.S", False)],
)
def test_types_are_found_in_any_case_with_their_subtypes(
    wanted: str, *, is_found: bool
) -> None:
    """Types match in any letter case; a dot begins a subtype."""
    assert record(("URL.Sub", "a")).values[0].is_of(wanted) == is_found
