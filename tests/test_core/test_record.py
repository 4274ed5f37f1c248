"""`handle_system.resolving.record`, `.value`, `.record_data`, `.site_data`: records."""

import gc
import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.handle import Handle
from handle_system.resolving.json_shape import RecordError
from handle_system.resolving.record import HandleRecord
from handle_system.resolving.record_data import (
    AdminData,
    OtherData,
    ValueData,
    ValueReference,
)
from handle_system.resolving.site_data import PublicKey, Site, SiteInterface, SiteServer
from handle_system.resolving.value import HandleValue
from tests.strategies import handles

HANDLE = Handle.parse("20.1000/x")


def body(*values: object) -> dict[str, object]:
    return {"responseCode": 1, "handle": "20.1000/x", "values": list(values)}


def value(data: object, **members: object) -> dict[str, object]:
    return {"index": 1, "type": "URL", "data": data, **members}


def read_data(data: object) -> ValueData:
    (read,) = HandleRecord.from_json(HANDLE, body(value(data))).values
    return read.data


def url(text: str, index: int = 1, type_: str = "URL") -> HandleValue:
    return HandleValue(index=index, type=type_, data=text)


@pytest.mark.parametrize(
    ("data", "read"),
    [
        ({"format": "string", "value": "https://example.org/"}, "https://example.org/"),
        ("a plain string of version 8", "a plain string of version 8"),
        ({"format": "base64", "value": "AP8="}, b"\x00\xff"),
        ({"format": "hex", "value": "00ff"}, b"\x00\xff"),
        (
            {
                "format": "admin",
                "value": {
                    "handle": "0.NA/20.1000",
                    "index": 200,
                    "permissions": "011111110011",
                    "legacyByteLength": True,
                },
            },
            AdminData(
                handle="0.NA/20.1000",
                index=200,
                permissions="011111110011",
                legacy_byte_length=True,
            ),
        ),
        (
            {"format": "vlist", "value": [{"handle": "20.1000/y", "index": 300}]},
            (ValueReference("20.1000/y", 300),),
        ),
        (
            {"format": "key", "value": {"kty": "RSA", "n": "q1X", "e": "AQAB"}},
            PublicKey((("kty", "RSA"), ("n", "q1X"), ("e", "AQAB"))),
        ),
        (
            {"format": "future", "value": [1, "ä"]},
            OtherData("future", '[1, "\\u00e4"]'),
        ),
    ],
    ids=["string", "plain", "base64", "hex", "admin", "vlist", "key", "future"],
)
def test_every_data_format_is_read(data: object, read: object) -> None:
    """Text, octets and structure, and what a later server may add."""
    assert read_data(data) == read


SITE = {
    "version": 1,
    "protocolVersion": "2.10",
    "serialNumber": 15,
    "primarySite": True,
    "multiPrimary": False,
    "attributes": [{"name": "desc", "value": "a site"}],
    "servers": [
        {
            "serverId": 1,
            "address": "192.0.2.1",
            "publicKey": {"format": "key", "value": {"kty": "DSA", "y": "X4"}},
            "interfaces": [
                {"query": True, "admin": False, "protocol": "UDP", "port": 2641}
            ],
        },
        {
            "serverId": 2,
            "address": "2001:db8::1",
            "publicKey": {"format": "base64", "value": "AAE="},
            "interfaces": [],
        },
        {"serverId": 3, "address": "192.0.2.3", "interfaces": []},
    ],
}


def test_a_site_is_read_whole() -> None:
    """Its servers, their keys in either form, and their interfaces."""
    site = read_data({"format": "site", "value": SITE})

    assert site == Site(
        version=1,
        protocol_version="2.10",
        serial_number=15,
        primary=True,
        multi_primary=False,
        hash_option=2,
        hash_filter=None,
        attributes=(("desc", "a site"),),
        servers=(
            SiteServer(
                server_id=1,
                address="192.0.2.1",
                public_key=PublicKey((("kty", "DSA"), ("y", "X4"))),
                interfaces=(
                    SiteInterface(query=True, admin=False, protocol="UDP", port=2641),
                ),
            ),
            SiteServer(
                server_id=2,
                address="2001:db8::1",
                public_key=b"\x00\x01",
                interfaces=(),
            ),
            SiteServer(
                server_id=3, address="192.0.2.3", public_key=None, interfaces=()
            ),
        ),
    )


def test_a_key_says_of_what_kind_it_is() -> None:
    """And one that does not say is of none."""
    assert PublicKey((("kty", "RSA"),)).kty == "RSA"
    assert PublicKey(()).kty == ""


