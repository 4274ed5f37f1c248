"""The manual as a test: it builds, it verifies, and its examples are true."""

import doctest
import json
import re
import warnings
import xml.etree.ElementTree as ET
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from html import unescape
from io import StringIO
from pathlib import Path
from shutil import copy, copytree, ignore_patterns
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from sphinx.cmd.build import main
from sphinx.util.docutils import docutils_namespace

from handle_cli.command import hdl
from handle_system.findings.codes import Code
from mdit_handle import handle_plugin
from tests.command_line import runner
from tests.reading_list import web_links
from tests.test_sphinx.conftest import needs_sphinx_8_1
from tests.test_sphinx.project import kept_locale
from tests.tools.browser_links import dom, find_browser, wrong_links

EXAMPLE = Path(__file__).parent.parent.parent / "example_docs"
NESTED = EXAMPLE / "nested"

# The manual is built with the newest Sphinx; its warnings name their kind.
pytestmark = [pytest.mark.slow, needs_sphinx_8_1]


@dataclass(frozen=True, slots=True)
class Built:
    """A finished build: the folder of its pages, and its output."""

    html: Path
    status: int
    summary: str
    warnings: list[str]


def build(source: Path, *options: str, builder: str = "html") -> Built:
    """Build a folder, and give its warnings with paths from that folder on."""
    html = source / "_build" / builder
    doctrees = source / "_build" / "doctrees"
    output, errors = StringIO(), StringIO()
    with (
        redirect_stdout(output),
        redirect_stderr(errors),
        docutils_namespace(),
        kept_locale(),
        warnings.catch_warnings(),
    ):
        # Deprecated calls of Sphinx and other extensions are theirs to mend.
        for category in (DeprecationWarning, PendingDeprecationWarning):
            warnings.simplefilter("ignore", category)
        folders = (str(source), str(html), "-d", str(doctrees))
        status = main(["-n", "-N", *options, "-b", builder, *folders])
    summary = re.search(
        "^handles: .* distinct handles.*$", output.getvalue(), re.MULTILINE
    )
    return Built(
        html=html,
        status=status,
        summary="" if summary is None else summary[0],
        warnings=errors.getvalue().replace(f"{source}/", "").splitlines(),
    )


def copy_of(source: Path, target: Path) -> Path:
    # The manual cites the project from the file beside it.
    copy(EXAMPLE.parent / "CITATION.cff", target.parent)
    return copytree(source, target, ignore=ignore_patterns("_build", "__pycache__"))


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The manual, built once for this module."""
    source = copy_of(EXAMPLE, tmp_path_factory.mktemp("manual") / "example_docs")
    return build(source, "-W")


def test_manual_builds_without_a_warning(manual: Built) -> None:
    """The build needs no network, and checks cross-references."""
    assert manual.warnings == []
    assert manual.status == 0


def figures(summary: str) -> tuple[int, int, int]:
    """The three figures of a verified build's last line."""
    found = re.fullmatch(
        r"handles: (\d+) references, (\d+) distinct handles, (\d+) resolved"
        r"(?:, \d+ not registered)?",
        summary,
    )
    assert found is not None, summary
    return int(found[1]), int(found[2]), int(found[3])


def test_every_record_is_referred_to_and_resolved(manual: Built) -> None:
    """All references resolve, and pages name every handle of the records."""
    references, distinct, resolved = figures(manual.summary)
    records = json.loads((EXAMPLE / "records.json").read_text(encoding="utf-8"))
    assert distinct == resolved == len(records)
    assert references > distinct


def test_manual_has_no_dead_link(manual: Built) -> None:
    """No page has a link with a scheme that browsers do not open."""
    problems = [
        problem
        for page in sorted(manual.html.glob("*.html"))
        for problem in wrong_links(page.stem, page.read_text(encoding="utf-8"))
    ]
    assert problems == []


def test_links_between_pages_lead_somewhere(manual: Built) -> None:
    """Each file and each anchor that a page of the manual names is there."""
    pages = {
        page.name: page.read_text("utf-8")
        for page in sorted(manual.html.glob("*.html"))
    }
    anchors = {
        name: set(re.findall(r'\b(?:id|name)="([^"]+)"', text))
        for name, text in pages.items()
    }
    broken = []
    for name, text in pages.items():
        for address in re.findall(r'\b(?:href|src)="([^"]*)"', text):
            parts = urlsplit(unescape(address))
            if parts.scheme or parts.netloc:
                continue
            target = unquote(parts.path) or name
            is_there = Path(manual.html, target).is_file()
            # A theme's "back to top" is the empty fragment.
            fragment = unquote(parts.fragment)
            if not is_there or (fragment and fragment not in anchors[target]):
                broken.append((name, address))

    assert broken == []


def test_pages_of_the_epub_are_well_formed(manual: Built) -> None:
    """A reader of books shows no page that is not XML, so none has the forms of tabs."""
    book = build(manual.html.parent.parent, "-W", builder="epub")

    assert book.warnings == []
    pages = sorted(book.html.glob("*.xhtml"))
    assert len(pages) > 30
    for page in pages:
        ET.parse(page)  # noqa: S314 - our own output
        assert "<input" not in page.read_text("utf-8"), page.name


