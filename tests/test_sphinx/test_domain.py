"""The handles in the environment, lists of them, and their translations."""

import gettext
import pickle
from typing import Any

import pytest

from sphinxcontrib_handle.domain import HandleDomain, RecordedPlace, handle_domain
from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built, Project, page
from tests.tools.catalogue import LANGUAGES, messages, path_of, translations


def domain_of(built: Built) -> HandleDomain:
    """The domain of a build."""
    return handle_domain(built.app.env)


def test_places_say_where_and_how(project: MakeProject) -> None:
    """Each place has document, file, line, the author's words, the handle, its number
    in the document, and whether it is a citation."""
    built = project(
        page(
            "doi:10.1000/ABC and\nhttp://dx.doi.org/10.1000%2Fabc",
            ":hdl:`~20.1000/A b`",
        )
    ).build()
    source = str(built.app.srcdir / "index.rst")

    assert domain_of(built).places() == [
        RecordedPlace("index", source, 4, "doi:10.1000/ABC", "10.1000/ABC", number=1),
        RecordedPlace(
            "index",
            source,
            5,
            "http://dx.doi.org/10.1000%2Fabc",
            "10.1000/abc",
            number=2,
        ),
        RecordedPlace(
            "index",
            source,
            7,
            "20.1000/A b",
            "20.1000/A b",
            number=3,
        ),
    ]


def test_only_plain_data_is_stored(project: MakeProject) -> None:
    """Findings are recorded apart; the pickled environment needs no class of ours."""
    text = page(":hdl:`banana`", "`x <hdl:foo>`_", "doi:10.1000/1")
    domain = domain_of(project(text).build())

    def plain(value: Any) -> bool:
        if isinstance(value, dict):
            return all(plain(key) and plain(each) for key, each in value.items())
        if type(value) in {list, tuple}:
            return all(map(plain, value))
        return value is None or type(value) in {str, int, bool}

    reason = 'no "/" between prefix and suffix'
    assert [place.handle for place in domain.places()] == ["10.1000/1"]
    assert [
        (finding.first.line, finding.first.written, finding.message)
        for finding in domain.findings()
    ] == [
        (4, "banana", reason),
        (6, "hdl:foo", reason),
    ]
    assert plain(domain.data)
    pickled = pickle.dumps(domain.data)
    assert b"sphinxcontrib_handle" not in pickled
    assert b"handle_system" not in pickled


def test_unused_substitutions_refer_to_nothing(project: MakeProject) -> None:
    """A used substitution counts once, at its definition."""
    prolog = ".. |used| replace:: doi:10.1000/1\n.. |unused| replace:: doi:10.1000/2\n"
    built = project(page("See |used|, |used|."), rst_prolog=prolog).build()

    assert [place.handle for place in domain_of(built).places()] == ["10.1000/1"]


def test_names_count_where_the_handle_is_written(project: MakeProject) -> None:
    """A link by name is no place; its target is one."""
    built = project(page("x_ and x_", ".. _x: hdl:20.1000/1")).build()

    assert [place.line for place in domain_of(built).places()] == [6]


FILES = {
    "index.rst": """
Title
=====

doi:10.1000/B and hdl:20.1000/1 and doi:10.1000/b.

.. toctree::

   guide/one
   two
   list
""",
    "guide/one.rst": """
One
===

doi:10.1000/A.

Section
-------

hdl:20.1000/1 and <hdl:cnri.test/日本>.
""",
    "two.rst": "Two\n===\n\nNothing.\n",
    "list.rst": "List\n====\n\n.. handle-list::\n",
}


@pytest.fixture
def made(project: MakeProject) -> Project:
    """Documents with and without identifiers, and one that lists them."""
    return project(FILES)


def text_of(built: Built, name: str = "list.txt") -> str:
    """A page as plain text, white space collapsed."""
    return " ".join(built.page(name).split())


def test_list_names_each_identifier_and_where(made: Project) -> None:
    """DOIs and handles are listed apart, each once, in order, with documents."""
    built = made.build("text")

    assert text_of(built) == (
        "List **** -[ Digital object identifiers (DOI) ]- "
        "* doi:10.1000/A: One "
        "* doi:10.1000/B: Title "
        "-[ Handles ]- "
        "* hdl:20.1000/1: One, Title "
        "* hdl:cnri.test/日本: One"
    )
    assert built.warnings == ""


