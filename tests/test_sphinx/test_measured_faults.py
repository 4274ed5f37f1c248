"""Measured faults of today's tools: each is there without the extension, and gone with it.

Every case is built twice. Without the extension it shows the fault, so that the test
notices if a tool repairs it; with the extension it does not.
"""

from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built, Link, page

pytestmark = pytest.mark.slow

MYST = ("myst_parser",)
SICI = "10.1175/1520-0493(1972)100<0081:OTAOSH>2.3.CO;2"
SICI_LINK = "https://doi.org/10.1175/1520-0493(1972)100%3C0081:OTAOSH%3E2.3.CO;2"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A source, the links it gives today, and those that it should give."""

    source: str
    today: list[tuple[str, str]]
    mended: list[tuple[str, str]]
    markdown: bool = False
    extensions: tuple[str, ...] = ()
    conf: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


FAULTS = {
    "1-dead-hdl-link": Fault(
        source=page("See hdl:20.1000/100 here."),
        today=[("hdl:20.1000/100", "hdl:20.1000/100")],
        mended=[("https://hdl.handle.net/20.1000/100", "hdl:20.1000/100")],
    ),
    "1-dead-info-link": Fault(
        source=page("See info:hdl/1234/567 here."),
        today=[("info:hdl/1234/567", "info:hdl/1234/567")],
        mended=[("https://hdl.handle.net/1234/567", "info:hdl/1234/567")],
    ),
    "2-cut-at-non-ascii": Fault(
        source=page("See hdl:cnri.test/日本 here."),
        today=[("hdl:cnri.test", "hdl:cnri.test")],
        mended=[
            (
                "https://hdl.handle.net/cnri.test/%E6%97%A5%E6%9C%AC",
                "hdl:cnri.test/日本",
            )
        ],
    ),
    "2-cut-sici-url": Fault(
        source=page(f"See https://doi.org/{SICI}."),
        today=[
            (
                "https://doi.org/10.1175/1520-0493(1972",
                "https://doi.org/10.1175/1520-0493(1972",
            )
        ],
        mended=[(SICI_LINK, f"https://doi.org/{SICI}")],
    ),
    "2-suffix-ends-in-underscore": Fault(
        source=page("See hdl:20.1000/100_x_ here."),
        today=[("hdl:20.1000/", "hdl:20.1000/")],
        mended=[("https://hdl.handle.net/20.1000/100_x_", "hdl:20.1000/100_x_")],
    ),
    "3-smart-quotes": Fault(
        source=page("See https://doi.org/10.1000/a--b...c here."),
        today=[
            ("https://doi.org/10.1000/a--b...c", "https://doi.org/10.1000/a–b…c"),
        ],
        mended=[
            ("https://doi.org/10.1000/a--b...c", "https://doi.org/10.1000/a--b...c"),
        ],
    ),
    "3-smart-quotes-in-extlinks": Fault(
        source=page("See :doi:`10.1000/a--b...c` here."),
        extensions=("sphinx.ext.extlinks",),
        conf={"extlinks": {"doi": ("https://doi.org/%s", "doi:%s")}},
        today=[("https://doi.org/10.1000/a--b...c", "doi:10.1000/a–b…c")],
        mended=[("https://doi.org/10.1000/a--b...c", "doi:10.1000/a--b...c")],
    ),
    "3-smart-quotes-in-MyST": Fault(
        source="# Title\n\nSee <https://doi.org/10.1000/a--b...c> here.\n",
        markdown=True,
        today=[
            ("https://doi.org/10.1000/a--b...c", "https://doi.org/10.1000/a–b…c"),
        ],
        mended=[
            ("https://doi.org/10.1000/a--b...c", "https://doi.org/10.1000/a--b...c"),
        ],
    ),
    "4-template-loses-the-rest": Fault(
        source=(
            "# Title\n\n<hdl:20.1000/ab;cd>, <hdl:20.1000/ab?cd>, <hdl:20.1000/ab#cd> "
            "and <hdl:/102.100.272/Y35XYS0QH>.\n"
        ),
        markdown=True,
        conf={"myst_url_schemes": {"hdl": "https://hdl.handle.net/{{path}}"}},
        today=[
            ("https://hdl.handle.net/20.1000/ab", "hdl:20.1000/ab;cd"),
            ("https://hdl.handle.net/20.1000/ab", "hdl:20.1000/ab?cd"),
            ("https://hdl.handle.net/20.1000/ab", "hdl:20.1000/ab#cd"),
            (
                "https://hdl.handle.net//102.100.272/Y35XYS0QH",
                "hdl:/102.100.272/Y35XYS0QH",
            ),
        ],
        mended=[
            ("https://hdl.handle.net/20.1000/ab;cd", "hdl:20.1000/ab;cd"),
            ("https://hdl.handle.net/20.1000/ab?cd", "hdl:20.1000/ab?cd"),
            ("https://hdl.handle.net/20.1000/ab#cd", "hdl:20.1000/ab#cd"),
            (
                "https://hdl.handle.net/102.100.272/Y35XYS0QH",
                "hdl:/102.100.272/Y35XYS0QH",
            ),
        ],
    ),
    "7-handle-as-arxiv": Fault(
        source=page(":cite:`a`\n\n.. bibliography::"),
        extensions=("sphinxcontrib.bibtex",),
        conf={"bibtex_bibfiles": ["references.bib"]},
        files={
            "references.bib": "@misc{a, title={One}, year={2000}, author={A. B.},\n"
            "eprint={20.1000/100}, eprinttype={hdl},\n"
            "doi={https://doi.org/10.1000/182}}\n"
        },
        today=[
            ("https://arxiv.org/abs/20.1000/100", "arXiv:20.1000/100"),
            (
                "https://doi.org/https://doi.org/10.1000/182",
                "doi:https://doi.org/10.1000/182",
            ),
        ],
        mended=[
            ("https://hdl.handle.net/20.1000/100", "hdl:20.1000/100"),
            ("https://doi.org/10.1000/182", "doi:https://doi.org/10.1000/182"),
        ],
    ),
    "7-handle-as-arxiv-in-a-footnote": Fault(
        source=page(":footcite:`a`\n\n.. footbibliography::"),
        extensions=("sphinxcontrib.bibtex",),
        conf={"bibtex_bibfiles": ["references.bib"]},
        files={
            "references.bib": "@misc{a, title={One}, year={2000}, author={A. B.},\n"
            "eprint={20.1000/100}, eprinttype={hdl}}\n"
        },
        today=[("https://arxiv.org/abs/20.1000/100", "arXiv:20.1000/100")],
        mended=[("https://hdl.handle.net/20.1000/100", "hdl:20.1000/100")],
    ),
    "7-escapes-of-tex-in-the-address": Fault(
        source=page(
            ":cite:`a` and :footcite:`b`\n\n.. footbibliography::\n\n.. bibliography::"
        ),
        extensions=("sphinxcontrib.bibtex",),
        conf={"bibtex_bibfiles": ["references.bib"]},
        files={
            "references.bib": "@misc{a, title={One}, year={2000}, author={A. B.},\n"
            "doi={10.1000/a\\_b}, url={https://example.org/a\\_b}}\n"
            "@misc{b, title={Two}, year={2000}, author={A. B.},\n"
            "doi={10.1000/c{\\_}d}}\n"
        },
        today=[
            ("https://doi.org/10.1000/c{\\_}d", "doi:10.1000/c{\\_}d"),
            ("https://example.org/a\\_b", "https://example.org/a\\_b"),
            ("https://doi.org/10.1000/a\\_b", "doi:10.1000/a\\_b"),
        ],
        mended=[
            ("https://doi.org/10.1000/c_d", "doi:10.1000/c_d"),
            # Other links stay.
            ("https://example.org/a\\_b", "https://example.org/a\\_b"),
            ("https://doi.org/10.1000/a_b", "doi:10.1000/a_b"),
        ],
    ),
    "12-typographer-alters-autolinks": Fault(
        source="# Title\n\n<hdl:20.1000/'x'y>\n",
        markdown=True,
        conf={"myst_enable_extensions": ["smartquotes"]},
        today=[("hdl:20.1000/'x'y", "hdl:20.1000/’x’y")],
        mended=[("https://hdl.handle.net/20.1000/%27x%27y", "hdl:20.1000/'x'y")],
    ),
    "12-schemes-are-not-linked": Fault(
        source="# Title\n\nSee hdl:20.1000/100 and doi:10.1000/182.\n",
        markdown=True,
        conf={"myst_enable_extensions": ["linkify"]},
        today=[],
        mended=[
            ("https://hdl.handle.net/20.1000/100", "hdl:20.1000/100"),
            ("https://doi.org/10.1000/182", "doi:10.1000/182"),
        ],
    ),
    "12-linkify-cuts-and-invents": Fault(
        source=(
            "# Title\n\nhttps://doi.org/10.1002/(SICI)1096-987X(199709)18:12"
            "<1450::AID-JCC3>3.0.CO;2-I here.\n"
        ),
        markdown=True,
        conf={"myst_enable_extensions": ["linkify"]},
        today=[
            (
                "https://doi.org/10.1002/(SICI)1096-987X(199709)18:12",
                "https://doi.org/10.1002/(SICI)1096-987X(199709)18:12",
            ),
            ("http://3.0.CO", "3.0.CO"),
        ],
        mended=[
            (
                (
                    "https://doi.org/10.1002/(SICI)1096-987X(199709)18:12"
                    "%3C1450::AID-JCC3%3E3.0.CO;2-I"
                ),
                (
                    "https://doi.org/10.1002/(SICI)1096-987X(199709)18:12"
                    "<1450::AID-JCC3>3.0.CO;2-I"
                ),
            ),
        ],
    ),
}


def build(project: MakeProject, fault: Fault, *, ours: bool) -> Built:
    """Build a fault's project, with the extension or without."""
    name = "index.md" if fault.markdown else "index.rst"
    extensions = fault.extensions + (MYST if fault.markdown else ())
    return project(
        {name: fault.source, **fault.files},
        ours=ours,
        extensions=extensions,
        **fault.conf,
    ).build()


