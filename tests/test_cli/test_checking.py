"""`hdl check` and `hdl list`: the findings and references of a project's files."""

import csv
import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result

from handle_cli.check_reports import REPORTS
from handle_cli.checked_files import SourceLines
from handle_cli.command import hdl
from handle_cli.files import SourceFile
from handle_cli.mending import fix_command
from handle_cli.readers import SourceText
from handle_system.findings.finding import Place
from handle_system.resolving import gate
from handle_system.settings import ROWS
from handle_system.syntax import Syntax
from tests.background import nobody_at
from tests.command_line import runner
from tests.native_server import running_natively
from tests.proxy_server import running
from tests.report_schemas import wrong_sarif


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.handle]\n")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.rst").write_bytes(
        b"Good: doi:10.1000/182.\r\n\r\nBad: :doi:`10.1000/%zz`, :hdl:`none`\r\n"
    )
    (docs / "b.md").write_text("[x](doi:10.1000/50%-off) and hdl:20.1000/<b>\n")
    (docs / "picture.md").write_bytes(b"\x89PNG\0\0")
    (docs / "latin.txt").write_bytes(b"caf\xe9 doi:10.1/x")
    (docs / "other.css").write_text("doi:nothing")
    monkeypatch.chdir(tmp_path)
    # Tries follow each other at once.
    monkeypatch.setattr(gate, "_PAUSE", 0.0)
    return tmp_path


def run(*arguments: str) -> Result:
    return runner().invoke(hdl, ("check", *arguments), catch_exceptions=False)


def test_findings_are_named_by_file_line_and_column() -> None:
    """An error shows a caret and a suggestion; a binary file is a note."""
    done = run("docs")

    assert done.exit_code == 1
    assert done.stdout == (
        "docs/a.rst:3:32: error: none: "
        'no "/" between prefix and suffix [syntax]\n'
        "    none\n"
        "        ^\n"
        "docs/b.md:1:5: error: doi:10.1000/50%-off: "
        "\"%\" begins an escape of two hexadecimal digits, and '%-o' is none"
        " [link]\n"
        "    doi:10.1000/50%-off\n"
        "                  ^\n"
        "    write doi:10.1000/50%25-off\n"
        "docs/latin.txt: note: skipped: it is not UTF-8, from octet 3 on [skipped]\n"
        "docs/picture.md: note: skipped: it is binary [skipped]\n"
    )
    assert done.stderr == (
        "4 references, 2 errors, 0 warnings, 2 notes\n"
        "1 can be fixed with: hdl fix --only-wrong docs\n"
    )


def test_code_behind_a_label_is_a_note_in_markdown(project: Path) -> None:
    """It may be a role without its braces, and GitHub shows an identifier so."""
    (project / "a.md").write_text("Cite DOI:`10.1000/182`.\n")
    done = run("a.md")

    assert done.stdout == (
        "a.md:1:6: note: DOI:`10.1000/182`: a role has its name in braces [markup]\n"
        "    DOI:`10.1000/182`\n"
        "    ~~~^\n"
        "    write {doi}`10.1000/182`\n"
    )
    assert done.exit_code == 0

    # The target of a link and a field are malformed.
    (project / "b.md").write_text("[x](doi:`x/10.1000/182)\n")
    (project / "b.bib").write_text("@a{b, doi = {doi:`10.1000/182`}}\n")
    for name in ("b.md", "b.bib"):
        done = run(name)
        assert f"{name}:1:" in done.stdout
        assert ": error: " in done.stdout
        assert done.exit_code == 1


def test_a_comment_silences_its_line_or_the_next_block(project: Path) -> None:
    """A comment alone on its line covers the next block, and nothing after it.

    Findings are ordered by line and column.
    """
    (project / "c.rst").write_text(
        ".. hdl: ignore\n\n:hdl:`one`\n:hdl:`two`\n\n:hdl:`three`\n"
    )
    (project / "d.md").write_text(
        "{hdl}`one` <!-- hdl: ignore -->\n{hdl}`b` {hdl}`c` [x](doi:10.1/%zz)\n"
    )
    found = json.loads(run("--format", "json", "c.rst", "d.md").stdout)

    assert [(each["file"], each["line"], each["column"]) for each in found] == [
        ("c.rst", 6, 7),
        ("d.md", 2, 7),
        ("d.md", 2, 16),
        ("d.md", 2, 23),
    ]


@pytest.mark.parametrize(
    "setting",
    ['ignore = ["syntax", "link"]', 'severity = {syntax = "off", link = "off"}'],
)
def test_paths_and_codes_can_be_excluded(project: Path, setting: str) -> None:
    """`.hdlignore` and `pyproject.toml` exclude paths and codes."""
    (project / ".hdlignore").write_text("# what is old\n/docs/b.md\n*.txt\n")
    (project / "pyproject.toml").write_text(
        f'[tool.handle]\n{setting}\nexclude = ["picture.*"]\n'
    )
    done = run("docs", "docs/b.md", "--format", "json")

    assert (done.exit_code, json.loads(done.stdout)) == (0, [])


@pytest.mark.parametrize(
    ("folder", "mark"),
    [
        ("node_modules", "package.json"),
        ("environment", "pyvenv.cfg"),
        ("out", ".buildinfo"),
        ("kept", "CACHEDIR.TAG"),
    ],
)
def test_what_was_installed_or_built_is_passed_over(
    project: Path, folder: str, mark: str
) -> None:
    """Installed and built folders are skipped, unless the user names them."""
    (project / "x" / folder / "y").mkdir(parents=True)
    (project / "x" / folder / mark).touch()
    (project / "x" / folder / "y" / "z.rst").write_text(":hdl:`bad`\n")
    (project / "x" / "source.rst").touch()

    assert json.loads(run("--format", "json", "x").stdout) == []
    assert len(json.loads(run("--format", "json", f"x/{folder}").stdout)) == 1


