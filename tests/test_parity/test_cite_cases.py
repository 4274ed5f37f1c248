"""The citations of `cite_cases.toml` give the same card in three syntaxes.

One card shows every part; `golden` holds its HTML, LaTeX, plain text and manual page, and
the HTML and plain text of one with an article.  To rewrite those files, run
`HANDLE_WRITE_GOLDEN=1 pytest tests/test_parity/test_cite_cases.py`, and review the
changes.
"""

import importlib.metadata
import os
import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

from mdit_handle import handle_plugin
from tests.policy_sources import CFF, OPTIONS, TOML
from tests.test_sphinx.project import Project

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"

CONF: dict[str, Any] = {
    "project": "Cases",
    "author": "",
    "version": "",
    "release": "",
    "extensions": ("myst_parser",),
    "html_show_sphinx": False,
    "root_doc": "rst-1",
    "latex_documents": [("rst-1", "cases.tex", "Cases", "Nobody", "howto")],
    "man_pages": [("rst-1", "cases", "Cases", [], 1)],
    "smartquotes": True,
    "myst_enable_extensions": ["smartquotes", "replacements"],
}


class Case(NamedTuple):
    """One citation.

    Attributes:
        number: Its position in the file, from 0.
        about: Its subject.
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

    @property
    def folder(self) -> str:
        """The folder of the pages, with a slash; empty without a file beside them."""
        return f"case{self.number}/" if self.work else ""

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
WITH_ARTICLE = CASES[-1]

#: The programs whose output differs between versions, with the version of the golden
#: file.
WRITTEN_BY = {"block.tex": ("sphinx", "9.0"), "block.man": ("docutils", "0.22")}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with every case as a page of each syntax."""
    files = {}
    for case in CASES:
        files[f"case{case.number}/works.toml"] = case.work
        files[f"{case.folder}rst-{case.number}.rst"] = case.in_rst()
        files[f"{case.folder}md-{case.number}.md"] = case.in_markdown()
    return Project(tmp_path_factory.mktemp("cite_cases"), files, **CONF)


def build(project: Project, builder: str) -> Path:
    """Build every page without a warning, once."""
    out = project.folder / f"out-{builder}"
    if not out.exists():
        assert project.build(builder).warnings == ""
    return out


def page(project: Project, case: Case, kind: str) -> str:
    """The page of a case, built by Sphinx."""
    name = f"{case.folder}{kind}-{case.number}.html"
    return (build(project, "html") / name).read_text("utf-8")


def in_markdown(project: Project, case: Case) -> str:
    """The page of a case, rendered by markdown-it."""
    md = MarkdownIt("js-default", {"typographer": True, "linkify": True})
    md.use(front_matter_plugin).use(
        handle_plugin, sources=project.source / f"case{case.number}"
    )
    return str(md.render(case.in_markdown()))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.about)
def test_three_front_ends_write_the_same_card(project: Project, case: Case) -> None:
    """The HTML is the same, except for links to files, which only Sphinx writes."""
    from_markdown = card_of(in_markdown(project, case))

    assert from_markdown.startswith('<section class="hdl-cite" id="cite-')
    assert card_of(page(project, case, "rst")) == from_markdown
    assert card_of(page(project, case, "md")) == from_markdown


def test_four_sources_give_the_same_card(tmp_path: Path) -> None:
    """Options, page metadata, TOML and CITATION.cff give one card in every syntax."""
    lines = [f":{name}: {value}" for name, value in OPTIONS.items()]
    fields = "".join(f":cite-{name}: {value}\n" for name, value in OPTIONS.items())
    matter = "".join(f"cite-{name}: {value}\n" for name, value in OPTIONS.items())
    table = "".join(f'  {name}: "{value}"\n' for name, value in OPTIONS.items())
    sources = {
        "options": ("", "", lines),
        "fields": (fields, matter, []),
        "table": (fields, f"cite:\n{table}", []),
        "toml": ("", "", [":source: works.toml#policy"]),
        "named": (":cite-source: works.toml\n", "cite-source: works.toml\n", []),
        "cff": ("", "", [":source: CITATION.cff"]),
    }
    works = TOML.replace("env:POLICY_HANDLE", OPTIONS["handle"])
    files = {"works.toml": works, "CITATION.cff": CFF}
    for name, (rst, markdown, options) in sources.items():
        indented = "".join(f"   {line}\n" for line in options)
        files[f"{name}.rst"] = (
            f":orphan:\n{rst}\nTitle\n=====\n\n.. cite-version::\n{indented}"
        )
        fence = "\n".join(["```{cite-version}", *options, "```", ""])
        files[f"{name}-md.md"] = (
            f"---\norphan: true\n{markdown}---\n\n# Title\n\n{fence}"
        )
    show = ["history", "uris", "bibtex", "cff"]
    conf = {**CONF, "root_doc": "options", "handle_cite_show": show}
    project = Project(tmp_path, files, **conf)
    out = build(project, "html")
    md = MarkdownIt().use(front_matter_plugin)
    md.use(handle_plugin, sources=project.source, cite_show=show)

    cards = {}
    for name in sources:
        cards[name, "markdown"] = card_of(md.render(files[f"{name}-md.md"]))
        for page in (name, f"{name}-md"):
            cards[page, "sphinx"] = card_of((out / f"{page}.html").read_text("utf-8"))
    [card] = set(cards.values())
    assert len(cards) == 3 * len(sources)
    assert card.count("<details") == 2


def card_of(html: str) -> str:
    """The first card of a page, without links to files and names of groups."""
    found = re.search('<section class="hdl-cite.*?</section>', html, re.DOTALL)
    assert found
    card = re.sub('(<p class="hdl-actions">).*?</p>', r"\1</p>", found.group())
    card = re.sub('(<details class="hdl-format") name="[^"]*"', r"\1", card)
    return re.sub('(id|aria-labelledby)="[^"]*-heading"', r"\1", card)


@pytest.mark.parametrize(
    ("name", "builder", "file", "start", "end"),
    [
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
    project: Project, name: str, builder: str, file: str, *, start: str, end: str
) -> None:
    """The card with every part stays unchanged in each format."""
    writer, version = WRITTEN_BY.get(name, ("sphinx", ""))
    if not importlib.metadata.version(writer).startswith(version):
        pytest.skip(f"{name} is what {writer} {version} writes")
    text = (build(project, builder) / file).read_text("utf-8")
    found = text[text.index(start) :]
    if end and end in found:
        found = found[: found.index(end)]

    assert_golden(name, f"{found.rstrip()}\n")


@pytest.mark.parametrize(
    ("case", "name"), [(EVERYTHING, "markdown.html"), (WITH_ARTICLE, "article.html")]
)
def test_golden_file_of_the_plugin(project: Project, case: Case, name: str) -> None:
    """The HTML of the Markdown plugin stays unchanged."""
    html = in_markdown(project, case)

    assert_golden(name, html[html.index("<section") :])


def test_golden_file_of_an_article(project: Project) -> None:
    """The plain text of a card with an article stays unchanged."""
    file = f"{WITH_ARTICLE.folder}rst-{WITH_ARTICLE.number}.txt"
    text = (build(project, "text") / file).read_text("utf-8")

    assert_golden("article.txt", text[text.index("*****\n") :].partition("\n\n")[2])


def assert_golden(name: str, text: str) -> None:
    """Compare with a golden file, or rewrite it."""
    path = GOLDEN / name
    if os.environ.get("HANDLE_WRITE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")
