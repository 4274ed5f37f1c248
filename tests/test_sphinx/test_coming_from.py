"""Projects that used other tools: their documents keep their text.

Each test is a sentence of the manual's page ``coming-from``.
"""

import pytest

from sphinxcontrib_handle.domain import handle_domain
from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built, Link

pytestmark = pytest.mark.slow

PAGE = """
Title
=====

:doi:`10.1000/182` and :doi:`the handbook <10.1000/182>`.
"""

#: The role that many projects carry a copy of, in its essence.
COPIED_ROLE = """
from docutils import nodes
from sphinx.util.nodes import split_explicit_title

def doi_role(name, rawtext, text, lineno, inliner, options=None, content=()):
    titled, title, doi = split_explicit_title(text)
    address = "https://doi.org/" + doi
    shown = title if titled else "DOI:" + doi
    return [nodes.reference(shown, shown, internal=False, refuri=address)], []
"""


def without_titles(links: list[Link]) -> list[tuple[str, str]]:
    return [(link.href, link.text) for link in links]


@pytest.mark.parametrize(
    ("caption", "display"),
    [("doi:%s", "uri"), (None, "url"), ("%s", "handle")],
)
def test_each_caption_of_extlinks_has_its_display(
    project: MakeProject, caption: str | None, display: str
) -> None:
    """Without the entry in `extlinks`, addresses and texts stay the same."""
    extlinks = {"doi": ("https://doi.org/%s", caption)}
    before = project(
        PAGE, extensions=("sphinx.ext.extlinks",), extlinks=extlinks, ours=False
    ).build()
    after = project(PAGE, handle_display=display).build()

    assert without_titles(after.links()) == without_titles(before.links())
    assert after.warnings == ""


def test_a_copied_role_can_be_deleted(project: MakeProject) -> None:
    """Addresses stay the same; the shown scheme is in small letters."""
    setup = f"{COPIED_ROLE}\ndef setup(app):\n    app.add_role('doi', doi_role)\n"
    before = project(PAGE, prelude=setup, ours=False).build()
    after = project(PAGE).build()

    assert without_titles(before.links()) == [
        ("https://doi.org/10.1000/182", "DOI:10.1000/182"),
        ("https://doi.org/10.1000/182", "the handbook"),
    ]
    assert without_titles(after.links()) == [
        ("https://doi.org/10.1000/182", "doi:10.1000/182"),
        ("https://doi.org/10.1000/182", "the handbook"),
    ]


def test_a_role_of_extlinks_for_one_prefix(project: MakeProject) -> None:
    """The role stays, and its links lead to the proxy."""
    page = PAGE.replace(":doi:", ":policy:").replace("10.1000/182", "Y35XYS0QH")
    before = project(
        page,
        extensions=("sphinx.ext.extlinks",),
        extlinks={"policy": ("https://hdl.handle.net/102.100.272/%s", None)},
        ours=False,
    ).build()
    after = project(
        page,
        extensions=("sphinx.ext.extlinks",),
        extlinks={
            "policy": ("hdl:102.100.272/%s", "https://hdl.handle.net/102.100.272/%s")
        },
    ).build()

    assert without_titles(after.links()) == without_titles(before.links())


def test_schemes_of_myst_can_be_deleted(project: MakeProject) -> None:
    """MyST needs no `url_schemes` for handles."""
    page = "# Title\n\n<hdl:20.1000/113>, [the manual](hdl:20.1000/113)\n"
    schemes = {"http": None, "https": None, "hdl": "https://hdl.handle.net/{{path}}"}
    both = [
        project({"index.md": page}, extensions=("myst_parser",), **conf).build()
        for conf in ({"myst_url_schemes": schemes}, {})
    ]

    assert without_titles(both[0].links()) == without_titles(both[1].links())
    assert without_titles(both[1].links()) == [
        ("https://hdl.handle.net/20.1000/113", "hdl:20.1000/113"),
        ("https://hdl.handle.net/20.1000/113", "the manual"),
    ]


HDL, DOI, ARXIV = (
    "https://hdl.handle.net/",
    "https://doi.org/",
    "https://arxiv.org/abs/",
)
SECTION = "Title\n=====\n\n{}\n"


def bibliography(project: MakeProject, fields: str) -> Built:
    """A page with a bibliography of one entry, cited in the text."""
    entry = f"@misc{{a,\n title={{One}}, year={{2000}},\n {fields}\n}}\n"
    text = SECTION.format(":cite:`a`\n\n.. bibliography::")
    return project(
        {"index.rst": text, "r.bib": entry},
        extensions=("sphinxcontrib.bibtex",),
        bibtex_bibfiles=["r.bib"],
    ).build()


@pytest.mark.parametrize(
    "field",
    [
        "doi={10.1000/a_b}",
        r"doi={10.1000/a\_b}",
        r"doi={10.1000/a{\_}b}",
        "doi={doi:10.1000/a_b}",
        "doi={https://doi.org/10.1000/a_b}",
        "url={http://dx.doi.org/10.1000/a_b}",
        "eprinttype={hdl}, eprint={10.1000/a_b}",
    ],
)
def test_each_spelling_of_a_field_leads_to_the_proxy(
    project: MakeProject, field: str
) -> None:
    """TeX escapes, URLs in `doi` and handles in `eprint` lead to the proxy."""
    built = bibliography(project, field)

    assert [link.href for link in built.links()] == ["https://doi.org/10.1000/a_b"]
    [place] = handle_domain(built.app.env).places()
    assert (place.line, place.handle) == (3, "10.1000/a_b")
    assert built.warnings == ""


