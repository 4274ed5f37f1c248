"""The identifiers of a card get the same findings in a build and in the command."""

import json
from pathlib import Path

import markdown
import pytest
from click.testing import CliRunner

from handle_cli.command import hdl
from handle_cli.readers import read_references
from handle_pipelines.python_markdown import HandleExtension
from handle_system.errors import showable
from handle_system.found import Markup
from handle_system.settings import Settings
from handle_system.syntax import Syntax
from sphinxcontrib_handle.domain import handle_domain
from tests.test_sphinx.project import Project

POLICY = {"102.100.272": "pilin"}
SETTINGS = '[tool.handle]\nsuffix_policy = { "102.100.272" = "pilin" }\n'
ROWS = """\
:title: A manual
:work: 102.100.272/Y35XYSOQH
:handle: 20.1000/x.
:version: 2.0

1.0 | 2025-01-01 | 20.1000/ab\u200bcd | First
2.0 | 2026-01-01 | 20.1000/x. | See hdl:20.1000/other.
"""
RST = "T\n=\n\n.. cite-version::\n" + "".join(
    f"   {row}".rstrip() + "\n" for row in ROWS.splitlines()
)
MARKDOWN = f"# T\n\n\n```{{cite-version}}\n{ROWS}```\n"
PAGES = {"index.rst": RST, "index.md": MARKDOWN}
SAID = {
    (
        "102.100.272/Y35XYSOQH",
        'the alphabet of PILIN suffixes skips the letter "O"',
        "102.100.272/Y35XYS0QH",
    ),
    ("20.1000/x.", "'.' at the end is probably not meant", "20.1000/x"),
    (
        "20.1000/ab\u200bcd",
        "U+200B ZERO WIDTH SPACE is invisible",
        "20.1000/abcd",
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_build_and_the_command_say_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The options and the rows of the history; a row has its own line."""
    project = Project(
        tmp_path,
        {name: PAGES[name]},
        extensions=("myst_parser",),
        handle_suffix_policy=POLICY,
    )
    built = project.build("dummy")
    (tmp_path / "pyproject.toml").write_text(SETTINGS)
    (tmp_path / name).write_text(PAGES[name])
    monkeypatch.chdir(tmp_path)

    done = CliRunner().invoke(hdl, ["check", "--format", "json", name])

    of_build = {
        (finding.subject, finding.message, finding.suggestion)
        for finding in handle_domain(built.app.env).findings()
    }
    assert of_build == SAID
    for subject, message, _ in SAID:
        assert f"WARNING: {showable(subject)}: {message}" in built.warnings
    findings = json.loads(done.stdout)
    assert {
        (finding["subject"], finding["message"], finding["suggestion"])
        for finding in findings
    } == SAID
    assert [finding["line"] for finding in findings] == [6, 7, 10, 11]
    assert done.exit_code == 1


@pytest.mark.parametrize(
    ("syntax", "text"), [(Syntax.RST, RST), (Syntax.MARKDOWN, MARKDOWN)]
)
def test_places(syntax: Syntax, text: str) -> None:
    """A field is read once, and the text beside it as before."""
    lines = text.splitlines()

    references = read_references(syntax, text, Settings())

    at_places = [
        lines[found.place.line - 1][found.place.column - 1 :][: len(found.written)]
        for found in references
    ]
    assert at_places == [found.written for found in references]
    assert [(found.written, found.markup is Markup.CARD) for found in references] == [
        ("102.100.272/Y35XYSOQH", True),
        ("20.1000/x.", True),
        ("20.1000/ab\u200bcd", True),
        ("20.1000/x.", True),
        ("hdl:20.1000/other", False),
    ]


def test_two_identifiers_in_a_cell_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each version has its own; an example, and a variable, are nobody's identifier."""
    (tmp_path / "a.rst").write_text(
        ".. cite-version::\n   :work: hdl:20.1000/a\n   :handle: env:HANDLE\n\n"
        "   1.0 | - | 20.1000/b, 20.1000/c\n   2.0 | - | not yet assigned\n\n"
        ".. cite-version::\n   :example:\n   :work: 20.1000/d.\n"
    )
    monkeypatch.chdir(tmp_path)

    done = CliRunner().invoke(hdl, ["check", "a.rst"])

    assert done.stdout == (
        "a.rst:5:14: error: 20.1000/b, 20.1000/c: 20.1000/b, 20.1000/c are 2 "
        "identifiers, and one stands here: give each version its own [link]\n"
        "    20.1000/b, 20.1000/c\n"
        "    ~~~~~~~~~~~~~~~~~~~^\n"
    )
    assert done.stderr == "2 references, 1 error, 0 warnings, 0 notes\n"


def test_fix_corrects_a_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only with `--unsafe`, since another identifier stands there afterwards."""
    page = tmp_path / "index.md"
    page.write_text(MARKDOWN)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(SETTINGS)

    CliRunner().invoke(hdl, ["fix", "--yes", "index.md"])
    safe = page.read_text().splitlines()
    CliRunner().invoke(hdl, ["fix", "--yes", "--unsafe", "index.md"])
    fixed = page.read_text().splitlines()

    assert safe[:-2] == MARKDOWN.splitlines()[:-2]
    assert safe[-2].endswith("20.1000/x. | See https://hdl.handle.net/20.1000/other.")
    assert fixed[5:11] == [
        ":work: 102.100.272/Y35XYS0QH",
        ":handle: 20.1000/x",
        ":version: 2.0",
        "",
        "1.0 | 2025-01-01 | 20.1000/abcd | First",
        "2.0 | 2026-01-01 | 20.1000/x | See https://hdl.handle.net/20.1000/other.",
    ]


def test_python_markdown_names_the_identifier(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A card has several, and the message names the one that is meant."""
    markdown.markdown(
        MARKDOWN,
        extensions=[HandleExtension(suffix_policy=POLICY)],
        output_format="html",
    )

    for subject, message, _ in SAID:
        assert f"{showable(subject)}: {message}" in caplog.text
