"""`hdl parse` and `hdl link`: the parts of a reference, and its one correct link."""

import json
import re
import subprocess
import sys

import click
import pytest
from click.testing import Result

from handle_cli.command import hdl
from tests.command_line import runner


def run(*arguments: str, stdin: str = "") -> Result:
    return runner().invoke(hdl, arguments, input=stdin, catch_exceptions=False)


def test_a_reference_is_shown_with_all_its_parts() -> None:
    """The output has the handle, its form, its URI and its link."""
    done = run("parse", "http://dx.doi.org/10.1000%2F182?noredirect#s2")

    assert done.exit_code == 0
    assert done.stdout == (
        "http://dx.doi.org/10.1000%2F182?noredirect#s2\n"
        "  kind      DOI\n"
        "  written   proxy\n"
        "  prefix    10.1000\n"
        "  suffix    182\n"
        "  query     noredirect\n"
        "  fragment  s2\n"
        "  URI       doi:10.1000/182?noredirect#s2\n"
        "  link      https://doi.org/10.1000/182?noredirect#s2\n"
    )


def test_what_is_wrong_is_told_with_what_to_write() -> None:
    """A suspicious text exits with 1; an invalid one with 2 and a caret."""
    suspicious, wrong = (
        run("parse", text, "20.1000/1")
        for text in ("10.1000/a%2Fb", "doi:10.1000/50%-off")
    )

    assert suspicious.exit_code == 1
    assert "  looks-encoded: " in suspicious.stdout
    assert "    write doi:10.1000/a/b\n20.1000/1\n" in suspicious.stdout
    assert wrong.exit_code == 2
    assert "    doi:10.1000/50%-off\n                  ^" in wrong.stderr
    assert wrong.stdout.startswith("20.1000/1\n  kind      handle\n")


def test_parse_writes_json_for_good_and_bad_texts() -> None:
    """Each text is one object, in order."""
    done = run("parse", "--json", "20.1000/é", "no handle")
    good, bad = json.loads(done.stdout)

    assert done.exit_code == 2
    assert good["uri"] == "hdl:20.1000/%C3%A9"
    assert good["findings"] == []
    assert bad["text"] == "no handle"
    assert set(bad) == {"text", "error", "span", "suggestion"}


def test_what_a_terminal_would_obey_is_escaped() -> None:
    """A control sequence in a text does not reach the terminal."""
    done = run("parse", "20.1000/a\x1b[31m")

    assert "\x1b" not in done.stdout + done.stderr
    assert "\\x1b" in done.stdout + done.stderr


def test_link_reads_the_standard_input() -> None:
    """A dash stands for the lines of the standard input; empty lines are skipped.

    Without `--json` each link is a line, and nothing else is.
    """
    done = run("link", "--json", "-", stdin="doi:10.1/a\n\nnothing\n")

    assert done.exit_code == 2
    assert json.loads(done.stdout) == [
        {"text": "doi:10.1/a", "link": "https://doi.org/10.1/a", "findings": []}
    ]
    assert done.stderr == (
        '<stdin>:3: no "/" between prefix and suffix\n    nothing\n           ^\n'
    )
    assert run("link", "20.1/a b").stdout == "https://hdl.handle.net/20.1/a%20b\n"


def test_link_warns_as_parse_does() -> None:
    """The link is written all the same, and the code says to look."""
    piped = run("link", "-", stdin="20.1/a\n10.1000/182.\n")
    given = run("link", "--json", "10.1000/182.")

    warning = (
        "warning: 10.1000/182.: '.' at the end is probably not meant "
        "[trailing-punctuation]\n    write 10.1000/182\n"
    )
    assert piped.exit_code == given.exit_code == 1
    assert piped.stdout == (
        "https://hdl.handle.net/20.1/a\nhttps://doi.org/10.1000/182.\n"
    )
    assert piped.stderr == f"<stdin>:2: {warning}"
    assert given.stderr == warning
    assert (
        json.loads(given.stdout)[0]["findings"]
        == (json.loads(run("parse", "--json", "10.1000/182.").stdout)[0]["findings"])
    )


def test_the_help_groups_the_subcommands() -> None:
    """Each stands once, behind a sentence that is not cut, and all in one column."""
    listed = run("--help").stdout.partition("-h, --help")[2].partition("\n\n")[2]
    sections = [section.splitlines() for section in listed.split("\n\n")]
    rows = [row for _title, *section in sections for row in section]

    assert sorted(row.split()[0] for row in rows) == sorted(
        hdl.list_commands(click.Context(hdl))
    )
    assert [section[0] for section in sections] == [
        *("Documents:", "Cited works:", "Set up a project:", "One identifier:"),
        *("Servers:", "Register your own handles:"),
    ]
    assert sections[0][1:] == [
        "  check       Find malformed and suspicious references in files.",
        "  fix         Rewrite references in files to their canonical links.",
        "  list        List the references in files and folders.",
    ]
    assert all(
        re.match(r"  [a-z]+ +(?<=^.{14})[A-Z].*(?<!\.\.)\.$", row) for row in rows
    )


@pytest.mark.parametrize("name", ["check", "resolve", "fix", "parse", "link", "serve"])
def test_each_help_tells_its_exit_codes(name: str) -> None:
    """Each subcommand's help names the exit codes that it uses, and no others."""
    assert "\n  Exits with " in run(name, "--help").stdout


def test_the_package_can_be_run() -> None:
    """`python -m handle_cli` is the command, under its own name."""
    done = subprocess.run(
        [sys.executable, "-m", "handle_cli", "link", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.startswith("Usage: hdl link [OPTIONS] TEXT…\n")


def test_only_what_is_needed_is_imported() -> None:
    """Reading a reference loads no HTTP client, no database and no tables."""
    code = (
        "import sys\n"
        "from handle_cli.command import hdl\n"
        "hdl(['link', 'doi:10.1/a'], standalone_mode=False)\n"
        "print(sorted({'urllib3', 'sqlite3', 'rich', 'sphinx'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout == "https://doi.org/10.1/a\n[]\n"
