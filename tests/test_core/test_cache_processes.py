"""The cache, when builds are killed and when several share it."""

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from handle_system.handle import Handle
from handle_system.resolving.caching import CachingResolver
from handle_system.resolving.old_cache import Cache
from handle_system.resolving.old_many import resolve_many
from handle_system.resolving.outcome import Resolved
from handle_system.resolving.proxy_resolver import ProxyResolver
from tests.faults import right_answer, send, wait_for_the_end
from tests.proxy_server import ProxyServer, Record, running

ROOT = Path(__file__).parent.parent.parent
HANDLES = [Handle("20.1000", str(number)) for number in range(200)]
RECORDS: dict[str, Record] = {str(handle): "https://example.org/" for handle in HANDLES}


def start(server: ProxyServer, cache: Path) -> subprocess.Popen[str]:
    worker = [sys.executable, "-m", "tests.cache_worker"]
    return subprocess.Popen(
        [*worker, server.url, str(cache), str(len(HANDLES))],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def is_sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("moment", ["at once", "when it has learned something"])
def test_a_killed_build_leaves_a_sound_cache_and_what_it_learned(
    tmp_path: Path, moment: str
) -> None:
    """The next one asks for the rest, and not for that."""
    path = tmp_path / "cache.sqlite"
    in_the_middle = threading.Event()

    def hold(handler: BaseHTTPRequestHandler) -> None:
        if len(server.requests) >= 150:
            in_the_middle.set()
            wait_for_the_end(handler)
        else:
            send(handler, right_answer(handler))

    with running(dict.fromkeys(RECORDS, hold)) as server:
        build = start(server, path)
        in_the_middle.wait()
        while moment != "at once" and len(kept_in(path)) < 140:
            # Within a tenth of a second it writes down what it has learned.
            pass
        build.kill()
        build.communicate()
        assert build.returncode < 0
        kept = kept_in(path)
        server.records = dict(RECORDS)
        before = server.asked

        with (
            ProxyResolver(server.url) as proxy,
            CachingResolver(proxy, path) as caching,
        ):
            outcomes = resolve_many(HANDLES, caching)
        after = server.asked - before

    assert is_sound(path)
    assert len(kept) < 200
    assert set(after) == set(RECORDS) - kept
    assert all(isinstance(outcome, Resolved) for outcome in outcomes.values())


def kept_in(path: Path) -> set[str]:
    with Cache(path) as cache:
        return {entry.handle for entry in cache.entries()}


@pytest.mark.parametrize("before", ["nothing", "another's file"])
def test_four_builds_may_share_a_cache(tmp_path: Path, before: str) -> None:
    """Even one that all find unusable at once: it is moved aside once."""
    path = tmp_path / "cache.sqlite"
    if before == "another's file":
        path.write_text("This is a letter to a friend.\n" * 100)
    with running(RECORDS) as server:
        builds = [start(server, path) for _ in range(4)]
        said = [build.communicate()[0].splitlines() for build in builds]

    assert [build.returncode for build in builds] == [0, 0, 0, 0]
    assert [lines[-1] for lines in said] == ["200"] * 4
    warnings = [line for lines in said for line in lines[:-1]]
    assert warnings == (
        []
        if before == "nothing"
        else [
            (
                f"the file {path} is damaged: it was moved to cache.sqlite.aside, "
                "and a new cache begun"
            )
        ]
    )
    assert is_sound(path)
    assert kept_in(path) == set(RECORDS)
    names = {each.name for each in tmp_path.iterdir()} - {"cache.sqlite.aside"}
    assert names == {"cache.sqlite"}
