"""`hdl list` on a terminal: by file, each identifier whole, and what is known of it."""

import json
from pathlib import Path

import pytest

from handle_cli.command import hdl
from tests.command_line import runner
from tests.terminal import in_terminal

CITED = "10.1016/s0140-6736(97)11096-0"
SICI = "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V"
NOTICE = {
    "state": "retracted",
    "by": "10.1016/s0140-6736(10)60175-4",
    "date": "2010-02-06",
}
WORKS = [
    {
        "id": f"doi:{CITED}",
        "title": "A bad thing",
        "author": [{"family": "Wakefield"}, {"family": "Murch"}],
        "issued": {"date-parts": [[1998]]},
        "custom": {"updates": [NOTICE]},
    },
    {"id": "hdl:20.1000/100", "title": "The specification"},
]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.setenv("TERM", "xterm")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "history.md").write_text(
        f"In 1998 it was claimed (doi:{CITED});\n\nsee hdl:20.1000/100, "
        f"<doi:{SICI}>.\n\n<!-- hdl: ignore -->\ndoi:10.1000/182.\n"
    )
    (docs / "index.rst").write_text(f"See doi:10.5072/x and :doi:`{CITED}`.\n")
    return tmp_path


LISTED = """\
docs/history.md
  1:25  10.1016/s0140-6736(97)11096-0     Wakefield and Murch (1998)  [retracted]
  3:5   20.1000/100                       The specification
  3:23  10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V  no metadata yet
  6:1   10.1000/182                       no metadata yet

docs/index.rst
  1:5   10.5072/x                      no metadata yet  [placeholder]
  1:29  10.1016/s0140-6736(97)11096-0  Wakefield and Murch (1998)  [retracted]
"""


def test_identifiers_are_whole_at_eighty_columns(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long one pushes what stands behind it to the right, at any width."""
    (project / "docs" / "references.json").write_text(json.dumps(WORKS))
    monkeypatch.setenv("NO_COLOR", "1")
    summary = "\n6 references, 5 identifiers in 2 files, 2 described in docs/references.json.\n"

    for columns in (40, 80, 200):
        assert in_terminal(["list", "docs"], columns=columns) == LISTED + summary


def test_without_a_file_of_references(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is said of works that no file describes."""
    monkeypatch.setenv("NO_COLOR", "1")

    assert in_terminal(["list", "docs/index.rst"]) == (
        f"docs/index.rst\n  1:5   {'10.5072/x':<{len(CITED)}}    [placeholder]\n"
        f"  1:29  {CITED}\n\n2 references, 2 identifiers in 1 file.\n"
    )
    assert in_terminal(["list", "docs/nothing.md"], b"").endswith("does not exist.\n")


def test_colours_say_nothing_alone() -> None:
    """Without their escapes the lines are the same."""
    seen = in_terminal(["list", "docs/index.rst"])

    assert "\x1b[1m\x1b[4mdocs/index.rst\x1b[0m\n" in seen
    assert "  \x1b[36m1:5 \x1b[0m  10.5072/x " in seen
    assert "\x1b[2m[placeholder]\x1b[0m\n" in seen


def test_the_file_of_references_can_be_named(project: Path) -> None:
    """As for the other commands, also outside of the project."""
    outside = project.parent / "works.json"
    outside.write_text(json.dumps(WORKS))
    done = runner().invoke(
        hdl,
        ["list", "--format", "grouped", "--references", str(outside), "docs"],
        catch_exceptions=False,
    )

    assert done.stdout == LISTED
    assert done.stderr.endswith(", 2 described in ../works.json.\n")


def test_a_pattern_of_a_stranger_is_not_used(project: Path) -> None:
    """A list needs no format of suffixes, and a regular expression may never end."""
    (project / "pyproject.toml").write_text(
        '[tool.handle]\nsuffix_policy = { "20.1000" = "(a+)+b" }\n'
    )
    (project / "a.md").write_text(f"hdl:20.1000/{'a' * 60}c\n")
    done = runner().invoke(hdl, ["list", "--format", "grouped", "a.md"])

    assert done.exit_code == 0
    assert f"  1:1  20.1000/{'a' * 60}c\n" in done.stdout