@pytest.mark.skipif(find_browser() is None, reason="no Chromium is installed")
@pytest.mark.parametrize("name", ["index", "reading-list", "reading-list-markdown"])
def test_browser_has_the_same_links(manual: Built, name: str) -> None:
    """In a browser's DOM every reference is an https link, and the lists are complete."""
    browser = find_browser()
    assert browser is not None
    assert list(wrong_links(name, dom(browser, manual.html / f"{name}.html"))) == []


@pytest.mark.parametrize(
    "name", ["as-printed", "doubtful", "malformed", "not-registered"]
)
def test_nested_example_warns_as_the_manual_shows(name: str, tmp_path: Path) -> None:
    """The manual prints the real warnings and the real last line."""
    built = build(copy_of(NESTED / name, tmp_path / name))
    shown = (NESTED / name / "warnings.txt").read_text(encoding="utf-8")
    assert built.warnings == shown.splitlines()
    assert built.status == 0
    if name == "not-registered":
        summary = (NESTED / name / "summary.txt").read_text(encoding="utf-8")
        assert built.summary == summary.rstrip("\n")


def test_every_doubt_is_shown() -> None:
    """Together the nested examples have each warning about a citation."""
    shown = "".join(
        path.read_text(encoding="utf-8") for path in sorted(NESTED.glob("*/*.txt"))
    )

    for code in Code:
        if code.startswith("cite-"):
            assert f"[handle.{code}]" in shown


RELEASING = NESTED / "releasing"


@pytest.mark.parametrize(
    ("records", "is_assigned", "said"),
    [
        ("before", False, "unassigned"),
        ("before", True, "unregistered"),
        ("mistaken", True, "mistaken"),
        ("after", True, None),
    ],
)
def test_release_is_followed_as_the_manual_shows(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    records: str,
    is_assigned: bool,  # noqa: FBT001 - a column of the table
    said: str | None,
) -> None:
    """The manual prints the real output of each step of a release."""
    monkeypatch.delenv("MANUAL_HANDLE", raising=False)
    if is_assigned:
        monkeypatch.setenv("MANUAL_HANDLE", "20.1000/manual-2")

    source = copy_of(RELEASING, tmp_path / "releasing")
    built = build(source, "-D", f"handle_resolver={records}.json")

    shown = (RELEASING / f"{said}.txt").read_text(encoding="utf-8") if said else ""
    assert built.warnings == shown.splitlines()


def test_release_is_registered_as_the_manual_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The manual prints the batch file that the command writes."""
    monkeypatch.setenv("MANUAL_HANDLE", "20.1000/manual-2")
    works, records = RELEASING / "works.toml", RELEASING / "before.json"

    done = runner().invoke(
        hdl,
        ["register", "--env", "MANUAL_HANDLE", str(works), "--resolver", str(records)],
    )

    assert done.stdout == (RELEASING / "register.txt").read_text(encoding="utf-8")


def test_names_for_machines_are_those_of_the_manual(
    tmp_path: Path,
) -> None:
    """The pages have exactly the names and relations that the manual lists."""
    (tmp_path / "conf.py").write_text(FOR_MACHINES_CONF, encoding="utf-8")
    found: set[str] = set()
    for number, text in enumerate(FOR_MACHINES):
        (tmp_path / "index.rst").write_text(text, encoding="utf-8")
        html = build(tmp_path, "-d", str(tmp_path / f"trees-{number}")).html
        head = (html / "index.html").read_text(encoding="utf-8").partition("</head>")[0]
        found |= set(re.findall(r'<meta name="((?:citation_|DC|z:)[^"]*)"', head))
        found |= set(
            re.findall(r'<link rel="([^"]*)" href="[^"]*"(?: type=[^>]*)? />', head)
        )
    found -= {"stylesheet", "index", "search", "canonical"}

    text = (EXAMPLE / "citing-machines.rst").read_text(encoding="utf-8")
    told = set(re.findall(r"``((?:citation_|DC|z:)[A-Za-z_.:]+)``", text))
    relations = text.partition("Google Scholar\n===")[0].partition("Links\n===")[2]
    told |= {
        name
        for line in relations.splitlines()
        for name in re.findall(r"``([a-z-]+)``", line[:36])
    }
    assert found == told


FOR_MACHINES_CONF = """\
extensions = ["sphinxcontrib_handle"]
html_theme = "basic"
html_baseurl = "https://example.org/"
handle_cite_items = ["policy.pdf"]
handle_linkset = True
"""
_PAGE_FOR_MACHINES = """\
Policy
======

.. cite-version::
   :title: Policy
   :work: 20.1000/w
   :version: 2
   :creators: Carberry, Josiah <0000-0002-1825-0097>
   :publisher: PILIN Project
   :kind: {}
   :license: CC0-1.0
   :language: en
   :history:
   :formats: bibtex

   1 | 2025-01-01 | 20.1000/1
   2 | 2026-01-01 | {}
   3 | 2026-02-01 | 20.1000/3
