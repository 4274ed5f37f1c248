"""`hdl init` writes the settings of a project, once, and shows what else is needed."""

import textwrap
import tomllib
from pathlib import Path

import pytest
from click.testing import Result

from handle_cli.command import hdl
from handle_cli.project_settings import project_settings
from tests.command_line import runner
from tests.terminal import in_terminal


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.setenv("NO_COLOR", "1")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "conf.py").write_text("extensions = []\n")
    return tmp_path


def run(*arguments: str) -> Result:
    return runner().invoke(hdl, ["init", *arguments], catch_exceptions=False)


USUAL = '[tool.handle]\nreferences = "docs/references.json"\n'
SHOWN = """\
pyproject.toml gets

    [tool.handle]
    references = "docs/references.json"
"""
REST = """\

docs/conf.py: for Sphinx add

    extensions += ["sphinxcontrib_handle"]

Then

    hdl references update
    hdl check
"""


def test_the_usual_answers(project: Path) -> None:
    """They are written without a question, and a second run writes nothing."""
    first = run("--yes")
    written = (project / "pyproject.toml").read_text()
    second = run("--yes")

    assert (first.exit_code, first.stdout, first.stderr) == (0, SHOWN + REST, "")
    assert written == USUAL
    assert (second.exit_code, second.stdout) == (0, REST)
    assert second.stderr == (
        "pyproject.toml: there is a table [tool.handle], which stays as it is.\n"
    )
    assert (project / "pyproject.toml").read_text() == USUAL


@pytest.mark.parametrize("command", ["init", "doctor"])
def test_the_check_that_is_advised_reads_all_there_is(
    command: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """References in docstrings and README count, from a folder of the project, too."""
    (project / "pyproject.toml").write_text("[tool.handle]\n")
    (project / "README.md").write_text("See doi:10.1000/182.\n")
    (project / "package").mkdir()
    (project / "package" / "module.py").write_text('"""After doi:10.1000/183."""\n')

    for folder, advised in ((project, "check"), (project / "docs", "check ..")):
        monkeypatch.chdir(folder)
        said = runner().invoke(hdl, [command]).output
        checked = runner().invoke(hdl, advised.split())

        assert said.endswith(f" hdl {advised}\n")
        assert checked.stderr.endswith("2 references, 0 errors, 0 warnings, 0 notes\n")


def test_a_file_of_references_that_is_there_is_named(project: Path) -> None:
    """One that the command would read beats one beside a configuration."""
    (project / "references.json").write_text("[]\n")

    run("--yes")

    assert (project / "pyproject.toml").read_text() == (
        '[tool.handle]\nreferences = "references.json"\n'
    )


def test_the_manual_shows_what_is_written() -> None:
    """The console of the manual is a real one."""
    page = Path(__file__).parents[2] / "example_docs" / "command.rst"
    console = textwrap.indent(f"$ hdl init --yes\n{SHOWN}{REST}", "   ")

    assert console in page.read_text("utf-8")


def test_without_a_terminal_nothing_is_written(project: Path) -> None:
    """The settings are shown, and the code says that they are not there."""
    done = run()

    assert done.exit_code == 1
    assert done.stdout == SHOWN.replace("gets", "would get") + REST
    assert done.stderr == "Nothing is written without --yes.\n"
    assert not (project / "pyproject.toml").exists()


def test_one_question(project: Path) -> None:
    """The answer becomes a setting, and a wrong one is asked for again."""
    answers = "../references.json\nworks.json\n"

    seen = in_terminal(["init"], answers.encode())

    settings = tomllib.loads((project / "pyproject.toml").read_text())
    assert settings == {"tool": {"handle": {"references": "works.json"}}}
    assert project_settings().root == project
    assert seen.removeprefix(answers).startswith(
        'File of references, with the metadata of cited works ("-" for none) '
        "[docs/references.json]: "
        "Error: it is not a file of the project\n"
        'File of references, with the metadata of cited works ("-" for none) '
        "[docs/references.json]: "
        "pyproject.toml gets\n"
    )
    assert seen.endswith(
        '    extensions += ["sphinxcontrib_handle"]\n\nThen\n\n'
        "    hdl references update\n    hdl check\n"
    )


def test_no_file_of_references(project: Path) -> None:
    """Without one the builder and the commands need none."""
    seen = in_terminal(["init"], b"-\n")

    assert (project / "pyproject.toml").read_text() == "[tool.handle]\n"
    assert seen.endswith(
        '    extensions += ["sphinxcontrib_handle"]\n\nThen\n\n    hdl check\n'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", USUAL),
        ("# mine\n[project]\nname = 'x'", f"# mine\n[project]\nname = 'x'\n\n{USUAL}"),
        ("[tool.black]\r\n", "[tool.black]\r\n\r\n" + USUAL.replace("\n", "\r\n")),
        ("\ufeffa = 1\n", f"\ufeffa = 1\n\n{USUAL}"),
    ],
)
def test_what_the_file_holds_stays(project: Path, before: str, after: str) -> None:
    """The table stands behind everything else, with the lines of the file."""
    path = project / "pyproject.toml"
    path.write_bytes(before.encode())
    path.chmod(0o640)

    assert run("--yes").exit_code == 0
    assert path.read_bytes() == after.encode()
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"tool = {}\n", "the table cannot stand behind what it holds: add it by hand"),
        (b"tool = 3\n", "the table cannot stand behind what it holds: add it by hand"),
        (b"a = [\n", "the file, line 1: this is not TOML: "),
        (b"\xff", "it is not UTF-8, from octet 0 on"),
        (b"[tool]\nhandle = 1\n", "tool.handle is not a table"),
    ],
)
def test_a_file_that_cannot_be_added_to(
    project: Path, content: bytes, problem: str
) -> None:
    """It stays as it is, and the message says why."""
    path = project / "pyproject.toml"
    path.write_bytes(content)

    done = run("--yes")

    assert done.exit_code == 2
    assert problem.removeprefix("the file, line 1: ") in done.stderr
    assert path.read_bytes() == content
