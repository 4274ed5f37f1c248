"""The tool that compares two builds: what it lets pass, and that nothing else does."""

import re
import shutil
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.test_sphinx.project import Project
from tests.tools.compare_builds import compare_builds, main
from tests.tools.page_comparison import Change, ChangeKind, compare_pages
from tests.tools.page_reading import read_page

PAGES = {
    "index.rst": """
Title
=====

See https://doi.org/10.1000/182 and `the other one <http://dx.doi.org/10.1000/183>`_,
hdl:20.1000/100, http://hdl.handle.net/20.1000/日本, or
https://doi.org/10.1175/1520-0493(1972)100<0081:OTAOSH>2.3.CO;2 in *this* order.

There is doi:10.1000/a--b as well.

A paragraph that nobody misses, and `an ordinary link <https://example.org/a>`_.

HDL:LDL is hardware.

.. toctree::

   page
""",
    "page.rst": """
Page
====

Nothing to see here.

.. image:: picture.png
   :alt: A picture
   :target: https://example.org/b
""",
    "picture.png": "no picture",
}


SICI = "https://doi.org/10.1175/1520-0493(1972)100<0081:OTAOSH>2.3.CO;2"
SICI_LINK = "https://doi.org/10.1175/1520-0493(1972)100%3C0081:OTAOSH%3E2.3.CO;2"

# Not pages, and not the same with an extension more: its own files, the digest of
# the configuration, the versions of what the search and other projects read.
OURS = [
    ".buildinfo",
    "_static/sphinxcontrib_handle/*",
    "objects.inv",
    "searchindex.js",
]


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The pages built without the extension, and with it."""
    folders = []
    for ours in (False, True):
        folder = tmp_path_factory.mktemp("compared")
        built = Project(folder, PAGES, ours=ours).build()
        assert built.warnings == ""
        folders.append(built.out)
    return folders[0], folders[1]


@pytest.fixture
def altered(builds: tuple[Path, Path], tmp_path: Path) -> Path:
    """The build with the extension once more, to be altered."""
    return Path(shutil.copytree(builds[1], tmp_path / "altered"))


def replace(path: Path, old: str, new: str) -> None:
    """Replace the one occurrence of a text in a file."""
    text = path.read_text("utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
    path.write_text(text.replace(old, new), "utf-8")


def test_equal_builds_are_equal(
    altered: Path, builds: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is said of two builds of the same octets but how much was compared."""
    assert main([str(builds[1]), str(altered)]) == 0

    said = capsys.readouterr().out.splitlines()
    assert said[0] == "pages: 4, of which not the same octets: 0"
    assert said[2:] == [
        "not compared: none",
        "identifier links: 6, changed: 0",
        "other differences: 0",
    ]


def test_what_the_extension_does_is_let_pass(builds: tuple[Path, Path]) -> None:
    """Every kind of change to a link of an identifier is told, and is no difference."""
    result = compare_builds(*builds, left_out=OURS)

    assert result.differences == []
    assert sorted(
        (change.kind, change.before, change.after) for _, change in result.changes
    ) == [
        (
            ChangeKind.APPEARED,
            ((), "doi:10.1000/a–b"),
            (("https://doi.org/10.1000/a--b",), "doi:10.1000/a--b"),
        ),
        (
            ChangeKind.COMPLETED,
            (("http://hdl.handle.net/20.1000",), "http://hdl.handle.net/20.1000/日本"),
            (
                ("https://hdl.handle.net/20.1000/%E6%97%A5%E6%9C%AC",),
                "http://hdl.handle.net/20.1000/日本",
            ),
        ),
        (
            ChangeKind.COMPLETED,
            (("https://doi.org/10.1175/1520-0493(1972",), SICI),
            ((SICI_LINK,), SICI),
        ),
        (
            ChangeKind.DRESSED,
            (("https://doi.org/10.1000/182",), "https://doi.org/10.1000/182"),
            (("https://doi.org/10.1000/182",), "https://doi.org/10.1000/182"),
        ),
        (
            ChangeKind.READDRESSED,
            (("hdl:20.1000/100",), "hdl:20.1000/100"),
            (("https://hdl.handle.net/20.1000/100",), "hdl:20.1000/100"),
        ),
        (
            ChangeKind.READDRESSED,
            (("http://dx.doi.org/10.1000/183",), "the other one"),
            (("https://doi.org/10.1000/183",), "the other one"),
        ),
        (ChangeKind.UNLINKED, (("HDL:LDL",), "HDL:LDL"), ((), "HDL:LDL")),
    ]


