"""Pages set by TeX: each link in the PDF leads to its address."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.reference import HandleReference
from tests.test_sphinx.conftest import MakeProject

# Every ASCII character that a handle can hold, and some names of TeX's own.
HANDLES = [
    "102.100.272/Y35XYS0QH",
    "20.1000/a%b_c#d~e^f&g{h}i$j",
    "20.1000/-.:@!(*),;=+'\"`[]|<>?x",
    r"20.1000/\input{z}\par",
    "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V",
]
# In a history a bar divides columns.
URIS = [HandleReference(handle=Handle.parse(handle)).uri() for handle in HANDLES]
BLOCK = """\
Cases
=====

.. cite-version::
   :title: *A* `B` "C" -- <b>E</b> \\F_ |G| ~J $K$ 100% #1 ^{{x}} \\input{{z}}
   :work: {0}
   :version: 5
   :creators: {{O'Neill & Sons; 50% "GmbH"}}
   :changes: a | b ** c `` d <!-- e \\end{{document}} %
   :handle: {1}
   :history:
   :uris:
   :reference:
   :formats: all

   1 | 2025-01-01 | {2} | a long line of changes that must be broken somewhere
   2 | 2025-02-01 | {3}
   3 | 2025-03-01 | {4}
"""
TITLE = r"""*A* `B` "C" -- <b>E</b> \F_ |G| ~J $K$ 100% #1 ^{x} \input{z}"""
# So that addresses stand in the file as they are.
PREAMBLE = r"\pdfcompresslevel=0\pdfobjcompresslevel=0\hfuzz=1pt"
DOCUMENTS = [("index", "cases.tex", "Cases", "Nobody", "howto")]


@pytest.fixture
def _tex() -> None:
    """Skip a test where TeX is missing."""
    for program in ("pdflatex", "pdftotext"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    if not has_package("tabulary"):
        pytest.skip("the packages of LaTeX that Sphinx asks for are not installed")


@pytest.mark.slow
@pytest.mark.usefixtures("_tex")
def test_links_and_text_survive_typesetting(project: MakeProject) -> None:
    """The PDF shows every identifier, and links to every address; no line runs off a
    page."""
    built = project(
        BLOCK.format(*URIS),
        latex_documents=DOCUMENTS,
        latex_elements={"preamble": PREAMBLE},
    ).build("latex")
    assert built.warnings == ""

    text, log = typeset(built.out)

    links = {DEFAULT_PROXIES.link(Handle.parse(handle)) for handle in HANDLES}
    assert addresses(built.out) == {link.replace("$", "%24") for link in links}
    assert "Overfull \\hbox" not in log
    read = joined(text)
    assert [uri for uri in URIS if uri not in read] == []
    for handle in HANDLES[:2]:
        assert DEFAULT_PROXIES.link(Handle.parse(handle)) in read
    assert "Citethisversion" in read
    assert "5(thisversion)" in read
    assert joined(TITLE) in read
    assert "protect" not in read


@pytest.mark.slow
@pytest.mark.usefixtures("_tex")
def test_long_identifiers_break_at_the_margin(project: MakeProject) -> None:
    """In running text and in cells, a long identifier goes on in the next line."""
    sici = "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V"
    dollar = "https://hdl.handle.net/20.1000/costs$5/and-a-part/and-another/and-more"
    words = "Words before it, so that the identifier does not fit the line: "
    page = (
        f"Long\n====\n\n{words}doi:{sici} and {words}{dollar}.\n\n"
        f".. list-table::\n   :widths: 30 30 40\n\n   * - doi:{sici}\n     - {dollar}\n"
        f"     - :doi:`titled <{sici}>`\n"
    )
    built = project(
        page,
        latex_documents=DOCUMENTS,
        latex_elements={"preamble": PREAMBLE},
    ).build("latex")
    assert built.warnings == ""

    text, log = typeset(built.out)

    assert "Overfull \\hbox" not in log
    assert joined(text).count(f"doi:{sici}") == 2
    assert joined(text).count(dollar) == 2
    link = DEFAULT_PROXIES.link(Handle.parse(sici))
    assert addresses(built.out) == {link, dollar.replace("$", "%24")}


#: Titles and names that mean something to TeX, and the text that the PDF has.
HOSTILE = {
    r"\input{x} and \write18{ls}": r"\input{x} and \write18{ls}",
    r"$\write18$ & $\alpha$ costs 5$": r"$\write18$ & $\alpha$ costs 5$",
    "100 % of #1 a_b ^ ~ {c} \\": "100 % of #1 a_b ^ ~ {c} \\",
    "<script>alert(1)</script> in <i>vitro</i>": "in vitro",
    "abc \u202egnp.exe\u202c def": "abc gnp.exe def",
    r"\end{document} \par \\": r"\end{document} \par \\",
}


@pytest.mark.slow
@pytest.mark.usefixtures("_tex")
def test_hostile_references_are_typeset_as_text(project: MakeProject) -> None:
    """No title of the list is a command, and each link leads where it should."""
    items = [
        {
            "id": f"doi:10.5555/item.{number}",
            "type": "article-journal",
            "title": title,
            "author": [{"literal": "R & D_Group #5 100%"}],
            "container-title": "A & B_{}#%~^",
            "volume": "$5",
            "custom": {
                "updates": [{"state": "retracted", "by": f"10.5555/$n_{number}"}]
            },
        }
        for number, title in enumerate(HOSTILE)
    ]
    cited = "\n".join(f"- :doi:`10.5555/item.{each}`" for each in range(len(items)))
    built = project(
        {
            "index.rst": f"Hostile\n=======\n\n{cited}\n\n.. handle-references::\n",
            "references.json": json.dumps(items),
        },
        handle_references="references.json",
        latex_documents=DOCUMENTS,
        latex_elements={"preamble": PREAMBLE},
        suppress_warnings=["handle.retracted"],
    ).build("latex")
    assert built.warnings == ""

    text, log = typeset(built.out)

    read = joined(text)
    assert [title for title in HOSTILE.values() if joined(title) not in read] == []
    assert read.count("R&D_Group#5100%.") == len(items)
    assert read.count("A&B_{}#%~^$5.") == len(items)
    assert read.count("Retracted:https://doi.org/10.5555/$n_") == len(items)
    numbers = range(len(items))
    assert addresses(built.out) == {
        *(f"https://doi.org/10.5555/item.{number}" for number in numbers),
        *(f"https://doi.org/10.5555/%24n_{number}" for number in numbers),
    }
    assert "Overfull \\hbox" not in log


@pytest.mark.slow
@pytest.mark.usefixtures("_tex")
def test_cards_near_the_end_of_a_page_stay_on_paper(project: MakeProject) -> None:
    """A card goes on in the next page; its table never runs off, nor leaves its title."""
    card = BLOCK[BLOCK.index(".. cite") :].format(*URIS)
    card = card.replace(":uris:", ":example:")
    cards = [
        f".. raw:: latex\n\n   \\clearpage\\vspace*{{{height}pt}}\n\nBefore.\n\n{card}\n"
        for height in range(200, 640, 40)
    ]
    built = project(
        "Cards\n=====\n\n" + "\n".join(cards),
        latex_documents=DOCUMENTS,
        latex_elements={"preamble": PREAMBLE},
    ).build("latex")
    assert built.warnings == ""

    text, log = typeset(built.out)

    assert "Overfull" not in log
    pages = text.split("\f")
    with_title = [page for page in pages if "Version history" in page]
    assert len(with_title) == len(cards)
    assert [page for page in with_title if "Status & changes" not in page] == []
    # The two sentences stay together, too.
    first, second = "To cite this version", "To cite the latest version"
    assert [page for page in pages if (first in page) != (second in page)] == []


def typeset(folder: Path) -> tuple[str, str]:
    """Typeset ``cases.tex``; the text of the PDF, its pages divided, and TeX's log."""
    for _ in range(2):
        done = subprocess.run(
            ("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "cases"),
            cwd=folder,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-3000:]
    text = subprocess.run(
        ("pdftotext", "-raw", "cases.pdf", "-"),
        cwd=folder,
        capture_output=True,
        check=True,
    ).stdout.decode()
    return text, (folder / "cases.log").read_text("utf-8", "replace")


def addresses(folder: Path) -> set[str]:
    """The addresses of the links of a PDF."""
    pdf = (folder / "cases.pdf").read_bytes().decode("latin-1")
    # A string of PDF escapes some characters.
    return {
        re.sub(r"\\(.)", r"\1", uri)
        for uri in re.findall(r"/URI\(((?:\\.|[^\\()])*)\)", pdf)
    }


def joined(text: str) -> str:
    """A text without its white space, and the marks of broken lines."""
    # Lines are broken where the page ends; a mark stands where the next begins.
    return re.sub(r"\s+|[˓→]", "", text)


def has_package(name: str) -> bool:
    """Whether LaTeX finds a package."""
    found = subprocess.run(
        ("kpsewhich", f"{name}.sty"), capture_output=True, check=False
    )
    return found.returncode == 0


def test_hyphens_stay_hyphens_in_texinfo(project: MakeProject) -> None:
    """Texinfo makes a dash of two, but not in identifiers; images and titles stay."""
    text = (
        "Title\n=====\n\n:hdl:`20.1000/a--b---c`, :hdl:`{x} @y, <20.1000/d--e>`, "
        ":hdl:`20.1000/d-e`, https://hdl.handle.net/20.1000/f--g\n\n"
        ".. image:: p.png\n   :target: https://doi.org/10.1000/a--b\n\n"
        "With :doi:`name <10.1000/q--r>`\n-------------------------------\n\nText.\n"
    )
    documents = [("index", "cases", "Cases", "Nobody", "Cases", "x", "y")]
    files = {"index.rst": text, "p.png": ""}
    made = project(files, texinfo_documents=documents).build("texinfo")
    page = " ".join(made.page("cases.texi").split())

    link = "https://hdl.handle.net/20.1000"
    assert (
        f"@uref{{{link}/a--b---c,hdl:20.1000/a@w{{-}}@w{{-}}b@w{{-}}@w{{-}}@w{{-}}c}}, "
        f"@uref{{{link}/d--e,@{{x@}} @@y@comma{{}}}}, "
        f"hdl:20.1000/d-e@footnote{{{link}/d-e}}, "
        f"@uref{{{link}/f--g,{link}/f@w{{-}}@w{{-}}g}}"
    ) in page
    assert "@image{" in page
    assert "@node With name" in page


def test_identifier_is_whole_in_plain_text(project: MakeProject) -> None:
    """No line breaks after a hyphen of an identifier that fits on a line."""
    sici = "10.1002/(SICI)1097-4679:2<2::AID-J>3.0"
    long = f"20.1000/{'long-' * 6}x"
    block = (
        "Title\n=====\n\n- A list.\n\n  .. cite-version::\n     :title: T\n"
        f"     :work: {sici}\n     :version: 1\n     :handle: {long}\n"
        "     :uris:\n     :reference:\n     :history:\n"
    )

    text = project(block).build("text").page("index.txt")

    for handle in (sici, long):
        assert DEFAULT_PROXIES.link(Handle.parse(handle)) in text
        assert HandleReference(handle=Handle.parse(handle)).uri() in text
    assert text.startswith(
        "Title\n*****\n\n* A list.\n\n  **Cite this version**\n\n"
        "  To cite this version of this work, use\n     T. Version 1.\n     https"
    )


def test_encoded_identifier_is_shown_once_in_plain_text(project: MakeProject) -> None:
    """An encoded URI is the identifier: nothing is added."""
    block = (
        "Title\n=====\n\n.. cite-version::\n   :title: T\n   :work: 20.1000/w\n"
        "   :version: 1\n   :handle: 20.1000/a b^c\n   :uris:\n"
    )

    text = project(block).build("text").page("index.txt")

    assert " ".join(text.partition("of this work, use")[2].split()) == (
        "T. Version 1. https://hdl.handle.net/20.1000/a%20b%5Ec hdl:20.1000/a%20b%5Ec "
        "To cite the latest version of this work use https://hdl.handle.net/20.1000/w "
        "hdl:20.1000/w"
    )
