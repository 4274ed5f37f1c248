"""`hdl mint`, `suffix`, `assign`, `register`: from a suffix to a registered handle."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from handle_cli.command import hdl
from handle_system.suffix import to_datetime
from tests.command_line import runner
from tests.faults import cut_json
from tests.proxy_server import running

WORKS = """\
# Kept by hand.
[[work]]
id = "policy"
title = "Policy"
handle = "20.1000/work"
  [[work.version]]
  label = "1.0"
  handle = "20.1000/one"
  url = "https://example.org/1.0/"   # stays there
  [[work.version]]
  label = "2.0"
  handle = "not yet assigned"
  url = "https://example.org/2.0/"
"""


def run(*arguments: object) -> Result:
    words = [str(each) for each in arguments]
    return runner().invoke(hdl, words, catch_exceptions=False)


@pytest.fixture
def works(tmp_path: Path) -> Path:
    path = tmp_path / "works.toml"
    path.write_text(WORKS, encoding="utf-8")
    return path


def test_mint_writes_distinct_handles(tmp_path: Path) -> None:
    """Each line is a handle of the prefix, and its suffix encodes a later time."""
    done = run(
        *("mint", "--prefix", "20.1000", "--count", "50", "--state", tmp_path / "state")
    )
    made = [line.removeprefix("20.1000/") for line in done.stdout.splitlines()]

    assert len(set(made)) == 50
    assert sorted(map(to_datetime, made)) == [to_datetime(each) for each in made]
    assert (tmp_path / "state").exists()
    assert len(run("mint").stdout) == 10


def test_mint_refuses_unusable_arguments(tmp_path: Path) -> None:
    """A malformed prefix and a file that is no state file are errors."""
    state = tmp_path / "state"
    state.write_text("not a state file, though it is long enough to be one")
    prefix = run("mint", "--prefix", "a/b")
    damaged = run("mint", "--state", state)

    assert (prefix.exit_code, damaged.exit_code, damaged.stdout) == (2, 2, "")
    assert "^" in prefix.stderr
    assert damaged.stderr == f"Error: {state}: file is not a database\n"


def test_suffix_tells_the_time() -> None:
    """The policy's two examples give their times; another text is an error."""
    done = run("suffix", "Y35XYS0QH", "0N8J991QH", "A")

    assert done.exit_code == 2
    assert done.stdout == (
        "Y35XYS0QH 2007-05-25T03:49:52.865Z\n0N8J991QH 2007-05-30T05:50:34.750Z\n"
    )
    assert "^" in done.stderr


def test_assign_fills_what_is_missing(works: Path, tmp_path: Path) -> None:
    """One value is added to the file, and nothing else changes."""
    done = run("assign", works, "--prefix", "20.1000", "--state", tmp_path / "state")

    assert done.exit_code == 0
    found = re.fullmatch(r"version 2\.0: (20\.1000/[0-9B-Z]{9})\n", done.stdout)
    assert found is not None
    text = works.read_text(encoding="utf-8")
    assert text == WORKS.replace("not yet assigned", found[1])
    again = run("assign", works, "--prefix", "20.1000")
    assert (again.exit_code, again.stdout, again.stderr) == (
        0,
        "",
        "every version already has a handle\n",
    )


def test_assign_says_who_makes_the_handle_of_a_work(tmp_path: Path) -> None:
    """The work itself gets no handle, and the command for one is named."""
    works = tmp_path / "works.toml"
    works.write_text('[[work]]\ntitle = "T"\n[[work.version]]\nlabel = "1"\n', "utf-8")

    done = run("assign", works, "--prefix", "20.1000")

    assert done.exit_code == 0
    command = "hdl mint --prefix 20.1000"
    assert (
        done.stderr == f"T: the work itself has no handle; make one with: {command}\n"
    )


def test_assign_names_the_file_of_states_that_it_used(tmp_path: Path) -> None:
    """Who pastes the command gets a suffix that no run with that file makes."""
    works = tmp_path / "works.toml"
    works.write_text('[[work]]\ntitle = "T"\n[[work.version]]\nlabel = "1"\n', "utf-8")
    state = tmp_path / "the state"

    done = run("assign", works, "--prefix", "20.1000", "--state", state)

    command = f"hdl mint --prefix 20.1000 --state '{state}'"
    assert (
        done.stderr == f"T: the work itself has no handle; make one with: {command}\n"
    )


