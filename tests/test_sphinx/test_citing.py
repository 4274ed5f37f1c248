"""Citations in the text, the list that each page uses, and the way back."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.test_sphinx.conftest import MakeProject, needs_sphinx_8_1
from tests.test_sphinx.project import Built, Project

pytestmark = pytest.mark.slow

KAHN = "10.5555/kahn"
KAHN_2 = "10.5555/kahn-2"
PASKIN = "10.5555/paskin"
BAD = "10.5555/s0140-6736(97)1"
NOTICE = "10.5555/s0140-6736(10)2"


def item(doi: str, *families: str, year: int, **fields: object) -> dict[str, object]:
    """An item of a file of references."""
    return {
        "id": f"doi:{doi}",
        "title": f"Title of {doi.partition('/')[2]}",
        "author": [{"family": family} for family in families],
        "issued": {"date-parts": [[year]]},
        **fields,
    }


RETRACTION = {"state": "retracted", "by": NOTICE, "date": "2010-02-06"}
ITEMS = (
    item(KAHN, "Kahn", year=2006),
    item(KAHN_2, "Kahn", year=2006),
    item(PASKIN, "Paskin", "Roe", year=2005),
    item(BAD, "Wakefield", year=1998, custom={"updates": [RETRACTION]}),
)
CLUSTERS = f"""
Clusters
========

