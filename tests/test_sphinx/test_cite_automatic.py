"""Blocks without a directive; works and versions as objects."""

import zlib
from itertools import pairwise

import pytest

from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built

WORKS = """\
[[work]]
title = "The Manual"
handle = "20.1000/manual"
[[work.version]]
label = "1.0"
date = 2025-01-01
handle = "20.1000/manual-1"
[[work.version]]
label = "2.0"
date = 2026-01-01
handle = "20.1000/manual-2"
"""
INDEX = "Index\n=====\n\nText.\n\n.. toctree::\n   :glob:\n\n   **\n"
OTHER = "Other\n=====\n\nText.\n"
OWN = """\
Own
===

.. cite-version::
   :title: Its own
   :work: 20.1000/own
   :version: 3.0
   :handle: 20.1000/own-3
   :source:
"""
THIS = "To cite this version of this work, use"


def statement(built: Built, name: str) -> list[str]:
    """What the pages' text says of how to cite this version."""
    lines = built.page(name).split("\n")
    return [after for line, after in pairwise(lines) if line.strip() == THIS]


def site(project: MakeProject, **settings: object) -> Built:
    """Three pages, one with a directive, as text."""
    files = {
        "index.rst": INDEX,
        "other.rst": OTHER,
        "own.rst": OWN.replace("   :source:\n", ""),
        "works.toml": WORKS,
    }
    return project(files, handle_work="works.toml", **settings).build("text")


@pytest.mark.parametrize(
    ("where", "root", "other"), [(False, 0, 0), ("root", 1, 0), ("every", 1, 1)]
)
def test_block_is_where_the_project_wants_it(
    project: MakeProject, where: object, root: int, other: int
) -> None:
    """On no page, on the root page, on every page; a page's own directive stays alone."""
    built = site(project, handle_cite=where)

    latest = ["https://hdl.handle.net/20.1000/manual-2"]
    assert statement(built, "index.txt") == latest * root
    assert statement(built, "other.txt") == latest * other
    assert statement(built, "own.txt") == ["https://hdl.handle.net/20.1000/own-3"]
    assert built.warnings == ""


def test_block_stands_at_the_end(project: MakeProject) -> None:
    """The page says what it has to say first."""
    text = site(project, handle_cite="every").page("other.txt")

    assert text == (
        "Other\n*****\n\nText.\n\n"
        "The Manual (2026). Version 2.0.\nhttps://hdl.handle.net/20.1000/manual-2\n\n"
        "To cite the latest version of this work use\n"
        "https://hdl.handle.net/20.1000/manual\n\n"
        f"{THIS}\nhttps://hdl.handle.net/20.1000/manual-2\n"
    )


def test_notice_of_an_old_version_stands_below_the_title(project: MakeProject) -> None:
    """Whoever reads an old version reads so first; the block says it again."""
    text = site(project, handle_cite="every", handle_version="1.0").page("other.txt")

    notice = (
        "You are reading an old version; the latest is\n"
        "https://hdl.handle.net/20.1000/manual\n\n"
    )
    assert text.startswith(f"Other\n*****\n\n{notice}Text.\n\n{notice}The Manual")


def test_page_can_say_more_or_say_no(project: MakeProject) -> None:
    """A page's metadata go before the site's file; `no-cite` keeps the block away."""
    built = project(
        {
            "index.rst": INDEX,
            "mine.rst": f":cite-handle: 20.1000/mine\n\n{OTHER}",
            "none.rst": f":no-cite:\n\n{OTHER}",
            "markdown.md": "---\nno-cite: true\n---\n\n# Other\n",
            "still.rst": f":no-cite: false\n\n{OTHER}",
            "works.toml": WORKS,
        },
        extensions=("myst_parser",),
        handle_work="works.toml",
        handle_cite="every",
    ).build("text")

    assert {
        name: statement(built, f"{name}.txt")
        for name in ("mine", "none", "markdown", "still")
    } == {
        "mine": ["https://hdl.handle.net/20.1000/mine"],
        "none": [],
        "markdown": [],
        "still": ["https://hdl.handle.net/20.1000/manual-2"],
    }


