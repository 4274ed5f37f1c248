"""Building again after a change: what is written, and that it is what a full build writes.

A page counts as written if its file is: every file is dated ahead of the second build,
and what has another date afterwards was written by it.  The index is always among them:
Sphinx writes a changed page's table of contents with it, which is asserted here too.
"""

import os

import pytest

from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Project

pytestmark = pytest.mark.slow

# Enough for two processes to share.
PAGES = 6
# Later than any build, in nanoseconds.
AHEAD = 4_000_000_000 * 10**9


def page(number: int, *, title: str = "Page", more: str = "") -> str:
    """A page that refers to identifiers in several forms, one of them unique."""
    heading = f"{title} {number}"
    return f"""
{heading}
{"=" * len(heading)}

See hdl:20.1000/{number}, https://doi.org/10.1000/(SICI){number}<1:A>2.0.CO;2-V,
:doi:`a title <10.1000/shared>` and http://dx.doi.org/10.1000/a--b...{number}.

Section
-------

As HDL:LDL/TC is none, doi:10.1000/x_{number}_ is one. {more}
"""


def pages(count: int = PAGES) -> dict[str, str]:
    """The pages of a project: an index, some pages, and one with a list of identifiers."""
    names = "".join(f"   page-{number}\n" for number in range(count))
    files = {
        "index.rst": f"Index\n=====\n\n.. toctree::\n\n{names}   listed\n",
        "listed.rst": "List\n====\n\n.. handle-list::\n",
    }
    return files | {f"page-{number}.rst": page(number) for number in range(count)}


def written(project: Project, *, parallel: int = 1) -> set[str]:
    """The pages of documents that an incremental build writes."""
    out = project.folder / "out-html"
    files = sorted(out.glob("*.html"))
    for path in files:
        os.utime(path, ns=(AHEAD, AHEAD))
    built = project.build(parallel=parallel)
    assert built.warnings == ""
    documents = {f"{name}.html" for name in built.app.env.found_docs}
    return {
        path.name
        for path in out.glob("*.html")
        if path.name in documents and path.stat().st_mtime_ns != AHEAD
    }


def html(project: Project) -> dict[str, bytes]:
    """Every page of a build, the index and the search included."""
    out = project.folder / "out-html"
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*.html"))
    }


def places(project: Project) -> list[tuple[object, ...]]:
    """The references that the environment knows, with paths from the source folder on."""
    domain = project.build().app.env.get_domain("handle")
    return [
        (*place[:1], place[1].removeprefix(str(project.source)), *place[2:])
        for place in domain.places()  # type: ignore[attr-defined]  # our domain
    ]


def built_anew(project: Project, make: MakeProject, **settings: object) -> Project:
    """A project of the same sources, built from scratch."""
    # Off, it leaves docutils' own complaints of names.
    expected = settings.get("handle_recognize", True)
    sources = {
        path.relative_to(project.source).as_posix(): path.read_text("utf-8")
        for path in project.source.rglob("*.rst")
    }
    anew = make(sources, **settings)
    warnings = anew.build().warnings
    assert warnings == "" or not expected
    return anew


@pytest.mark.parametrize(
    ("text", "parallel"),
    [
        pytest.param(page(3, more="Something new."), 1, id="other text"),
        pytest.param(page(3, more="Something new."), 2, id="two processes"),
        pytest.param(page(3, more="And hdl:20.1000/new."), 1, id="an identifier more"),
        pytest.param("Page 3\n======\n\nNothing.\n", 1, id="none any more"),
        pytest.param(page(3).replace("Section", "Chapter"), 1, id="another section"),
        pytest.param(page(3).replace("(SICI)3", "(sici)3"), 1, id="another spelling"),
    ],
)
def test_only_the_changed_page_and_lists_are_written(
    project: MakeProject, text: str, parallel: int
) -> None:
    """A change writes its own page and those that list pages or identifiers."""
    built = project(pages())
    built.build(parallel=parallel)
    assert written(built) == set()
    built.write({"page-3.rst": text})

    assert written(built, parallel=parallel) == {
        "page-3.html",
        "index.html",
        "listed.html",
    }
    anew = built_anew(built, project)
    assert html(built) == html(anew)
    assert places(built) == places(anew)