def test_times_are_read() -> None:
    """A TTL in seconds or absolute, a timestamp or none."""
    record = HandleRecord.from_json(
        HANDLE,
        body(
            value("a", ttl=60, timestamp="2014-09-18T15:55:32Z"),
            value("b", ttl="2030-01-01T00:00:00Z"),
            value("c"),
        ),
    )

    first, second, third = record.values
    assert (first.ttl, first.timestamp) == (
        60,
        datetime(2014, 9, 18, 15, 55, 32, tzinfo=UTC),
    )
    assert (second.ttl, second.timestamp) == (datetime(2030, 1, 1, tzinfo=UTC), None)
    assert (third.ttl, third.permissions, third.references) == (86400, "1110", ())
    assert record.time_to_live(datetime(2026, 1, 1, tzinfo=UTC)) == 60
    assert HandleRecord(HANDLE, ()).time_to_live(datetime.now(UTC)) == 0
    assert second.time_to_live(datetime(2029, 12, 31, tzinfo=UTC)) == 86400


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("none", "values: an array is expected here, not a string"),
        (["none"], "values[0]: an object is expected here, not a string"),
        ([{"type": "URL", "data": ""}], 'values[0]: "index" is missing'),
        (
            [value("a"), value("b", index=True)],
            "values[1].index: an integer is expected here, not true",
        ),
        (
            [value({"format": "string", "value": 7})],
            "values[0].data.value: a string is expected here, not an integer",
        ),
        (
            [value({"value": "x"})],
            'values[0].data: "format" is missing',
        ),
        (
            [value({"format": "base64", "value": "***"})],
            "values[0].data.value: this is not base64",
        ),
        (
            [value({"format": "hex", "value": "0g"})],
            "values[0].data.value: these are not pairs of hex digits",
        ),
        (
            [value({"format": "vlist", "value": [{"handle": "a/b", "index": None}]})],
            "values[0].data.value[0].index: an integer is expected here, not null",
        ),
        (
            [value({"format": "site", "value": {**SITE, "primarySite": 1}})],
            (
                "values[0].data.value.primarySite: "
                "true or false is expected here, not an integer"
            ),
        ),
        (
            [
                value(
                    {
                        "format": "site",
                        "value": {
                            **SITE,
                            "servers": [
                                {
                                    "serverId": 1,
                                    "address": "",
                                    "publicKey": {"format": "pem", "value": ""},
                                }
                            ],
                        },
                    }
                )
            ],
            (
                "values[0].data.value.servers[0].publicKey.format: "
                'a key is "key" or "base64", not "pem"'
            ),
        ),
        (
            [value("a", ttl=1.5)],
            (
                "values[0].ttl: "
                "seconds or a moment are expected here, not a number with a fraction"
            ),
        ),
        (
            [value("a", timestamp="yesterday")],
            "values[0].timestamp: this is not a date and time: 'yesterday'",
        ),
        (
            [value("a", permissions="rwxr")],
            (
                "values[0].permissions: "
                "four characters 0 or 1 are expected here, not 'rwxr'"
            ),
        ),
    ],
)
def test_error_carries_the_path(values: object, message: str) -> None:
    """From the record's top down to what is wrong."""
    with pytest.raises(RecordError) as raised:
        HandleRecord.from_json(HANDLE, {"handle": "20.1000/x", "values": values})

    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("asked", "echoed"),
    [("20.1000/x", "20.1000/x"), ("A.b/X", "a.B/X"), ("10.1000/Ab", "10.1000/aB")],
)
def test_the_echo_is_compared_as_handles_are(asked: str, echoed: str) -> None:
    """Case does not matter where it does not matter to the system."""
    record = HandleRecord.from_json(
        Handle.parse(asked), {"handle": echoed, "values": []}
    )

    assert str(record.handle) == asked


@pytest.mark.parametrize(
    ("asked", "echoed"),
    [
        ("20.1000/x", "20.1000/X"),
        ("20.1000/x", "20.1000/y"),
        ("10.1000/ä", "10.1000/Ä"),
        ("20.1000/x", "x"),
        ("20.1000/x", ""),
    ],
)
def test_error_on_an_answer_about_another_handle(asked: str, echoed: str) -> None:
    """An answer that was mixed up teaches nothing."""
    with pytest.raises(RecordError) as raised:
        HandleRecord.from_json(Handle.parse(asked), {"handle": echoed, "values": []})

    assert str(raised.value) == (
        f"handle: the answer is about another handle: {echoed!r}"
    )