def pairs(links: list[Link]) -> list[tuple[str, str]]:
    """Address and text of each link."""
    return [(link.href, link.text) for link in links]


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_fault_is_there_without_us_and_gone_with_us(
    project: MakeProject, fault: Fault
) -> None:
    """Today's tools give wrong links; one line in `conf.py` gives the right ones."""
    today, mended = (build(project, fault, ours=ours) for ours in (False, True))

    assert pairs(today.links()) == fault.today
    assert pairs(mended.links()) == fault.mended
    assert mended.warnings == ""


def test_fault_2_the_error_about_an_unknown_name(project: MakeProject) -> None:
    """Without the extension, a suffix that ends in an underscore is an error of docutils."""
    source = page("See hdl:20.1000/100_x_ here.")

    assert project(source, ours=False).build().warnings == (
        'index.rst:4: ERROR: Unknown target name: "100_x". [docutils]\n'
    )
    assert project(source).build().warnings == ""


def test_fault_3_in_latex(project: MakeProject) -> None:
    """LaTeX shows another identifier without the extension, and the author's with it."""
    source = page("See https://doi.org/10.1000/a--b...c here.")
    name = "documentation.tex"
    conf = {"latex_documents": [("index", name, "T", "A", "manual")]}
    today = project(source, ours=False, **conf).build("latex").page(name)
    mended = project(source, **conf).build("latex").page(name)

    address = r"\sphinxhref{https://doi.org/10.1000/a--b...c}"
    assert address + r"{https://doi.org/10.1000/a\textendash{}b…c}" in today
    assert r"\sphinxurl{https://doi.org/10.1000/a--b...c}" in mended


EXTLINKS: dict[str, Any] = {
    "extensions": ("sphinx.ext.extlinks",),
    "extlinks": {"hdl": ("https://hdl.handle.net/%s", "hdl:%s")},
}


def test_fault_5_addresses_of_extlinks_are_encoded(project: MakeProject) -> None:
    """The raw address of a role of extlinks becomes an encoded one."""
    source = page(':hdl:`20.1000/100"日本`')
    today = project(source, **EXTLINKS, ours=False).build().links()
    mended = project(source, **EXTLINKS).build().links()

    assert [link.href for link in (*today, *mended)] == [
        'https://hdl.handle.net/20.1000/100"日本',
        "https://hdl.handle.net/20.1000/100%22%E6%97%A5%E6%9C%AC",
    ]


def test_fault_6_nonsense_is_accepted_without_us(project: MakeProject) -> None:
    """A role of extlinks links any text without a message."""
    built = project(page(":hdl:`not a handle`"), **EXTLINKS, ours=False).build()

    assert pairs(built.links()) == [
        ("https://hdl.handle.net/not a handle", "hdl:not a handle")
    ]
    assert built.warnings == ""
