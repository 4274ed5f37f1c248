"""`handle_system.resolving.records_file`: a file of records in place of a server."""

import json
from pathlib import Path

import pytest

from handle_system.handle import Handle
from handle_system.resolving.outcome import NotRegistered, NoValues, Resolved
from handle_system.resolving.records_file import RecordsFileError, RecordsResolver
from handle_system.resolving.resolver import Resolver

RECORDS = {
    "10.1000/One": "https://example.org/one",
    "20.1000/2": {
        "responseCode": 1,
        "handle": "20.1000/2",
        "values": [
            {
                "index": 1,
                "type": "URL",
                "data": {"format": "string", "value": "https://example.org/two"},
            }
        ],
    },
    "20.1000/empty": {"responseCode": 200, "values": []},
}


def write(folder: Path, text: str) -> Path:
    path = folder / "records.json"
    path.write_text(text, encoding="utf-8")
    return path


def failure(folder: Path, text: str) -> str:
    """What the error says, with the folder taken out."""
    with pytest.raises(RecordsFileError) as raised:
        RecordsResolver.from_file(write(folder, text))
    return str(raised.value).replace(f"{folder}/", "")


def test_a_url_and_a_record_of_the_interface_both_resolve(tmp_path: Path) -> None:
    """A text is the one URL, an object is an answer of the REST interface."""
    resolver = RecordsResolver.from_file(write(tmp_path, json.dumps(RECORDS)))

    one = resolver.resolve(Handle.parse("10.1000/One"))
    two = resolver.resolve(Handle.parse("20.1000/2"))

    assert isinstance(resolver, Resolver)
    assert isinstance(one, Resolved)
    assert isinstance(two, Resolved)
    assert (one.target, two.target) == (
        "https://example.org/one",
        "https://example.org/two",
    )


def test_what_is_not_in_the_file_is_not_registered() -> None:
    """The file is all that this resolver knows."""
    resolver = RecordsResolver(RECORDS)

    assert resolver.resolve(Handle.parse("20.1000/3")) == NotRegistered()
    assert resolver.resolve(Handle.parse("20.1000/empty")) == NoValues()


def test_keys_are_found_as_handles_compare() -> None:
    """A DOI is found in any letter case, another handle's suffix only in its own."""
    resolver = RecordsResolver({"10.1/A": "https://a.example/", "20.1/A": "https://b/"})

    assert isinstance(resolver.resolve(Handle.parse("10.1/a")), Resolved)
    assert resolver.resolve(Handle.parse("20.1/a")) == NotRegistered()


def test_handles_are_listed_in_the_order_of_the_file() -> None:
    """The file's own spelling and order are kept."""
    assert [str(handle) for handle in RecordsResolver(RECORDS).handles] == list(RECORDS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            (
                '{"20.1000/2": {"values": [{"index": 1, "type": "URL",'
                ' "data": {"format": "string", "value": 7}}]}}'
            ),
            (
                'records.json: ["20.1000/2"].values[0].data.value: '
                "a string is expected here, not an integer"
            ),
        ),
        (
            '{"20.1000/2": {"handle": "20.1000/3", "values": []}}',
            (
                'records.json: ["20.1000/2"].handle: '
                "the answer is about another handle: '20.1000/3'"
            ),
        ),
        (
            '{"20.1000/2": ["https://example.org/"]}',
            (
                'records.json: ["20.1000/2"]: '
                "a URL or an object is expected here, not an array"
            ),
        ),
        (
            '{"no handle": "https://example.org/"}',
            (
                'records.json: ["no handle"]: '
                "a handle is prefix/suffix, with no white space in the prefix"
            ),
        ),
        (
            '{"10.1/a": "https://a/", "10.1/A": "https://b/"}',
            'records.json: ["10.1/A"]: the same handle as "10.1/a" before it',
        ),
        (
            '{"10.1/a": "https://a/", "10.1/a": "https://b/"}',
            'records.json: "10.1/a" stands twice in one object',
        ),
        (
            '{\n  "10.1/a": nothing\n}',
            "records.json: line 2, column 13: this is not JSON: Expecting value",
        ),
        (
            '["10.1/a"]',
            (
                "records.json: an object of handles and their records is expected, "
                "not an array"
            ),
        ),
        ('{"10.1/a": {"n": NaN}}', "records.json: NaN is not JSON"),
        ('{"10.1/a": ' + "[" * 100_000, "records.json: it is nested too deep"),
    ],
    ids=[
        "data",
        "echo",
        "kind",
        "key",
        "folded twice",
        "twice",
        "JSON",
        "top",
        "NaN",
        "deep",
    ],
)
def test_error_names_file_place_and_reason(
    tmp_path: Path, text: str, message: str
) -> None:
    """A slip in the file is found when it is read, and is shown where it stands."""
    assert failure(tmp_path, text) == message


def test_error_on_a_missing_file(tmp_path: Path) -> None:
    """A file that is not there is said to be unreadable."""
    with pytest.raises(RecordsFileError) as raised:
        RecordsResolver.from_file(tmp_path / "none.json")

    assert str(raised.value) == (
        f"{tmp_path}/none.json: it cannot be read: No such file or directory"
    )


def test_error_on_another_encoding(tmp_path: Path) -> None:
    """JSON is UTF-8; a byte order mark before it is not minded."""
    path = tmp_path / "records.json"
    path.write_bytes('{"10.1/ä": "https://a/"}'.encode("latin-1"))
    with pytest.raises(RecordsFileError) as raised:
        RecordsResolver.from_file(path)
    assert raised.value.reason == "it is not UTF-8, from octet 7 on"

    path.write_bytes('{"10.1/ä": "https://a/"}'.encode("utf-8-sig"))
    assert RecordsResolver.from_file(path).handles == (Handle.parse("10.1/ä"),)
