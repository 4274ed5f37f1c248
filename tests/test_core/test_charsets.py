"""The table of character sets that a reference's octets may be in."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.charsets import charset_named
from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference
from tests.strategies import any_text

NAMES = [
    *["UTF-8", "utf8", "US-ASCII", "ISO-8859-1", "latin1", "Latin-1", "ISO_8859-2"],
    *["ISO-8859-5", "ISO-8859-7", "ISO-8859-8-I", "ISO-8859-15", "windows-1252"],
    *["CP1251", "KOI8-R", "koi8-u", "macintosh", "Shift_JIS", "SJIS", "EUC-JP"],
    *["ISO-2022-JP", "jis", "JIS", "GB2312", "GBK", "GB18030", "Big5", "EUC-KR"],
    *["ISO-2022-KR", "HZ-GB-2312", "TIS-620", "IBM850", "windows-31j"],
]

REFUSED = [
    *["punycode", "idna", "utf-7", "UTF7", "unicode_escape", "raw_unicode_escape"],
    *["rot13", "rot_13", "hex", "base64", "zlib", "bz2", "quopri", "uu", "mbcs"],
    *["undefined", "utf-16", "utf-32", "utf-16-le", "oem", "charmap", "unicode"],
    *["", " ", "x", "10.1000", "latin", "utf", "jis2", "none", "user", "www"],
]


@pytest.mark.parametrize("name", NAMES)
def test_document_charset(name: str) -> None:
    """A charset under which documents are declared is known, in any case."""
    codec = charset_named(name)
    assert codec is not None
    assert codecs.lookup(codec)
    assert charset_named(name.swapcase()) == codec


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    """What Python also calls codecs is no charset of a document."""
    assert charset_named(name) is None


@pytest.mark.parametrize("name", NAMES)
def test_every_charset_reads_ascii_as_ascii(name: str) -> None:
    """No charset hides ASCII in other octets: a plain handle stays the same."""
    reference = HandleReference.parse(f"hdl:{name}@20.1000/Abc-1.(2);3")
    assert str(reference.handle) == "20.1000/Abc-1.(2);3"


@pytest.mark.parametrize("name", [name for name in REFUSED if name.strip()])
def test_unknown_modifier(name: str) -> None:
    """Any other word before "@" is an error that names it."""
    with pytest.raises(HandleSyntaxError) as caught:
        HandleReference.parse(f"hdl:{name}@cnri.test/x")
    assert caught.value.reason == (
        f'"{name}" before "@" is not the name of a known charset'
    )
    assert caught.value.span == (4, 4 + len(name))


@given(st.one_of(any_text, st.sampled_from(NAMES)))
def test_codecs_exist(name: str) -> None:
    """Any name gives a codec that Python has and that decodes text, or nothing."""
    codec = charset_named(name)
    if codec is not None:
        assert isinstance(b"a".decode(codec), str)