def test_list_links_there_and_back(made: Project) -> None:
    """Each entry leads to the proxy, and back to the section that cites it."""
    built = made.build()
    page = built.page("list.html")

    assert [link.href for link in built.links("list.html")] == [
        "https://doi.org/10.1000/A",
        "https://doi.org/10.1000/B",
        "https://hdl.handle.net/20.1000/1",
        "https://hdl.handle.net/cnri.test/%E6%97%A5%E6%9C%AC",
    ]
    assert (
        'hdl:20.1000/1</a>: <a class="reference internal" '
        'href="guide/one.html#section"><span>One</span></a>, '
        '<a class="reference internal" href="index.html"><span>Title</span></a>'
    ) in page


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (":kind: doi", "* doi:10.1000/A: One * doi:10.1000/B: Title"),
        (":kind: hdl", "* hdl:20.1000/1: One, Title * hdl:cnri.test/日本: One"),
        (":kind: hdl\n   :documents: index two", "* hdl:20.1000/1: Title"),
        (":documents: guide/*\n   :kind: doi", "* doi:10.1000/A: One"),
        (":documents: two", "No identifiers."),
    ],
)
def test_options_of_the_list(made: Project, options: str, expected: str) -> None:
    """A list can have one kind of identifiers, and those of some documents."""
    made.write({"list.rst": f"List\n====\n\n.. handle-list::\n   {options}\n"})

    assert text_of(made.build("text")) == f"List **** {expected}"


def test_list_tells_the_places_of_a_page_apart(project: MakeProject) -> None:
    """Where a page has an identifier twice, the titles of the sections, or the heading
    of the card, follow that of the page."""
    files = {
        "index.rst": (
            "Title\n=====\n\nhdl:20.1000/1\n\nPart *A*\n------\n\nhdl:20.1000/1 "
            "hdl:20.1000/2\n\nhdl:20.1000/1\n\nSub\n~~~\n\nhdl:20.1000/1\n\n"
            ".. cite-version::\n   :title: T\n   :version: 1\n   :handle: 20.1000/1\n\n"
            ".. toctree::\n\n   list\n"
        ),
        "list.rst": "List\n====\n\n.. handle-list::\n",
    }
    built = project(files)

    assert text_of(built.build("text")) == (
        "List **** "
        "* hdl:20.1000/1: Title, Title – Part A, Title – Cite this version, Title – Sub "
        "* hdl:20.1000/2: Title"
    )


@pytest.mark.parametrize("builder", ["singlehtml", "latex", "epub", "man", "xml"])
def test_list_in_other_builders(made: Project, builder: str) -> None:
    """Every builder writes the list without a warning."""
    built = made.build(
        builder,
        latex_documents=[("index", "book.tex", "T", "A", "manual")],
        epub_copyright="nobody",
        version="1",
    )

    assert built.warnings == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_translation_is_complete(language: str) -> None:
    """Every message is translated with its placeholders, and no other is."""
    catalog = translations(language)
    told = {str(each.id): str(each.string) for each in catalog if each.id}

    assert sorted(told) == messages()
    for message, translated in told.items():
        assert translated
        assert translated.count("{identifier}") == message.count("{identifier}")
        assert list(catalog[message].check()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_compiled_translation_is_up_to_date(language: str) -> None:
    """The compiled catalogue has the content of its source (`python -m tests.tools.catalogue`)."""
    with path_of(language).with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)

    assert {message: compiled.gettext(message) for message in messages()} == {
        str(each.id): each.string for each in translations(language) if each.id
    }


@pytest.mark.parametrize(
    ("language", "title", "empty"),
    [
        ("de", "Digitale Objektbezeichner (DOI)", "Keine Kennungen."),
        ("fr", "Identifiants numériques d’objet (DOI)", "Aucun identifiant."),
        ("es", "Identificadores de objetos digitales (DOI)", "Ningún identificador."),
        ("ja", "デジタルオブジェクト識別子 (DOI)", "識別子はありません。"),
        ("nl", "Digital object identifiers (DOI)", "No identifiers."),
    ],
)
def test_pages_are_in_the_language_of_the_project(
    project: MakeProject, language: str, title: str, empty: str
) -> None:
    """The labels of a list are in the project's language, else in English."""
    text = (
        "T\n=\n\ndoi:10.1000/1 hdl:20.1000/1\n\n.. handle-list::\n\n"
        ".. handle-list::\n   :documents: none\n"
    )
    page = project(text, language=language).build("text").page("index.txt")

    assert title in page
    assert empty in page
