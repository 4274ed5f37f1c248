"""What other tools get wrong about names, as measured on their releases of 2026.

Each row is a fault that a tool has; the comments name it.  The faults that only a
built page shows are tested with the front ends.
"""

import pytest

from handle_system.diagnostics import diagnose
from handle_system.errors import HandleSyntaxError
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.reference import HandleReference
from handle_system.scanning import find_references

HDL = "https://hdl.handle.net/"
DOI = "https://doi.org/"

LINKS = {
    # docutils 0.22 writes href="hdl:…", which no browser opens.
    "hdl:20.1000/100": f"{HDL}20.1000/100",
    "info:hdl/20.1000/100": f"{HDL}20.1000/100",
    "doi:10.1000/182": f"{DOI}10.1000/182",
    # extlinks of Sphinx 9.0 pastes the text behind the base.
    '20.1000/100#sec%a?x "q" 日本': (
        f"{HDL}20.1000/100%23sec%25a%3Fx%20%22q%22%20%E6%97%A5%E6%9C%AC"
    ),
    "10.1000/a<b>": f"{DOI}10.1000/a%3Cb%3E",
    # url_schemes of MyST-Parser 5.2 loses the text after ";", "?" and "#".
    "hdl:20.1000/ab;cd": f"{HDL}20.1000/ab;cd",
    "hdl:20.1000/ab?cd": f"{HDL}20.1000/ab?cd",
    "hdl:20.1000/ab#cd": f"{HDL}20.1000/ab#cd",
    # sphinxcontrib-bibtex 2.7 doubles the address.
    "https://doi.org/https://doi.org/10.1000/182": f"{DOI}10.1000/182",
    # idutils 1.7 keeps the form, the escapes or the query inside the handle, or
    # reads nothing; it writes http.
    "hdl:/102.100.272/Y35XYS0QH": f"{HDL}102.100.272/Y35XYS0QH",
    "info:hdl/1234/567": f"{HDL}1234/567",
    "hdl://berkeley.cs/ucb-cstr-94.45": f"{HDL}berkeley.cs/ucb-cstr-94.45",
    "http://www.doi.org/10.1016/j.cageo.2015.09.015": (
        f"{DOI}10.1016/j.cageo.2015.09.015"
    ),
    "  https://doi.org/10.1234/abc/122\t\n": f"{DOI}10.1234/abc/122",
    "https://doi.org/10/gf4gqc": f"{DOI}10/gf4gqc",
    "https://doi.org/10.1000%2F182": f"{DOI}10.1000/182",
    "http://hdl.handle.net/20.1000/5555?noredirect": f"{HDL}20.1000/5555?noredirect",
    # pyhandle 1.5 refuses every suffix with a colon.
    "2027/uc1:b3": f"{HDL}2027/uc1:b3",
    # Plain regular expressions stop at % " # ? and space.
    '10.1000/a%b"c#d?e f': f"{DOI}10.1000/a%25b%22c%23d%3Fe%20f",
    # Some tools drop a double or a last slash.
    "10.48612//monograph-2025-2": f"{DOI}10.48612//monograph-2025-2",
    "20.1000/5555/": f"{HDL}20.1000/5555/",
}


@pytest.mark.parametrize("written", LINKS)
def test_link(written: str) -> None:
    """A reference that another tool links wrongly has its one correct link."""
    assert DEFAULT_PROXIES.link(HandleReference.parse(written)) == LINKS[written]


@pytest.mark.parametrize(
    "written",
    [
        # docutils 0.22 ends at 日, at "(1972" and at "_".
        "hdl:cnri.test/日本",
        "https://doi.org/10.1175/1520-0493(1972)100<0081:OTAOSH>2.3.CO;2",
        "doi:10.1000/100_x_",
        "doi:10.1657/1523-0430(07-512)[ZHU]2.0.CO;2",
        # linkify-it-py 2.2 ends at "<" and links `3.0.CO` to http://3.0.CO.
        "https://doi.org/10.1002/(SICI)1096-987X(199709)18:12<1450::AID-JCC3>3.0.CO;2-I",
        "doi:10.1002/(SICI)1096-987X(199709)18:12<1450::AID-JCC3>3.0.CO;2-I",
        "https://doi.org/10.1000/a--b...c",
    ],
)
def test_found_whole(written: str) -> None:
    """A reference that another tool cuts in two is found whole in prose."""
    text = f"See {written}, and"
    assert [text[each.start : each.end] for each in find_references(text)] == [written]


@pytest.mark.parametrize(
    "text",
    [
        # idutils calls every `a/b` a handle.
        "not a/handle",
        "see a/b and/or c/d",
        "2017/05/12",
        # identifiers-handle swallows what follows a handle.
        "2117/83545it.ly/1UtXnTW",
        # Many tools take over links that only contain an identifier.
        "https://example.org/a/b",
        "https://iopscience.iop.org/article/10.3847/1538-4357/aca283/meta",
        "https://www.doi.org/the-identifier/what-is-a-doi/",
        "https://scholarspace.manoa.hawaii.edu/handle/10125/20269",
        "https://dataverse.example/dataset.xhtml?persistentId=doi:10.5072/FK2/J8SJZB",
    ],
)
def test_left_alone(text: str) -> None:
    """Text and links that are no references stay what their author wrote."""
    assert not [*find_references(text)]
    assert HandleReference.from_link(text) is None


@pytest.mark.parametrize(
    # The roles that projects copy link `banana`; pyhandle takes "arXiv" for an index.
    "written",
    ["banana", "not a handle", "not a/handle", "", "arXiv:hep-th/9901001v27"],
)
def test_refused(written: str) -> None:
    """Text that is no handle is an error."""
    with pytest.raises(HandleSyntaxError):
        HandleReference.parse(written)


def test_trailing_characters_cleaned_away() -> None:
    """Zotero drops a last "." or bracket; here exact text is kept, and remarked upon."""
    reference = HandleReference.parse("10.5555/12345678.")
    assert str(reference.handle) == "10.5555/12345678."
    (finding,) = diagnose(reference)
    assert finding.suggestion == "10.5555/12345678"
