"""Lists of identifiers: what is cited, and where."""

from pathlib import Path

import pytest

from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built, Project

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
    """DOIs and handles apart, each once, in order, with the documents."""
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
    """A list can be of one kind, and of some documents only."""
    made.write({"list.rst": f"List\n====\n\n.. handle-list::\n   {options}\n"})

    assert text_of(made.build("text")) == f"List **** {expected}"


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


def written(folder: Path) -> dict[str, int]:
    """When each page was written, in nanoseconds of the file system."""
    return {
        str(path.relative_to(folder)): path.stat().st_mtime_ns
        for path in folder.rglob("*.html")
    }


def rewritten(before: dict[str, int], folder: Path) -> set[str]:
    """The pages of documents that were written since then."""
    general = {"genindex.html", "search.html"}
    now = written(folder)
    return {name for name, when in now.items() if when != before[name]} - general


def test_incremental_builds_write_what_changed_and_the_lists(made: Project) -> None:
    """A page with a list is written again when a document has changed, and only then."""
    out = made.build().out

    before = written(out)
    made.write({"two.rst": "Two\n===\n\nNow doi:10.1000/C.\n"})
    assert "doi:10.1000/C" in made.build().page("list.html")
    # Sphinx writes the page with the toctree, which shows the titles, again itself.
    assert rewritten(before, out) == {"two.html", "index.html", "list.html"}

    before = written(out)
    made.build()
    assert rewritten(before, out) == set()


def test_incremental_and_full_builds_agree(project: MakeProject) -> None:
    """Whether a document was there from the start makes no difference to a page."""
    step = project(FILES)
    step.build()
    step.write({"two.rst": "Two\n===\n\nNow doi:10.1000/C.\n"})
    incremental = step.build()
    full = project({**FILES, "two.rst": "Two\n===\n\nNow doi:10.1000/C.\n"}).build()

    for name in written(full.out):
        assert incremental.page(name) == full.page(name), name
