"""One reading list gives the same links in the same order in three syntaxes."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from markdown_it import MarkdownIt

from handle_system import HandleReference, ReferenceForm
from mdit_handle import handle_plugin
from tests.reading_list import IN_MARKDOWN, IN_RST, Link, listed, web_links
from tests.test_sphinx.project import Built, Project

_INDEX = """
Lists
=====

.. toctree::

   reading-list
   reading-list-markdown
"""

# Written by hand, to be independent of the core.
_KNOWN = [
    ("https://doi.org/10.1000/182", "doi:10.1000/182"),
    ("https://doi.org/10.1038/sdata.2016.18", "doi: 10.1038/sdata.2016.18"),
    (
        "https://doi.org/10.1175/1520-0493(1972)100%3C0081:OTAOSH%3E2.3.CO;2",
        "doi:10.1175/1520-0493(1972)100<0081:OTAOSH>2.3.CO;2",
    ),
    (
        "https://doi.org/10.1002/(SICI)1097-4679(199902)55:2%3C241::AID-JCLP12%3E3.0.CO;2-V",
        "https://doi.org/10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V",
    ),
    ("https://doi.org/10.2307/1990888", "https://dx.doi.org/10.2307%2F1990888"),
    ("https://doi.org/10/cr3qwn", "https://doi.org/cr3qwn"),
    (
        "https://hdl.handle.net/102.100.272/Y35XYS0QH",
        "hdl:/102.100.272/Y35XYS0QH",
    ),
    (
        "https://hdl.handle.net/20.1000/5555?noredirect",
        "https://hdl.handle.net/20.1000/5555?noredirect",
    ),
    ("https://hdl.handle.net/1234/567", "info:hdl/1234/567"),
    (
        "https://hdl.handle.net/cnri.test/%E6%97%A5%E6%9C%AC",
        "hdl:jis@cnri.test/日本",
    ),
    ("https://hdl.handle.net/0.NA/10", "hdl:0.NA/10"),
    ("https://hdl.handle.net/cnri.test/handle%25abc", "hdl:cnri.test/handle%abc"),
    ("https://hdl.handle.net/20.1000/100", "a title of its own"),
    ("https://doi.org/10.1021/ja01577a030", "a link to an address"),
]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Both lists, built by Sphinx without a warning."""
    lists = {path.name: path.read_text("utf-8") for path in (IN_RST, IN_MARKDOWN)}
    folder = tmp_path_factory.mktemp("reading_list")
    files = {"index.rst": _INDEX, **lists}
    conf: dict[str, Any] = {"nitpicky": True, "html_show_sphinx": False}
    project = Project(folder, files, extensions=("myst_parser",), **conf)
    built = project.build()
    assert built.warnings == ""
    return built


@pytest.fixture(scope="module")
def from_rst(pages: Built) -> list[Link]:
    return web_links(pages.page("reading-list.html"))


@pytest.fixture(scope="module")
def from_myst(pages: Built) -> list[Link]:
    return web_links(pages.page("reading-list-markdown.html"))


@pytest.fixture(scope="module")
def from_docutils() -> list[Link]:
    """The list rendered by plain docutils, in a process without Sphinx."""
    program = (
        "import sys; sys.modules['sphinx'] = None\n"
        "from docutils.core import publish_cmdline\n"
        "from sphinxcontrib_handle.rst import Parser\n"
        "publish_cmdline(parser=Parser(), writer_name='html5')\n"
    )
    command = (sys.executable, "-W", "ignore", "-c", program, IN_RST)
    built = subprocess.run(command, capture_output=True, text=True, check=True)
    assert built.stderr == ""
    return web_links(built.stdout)


@pytest.fixture(scope="module")
def from_markdown() -> list[Link]:
    markdown = MarkdownIt("commonmark").use(handle_plugin)
    return web_links(markdown.render(IN_MARKDOWN.read_text(encoding="utf-8")))


def test_each_reference_is_the_link_that_its_line_asks_for(
    from_rst: list[Link], from_myst: list[Link], from_markdown: list[Link]
) -> None:
    """Every reference has the link that its line states, in every syntax."""
    asked = [item.link for item in listed(IN_RST)]

    assert from_rst == asked
    assert from_myst == asked
    assert from_markdown == asked


def test_docutils_and_sphinx_give_the_same_links(
    from_docutils: list[Link], from_rst: list[Link]
) -> None:
    """Plain docutils makes the same links, without titles."""
    assert from_docutils == [link._replace(title="") for link in from_rst]


def test_docutils_takes_the_parser_by_its_name() -> None:
    """``docutils --parser=sphinxcontrib_handle.rst`` needs nothing else."""
    command = (sys.executable, "-m", "docutils", "--parser=sphinxcontrib_handle.rst")
    built = subprocess.run(
        command,
        input=":doi:`10.1000/1`, hdl:20.1000/2",
        capture_output=True,
        text=True,
        check=True,
    )

    assert [link.address for link in web_links(built.stdout)] == [
        "https://doi.org/10.1000/1",
        "https://hdl.handle.net/20.1000/2",
    ]


def test_both_files_list_the_same_references() -> None:
    """The two files hold the same references."""
    assert listed(IN_RST) == listed(IN_MARKDOWN)


@pytest.mark.parametrize(("address", "text"), _KNOWN)
def test_known_links_are_there(
    from_markdown: list[Link], address: str, text: str
) -> None:
    """The page has the links that were written by hand."""
    assert (address, text) in [(link.address, link.text) for link in from_markdown]


def test_list_holds_every_form() -> None:
    """The list has at least sixty references and every written form."""
    references = [item.reference for item in listed(IN_RST)]
    assert len(references) >= 60
    assert {reference.form for reference in references} == set(ReferenceForm)


@pytest.mark.parametrize(
    ("kind", "holds"),
    [
        ("SICI", lambda reference: "<" in reference.handle.suffix),
        ("non-ASCII", lambda reference: not str(reference.handle).isascii()),
        ("percent-encoded", lambda reference: "%2F" in reference.source),
        ("dx.doi.org", lambda reference: "//dx.doi.org/" in reference.source),
        ("info:hdl/", lambda reference: reference.source.startswith("info:hdl/")),
        ("hdl:/", lambda reference: reference.source.startswith("hdl:/1")),
        ("server", lambda reference: reference.server is not None),
        ("index", lambda reference: reference.index is not None),
        ("modifier", lambda reference: "@" in reference.source.partition("/")[0]),
        ("query", lambda reference: reference.query is not None),
        ("fragment", lambda reference: reference.fragment is not None),
    ],
)
def test_list_holds_what_is_difficult(
    kind: str, holds: Callable[[HandleReference], bool]
) -> None:
    """The list has each kind of reference that tools get wrong."""
    assert any(holds(item.reference) for item in listed(IN_RST)), kind
