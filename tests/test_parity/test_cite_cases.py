"""The citations of `cite_cases.toml`, three ways to a page: the same block from each.

One block shows everything that there is to show; what comes of it in HTML, LaTeX,
plain text and as a manual page is kept in `golden`.  To write those files anew:
`HANDLE_WRITE_GOLDEN=1 pytest tests/test_parity/test_cite_cases.py`, and look at what
has changed.
"""

import importlib.metadata
import os
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

from mdit_handle import handle_plugin

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"

CONF = """\
project = "Cases"
author = ""
version = release = ""
language = "en"
extensions = ["myst_parser", "sphinxcontrib_handle"]
html_theme = "basic"
html_show_sphinx = False
exclude_patterns = ["index.rst"]
root_doc = "rst-1"
latex_documents = [("rst-1", "cases.tex", "Cases", "Nobody", "howto")]
man_pages = [("rst-1", "cases", "Cases", [], 1)]
suppress_warnings = ["handle.cite-not-yet-assigned"]
smartquotes = True
myst_enable_extensions = ["smartquotes", "replacements"]
"""


class Case(NamedTuple):
    """One citation.

    Attributes:
        number: Where it stands in the file, from 0.
        about: What it is a case of.
        options: The directive's options.
        body: The directive's body.
        metadata: The page's metadata.
        work: The text of a file of works; empty for none.
    """

    number: int
    about: str
    options: dict[str, str]
    body: list[str]
    metadata: dict[str, str]
    work: str

    def in_rst(self) -> str:
        """The page in reStructuredText."""
        fields = "".join(f":cite-{n}: {value}\n" for n, value in self.metadata.items())
        lines = [*(f":{n}: {value}" for n, value in self.options.items())]
        indented = "".join(f"   {line}\n" for line in [*lines, "", *self.body])
        return f":orphan:\n{fields}\nTitle\n=====\n\n.. cite-version::\n{indented}"

    def in_markdown(self) -> str:
        """The page in Markdown."""
        fields = "".join(f'cite-{n}: "{value}"\n' for n, value in self.metadata.items())
        lines = "\n".join(f":{n}: {value}" for n, value in self.options.items())
        body = "\n".join(self.body)
        matter = f"---\norphan: true\n{fields}---\n\n"
        return f"{matter}# Title\n\n```{{cite-version}}\n{lines}\n\n{body}\n```\n"


CASES = [
    Case(
        number,
        each["about"],
        each["options"],
        each.get("body", []),
        each.get("metadata", {}),
        each.get("work", ""),
    )
    for number, each in enumerate(
        tomllib.loads((HERE / "cite_cases.toml").read_text("utf-8"))["case"]
    )
]
EVERYTHING = CASES[1]