def test_assign_takes_the_versions_that_are_named(works: Path) -> None:
    """A label chooses its version; one that has a handle keeps it."""
    left = run("assign", works, "--prefix", "20.1000", "--version", "1.0", "--json")
    named = run("assign", works, "--prefix", "20.1000", "--version", "v2", "--json")

    assert json.loads(left.stdout) == []
    (row,) = json.loads(named.stdout)
    assert (row["path"], row["version"]) == ("work[0].version[1]", "2.0")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_assign_keeps_every_other_byte(tmp_path: Path, end: str) -> None:
    """Comments, order, spacing, line ends and a byte order mark stay; a number is a
    label, and an environment variable counts as a handle."""
    path = tmp_path / "works.toml"
    text = end.join(
        (
            "\ufeff# Works",
            "[[work]]",
            "title = 'T'   # kept",
            "version = [ { label = 1.10, handle = '-' }, { label = 'β' } ]",
            "[[work]]",
            "title = 'U'",
            "[[work.version]]",
            "# in preparation",
            "  label = 1.9",
            "",
            "[[work.version]]",
            'label = "2"',
            'handle = "env:SECOND"',
            "",
        )
    )
    path.write_bytes(text.encode())

    done = run("assign", path, "--prefix", "20.1000", "--env", "SECOND", "--json")

    rows = {row["path"]: row["handle"] for row in json.loads(done.stdout)}
    first, second, third = rows.values()
    assert list(rows) == [
        "work[0].version[0]",
        "work[0].version[1]",
        "work[1].version[0]",
    ]
    assert path.read_bytes().decode() == (
        text.replace("handle = '-'", f'handle = "{first}"')
        .replace("'β' }", f"'β', handle = \"{second}\"}}")
        .replace("  label = 1.9\n", f'  label = 1.9\n  handle = "{third}"\n')
        .replace("  label = 1.9\r\n", f'  label = 1.9\r\n  handle = "{third}"\r\n')
    )


def test_assign_edits_toml_only(tmp_path: Path) -> None:
    """A work in another format is an error with its place, and the file stays."""
    path = tmp_path / "CITATION.cff"
    path.write_text("cff-version: 1.2.0\ntitle: T\nversion: '1'\n")
    done = run("assign", path, "--prefix", "20.1000")

    reason = "this is not TOML: Unexpected character: ':' at line 1 col 11"
    assert (done.exit_code, done.stderr) == (2, f"Error: {path}: {reason}\n")
    assert path.read_text().startswith("cff-version: 1.2.0\n")


def test_register_writes_a_batch_file(works: Path) -> None:
    """Offline, every version with a handle and an address is created."""
    done = run("register", works, "--new")

    assert done.exit_code == 0
    assert done.stdout == (
        "CREATE 20.1000/one\n"
        "100 HS_ADMIN 86400 1110 ADMIN 200:110011111111:0.NA/20.1000\n"
        "1 URL 86400 1110 UTF8 https://example.org/1.0/\n"
        "\n"
        "CREATE 20.1000/work\n"
        "100 HS_ADMIN 86400 1110 ADMIN 200:110011111111:0.NA/20.1000\n"
        "1 URL 86400 1110 UTF8 https://example.org/1.0/\n"
        "\n"
    )
    assert done.stderr == "Policy, version 2.0: it has no handle yet\n"


def test_register_asks_what_is_registered(works: Path) -> None:
    """A handle that leads there is skipped, one that leads elsewhere modified, the rest created."""
    works.write_text(WORKS.replace("not yet assigned", "20.1000/two"))
    known = {
        "20.1000/one": "https://example.org/1.0/",
        "20.1000/work": "https://example.org/1.0/",
    }
    with running(known) as server:
        done = run("register", works, "--resolver", server.url, "--id", "policy")

    assert done.exit_code == 0
    assert done.stdout == (
        "CREATE 20.1000/two\n"
        "100 HS_ADMIN 86400 1110 ADMIN 200:110011111111:0.NA/20.1000\n"
        "1 URL 86400 1110 UTF8 https://example.org/2.0/\n"
        "\n"
        "MODIFY 20.1000/work\n"
        "1 URL 86400 1110 UTF8 https://example.org/2.0/\n"
        "\n"
    )
    assert done.stderr == "20.1000/one: leads to https://example.org/1.0/ already\n"