@pytest.mark.parametrize("command", ["check", "list"])
def test_without_a_path_the_current_folder_is_read(project: Path, command: str) -> None:
    """Both commands read the current folder, and call a file by the same key."""
    (project / "f.md").write_text("hdl:20.1000/1 doi:10.5072/1\n")
    done, whole = (
        runner().invoke(hdl, [command, "--format", "json", *paths])
        for paths in ([], ["."])
    )

    assert done.stdout == whole.stdout
    assert "f.md" in {row["file"] for row in json.loads(done.stdout)}


def test_a_suffix_can_be_read_in_another_syntax(project: Path) -> None:
    """A project can have its ".txt" files read as reStructuredText."""
    (project / "pyproject.toml").write_text(
        '[tool.handle]\nsyntax = {".txt" = "rst"}\n'
    )
    (project / "e.txt").write_text("``hdl:20.1/no`` :hdl:`bad`\n")
    (found,) = json.loads(run("--format", "json", "e.txt").stdout)

    assert (found["written"], found["column"]) == ("bad", 23)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            "unknown = 1",
            f"tool.handle: 'unknown' is none of the {len(ROWS)} known ones",
        ),
        ("exclude = 1", "tool.handle.exclude: must be a list, not 1"),
        (
            'syntax = {".x" = "asciidoc"}',
            "syntax['.x']: 'asciidoc' is none of rst, markdown, ",
        ),
        ("]", "pyproject.toml: the file: this is not TOML"),
        (f"{'a.' * 60_000}a = 1", "pyproject.toml: the file: it is nested too deep"),
        (f"a = {'[' * 60_000}", "pyproject.toml: the file: it is nested too deep"),
        (f"budget = {'9' * 5_000}", "a number of 1,000 digits or more"),
        ("connections = 0", "0 connections are not from 1 to 256"),
        (
            "connections = true",
            "tool.handle.connections: must be a whole number, not true",
        ),
        ("timeout = 601", "a time-out of 601 seconds is not from 0.001 to 600"),
        ("timeout = 0.00001", "a time-out of 1e-05 seconds is not from 0.001 to 600"),
        ("timeout = nan", "a time-out of nan seconds is not from 0.001 to 600"),
        ('timeout = "1"', "tool.handle.timeout: must be a number, not '1'"),
        ("budget = -1", "a budget of -1 is negative"),
        ("cache = 1", "tool.handle.cache: must be text or false, not 1"),
        ('resolver = "ftp://a.example/"', "is not the base of a proxy"),
        (
            'verify_ignore = "hdl:1/2"',
            "verify_ignore[0]: 'hdl:1/2': a handle has no scheme",
        ),
        ('verify_ignore = "1*"', '"*" in a prefix'),
        (
            'severity = {"record" = "loud"}',
            "'loud' is none of error, warning, note, off",
        ),
        (
            'severity = {"recrod" = "off"}',
            "severity['recrod']: 'recrod' is unknown; did you mean record?",
        ),
        (
            'ignore = "recrod"',
            "ignore[0]: 'recrod' is unknown; did you mean record?",
        ),
        ('severity = {"record" = "of"}', "'of' is unknown; did you mean off?"),
        ("conections = 4", "'conections' is unknown; did you mean connections?"),
        ('resolver = ["a.json", 1]', "tool.handle.resolver[1]: must be text, not 1"),
    ],
)
def test_settings_that_cannot_be_used_are_wrong(
    project: Path, table: str, said: str
) -> None:
    """An unusable setting is one line and exit code 2."""
    (project / "pyproject.toml").write_text(f"[tool.handle]\n{table}\n")
    done = run("docs")

    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    "setting",
    [
        'cache = "redis://:secret@cache.example.org/0"',
        'cache = "REDIS://me:secret@cache.example.org/0"',
        'cache = "unix://me:secret@/run/redis.sock"',
        f'cache = "redis://:{"secret" * 1_000}@cache.example.org/0"',
        'cache = "redis://:1/secret@cache.example.org/0"',
        'cache = ["redis://:secret@cache.example.org/0"]',
        'connections = "redis://:secret@cache.example.org/0"',
    ],
)
def test_no_message_shows_the_password_of_a_cache(project: Path, setting: str) -> None:
    """The message names the server, and no file has the password in its name."""
    (project / "pyproject.toml").write_text(f"[tool.handle]\n{setting}\n")
    before = sorted(project.rglob("*"))
    done = run("--verify", "--resolver", "https://proxy.example/", "docs")

    assert done.exit_code == 2
    assert done.stderr.startswith("Error: pyproject.toml: tool.handle.c")
    assert "secret" not in done.output + done.stderr
    assert sorted(project.rglob("*")) == before


def test_settings_are_a_table(project: Path) -> None:
    """A value in place of the table of settings exits with 2."""
    (project / "pyproject.toml").write_text("[tool]\nhandle = 1\n")

    assert run("docs").stderr == "Error: pyproject.toml: tool.handle is not a table\n"


@pytest.mark.parametrize("name", ["a.rst", "a.md"])
def test_a_value_that_the_record_does_not_have_is_a_finding(
    project: Path, name: str
) -> None:
    """Of the references to a handle, those to a missing value are reported."""
    handle = "cnri.dlib/july95-arms"
    role = ":hdl:" if name == "a.rst" else "{hdl}"
    text = f"{role}`9:{handle}`, {role}`1:{handle}`, hdl:{handle}\n"
    (project / "r.json").write_text(json.dumps({handle: "https://example.org/arms"}))
    (project / name).write_text(text)
    done = run("--verify", "--resolver", "r.json", name)

    assert done.exit_code == 1
    assert done.stdout.endswith(
        f" warning: 9:{handle}: its record has no value of index 9 [record]\n"
    )
    assert done.stdout.count("\n") == 1


