"""A project may list prefixes under which the case of suffixes does not count."""

import pytest

from handle_system import Handle, RecordsResolver
from handle_system.ignored_case import EXACT, IgnoredCase
from handle_system.resolving.outcomes import NotRegistered
from handle_system.resolving.resolvers import RecordsFileError

LISTED = IgnoredCase(["CNRI.test"])


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("cnri.test/Handle", "cnri.TEST/hANDLE", True),
        ("cnri.test/É", "cnri.test/é", False),
        ("cnri.test.a/B", "cnri.test.a/b", False),
        ("20.1000/A", "20.1000/a", False),
        ("10.1000/A", "10.1000/a", True),
    ],
)
def test_ascii_case_is_ignored_there_and_only_there(
    one: str, other: str, *, is_same: bool
) -> None:
    """Letters outside ASCII, derived prefixes and all others are compared as before."""
    assert (LISTED.key(Handle.parse(one)) == LISTED.key(Handle.parse(other))) is is_same


def test_a_handle_stays_exact() -> None:
    """Neither the equality of handles nor their spelling changes."""
    handle = Handle.parse("cnri.test/Handle")

    assert EXACT.key(handle) == handle.comparison_key == "cnri.test/Handle"
    assert handle != Handle.parse("cnri.test/handle")
    assert str(handle) == "cnri.test/Handle"


def test_records_are_found_in_any_case() -> None:
    """A records file has one record for all spellings under a listed prefix."""
    records = {"cnri.test/Handle": "https://example.org/", "20.1000/A": "urn:x"}
    handle = Handle.parse("cnri.test/HANDLE")

    resolver = RecordsResolver(records, LISTED)

    assert resolver.resolve(handle) == resolver.resolve(
        Handle.parse("cnri.test/Handle")
    )
    assert resolver.resolve(handle) != NotRegistered()
    assert resolver.resolve(Handle.parse("20.1000/a")) == NotRegistered()
    assert RecordsResolver(records).resolve(handle) == NotRegistered()
    assert [str(each) for each in resolver.handles] == list(records)


def test_two_spellings_are_one_record() -> None:
    """A file that has a handle twice is refused, as for any handle."""
    records = {"cnri.test/a": "https://example.org/", "cnri.test/A": "urn:x"}

    with pytest.raises(RecordsFileError) as raised:
        RecordsResolver(records, LISTED)

    assert str(raised.value) == '["cnri.test/A"]: the same handle stands before it'
