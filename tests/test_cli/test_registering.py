"""`hdl assign` and `hdl register`: from a version to a handle that leads to it."""

import json
import re
from pathlib import Path

import pytest
from click.testing import Result

from handle_cli.command import hdl
from handle_system.citing.source import read_source
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


def test_assign_fills_what_is_missing(works: Path, tmp_path: Path) -> None:
    """One value comes into the file, and nothing else changes."""
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
        "every version that is meant has a handle\n",
    )


def test_assign_means_the_versions_that_are_named(works: Path) -> None:
    """Others wait; in JSON the place in the file is told."""
    other = run("assign", works, "--prefix", "20.1000", "--version", "3.0", "--json")
    named = run("assign", works, "--prefix", "20.1000", "--version", "v2", "--json")

    assert json.loads(other.stdout) == []
    (row,) = json.loads(named.stdout)
    assert (row["path"], row["version"]) == ("work[0].version[1]", "2.0")
    versions = read_source(works).versions
    assert str(versions[1].handle) == row["handle"]


def test_assign_refuses_what_it_cannot_do(works: Path) -> None:
    """A prefix that is none, and a file that is no file of works: exit code 2."""
    prefix = run("assign", works, "--prefix", "a/b")
    works.write_text("[[work]]\n")
    broken = run("assign", works, "--prefix", "20.1000")

    assert (prefix.exit_code, broken.exit_code) == (2, 2)
    assert "^" in prefix.stderr
    assert broken.stderr == f"{works}: work[0]: title is missing\n"


def test_register_writes_a_batch_file(works: Path) -> None:
    """Without asking anybody, everything with a handle and an address is created."""
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
    """What leads there is passed over, what leads elsewhere modified, the rest created."""
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
    """The same as JSON, with another administrator."""
    command = ("register", works, "--new", "--format", "json")
    done = run(*command, "--admin", "301:20.1000/ADMINS")

    first, _ = json.loads(done.stdout)
    assert first["path"] == "/api/handles/20.1000/one?overwrite=false"
    assert first["body"]["values"][1]["data"]["value"] == {
        "handle": "20.1000/ADMINS",
        "index": 301,
        "permissions": "110011111111",
    }


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
    """Whether to create or to modify is not known then: exit code 3, and no file."""
    unreachable = dict.fromkeys(("20.1000/one", "20.1000/work"), cut_json)
    with running(unreachable) as server:
        done = run("register", works, "--resolver", server.url)

    assert (done.exit_code, done.stdout) == (3, "")
    assert "20.1000/one: not known whether registered: " in done.stderr


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("[[work]]\n", [], "work[0]: title is missing"),
        (WORKS, ["--id", "x"], 'work: no work has the id "x" (policy)'),
        (
            WORKS.replace("20.1000/one", "20.1000/a b"),
            [],
            "'20.1000/a b' holds white space, and a batch file cannot name it",
        ),
        ("\udcff", [], "'utf-8' codec can't decode byte 0xff in position 0"),
    ],
    ids=["no title", "no such work", "white space", "not UTF-8"],
)
def test_register_refuses_what_it_cannot_do(
    works: Path, text: str, options: list[str], message: str
) -> None:
    """A file that cannot be used is told with its place: exit code 2."""
    works.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = run("register", works, "--new", *options)

    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