def test_records_are_asked_when_wanted(project: Path) -> None:
    """Each handle is verified once; an unregistered one is an error at every place.

    In JUnit, a handle is one test case.
    """
    (project / "f.md").write_text("doi:10.1/a, doi:10.1/A and doi:10.1/b\n")
    with running({"10.1/b": "https://example.org/b"}) as server:
        asking = ("--verify", "--resolver", server.url, "f.md")
        done = run(*asking, "--format", "json")

        assert dict(server.asked) == {"10.1/a": 1, "10.1/b": 1}
        (failure,) = ET.fromstring(run(*asking, "--format", "junit").stdout)[0]  # noqa: S314 (our own)
    assert (failure.attrib["name"], failure[0].text) == (
        "10.1/a",
        "f.md:1:1, f.md:1:13",
    )
    assert done.exit_code == 1
    assert [
        (each["column"], each["code"], each["message"])
        for each in json.loads(done.stdout)
    ] == [
        (1, "not-registered", "this handle is not registered"),
        (13, "not-registered", "this handle is not registered"),
    ]


def test_links_out_of_the_project_and_pipes_are_not_opened(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A symbolic link is followed only within the project.

    Pipes and devices are not opened, because reading them may never end.
    """
    outside = tmp_path_factory.mktemp("home") / "notes.md"
    outside.write_text("hdl:20.1000/secret\n")
    (project / "readme.md").write_text("hdl:20.1000/readme\n")
    for name, target in {
        "out.md": str(outside),
        "device.md": "/dev/zero",
        "gone.md": "nowhere",
        "in.md": "../readme.md",
        "loop.md": "loop.md",
    }.items():
        (project / "docs" / name).symlink_to(target)
    os.mkfifo(project / "docs" / "pipe.md")
    listed = runner().invoke(hdl, ["list", "docs"])

    assert "20.1000/readme" in listed.stdout
    assert "20.1000/secret" not in listed.stdout
    assert listed.stderr.splitlines() == [
        "docs/gone.md: skipped: it cannot be read: No such file or directory",
        "docs/latin.txt: skipped: it is not UTF-8, from octet 3 on",
        ("docs/loop.md: skipped: it cannot be read: Too many levels of symbolic links"),
        "docs/picture.md: skipped: it is binary",
        "docs/pipe.md: skipped: it is not an ordinary file",
    ]


def test_a_verification_that_verified_nothing_is_no_success(project: Path) -> None:
    """An unreachable handle is a note, and the run has a warning; the exit code is 3.

    The exit code is 2 if a named file cannot be read as well.
    """
    (project / "f.md").write_text("doi:10.1/a\n")
    with nobody_at() as url:
        done = run("--verify", "--resolver", url, "--format", "json", "f.md")
        wrong = run("--verify", "--resolver", url, "f.md", "docs/latin.txt")
    assert wrong.exit_code == 2
    of_run, note = json.loads(done.stdout)

    assert (done.exit_code, note["level"], note["code"]) == (3, "note", "unreachable")
    assert of_run == {
        "file": "",
        "line": 0,
        "column": 0,
        "written": "",
        "level": "warning",
        "code": "nothing-verified",
        "subject": "",
        "message": "the only handle could not be verified: no connection to "
        "127.0.0.1: Connection refused",
        "suggestion": None,
        "excerpt": None,
        "other_excerpt": None,
        "facts": {},
        "advice": "",
        "command": "",
    }


def test_a_name_that_is_a_target_is_no_reference(project: Path) -> None:
    """Docutils links the name, so the command says what to write, and changes nothing."""
    (project / "t.rst").write_text(
        "Title\n=====\n\nSee hdl:20.1/part_ and *hdl:20.1/part_*.\n\n"
        ".. _part: https://example.org/\n"
    )
    done = run("t.rst")

    assert done.exit_code == 1
    assert done.stdout == (
        "t.rst:4:5: warning: hdl:20.1/part_: part_ is a target of this document, and "
        "stays a link to it [target]\n"
        "    for the handle write :hdl:`hdl:20.1/part_`\n"
    )


NINE = "".join(f"hdl:20.1/{number}\n" for number in range(9))


@pytest.mark.parametrize("format_name", ["text", "grouped", "github"])
def test_a_dead_server_is_one_note(project: Path, format_name: str) -> None:
    """Handles that are unreachable for the same reason share a line, but not in data."""
    (project / "f.md").write_text(NINE)
    with nobody_at() as url:
        asked = ("--verify", "--resolver", url)
        done = run(*asked, "--format", format_name, "f.md")
        rows = json.loads(run(*asked, "--format", "json", "f.md").stdout)

    of_run, line = (line for line in done.stdout.splitlines() if "verified" in line)
    assert "none of the 9 handles could be verified" in of_run
    subject = "" if format_name == "grouped" else "hdl:20.1/0: "
    assert f"{subject}unreachable, so not verified: no connection to " in line
    assert " (so are 8 other references)" in line
    assert [row["written"] for row in rows] == ["", *NINE.split()]


@pytest.mark.parametrize(
    ("table", "name", "value"),
    [
        ('resolver = "https://evil.example/"', "resolver", "https://evil.example/"),
        ('resolver = ["r.json", "../r.json"]', "resolver", "../r.json"),
        ('cache = "../home/id_rsa"', "cache", "../home/id_rsa"),
        ('cache = "redis://evil.example/"', "cache", "redis://evil.example/"),
    ],
)
def test_a_checked_repository_names_no_server_and_no_file_outside(
    project: Path, table: str, name: str, value: str
) -> None:
    """A refused setting exits with 2; the public proxy never replaces it."""
    (project / "pyproject.toml").write_text(f"[tool.handle]\n{table}\n")
    (project / "f.md").write_text("doi:10.1/a\n")
    done = run("--verify", "f.md")

    assert done.exit_code == 2
    assert done.stderr.endswith(
        f"Error: pyproject.toml: tool.handle.{name} names {value!r}, which is not a "
        f"file of the project; pass --{name}, or --trust-config to allow it\n"
    )
    assert run("f.md").exit_code == 0


@pytest.mark.parametrize("command", ["check", "list", "fix"])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("c.ipynb", "it is not JSON"),
        ("latin.txt", "it is not UTF-8, from octet 3 on"),
        ("big.md", "it is larger than 0.001 MB (--max-file-size)"),
    ],
)
def test_a_named_file_that_is_not_read_is_reported(
    project: Path, command: str, name: str, reason: str
) -> None:
    """An unreadable file exits with 2, a too large one with 1, and with 0 in `list`."""
    (project / "docs" / "c.ipynb").write_text("doi:10.1000/1")
    (project / "docs" / "big.md").write_text("doi:10.1000/1 " * 100)
    size = ("--max-file-size", "0.001")
    done = runner().invoke(hdl, [command, *size, f"docs/{name}"])

    too_large = 0 if command == "list" else 1
    assert done.exit_code == (too_large if name == "big.md" else 2)
    assert f"skipped: {reason}" in done.stdout + done.stderr


def test_paths_are_named_from_the_current_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Patterns start from the project's root, names from the current folder."""
    (project / ".hdlignore").write_text("docs/b.md\n/?\n")
    monkeypatch.chdir(project / "docs")

    assert [
        each["file"] for each in json.loads(run("--format", "json", ".").stdout)
    ] == [*("a.rst", "latin.txt", "picture.md")]


def test_the_standard_input_is_markdown_unless_it_has_a_name() -> None:
    """The suffix of the name chooses the syntax; findings have that name."""
    text = ":hdl:`bad` {hdl}`worse`"
    as_markdown, as_rst = (
        runner().invoke(hdl, ["check", "-", *more], input=text)
        for more in ([], ["--stdin-name", "x/y.rst"])
    )

    assert as_markdown.exit_code == as_rst.exit_code == 1
    assert as_markdown.stdout.startswith("<stdin>:1:18: error: worse: ")
    assert as_rst.stdout.startswith("x/y.rst:1:7: error: bad: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["check", "--resolver", "http://127.0.0.1:9/"],
            "--resolver and --cache are for --verify",
        ),
        (["check", "--cache", "c"], "--resolver and --cache are for --verify"),
    ],
)
def test_options_that_do_not_go_together_are_wrong(
    arguments: list[str], said: str
) -> None:
    """Contradicting options exit with 2 before a file is read."""
    done = runner().invoke(hdl, [*arguments, "docs"])

    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.endswith(f"\nError: {said}\n")


