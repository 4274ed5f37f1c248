"""`hdl mint`, `hdl suffix` and `hdl cache`."""

import json
from pathlib import Path

from click.testing import Result

from handle_cli.command import hdl
from handle_system import Handle, NotRegistered
from handle_system.resolving.cache import SqliteCache
from handle_system.suffix import to_datetime
from tests.command_line import runner


def run(*arguments: str) -> Result:
    return runner().invoke(hdl, arguments, catch_exceptions=False)


def test_mint_gives_as_many_as_are_asked_for() -> None:
    """Distinct suffixes, each of which tells a time."""
    made = run("mint", "--count", "50").stdout.split()

    assert len(set(made)) == 50
    assert sorted(map(to_datetime, made)) == [to_datetime(each) for each in made]


def test_mint_writes_whole_handles(tmp_path: Path) -> None:
    """With a prefix; a state file is made where it is named."""
    state = tmp_path / "state"
    done = run("mint", "--prefix", "20.1000", "--state", str(state), "--json")
    (made,) = json.loads(done.stdout)

    assert Handle.parse(made).prefix == "20.1000"
    assert state.exists()


def test_mint_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    """A prefix that is none, and a state file that is not one: exit code 2."""
    state = tmp_path / "state"
    state.write_text("not a state file, though it is long enough to be one")
    prefix = run("mint", "--prefix", "a/b")
    damaged = run("mint", "--state", str(state))

    assert (prefix.exit_code, damaged.exit_code) == (2, 2)
    assert "^" in prefix.stderr
    assert damaged.stderr.startswith(f"{state}: ")
    assert damaged.stdout == ""


def test_suffix_tells_the_time() -> None:
    """The policy's own two, to the millisecond; what is none is an error."""
    done = run("suffix", "Y35XYS0QH", "0N8J991QH", "A")

    assert done.exit_code == 2
    assert done.stdout == (
        "Y35XYS0QH 2007-05-25T03:49:52.865Z\n0N8J991QH 2007-05-30T05:50:34.750Z\n"
    )
    assert "^" in done.stderr


def test_a_cache_is_shown_exported_and_pruned(tmp_path: Path) -> None:
    """What is remembered is listed, and what is fresh survives pruning."""
    path = str(tmp_path / "cache.sqlite")
    with SqliteCache(path) as cache:
        cache.remember("a proxy", Handle("20.1000", "1"), NotRegistered())

    assert run("cache", "show", path).stdout.startswith("20.1000/1: not-registered")
    (entry,) = json.loads(run("cache", "export", path).stdout)
    assert (entry["resolver"], entry["handle"]) == ("a proxy", "20.1000/1")
    assert run("cache", "prune", path).stdout == "forgotten: 0, kept: 1\n"
    assert run("cache", "show", str(tmp_path / "none")).exit_code == 2
