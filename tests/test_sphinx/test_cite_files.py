"""What blocks bring along: formats beside the page, a style and a script."""

import json
import re
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
    hrefs = re.findall('download="[^"]+" href="([^"]+)"', built.page(name))
    found = [(folder / href).resolve() for href in hrefs]
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

    for name in ("handle-cite.css", "handle-cite.js"):
        assert f"_static/{name}?v=" in built.page()
        assert name not in built.page("other.html")
        assert (built.out / "_static" / name).is_file()


def test_epub_has_the_style_alone(project: MakeProject) -> None:
    """A book shows the formats, and has neither script nor loose files."""
    built = project(page(), epub_copyright="nobody", version="1").build("epub")

    text = built.page("index.xhtml")
    assert "handle-cite.css" in text
    assert "handle-cite.js" not in text
    assert "download" not in text
    assert '<pre><code class="language-bibtex">@misc{' in text
    assert files_in(built) == []
    assert built.warnings == ""


def test_example_is_only_shown(project: MakeProject) -> None:
    """The block of an example brings no file, and its page is no version of a work."""
    built = project(page() + "   :example:\n").build()

    assert "To cite this version" in built.page()
    assert files_in(built) == []


def test_each_card_of_one_document_has_its_group(project: MakeProject) -> None:
    """In ``singlehtml``, a format of one card leaves those of another card open."""
    built = project({"index.rst": INDEX, "a.rst": page(), "b.rst": page()}).build(
        "singlehtml"
    )

    groups = re.findall('<details class="hdl-format" name="([^"]+)">', built.page())
    assert groups == ["a-cite-a-title"] * 2 + ["b-cite-a-title"] * 2