@pytest.mark.parametrize("parallel", [1, 2])
def test_trouble_of_the_site_is_told_once(project: MakeProject, parallel: int) -> None:
    """What is wrong with the citation of every page is told at the root page alone."""
    works = WORKS.replace('handle = "20.1000/manual-2"\n', "")
    pages = {f"p{number}.rst": OTHER for number in range(8)}
    made = project(
        {"index.rst": INDEX, **pages, "works.toml": works},
        handle_work="works.toml",
        handle_cite="every",
        handle_version="2.0",
    )

    assert made.build(parallel=parallel).warnings == (
        "index.rst: WARNING: version 2.0 has no handle yet; have one assigned before "
        "this version is published: hdl mint --prefix 20.1000 "
        "[handle.cite-not-yet-assigned]\n"
    )
    assert made.build(parallel=parallel).warnings == ""


def test_error_in_the_sites_file_is_told_once(project: MakeProject) -> None:
    """A file that cannot be read is told once, and pages have no block."""
    built = project(
        {"index.rst": INDEX, "other.rst": OTHER, "works.toml": "[[work]]\n"},
        project="",
        handle_work="works.toml",
        handle_cite="every",
    ).build("text")

    assert built.warnings == (
        "index.rst: WARNING: works.toml: work[0].title: a work needs a title, and no "
        "source gives one [handle.citation]\n"
    )
    assert THIS not in built.page("other.txt")


def test_identifiers_of_the_site_are_recorded_once(project: MakeProject) -> None:
    """The root page refers to the site's handles; the others have only their own."""
    built = project(
        {
            "index.rst": INDEX,
            "mine.rst": f":cite-handle: 20.1000/mine\n\n{OTHER}",
            "other.rst": OTHER,
            "works.toml": WORKS,
        },
        handle_work="works.toml",
        handle_cite="every",
    ).build("text")

    places = built.app.env.get_domain("handle").places()  # type: ignore[attr-defined]
    assert {place.handle for place in places if place.document == "mine"} == {
        "20.1000/manual",
        "20.1000/manual-1",
        "20.1000/mine",
    }
    assert not [place for place in places if place.document == "other"]
    assert [place.handle for place in places if place.document == "index"] == [
        "20.1000/manual",
        "20.1000/manual-1",
        "20.1000/manual-2",
    ]


@pytest.mark.parametrize("parallel", [1, 2])
def test_works_and_versions_are_objects(project: MakeProject, parallel: int) -> None:
    """Other projects can refer to them: the inventory carries them, at their first page."""
    pages = {f"a{number}.rst": OTHER for number in range(6)}
    built = project(
        {
            "index.rst": INDEX,
            "own.rst": OWN.replace("   :source:\n", ""),
            "refer.rst": "Refer\n=====\n\n:handle:work:`20.1000/own`, "
            ":handle:version:`the manual <20.1000/manual-2>`\n",
            **pages,
            "works.toml": WORKS,
        },
        handle_work="works.toml",
        handle_cite="every",
        project="Project",
        nitpicky=True,
    ).build(parallel=parallel)

    content = (built.out / "objects.inv").read_bytes().split(b"\n", 4)[4]
    entries = zlib.decompress(content).decode().splitlines()
    found = {}
    for name, kind, _priority, uri, title in (line.split(" ", 4) for line in entries):
        if kind.startswith("handle:"):
            found[f"{kind} {name}"] = (uri, title)
    assert found == {
        "handle:work 20.1000/manual": ("index.html#cite-the-manual", "The Manual"),
        "handle:version 20.1000/manual-2": (
            "index.html#cite-the-manual",
            "The Manual, 2.0",
        ),
        "handle:work 20.1000/own": ("own.html#cite-its-own", "Its own"),
        "handle:version 20.1000/own-3": ("own.html#cite-its-own", "Its own, 3.0"),
    }
    refer = built.page("refer.html")
    assert 'href="own.html#cite-its-own"' in refer
    assert 'href="index.html#cite-the-manual"' in refer
    assert built.warnings == ""