@given(handle=handles)
def test_the_handle_itself_is_always_accepted_as_echo(handle: Handle) -> None:
    """Whatever characters it holds, and shouted if it is a DOI."""
    HandleRecord.from_json(handle, {"handle": str(handle), "values": []})
    folded = {"handle": handle.comparison_key, "values": []}
    assert HandleRecord.from_json(handle, folded).handle == handle


def test_types_are_found_with_their_subtypes_in_any_case() -> None:
    """`URL` finds `url` and `URL.SUB`, and not `URLS`."""
    values = [url("a"), url("b", 2, "url"), url("c", 3, "URL.SUB"), url("d", 4, "URLS")]

    record = HandleRecord(HANDLE, values)

    assert [each.data for each in record.values_of("Url")] == ["a", "b", "c"]
    assert [each.data for each in record.values_of("url.sub")] == ["c"]


LOC = '<locations><location href="https://l.example/"/></locations>'


@pytest.mark.parametrize(
    ("values", "target"),
    [
        (
            [url("https://a.example/"), url("https://b.example/", 2)],
            "https://a.example/",
        ),
        (
            [url(LOC, 1, "10320/loc"), url("https://a.example/", 2)],
            "https://a.example/",
        ),
        ([url(LOC, 1, "10320/loc")], "https://l.example/"),
        (
            [url("<broken", 1, "10320/loc"), url(LOC, 2, "10320/loc")],
            "https://l.example/",
        ),
        ([url("www.example.org"), url("https://b.example/", 2)], None),
        ([url("javascript:alert(1)")], None),
        ([url("x", 1, "EMAIL")], None),
        ([HandleValue(index=1, type="URL", data=b"https://a.example/")], None),
        ([url("<locations/>", 1, "10320/loc")], None),
        ([], None),
    ],
)
def test_the_target_is_where_the_proxy_would_lead(
    values: list[HandleValue], target: str | None
) -> None:
    """The first URL, else the first location, if it is an absolute address."""
    assert HandleRecord(HANDLE, values).target == target


def test_an_alias_is_given_as_written() -> None:
    """Of type HS_ALIAS; a record without one has none."""
    assert HandleRecord(HANDLE, [url("20.1000/y", 1, "HS_ALIAS")]).alias == "20.1000/y"
    assert HandleRecord(HANDLE, [url("20.1000/y")]).alias is None
    octets = HandleValue(index=1, type="HS_ALIAS", data=b"\xff")
    assert HandleRecord(HANDLE, [octets]).alias is None


def test_a_record_is_immutable_and_compares_by_content() -> None:
    """Equal handles and equal values, wherever the values come from."""
    record = HandleRecord(HANDLE, [url("https://a.example/")])
    stored = HandleRecord.from_stored(HANDLE, record.stored)

    assert stored == record
    assert hash(stored) == hash(record)
    assert record != HandleRecord(HANDLE, [])
    assert record != "record"
    with pytest.raises(AttributeError) as raised:
        record.handle = HANDLE  # type: ignore[misc, unused-ignore]
    assert str(raised.value) == "a record is immutable: 'handle' cannot be set"
    assert repr(HandleRecord(HANDLE, [])) == f"HandleRecord({HANDLE!r}, ())"


def test_a_record_can_be_pickled_read_or_unread() -> None:
    """It may cross a process boundary."""
    record = HandleRecord(HANDLE, [url("https://a.example/")])
    unread = HandleRecord.from_stored(HANDLE, record.stored)

    assert unread.stored == record.stored
    for each in (record, unread):
        assert pickle.loads(pickle.dumps(each)) == record  # noqa: S301 (ours)


def test_error_of_a_stored_record_comes_when_it_is_read() -> None:
    """Somebody has written to the cache; nothing else lets it happen."""
    with pytest.raises(RecordError) as raised:
        _ = HandleRecord.from_stored(HANDLE, b"[{]").values
    assert str(raised.value) == "the stored record is not JSON"