One :doi:`{PASKIN}`; two :doi:`{PASKIN}, p. 3`; three :doi:`[see {KAHN}, p. 3; also
doi:{PASKIN}]`; four :doi:`{KAHN}; {PASKIN}`; five :doi:`[{KAHN}; 10.5555/none, p. 1]`.
"""
LIST = "\n.. handle-references::\n"
BOOKS: dict[str, Any] = {
    "latex_documents": [("index", "book.tex", "T", "A", "manual")],
    "man_pages": [("index", "book", "T", [], 1)],
    "texinfo_documents": [("index", "book", "T", "A", "book", "", "")],
}


def make(
    project: MakeProject, pages: dict[str, str] | str, *items: object, **settings: Any
) -> Project:
    """A project with pages and a file of references, which shows citations."""
    if isinstance(pages, str):
        pages = {"index.rst": pages}
    settings = {
        "handle_references": "references.json",
        "handle_display": "citation",
        "suppress_warnings": ["handle.retracted"],
        **settings,
    }
    references = json.dumps(items or ITEMS)
    return project({**pages, "references.json": references}, **settings)


def article(built: Built, name: str = "index.html") -> str:
    """The body of a page."""
    page = built.page(name)
    return page[page.index('<div class="body"') : page.index('<div class="clearer"')]


def text(html: str) -> str:
    """The text of HTML in one line."""
    return " ".join(unescape(re.sub("<[^>]*>", "", html)).split())


def paragraphs(built: Built, name: str = "index.html") -> list[str]:
    """The texts of the paragraphs of a page, without those of lists."""
    html = re.sub("<[uo]l.*?</[uo]l>", "", article(built, name), flags=re.DOTALL)
    return [text(found) for found in re.findall("<p>(.*?)</p>", html, re.DOTALL)]


def entries(built: Built, name: str = "index.html") -> list[str]:
    """The text of each entry of the lists of a page."""
    items = re.findall('<li id="ref-[^"]*">(.*?)</li>', built.page(name), re.DOTALL)
    return [text(found) for found in items]


def test_texts_without_a_file(project: MakeProject) -> None:
    """Without a file of references, identifiers stand in the place of citations."""
    built = project(CLUSTERS, handle_display="citation").build()

    assert paragraphs(built) == [
        (
            f"One doi:{PASKIN}; two doi:{PASKIN}, p. 3; three (see doi:{KAHN}, p. 3; also "
            f"doi:{PASKIN}); four doi:{KAHN}; doi:{PASKIN}; five (doi:{KAHN}; "
            "doi:10.5555/none, p. 1)."
        )
    ]


def test_numbers_without_a_list(project: MakeProject) -> None:
    """Without a list there are no numbers: identifiers stand, with one warning."""
    pages = {
        "index.rst": f"Page\n====\n\n:doi:`{KAHN}`, :doi:`[{KAHN}, p. 3]`\n",
        "other.rst": f":orphan:\n\nOther\n=====\n\n:doi:`{KAHN}`\n",
    }
    built = make(project, pages, handle_display="number").build()

    assert paragraphs(built) == [f"doi:{KAHN}, doi:{KAHN}, p. 3"]
    assert built.warnings == (
        "WARNING: no list of references names 2 documents, whose citations have no "
        "numbers; the first is index [handle.references]\n"
    )


def test_an_order_that_there_is_not(project: MakeProject) -> None:
    """Another order is an error of the directive."""
    built = make(project, f"Page\n====\n{LIST}   :sort: size\n").build()

    assert '"size" unknown; choose from "mention", "name", or "year".' in built.warnings


def pages_of_lists() -> dict[str, str]:
    """Pages whose citations belong to several lists."""
    return {
        "index.rst": "Index\n=====\n\n.. toctree::\n\n   own\n   guide/a\n   guide/b\n   "
        "all\n   narrow\n   outside\n",
        "own.rst": f"Own\n===\n\n:doi:`{KAHN_2}`, :doi:`{KAHN_2}`\n{LIST}"
        f"{LIST}   :documents: *\n",
        "guide/a.rst": f"Guide A\n=======\n\n:doi:`{KAHN}` :doi:`{PASKIN}`\n",
        "guide/b.rst": f"Guide B\n=======\n\n:doi:`{KAHN}`\n",
        "all.rst": f"All\n===\n{LIST}   :documents: own guide/*\n",
        "narrow.rst": f"Narrow\n======\n{LIST}   :documents: guide/*\n",
        "outside.rst": f"Outside\n=======\n\n:doi:`{BAD}`\n",
    }


def test_the_list_of_a_page(project: MakeProject) -> None:
    """A page uses its own list, else the one that names the fewest documents."""
    built = make(project, pages_of_lists()).build()

    targets = {
        name: re.findall('href="([^"]*)" id="cites', built.page(f"{name}.html"))
        for name in ("own", "guide/a", "guide/b", "outside")
    }
    assert targets == {
        "own": ["#ref-10-5555-kahn-2", "#ref-10-5555-kahn-2"],
        "guide/a": [
            "../narrow.html#ref-10-5555-kahn",
            "../narrow.html#ref-10-5555-paskin",
        ],
        "guide/b": ["../narrow.html#ref-10-5555-kahn"],
        "outside": ["own.html#ref-10-5555-s0140-6736-97-1"],
    }
    # Only one list has both works of Kahn, and no text uses it but that of the list.
    assert "Kahn (2006)" in paragraphs(built, "guide/a.html")[0]
    assert "Kahn (2006b)" in " ".join(entries(built, "all.html"))


def test_the_way_back(project: MakeProject) -> None:
    """An entry leads to each place on its page, and to the first one on other pages."""
    built = make(project, pages_of_lists()).build()

    html = article(built, "own.html")
    assert (
        '<span class="hdl-back"><span class="hdl-ups"><span aria-hidden="true">↑</span> '
        '<a class="hdl-up" href="#cites-own-1" role="doc-backlink" '
        'aria-label="Back to the text, a">a</a> '
        '<a class="hdl-up" href="#cites-own-2" role="doc-backlink" '
        'aria-label="Back to the text, b">b</a></span></span></p>'
    ) in html
    back = re.findall('<span class="hdl-back">(.*?)</span></p>', built.page("all.html"))
    assert back[0] == (
        'Cited in: <a href="guide/a.html#cites-guide-a-1">Guide A</a>, '
        '<a href="guide/b.html#cites-guide-b-1">Guide B</a>'
    )


@pytest.mark.parametrize("builder", ["html", "text"])
def test_many_pages(project: MakeProject, builder: str) -> None:
    """Twenty pages are named; the count of the others follows."""
    names = [f"page{number:02}" for number in range(23)]
    pages = {f"{name}.rst": f"{name}\n======\n\ndoi:{KAHN}\n" for name in names}
    toctree = "\n   ".join(["", *names])
    pages["index.rst"] = f"T\n=\n\n.. toctree::\n{toctree}\n{LIST}   :documents: *\n"

    built = make(project, pages).build(builder)

    page = built.page("index.html" if builder == "html" else "index.txt")
    shown = text(page[page.rindex("Cited in:") :])
    assert shown.startswith(f"Cited in: {', '.join(names[:20])}, +3")


def test_a_list_to_download(project: MakeProject) -> None:
    """A list that asks for it has files beside its page, and links to them."""
    listing = f"{LIST}   :documents: *\n   :download:\n"
    pages = {
        "index.rst": f"Index\n=====\n\ndoi:{KAHN} doi:10.5555/none\n\n.. toctree::\n\n   g/all\n",
        "g/all.rst": f"All\n===\n{LIST}{listing}{listing}",
    }
    made = make(project, pages)
    built = made.build()

    page = built.page("g/all.html")
    assert re.findall('download="" href="([^"]*)">([^<]*)</a>', page) == [
        ("all-references-2.bib", "BibTeX"),
        ("all-references-2.ris", "RIS"),
        ("all-references-3.bib", "BibTeX"),
        ("all-references-3.ris", "RIS"),
    ]
    assert "Download this list: " in page
    assert "@misc{kahn-2006-title," in built.page("g/all-references-2.bib")
    assert "TI  - Title of kahn" in built.page("g/all-references-2.ris")
    assert "none" not in built.page("g/all-references-2.bib")
    text = made.build("text")
    assert "Download" not in text.page("g/all.txt")
    assert not (text.out / "g/all-references-2.bib").exists()


def test_no_list_to_download(project: MakeProject) -> None:
    """A list without metadata has nothing to download."""
    page = f"Page\n====\n\ndoi:10.5555/none\n{LIST}   :download:\n"

    assert "Download" not in make(project, page).build().page()


def test_places_that_nothing_leads_to(project: MakeProject) -> None:
    """Titles travel, substitutions repeat, and blocks may be left out: no id is lost."""
    page = f"""