@pytest.mark.parametrize(
    ("page", "old", "new"),
    [
        pytest.param("page", "Nothing to see", "Nothing to sea", id="one character"),
        pytest.param("page", "see here.", "see  here.", id="one space"),
        pytest.param("index", "<em>this</em>", "<i>this</i>", id="a tag"),
        pytest.param("page", 'alt="A picture"', 'alt="A pictur"', id="an attribute"),
        pytest.param("page", "<!DOCTYPE html>", "<!doctype html>", id="a declaration"),
        pytest.param(
            "index",
            "<p>A paragraph that nobody misses, and ",
            "<p>",
            id="the first half of a paragraph",
        ),
        pytest.param("index", "<p>HDL:LDL is hardware.</p>\n", "", id="a paragraph"),
        pytest.param(
            "index",
            'href="https://example.org/a"',
            'href="https://example.org/A"',
            id="an ordinary link's address",
        ),
        pytest.param(
            "page",
            'href="https://example.org/b"',
            'href="https://doi.org/10.1000/1"',
            id="an ordinary link made an identifier's",
        ),
        pytest.param(
            "index",
            'href="https://doi.org/10.1000/182"',
            'href="https://doi.org/10.1000/183"',
            id="another identifier",
        ),
        pytest.param(
            "index",
            'href="https://doi.org/10.1000/182"',
            'href="https://example.org/182"',
            id="an identifier's link made an ordinary one",
        ),
        pytest.param(
            "index",
            "https://doi.org/10.1000/182</a>",
            "https://doi.org/10.1000/18</a>2",
            id="the end of a link",
        ),
        pytest.param(
            "index", "the other one</a>", "the other 1</a>", id="a link's text"
        ),
        pytest.param(
            "index",
            ">the other one</a>",
            ' rel="nofollow">the other one</a>',
            id="an attribute more on an identifier's link",
        ),
        pytest.param(
            "index",
            "10.1000/a--b</a>",
            "10.1000/a-b</a>",
            id="a character of an identifier",
        ),
    ],
)
def test_what_is_planted_is_found(
    builds: tuple[Path, Path], altered: Path, page: str, old: str, new: str
) -> None:
    """One thing altered is one difference, told with its page, and the tool fails."""
    replace(altered / f"{page}.html", old, new)
    arguments = [f"--except={pattern}" for pattern in OURS]

    for before in builds:
        result = compare_builds(before, altered, left_out=OURS)
        assert {name for name, _ in result.differences} == {f"{page}.html"}
        assert main([str(before), str(altered), *arguments]) == 1


@given(data=st.data())
def test_no_character_is_lost_without_a_word(
    builds: tuple[Path, Path], data: st.DataObject
) -> None:
    """Outside the tags of identifiers' links one character less is always a difference."""
    old, new = ((folder / "index.html").read_text("utf-8") for folder in builds)
    tags = [found.span() for found in re.finditer('<a class="hdl[^>]*>', new)]
    at = data.draw(st.integers(0, len(new) - 1))
    assume(not any(start <= at < end for start, end in tags))

    for before in (old, new):
        try:
            altered = read_page(new[:at] + new[at + 1 :])
        except ValueError:
            continue
        assert compare_pages(read_page(before), altered).differences


