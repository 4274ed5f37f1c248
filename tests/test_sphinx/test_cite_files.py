"""What blocks bring along: formats beside the page, a style and a script."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built

PAGE = """\
Title
=====

.. cite-version::
   :title: {title}
   :work: 20.1000/w
   :version: 1.0
   :handle: {handle}
   :formats: bibtex csl-json
"""
INDEX = "Index\n=====\n\n.. toctree::\n   :glob:\n\n   **\n"


def page(title: str = "A Title", handle: str = "20.1000/1") -> str:
    """A page that offers two formats."""
    return PAGE.format(title=title, handle=handle)


def files_in(built: Built) -> list[str]:
    """The formats that were written, as addresses in the site."""
    found = [*built.out.rglob("*.bib"), *built.out.rglob("*.csl.json")]
    return sorted(path.relative_to(built.out).as_posix() for path in found)


def downloads(built: Built, name: str) -> list[str]:
    """Where the page's links to files lead, as files."""
    folder = (built.out / name).parent
    parts = built.page(name).split('download="" href="')[1:]
    found = [(folder / part.partition('"')[0]).resolve() for part in parts]
    return [path.relative_to(built.out.resolve()).as_posix() for path in found]


@pytest.mark.parametrize(
    ("builder", "name", "folder"),
    [
        ("html", "guide/policy.html", "guide/"),
        ("dirhtml", "guide/policy/index.html", "guide/policy/"),
        ("singlehtml", "index.html", ""),
    ],
)
def test_formats_are_files_beside_the_page(
    project: MakeProject, builder: str, name: str, folder: str
) -> None:
    """Each format is a file, and the block links to it."""
    built = project({"index.rst": INDEX, "guide/policy.rst": page()}).build(builder)

    names = [f"{folder}a-title-1.0.bib", f"{folder}a-title-1.0.csl.json"]
    assert downloads(built, name) == names
    assert files_in(built) == names
    [item] = json.loads((built.out / names[1]).read_text("utf-8"))
    assert item["URL"] == "https://hdl.handle.net/20.1000/1"
    assert built.warnings == ""


def test_one_name_is_one_text(project: MakeProject) -> None:
    """Pages that say the same share a file; another text gets another name."""
    built = project(
        {
            "index.rst": INDEX,
            "a.rst": page("日本"),
            "b.rst": page("日本"),
            "c.rst": page("中国", "20.1000/2"),
        }
    ).build()

    assert downloads(built, "a.html") == ["work-1.0.bib", "work-1.0.csl.json"]
    assert downloads(built, "b.html") == downloads(built, "a.html")
    assert downloads(built, "c.html") == ["work-1.0-2.bib", "work-1.0-2.csl.json"]
    assert "20.1000/2" in built.page("work-1.0-2.bib")


def test_files_of_unchanged_pages_stay_as_they_are(project: MakeProject) -> None:
    """A build that changes nothing writes nothing."""
    made = project({"index.rst": page(), "other.rst": ":orphan:\n\nOther\n=====\n"})
    file = made.build().out / "a-title-1.0.bib"
    file.chmod(0o444)
    stamp = (file.stat().st_ino, file.stat().st_mtime_ns)

    made.write({"other.rst": ":orphan:\n\nChanged\n=======\n"})
    built = made.build()

    assert (file.stat().st_ino, file.stat().st_mtime_ns) == stamp
    assert downloads(built, "index.html") == [
        "a-title-1.0.bib",
        "a-title-1.0.csl.json",
    ]