About :doi:`{KAHN}`
===================

|twice| and |twice|

.. |twice| replace:: see :doi:`{PASKIN}`

.. only:: latex

   doi:{BAD}
{LIST}"""
    built = make(project, page).build()

    assert "cites-" not in built.page()
    assert len(entries(built)) == 3


def dangling(folder: Path) -> list[str]:
    """The links within a project that lead to no page, or to an id that is not there."""
    texts = {path: path.read_text("utf-8") for path in folder.rglob("*.html")}
    ids = {path: set(re.findall(' id="([^"]*)"', text)) for path, text in texts.items()}
    missing = []
    for path, html in texts.items():
        for target in re.findall('href="([^":]*#(?:ref|cites)-[^"]*)"', html):
            name, _, fragment = target.partition("#")
            page = (path.parent / name).resolve() if name else path
            if page.is_dir():
                page /= "index.html"
            if fragment not in ids.get(page, ()):
                missing.append(f"{path.name}: {target}")
    return missing


@needs_sphinx_8_1
@pytest.mark.parametrize("display", ["citation", "number"])
@pytest.mark.parametrize("builder", ["html", "singlehtml", "dirhtml"])
def test_every_link_has_its_target(
    project: MakeProject, builder: str, display: str
) -> None:
    """Links to entries and back lead to ids that are there, each of them once."""
    pages = pages_of_lists() | {"outside.rst": f"Outside\n=======\n\n:doi:`[{BAD}]`\n"}
    built = make(project, pages, handle_display=display).build(builder)

    assert dangling(built.out.resolve()) == []
    for path in built.out.rglob("*.html"):
        ids = re.findall(' id="((?:ref|cites)-[^"]*)"', path.read_text("utf-8"))
        assert len(ids) == len(set(ids))
    if builder == "singlehtml":
        assert built.page().count('id="cites-') == 6


def test_pages_of_a_pdf(project: MakeProject) -> None:
    """In LaTeX an entry names pages, by labels that are in the text; no title has one."""
    pages = pages_of_lists() | {
        "outside.rst": f"Outside :doi:`{BAD}`\n==============================\n\n"
        f":doi:`[see {BAD}; {KAHN}]` and :doi:`a title <{BAD}>`\n"
    }
    built = make(project, pages).build("latex")

    (name,) = [path.name for path in built.out.glob("*.tex")]
    tex = built.page(name)
    labels = re.findall(r"\\label\{(cites-[^}]*)\}", tex)
    pages_named = set(re.findall(r"\\pageref\{([^}]*)\}", tex))
    assert len(labels) == len(set(labels)) == 8
    assert pages_named == set(labels)
    assert "Cited on page" in tex
    targets = set(re.findall(r"\\hyperref\[\\detokenize\{([^}]*:ref-[^}]*)\}\]", tex))
    assert targets <= set(re.findall(r"\\label\{\\detokenize\{([^}]*)\}\}", tex))


@pytest.mark.parametrize(
    ("builder", "name", "expected"),
    [
        (
            "latex",
            "book.tex",
            "\\sphinxhref{https://doi.org/10.5555/kahn}{Kahn (2006)}",
        ),
        (
            "texinfo",
            "book.texi",
            "See Kahn (2006)@footnote{https://doi.org/10.5555/kahn}.",
        ),
        ("man", "book.1", "See Kahn (2006)"),
    ],
)
def test_a_list_that_a_book_leaves_out(
    project: MakeProject, builder: str, name: str, expected: str
) -> None:
    """A book may hold some documents alone; there a citation leads to its work."""
    pages = {
        "index.rst": f"Index\n=====\n\nSee :doi:`{KAHN}`.\n",
        "works.rst": f":orphan:\n\nWorks\n=====\n{LIST}   :documents: index\n",
    }
    built = make(project, pages, **BOOKS).build(builder)

    assert built.warnings == ""
    assert expected in built.page(name)


@pytest.mark.parametrize(
    ("builder", "name"),
    [("latex", "book.tex"), ("texinfo", "book.texi"), ("singlehtml", "index.html")],
)
def test_a_citation_that_a_book_leaves_out(
    project: MakeProject, builder: str, name: str
) -> None:
    """An entry leads back to no place in a document that the book does not hold."""
    pages = {
        "index.rst": f"Index\n=====\n\n.. toctree::\n\n   a\n\nSee :doi:`{KAHN}`.\n"
        f"{LIST}   :documents: *\n",
        "a.rst": f"Page A\n======\n\n:doi:`{KAHN}`\n",
        "notes.rst": f":orphan:\n\nNotes\n=====\n\nSee :doi:`{KAHN}`.\n",
    }
    built = make(project, pages, **BOOKS).build(builder)

    assert built.warnings == ""
    assert "cites-a-1" in built.page(name)
    assert "Notes" not in built.page(name)
    assert "cites-notes" not in built.page(name)


@pytest.mark.parametrize(
    ("builder", "second"), [("latex", "second.tex"), ("texinfo", "second.texi")]
)
def test_each_book_leads_back_to_its_own_documents(
    project: MakeProject, builder: str, second: str
) -> None:
    """Of two books of one build, each holds other documents than the other one."""
    pages = {
        "index.rst": f"Index\n=====\n\n:doi:`{KAHN}`\n{LIST}   :documents: *\n",
        "other.rst": ":orphan:\n\nOther\n=====\n\n.. toctree::\n\n   b\n"
        f"{LIST}   :documents: *\n",
        "b.rst": f"Page B\n======\n\n:doi:`{KAHN}`\n",
    }
    books = {
        "latex_documents": [
            *BOOKS["latex_documents"],
            ("other", "second.tex", "T", "A", "manual"),
        ],
        "texinfo_documents": [
            *BOOKS["texinfo_documents"],
            ("other", "second", "T", "A", "second", "", ""),
        ],
    }
    built = make(project, pages, **books).build(builder)

    assert built.warnings == ""
    assert "cites-b-1" in built.page(second)
    assert "cites-index-1" not in built.page(second)


@pytest.mark.parametrize("builder", ["text", "man"])
def test_documents_in_plain_text(project: MakeProject, builder: str) -> None:
    """Text and manual pages name the documents, and write numbers out."""
    pages = {
        "index.rst": f"Index\n=====\n\n.. toctree::\n\n   a\n\n:doi:`[{KAHN}; {BAD}]`\n"
        f"{LIST}   :documents: *\n",
        "a.rst": f"Page A\n======\n\n:doi:`{KAHN}`\n",
    }
    made = make(
        project,
        pages,
        handle_display="number",
        man_pages=[("index", "index", "Index", "A", 1)],
    )
    built = made.build(builder)

    page = " ".join(built.page("index.1" if builder == "man" else "index.txt").split())
    assert "[1, 2 retracted]" in page
    assert "[1] Kahn (2006)." in page
    assert "Cited in: Page A" in page


def test_a_translated_mark(project: MakeProject) -> None:
    """The mark and the words of the way back are those of the page's language."""
    page = f"Seite\n=====\n\n:doi:`{BAD}`, doi:{BAD} (zurückgezogen)\n{LIST}"
    built = make(project, page, language="de").build()

    assert paragraphs(built) == [
        f"Wakefield (1998) [zurückgezogen], doi:{BAD} (zurückgezogen)"
    ]
    assert 'aria-label="Zurück zum Text, a"' in built.page()
    assert "_static/handle-citations.css?v=" in built.page()
    assert (built.out / "_static" / "handle-citations.css").is_file()