LISTED = [
    ("docs/a.rst", 1, 7, "doi", "doi:10.1000/182", "10.1000/182", "https://doi.org/10.1000/182"),
    ("docs/a.rst", 3, 12, "bare", "10.1000/%zz", "10.1000/%zz", "https://doi.org/10.1000/%25zz"),
]  # fmt: skip
FIELDS = ["file", "line", "column", "form", "written", "handle", "link"]


def test_references_are_listed() -> None:
    """All well-formed references are listed; a pipe gets CSV."""
    piped, in_json, in_csv, none = (
        runner().invoke(hdl, ["list", *arguments])
        for arguments in (
            ["docs"],
            ["--format", "json", "docs"],
            ["--format", "csv", "docs"],
            ["docs/other.css"],
        )
    )

    assert piped.exit_code == in_json.exit_code == in_csv.exit_code == 0
    rows = [tuple(each.values()) for each in json.loads(in_json.stdout)]
    assert rows == LISTED
    assert [*json.loads(in_json.stdout)[0]] == FIELDS
    header, *lines = in_csv.stdout.splitlines()
    assert header == ",".join(FIELDS)
    assert [*csv.reader(lines)] == [[str(each) for each in row] for row in LISTED]
    assert piped.stdout == in_csv.stdout
    assert (none.exit_code, none.stdout) == (0, f"{header}\n")