def test_register_writes_requests(works: Path) -> None:
    """JSON requests say the same, with another administrator."""
    command = ("register", works, "--new", "--format", "json")
    done = run(*command, "--admin", "301:20.1000/ADMINS")

    first, _ = json.loads(done.stdout)
    assert first["path"] == "/api/handles/20.1000/one?overwrite=false"
    assert first["body"]["values"][1]["data"]["value"] == {
        "handle": "20.1000/ADMINS",
        "index": 301,
        "permissions": "111111110011",
    }


def test_register_writes_aliases(works: Path) -> None:
    """An alias is created, modified, skipped or left to people, as an address is."""
    names = [f"20.1000/{name}" for name in ("new", "old", "there", "url", "elsewhere")]
    options = [word for name in names for word in ("--alias", name, "hdl:20.1000/one")]
    known: dict[str, Any] = {
        "20.1000/one": "https://example.org/1.0/",
        "20.1000/work": "https://example.org/1.0/",
        "20.1000/old": alias_of("20.1000/gone"),
        "20.1000/there": alias_of("20.1000/one"),
        "20.1000/url": "https://example.org/",
        "20.1000/elsewhere": alias_of("20.1000/work"),
    }
    with running(known) as server:
        done = run("register", works, *options, "--resolver", server.url)

    assert done.stdout == (
        "CREATE 20.1000/new\n"
        "100 HS_ADMIN 86400 1110 ADMIN 200:110011111111:0.NA/20.1000\n"
        "1 HS_ALIAS 86400 1110 UTF8 20.1000/one\n"
        "\n"
        "MODIFY 20.1000/old\n"
        "1 HS_ALIAS 86400 1110 UTF8 20.1000/one\n"
        "\n"
    )
    by_hand = "change it by hand to lead to 20.1000/one"
    assert done.stderr.splitlines()[3:] == [
        "20.1000/there: leads to 20.1000/one already",
        f"20.1000/url: {by_hand}: its record has no alias at index 1",
        f"20.1000/elsewhere: {by_hand}: it is an alias of 20.1000/work",
    ]


def alias_of(target: str) -> dict[str, object]:
    return {"values": [{"index": 1, "type": "HS_ALIAS", "data": target}]}


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        (
            WORKS.replace("not yet assigned", "20.1000/one"),
            (),
            "20.1000/one stands for Policy, version 1.0, and for Policy, version 2.0",
        ),
        (
            WORKS.replace("20.1000/work", "20.1000/one"),
            (),
            "20.1000/one stands for Policy, version 1.0, and for Policy, the work",
        ),
        (
            WORKS,
            ("--alias", "20.1000/work", "20.1000/one"),
            "20.1000/work stands for Policy, the work, and for an alias of 20.1000/one",
        ),
    ],
)
def test_register_gives_no_handle_to_two(
    works: Path, text: str, options: tuple[str, ...], reason: str
) -> None:
    """One handle for two versions, or for a version and its work, is refused."""
    works.write_text(text)
    done = run("register", works, "--new", *options)

    assert (done.exit_code, done.stdout) == (2, "")
    assert f"works.toml: {reason}: give each a handle of its own\n" in done.stderr


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        (
            ("20.1000/a", "20.1000/b"),
            "20.1000/b is not a handle that the file registers",
        ),
        (("noslash", "20.1000/one"), 'no "/" between prefix and suffix'),
    ],
)
def test_an_alias_stands_for_a_handle_of_the_file(
    works: Path, pair: tuple[str, str], reason: str
) -> None:
    """The error names the option."""
    done = run("register", works, "--new", "--alias", *pair)

    assert (done.exit_code, done.stdout) == (2, "")
    assert f"Error: --alias: {reason}" in done.stderr


def test_register_leaves_other_records_to_people(works: Path, tmp_path: Path) -> None:
    """An address at another index would stay beside a new one."""
    records = tmp_path / "records.json"
    value = {"index": 2, "type": "URL", "data": "https://example.org/old/"}
    work = "https://example.org/1.0/"
    records.write_text(
        json.dumps({"20.1000/one": {"values": [value]}, "20.1000/work": work})
    )

    done = run("register", works, "--resolver", records)

    assert (done.exit_code, done.stdout) == (0, "")
    assert (
        "20.1000/one: change it by hand to lead to https://example.org/1.0/: its record "
        "has no address at index 1\n"
    ) in done.stderr


def test_register_concludes_nothing_without_an_answer(works: Path) -> None:
    """Without an answer no file is written, the exit code is 3, and `--new` is named."""
    unreachable = dict.fromkeys(("20.1000/one", "20.1000/work"), cut_json)
    with running(unreachable) as server:
        done = run("register", works, "--resolver", server.url)

    assert (done.exit_code, done.stdout) == (3, "")
    assert "20.1000/one: not known whether registered: " in done.stderr
    assert done.stderr.endswith("registered yet, use --new\n")