def test_links_that_myst_could_not_resolve_may_become_links(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """What MyST took for a place in the project, and did not find, is a link now."""
    outs = []
    for ours in (False, True):
        folder = tmp_path_factory.mktemp("myst")
        files = {
            "index.md": "# Title\n\nSee [this](hdl:20.1000/100) and doi:10.1/_a_.\n"
        }
        project = Project(folder, files, ours=ours, extensions=("myst_parser",))
        outs.append(project.build().out)

    result = compare_builds(*outs, left_out=OURS)
    assert result.differences == []
    assert [change for _, change in result.changes] == [
        Change(
            ChangeKind.APPEARED,
            (("", "#hdl:20.1000/100"), "this"),
            (("https://hdl.handle.net/20.1000/100",), "this"),
        ),
        Change(
            ChangeKind.APPEARED,
            ((), "doi:10.1/a"),
            (("https://doi.org/10.1/_a_",), "doi:10.1/_a_"),
        ),
    ]


def test_escapes_of_tex_may_go(tmp_path_factory: pytest.TempPathFactory) -> None:
    """From identifiers of a bibliography, not from its other links."""
    outs = []
    for ours in (False, True):
        folder = tmp_path_factory.mktemp("tex")
        files = {
            "index.rst": "Title\n=====\n\n:cite:`a`\n\n.. bibliography::\n",
            "a.bib": "@misc{a, title={One}, year={2000}, author={A. B.},\n"
            "url={https://doi.org/10.1/a\\_b}}\n",
        }
        bibtex = {"bibtex_bibfiles": ["a.bib"], "extensions": ("sphinxcontrib.bibtex",)}
        outs.append(Project(folder, files, ours=ours, **bibtex).build().out)  # type: ignore[arg-type]  # any setting

    result = compare_builds(*outs, left_out=OURS)
    assert result.differences == []
    assert [change for _, change in result.changes] == [
        Change(
            ChangeKind.COMPLETED,
            (("https://doi.org/10.1/a\\_b",), "https://doi.org/10.1/a\\_b"),
            (("https://doi.org/10.1/a_b",), "https://doi.org/10.1/a_b"),
        )
    ]

    replace(outs[0] / "index.html", 'doi.org/10.1/a\\_b">', 'doi.org/10.1/a\\-b">')
    assert compare_builds(*outs, left_out=OURS).differences


def test_a_reader_is_told_where_and_what(
    builds: tuple[Path, Path], altered: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A difference is shown with the page, what stands before it, and both readings."""
    replace(altered / "page.html", "Nothing to see", "Nothing to sea")

    assert main([str(builds[1]), str(altered)]) == 1
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("  page.html: after '")
    assert said.endswith("<p>Nothing to se': 'e' became 'a'")


@pytest.mark.parametrize("kind", ["page.html", "searchindex.js"])
def test_a_lost_file_is_found(
    builds: tuple[Path, Path], altered: Path, kind: str
) -> None:
    """What only one build has is a difference, whichever it is."""
    (altered / kind).unlink()

    forth = compare_builds(builds[1], altered)
    back = compare_builds(altered, builds[1])
    assert forth.differences == [(kind, "only in the first build")]
    assert back.differences == [(kind, "only in the second build")]


def test_other_files_are_compared_by_their_octets(
    builds: tuple[Path, Path], altered: Path
) -> None:
    """A file that is no page may not differ, unless it is named."""
    with (altered / "searchindex.js").open("a", encoding="utf-8") as index:
        index.write("\n")

    result = compare_builds(builds[1], altered)
    named = compare_builds(builds[1], altered, left_out=["search*"])
    assert result.differences == [("searchindex.js", "not the same octets")]
    assert named.differences == []
    assert named.left_out == ["search.html", "searchindex.js"]


def test_two_empty_folders_are_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is no page nothing was compared, and the tool fails."""
    assert main([str(tmp_path), str(tmp_path)]) == 1
    assert capsys.readouterr().out.startswith("pages: 0, ")