"""
FOR_MACHINES = (
    _PAGE_FOR_MACHINES.format("report", "20.1000/2"),
    _PAGE_FOR_MACHINES.format("manual", "10.1000/2"),
)


def test_record_that_is_lacking_is_missed_at_every_place(
    manual: Built, tmp_path: Path
) -> None:
    """Without one record, one handle less resolves, and one warning names its places."""
    records = json.loads((EXAMPLE / "records.json").read_text(encoding="utf-8"))
    del records["10.1045/april2006-paskin"]
    lacking = tmp_path / "lacking.json"
    lacking.write_text(json.dumps(records), encoding="utf-8")
    source = manual.html.parent.parent

    built = build(source, "-b", "handlecheck", "-D", f"handle_resolver={lacking}")

    references, distinct, resolved = figures(manual.summary)
    assert figures(built.summary) == (references, distinct, resolved - 1)
    first, *others = [
        f"{page}:{line}"
        for page in ("links.rst", "quickstart", "reading-list", "reading-list-markdown")
        for line in _lines_that_hold("10.1045/april2006-paskin", page)
    ]
    (warning,) = built.warnings
    assert warning == (
        f"{first}: WARNING: https://doi.org/10.1045/april2006-paskin: this handle "
        f"is not registered (also at {', '.join(others)}) [handle.not-registered]"
    )


def _lines_that_hold(text: str, page: str) -> list[int]:
    """The lines of a page of the manual that hold a text."""
    (source,) = EXAMPLE.glob(f"{page.partition('.')[0]}.*")
    lines = source.read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, start=1) if text in line]


def test_types_of_options_are_those_that_a_reader_knows(manual: Built) -> None:
    """The page of options names plain types, and nothing of their implementation."""
    page = re.sub("<[^>]*>", "", (manual.html / "options.html").read_text("utf-8"))
    types = {
        kind
        for kinds in re.findall(r"Type: (.*?)\. Default", page)
        for kind in re.findall(r"[\w.]+", kinds)
    }

    assert {"str", "list", "dict", "bool", "int", "None"} <= types
    assert not {kind for kind in types if "." in kind or kind.startswith(("_", "0x"))}


def test_readme_shows_what_works(capsys: pytest.CaptureFixture[str]) -> None:
    """The Python code of the README runs, and prints three links."""
    readme = (EXAMPLE.parent / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(from markdown_it.*?)```", readme, re.DOTALL)
    exec(code, {})  # noqa: S102 - our own README
    links = web_links(capsys.readouterr().out)
    assert [(link.address, link.text) for link in links] == [
        ("https://doi.org/10.1000/182", "doi:10.1000/182"),
        ("https://hdl.handle.net/20.1000/100", "hdl:20.1000/100"),
        ("https://hdl.handle.net/0.NA/10", "hdl:0.NA/10"),
    ]


def test_policy_has_the_same_links_in_every_syntax(manual: Built) -> None:
    """The policy cites itself alike in rST, MyST and plain Markdown."""
    from_rst, from_myst = (
        web_links(
            (manual.html / f"{name}.html").read_text(encoding="utf-8"), within="article"
        )
        for name in ("policy", "policy-markdown")
    )
    markdown = MarkdownIt("commonmark").enable("table")
    markdown.use(handle_plugin, references=EXAMPLE / "references.json")
    source = (EXAMPLE / "policy-markdown.md").read_text(encoding="utf-8")

    assert from_rst == from_myst == web_links(markdown.render(source))
    assert [link.address.rpartition("/")[2] for link in from_rst] == [
        "0N8J991QH",  # the reference
        "Y35XYS0QH",  # the work
        "",  # the licence
        *("Y35XYS0QH", "Y35XYS0QH", "0N8J991QH"),  # the text
    ]


@pytest.mark.parametrize(
    "page",
    [
        "core.rst",
        "in-an-application.rst",
        "markdown.rst",
        "mkdocs.rst",
        "policy.rst",
        "policy-markdown.md",
    ],
)
def test_what_a_page_computes_is_true(page: str) -> None:
    """Every Python example of the manual gives the result below it."""
    failed, tried = doctest.testfile(
        str(EXAMPLE / page), module_relative=False, encoding="utf-8"
    )
    assert tried > 0
    assert failed == 0


def test_manual_makes_the_manual_page_of_the_command(manual: Built) -> None:
    """Packages for a system install it; a test of the manual holds that no help is missing."""
    source = manual.html.parents[1]

    made = build(source, "-W", builder="man")

    page = (made.html / "hdl.1").read_text("utf-8")
    assert (made.status, made.warnings) == (0, [])
    assert page.count("Usage: hdl ") > 20
    assert r"hdl \- read, check, resolve and make handles and DOIs" in page
    assert r"Usage: hdl check [OPTIONS] [PATH…]" in page