ASSIGN = ("assign", "--prefix", "20.1000")
REGISTER = ("register", "--new")


@pytest.mark.parametrize(
    ("text", "command", "message"),
    [
        (
            "[[work]]\n",
            ASSIGN,
            "works.toml: work[0].title: a title is required, and no source gives one\n",
        ),
        (
            WORKS,
            ("assign", "--prefix", "a/b"),
            '"/" is not allowed in a prefix\n    a/b/',
        ),
        (
            WORKS,
            (*ASSIGN, "--version", "3"),
            "works.toml: there is no version 3; there are 1.0, 2.0\n",
        ),
        (
            WORKS.replace("20.1000/one", "env:SECRET"),
            ASSIGN,
            (
                "works.toml: work[0].version[0].handle: the environment variable SECRET may "
                "not be read: list it in handle_environment in conf.py, or name it with "
                "--env on the command line\n"
            ),
        ),
        (
            "[[work]]\n",
            REGISTER,
            "works.toml: work[0].title: a title is required, and no source gives one\n",
        ),
        (
            WORKS,
            (*REGISTER, "--id", "x"),
            'works.toml: no work has the id "x"; there are policy\n',
        ),
        (
            WORKS.replace("20.1000/one", "20.1000/a b"),
            REGISTER,
            (
                "works.toml: '20.1000/a b' holds white space, and a batch file cannot name "
                "it\n"
            ),
        ),
        (
            "\udcff",
            REGISTER,
            (
                "works.toml: 'utf-8' codec can't decode byte 0xff in position 0: invalid "
                "start byte\n"
            ),
        ),
    ],
)
def test_files_and_arguments_that_cannot_be_used_are_refused(
    works: Path, text: str, command: tuple[str, ...], message: str
) -> None:
    """The error names the place in the file or argument; nothing is written.

    A works file may be hostile: variables are read only if the command line names them.
    """
    works.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = works.read_bytes()
    done = run(*command, works)

    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    assert works.read_bytes() == before


PILIN = '[tool.handle]\nsuffix_policy = {"20.1000" = "pilin"}\n'
PATTERN = '[tool.handle]\nsuffix_policy = {"20.1000" = "thesis-[0-9]+"}\n'


def test_register_refuses_a_suffix_of_another_format(
    works: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project's policy holds first where handles are registered."""
    monkeypatch.chdir(works.parent)
    Path("pyproject.toml").write_text(PILIN, "utf-8")

    done = run("register", "--new", works)

    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        "Policy, version 2.0: it has no handle yet\n"
        f"Error: {works}: 20.1000/one: "
        'the alphabet of PILIN suffixes skips the letter "O"\n'
    )


def test_register_warns_of_handles_that_were_hardly_meant(works: Path) -> None:
    """It writes them all the same: a full stop may belong to a handle."""
    works.write_text(WORKS.replace("20.1000/one", "20.1000/one."), "utf-8")

    done = run("register", "--new", works)

    assert done.exit_code == 0
    assert "CREATE 20.1000/one.\n" in done.stdout
    assert (
        "warning: 20.1000/one.: '.' at the end is probably not meant; "
        "write 20.1000/one\n" in done.stderr
    )


@pytest.mark.parametrize(
    "arguments", [("mint", "--prefix", "20.1000"), ("assign", "--prefix", "20.1000")]
)
def test_new_handles_have_the_format_of_their_prefix(
    works: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """A regular expression needs trust; another prefix has no format."""
    monkeypatch.chdir(works.parent)
    Path("pyproject.toml").write_text(PATTERN, "utf-8")
    file = [works] if arguments[0] == "assign" else []

    untrusted = run(*arguments, *file)
    refused = run(*arguments, "--trust-config", *file)
    Path("pyproject.toml").write_text(PILIN, "utf-8")
    done = run(*arguments, *file)

    assert (untrusted.exit_code, untrusted.stderr) == (
        2,
        (
            "Error: pyproject.toml: tool.handle.suffix_policy has a regular expression "
            "for '20.1000'; pass --trust-config to allow it\n"
        ),
    )
    assert refused.exit_code == 2
    assert refused.stderr.endswith(
        'the suffix does not have the format "thesis-[0-9]+" of its prefix\n'
    )
    assert refused.stdout == untrusted.stdout == ""
    assert done.exit_code == 0
