"""`hdl` in a repository of somebody else: nothing in it is obeyed."""

import re
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from handle_cli.command import hdl
from tests.command_line import runner
from tests.recipes import read_recipe

# GitHub's runner takes the first form at the start of a line, and the second anywhere.
_COMMANDS = re.compile(r"(?m)^\s*::[A-Za-z]|##[A-Za-z]*\[")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    monkeypatch.chdir(folder)
    return folder


def run(*arguments: str) -> Result:
    return runner().invoke(hdl, arguments, catch_exceptions=False)


class TestCommandsOfBuildServices:
    """A workflow obeys lines of its log, whoever wrote their text."""

    @pytest.fixture(autouse=True)
    def hostile(self, project: Path) -> None:
        text = (
            "::stop-commands::x\n \t::add-mask::y\nhdl:20.1/a##[add-mask]z\n"
            "\n{hdl}`::set-env name=a::b` [x](doi:10.1/##vso[task.setvariable]%zz)\n"
        )
        (project / "::stop-commands::a.md").write_text(text)
        (project / "b\n::debug::c ##[debug]d.md").write_text(text)
        (project / "::error::binary.md").write_bytes(b"\0")
        (project / "::error::c.cff").write_text("doi: hdl:20.1/a##[add-mask]z\n")

    @pytest.mark.parametrize(
        "arguments",
        [
            ["check", "."],
            ["check", "--json", "."],
            ["check", "--format", "sarif", "."],
            ["check", "--format", "junit", "."],
            ["list", "."],
            ["list", "--json", "."],
            ["list", "--format", "csv", "."],
            ["fix", "--diff", "."],
            ["fix", "--json", "."],
            ["fix", "--yes", "."],
            ["parse", "::stop::##[mask]a"],
        ],
        ids=" ".join,
    )
    def test_no_output_is_a_command(self, arguments: list[str]) -> None:
        """No line of the output is a command, in any format."""
        done = run(*arguments)

        assert "mask" in done.output or ":stop" in done.output
        assert _COMMANDS.findall(done.output) == []

    def test_only_the_format_for_github_writes_commands(self) -> None:
        """Each line of it is one command of its own."""
        done = run("check", "--format", "github", ".")

        starts = [line.split(" ")[0] for line in done.stdout.splitlines()]
        assert len(starts) >= 5
        assert set(starts) <= {"::error", "::warning", "::notice"}


@pytest.mark.parametrize(
    "hook", read_recipe(".pre-commit-hooks.yaml"), ids=itemgetter("id")
)
def test_a_hook_takes_no_name_of_a_file_for_an_option(
    project: Path, hook: dict[str, Any]
) -> None:
    """A tracked file with the name of an option is read like any other."""
    name = "--stdin-name=x.md"
    (project / name).write_text("doi:10.1000/1 [x](doi:10.1000/%zz)\n")
    command, *options = hook["entry"].split()
    done = run(*options, *hook["args"], name)

    assert (command, done.exit_code) == ("hdl", 1)
    assert name in done.stdout