#: What writes these files writes them otherwise in each of its versions.
WRITTEN_BY = {"block.tex": ("sphinx", "9.0"), "block.man": ("docutils", "0.22")}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every case as a page of each kind."""
    folder = tmp_path_factory.mktemp("cite_cases")
    (folder / "conf.py").write_text(CONF, encoding="utf-8")
    for case in CASES:
        pages = folder / f"case{case.number}" if case.work else folder
        pages.mkdir(exist_ok=True)
        for kind, text in (("rst", case.in_rst()), ("md", case.in_markdown())):
            path = pages / f"{kind}-{case.number}.{kind}"
            path.write_text(text, encoding="utf-8")
        if case.work:
            (pages / "works.toml").write_text(case.work, encoding="utf-8")
    return folder


def build(project: Path, builder: str) -> Path:
    """Build every page, with warnings as errors."""
    out = project.with_name(f"{project.name}-{builder}")
    if not out.exists():
        command = (sys.executable, "-m", "sphinx", "-W", "-q", "-b", builder)
        done = subprocess.run(
            (*command, "-d", project / "doctrees", project, out),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
    return out


def page(project: Path, case: Case, kind: str) -> str:
    """The page of a case that Sphinx has made."""
    folder = build(project, "html") / (f"case{case.number}" if case.work else "")
    return (folder / f"{kind}-{case.number}.html").read_text("utf-8")


def in_markdown(project: Path, case: Case) -> str:
    """The page of a case that markdown-it has made."""
    md = MarkdownIt("js-default", {"typographer": True, "linkify": True})
    md.use(front_matter_plugin).use(
        handle_plugin, sources=project / f"case{case.number}"
    )
    return str(md.render(case.in_markdown()))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.about)
def test_three_front_ends_show_the_same(project: Path, case: Case) -> None:
    """Elements, classes, texts, links and their titles are the same from each."""
    from_rst = block_of(page(project, case, "rst"))
    from_myst = block_of(page(project, case, "md"))
    from_markdown = block_of(in_markdown(project, case))

    assert from_rst[0] == 'section.hdl-cite role="group" aria-label="Cite this version"'
    assert from_rst == from_markdown
    assert from_myst == from_markdown


def test_cases_show_all_there_is(project: Path) -> None:
    """Between them the cases have every element of a block."""
    shown = {
        line.split()[0]
        for case in CASES
        for line in block_of(page(project, case, "rst"))
        if not line.startswith(" ") and not line.startswith("'")
    }

    assert shown >= {
        "p.hdl-cite-old",
        "p.hdl-cite-latest",
        "p.hdl-cite-this",
        "p.hdl-cite-reference",
        "table.hdl-history",
        "caption",
        "tr.hdl-this-version",
        "td.hdl-date",
        "details.hdl-format",
        "code.language-bibtex",
        "code.language-json",
        "code.language-yaml",
        "code.language-text",
        "a.hdl",
        "span.hdl-badge",
    }


@pytest.mark.parametrize(
    ("name", "builder", "file", "start", "end"),
    [
        (
            "sphinx.html",
            "html",
            "rst-1.html",
            '<section class="hdl-cite"',
            "</section>",
        ),
        (
            "block.tex",
            "latex",
            "cases.tex",
            "\\phantomsection\\label{\\detokenize{rst-1:cite-",
            "\\renewcommand{\\indexname}",
        ),
        ("block.txt", "text", "rst-1.txt", "Carberry", ""),
        ("block.man", "man", "cases.1", "Carberry", ".SH Author"),
    ],
)
def test_golden_file(
    project: Path, name: str, builder: str, file: str, *, start: str, end: str
) -> None:
    """The block that shows everything is what it was, in each format."""
    writer, version = WRITTEN_BY.get(name, ("sphinx", ""))
    if not importlib.metadata.version(writer).startswith(version):
        pytest.skip(f"{name} is what {writer} {version} writes")
    text = (build(project, builder) / file).read_text("utf-8")
    found = text[text.index(start) :]
    if end and end in found:
        found = found[: found.index(end)]

    assert_golden(name, f"{found.rstrip()}\n")


def test_golden_file_of_the_plugin(project: Path) -> None:
    """The same for the HTML of the Markdown plugin."""
    html = in_markdown(project, EVERYTHING)

    assert_golden("markdown.html", html[html.index("<section") :])


def assert_golden(name: str, text: str) -> None:
    """Compare with a kept file, or write that anew."""
    path = GOLDEN / name
    if os.environ.get("HANDLE_WRITE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


class _Reader(HTMLParser):
    """The elements of a block, one a line, with what is common to the front ends."""

    #: Attributes that say something to a reader.
    SPOKEN = ("role", "aria-label", "aria-current", "scope", "href", "title")

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._depth = 0
        self._in_cell = False
        self._passed_over = 0
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        classes = values.get("class", "").split()
        if tag == "section" and "hdl-cite" in classes:
            self._depth = 1
        if not self._depth:
            return
        self._end_text()
        if self._passed_over or "hdl-download" in classes:
            # Sphinx writes files beside its pages, and links to them.
            self._passed_over += 1
            return
        ours = sorted(
            each
            for each in classes
            if each in {"hdl", "doi"} or each.startswith(("hdl-", "language-"))
        )
        spoken = [f'{name}="{values[name]}"' for name in self.SPOKEN if name in values]
        bare = not ours and not spoken
        if (bare and tag == "span") or (bare and tag == "p" and self._in_cell):
            return
        self._in_cell = tag in {"td", "th"} or (self._in_cell and tag != "tr")
        self.lines.append(" ".join([".".join([tag, *ours]), *spoken]))

    def handle_endtag(self, tag: str) -> None:
        if not self._depth:
            return
        self._end_text()
        if self._passed_over:
            self._passed_over -= 1
        elif tag in {"td", "th"}:
            self._in_cell = False
        elif tag == "section":
            self._depth = 0

    def handle_data(self, data: str) -> None:
        if self._depth and not self._passed_over:
            self._text += data

    def _end_text(self) -> None:
        if self._text.strip():
            self.lines.append(repr(self._text))
        self._text = ""


def block_of(html: str) -> list[str]:
    """What is common to the front ends in the first block of a page."""
    reader = _Reader()
    reader.feed(html)
    return reader.lines
