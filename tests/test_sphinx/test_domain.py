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
