"""A finding about a reference is the same in every front end.

Each case stands in reStructuredText and in Markdown, on the same line.  Its code, severity,
message and suggestion are compared.
"""

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from markdown_it import MarkdownIt

from handle_cli.command import hdl
from handle_pipelines.mystmd.tree import correct_targets, link_references, role
from handle_system import DEFAULT_PROXIES
from mdit_handle import handle_plugin
from mdit_handle.record import HANDLES
from tests.command_line import runner
from tests.test_sphinx.project import Project


class Case(NamedTuple):
    """A reference in two syntaxes, and what is said about it."""

    rst: str
    markdown: str
    code: str
    level: str
    message: str
    suggestion: str | None = None


def _text(source: str, *said: str | None) -> Case:
    return Case(f"See {source} now.", f"See {source} now.", *said)  # type: ignore[arg-type] # three and one


def _role(name: str, content: str, *said: str | None) -> Case:
    return Case(f":{name}:`{content}`", f"{{{name}}}`{content}`", *said)  # type: ignore[arg-type] # as above


def _link(target: str, *said: str | None) -> Case:
    return Case(f"`see <{target}>`__", f"[see]({target})", *said)  # type: ignore[arg-type] # as above


PLACEHOLDER = '"zenodo.XXXXXXX" is a placeholder'
BROKEN = "the address is broken"
NO_SLASH = 'no "/" between prefix and suffix'
DOI = "doi:10.1000/182"
LETTERS = "letters stand for digits in the prefix"
TWICE = "a scheme is written twice"
SPACE = "white space is not allowed in a prefix"
LIBRARY = "https://doi-org.library.example.edu/10.1000/182"
OF_LIBRARY = "this is the address of a library's proxy, where others meet a login"
BARE = "without a scheme, a link leads to a file of that name"
WIDE = 'U+FF0F only looks like the "/" between prefix and suffix'
NIHON = "hdl:cnri.test/日本"
CASES = [
    _text("doi:10.5281/zenodo.XXXXXXX", "placeholder", "warning", PLACEHOLDER),
    _role("doi", "10.5281/zenodo.XXXXXXX", "placeholder", "warning", PLACEHOLDER),
    _role("hdl", "20.1000", "syntax", "error", NO_SLASH),
    _role(
        "doi", "https:/doi.org/10.1000/182", "broken-address", "warning", BROKEN, DOI
    ),
    _link("hdl:20.1000", "link", "error", NO_SLASH),
    _link("https:/doi.org/10.1000/182", "broken-address", "warning", BROKEN, DOI),
    _text("https:/doi.org/10.1000/182", "broken-address", "note", BROKEN, DOI),
    _text(
        "doi:20.5/3",
        "malformed",
        "note",
        'the prefix of a DOI is "10" or begins with "10."',
        "hdl:20.5/3",
    ),
    _text(
        "https://doi.org/doi:10.1000/182",
        "doubled-scheme",
        "note",
        "a reference is written inside a proxy's URL",
        DOI,
    ),
    _text(
        "hdl:20.1000/a∕b",
        "slash-look-alike",
        "warning",
        'U+2215 DIVISION SLASH looks like "/" and is another character',
        "hdl:20.1000/a/b",
    ),
    _text(
        "hdl:20.1000/a%20b",
        "white-space",
        "note",
        "white space inside a handle is rarely meant",
    ),
    _text(
        "doi:10.1000/182;doi:10.1000/183",
        "glued",
        "warning",
        "a second reference stands inside the suffix",
    ),
    _link(
        "https://doi.org/10.1000/182.",
        "trailing-punctuation",
        "warning",
        "'.' at the end is probably not meant",
        DOI,
    ),
    _role("doi", "10.1O00/182", "broken-address", "warning", LETTERS, DOI),
    _role("hdl", "doi:10.1O00/182", "broken-address", "warning", LETTERS, DOI),
    _link("doi:10.1O00/182", "broken-address", "warning", LETTERS, DOI),
    _role("doi", "doi:doi:10.1000/182", "doubled-scheme", "warning", TWICE, DOI),
    _link("doi:doi:10.1000/182", "doubled-scheme", "warning", TWICE, DOI),
    _role("doi", "10.1000%2F182", "syntax", "error", NO_SLASH, "10.1000/182"),
    _role("hdl", "20.1000%2F182", "syntax", "error", NO_SLASH, "20.1000/182"),
    _role("doi", "DOI 10.1000/182", "syntax", "error", SPACE, "10.1000/182"),
    _text(LIBRARY, "broken-address", "note", OF_LIBRARY, DOI),
    _link(LIBRARY, "broken-address", "warning", OF_LIBRARY, DOI),
    _role("doi", LIBRARY, "broken-address", "warning", OF_LIBRARY, DOI),
    _link("10.1000/182", "broken-address", "warning", BARE, DOI),
    _text(
        "doi:10.1000/", "malformed", "note", 'the suffix is missing: nothing after "/"'
    ),
    _text(
        "hdl:cnri.test/%E1",
        "malformed",
        "note",
        "the octets %E1 are not UTF-8, and no charset is given for them",
    ),
    _text(
        "hdl:latin@cnri.test/a",
        "malformed",
        "note",
        '"latin" before "@" is not the name of a known charset',
    ),
    _text("hdl:cnri.test／日本", "malformed", "note", WIDE, NIHON),
    _text("doi：10.1000／182", "malformed", "note", WIDE, DOI),
    _role("hdl", "hdl:cnri.test／日本", "syntax", "error", WIDE, NIHON),
    _role(
        "hdl",
        "gb2312@cnri.test/%C8%D5%B1%BE",
        "looks-encoded",
        "warning",
        "a bare handle is not percent-decoded, and this one holds escapes",
        "hdl:gb2312@cnri.test/%C8%D5%B1%BE",
    ),
    Case(
        "doi:10.1000/a&lt;b",
        r"doi:10.1000/a\&lt;b",
        "entity",
        "warning",
        '"&lt;" is an entity of HTML, which stands for another character',
        "doi:10.1000/a%3Cb",
    ),
    _role(
        "doi",
        "10.5281/zenodo.TODO",
        "placeholder",
        "warning",
        '"zenodo.TODO" is a placeholder',
    ),
    _role("doi", "10.1002/x(1", "cut-off", "warning", 'nothing closes the "(" in it'),
    Case(
        "`10.1000/1 <https://doi.org/10.1000/182>`__",
        "[10.1000/1](https://doi.org/10.1000/182)",
        "other-target",
        "warning",
        "the text shows doi:10.1000/1, and the link leads to doi:10.1000/182",
    ),
]
RST = "\n\n".join(case.rst for case in CASES) + "\n"
MARKDOWN = "\n\n".join(case.markdown for case in CASES) + "\n"
EXPECTED = [
    (2 * number + 1, case.code, case.level, case.message, case.suggestion)
    for number, case in enumerate(CASES)
]
_LEVELS = {"ERROR": "error", "WARNING": "warning"}


