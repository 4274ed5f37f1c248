"""What other tools get wrong about names, as measured on their releases of 2026.

Each fault has a test of its own, named after it, and says whose it was.  The
faults that only a built page shows are tested with the front ends.
"""

import pytest

from handle_system.diagnostics import diagnose
from handle_system.errors import HandleSyntaxError, OtherThingError
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.reference import HandleReference
from handle_system.scanning import find_references


def _link(written: str) -> str:
    return DEFAULT_PROXIES.link(HandleReference.parse(written))


def _found(text: str) -> list[str]:
    return [text[found.start : found.end] for found in find_references(text)]


# docutils 0.22


@pytest.mark.parametrize(
    ("written", "link"),
    [
        ("hdl:20.1000/100", "https://hdl.handle.net/20.1000/100"),
        ("info:hdl/20.1000/100", "https://hdl.handle.net/20.1000/100"),
        ("doi:10.1000/182", "https://doi.org/10.1000/182"),
    ],
)
def test_a_uri_that_no_browser_opens(written: str, link: str) -> None:
    """docutils makes `href="hdl:…"` of a handle; here it leads to a proxy."""
    assert _found(f"See {written}.") == [written]
    assert _link(written) == link


@pytest.mark.parametrize(
    "written",
    [
        "hdl:cnri.test/日本",
        "https://doi.org/10.1175/1520-0493(1972)100<0081:OTAOSH>2.3.CO;2",
        "doi:10.1175/1520-0493(1972)100<0081:OTAOSH>2.3.CO;2",
        "doi:10.1000/100_x_",
        "doi:10.1657/1523-0430(07-512)[ZHU]2.0.CO;2",
    ],
)
def test_a_reference_cut_in_two(written: str) -> None:
    """docutils ends at 日, at "(1972" and at "_"; here it is found whole."""
    assert _found(f"See {written} here") == [written]


# Sphinx 9.0: extlinks, and the `:doi:` role that projects copy


@pytest.mark.parametrize(
    ("written", "link"),
    [
        (
            '20.1000/100#sec%a?x "q" 日本',
            "https://hdl.handle.net/20.1000/100%23sec%25a%3Fx%20%22q%22%20%E6%97%A5%E6%9C%AC",
        ),
        ("10.1000/a b", "https://doi.org/10.1000/a%20b"),
        ("10.1000/a<b>", "https://doi.org/10.1000/a%3Cb%3E"),
    ],
)
def test_a_handle_put_raw_into_a_link(written: str, link: str) -> None:
    """extlinks pastes the text behind the base; here it is encoded, once."""
    assert _link(written) == link


@pytest.mark.parametrize("written", ["banana", "not a handle", "not a/handle", ""])
def test_anything_accepted(written: str) -> None:
    """The copied roles link `banana` without a word; here it is an error."""
    with pytest.raises(HandleSyntaxError):
        HandleReference.parse(written)


@pytest.mark.parametrize("tail", ["a--b...c", "'x'y", "a–b"])
def test_another_identifier_by_typography(tail: str) -> None:
    """Smart quotes make another identifier; here each spelling is its own."""
    reference = HandleReference.parse(f"10.1000/{tail}")
    assert reference.handle.suffix == tail
    assert Handle("10.1000", "a--b...c") != Handle("10.1000", "a–b…c")
    codes = [finding.code for finding in diagnose(reference)]
    assert ("typographic" in codes) is ("–" in tail)


# MyST-Parser 5.2: `url_schemes`


@pytest.mark.parametrize(
    ("written", "link"),
    [
        ("hdl:20.1000/ab;cd", "https://hdl.handle.net/20.1000/ab;cd"),
        ("hdl:20.1000/ab?cd", "https://hdl.handle.net/20.1000/ab?cd"),
        ("hdl:20.1000/ab#cd", "https://hdl.handle.net/20.1000/ab#cd"),
        (
            "hdl:/102.100.272/Y35XYS0QH",
            "https://hdl.handle.net/102.100.272/Y35XYS0QH",
        ),
        ("info:hdl/1234/567", "https://hdl.handle.net/1234/567"),
    ],
)
def test_a_tail_that_is_lost(written: str, link: str) -> None:
    """`{{path}}` loses what follows ";", "?" and "#"; here all of it is kept."""
    assert _link(written) == link


# sphinxcontrib-bibtex 2.7


def test_a_doubled_proxy() -> None:
    """`doi = {https://doi.org/10.1000/182}` gives a doubled URL; here it is undone."""
    doubled = "https://doi.org/https://doi.org/10.1000/182"
    assert _link(doubled) == "https://doi.org/10.1000/182"
    (finding,) = diagnose(HandleReference.parse(doubled))
    assert (finding.code, finding.suggestion) == ("doubled-scheme", "doi:10.1000/182")


# idutils 1.7


@pytest.mark.parametrize(
    ("written", "handle"),
    [
        ("hdl:/102.100.272/Y35XYS0QH", "102.100.272/Y35XYS0QH"),
        ("info:hdl/1234/567", "1234/567"),
        ("hdl://berkeley.cs/ucb-cstr-94.45", "berkeley.cs/ucb-cstr-94.45"),
        (
            "http://www.doi.org/10.1016/j.cageo.2015.09.015",
            "10.1016/j.cageo.2015.09.015",
        ),
        ("  https://doi.org/10.1234/abc/122\t\n", "10.1234/abc/122"),
        ("https://doi.org/10/gf4gqc", "10/gf4gqc"),
    ],
)
def test_a_form_kept_inside_the_handle(written: str, handle: str) -> None:
    """idutils keeps `info:hdl/` in the handle, or reads nothing; here it is a form."""
    assert str(HandleReference.parse(written).handle) == handle


