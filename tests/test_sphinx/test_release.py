"""A release with default settings: the build reports what is true now."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handle_system import Handle, NotRegistered
from handle_system.resolving.cache import SqliteCache
from tests.proxy_server import running
from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built, Project

pytestmark = pytest.mark.slow

WORKS = """
[[work]]
title = "The Manual"
creators = ["The developers"]
handle = "20.1000/manual"

[[work.version]]
label = "1.0"
date = 2025-03-01
handle = "20.1000/manual-1"

[[work.version]]
label = "2.0"
date = 2026-02-01
handle = "20.1000/manual-2"
"""
FIRST, SECOND = ("https://example.org/manual/1.0/", "https://example.org/manual/2.0/")
BEFORE = {"20.1000/manual": FIRST, "20.1000/manual-1": FIRST}
WRONG = {**BEFORE, "20.1000/manual-2": FIRST}
RIGHT = {
    "20.1000/manual": SECOND,
    "20.1000/manual-1": FIRST,
    "20.1000/manual-2": SECOND,
}
NOT_REGISTERED = (
    "index.rst: WARNING: 20.1000/manual-2: this handle is not registered"
    "{} [handle.not-registered]\n"
)
WRONG_TARGET = (
    "index.rst: WARNING: the handle of version 2.0 leads to "
    "https://example.org/manual/1.0/, and not to this page, "
    "https://example.org/manual/2.0/index.html; have 20.1000/manual-2 lead to "
    "https://example.org/manual/2.0/index.html{} [handle.cite-version-target]\n"
)


@contextmanager
def hdl_serve(folder: Path, records: dict[str, str], port: int) -> Iterator[str]:
    """The command `hdl serve` with these records; its address."""
    path = folder / "records.json"
    path.write_text(json.dumps(records))
    command = [sys.executable, "-P", "-m", "handle_cli", "serve", "--port", str(port)]
    with subprocess.Popen(
        [*command, str(path)], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


def manual(project: MakeProject, resolver: str, **settings: object) -> Project:
    """The manual, with the default settings of verification but for who is asked."""
    return project(
        {"index.rst": "The manual\n==========\n\nText\n", "works.toml": WORKS},
        release="2.0",
        html_baseurl=SECOND,
        handle_work="works.toml",
        handle_cite="root",
        handle_verify=True,
        handle_resolver=resolver,
        **settings,
    )


def test_a_release_has_no_stale_word(project: MakeProject, tmp_path: Path) -> None:
    """Register, build, change the address, build: each build says what is true now."""
    made = None
    warnings = []
    port = 0
    for records in (BEFORE, WRONG, RIGHT, RIGHT):
        with hdl_serve(tmp_path, records, port) as url:
            port = int(url.rstrip("/").rpartition(":")[2])
            made = made or manual(project, url)
            warnings.append(made.build().warnings)

    assert warnings == [NOT_REGISTERED.format(""), WRONG_TARGET.format(""), "", ""]


def stored(built: Built) -> SqliteCache:
    """The cache of a build with the default setting."""
    return SqliteCache(Path(built.app.doctreedir, "handles.sqlite"))


def test_good_news_is_asked_for_once(project: MakeProject) -> None:
    """A second build asks for nothing that leads where it should."""
    with running({**RIGHT}) as proxy:
        made = manual(project, proxy.url)
        builds = [made.build(), made.build()]

        assert [built.warnings for built in builds] == ["", ""]
        assert proxy.asked == dict.fromkeys(RIGHT, 1)


def test_an_older_answer_says_so(project: MakeProject) -> None:
    """If nobody can be asked again, the message says when the answer was given."""
    with running({**WRONG}) as proxy:
        made = manual(project, proxy.url)
        first = made.build()
        url = proxy.url
    with stored(first) as cache:
        handle = Handle("20.1000", "manual-1")
        cache.remember(url, handle, NotRegistered())
    second = made.build()

    assert first.warnings == WRONG_TARGET.format("")
    lines = [
        line.partition("; this is the answer of 20")
        for line in second.warnings.splitlines()
    ]
    assert [(before, bool(marked)) for before, marked, _ in lines] == [
        ("index.rst: WARNING: 20.1000/manual-1: this handle is not registered", True),
        (WRONG_TARGET.partition("{}")[0], True),
    ]
    for _, _, after in lines:
        assert " UTC, and there is none now: no connection to 127.0.0.1: " in after


def test_the_budget_limits_what_is_asked_again(project: MakeProject) -> None:
    """Without a budget, the older answer counts, and the message says why."""
    with running({**WRONG}) as proxy:
        made = manual(project, proxy.url)
        made.build()
        before = proxy.asked.copy()
        built = made.build(handle_budget=0)

        assert proxy.asked == before
    assert (
        " UTC, and there is none now: not asked: the budget of 0 handles is spent "
        "[handle.cite-version-target]\n"
    ) in built.warnings