_texts = st.text(max_size=20)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | _texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3)
    ),
    max_leaves=8,
)
_moments = st.datetimes(timezones=st.just(UTC))
_references = st.builds(ValueReference, _texts, st.integers())
_keys = st.builds(
    PublicKey, st.dictionaries(_texts, _texts).map(lambda d: tuple(d.items()))
)
_data = st.one_of(
    _texts,
    st.builds(OtherData, st.just("future"), _json.map(json.dumps)),
    st.binary(max_size=20),
    st.builds(
        AdminData,
        handle=_texts,
        index=st.integers(),
        permissions=_texts,
        legacy_byte_length=st.booleans(),
    ),
    st.lists(_references, max_size=3).map(tuple),
    _keys,
    st.builds(
        Site,
        version=st.integers(),
        protocol_version=_texts,
        serial_number=st.integers(),
        primary=st.booleans(),
        multi_primary=st.booleans(),
        hash_option=st.integers(0, 2),
        hash_filter=st.none() | _texts,
        attributes=st.lists(st.tuples(_texts, _texts), max_size=2).map(tuple),
        servers=st.lists(
            st.builds(
                SiteServer,
                server_id=st.integers(),
                address=_texts,
                public_key=st.none() | st.binary(max_size=8) | _keys,
                interfaces=st.lists(
                    st.builds(
                        SiteInterface,
                        query=st.booleans(),
                        admin=st.booleans(),
                        protocol=_texts,
                        port=st.integers(),
                    ),
                    max_size=2,
                ).map(tuple),
            ),
            max_size=2,
        ).map(tuple),
    ),
)
_values = st.builds(
    HandleValue,
    index=st.integers(),
    type=_texts,
    data=_data,
    ttl=st.integers() | _moments,
    timestamp=st.none() | _moments,
    permissions=st.text("01", min_size=4, max_size=4),
    references=st.lists(_references, max_size=2).map(tuple),
)


def test_a_record_from_a_cache_holds_its_text_or_its_values() -> None:
    """Both would be twice as much, for a hundred thousand of them."""
    text = HandleRecord.from_json(HANDLE, body(value("https://a.example/"))).stored
    record = HandleRecord.from_stored(HANDLE, text)
    before = gc.get_referents(record)
    _ = record.values

    assert text in before
    assert text not in gc.get_referents(record)
    assert record.stored == text


def test_threads_that_read_a_record_at_once_read_the_same() -> None:
    """Whichever puts the values in the place of the text."""
    text = HandleRecord.from_json(HANDLE, body(value("https://a.example/"))).stored
    records = [HandleRecord.from_stored(HANDLE, text) for _ in range(500)]
    at_once = threading.Barrier(8)

    def read() -> list[tuple[HandleValue, ...]]:
        at_once.wait()
        return [record.values for record in records]

    with ThreadPoolExecutor(8) as threads:
        found = [each.result() for each in [threads.submit(read) for _ in range(8)]]

    expected = HandleRecord.from_stored(HANDLE, text).values
    assert found == [[expected] * 500] * 8


@given(handle=handles, values=st.lists(_values, max_size=4))
def test_what_is_written_is_read_back(
    handle: Handle, values: list[HandleValue]
) -> None:
    """As the proxy's JSON, through its text, and as the cache stores it."""
    record = HandleRecord(handle, values)

    written: Any = json.loads(json.dumps(record.to_json()))

    assert HandleRecord.from_json(handle, written) == record
    assert HandleRecord.from_stored(handle, record.stored) == record


_telling = st.builds(
    url,
    st.sampled_from(["https://a.example/", "10.1/b", "http://[::1]/\udc80", "/x"])
    | st.text(st.characters() | st.sampled_from('\ud800"\\\n'), max_size=8).map(
        "https://a.example/".__add__
    ),
    st.integers(1, 9),
    st.sampled_from(["URL", "url.x", "HS_ALIAS", "hs_alias", "10320/LOC", "X", '"\\']),
)


@given(values=st.lists(_telling, max_size=4), type_=st.text(max_size=3))
def test_a_record_from_a_cache_tells_the_same_before_it_is_read(
    values: list[HandleValue], type_: str
) -> None:
    """Where it leads, what it stands for, which values of a type it has."""
    record = HandleRecord(HANDLE, values)

    def unread() -> HandleRecord:
        return HandleRecord.from_stored(HANDLE, record.stored)

    assert unread().target == record.target
    assert unread().alias == record.alias
    assert unread().locations == record.locations
    for each in ("URL", "uRl.X", "10320/loc", '"\\', type_):
        assert unread().values_of(each) == record.values_of(each)


def test_where_a_record_leads_is_known_without_its_values() -> None:
    """For thousands that nobody looks at."""
    record = HandleRecord(HANDLE, [url("https://a.example/")])
    target, _, values = record.stored.partition(b"\n")
    damaged = HandleRecord.from_stored(HANDLE, target + b"\n" + values[:-1])

    assert (damaged.target, damaged.locations) == ("https://a.example/", ())
    assert HandleRecord.from_stored(HANDLE, values).target == "https://a.example/"


@given(values=_json)
def test_any_json_is_read_or_refused_with_a_reason(values: object) -> None:
    """Nothing but `RecordError` ever comes out."""
    path = "values"
    try:
        HandleRecord.from_json(HANDLE, {"handle": "20.1000/x", "values": values})
    except RecordError as error:
        path = error.path

    assert path.startswith("values")
