"""No report holds an absolute path, however the command line names the files."""

import json
from pathlib import Path

import pytest

from handle_cli.check_reports import REPORTS
from handle_cli.command import hdl
from tests.command_line import runner

WORKS = [
    {
        "id": "doi:10.1007/s00799-005-0128-x",
        "title": "A framework for distributed digital object services",
        "author": [{"family": "Kahn"}, {"family": "Wilensky"}],
        "issued": {"date-parts": [[2006]]},
        "custom": {
            "agency": "Crossref",
            "asked": "2020-01-01",
            "updates": [
                {"state": "retracted", "by": "10.1000/n", "date": "2021-01-01"}
            ],
        },
    },
    {"id": "nothing"},
]
#: What the check says, so that no path is left out by mistake.
CODES = {
    *("syntax", "retracted", "other-work", "not-registered"),
    *("skipped", "references", "references-age"),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "docs").mkdir(parents=True)
    monkeypatch.chdir(folder)
    (folder / "docs" / "a.md").write_text(
        "{doi}`x` [Taylor (1999)](doi:10.1007/s00799-005-0128-x)\n"
    )
    (folder / "docs" / "b.md").write_bytes(b"\0")
    (folder / "docs" / "references.json").write_text(json.dumps(WORKS))
    (folder / "records.json").write_text("{}")
    (folder / "README.md").write_text("See doi:10.1000/182.\n")
    return folder


@pytest.mark.parametrize("format_name", REPORTS)
def test_a_report_holds_no_absolute_path(project: Path, format_name: str) -> None:
    """Also commands to paste, which repeat what was typed."""
    paths = [project / "docs", project / "README.md", project / "docs" / "b.md"]
    options = [
        *("--verify", "--resolver", project / "records.json"),
        *("--cache", project / "cache.sqlite"),
        *("--references", project / "docs" / "references.json"),
    ]
    arguments = map(str, [*options, "--format", format_name, *paths])
    done = runner().invoke(hdl, ["check", *arguments], catch_exceptions=False)

    assert "docs/a.md" in done.stdout
    assert str(project.parent) not in done.stdout
    if format_name == "json":
        findings = json.loads(done.stdout)
        assert {finding["code"] for finding in findings} == CODES