def test_a_mark_that_the_entry_has_already(project: MakeProject) -> None:
    """Where the entry of a footnote or citation says it, there is no second word."""
    page = f".. rubric:: x\n\n.. [W98] Retraction of the thing. doi:{BAD}\n\n[W98]_"
    html = article(make(project, page).build())

    assert "hdl-retracted" in html
    assert "hdl-flag" not in html


def test_a_mark_stays_where_another_work_is_meant(project: MakeProject) -> None:
    """A word in another paragraph, or far behind, says nothing of this work."""
    far = "which nobody knew at that time was retracted"
    built = make(project, f"doi:{BAD}, {far}\n\nRetracted.").build()

    assert paragraphs(built)[0] == f"doi:{BAD} [retracted], {far}"


def test_no_mark_in_titles_and_cards(project: MakeProject) -> None:
    """Titles travel to menus, and a card names a document's own versions."""
    page = f"""
About doi:{BAD}
===============================

.. cite-version::
   :title: Thing
   :version: 1
   :handle: {BAD}
   :work: {KAHN}
"""
    assert "hdl-flag" not in make(project, page).build().page()


def test_marks_in_a_bibliography(project: MakeProject) -> None:
    """An entry of sphinxcontrib-bibtex has the mark behind its DOI, unless its title
    says it."""
    entry = "@article{{{key}, author={{A. W.}}, title={{{title}}}, journal={{J}}, year=1998, doi={{{doi}}}}}\n"
    bib = entry.format(key="plain", title="A thing", doi=BAD)
    bib += entry.format(key="said", title="RETRACTED: A thing", doi=BAD)
    pages = {
        "index.rst": "Page\n====\n\n:cite:`plain` :cite:`said`\n\n.. bibliography::\n",
        "refs.bib": bib,
    }
    built = make(
        project,
        pages,
        extensions=("sphinxcontrib.bibtex",),
        bibtex_bibfiles=["refs.bib"],
    ).build()

    marked = re.findall('<div class="citation".*?<p>(.*?)</p>', built.page(), re.DOTALL)
    assert [text(found) for found in marked] == [
        f"A. W. A thing. J, 1998. doi:{BAD} [retracted].",
        f"A. W. Retracted: a thing. J, 1998. doi:{BAD}.",
    ]


