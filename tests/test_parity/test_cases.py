"""The cases of `cases.toml` give the same links in three syntaxes.

All cases make one page in reStructuredText, and one in Markdown for MyST and
markdown-it-py; a paragraph before each case names it.  The pages are rendered twice: with
the fewest options, and with all typography and linking enabled.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest
from markdown_it import MarkdownIt

from handle_cli.readers import read_references
from handle_system import DEFAULT_PROXIES, HandleReference
from handle_system.settings import Settings
from handle_system.syntax import Syntax
from mdit_handle import handle_plugin
from tests.reading_list import Link, title_of, web_links
from tests.reference_codes import REFERENCE_CODES
from tests.test_sphinx.project import Project

CASES = Path(__file__).parent / "cases.toml"

SUBJECTS = (
    *("bare", "value", "hdl", "server", "1995", "info", "urn", "doi", "proxy"),
    *("emphasis", "table", "link-text", "escape", "entity", "SICI", "CJK"),
    *("typography", "autolink"),
)


class Case(NamedTuple):
    """One case of the file.

    Attributes:
        number: Its position in the file, from 1.
        about: Its subject.
        rst: Its source in reStructuredText.
        markdown: Its source in Markdown.
        links: Its expected links.
    """

    number: int
    about: tuple[str, ...]
    rst: str
    markdown: str
    links: list[Link]

    @property
    def name(self) -> str:
        return f"case-{self.number:03}"


def _read_cases() -> list[Case]:
    tables = tomllib.loads(CASES.read_text(encoding="utf-8"))["case"]
    return [
        Case(
            number,
            tuple(table["about"]),
            table.get("rst", table.get("source")),
            table.get("markdown", table.get("source")),
            [_link(*parts) for parts in table["links"]],
        )
        for number, table in enumerate(tables, start=1)
    ]


def _link(address: str, text: str, title: str | None = None) -> Link:
    if title is None:
        reference = HandleReference.from_link(address)
        assert reference is not None
        title = title_of(text, reference)
    return Link(address, text, title)


ALL = _read_cases()

_NAMED = re.compile("§(case-[0-9]+)§")

#: All of MyST's options for typography and linking.
_TYPOGRAPHY = [
    *("attrs_inline", "colon_fence", "deflist", "dollarmath", "linkify"),
    *("replacements", "smartquotes", "strikethrough", "substitution", "tasklist"),
]


def _page(sources: Iterable[tuple[str, str]]) -> str:
    """All cases of one syntax, each after a paragraph that names it."""
    return "\n\n".join(f"§{name}§\n\n{source}" for name, source in sources) + "\n"


def _links(html: str) -> dict[str, list[Link]]:
    """The links by case: those to handles, and those to addresses of the case."""
    parts = _NAMED.split(html)
    pages = dict(zip(parts[1::2], parts[2::2], strict=True))
    return {case.name: _links_of(case, pages[case.name]) for case in ALL}


def _links_of(case: Case, page: str) -> list[Link]:
    named = {link.address for link in case.links}
    return [
        link
        for link in web_links(page)
        if link.title
        or link.address in named
        or HandleReference.from_link(link.address)
    ]


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "typographic"])
def rendered(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, list[Link]]]:
    """The links of each case, by renderer and case."""
    is_typographic: bool = request.param
    rules = ["table"]
    if is_typographic:
        rules += ["linkify", "replacements", "smartquotes", "strikethrough"]
    options = {"linkify": is_typographic, "typographer": is_typographic}
    md = MarkdownIt("commonmark", options).enable(rules).use(handle_plugin)
    rst = _page((case.name, case.rst) for case in ALL)
    markdown = _page((case.name, case.markdown) for case in ALL)
    built = Project(
        tmp_path_factory.mktemp("parity"),
        {"index.rst": rst, "markdown.md": f"---\norphan:\n---\n\n{markdown}"},
        extensions=("myst_parser",),
        smartquotes=is_typographic,
        myst_enable_extensions=_TYPOGRAPHY if is_typographic else [],
        # Cases are about links; many are suspicious.
        suppress_warnings=[f"handle.{code}" for code in sorted(REFERENCE_CODES)],
    ).build()
    assert built.warnings == ""
    return {
        "reStructuredText": _links(built.page()),
        "MyST": _links(built.page("markdown.html")),
        "markdown-it": _links(md.render(markdown)),
    }


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.name} {case.about}")
def test_case(rendered: dict[str, dict[str, list[Link]]], case: Case) -> None:
    """Each renderer makes the links that the case states, and no others."""
    assert {how: links[case.name] for how, links in rendered.items()} == {
        "reStructuredText": case.links,
        "MyST": case.links,
        "markdown-it": case.links,
    }


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.name} {case.about}")
def test_the_command_reads_the_same_references(case: Case) -> None:
    """The command's readers find the same references."""
    addresses = sorted(
        link.address
        for link in case.links
        if HandleReference.from_link(link.address) is not None
    )
    sources = {Syntax.RST: case.rst, Syntax.MARKDOWN: case.markdown}

    for syntax, source in sources.items():
        references = read_references(syntax, source, Settings())
        assert addresses == sorted(
            DEFAULT_PROXIES.link(each.reference)
            for each in references
            if isinstance(each.reference, HandleReference)
        )


def test_there_are_cases_of_everything() -> None:
    """There are at least ten cases of each subject, and 150 in all."""
    count = Counter(subject for case in ALL for subject in case.about)

    assert len(ALL) >= 150
    assert {
        subject: count[subject] for subject in SUBJECTS if count[subject] < 10
    } == {}
    assert set(count) <= set(SUBJECTS)
