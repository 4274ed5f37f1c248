"""`hdl check --jobs`: several processes, and the output of one."""

import subprocess
import sys
from pathlib import Path

import pytest

from handle_cli.command import hdl
from handle_cli.findings import REPORTS
from tests.command_line import runner

FILES = {
    "a.md": b"See doi:10.1000/1 and [x](doi:10.1O00/182).\n",
    "broken.ipynb": b"{ doi:10.1000/1",
    "c.md": b"\xef\xbb\xbfSee doi:10.5/TBA, hdl:20.1000/1 and doi:10.1000/1.\n",
    "d.rst": b"-*- coding: euc-jp -*-\n\nSee `x <doi:20.5/3>`_.\n",
    "e.bib": b"@misc{x, note = {M\xfcller}, doi = {https://doi.org/10.1000/1}}\n",
    "f.py": b'"""See hdl:20.1000/2: and doi:10.1000/1."""\n',
    "large.txt": b"doi:10.1000/9 " * 1_000,
    "README.md": b"Version 1.0, doi:10.5281/zenodo.1, doi:10.5281/zenodo.1\n",
    "unknown.xyz": b"doi:10.1000/1",
}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with all kinds of trouble, and more files than are read at a time."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    for number in range(60):
        (tmp_path / f"z{number:02}.md").write_text(f"doi:10.1000/{number}?\n")
    return tmp_path


def check(*arguments: str, jobs: int) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, which starts the others."""
    command = [sys.executable, "-m", "handle_cli", "check", "--jobs", str(jobs)]
    return subprocess.run(
        [*command, *arguments],
        input="See doi:10.1000/(a from the standard input.\n",
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", REPORTS)
def test_several_processes_write_what_one_writes(name: str) -> None:
    """Reports, notes, the order of all and the exit status are the same."""
    arguments = ("--format", name, "--max-file-size", "0.01", "broken.ipynb", ".", "-")
    one = check(*arguments, jobs=1)
    several = check(*arguments, jobs=3)

    assert one.returncode == 2
    assert "e.bib: " in one.stderr
    assert "broken.ipynb" in one.stdout
    assert several.stdout == one.stdout
    assert several.stderr == one.stderr
    assert several.returncode == one.returncode


def test_the_number_is_one_that_helps() -> None:
    """No processes, and very many, are refused."""
    done = runner().invoke(hdl, ["check", "--jobs", "0"])

    assert done.exit_code == 2
    assert "0 is not in the range 1<=x<=64" in done.stderr