@pytest.mark.parametrize("builder", ["text", "latex", "man"])
def test_a_mark_in_each_builder(project: MakeProject, builder: str) -> None:
    """The mark is text in every output."""
    made = make(
        project,
        f"Page\n====\n\ndoi:{BAD} here\n",
        man_pages=[("index", "index", "Index", "A", 1)],
    )
    built = made.build(builder)

    (path,) = [
        *built.out.glob("*.tex"),
        *built.out.glob("*.1"),
        *built.out.glob("*.txt"),
    ]
    assert re.search(r"\[\}?retracted\{?\]", path.read_text("utf-8"))


def test_an_error_in_a_cluster(project: MakeProject) -> None:
    """A part without an identifier is shown as it is, and the message marks the place."""
    built = make(project, f"Text\n:doi:`[{KAHN}; see there]`\n").build()

    assert built.warnings == (
        f"index.rst:2: ERROR: [{KAHN}; see there]: there is no identifier here "
        "[handle.syntax]\n"
        f"    [{KAHN}; see there]\n"
        "                   ~~~~~~~~^\n"
    )


def test_places_of_a_cluster(project: MakeProject) -> None:
    """Each reference of a cluster is recorded at its own line."""
    page = f"Text :doi:`[see {KAHN};\nalso {PASKIN}, p. 3;\n{BAD}]`.\n"
    built = make(project, page).build()

    places: Any = built.app.env.get_domain("handle")
    assert sorted((place.line, place.written) for place in places.places()) == [
        (1, KAHN),
        (2, PASKIN),
        (3, BAD),
    ]


