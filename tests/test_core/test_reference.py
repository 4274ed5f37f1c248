"""A handle as written in a document: parsing, formatting, and display."""

import copy
import pickle
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handle_system.diagnostics import diagnose
from handle_system.errors import (
    AddressError,
    HandleSyntaxError,
    OtherThingError,
    PlaceholderError,
    PrefixError,
)
from handle_system.forms import ReferenceForm
from handle_system.handle import Handle
from handle_system.presenting import DisplayStyle, display_text, usual_title
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference
from handle_system.text import SURROUNDING_SPACE
from tests.strategies import any_text, handles, reference_like, written_references

BARE, VALUE, HDL = ReferenceForm.BARE, ReferenceForm.VALUE, ReferenceForm.HDL
INFO, URN, DOI = ReferenceForm.INFO, ReferenceForm.URN, ReferenceForm.DOI
PROXY = ReferenceForm.PROXY

SICI = "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V"

# Text; its form, handle, and other parts.
READ: dict[str, tuple[ReferenceForm, str, dict[str, Any]]] = {
    # Bare: nothing is decoded or removed.
    "10.1045/april2006-paskin": (BARE, "10.1045/april2006-paskin", {}),
    "cnri.test/日本": (BARE, "cnri.test/日本", {}),
    "cnri.test/handle%abc": (BARE, "cnri.test/handle%abc", {}),
    "10.1000/a?b#c": (BARE, "10.1000/a?b#c", {}),
    '10.1000/a"b c': (BARE, '10.1000/a"b c', {}),
    "10.1000/%41": (BARE, "10.1000/%41", {}),
    "10.1000/hdl:10.1000/1": (BARE, "10.1000/hdl:10.1000/1", {}),
    "hdl/20.1000/100": (BARE, "hdl/20.1000/100", {}),
    "jis@cnri.test/日本": (BARE, "cnri.test/日本", {}),
    SICI: (BARE, SICI, {}),
    "\ufeff\u200b\xa010.1000/182\u3000\n": (BARE, "10.1000/182", {}),
    # One value of a handle.
    "300:0.NA/10": (VALUE, "0.NA/10", {"index": 300}),
    "0:10.1000/182": (VALUE, "10.1000/182", {"index": 0}),
    "4294967295:10.1000/182": (VALUE, "10.1000/182", {"index": 4294967295}),
    "0000000000000300:0.NA/10": (VALUE, "0.NA/10", {"index": 300}),
    "1:10.1000/a:b": (VALUE, "10.1000/a:b", {"index": 1}),
    "hdl:300:0.NA/10": (HDL, "0.NA/10", {"index": 300}),
    # hdl:
    "hdl:10.1045/x": (HDL, "10.1045/x", {}),
    "HDL:10.1045/x": (HDL, "10.1045/x", {}),
    "Hdl:102.100.272/QD9QVGMQH": (HDL, "102.100.272/QD9QVGMQH", {}),
    "hdl:/102.100.272/Y35XYS0QH": (HDL, "102.100.272/Y35XYS0QH", {}),
    "hdl:///10.1000/1": (HDL, "10.1000/1", {}),
    "hdl: 20.1000/100": (HDL, "20.1000/100", {}),
    "hdl:\xa020.1000/100": (HDL, "20.1000/100", {}),
    "hdl:cnri.test/handle%25abc": (HDL, "cnri.test/handle%abc", {}),
    "hdl:20.1000%2F100": (HDL, "20.1000/100", {}),
    "hdl:20.1000/100#sec2": (HDL, "20.1000/100", {"fragment": "sec2"}),
    "hdl:20.1000/100?a=b#c?d#e": (
        HDL,
        "20.1000/100",
        {"query": "a=b", "fragment": "c?d%23e"},
    ),
    "hdl:20.1000/100?": (HDL, "20.1000/100", {"query": ""}),
    "hdl:20.1000/100#": (HDL, "20.1000/100", {"fragment": ""}),
    "hdl:20.1000/a%3Fb%23c": (HDL, "20.1000/a?b#c", {}),
    "hdl:20.1000/a@b": (HDL, "20.1000/a@b", {}),
    "hdl:20.1000/a%20b ": (HDL, "20.1000/a b", {}),
    "hdl:20.1000/a%20": (HDL, "20.1000/a ", {}),
    # hdl: with a modifier (Sun 1998).
    "hdl:jis@cnri.test/日本": (HDL, "cnri.test/日本", {}),
    "hdl:jis@cnri.test/%1B$BF%7CK%5C%1B(B": (HDL, "cnri.test/日本", {}),
    "hdl:latin1@a%2Fb@c": (HDL, "a/b@c", {}),
    "hdl:300:latin1@a/%E9": (HDL, "a/é", {"index": 300}),
    # hdl: with a server (drafts of a hdl URI scheme, 2008), or the prefix of 1995 (Identifiers and Handles).
    "hdl://190.12.34.56/1234/567": (HDL, "1234/567", {"server": "190.12.34.56"}),
    "hdl://[::1]:2641/1234/567": (HDL, "1234/567", {"server": "[::1]:2641"}),
    "hdl://[::1]/1234/567": (HDL, "1234/567", {"server": "[::1]"}),
    "hdl://H.Example.org:2641/1234/567": (
        HDL,
        "1234/567",
        {"server": "h.example.org:2641"},
    ),
    "hdl://h.example.org:2641/300:0.NA/10": (
        HDL,
        "0.NA/10",
        {"server": "h.example.org:2641", "index": 300},
    ),
    "hdl://190.12.34.56:02641/a%2Fb?q": (
        HDL,
        "a/b",
        {"server": "190.12.34.56:2641", "query": "q"},
    ),
    "hdl://cnri-1/1995.;9": (HDL, "cnri-1/1995.;9", {}),
    "hdl://berkeley.cs/ucb-cstr-94.45": (HDL, "berkeley.cs/ucb-cstr-94.45", {}),
    "hdl://190.12.34.56/1234": (HDL, "190.12.34.56/1234", {}),
    "hdl://190.12.34.56/1234/": (HDL, "190.12.34.56/1234/", {}),
    "hdl://190.12.34.56//x": (HDL, "190.12.34.56//x", {}),
    "hdl://190.12.34.256/1234/567": (HDL, "190.12.34.256/1234/567", {}),
    "hdl://1234/567/8": (HDL, "1234/567/8", {}),
    # info:, urn:, doi:
    "info:hdl/1234/567": (INFO, "1234/567", {}),
    "INFO:HDL/1234/567": (INFO, "1234/567", {}),
    "info:doi/10.1000/182?x": (INFO, "10.1000/182", {"query": "x"}),
    "urn:hdl:20.1000/100": (URN, "20.1000/100", {}),
    "URN:DOI:10.1000/182": (URN, "10.1000/182", {}),
    "urn:doi:10.1000:182": (URN, "10.1000/182", {}),
    "urn:hdl:20.1000:a:b/c": (URN, "20.1000/a:b/c", {}),
    "urn:hdl:20.1000/a:b": (URN, "20.1000/a:b", {}),
    "doi:10.1000/182": (DOI, "10.1000/182", {}),
    "DOI: 10.1000/182": (DOI, "10.1000/182", {}),
    "doi:10/cr3qwn": (DOI, "10/cr3qwn", {}),
    "doi:10.1002/(SICI)1097%2D4679(199902)55:2%3C241::AID-JCLP12%3E3.0.CO;2-V": (
        DOI,
        SICI,
        {},
    ),
    # Proxies.
    "https://hdl.handle.net/10.1045/x": (PROXY, "10.1045/x", {}),
    "http://dx.doi.org/10.1000/182": (PROXY, "10.1000/182", {}),
    "HTTP://DX.DOI.ORG/10.1000/182": (PROXY, "10.1000/182", {}),
    "https://www.doi.org/10.1000/182": (PROXY, "10.1000/182", {}),
    "http://hdl.loc.gov/loc.pnp/cph.3a00001": (PROXY, "loc.pnp/cph.3a00001", {}),
    "http://resolver.net.au/hdl/102.100.272/Y35XYS0QH": (
        PROXY,
        "102.100.272/Y35XYS0QH",
        {},
    ),
    "https://doi.org:443/10.1000/182": (PROXY, "10.1000/182", {}),
    "http://doi.org:80/10.1000/182": (PROXY, "10.1000/182", {}),
    "//doi.org/10.1000/182": (PROXY, "10.1000/182", {}),
    "doi.org/10.1000/182": (PROXY, "10.1000/182", {}),
    "DOI.org/10.1000/182": (PROXY, "10.1000/182", {}),
    "doi.org/10.1000%2F182#s2": (PROXY, "10.1000/182", {"fragment": "s2"}),
    "doi.org/10/cr3qwn": (PROXY, "10/cr3qwn", {}),
    "hdl.handle.net/20.1000/100": (PROXY, "20.1000/100", {}),
    "hdl.loc.gov/2027/1?q": (PROXY, "2027/1", {"query": "q"}),
    "resolver.net.au/hdl/102.100.272/X": (PROXY, "102.100.272/X", {}),
    "https://doi.org/cr3qwn": (PROXY, "10/cr3qwn", {}),
    "https://doi.org/10/cr3qwn": (PROXY, "10/cr3qwn", {}),
    "https://doi.org/10.1000%2F182": (PROXY, "10.1000/182", {}),
    "https://doi.org/10%2E1000/182": (PROXY, "10.1000/182", {}),
    "https://doi.org/%31%30.1000/182": (PROXY, "10.1000/182", {}),
    "https://doi.org/10.1000/a%252520b": (PROXY, "10.1000/a%2520b", {}),
    "https://doi.org/10.1000/a+b": (PROXY, "10.1000/a+b", {}),
    "https://doi.org/10.1000/..%2Fx": (PROXY, "10.1000/../x", {}),
    "https://hdl.handle.net/a%2Fb/c": (PROXY, "a/b/c", {}),
    "https://hdl.handle.net/20.1000//x/": (PROXY, "20.1000//x/", {}),
    "https://hdl.handle.net/jis@cnri.test/%1B$BF%7CK%5C%1B(B": (
        PROXY,
        "cnri.test/日本",
        {},
    ),
    "https://hdl.handle.net/2027/loc.ark:/13960/t6349vh5n?urlappend=%3Bseq=672": (
        PROXY,
        "2027/loc.ark:/13960/t6349vh5n",
        {"query": "urlappend=%3Bseq=672"},
    ),
    # The public proxy accepts another scheme after its host.
    "https://hdl.handle.net/hdl:20.1000/100": (PROXY, "20.1000/100", {}),
    "https://hdl.handle.net/urn:doi:10.1000:182?x": (
        PROXY,
        "10.1000/182",
        {"query": "x"},
    ),
    "https://doi.org/https://doi.org/10.1850/x#y": (
        PROXY,
        "10.1850/x",
        {"fragment": "y"},
    ),
    "https://doi.org/doi:10.1000/182": (PROXY, "10.1000/182", {}),
    "https://dx.doi.org/doi.org/10.1000/182?a": (
        PROXY,
        "10.1000/182",
        {"query": "a"},
    ),
    "https://hdl.handle.net/doi.org/10.1000/182": (PROXY, "doi.org/10.1000/182", {}),
    "https://doi.org//10.1000/182": (PROXY, "10.1000/182", {}),
}