@pytest.mark.parametrize("command", ["check", "resolve"])
def test_a_setting_that_cannot_be_used_is_wrong(
    project: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the setting, not the network; the exit code is 2."""
    (project / "f.md").write_text("doi:10.1/a\n")
    monkeypatch.setenv("ALL_PROXY", "socks5://me:secret@127.0.0.1:1")
    what = ("--verify", "f.md") if command == "check" else ("doi:10.1/a",)
    asked = (command, "--resolver", "http://127.0.0.1:1/", *what)
    done = runner().invoke(hdl, asked, catch_exceptions=False)

    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ALL_PROXY: ")
    assert "secret" not in done.stderr


def test_a_project_says_how_verification_asks(project: Path) -> None:
    """A project sets resolvers, ignored handles, the budget and severities."""
    (project / "f.md").write_text(
        "doi:10.1/a doi:10.1/draft-1 hdl:20.1/x hdl:20.1.5/y hdl:20.2/z\n"
    )
    with running({"10.1/a": [], "20.2/z": {"responseCode": 2}}) as server:
        (project / "pyproject.toml").write_text(
            "[tool.handle]\n"
            f'resolver = ["{server.url}"]\n'
            'verify_ignore = ["20.1", "10.1/DRAFT-*"]\n'
            'severity = {record = "note", unreachable = "error"}\n'
            'cache = "kept/answers"\n'
            "connections = 2\n"
            "timeout = 59.5\n"
            "budget = 5\n"
        )
        done = run("--verify", "--trust-config", "f.md")
        again = run("--verify", "--trust-config", "f.md")

        assert server.asked["10.1/a"] == 2
        assert set(server.asked) == {"10.1/a", "20.2/z"}
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "f.md:1:1: note: doi:10.1/a: its record has neither a URL nor a location "
        "[record]"
    )
    assert lines[1].startswith(
        "f.md:1:53: error: hdl:20.2/z: unreachable, so not verified: "
    )
    assert lines[1].endswith(" [unreachable]")
    assert done.stderr.endswith(
        "5 references, 1 error, 0 warnings, 1 note, 3 ignored\n"
    )
    assert (done.exit_code, again.exit_code) == (1, 1)
    assert (project / "kept" / "answers").is_file()


def test_the_report_in_html_is_one_safe_page(project: Path) -> None:
    """It shows what a stranger's file says as text, with the part that is wrong marked."""
    name = "<script>.csv"
    Path(name).write_text(
        "handle\nhdl:20.1000/a\nhttps://hdl.handle.net/20.1/%zz\n<b>/x\n"
    )

    Path("docs/other.md").write_text("Nothing.\n")
    done = run("--format", "html", name)
    clean = run("--format", "html", "docs/other.md")

    assert (done.exit_code, done.stderr) == (1, "")
    assert f"<h1>Handles of {project.name}</h1>" in done.stdout
    assert re.findall("<h3>.*", done.stdout) == [
        "<h3><code><bdi>https://hdl.handle.net/20.1/<mark>%</mark>zz</bdi></code></h3>",
        "<h3><code><bdi>&lt;b&gt;/x</bdi></code></h3>",
    ]
    assert "<li><bdi>&lt;script&gt;.csv:3:1</bdi></li>" in done.stdout
    assert done.stdout.count("<script>") == 1
    assert done.stdout.endswith("</html>\n")
    assert '<p class="summary"><b>0 problems</b>.</p>' in clean.stdout
    assert "<fieldset>" not in clean.stdout
    assert (clean.exit_code, clean.stderr) == (0, "")


def test_the_report_in_html_shows_where_handles_lead(project: Path) -> None:
    """After a verification it has what the page of a build has: targets, and who is left out."""
    records = {"20.1000/a": "https://example.org/a"}
    Path("records.json").write_text(json.dumps(records))
    Path("f.md").write_text("hdl:20.1000/a hdl:20.1000/b hdl:20.1000/c\n")
    (project / "pyproject.toml").write_text(
        '[tool.handle]\nverify_ignore = ["20.1000/c"]\n'
    )

    page = run(
        *("--verify", "--resolver", "records.json", "--format", "html", "f.md")
    ).stdout

    assert "3 references to 3 distinct handles, verified on <time" in page
    assert re.findall('<section id="([a-z-]+)"', page) == [
        *("not-registered", "resolved", "ignored")
    ]
    assert (
        '<a href="https://hdl.handle.net/20.1000/a" rel="noreferrer"><bdi>20.1000/a</bdi>'
        "</a></h3>\n"
        '<p class="aside">leads to <a href="https://example.org/a" rel="noreferrer">'
    ) in page


def test_github_and_junit_have_their_own_marks() -> None:
    """GitHub gets escaped commands; in JUnit a finding fails and a note passes."""
    (command,) = run("--format", "github", "docs/b.md").stdout.splitlines()
    root = ET.fromstring(run("--format", "junit", "docs").stdout)  # noqa: S314 (our own)

    assert command == (
        "::error file=docs/b.md,line=1,col=5,title=link::doi:10.1000/50%25-off: "
        "\"%25\" begins an escape of two hexadecimal digits, and '%25-o' is none"
        "%0Awrite doi:10.1000/50%2525-off"
    )
    failures = [each.attrib["type"] for each in root.iter("failure")]
    assert failures == ["syntax", "link"]
    assert (root.attrib["failures"], root[0].attrib["skipped"]) == ("2", "2")


def test_findings_are_shown_in_their_lines_for_people(project: Path) -> None:
    """The line of the source shows the reference; other places follow the first."""
    (project / "docs" / "a.rst").write_text(
        "hdl:123456789/1\n\n\nx hdl:123456789/1 :hdl:`none`\n"
    )
    (project / "docs" / "latin.txt").unlink()
    (project / "docs" / "picture.md").unlink()
    (project / "records.json").write_text("{}")
    done = run("--format", "grouped", "--verify", "--resolver", "records.json", "docs")

    assert (
        done.stdout
        == """\
docs/a.rst:1:1: warning: "123456789" is a prefix for tests [placeholder]
  | hdl:123456789/1
  | ^^^^^^^^^^^^^^^
docs/a.rst:1:1: warning: this handle is not registered [not-registered]
  | hdl:123456789/1
  | ^^^^^^^^^^^^^^^
  also docs/a.rst:4:3
docs/a.rst:4:3: warning: "123456789" is a prefix for tests [placeholder]
  | x hdl:123456789/1 :hdl:`none`
  |   ^^^^^^^^^^^^^^^
docs/a.rst:4:25: error: no "/" between prefix and suffix [syntax]
  | x hdl:123456789/1 :hdl:`none`
  |                         ~~~~^

docs/b.md:1:5: error: "%" begins an escape of two hexadecimal digits, and '%-o' is none [link]
  | [x](doi:10.1000/50%-off) and hdl:20.1000/<b>
  |     ~~~~~~~~~~~~~~^
  help: write doi:10.1000/50%25-off (hdl fix)

"""
    )


def test_sarif_names_rules_and_places(project: Path) -> None:
    """Each SARIF result has a rule of the run and a region, and fits the schema."""
    (project / "docs" / "z b\u202e<&.md").write_text("{hdl}`x\u200b\u202ey`\n")
    written = run("--format", "sarif", "docs").stdout
    (the_run,) = json.loads(written)["runs"]
    assert (
        wrong_sarif(written)
        == wrong_sarif(run("--format", "sarif", "pyproject.toml").stdout)
        == []
    )
    result = the_run["results"][0]

    assert result["ruleId"] == "handle.syntax"
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "docs/a.rst", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3, "startColumn": 32},
    }
    assert the_run["tool"]["driver"]["rules"][result["ruleIndex"]] == {
        "id": "handle.syntax",
        "shortDescription": {
            "text": "The content of a role is no reference to a handle."
        },
        "fullDescription": {
            "text": "The content of a role is not a reference to a handle. The message "
            "marks the character; the text is shown without a link."
        },
    }


