"""`hdl cache`: what is remembered of earlier verifications."""

import json
from pathlib import Path

import pytest
from click.testing import Result

from handle_cli.command import hdl
from handle_system.handle import Handle
from handle_system.resolving.cache import SqliteCache
from handle_system.resolving.outcomes import NotRegistered, Resolved
from handle_system.resolving.records import HandleRecord
from tests.command_line import runner
from tests.fake_clock import START

GONE = Handle("20.1000", "gone\u202e")
THERE = Handle("20.1000", "there")


def run(*arguments: str) -> Result:
    return runner().invoke(hdl, ("cache", *arguments), catch_exceptions=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A cache of long ago."""
    file = tmp_path / "kept" / "answers"
    record = HandleRecord.of_url(THERE, "https://example.org/")
    with SqliteCache(file, now=START.timestamp) as cache:
        cache.remember("https://proxy.example/", GONE, NotRegistered())
        cache.remember("https://proxy.example/", THERE, Resolved(record))
    return file


def test_each_answer_is_a_line(path: Path) -> None:
    """What came of it, when, until when it is believed, and where it leads."""
    gone, there = run("show", str(path)).stdout.splitlines()

    assert gone == (
        "20.1000/gone\\u202e: not-registered on 2026-11-20T12:00+00:00, "
        "believed until 2026-11-20T13:00+00:00"
    )
    assert there.startswith("20.1000/there: resolved on 2026-11-20T12:00+00:00, ")
    assert there.endswith("+00:00, leads to https://example.org/")


def test_export_is_json(path: Path) -> None:
    """The same as that of `show`."""
    exported = run("export", str(path)).stdout

    assert [row["handle"] for row in json.loads(exported)] == [str(GONE), str(THERE)]
    assert run("show", "--json", str(path)).stdout == exported


def test_prune_forgets_what_may_not_be_believed(path: Path) -> None:
    """And keeps the rest."""
    with SqliteCache(path) as cache:
        cache.remember("https://proxy.example/", THERE, NotRegistered())

    assert run("prune", str(path)).stdout == "forgotten: 1, kept: 1\n"
    assert json.loads(run("prune", "--json", str(path)).stdout) == {
        "forgotten": 0,
        "kept": 1,
    }
    assert [row["handle"] for row in json.loads(run("export", str(path)).stdout)] == [
        str(THERE)
    ]


@pytest.mark.parametrize("command", ["show", "export", "prune"])
@pytest.mark.parametrize(
    "content", [b"", b"precious notes", b"SQLite format 3\0" + bytes(84)]
)
def test_a_file_that_is_no_cache_stays_as_it_is(
    tmp_path: Path, command: str, content: bytes
) -> None:
    """Nothing beside it, and not a byte of it changed."""
    other = tmp_path / "notes"
    other.write_bytes(content)
    done = run(command, str(other))

    assert done.exit_code == 2
    assert "is not a cache of this version" in done.stderr.replace("\n", " ")
    assert [file.name for file in tmp_path.iterdir()] == ["notes"]
    assert other.read_bytes() == content