@pytest.mark.parametrize(
    ("name", "source"), [("a.rst", RST), ("a.md", MARKDOWN)], ids=["rst", "markdown"]
)
def test_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, source: str
) -> None:
    """``hdl check``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(source, "utf-8")
    done = runner().invoke(
        hdl, ("check", "--format", "json", name), catch_exceptions=False
    )
    keys = ("line", "code", "level", "message", "suggestion")

    assert [tuple(map(each.get, keys)) for each in json.loads(done.stdout)] == EXPECTED


def test_plugin() -> None:
    """The Markdown plugin."""
    env: dict[str, list[dict[str, object]]] = {}
    MarkdownIt("commonmark").use(handle_plugin).render(MARKDOWN, env)
    keys = ("code", "level", "message", "suggestion")
    said = [
        (record["line"], *map(each.get, keys))
        for record in env[HANDLES]
        for each in record["diagnostics"]  # type: ignore[attr-defined] # plain data
    ]

    assert said == EXPECTED


def test_mystmd() -> None:
    """The plugin for mystmd."""
    said: list[str] = []
    for case in CASES:
        if match := re.fullmatch(r"\{(\w+)\}`(.*)`", case.markdown):
            role(match[1], match[2], DEFAULT_PROXIES, said.append)
            continue
        # mystmd decodes escapes.
        value = case.markdown.replace("\\", "")
        node: dict[str, object] = {"type": "text", "value": value}
        if match := re.fullmatch(r"\[([^]]+)\]\((.*)\)", case.markdown):
            text = {"type": "text", "value": match[1]}
            node = {"type": "link", "url": match[2], "children": [text]}
        tree = {
            "type": "root",
            "children": [{"type": "paragraph", "children": [node]}],
        }
        link_references(tree, DEFAULT_PROXIES, said.append)
        correct_targets(tree, DEFAULT_PROXIES, said.append)

    # A level, the reference, and what is said about it.
    levels = [line.partition(": ")[0] for line in said]
    texts = [line.split(": ", maxsplit=2)[2] for line in said]
    assert levels == [case.level for case in CASES]
    assert texts == [_logged(case) for case in CASES]


def _logged(case: Case) -> str:
    help_text = f"; write {case.suggestion}" if case.suggestion else ""
    return f"{case.message}{help_text} [handle.{case.code}]"


@pytest.mark.parametrize("name", ["index.rst", "index.md"])
def test_sphinx(tmp_path: Path, name: str) -> None:
    """The log of a build; what is information there is no warning."""
    source = RST if name.endswith("rst") else MARKDOWN
    built = Project(
        tmp_path,
        {name: source},
        extensions=("myst_parser",),
        suppress_warnings=["toc.not_included"],
    ).build()
    said = re.findall(
        rf"^{name}:(\d+): (\w+): .*?: (.*)$", built.warnings, re.MULTILINE
    )

    assert [(int(line), _LEVELS[level], rest) for line, level, rest in said] == [
        (2 * number + 1, case.level, _logged(case))
        for number, case in enumerate(CASES)
        if case.level != "note"
    ]
