"""Pages set by TeX: each link in the PDF leads to its address."""

import re
import shutil
import subprocess

import pytest

from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.reference import HandleReference
from tests.test_sphinx.conftest import MakeProject

# Every ASCII character that a handle can hold, and some names of TeX's own.
HANDLES = [
    "102.100.272/Y35XYS0QH",
    "20.1000/a%b_c#d~e^f&g{h}i$j",
    "20.1000/-.:@!(*),;=+'\"`[]|<>?",
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


@pytest.mark.slow
def test_links_and_text_survive_typesetting(project: MakeProject) -> None:
    """The PDF shows every identifier, and links to every address; no line runs off a
    page."""
    for program in ("pdflatex", "pdftotext"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    if not has_package("tabulary"):
        pytest.skip("the packages of LaTeX that Sphinx asks for are not installed")
    built = project(
        BLOCK.format(*URIS),
        latex_documents=[("index", "cases.tex", "Cases", "Nobody", "howto")],
        latex_elements={"preamble": PREAMBLE},
        suppress_warnings=["handle.cite-not-yet-assigned"],
    ).build("latex")
    assert built.warnings == ""

    for _ in range(2):
        done = subprocess.run(
            ("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "cases"),
            cwd=built.out,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-3000:]
    text = subprocess.run(
        ("pdftotext", "-raw", "cases.pdf", "-"),
        cwd=built.out,
        capture_output=True,
        check=True,
    ).stdout.decode()

    pdf = (built.out / "cases.pdf").read_bytes().decode("latin-1")
    log = (built.out / "cases.log").read_text("utf-8", "replace")
    # A string of PDF escapes some characters.
    found = {
        re.sub(r"\\(.)", r"\1", uri)
        for uri in re.findall(r"/URI\(((?:\\.|[^\\()])*)\)", pdf)
    }
    links = {DEFAULT_PROXIES.link(Handle.parse(handle)) for handle in HANDLES}
    assert found == {link.replace("$", "%24") for link in links}
    assert "Overfull \\hbox" not in log
    # Lines are broken where the page ends; a mark stands where the next begins.
    read = re.sub(r"\s+|[˓→]", "", text)
    assert [uri for uri in URIS if uri not in read] == []
    for handle in HANDLES[:2]:
        assert DEFAULT_PROXIES.link(Handle.parse(handle)) in read
    assert "Citethisversion" in read
    assert "5(thisversion)" in read
    assert re.sub(r"\s", "", TITLE) in read
    assert "protect" not in read


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
