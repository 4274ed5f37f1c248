"""Run tests with each set of versions that the manual names, and write its table.

    python -m tests.tools.versions python3.11 python3.13

makes a new environment for each set in `CELLS` whose Python is among the interpreters
named, runs `TESTS` in it, and writes what it saw into the manual's table.  Rows of other
Pythons stay as they are, with their dates.

``make versions INTERPRETERS="python3.11 python3.13"`` does the same.  It needs the
network only to reach a package index, and takes about two minutes a set.
"""

import argparse
import csv
import datetime as dt
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "example_docs" / "versions.csv"

#: What every front end says of the same documents, and what Sphinx makes of them: links,
#: roles, cards, files of each builder, and a release with default settings.
TESTS = (
    "tests/test_parity",
    "tests/test_sphinx/test_builders.py",
    "tests/test_sphinx/test_cite.py",
    "tests/test_sphinx/test_documents.py",
    "tests/test_sphinx/test_measured_faults.py",
    "tests/test_sphinx/test_release.py",
    "tests/test_sphinx/test_roles.py",
)

# In seconds; many times the duration of a step on a slow machine with two processors.
_LONGEST_INSTALL = 600
_LONGEST_TESTS = 1200

_SHOWN = {
    "Sphinx": "sphinx",
    "docutils": "docutils",
    "MyST-Parser": "myst-parser",
}
COLUMNS = ("Python", *_SHOWN, "Passed", "Failed", "Skipped", "Date")

# Printed by the interpreter of an environment.
_VERSIONS = """
import platform
from importlib.metadata import version
print(platform.python_version(), *map(version, {names!r}))
"""


@dataclass(frozen=True)
class Cell:
    """A set of versions, each the first two numbers of a release."""

    python: str
    sphinx: str
    docutils: str

    @classmethod
    def of_row(cls, row: Mapping[str, str]) -> "Cell":
        """The set whose run a row of the table shows."""
        return cls(
            _first_two(row["Python"]),
            _first_two(row["Sphinx"]),
            _first_two(row["docutils"]),
        )


#: Each Python, the oldest and the newest Sphinx and docutils, and some between them, in
#: sets that pip installs together with the packages of the tests.
CELLS = (
    Cell("3.11", "7.4", "0.20"),
    Cell("3.12", "9.1", "0.22"),
    Cell("3.13", "7.4", "0.21"),
    Cell("3.13", "8.2", "0.20"),
    Cell("3.13", "9.2", "0.23"),
    Cell("3.14", "9.2", "0.23"),
)


def main() -> None:
    """Run the cells of each interpreter, and write their rows as they come."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("interpreter", nargs="+", help="the command of a Python")
    failed = False
    for interpreter in arguments.parse_args().interpreter:
        python = _first_two(_output(interpreter, "-c", _VERSIONS.format(names=())))
        for cell in CELLS:
            if cell.python == python:
                row = run(cell, interpreter)
                print(", ".join(f"{column} {row[column]}" for column in COLUMNS))
                write_row(row)
                failed = failed or row["Failed"] != "0"
    if failed:
        sys.exit("Some tests failed.")


def run(cell: Cell, interpreter: str) -> dict[str, str]:
    """The row of a cell: what is installed, and how its tests ended."""
    with TemporaryDirectory(prefix="versions-") as name:
        folder = Path(name)
        python = environment(folder / "environment", interpreter, cell)
        names = tuple(_SHOWN.values())
        versions = _output(python, "-c", _VERSIONS.format(names=names)).split()
        report = folder / "report.xml"
        command = (
            *(python, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-n", "2", "--dist", "loadfile", f"--junitxml={report}", *TESTS),
        )
        environ = {**os.environ, "HYPOTHESIS_PROFILE": "ci"}
        # Tests that fail are counted from the report.
        subprocess.run(
            command, cwd=ROOT, env=environ, check=False, timeout=_LONGEST_TESTS
        )
        counts = read_report(report)
    today = dt.datetime.now(dt.UTC).date().isoformat()
    return dict(zip(COLUMNS, (*versions, *counts, today), strict=True))


def environment(folder: Path, interpreter: str, cell: Cell) -> str:
    """A new environment with the versions of a cell; return the path of its Python.

    Raises:
        subprocess.CalledProcessError: If pip finds no set of packages with them.
    """
    _run(interpreter, "-m", "venv", str(folder))
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = (str(python), "-m", "pip", "install", "--quiet")
    # `--group` needs pip 25.1; the pip that venv brings may be older.
    _run(*pip, "--upgrade", "pip>=25.1")
    _run(
        *(*pip, "--editable", ".[sphinx,markdown,cli,editor,python-markdown]"),
        *(
            "--group",
            "test",
            f"sphinx=={cell.sphinx}.*",
            f"docutils=={cell.docutils}.*",
        ),
    )
    _run(str(python), "-m", "pip", "--quiet", "check")
    return str(python)


def read_report(report: Path) -> tuple[str, str, str]:
    """How many tests passed, failed and were skipped, by a report of pytest."""
    suites = ET.parse(report).getroot().iter("testsuite")  # noqa: S314 — our own file
    tests = failed = skipped = 0
    for suite in suites:
        tests += int(suite.attrib["tests"])
        failed += int(suite.attrib["failures"]) + int(suite.attrib["errors"])
        skipped += int(suite.attrib["skipped"])
    return str(tests - failed - skipped), str(failed), str(skipped)


def read_rows() -> list[dict[str, str]]:
    """The rows of the manual's table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_row(row: Mapping[str, str]) -> None:
    """Put a row in the place of the one of the same cell; drop cells that have gone."""
    rows = (
        {Cell.of_row(other): other for other in read_rows()} if TABLE.exists() else {}
    )
    rows[Cell.of_row(row)] = dict(row)
    write_rows(rows[cell] for cell in CELLS if cell in rows)


def write_rows(rows: Iterable[Mapping[str, str]]) -> None:
    """Write the whole table."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _first_two(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _output(*command: str) -> str:
    return subprocess.run(
        command, check=True, capture_output=True, encoding="utf-8"
    ).stdout


def _run(*command: str) -> None:
    sys.stdout.flush()
    subprocess.run(
        command,
        cwd=ROOT,
        check=True,
        timeout=_LONGEST_INSTALL,
        # No user is there to answer a question.
        stdin=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    try:
        main()
    except subprocess.SubprocessError as error:
        sys.exit(f"A set of versions could not be tried: {error}")
