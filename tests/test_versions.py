"""The table of versions that the manual says were tried."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.tools import versions
from tests.tools.versions import CELLS, COLUMNS, Cell, read_report, read_rows, write_row

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


class TestTable:
    """The table of the manual."""

    def test_each_set_of_versions_passed(self) -> None:
        """Each set of the tool has its row, with tests that passed and none that failed."""
        rows = read_rows()

        assert [Cell.of_row(row) for row in rows] == list(CELLS)
        assert [row for row in rows if row["Failed"] != "0"] == []
        assert [row for row in rows if int(row["Passed"]) < 1000] == []

    def test_it_has_what_the_project_promises(self) -> None:
        """Each Python of the classifiers, the oldest Sphinx, and the oldest docutils."""
        declared = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
        extras = PROJECT["optional-dependencies"]

        assert sorted({cell.python for cell in CELLS}) == declared
        assert extras["sphinx"] == ["sphinx>=7.4"]
        assert "docutils>=0.20" in extras["cli"]
        assert Cell("3.11", "7.4", "0.20") in CELLS


def _row(python: str, passed: str) -> dict[str, str]:
    values = (python, "9.0.4", "0.22.4", "5.1.0", passed, "0", "1", "2026-01-02")
    return dict(zip(COLUMNS, values, strict=True))


def test_a_row_replaces_that_of_the_same_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Other rows stay, in the order of the sets; a set that has gone is dropped."""
    monkeypatch.setattr(versions, "TABLE", tmp_path / "versions.csv")
    monkeypatch.setattr(
        versions, "CELLS", (Cell("3.11", "9.0", "0.22"), Cell("3.12", "9.0", "0.22"))
    )
    for row in (_row("3.12.1", "1"), _row("3.11.7", "2"), _row("3.10.9", "3")):
        write_row(row)

    write_row(_row("3.12.8", "4"))

    assert read_rows() == [_row("3.11.7", "2"), _row("3.12.8", "4")]


def test_counts_come_from_the_report_of_the_run(tmp_path: Path) -> None:
    """A test that fails, one with an error and one that is skipped did not pass."""
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "def test_passes(): pass\n"
        "def test_passes_too(): pass\n"
        "def test_fails(): assert False\n"
        "@pytest.fixture\n"
        "def broken(): raise ValueError\n"
        "def test_has_an_error(broken): pass\n"
        "def test_is_skipped(): pytest.skip()\n"
    )
    report = tmp_path / "report.xml"
    subprocess.run(
        (
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *(f"--rootdir={tmp_path}", f"--junitxml={report}", "test_it.py"),
        ),
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert read_report(report) == ("2", "2", "1")
