"""`handle_system.resolving.records`: the values of a record, and its target."""

from collections.abc import Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.findings.codes import Code
from handle_system.handle import Handle
from handle_system.resolving import records
from handle_system.resolving.locations import Locations, TypedText, read_locations
from handle_system.resolving.outcomes import (
    Resolved,
    describe,
    outcome_from_json,
    outcome_to_json,
)
from handle_system.resolving.records import (
    HandleRecord,
    RecordError,
    absolute_url,
)
from handle_system.verifying.verdicts import verdict_of

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


URL = ("URL", "https://example.org/url")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (" https://example.org/a b ", "https://example.org/a b"),
        ("HTTP://EXAMPLE.ORG", "HTTP://EXAMPLE.ORG"),
        ("ftp://example.org/", "ftp://example.org/"),
        *((text, None) for text in ("", "www.example.org", "//a/", "javascript:a")),
        *((text, None) for text in ("https:///a", "https://[::1/", "https://@/")),
        *((text, None) for text in ("mailto:a@b", "http://a/\ud800")),
        ("\x00\thttp://a/\x1f\n", "http://a/"),
        ("http://a/b\nc\x7f\x85", "http://a/b%0Ac%7F%C2%85"),
    ],
)
def test_only_absolute_addresses_are_targets(text: str, url: str | None) -> None:
    """Targets are http, https and ftp addresses, read as CNRI's proxy reads them.

    White space and control characters around an address are ignored; control characters
    inside it are percent-encoded.
    """
    assert absolute_url(text) == url
    assert record(("URL", text)).target == url


_SCHEMES = st.sampled_from(["http://", "https://", "ftp://", "HTTP://", "http:/", ""])
_PARTS = st.text("aZ09.-:/?#[]@\\%~ \n\x7f\xe9\ud800", max_size=12)


@given(st.builds("".join, st.tuples(_SCHEMES, _PARTS)))
def test_an_ordinary_address_is_read_like_any_other(text: str) -> None:
    """The pattern that recognises most addresses takes none that has to be changed."""
    assert absolute_url(text) == records._read_address(text)


def test_every_address_of_a_record_is_listed() -> None:
    """The target comes first; each absolute address is named once."""
    several = record(
        ("EMAIL", "a@example.org"),
        ("URL.x", "https://example.org/x"),
        URL,
        ("URL", "https://example.org/2"),
        ("URL", "relative"),
    )
    located = record(
        URL,
        ("10320/loc", "<a><location href='http://l/'/><location weight='0'/></a>"),
    )

    assert several.addresses == (
        URL[1],
        "https://example.org/x",
        "https://example.org/2",
    )
    assert several.possible_targets == (URL[1],)
    assert located.addresses == ("http://l/", URL[1])
    assert located.possible_targets == ("http://l/",)


def test_a_verdict_reads_the_locations_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much is asked of a record, its XML is parsed once."""
    xml = '<locations><location href="https://example.org/a"/></locations>'
    texts: list[object] = []

    def counted(values: Sequence[TypedText]) -> Locations:
        texts.append(values)
        return read_locations(values)

    monkeypatch.setattr(records, "read_locations", counted)
    outcome = Resolved(record(("10320/loc", xml), URL))
    members = describe(HANDLE, outcome)
    verdict = verdict_of(HANDLE, outcome)

    assert members["target"] == verdict.target == "https://example.org/a"
    assert verdict.addresses == ("https://example.org/a", "https://example.org/url")
    assert len(texts) == 1


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


def test_a_record_may_be_made_of_mappings_that_nobody_can_change() -> None:
    """A resolver of one's own keeps values in any mapping, and they lead to a target."""
    data = MappingProxyType({"format": "string", "value": URL[1]})
    value = MappingProxyType({"index": 1, "type": "URL", "data": data})
    read = HandleRecord.from_json(HANDLE, [value])
    outcome = Resolved(read)

    assert read.target == URL[1]
    assert outcome_from_json(MappingProxyType(outcome_to_json(outcome))) == outcome


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
    ("permissions", "is_public"),
    [(None, True), ("1110", True), ("0010", True), ("1100", False), ("", False)],
)
def test_values_without_public_read_do_not_exist_for_readers(
    permissions: str | None, *, is_public: bool
) -> None:
    """The third permission of a value says whether everybody may read it."""
    read = {} if permissions is None else {"permissions": permissions}
    values = [{**VALUE, "data": "https://example.org/", **read}]
    alias = [{**VALUE, "type": "HS_ALIAS", "data": "20.1000/y", **read}]

    target = HandleRecord.from_json(HANDLE, values).target
    assert (target == "https://example.org/") == is_public
    assert (HandleRecord.from_json(HANDLE, alias).alias == "20.1000/y") == is_public


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


@pytest.mark.parametrize(
    ("type_", "data", "replaced_by"),
    [
        ("replaced_by", "20.1000/new", "20.1000/new"),
        ("isReplacedBy", "hdl:20.1000/new", "20.1000/new"),
        ("EUDAT/REPLACED_BY", "https://hdl.handle.net/20.1000/new", "20.1000/new"),
        ("replaced_by", "20.1000/old", ""),
        ("replaced_by", "no handle", ""),
        ("replaces", "20.1000/older", ""),
    ],
)
def test_a_record_that_names_a_newer_version(
    type_: str, data: str, replaced_by: str
) -> None:
    """Verification reports it as superseded; the handle itself is no newer version."""
    values = [
        {"index": 1, "type": "URL", "data": "https://example.org/"},
        {"index": 2, "type": type_, "data": data},
    ]
    handle = Handle.parse("20.1000/old")
    record = HandleRecord.from_json(handle, values)

    verdict = verdict_of(handle, Resolved(record))

    assert verdict.replaced_by == replaced_by
    assert verdict.code == (Code.SUPERSEDED if replaced_by else None)
    assert verdict.description == (
        f"superseded by {replaced_by}" if replaced_by else ""
    )
