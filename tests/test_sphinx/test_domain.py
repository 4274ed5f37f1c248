"""What the environment knows of handles: merged, cleared, kept between builds."""

import pickle
from typing import Any

from sphinxcontrib_handle.domain import HandleDomain, Place, handle_domain
from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built


def domain_of(built: Built) -> HandleDomain:
    """The domain of a build."""
    return handle_domain(built.app.env)


def page(*paragraphs: str) -> str:
    """A page of one section."""
    return "Title\n=====\n\n" + "\n\n".join(paragraphs) + "\n"


def test_places_say_where_and_how(project: MakeProject) -> None:
    """Each place has document, file, line, the author's words and the handle."""
    built = project(
        page(
            "doi:10.1000/ABC and\nhttp://dx.doi.org/10.1000%2Fabc",
            ":hdl:`~20.1000/A b`",
        )
    ).build()
    source = str(built.app.srcdir / "index.rst")

    assert domain_of(built).places() == [
        Place("index", source, 4, "doi:10.1000/ABC", "10.1000/ABC", "10.1000/abc"),
        Place(
            "index",
            source,
            5,
            "http://dx.doi.org/10.1000%2Fabc",
            "10.1000/abc",
            "10.1000/abc",
        ),
        Place("index", source, 7, "20.1000/A b", "20.1000/A b", "20.1000/A b"),
    ]


def test_malformed_ones_are_kept_apart(project: MakeProject) -> None:
    """A role or link that is no reference is recorded as such."""
    domain = domain_of(project(page(":hdl:`banana`", "`x <hdl:foo>`_")).build())

    assert domain.places() == []
    assert [(each.line, each.written, each.reason) for each in domain.malformed()] == [
        (4, "banana", 'no "/": a handle is prefix/suffix'),
        (6, "hdl:foo", 'no "/": a handle is prefix/suffix'),
    ]


def test_only_plain_data_is_stored(project: MakeProject) -> None:
    """The pickled environment needs no class of ours."""
    domain = domain_of(project(page("doi:10.1000/1 :hdl:`banana`")).build())

    def plain(value: Any) -> bool:
        if isinstance(value, dict):
            return all(plain(key) and plain(each) for key, each in value.items())
        if type(value) in {list, tuple}:
            return all(map(plain, value))
        return type(value) in {str, int}

    assert plain(domain.data)
    assert b"sphinxcontrib_handle" not in pickle.dumps(domain.data)


def test_a_document_read_again_is_forgotten_first(project: MakeProject) -> None:
    """After a change, only what the document now says is known."""
    made = project({"index.rst": page("doi:10.1000/1"), "b.rst": page("doi:10.1000/2")})
    made.build()
    made.write({"index.rst": page("doi:10.1000/3")})
    built = made.build()

    assert [place.handle for place in domain_of(built).places()] == [
        "10.1000/2",
        "10.1000/3",
    ]
    (made.source / "b.rst").unlink()
    assert [place.handle for place in domain_of(made.build()).places()] == ["10.1000/3"]


def test_unused_substitutions_refer_to_nothing(project: MakeProject) -> None:
    """A substitution counts once, where it is written, if it is used."""
    prolog = ".. |used| replace:: doi:10.1000/1\n.. |unused| replace:: doi:10.1000/2\n"
    built = project(page("See |used|, |used|."), rst_prolog=prolog).build()

    assert [place.handle for place in domain_of(built).places()] == ["10.1000/1"]


def test_names_count_where_the_handle_is_written(project: MakeProject) -> None:
    """A link by name is no place of its own: the target is."""
    built = project(page("x_ and x_", ".. _x: hdl:20.1000/1")).build()

    assert [place.line for place in domain_of(built).places()] == [6]


def test_parallel_and_serial_builds_agree(project: MakeProject) -> None:
    """Two readers and two writers give the same pages and the same places."""
    files = {"index.rst": page(".. toctree::\n   :glob:\n\n   p*")}
    for number in range(12):
        files[f"p{number}.rst"] = page(
            f"doi:10.1000/{number} and hdl:20.1000/日{number}"
        )
    serial = project(files).build()
    parallel = project(files).build(parallel=2)

    def places(built: Built) -> list[tuple[object, ...]]:
        return [(each[0], *each[2:]) for each in domain_of(built).places()]

    assert places(serial) == places(parallel)
    assert len(places(serial)) == 24
    for name in ("index.html", "p0.html", "p11.html"):
        assert serial.page(name) == parallel.page(name)


def test_bibliographies_are_places(project: MakeProject) -> None:
    """Handles of cited entries are recorded at their lines of the .bib file."""
    made = project(
        {
            "index.rst": page(":cite:`a`", ".. bibliography::"),
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
        places = domain_of(made.build()).places()
        assert [
            (each.source.rpartition("/")[2], each.line, each.written) for each in places
        ] == expected


def test_bibliographies_in_footnotes_are_places(project: MakeProject) -> None:
    """Entries in footnotes are recorded at their lines of the .bib file, too."""
    made = project(
        {
            "index.rst": page(
                ":footcite:`a` and :footcite:`b` and :footcite:`d`, doi:10.1000/own",
                ".. footbibliography::\n\n.. [#own] A footnote of the author's [#own]_.",
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

    places = domain_of(made.build()).places()
    assert sorted(
        (each.source.rpartition("/")[2], each.line, each.handle) for each in places
    ) == [
        ("index.rst", 4, "10.1000/own"),
        ("r.bib", 3, "10.1000/183"),
        ("r.bib", 6, "10.1000/18_2"),
        ("r.bib", 7, "10.1000/18_2"),
        ("r.bib", 12, "20.1000/9"),
    ]


def test_works_and_versions_are_objects(project: MakeProject) -> None:
    """What is noted stands in the inventory, and roles of the domain find it."""
    prelude = """
def setup(app):
    def note(app, doctree):
        from sphinxcontrib_handle.domain import handle_domain
        if app.env.docname == "b":
            handle_domain(app.env).note_object(
                "version", "policy 1.0", "Policy, version 1.0", "b", "here")
    app.connect("doctree-read", note)
"""
    built = project(
        {
            "index.rst": page(
                ":handle:version:`policy 1.0` :any:`policy 1.0` "
                ":handle:version:`text <policy 1.0>` :handle:work:`none`"
            ),
            "b.rst": ":orphan:\n\n" + page("b"),
        },
        prelude=prelude,
    ).build()

    assert built.warnings == "index.rst:4: WARNING: no work named none [ref.work]\n"
    links = 'href="b.html#here" title="Policy, version 1.0"'
    assert built.page().count(links) == 3
    assert ">Policy, version 1.0</span>" in built.page()
    assert ">text</span>" in built.page()
    assert list(domain_of(built).get_objects()) == [
        ("policy 1.0", "Policy, version 1.0", "version", "b", "here", 1)
    ]
