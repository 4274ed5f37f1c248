"""Citations of a page that knows no project, before a front end writes them."""

import json
from pathlib import Path

from handle_system import DEFAULT_PROXIES, Handle
from handle_system.describing.citing_page import CitedWork, CitingPage
from handle_system.describing.list_options import ListOptions
from handle_system.describing.references import read_references

URNS = Handle.parse("10.5555/urns")
GONE = Handle.parse("10.5555/gone")
UNKNOWN = Handle.parse("10.5555/unknown")


def page(folder: Path, *lists: ListOptions) -> CitingPage:
    """A page that cites three works, one of them retracted and one not in the file."""
    kahn = [{"family": "Kahn"}]
    year = {"date-parts": [[2006]]}
    retraction = {"state": "retracted", "by": "10.5555/n", "date": "2010-02-06"}
    items = [
        {"id": f"doi:{URNS}", "title": "Urns", "author": kahn, "issued": year},
        {
            "id": f"doi:{GONE}",
            "title": "Gone",
            "author": kahn,
            "issued": year,
            "custom": {"updates": [retraction]},
        },
    ]
    path = folder / "references.json"
    path.write_text(json.dumps(items), "utf-8")
    works = read_references([path])
    return CitingPage(
        [URNS, GONE, UNKNOWN], lists, works, DEFAULT_PROXIES, display="citation"
    )


def test_citations_lead_to_the_list_of_the_page(tmp_path: Path) -> None:
    """A citation leads to its entry, and shows letters, only where a list is shown."""
    cited = [CitedWork(URNS, ("see", "p. 3")), CitedWork(UNKNOWN, ("", "p. 4"))]
    alone = page(tmp_path).together(cited, "parenthetical")
    listed = page(tmp_path, ListOptions()).together(cited, "parenthetical")

    assert (alone.opening, alone.closing) == ("(", ")")
    assert [shown[:3] for shown in alone.citations] == [
        ("see ", "Kahn, 2006, p. 3", ""),
        ("; ", "doi:10.5555/unknown", ""),
    ]
    assert [shown.behind for shown in alone.citations] == ["", ", p. 4"]
    assert [shown[:3] for shown in listed.citations] == [
        ("see ", "Kahn, 2006b, p. 3", "ref-10-5555-urns"),
        ("; ", "doi:10.5555/unknown", "ref-10-5555-unknown"),
    ]
    assert page(tmp_path).id_of_place(1) == ""
    assert page(tmp_path, ListOptions()).id_of_place(1) == "cites-page-1"


def test_a_retracted_work_has_a_mark_unless_somebody_says_so(tmp_path: Path) -> None:
    """The mark leads to the notice; a heading and a text that says it get none."""
    citing = page(tmp_path)
    mark = citing.mark(CitedWork(GONE), "Kahn (2006)")
    number = citing.mark(CitedWork(GONE), "1", is_number=True)

    assert mark is not None
    assert (mark.left, mark.word, mark.right) == ("[", "retracted", "]")
    assert mark.address == "https://doi.org/10.5555/n"
    assert number is not None
    assert (number.left, number.right) == ("", "")
    assert citing.is_retracted(GONE)
    assert citing.mark(CitedWork(URNS), "Kahn (2006)") is None
    assert citing.mark(CitedWork(GONE, is_in_heading=True), "Kahn (2006)") is None
    assert citing.mark(CitedWork(GONE, text_behind=" (retracted)"), "Kahn") is None
    assert citing.mark(CitedWork(GONE), "RETRACTED: Gone") is None