def test_objects_follow_their_pages(project: MakeProject) -> None:
    """A page that is gone leaves its objects to the next that has them."""
    made = project(
        {"index.rst": INDEX, "a.rst": OTHER, "b.rst": OTHER, "works.toml": WORKS},
        handle_work="works.toml",
        handle_cite="every",
    )
    made.build("text")
    made.write({"index.rst": f":no-cite:\n\n{INDEX}"})
    (made.source / "a.rst").unlink()
    built = made.build("text")

    objects = built.app.env.get_domain("handle").get_objects()
    assert {(each[0], each[3]) for each in objects} == {
        ("20.1000/manual", "b"),
        ("20.1000/manual-2", "b"),
    }


def test_configuration_alone_gives_a_card(project: MakeProject) -> None:
    """One option is enough where ``conf.py`` says title, author and release."""
    built = project(
        {"index.rst": "Index\n=====\n"},
        project="My Project",
        author="Ada Lovelace and Charles Babbage",
        release="1.10",
        handle_cite="root",
        html_baseurl="https://example.org/docs/",
    ).build()

    page = built.page()
    assert (
        '<p class="hdl-cite-reference">Ada Lovelace; Charles Babbage. My Project. '
        "Version 1.10.</p>" in page
    )
    assert (
        '<p class="hdl-cite-this">This version has no persistent identifier yet; its '
        'address is <a class="hdl reference external" '
        'href="https://example.org/docs/index.html">' in page
    )
    assert built.warnings == (
        "index.rst: WARNING: neither the work nor version 1.10 has a handle yet; have "
        "one assigned before this version is published [handle.cite-not-yet-assigned]\n"
    )


def test_numbers_in_front_matter_stay_as_written(project: MakeProject) -> None:
    """Version 1.10 is not version 1.1, and a row has the line where it stands."""
    page = (
        "---\ncite:\n  title: T\n  work: 20.1000/w\n  version: 1.10\n---\n\n# T\n\n"
        "```{cite-version}\n:history:\n\n"
        "1.9 | 2025-01-01 | 20.1000/9\n1.10 | 2026-01-01 | 20.1000/9\n```\n"
    )
    built = project(
        {"index.md": page}, extensions=("myst_parser",), root_doc="index"
    ).build("text")

    assert "Version 1.10. https://hdl.handle.net/20.1000/9" in built.page("index.txt")
    assert built.warnings.startswith(
        "index.md:14: WARNING: version 1.10 has the handle of version 1.9, 20.1000/9"
    )


@pytest.mark.parametrize(
    ("name", "settings", "reason"),
    [
        ("../works.toml", "", "the file is outside of the source folder"),
        (
            "works.toml",
            "[parsers]\nfile_insertion_enabled: no\n",
            "pages may not name files here: file_insertion_enabled is off",
        ),
    ],
)
def test_page_names_files_of_the_project_only(
    project: MakeProject, name: str, settings: str, reason: str
) -> None:
    """A page cannot read a file elsewhere, nor where inserting files is off."""
    made = project(
        {
            "index.rst": f"I\n=\n\n.. cite-version::\n   :source: {name}\n",
            "works.toml": WORKS,
            "docutils.conf": settings,
        }
    )
    (made.folder / "works.toml").write_text(WORKS, encoding="utf-8")
    assert made.build().warnings == (
        f"index.rst:5: WARNING: :source: {reason} [handle.citation]\n"
    )


def test_page_reads_allowed_variables_only(
    project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page cannot show a secret of the environment, nor can a warning."""
    monkeypatch.setenv("TOKEN", "20.1000/secret")
    built = project(
        OWN.replace("20.1000/own-3", "env:TOKEN").replace("   :source:\n", "")
    ).build("pseudoxml")

    assert built.warnings == (
        "index.rst:8: WARNING: :handle: the environment variable TOKEN is not on the "
        "list of those that may be read: --env on the command line, handle_environment "
        "in conf.py [handle.citation]\n"
    )
    assert "secret" not in built.page("index.pseudoxml")