@pytest.mark.parametrize("report", REPORTS)
def test_a_file_of_any_name_is_reported(project: Path, report: str) -> None:
    """A file whose name is not UTF-8 is reported."""
    name = os.fsdecode(b"bad\x80.md")
    try:
        (project / name).write_text("{hdl}`none`\n")
    except (OSError, UnicodeError):
        pytest.skip("this file system takes no such name")
    done = run("--format", report, name)

    assert done.exit_code == 1
    assert ("bad%80.md" if report == "sarif" else r"bad\udc80.md") in done.stdout


SERVER_FILES = {
    "a.rst": "hdl://{server}/20.1/1 :hdl:`hdl://{server}/20.1/2` `x <hdl://{server}/20.1/3>`_\n",
    "b.md": "hdl://{server}/20.1/1 {{hdl}}`hdl://{server}/20.1/2` <hdl://{server}/20.1/3> hdl:20.1/1\n",
    "c.bib": "@misc{{x, url = {{hdl://{server}/20.1/1}} }}\n",
    "d.py": '"""hdl://{server}/20.1/2"""\n',
}


def test_the_servers_of_the_settings_are_asked(project: Path) -> None:
    """`servers` decides which servers of references are asked, in every kind of file."""
    records = {"20.1/1": "https://example.org/1", "20.1/2": "https://example.org/2"}
    with running({}) as proxy, running_natively(records) as server:
        (project / "pyproject.toml").write_text(
            "[tool.handle]\n"
            f'resolver = "{proxy.url}"\n'
            f'servers = ["{server.netloc}"]\n'
            'ignore = ["server"]\n'
        )
        for name, text in SERVER_FILES.items():
            (project / name).write_text(text.format(server=server.netloc))
        done = run("--verify", "--trust-config", *SERVER_FILES)
        asked = sorted(server.asked)
        others = run("--verify", "--resolver", proxy.url, "d.py")
        unverified = run(*SERVER_FILES)

    at = f"hdl://{server.netloc}/20.1"
    finding = "this handle is not registered [not-registered]"
    assert done.stdout.splitlines() == [
        f"a.rst:1:{2 * len(at) + 18}: warning: {at}/3: {finding}",
        f"b.md:1:{2 * len(at) + 15}: warning: {at}/3: {finding}",
        # The resolver is asked for this one.
        f"b.md:1:{3 * len(at) + 19}: warning: hdl:20.1/1: {finding}",
    ]
    assert asked == ["20.1/1", "20.1/2", "20.1/3"]
    assert others.stdout == f"d.py:1:4: warning: {at}/2: {finding}\n"
    assert len(server.asked) == len(asked)
    assert unverified.exit_code == 0


@pytest.mark.parametrize("command", ["check", "fix", "list"])
def test_a_checked_repository_names_no_server_of_references(
    project: Path, command: str
) -> None:
    """`servers` needs `--trust-config`; commands that ask nobody do not mind."""
    (project / "pyproject.toml").write_text(
        '[tool.handle]\nservers = ["127.0.0.1:9"]\n'
    )
    (project / "f.md").write_text("hdl://127.0.0.1:9/20.1/x\n")
    done = run("--verify", "f.md")

    assert done.exit_code == 2
    assert done.stderr == (
        "Error: pyproject.toml: tool.handle.servers names '127.0.0.1:9'; "
        "pass --trust-config to allow it\n"
    )
    others = runner().invoke(hdl, [command, "f.md"], catch_exceptions=False)
    assert "tool.handle" not in others.output


DOI = "10.1007/s00799-005-0128-x"
KAHN = {
    "id": f"doi:{DOI}",
    "title": "A framework for distributed digital object services",
    "author": [{"family": "Kahn"}, {"family": "Wilensky"}],
    "issued": {"date-parts": [[2006]]},
}
PASKIN = "Paskin, N. (2005). Digital object identifiers for data. DSJ 4, 12-20."


def test_an_identifier_of_another_work_is_shown_with_the_text(project: Path) -> None:
    """For people, the text that names another work is underlined, too."""
    (project / "references.json").write_text(json.dumps([KAHN]))
    (project / "a.md").write_text(f"See [Taylor et al. (1999)](doi:{DOI}) for it.\n")

    done = run("a.md")
    assert done.exit_code == 1
    assert done.stdout == (
        f"a.md:1:28: warning: doi:{DOI}: another work: Kahn and Wilensky (2006), it is "
        '"A framework for distributed digital object services" [other-work]\n'
        "    correct the identifier or the text\n"
    )
    assert run("--format", "grouped", "a.md").stdout == (
        "a.md:1:28: warning: another work: Kahn and Wilensky (2006) [other-work]\n"
        f"  | See [Taylor et al. (1999)](doi:{DOI}) for it.\n"
        "  |      --------------------  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        '  it is "A framework for distributed digital object services"\n'
        "  help: correct the identifier or the text\n"
        "\n"
    )