@pytest.mark.parametrize("text", READ)
def test_read(text: str) -> None:
    """Every form is parsed to its handle and its other parts."""
    form, handle, also = READ[text]
    reference = HandleReference.parse(text)
    assert str(reference.handle) == handle
    assert reference.form is form
    assert reference.source == text
    assert reference == HandleReference(handle=reference.handle, **also)


# Text; the reason for its error, and the marked part.
REFUSED: dict[str, tuple[str, str]] = {
    "": ("nothing here: a handle is prefix/suffix", ""),
    " \u200b": ("nothing here: a handle is prefix/suffix", ""),
    "hdl:": ('no "/" between prefix and suffix', ""),
    "hdl:/": ('no "/" between prefix and suffix', ""),
    "info:hdl/1234": ('no "/" between prefix and suffix', ""),
    "hdl:a/": ('the suffix is missing: nothing after "/"', ""),
    "hdl:////a/b": ("the prefix is missing: a handle is prefix/suffix", ""),
    "doi:20.1000/100": ('the prefix of a DOI is "10" or begins with "10."', "20.1000"),
    "doi:1010.1/x": ('the prefix of a DOI is "10" or begins with "10."', "1010.1"),
    "info:doi/a/b": ('the prefix of a DOI is "10" or begins with "10."', "a"),
    "doi:  10.1000/182": ("white space is not allowed in a prefix", " "),
    "doi: abc/x": ("white space is not allowed in a prefix", " "),
    "hdl:doi:10.1000/1": ("a scheme within a scheme", ":"),
    "doi:https://doi.org/10.1/x": ("a scheme within a scheme", ":"),
    "hdl:a:b/c": ('":" is not allowed in a prefix', ":"),
    "hdl:a%3Ab/c": ('":" is not allowed in a prefix', "%3A"),
    "hdl:a%40b/c": ('"@" is not allowed in a prefix', "%40"),
    "hdl:20.1000/a%1Bb": (
        "a control character (U+001B) is not allowed in a handle",
        "%1B",
    ),
    "hdl:20.1000/é%C2%85": (
        "a control character (U+0085) is not allowed in a handle",
        "%C2%85",
    ),
    "hdl:20.1000/%E6%97%A5%00x": (
        "a control character (U+0000) is not allowed in a handle",
        "%00",
    ),
    "hdl:latin1@10.1/%C3%A9%07?%zz": (
        "a control character (U+0007) is not allowed in a handle",
        "10.1/%C3%A9%07",
    ),
    "@a/b": ('"@" is not allowed in a prefix', "@"),
    "hdl:@a/b": ('"" before "@" is not the name of a known charset', "@"),
    "hdl:user@example.org/x": (
        '"user" before "@" is not the name of a known charset',
        "user",
    ),
    "4294967296:a/b": ("the index of a value is at most 4294967295", "4294967296"),
    "hdl:9999999999:a/b": ("the index of a value is at most 4294967295", "9999999999"),
    "hdl:99999999999:a/b": ('":" is not allowed in a prefix', ":"),
    "300:400:a/b": ('":" is not allowed in a prefix', ":"),
    "hdl://h.example.org:2641/1234": ('":" is not allowed in a prefix', ":"),
    "hdl://h.example.org:0/1234/5": ('":" is not allowed in a prefix', ":"),
    "hdl://h.example.org:65536/1234/5": ('":" is not allowed in a prefix', ":"),
    "hdl://user@h.example.org:2641/1/2": (
        '"user" before "@" is not the name of a known charset',
        "user",
    ),
    "https://doi.org/10.1000": ('no "/" between prefix and suffix', ""),
    "https://hdl.handle.net/20.1000/": ('the suffix is missing: nothing after "/"', ""),
    "https://doi.org/doi:doi:10.1/x": ("a scheme within a scheme", ":"),
    "https://doi.org/10.1000/a?b\x00": (
        "a control character (U+0000) is not allowed in a URI",
        "\x00",
    ),
    "hdl:a/b#\ud800": ("a lone surrogate (U+D800) is not allowed in a URI", "\ud800"),
    "hdl:20.1000/a%0Ab": (
        "a control character (U+000A) is not allowed in a handle",
        "%0A",
    ),
    "https：//doi.org/10.1/x": (
        'U+FF1A only looks like the ":" after a scheme',
        "：",
    ),
    "doi：10.1000/182": ('U+FF1A only looks like the ":" after a scheme', "："),
    "https//doi.org/10.1000/182": ("the address is broken", "https//doi.org/"),
    "HTTPS//doi.org/10.1000/182": ("the address is broken", "HTTPS//doi.org/"),
    "https://doi.org/1O.1000/182": (
        "letters stand for digits in the prefix",
        "https://doi.org/1O.1000",
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    """A malformed reference raises an error with its reason and position."""
    reason, marked = REFUSED[text]
    with pytest.raises(HandleSyntaxError) as caught:
        HandleReference.parse(text)
    error = caught.value
    assert not isinstance(error, OtherThingError)
    assert error.reason == reason
    assert text[slice(*error.span)] == marked
    assert error.source == text


OTHER_THINGS = [
    *["data:text/x", "javascript:a/b", "javascript:alert(1)//x", "mailto:a@b/c"],
    *["info:ddc/22/eng//004.678", "urn:isbn:0451450523", "urn:10.123/456"],
    *["arXiv:hep-th/9901001v27", "ark:/13030/tqb3kh97gh8w", "file:///10.1000/1"],
    *["https://example.org/10.1000/182", "https://user@doi.org/10.1000/182"],
    "https://resolver.example.org/hdl/102.100.272/X",
    *["https://doi.org@evil.example/10.1000/182", "https://doi.org:8080/10.1/x"],
    *["https://hdl.handle.net.evil.example/20.1000/1", "https://xdoi.org/10.1/x"],
    *["https://doi.org\\10.1000/182", "https://d\u043ei.org/10.1000/182"],
    "https://doi\u3002org/10.1000/182",
    *["https://hdl.handle.net", "https://hdl.handle.net/", "https://doi.org/"],
    *["https://hdl.handle.net/api/handles/20.1000/1", "https://doi.org/ra/10.1000"],
    *["https://hdl.handle.net/%61pi/handles/20.1000/1", "https://doi.org/doiRA/10.1"],
    *["https://hdl.handle.net/doiRA/10.1000/1", "https://hdl.handle.net/ra/10.1000"],
    *["https://www.doi.org/the-identifier/what-is-a-doi/", "https://www.doi.org/abc"],
    *["https://hdl.handle.net/static/logo.png", "https://resolver.net.au/hdl/"],
    *["https://hdl.handle.net/20.1000", "https://hdl.handle.net/https://a.example/b/c"],
    *["https://doi.org/about", "https://doi.org/index.html", "https://doi.org/{doi}"],
    *["https://www.doi.org/hb.html", "https://doi.org/$doi", "https://doi.org/%s"],
    "https://hdl.handle.net/https://a.example/doi/10.1000/182",
    *["doi.org/the-identifier/x", "doi.org/d8dn"],
    *["doi.org/11.1000/x", "doi.org/101/x", "resolver.net.au/1/2", "hdl.loc.gov/x/y"],
    *["dxsdfas.doi.org/10.1016/j.neuron.2014.09.004"],
]


@pytest.mark.parametrize("text", OTHER_THINGS)
def test_other_things(text: str) -> None:
    """The URL or name of another thing raises `OtherThingError`."""
    with pytest.raises(OtherThingError):
        HandleReference.parse(text)
    assert HandleReference.from_link(text) is None


_NEITHER = '"{}" is neither a DOI nor a page of doi.org'
# By what stands behind doi.org: why it is a mistake, and what was meant.
MISTAKES_BEHIND_DOI_ORG = {
    "arXiv:2106.01234": ('"arXiv:2106.01234" is no DOI', "10.48550/arXiv.2106.01234"),
    "arxiv.org/hep-th/9901001v2": (_NEITHER.format("arxiv.org/hep-th/9901001v2"), None),
    "arXiv:hep-th/9901001v2": (
        '"arXiv:hep-th/9901001v2" is no DOI',
        "10.48550/arXiv.hep-th/9901001",
    ),
    "zenodo.7654321": ('"zenodo.7654321" is no DOI', "10.5281/zenodo.7654321"),
    "9787302331094": ('"9787302331094" is an ISBN, and no DOI', None),
    "978-9077381-39-7": ('"978-9077381-39-7" is an ISBN, and no DOI', None),
    "https://a.example/b/c": (
        "another address stands behind doi.org, and no DOI",
        None,
    ),
    "www.a.example/b": (_NEITHER.format("www.a.example/b"), None),
    "mailto:a@b/c": (_NEITHER.format("mailto:a@b/c"), None),
    "j.acha.2013.01.001": (_NEITHER.format("j.acha.2013.01.001"), None),
    "S0022-2836(05)80360-2": (_NEITHER.format("S0022-2836(05)80360-2"), None),
    "CR3QWN": (_NEITHER.format("CR3QWN"), None),
    "arXiv:1805.00917v3 and more": (
        _NEITHER.format("arXiv:1805.00917v3 and more"),
        None,
    ),
    "handbook soon": (_NEITHER.format("handbook soon"), None),
    "journal/10.1000/182": (_NEITHER.format("journal/10.1000/182"), "10.1000/182"),
}
# By what was meant for a DOI: its prefix, and the DOI.
DAMAGED_PREFIXES = {
    "0.1007/s00-1": ("0.1007", "10.1007/s00-1"),
    ".1007/s00-1": (".1007", "10.1007/s00-1"),
    "0.12345.6/%E6%97%A5?q": ("0.12345.6", "10.12345.6/%E6%97%A5?q"),
    "10-1098/rspl.1895.0041": ("10-1098", "10.1098/rspl.1895.0041"),
    "110.1177/1040638720905833": ("110.1177", "10.1177/1040638720905833"),
    "1010.1234/a": ("1010.1234", "10.1234/a"),
    "810.1109/ICNN.1995.488968": ("810.1109", "10.1109/ICNN.1995.488968"),
    "101029/2022GC010675": ("101029", "10.1029/2022GC010675"),
    "16/0024-3795(91)90181-S": ("16", "10.1016/0024-3795(91)90181-S"),
}
PLACEHOLDERS_BEHIND_DOI_ORG = (
    *(
        "DOI",
        "doi",
        "DOI:",
        "xxxx",
        "PENDING",
        "pending-deposit",
        "PENDING_SUBMISSION_DEC_2025",
    ),
    *("yourDOI", "your-doi", "DOI_HERE", "the-doi", "insert_doi_here", "TBA", "TODO"),
    *("example", "xxxxx", "XX.XXXX/xxxx", "DOI-TBD", "replace-me", "placeholder"),
    "TBD soon",
)


@pytest.mark.parametrize("host", ["doi.org", "dx.doi.org"])
@pytest.mark.parametrize("path", MISTAKES_BEHIND_DOI_ORG)
def test_a_mistake_behind_doi_org(host: str, path: str) -> None:
    """What is neither a DOI, a shortDOI nor a page is refused, in a link too."""
    reason, doi = MISTAKES_BEHIND_DOI_ORG[path]
    text = f"https://{host}/{path}"
    for read in (HandleReference.parse, HandleReference.from_link):
        with pytest.raises(AddressError) as caught:
            read(text)
        assert caught.value.reason == reason
        assert caught.value.suggestion == (doi and f"doi:{doi}")


@pytest.mark.parametrize("opening", ["https://doi.org/", "//dx.doi.org/", "doi:"])
@pytest.mark.parametrize("written", DAMAGED_PREFIXES)
def test_a_prefix_near_that_of_a_doi(opening: str, written: str) -> None:
    """At doi.org and behind ``doi:``, it is refused, and the DOI is suggested."""
    prefix, doi = DAMAGED_PREFIXES[written]
    for read in (HandleReference.parse, HandleReference.from_link):
        with pytest.raises(PrefixError) as caught:
            read(f"{opening}{written}")
        assert caught.value.suggestion == f"doi:{doi}"
        message = f'a DOI\'s prefix begins with "10.", and "{prefix}" does not'
        assert caught.value.reason == message


@pytest.mark.parametrize(
    "written", ["hdl:110.1177/1", "https://hdl.handle.net/1010.1/x"]
)
def test_a_handle_with_such_a_prefix(written: str) -> None:
    """Elsewhere it is the prefix of a handle."""
    assert not diagnose(HandleReference.parse(written))


@pytest.mark.parametrize("path", PLACEHOLDERS_BEHIND_DOI_ORG)
def test_a_placeholder_behind_doi_org(path: str) -> None:
    """A word of templates is no shortDOI."""
    with pytest.raises(PlaceholderError) as caught:
        HandleReference.parse(f"https://doi.org/{path}")
    assert caught.value.reason == f'"{path}" is a placeholder'
    assert caught.value.suggestion is None


@pytest.mark.parametrize(
    "path", ["cr3qwn", "d8dn", "gf4gqc", "1ab", "fnh6g4", "gfrfbm", "ckcj"]
)
def test_a_short_doi_behind_doi_org(path: str) -> None:
    """Some small letters and digits, or letters that spell no word, are a shortDOI."""
    assert HandleReference.parse(f"https://doi.org/{path}").uri() == f"doi:10/{path}"


@pytest.mark.parametrize(
    "text",
    [
        *["a/b", "10.1/182", "300:a/b", "10.1000/a b"],
        *["10.1000/index.html", "10.1000/a/logo.svg#x", "20.1000/182"],
    ],
)
def test_no_link(text: str) -> None:
    """As a link's target, a reference without a scheme is a relative URL."""
    assert HandleReference.parse(text).source == text
    assert HandleReference.from_link(text) is None


@pytest.mark.parametrize(
    "host", ["doi.org", "dx.doi.org", "www.doi.org", "Hdl.handle.net"]
)
def test_a_link_without_a_scheme(host: str) -> None:
    """As a link's target, a known host without a scheme is no file, but a reference."""
    reference = HandleReference.from_link(f"{host}/10.1000/182")

    assert reference == HandleReference.parse("https://doi.org/10.1000/182")
    assert reference.form is ReferenceForm.PROXY
    assert HandleReference.from_link(f"{host}/the-identifier/x") is None


@pytest.mark.parametrize(
    "text",
    [
        *["do\u0131:10.1/x", "do\u0130:10.1/x", "\u0131nfo:hdl/1/2", "hd\uff4c:1/2"],
        *["http\u017f://doi.org/10.1/x", "http\u017f://doi.org/10.1/\xe9"],
    ],
)
def test_letters_that_fold_to_a_scheme(text: str) -> None:
    """Letters that Unicode folds to ASCII do not make a scheme."""
    with pytest.raises(HandleSyntaxError):
        HandleReference.parse(text)
    assert HandleReference.from_link(text) is None


@pytest.mark.parametrize("text", ["doi:banana", "HDL:x", "https://doi.org/10.1/%"])
def test_malformed_link(text: str) -> None:
    """A malformed reference as a link's target raises an error."""
    with pytest.raises(HandleSyntaxError):
        HandleReference.from_link(text)


@given(st.one_of(any_text, reference_like))
@example("hdl:latin1@10.1/%C3%A9%C3%A9%07?%zz")
@example("https://hdl.handle.net/a%41/\ud800")
@example("hdl:%\ud800.0/x")
@example("info:do\u0131/10.1/x")
def test_raises_nothing_else(text: str) -> None:
    """Any text is a reference or a `HandleSyntaxError`, also as a link's target."""
    for read in (HandleReference.parse, HandleReference.from_link):
        try:
            reference = read(text)
        except HandleSyntaxError:
            continue
        assert reference is None or reference.source == text


@given(written_references())
def test_every_form_gives_the_handle(written: tuple[str, Handle]) -> None:
    """Every form is parsed to the handle in its author's spelling."""
    text, handle = written
    reference = HandleReference.parse(text)
    assert str(reference.handle) == str(handle)
    assert reference.source == text
    assert reference.form not in {BARE, VALUE}
    assert HandleReference.from_link(text) == reference


@given(
    handles,
    st.sampled_from([None, "190.12.34.56", "[::1]:2641", "h.example.org:2641"]),
    st.none() | st.integers(0, 0xFFFFFFFF),
    st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)
@example(Handle("300", "1:2"), None, None, None, None)
@example(Handle("10.1000", " "), None, None, "", "")
@example(Handle("190.12.34.56", "1234/"), None, None, None, None)
def test_canonical_uri(
    handle: Handle,
    server: str | None,
    index: int | None,
    query: str | None,
    fragment: str | None,
) -> None:
    """A reference's URI parses to the same reference, in the same spelling."""
    reference = HandleReference(
        handle=handle, server=server, index=index, query=query, fragment=fragment
    )
    uri = reference.uri()
    again = HandleReference.parse(uri)
    assert str(again.handle) == str(handle)
    assert (again.server, again.index) == (server, index)
    assert (again.query is None, again.fragment is None) == (
        query is None,
        fragment is None,
    )
    assert again.uri() == uri
    assert str(reference) == uri
    plain = server is None and index is None
    assert uri.startswith("doi:" if handle.is_doi and plain else "hdl:")
    assert uri.isascii()
    assert uri.isprintable()


@given(st.one_of(reference_like, any_text))
def test_uri_of_what_was_read(text: str) -> None:
    """A parsed reference's URI gives an equal reference with an equal hash."""
    try:
        reference = HandleReference.parse(text)
    except HandleSyntaxError:
        return
    again = HandleReference.parse(reference.uri())
    assert again == reference
    assert hash(again) == hash(reference)
    assert str(again.handle) == str(reference.handle)


@given(written_references(), st.text(SURROUNDING_SPACE, max_size=3))
def test_surrounding_space(written: tuple[str, Handle], space: str) -> None:
    """White space around any form is removed, also NBSP and zero-width space."""
    text, _ = written
    assert HandleReference.parse(f"{space}{text}{space}") == HandleReference.parse(text)


_HEAD = re.compile(
    "(?:urn:(?:hdl|doi):|info:(?:hdl|doi)/|(?:hdl|doi):|https?:)?(?://[^/]+)?",
    re.IGNORECASE,
)


@given(written_references())
@example(("//www.doi.org/10.1/a:b", Handle("10.1", "a:b")))
@example(("hdl:hdl/%320.1000/100", Handle("hdl", "20.1000/100")))
def test_letter_case_of_the_scheme(written: tuple[str, Handle]) -> None:
    """The scheme and the proxy's host may have any letter case."""
    text, handle = written
    found = _HEAD.match(text)
    head = found.group() if found else ""
    for changed in (head.upper(), head.lower(), head.title()):
        reference = HandleReference.parse(changed + text[len(head) :])
        assert str(reference.handle) == str(handle)


@pytest.mark.parametrize(
    ("text", "document_charset", "handle"),
    [
        ("hdl:cnri.test/%93%FA%96%7B", "Shift_JIS", "cnri.test/日本"),
        (
            "https://hdl.handle.net/cnri.test/%93%FA%96%7B",
            "shift-jis",
            "cnri.test/日本",
        ),
        ("hdl:cnri.test/%E6%97%A5", "Shift_JIS", "cnri.test/日"),
        ("hdl:latin1@cnri.test/%E4", "Shift_JIS", "cnri.test/ä"),
        ("hdl://1.2.3.4/a/%E4", "latin1", "a/ä"),
        ("https://hdl.handle.net/hdl:a/%E4", "latin1", "a/ä"),
        ("cnri.test/%E4", "latin1", "cnri.test/%E4"),
    ],
)
def test_document_charset(text: str, document_charset: str, handle: str) -> None:
    """Octets that are not UTF-8 use the document's charset, in every form."""
    reference = HandleReference.parse(text, document_charset=document_charset)
    assert str(reference.handle) == handle
    assert HandleReference.parse(reference.uri()) == reference


def test_equality() -> None:
    """References with the same parts are equal, whatever their form."""
    one = HandleReference.parse("https://dx.doi.org/10.1000/ABC")
    other = HandleReference.parse("doi:10.1000/abc")
    assert one == other
    assert hash(one) == hash(other)
    assert one.form != other.form
    for changed in (
        replace(one, query=""),
        replace(one, fragment="x"),
        replace(one, index=0),
        replace(one, server="1.2.3.4"),
        replace(one, handle=Handle("10.1000", "x")),
    ):
        assert changed != one


@given(written_references())
def test_copies(written: tuple[str, Handle]) -> None:
    """A reference survives pickling and copying with its source."""
    reference = HandleReference.parse(written[0])
    for again in (pickle.loads(pickle.dumps(reference)), copy.deepcopy(reference)):  # noqa: S301 - our own bytes.
        assert again == reference
        assert again.source == reference.source
        assert again.form is reference.form


def test_forms_are_text() -> None:
    """The forms are plain strings, for use in a pickled doctree."""
    assert list(ReferenceForm) == [
        "bare",
        "value",
        "hdl",
        "info",
        "urn",
        "doi",
        "proxy",
    ]


@pytest.mark.parametrize(
    ("written", "style", "text"),
    [
        ("10.1000/182", "uri", "doi:10.1000/182"),
        ("https://dx.doi.org/10.1000/A%3Cb", "uri", "doi:10.1000/A<b"),
        ("https://dx.doi.org/10.1000/A%3Cb", "url", "https://doi.org/10.1000/A%3Cb"),
        ("https://dx.doi.org/10.1000/A%3Cb", "handle", "10.1000/A<b"),
        ("hdl:/20.1000/100", "uri", "hdl:20.1000/100"),
        ("hdl:/20.1000/100?x#y", "url", "https://hdl.handle.net/20.1000/100?x#y"),
        ("cnri.test/日本", "uri", "hdl:cnri.test/日本"),
        ("cnri.test/日本", "handle", "cnri.test/日本"),
    ],
)
def test_shown(written: str, style: DisplayStyle, text: str) -> None:
    """A reference without its own text shows its URI, its link, or the handle."""
    reference = HandleReference.parse(written)
    assert display_text(reference, DEFAULT_PROXIES, style) == text


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("10.1000/182", "doi:10.1000/182 (doi.org)"),
        ("hdl:/20.1000/100", "hdl:20.1000/100 (hdl.handle.net)"),
        ("102.100.272/X", "hdl:102.100.272/X (resolver.example.org:8000/hdl)"),
    ],
)
def test_hover(written: str, title: str) -> None:
    """The hover text gives the identifier and its proxy."""
    proxies = Proxies({"102.100.272": "http://resolver.example.org:8000/hdl"})
    assert usual_title(HandleReference.parse(written), proxies) == title


@given(written_references())
def test_spelling(written: tuple[str, Handle]) -> None:
    """The text and the title show the author's spelling, decoded."""
    reference = HandleReference.parse(written[0])
    handle = str(written[1])
    assert display_text(reference, DEFAULT_PROXIES, "handle") == handle
    text = display_text(reference, DEFAULT_PROXIES)
    assert text.endswith(f":{handle}")
    assert usual_title(reference, DEFAULT_PROXIES).startswith(f"{text} (")