def test_what_is_offered_no_more_is_taken_away(project: MakeProject) -> None:
    """Whatever a page lost: a format, its block, or itself; and nobody else's files."""
    made = project(
        {
            "index.rst": INDEX,
            "a.rst": page("First"),
            "b.rst": page("Second", "20.1000/2"),
            "c.rst": page("Third", "20.1000/3"),
        }
    )
    out = made.build().out
    (out / "own.bib").write_text("% The project's own.\n")
    (out / "second-1.0.bib").write_text("% As well.\n")
    (made.source / "c.rst").unlink()
    made.write(
        {
            "a.rst": page("First").replace("bibtex csl-json", "csl-json"),
            "b.rst": "Nothing\n=======\n",
        }
    )
    built = made.build()

    assert files_in(built) == ["first-1.0.csl.json", "own.bib", "second-1.0.bib"]
    assert (out / "linkset.json").is_file()

    made.write({"a.rst": "Nothing\n=======\n"})
    built = made.build()

    assert files_in(built) == ["own.bib", "second-1.0.bib"]
    assert not (out / "linkset.json").exists()
    assert [path.name for path in out.glob(".*")] == [".buildinfo"]


def test_builders_that_share_doctrees_tidy_up_each_its_own(
    project: MakeProject,
) -> None:
    """The second one reads no page again, and has files to take away all the same."""
    made = project({"index.rst": INDEX, "a.rst": page("First")})
    made.build("html")
    made.build("dirhtml")
    made.write({"a.rst": "Nothing\n=======\n"})
    builds = [made.build("html"), made.build("dirhtml")]

    assert [files_in(built) for built in builds] == [[], []]


@pytest.mark.parametrize(
    "more", [b"", b" x\n\nmissing gone\n\xff \xff\n", b"x caf\0\n"]
)
def test_a_list_of_files_reaches_nothing_outside_the_site(
    project: MakeProject, more: bytes
) -> None:
    """Nor does one that cannot be read end the build."""
    made = project({"index.rst": INDEX, "a.rst": page("First")})
    out = made.build().out
    (made.folder / "precious").write_bytes(b"")
    (out / "folder").mkdir()
    empty = sha256(b"").hexdigest()
    (out / ".handle-files").write_bytes(
        f"{empty} ../precious\n{empty} {made.folder}/precious\n{empty} folder\n".encode()
        + more
    )
    made.write({"a.rst": "Nothing\n=======\n"})
    made.build()

    assert (made.folder / "precious").exists()
    assert (out / "folder").is_dir()


def test_parallel_build_gives_the_same_site(project: MakeProject) -> None:
    """Pages written by several processes link to the same files."""
    pages = {f"p{number:02}.rst": page(f"Title {number}") for number in range(12)}
    made = project({"index.rst": INDEX, **pages})
    serial = made.build(fresh=True)
    texts = {name: serial.page(f"{Path(name).stem}.html") for name in pages}

    parallel = made.build(fresh=True, parallel=2)

    assert {n: parallel.page(f"{Path(n).stem}.html") for n in pages} == texts


def test_only_pages_with_a_block_load_style_and_script(project: MakeProject) -> None:
    """No other page pays for it."""
    built = project(
        {"index.rst": page(), "other.rst": ":orphan:\n\nOther\n=====\n"}
    ).build()

    for name in ("handle.css", "handle.js"):
        assert f"_static/sphinxcontrib_handle/{name}?v=" in built.page()
        assert name not in built.page("other.html")
        assert (built.out / "_static/sphinxcontrib_handle" / name).is_file()


def test_site_without_a_block_has_none_of_it(project: MakeProject) -> None:
    """What nobody uses is not written."""
    built = project("Title\n=====\n").build()

    assert not (built.out / "_static/sphinxcontrib_handle").exists()


def test_epub_has_the_style_alone(project: MakeProject) -> None:
    """A book shows the formats, and has neither script nor loose files."""
    built = project(page(), epub_copyright="nobody", version="1").build("epub")

    text = built.page("index.xhtml")
    assert "handle.css" in text
    assert "handle.js" not in text
    assert "download" not in text
    assert '<pre><code class="language-bibtex">@misc{' in text
    assert files_in(built) == []
    assert built.warnings == ""


def test_example_is_only_shown(project: MakeProject) -> None:
    """The block of an example brings no file, and its page is no version of a work."""
    built = project(page() + "   :example:\n").build()

    assert "To cite this version" in built.page()
    assert files_in(built) == []
    assert "handle:version" not in str(
        [*built.app.env.get_domain("handle").get_objects()]
    )