def test_another_work_can_be_accepted(project: Path) -> None:
    """A comment, an item by hand, or the severity of the code silences it."""
    (project / "references.json").write_text(json.dumps([KAHN]))
    page = project / "a.md"
    page.write_text(f"{PASKIN} doi:{DOI}\n")
    assert run("a.md").exit_code == 1

    page.write_text(f"<!-- hdl: ignore -->\n{PASKIN} doi:{DOI}\n")
    assert run("a.md").exit_code == 0

    page.write_text(f"{PASKIN} doi:{DOI}\n")
    corrections = project / "corrections.json"
    corrections.write_text(
        json.dumps([{**KAHN, "title": "Digital object identifiers for data"}])
    )
    given = ("--references", str(corrections), "--references", "references.json")
    assert run(*given, "a.md").exit_code == 0

    (project / "pyproject.toml").write_text(
        '[tool.handle]\nseverity = {other-work = "note"}\n'
    )
    assert run("a.md").exit_code == 0


CITING = """\
As @{doi:10.1000/key} says [see @doi:10.1000/cluster, p. 3], and @doi:10.1000/bare.
{doi}`10.1000/role`, {doi}`[10.1000/one; 10.1000/two]` and [](doi:10.1000/empty).

No citations: doi:10.1000/text, {doi}`a title <10.1000/title>`,
[a link](doi:10.1000/link), {hdl}`20.1000/1`, [@smith2020].
{doi}`10.1007/s00799-005-0128-x` is described, {doi}`10.1000/draft-1` is reserved.
{doi}`10.1000/ignored` is not wanted. <!-- hdl: ignore -->
"""


def test_cited_works_that_nobody_describes(project: Path) -> None:
    """Each DOI is told that the file lacks, wherever it stands; off by default."""
    custom = {"not-found": ["doi:10.1000/two"]}
    (project / "references.json").write_text(json.dumps([{**KAHN, "custom": custom}]))
    (project / "citing.md").write_text(CITING, "utf-8")
    quiet = run("--format", "text", "citing.md")
    (project / "pyproject.toml").write_text(
        "[tool.handle]\n"
        'severity = { undescribed = "warning" }\n'
        'verify_ignore = ["10.1000/draft-*"]\n'
    )
    done = run("--format", "text", "citing.md")

    assert (quiet.exit_code, quiet.stdout) == (0, "")
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    says = "references.json does not describe it [undescribed]"
    assert lines[::2] == [
        f"citing.md:1:6: warning: doi:10.1000/key: {says}",
        f"citing.md:1:34: warning: doi:10.1000/cluster: {says}",
        f"citing.md:1:67: warning: doi:10.1000/bare: {says}",
        f"citing.md:2:7: warning: 10.1000/role: {says}",
        f"citing.md:2:29: warning: 10.1000/one: {says}",
        f"citing.md:2:42: warning: 10.1000/two: {says}",
        f"citing.md:2:63: warning: doi:10.1000/empty: {says}",
        f"citing.md:4:15: warning: doi:10.1000/text: {says}",
        f"citing.md:4:48: warning: 10.1000/title: {says}",
        f"citing.md:5:10: warning: doi:10.1000/link: {says}",
    ]
    add = "    add its metadata: hdl references update citing.md"
    by_hand = "    no agency had its metadata: correct it, or write its item by hand"
    assert lines[1::2] == [*[add] * 5, by_hand, *[add] * 4]


def test_works_are_described_by_files_that_can_be_read(project: Path) -> None:
    """A file that is missing describes nothing, and a damaged one may describe all."""
    (project / "citing.md").write_text("{doi}`10.1000/role`\n")
    (project / "pyproject.toml").write_text(
        "[tool.handle]\n"
        'references = "works.json"\n'
        'severity = { undescribed = "warning" }\n'
    )
    missing = run("--format", "text", "citing.md")
    (project / "works.json").write_text("<<<<<<< HEAD\n[]\n")
    damaged = run("--format", "text", "citing.md")

    assert missing.stdout == (
        "citing.md:1:7: warning: 10.1000/role: works.json does not describe it "
        "[undescribed]\n"
        "    add its metadata: hdl references update citing.md\n"
    )
    assert damaged.stdout == (
        "works.json: warning: line 1 is a mark of a merge conflict: take either side, "
        "then run hdl references update [references]\n"
    )


def test_one_identifier_beside_two_entries(project: Path) -> None:
    """Two entries of a bibliography share a DOI, and nothing else."""
    (project / "a.bib").write_text(
        "@article{kahn, title = {A framework for distributed objects},\n"
        "  author = {Kahn, R.}, year = 2006, doi = {10.1000/1}}\n"
        "@article{paskin, title = {Identifiers for scientific data},\n"
        "  author = {Norman Paskin}, year = 2005, doi = {10.1000/1}}\n"
        "@incollection{doe, title = {On the ductility of tea urns},\n"
        "  author = {Doe, J.}, year = 2005, doi = {10.1000/1}}\n"
    )
    done = run("a.bib")

    assert done.exit_code == 1
    assert done.stdout == (
        "a.bib:4:49: warning: 10.1000/1: also beside another work on line 2, there "
        '"A framework for distributed objects" [same-doi]\n'
        "    correct the identifier that is wrong\n"
    )