def test_linkcheck_of_a_cluster(project: MakeProject) -> None:
    """Each identifier is checked at its own line, also where citations lead to entries."""
    pages = {
        "index.rst": f"T\n=\n\nText :doi:`[see {KAHN}, p. 3;\nalso {PASKIN}]`\n{LIST}",
        "records.json": json.dumps({KAHN: "https://example.org/"}),
    }
    made = make(project, pages, handle_resolver="records.json", handle_cache=False)
    built = made.build("linkcheck")

    lines = (built.out / "output.json").read_text("utf-8").splitlines()
    checked = [json.loads(line) for line in lines]
    assert sorted(
        (result["lineno"], result["uri"], result["status"]) for result in checked
    ) == [(4, KAHN, "working"), (5, PASKIN, "broken")]


class TestWrittenAgain:
    """Pages are written again, and not read, when what they show has changed."""

    def pages(self, project: MakeProject, **settings: Any) -> Project:
        """A list of a project, pages that use it, and one that cites nothing."""
        pages = {
            "index.rst": "Index\n=====\n\n.. toctree::\n\n   a\n   b\n   c\n   all\n",
            "a.rst": f"A\n=\n\n:doi:`{KAHN}`\n",
            "b.rst": f"B\n=\n\n:doi:`{PASKIN}`\n",
            "c.rst": "C\n=\n\nNothing.\n",
            "all.rst": f"All\n===\n{LIST}   :documents: *\n",
        }
        return make(project, pages, **settings)

    def again(self, made: Project, builder: str = "html") -> tuple[set[str], set[str]]:
        """Build again: the documents that are read, and those that are written."""
        out = made.folder / f"out-{builder}"
        suffix = "txt" if builder == "text" else "html"
        times = {path: path.stat().st_mtime_ns for path in out.rglob(f"*.{suffix}")}
        built = made.build(builder)
        read = re.findall(r"reading sources\.\.\..*?\] (\S+)", built.status)
        names = built.app.env.found_docs
        paths = {name: out / f"{name}.{suffix}" for name in names}
        written = {
            name
            for name, path in paths.items()
            if path.stat().st_mtime_ns != times.get(path)
        }
        return set(read), written

    def fresh(self, made: Project) -> None:
        """A build from nothing is the same."""
        out = made.folder / "out-html"
        before = {path: path.read_bytes() for path in out.rglob("*.html")}
        made.build(fresh=True, force_all=True)
        assert before == {path: path.read_bytes() for path in out.rglob("*.html")}

    def test_a_work_that_needs_a_letter(self, project: MakeProject) -> None:
        """A second work of the same names and year: one page is read, and the page that
        shows the letter is written, too."""
        made = self.pages(project)
        made.build()
        made.write({"c.rst": f"C\n=\n\n:doi:`{KAHN_2}`\n"})

        read, written = self.again(made)

        assert read == {"c"}
        assert written == {"index", "a", "c", "all"}
        self.fresh(made)

    def test_a_number_that_changes(self, project: MakeProject) -> None:
        """A work that sorts first changes the numbers of the pages behind it."""
        made = self.pages(project, handle_display="number")
        made.build()
        made.write({"c.rst": f"C\n=\n\n:doi:`10.5555/new`, :doi:`{KAHN_2}`\n"})

        read, written = self.again(made)

        assert read == {"c"}
        assert written == {"index", "b", "c", "all"}
        self.fresh(made)

    def test_a_known_work(self, project: MakeProject) -> None:
        """A work that is cited once more writes its page and the list."""
        made = self.pages(project)
        made.build()
        made.write({"c.rst": f"C\n=\n\n:doi:`{KAHN}`\n"})

        read, written = self.again(made)

        assert read == {"c"}
        assert written == {"index", "c", "all"}
        self.fresh(made)

    def test_a_title_that_changes(self, project: MakeProject) -> None:
        """The list names the pages by their titles."""
        made = self.pages(project)
        made.build()
        made.write({"a.rst": f"New title\n=========\n\n:doi:`{KAHN}`\n"})

        _, written = self.again(made)

        assert written >= {"a", "all"}
        assert "New title</a>" in made.build().page("all.html")

    def test_prose_alone(self, project: MakeProject) -> None:
        """Other words write their page alone, and the index with its contents."""
        made = self.pages(project)
        made.build()
        made.write({"a.rst": f"A\n=\n\nWords. :doi:`{KAHN}`\n"})

        assert self.again(made) == ({"a"}, {"index", "a"})

    def test_a_list_that_goes(self, project: MakeProject) -> None:
        """Without the list its pages lose letters, ids and targets."""
        made = self.pages(project)
        made.build()
        made.write({"all.rst": "All\n===\n"})

        _, written = self.again(made)

        assert written >= {"a", "b", "all"}
        self.fresh(made)

    def test_another_builder_in_between(self, project: MakeProject) -> None:
        """A change that another builder has seen is new for the first one."""
        made = self.pages(project)
        made.build()
        made.build("text")
        changed = [item(KAHN, "Khan", year=2007), *ITEMS[1:]]
        made.write({"references.json": json.dumps(changed)})
        assert self.again(made, "text") == (set(), {"index", "a", "all"})

        assert self.again(made) == (set(), {"index", "a", "all"})
        self.fresh(made)

    def test_processes(self, project: MakeProject) -> None:
        """Several processes write the same pages as one."""
        one = self.pages(project).build()
        four = self.pages(project).build(parallel=4)

        for path in one.out.rglob("*.html"):
            name = path.relative_to(one.out).as_posix()
            assert one.page(name) == four.page(name)