@pytest.mark.parametrize(
    ("field", "href", "text"),
    [
        (
            "eprinttype={hdl}, eprint={loc.gov/a-b}",
            f"{HDL}loc.gov/a-b",
            "hdl:loc.gov/a-b",
        ),
        ("eprinttype={hdl}, eprint={10.1000/1}", f"{DOI}10.1000/1", "hdl:10.1000/1"),
        ("eprint={2101.00001}", f"{ARXIV}2101.00001", "arXiv:2101.00001"),
        (
            "eprint={math.GT/0309136}",
            f"{ARXIV}math.GT/0309136",
            "arXiv:math.GT/0309136",
        ),
    ],
)
def test_an_eprint_is_a_handle_or_of_arxiv(
    project: MakeProject, field: str, href: str, text: str
) -> None:
    """The link and its title depend on the kind of eprint."""
    built = bibliography(project, field)

    assert [(link.href, link.text) for link in built.links()] == [(href, text)]
    assert f'title="One. 2000. {text}."' in built.page()


def test_a_malformed_field_is_reported_at_its_line(project: MakeProject) -> None:
    """A malformed field is an error, as a malformed link is."""
    built = bibliography(project, "doi={10.1000}")

    assert built.warnings == (
        'r.bib:3: ERROR: 10.1000: no "/" between prefix and suffix [handle.link]\n'
        "    10.1000\n           ^\n"
    )
    [finding] = handle_domain(built.app.env).findings()
    place = finding.first
    assert (place.document, place.line, place.written) == ("index", 3, "10.1000")


def test_a_suspicious_field_is_a_warning(project: MakeProject) -> None:
    """A suspicious field is a warning, as a suspicious link is."""
    built = bibliography(project, "doi={10.5072/zenodo.1}")

    assert built.warnings == (
        'r.bib:3: WARNING: 10.5072/zenodo.1: "10.5072" is a prefix for tests '
        "[handle.placeholder]\n"
    )


def test_a_field_that_is_legal_and_odd_is_information(project: MakeProject) -> None:
    """It is said, and is no warning."""
    built = bibliography(project, "doi={10.1000/a/}")

    assert built.warnings == ""
    assert (
        "r.bib:3: 10.1000/a/: '/' at the end is probably not meant; write 10.1000/a"
        in built.status
    )


def test_a_doubled_scheme_in_a_field_is_a_warning(project: MakeProject) -> None:
    """Our link is right; other readers of the file get a dead one."""
    built = bibliography(project, "doi={https://doi.org/doi:10.1000/a_b}")

    assert [link.href for link in built.links()] == ["https://doi.org/10.1000/a_b"]
    [place] = handle_domain(built.app.env).places()
    assert (place.line, place.handle) == (3, "10.1000/a_b")
    assert built.warnings == (
        "r.bib:3: WARNING: https://doi.org/doi:10.1000/a_b: a reference is written "
        "inside a proxy's URL; write doi:10.1000/a_b [handle.doubled-scheme]\n"
    )


def test_bibliographies_are_places(project: MakeProject) -> None:
    """Handles of cited entries are recorded at their lines of the .bib file."""
    made = project(
        {
            "index.rst": SECTION.format(":cite:`a`\n\n.. bibliography::"),
            "r.bib": (
                "@misc{other, title={Not cited}, doi={10.1000/9}}\n"
                "@misc{a,\n title={One}, year={2000},\n doi={10.1000/182},\n"
                " eprint={20.1000/100}, eprinttype={hdl},\n"
                " url={https://doi.org/10.1000/182},\n"
                " howpublished={\\url{http://dx.doi.org/10.1000/a\\_b}},\n"
                " note={HDL:LDL and (hdl:20.1000/note)}}\n"
            ),
        },
        extensions=("sphinxcontrib.bibtex",),
        bibtex_bibfiles=["r.bib"],
    )
    expected = [
        ("r.bib", 4, "10.1000/182"),
        ("r.bib", 5, "20.1000/100"),
        ("r.bib", 7, "http://dx.doi.org/10.1000/a\\_b"),
        ("r.bib", 8, "hdl:20.1000/note"),
    ]

    for _ in range(2):  # The second time nothing is read.
        places = handle_domain(made.build().app.env).places()
        assert [
            (each.source.rpartition("/")[2], each.line, each.written) for each in places
        ] == expected


def test_bibliographies_in_footnotes_are_places(project: MakeProject) -> None:
    """Entries in footnotes are recorded at their lines of the .bib file, too."""
    made = project(
        {
            "index.rst": SECTION.format(
                ":footcite:`a` and :footcite:`b` and :footcite:`d`, doi:10.1000/own"
                "\n\n.. footbibliography::\n\n.. [#own] A footnote of the author's [#own]_.",
            ),
            "r.bib": (
                "@misc{b,\n title={Two}, year={2000},\n doi={10.1000/183}}\n"
                "@misc{a,\n title={One}, year={2000},\n doi={10.1000/18{\\_}2},\n"
                " url={https://doi.org/10.1000/18\\_2}}\n"
                "@misc{c,\n title={No}, year={2000}, url={https://doi.org/10.1000/18}}\n"
                "@misc{d,\n title={Three},\n eprinttype={hdl}, eprint={20.1000/9}}\n"
            ),
        },
        extensions=("sphinxcontrib.bibtex",),
        bibtex_bibfiles=["r.bib"],
    )

    places = handle_domain(made.build().app.env).places()
    assert sorted(
        (each.source.rpartition("/")[2], each.line, each.handle) for each in places
    ) == [
        ("index.rst", 4, "10.1000/own"),
        ("r.bib", 3, "10.1000/183"),
        ("r.bib", 6, "10.1000/18_2"),
        ("r.bib", 7, "10.1000/18_2"),
        ("r.bib", 12, "20.1000/9"),
    ]
