"""The references of sphinxcontrib-bibtex's bibliographies."""

import pytest

from sphinxcontrib_handle.domain import handle_domain
from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built

PAGE = "Title\n=====\n\n{}\n"


def bibliography(project: MakeProject, fields: str) -> Built:
    """A page with a bibliography of one entry, cited in the text."""
    entry = f"@misc{{a,\n title={{One}}, year={{2000}},\n {fields}\n}}\n"
    text = PAGE.format(":cite:`a`\n\n.. bibliography::")
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
        "doi={https://doi.org/doi:10.1000/a_b}",
        "url={http://dx.doi.org/10.1000/a_b}",
        "eprinttype={hdl}, eprint={10.1000/a_b}",
    ],
)
def test_each_spelling_of_a_field_leads_to_the_proxy(
    project: MakeProject, field: str
) -> None:
    """Escapes of TeX, addresses in the field ``doi``, and handles as eprints."""
    built = bibliography(project, field)

    assert [link.href for link in built.links()] == ["https://doi.org/10.1000/a_b"]
    [place] = handle_domain(built.app.env).places()
    assert (place.line, place.handle) == (3, "10.1000/a_b")
    assert built.warnings == ""


def test_a_malformed_field_is_reported_at_its_line(project: MakeProject) -> None:
    """A dead link in a bibliography is no quieter than one in the text."""
    built = bibliography(project, "doi={10.1000}")

    assert built.warnings == (
        'r.bib:3: WARNING: no "/": a handle is prefix/suffix [handle.link]\n'
        "    10.1000\n           ^\n"
    )
    [malformed] = handle_domain(built.app.env).malformed()
    assert (malformed.document, malformed.line, malformed.written) == (
        "index",
        3,
        "10.1000",
    )


def test_a_suspicious_field_is_information(project: MakeProject) -> None:
    """It is reported as in the text."""
    built = bibliography(project, "doi={10.5072/zenodo.1}")

    assert built.warnings == ""
    assert 'r.bib:3: 10.5072/zenodo.1: "10.5072" is a prefix for tests' in built.status


def test_bibliographies_are_places(project: MakeProject) -> None:
    """Handles of cited entries are recorded at their lines of the .bib file."""
    made = project(
        {
            "index.rst": PAGE.format(":cite:`a`\n\n.. bibliography::"),
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
            "index.rst": PAGE.format(
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