@pytest.mark.parametrize(
    ("written", "handle", "query"),
    [
        ("https://doi.org/10.1000%2F182", "10.1000/182", None),
        ("https://doi.org/10.1000/a%3Cb", "10.1000/a<b", None),
        (
            "https://hdl.handle.net/20.1000/5555?noredirect",
            "20.1000/5555",
            "noredirect",
        ),
    ],
)
def test_escapes_and_queries_kept_inside_the_handle(
    written: str, handle: str, query: str | None
) -> None:
    """idutils keeps escapes and queries; here escapes are decoded, queries apart."""
    reference = HandleReference.parse(written)
    assert (str(reference.handle), reference.query) == (handle, query)


@pytest.mark.parametrize(
    "text",
    ["not a/handle", "https://example.org/a/b", "see a/b and/or c/d", "2017/05/12"],
)
def test_any_a_slash_b_taken_for_a_handle(text: str) -> None:
    """idutils calls every `a/b` a handle; in prose and links here none is."""
    assert _found(text) == []
    assert HandleReference.from_link(text) is None


def test_links_without_https() -> None:
    """idutils writes http by default; here every link is https."""
    for written in ("http://hdl.handle.net/20.1000/100", "http://dx.doi.org/10.1/x"):
        assert _link(written).startswith("https://")


def test_case_of_dois() -> None:
    """idutils compares DOIs by case; here ASCII folds, and the spelling stays."""
    one, other = map(HandleReference.parse, ("10.1000/ABC", "10.1000/abc"))
    assert one == other
    assert _link("10.1000/ABC") == "https://doi.org/10.1000/ABC"


# pyhandle 1.5


@pytest.mark.parametrize(
    "handle",
    [
        "2027/uc1:b3",
        "10.1175/1520-0493(1972)100<0081:OTAOSH>2.3.CO;2",
        "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V",
    ],
)
def test_colons_in_a_suffix_refused(handle: str) -> None:
    """pyhandle refuses every suffix with a colon; here it is an ordinary character."""
    reference = HandleReference.parse(handle)
    assert str(reference.handle) == handle
    assert reference.index is None


def test_an_index_by_any_colon() -> None:
    """pyhandle takes what stands before a colon for an index; here digits only."""
    assert HandleReference.parse("300:0.NA/10").index == 300
    with pytest.raises(OtherThingError):
        HandleReference.parse("arXiv:hep-th/9901001v27")


# linkify-it-py 2.2, and markdown-it-py's autolinks


@pytest.mark.parametrize(
    "written",
    [
        "https://doi.org/10.1002/(SICI)1096-987X(199709)18:12<1450::AID-JCC3>3.0.CO;2-I",
        "https://doi.org/10.1000/a--b...c",
        "doi:10.1002/(SICI)1096-987X(199709)18:12<1450::AID-JCC3>3.0.CO;2-I",
    ],
)
def test_a_link_cut_and_its_rest_linked_elsewhere(written: str) -> None:
    """linkify ends at "<" and links `3.0.CO` to http://3.0.CO; here it is one."""
    assert _found(f"see {written}, and") == [written]


# Plain regular expressions: doi-regex, citation-js, identifiers-handle


@pytest.mark.parametrize(
    "handle", ['10.1000/a%b"c#d?e f', "10.123/x", "10.1000.1/x", "10.1000/日本"]
)
def test_characters_that_no_regex_expected(handle: str) -> None:
    """The usual expressions stop at % " # ? and space; here every one may stand."""
    reference = HandleReference.parse(handle)
    assert str(reference.handle) == handle
    assert HandleReference.parse(reference.uri()) == reference


def test_text_that_runs_into_a_handle() -> None:
    """identifiers-handle swallows `2117/83545it.ly/1UtXnTW`; bare text is left alone."""
    assert _found("http://hdl.handle.net/2117/83545 bit.ly/1UtXnTW") == [
        "http://hdl.handle.net/2117/83545"
    ]
    assert _found("2117/83545it.ly/1UtXnTW") == []


@pytest.mark.parametrize(
    "text",
    [
        "https://iopscience.iop.org/article/10.3847/1538-4357/aca283/meta",
        "https://www.frontiersin.org/articles/10.3389/fonc.2018.00134/full#supplementary",
        "https://www.doi.org/the-identifier/what-is-a-doi/",
        "https://scholarspace.manoa.hawaii.edu/handle/10125/20269",
        "https://dataverse.example/dataset.xhtml?persistentId=doi:10.5072/FK2/J8SJZB",
    ],
)
def test_a_link_that_only_contains_an_identifier(text: str) -> None:
    """Many tools take such links over; here they stay what their author wrote."""
    assert _found(text) == []
    assert HandleReference.from_link(text) is None


@pytest.mark.parametrize("written", ["10.48612//monograph-2025-2", "20.1000/5555/"])
def test_slashes_tidied_away(written: str) -> None:
    """Some tools drop a double or a last slash; here they are significant."""
    assert str(HandleReference.parse(written).handle) == written
    assert _link(written).endswith(written)


def test_trailing_characters_cleaned_away() -> None:
    """Zotero drops a last "." or bracket; here exact text is kept, and remarked upon."""
    reference = HandleReference.parse("10.5555/12345678.")
    assert str(reference.handle) == "10.5555/12345678."
    (finding,) = diagnose(reference)
    assert finding.suggestion == "10.5555/12345678"
