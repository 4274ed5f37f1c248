"""`hdl` with pipes that close, full disks, and terminals."""

import errno
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

import handle_system
from handle_cli.command import hdl
from tests.command_line import runner
from tests.terminal import in_terminal

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-m", "handle_cli"]
HEEDING_INTERRUPTIONS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from handle_cli.__main__ import main
from tests.command_line import runner
main()
"""
QUESTION = "Write these 2 changes in 2 files? [y/N]: "
MANY = [f"doi:10.1000/{number}" for number in range(2_000)]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "a.md").write_text("See\tdoi:10.1000/1 \f\n\n")
    (tmp_path / "b.md").write_bytes(b"\0")
    (tmp_path / "c.md").write_text("See doi:10.1000/2\n")
    return tmp_path


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("arguments", [["parse", *MANY], ["mint", "--count", "5000"]])
def test_a_reader_who_goes_away_is_no_trouble(arguments: list[str]) -> None:
    """A closed pipe, as before ``head``, gives no traceback and no message."""
    done = subprocess.run(
        ["sh", "-c", '"$@" | head -n 1', "sh", *COMMAND, *arguments],
        capture_output=True,
        check=False,
    )

    assert (done.stdout.count(b"\n"), done.stderr) == (1, b"")


@pytest.mark.usefixtures("project")
def test_an_interruption_is_no_finding() -> None:
    """The exit code is 130, as of other commands, without a traceback."""
    with subprocess.Popen(
        # A shell that starts something in the background has it ignore the signal.
        [sys.executable, "-c", HEEDING_INTERRUPTIONS, "parse", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdin.write(b"doi:10.1000/1\n")
        running.stdin.flush()
        # It waits for more.
        assert running.stdout.readline() == b"doi:10.1000/1\n"
        running.send_signal(signal.SIGINT)
        assert running.stderr.read() == b"\ninterrupted\n"
        assert running.wait() == 130


@pytest.mark.usefixtures("project")
@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="needs a device that is full"
)
@pytest.mark.parametrize(
    "arguments", [["parse", "doi:10.1000/1"], ["fix", "--diff", "."]]
)
def test_a_full_disk_is_told_of(arguments: list[str]) -> None:
    """A full disk is one sentence and exit code 2."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, check=False
        )

    reason = os.strerror(errno.ENOSPC).encode()
    assert (
        done.stderr.splitlines()[-1]
        == b"Error: the output cannot be written: " + reason
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode == 2


@pytest.mark.usefixtures("project")
def test_what_a_pipe_cannot_take_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The help and messages about arguments are escaped, too."""
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    helping, wrong = (
        subprocess.run([*COMMAND, "link", option], capture_output=True, check=False)
        for option in ("--help", "--日本")
    )

    assert (helping.returncode, helping.stderr) == (0, b"")
    assert helping.stdout.startswith(b"Usage: hdl link [OPTIONS] TEXT\\u2026\n")
    assert wrong.returncode == 2
    assert b"\\u65e5\\u672c" in wrong.stderr


SHOWN = (
    "a.md:1:5:\n    doi:10.1000/1\n  → https://doi.org/10.1000/1\n\n"
    "c.md:1:5:\n    doi:10.1000/2\n  → https://doi.org/10.1000/2\n\n"
)


@pytest.mark.parametrize(
    ("answers", "asked", "written"),
    [("y", 1, True), ("n", 1, False), ("", 1, False), ("x\ny", 2, True)],
)
def test_changes_are_shown_and_asked_for_once(
    answers: str,
    asked: int,
    written: bool,  # noqa: FBT001 (a column of the table)
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Old stands above new; an empty answer is no."""
    monkeypatch.setenv("NO_COLOR", "1")
    seen = in_terminal(["fix", "a.md", "c.md"], f"{answers}\n".encode())

    end = "2 changes in 2 files written.\n"
    assert seen.removeprefix(f"{answers}\n").startswith(f"{SHOWN}{QUESTION}")
    assert seen.count(QUESTION) == asked
    assert seen.endswith(end if written else end.replace("written", "not written"))
    for name in ("a.md", "c.md"):
        assert ("https" in (project / name).read_text()) == written


def test_what_a_person_has_to_mend_is_counted(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that shows it has the same paths."""
    monkeypatch.setenv("NO_COLOR", "1")
    (project / "b c.md").write_text("{doi}`x` <doi:10.1000/3>\n")
    seen = in_terminal(["fix", "b c.md"], b"y\n")

    assert "Write this 1 change in 1 file? [y/N]: " in seen
    assert seen.endswith(
        "1 change in 1 file written. 1 finding needs you: hdl check 'b c.md'\n"
    )


def test_nothing_to_rewrite_is_said(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal says what was read; a pipe gets nothing."""
    monkeypatch.setenv("NO_COLOR", "1")
    (project / "a.md").write_text("See https://doi.org/10.1000/1.\n")

    assert (
        in_terminal(["fix", "a.md"]) == "1 reference in 1 file: nothing to rewrite.\n"
    )
    assert runner().invoke(hdl, ["fix", "a.md"]).output == ""


@pytest.mark.parametrize("options", [[], ["--yes"]])
def test_nothing_to_rewrite_is_said_beside_a_file_that_is_not_read(
    project: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    """What cannot be read is no change that was, or was not, written."""
    monkeypatch.setenv("NO_COLOR", "1")
    (project / "a.md").write_text("See https://doi.org/10.1000/1.\n")
    (project / "d.md").write_bytes(b"See caf\xe9.\n")

    seen = in_terminal(["fix", *options, "a.md", "d.md"])

    assert seen.endswith("\n1 reference in 1 file: nothing to rewrite.\n")


def test_colours_of_changes(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    """They repeat what the arrow says."""
    monkeypatch.setenv("TERM", "xterm")
    seen = in_terminal(["fix", str(project / "c.md")], b"n\n")

    assert seen.removeprefix("n\n").startswith(
        "\x1b[1mc.md:1:5:\x1b[0m\n"
        "    \x1b[31mdoi:10.1000/2\x1b[0m\n"
        "  → \x1b[32mhttps://doi.org/10.1000/2\x1b[0m\n\n"
        "Write this 1 change in 1 file? [y/N]: "
    )


def test_a_file_that_cannot_be_written_is_told_of(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit code is 2; the file stays, and the others are written."""
    replace = Path.replace

    def refuse(source: Path, target: Path) -> None:
        if target.name == "a.md":
            raise PermissionError(errno.EACCES, "Permission denied")
        replace(source, target)

    monkeypatch.setattr(Path, "replace", refuse)
    before = (project / "a.md").read_bytes()
    done = runner().invoke(hdl, ["fix", "--yes", "."], catch_exceptions=False)

    assert done.stderr == (
        "a.md: not written: Permission denied\nb.md: skipped: it is binary\n"
    )
    assert (done.exit_code, done.stdout) == (2, "c.md\n")
    assert (project / "a.md").read_bytes() == before
    assert sorted(each.name for each in project.iterdir()) == [
        *("a.md", "b.md", "c.md", "pyproject.toml"),
    ]


@pytest.mark.usefixtures("project")
def test_colours_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal shows the level in colour; a pipe and NO_COLOR get no escape."""
    monkeypatch.setenv("TERM", "xterm")
    piped = runner().invoke(hdl, ["check", "."])

    assert piped.stdout == "b.md: note: skipped: it is binary [skipped]\n"
    assert in_terminal(["check", "."], b"") == (
        "\x1b[1mb.md\x1b[0m: \x1b[34m\x1b[1mnote\x1b[0m: skipped: it is binary "
        "\x1b[2m[skipped]\x1b[0m\n\n"
        "2 references, 0 errors, 0 warnings, 1 note\n"
    )
    monkeypatch.setenv("NO_COLOR", "1")
    assert in_terminal(["check", "."], b"") == (
        "b.md: note: skipped: it is binary [skipped]\n\n"
        "2 references, 0 errors, 0 warnings, 1 note\n"
    )


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("package", "arguments", "extra"),
    [("click", [], "cli"), ("pygls", ["lsp"], "editor")],
)
def test_a_missing_extra_is_named(
    package: str, arguments: list[str], extra: str
) -> None:
    """The message says what to install; the exit code is 2, without a traceback."""
    code = (
        f"import sys; sys.modules[{package!r}] = None; "
        "from handle_cli.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        check=False,
        text=True,
    )

    assert done.returncode == 2
    assert done.stderr == (
        f"hdl needs {package}, which is not installed: "
        f'pip install "sphinxcontrib-handle[{extra}]"\n'
    )


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["chek"], 2, "Error: No such command 'chek'. Did you mean check?\n"),
        (["x\u202ey"], 2, "Error: No such command 'x\\u202ey'.\n"),
        (["-V"], 0, f"hdl, version {handle_system.__version__}\n"),
        (["help", "suffix"], 0, "Usage: hdl suffix [OPTIONS] SUFFIX…\n"),
        (["help"], 0, "Usage: hdl [OPTIONS] COMMAND [ARGS]...\n"),
    ],
)
def test_a_newcomer_is_helped(arguments: list[str], status: int, said: str) -> None:
    """A mistyped command names the closest, and help is found as elsewhere."""
    done = runner().invoke(hdl, arguments)

    assert done.exit_code == status
    assert said in done.output


def test_the_help_imports_no_subcommand() -> None:
    """A hook asks for it as often as for anything else."""
    code = (
        "import sys; from handle_cli.command import hdl; "
        "hdl(['--help'], standalone_mode=False); "
        "print(sorted(name for name in sys.modules if name.startswith('handle_cli.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )

    assert done.stdout.splitlines()[-1] == "['handle_cli.command', 'handle_cli.output']"


def test_a_check_without_described_works_imports_nothing_that_reads_an_item(
    tmp_path: Path,
) -> None:
    """A hook runs it at each commit."""
    (tmp_path / "a.md").write_text("See doi:10.1000/182.\n")
    code = (
        "import sys; from handle_cli.command import hdl; "
        "hdl(['check', 'a.md'], standalone_mode=False); "
        "print('handle_system.describing.described_work' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        cwd=tmp_path,
        text=True,
    )

    assert done.stdout == "False\n"


def test_every_subcommand_has_its_line_in_the_help() -> None:
    """The table names commands that there are."""
    context = click.Context(hdl)
    listed = hdl.list_commands(context)

    assert listed
    assert all(hdl.get_command(context, name) is not None for name in listed)


def test_progress_stands_in_a_terminal_alone(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is done is counted on a terminal, and the standard output stays as it is."""
    monkeypatch.setenv("NO_COLOR", "1")
    (project / "r.json").write_text('{"10.1000/1": "https://example.org/"}')
    arguments = ["resolve", "--resolver", "r.json", "10.1000/1"]
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=theirs, check=True
    )
    os.close(theirs)
    shown = os.read(ours, 4096).decode()
    os.close(ours)
    alone = subprocess.run([*COMMAND, *arguments], capture_output=True, check=True)

    assert "resolving 1/1" in shown
    assert (alone.stdout, alone.stderr) == (done.stdout, b"")