def test_the_summary_ends_with_what_the_rules_of_rewriting_mend(
    project: Path,
) -> None:
    """Equal findings are mended or not by their places; the command repeats the arguments."""
    (project / "a b.md").write_text(
        "http://doi.org/doi:10.1000/182 and http://doi.org/doi:10.1000/182\\_a\n"
        "\n"
        "A {doi}`10.1O00/182` of doi:10.5072/1 and <doi:10.1/x.>\n"
    )
    (project / "c.txt").write_text("http://doi.org/doi:10.1000/182\n")
    done = run("--format", "grouped", "--encoding", "utf-8", "a b.md", "c.txt")

    helps = [line for line in done.stdout.splitlines() if "help:" in line]
    assert helps == [
        "  help: write doi:10.1000/182 (hdl fix)",
        "  help: write doi:10.1000/182_a",
        "  help: write doi:10.1000/182 (hdl fix)",
        "  help: write doi:10.1/x",
        "  help: write doi:10.1000/182 (hdl fix)",
    ]
    assert done.stderr == (
        "6 references, 0 errors, 3 warnings, 3 notes\n"
        "3 can be fixed with: hdl fix --only-wrong --encoding utf-8 'a b.md' c.txt\n"
    )


def test_the_command_to_fix_changes_what_is_reported(project: Path) -> None:
    """References about which nothing is said stay as they are."""
    text = "http://doi.org/doi:10.1000/182 and http://dx.doi.org/10.1000/183\n"
    (project / "a.md").write_text(text)
    said = run("a.md").stderr.splitlines()[-1]
    command = said.removeprefix("1 can be fixed with: hdl ")
    runner().invoke(hdl, [*command.split(), "--yes"])

    assert command == "fix --only-wrong a.md"
    assert (project / "a.md").read_text() == (
        "https://doi.org/10.1000/182 and http://dx.doi.org/10.1000/183\n"
    )
    assert run("a.md").stderr == "2 references, 0 errors, 0 warnings, 0 notes\n"


def test_addresses_in_fields_for_dois_are_mended(project: Path) -> None:
    """What the command writes there is another form, and not another identifier."""
    (project / "CITATION.cff").write_text(
        "cff-version: 1.2.0\ndoi: https://doi.org/10.1000/182\n"
    )
    (project / "a.bib").write_text(
        "@book{a, title={T}, doi={http://dx.doi.org/10.1000/182}}\n"
    )
    done = run("--format", "grouped", "CITATION.cff", "a.bib")

    helps = [line for line in done.stdout.splitlines() if "help:" in line]
    assert helps == ["  help: write 10.1000/182 (hdl fix)"] * 2
    assert done.stderr == (
        "2 references, 0 errors, 2 warnings, 0 notes\n"
        "2 can be fixed with: hdl fix --only-wrong CITATION.cff a.bib\n"
    )


def test_text_files_in_folders_and_the_standard_input_are_not_mended(
    project: Path,
) -> None:
    """The command that is named takes neither without being asked."""
    (project / "text").mkdir()
    (project / "text" / "-c.txt").write_text("http://doi.org/doi:10.1000/182\n")

    summary = "1 reference, 0 errors, 0 warnings, 1 note\n"
    assert run("text").stderr == summary
    piped = runner().invoke(
        hdl, ("check", "-"), input="http://doi.org/doi:10.1000/182\n"
    )
    assert piped.stderr == summary
    assert run("text/-c.txt").stderr == (
        f"{summary}1 can be fixed with: hdl fix --only-wrong text/-c.txt\n"
    )


def test_the_command_to_fix_is_safe_to_paste() -> None:
    """Each option counts that `hdl fix` needs to read the same, and paths are quoted."""
    command = fix_command(
        ["-a.md", "b c.md", "-", "$(x).md"],
        encoding="euc-jp",
        max_file_size=0.5,
        trust_config=True,
    )
    assert command == (
        "hdl fix --only-wrong --encoding euc-jp --max-file-size 0.5 --trust-config -- "
        "-a.md 'b c.md' '$(x).md'"
    )


def test_a_wrong_setting_of_another_front_end_is_a_note(project: Path) -> None:
    """The check goes on, and names the line of the setting."""
    (project / "pyproject.toml").write_text(
        '[tool.handle]\nexclude = ["x"]\ncite = "evry"\nlinkset = true\n'
    )
    done = run("--format", "text", "docs")

    assert (
        "pyproject.toml:3: note: tool.handle.cite: must be 'root' or 'every' or false, "
        "not 'evry'; did you mean 'every'? [config]\n"
    ) in done.stdout


def test_lines_of_several_files(project: Path) -> None:
    """Each finding has the line of its file, which is read again without a word."""
    (project / "a.md").write_text("See {hdl}`none` here\n")
    (project / "b.bib").write_bytes(b"@book{k, note = {caf\xe9}, doi = {10.1000}}\n")

    done = runner().invoke(
        hdl,
        ("check", "--format", "grouped", "a.md", "b.bib", "-"),
        input="Or {hdl}`none` there\n",
        catch_exceptions=False,
    )

    assert "\n  | See {hdl}`none` here\n" in done.stdout
    assert "\n  | Or {hdl}`none` there\n" in done.stdout
    assert "\n  | @book{k, note = {caf\u00e9}, doi = {10.1000}}\n" in done.stdout
    assert done.stderr.count("read as ISO-8859-1") == 1


def test_a_file_that_is_gone_when_its_line_is_shown(project: Path) -> None:
    """It has no lines any more, which hides no finding."""
    path = project / "a.md"
    path.write_text("hdl:20.1/0\n")
    lines = SourceLines()
    file = SourceFile(path=path, name="a.md", syntax=Syntax.MARKDOWN)
    lines.add(file, SourceText(Syntax.MARKDOWN, path.read_text(), "a.md"))
    path.unlink()

    assert lines.line(Place("a.md", 1)) == ""
    assert lines.line(Place("of-no-run.md", 1)) == ""