def test_lists_follow_the_titles_of_what_they_link_to(project: MakeProject) -> None:
    """A page's new title appears in the list, and in tables of contents."""
    built = project(pages())
    built.build()
    built.write({"page-3.rst": page(3, title="Another title")})

    # The neighbours name it too, in their links to the next and the previous page.
    assert {"page-3.html", "listed.html"} <= written(built)
    for name in ("index", "page-2", "page-4"):
        # Sphinx does not see to those; touched, they are written as in a full build.
        source = built.source / f"{name}.rst"
        built.write({f"{name}.rst": source.read_text("utf-8")})
    written(built)
    assert html(built) == html(built_anew(built, project))


def test_lists_forget_pages_that_are_gone(project: MakeProject) -> None:
    """The identifiers of a removed page leave the list."""
    built = project(pages())
    built.build()
    (built.source / "page-5.rst").unlink()
    text = (built.source / "index.rst").read_text("utf-8")
    built.write({"index.rst": text.replace("   page-5\n", "")})

    assert {"index.html", "listed.html"} <= written(built)
    listed = html(built)["listed.html"].decode("utf-8")
    assert "20.1000/5" not in listed
    assert "20.1000/4" in listed


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("handle_proxies", {"10": "https://hdl.handle.net/"}),
        ("handle_display", "handle"),
        ("handle_recognize", False),
    ],
)
def test_an_option_that_changes_pages_writes_them(
    project: MakeProject, option: str, value: object
) -> None:
    """After a change of an option the pages are those of a full build."""
    built = project(pages())
    built.build()
    conf = built.source / "conf.py"
    built.write({"conf.py": conf.read_text("utf-8") + f"{option} = {value!r}\n"})
    built.build()

    assert html(built) == html(built_anew(built, project, **{option: value}))


def test_markdown_pages_are_the_same_too(project: MakeProject) -> None:
    """MyST pages are alike from full and from incremental, parallel builds."""
    files = {
        f"page-{number}.md": (
            f"# Page {number}\n\nSee hdl:20.1000/_{number}_, [it](hdl:20.1000/{number}) "
            f'and "https://doi.org/10.1000/a--{number}".\n'
        )
        for number in range(4)
    }
    files["index.md"] = (
        "# Index\n\n```{toctree}\n:glob:\n*\n```\n\n```{handle-list}\n```\n"
    )
    settings = {
        "extensions": ("myst_parser",),
        "myst_enable_extensions": ["smartquotes", "replacements"],
    }
    built = project(files, **settings)
    assert built.build(parallel=2).warnings == ""
    files["page-2.md"] += "\nMore.\n"
    built.write({"page-2.md": files["page-2.md"]})

    assert written(built, parallel=2) == {"page-2.html", "index.html"}
    anew = project(files, **settings)
    anew.build()
    assert html(built) == html(anew)


# Tells what a process that has read documents sends back.
TELLING = """
from sphinx.util.logging import getLogger

def tell(app, env, documents, other):
    data = other.domaindata["handle"]
    getLogger(__name__).info("for %s: %s", documents, [*data["places"]])

def setup(app):
    app.connect("env-merge-info", tell)
"""


def test_other_processes_send_back_what_they_have_read(project: MakeProject) -> None:
    """The references of other pages do not travel when one page is read again."""
    built = project(pages(), prelude=TELLING)
    built.build(parallel=2)
    built.write({"page-2.rst": page(2, more="More.")})

    status = built.build(parallel=2).status

    assert "for frozenset({'page-2'}): ['page-2']" in status
