"""Kill builds that verify, at any moment: no process stays, and the cache is intact.

    python -m trials.build_kills 24

Builds a project with two processes and ``handle_verify`` that many times, each against a
slow server on loopback, and kills the build at a random moment while its filter runs.
Then no filter remains; the next build reads the shared cache without a warning, and the
one after it makes no request.
"""

import os
import random
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any

from tests.proxy_server import API, ProxyServer, running, values_of

PAGES = 40
# The variable of the environment that names the project of a build.
MARK = "HANDLE_TRIAL"
# Longest run of a filter before its build is killed, and longest wait after, in
# seconds.
LONGEST, PATIENCE = 2.0, 5.0


def main() -> int:
    """Kill builds; return the exit code."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    left = killed = 0
    with tempfile.TemporaryDirectory() as folder, running({}) as server:
        for number in range(rounds):
            # New handles, which are not in the cache.
            server.records = {f"20.1000/{number}-{n}": _slow for n in range(PAGES)}
            _write_project(Path(folder), server)
            build = _build(Path(folder), Path(folder, f"out-{number}"), DEVNULL)
            while build.poll() is None and not _count(folder):
                time.sleep(0.05)
            time.sleep(random.uniform(0.0, LONGEST))
            killed += bool(_count(folder))
            build.kill()
            build.wait()
            left += _count_left(folder)
            # Workers that Sphinx forked outlive a killed build; they belong to Sphinx.
            with suppress(ProcessLookupError):
                os.killpg(build.pid, signal.SIGKILL)
        last = _build(Path(folder), Path(folder, "last"), PIPE)
        _, errors = last.communicate()
        server.requests.clear()
        again = _build(Path(folder), Path(folder, "again"), PIPE)
        _, more_errors = again.communicate()
        asked = len(server.requests)
    print(f"{rounds} builds, {killed} killed beside their filter, {left} filters left")
    print(f"the next build: exit code {last.returncode}, warnings {errors!r}")
    print(f"the one after it: {asked} requests, warnings {more_errors!r}")
    return 1 if left or last.returncode or errors or asked or more_errors else 0


def _slow(handler: Any) -> None:
    time.sleep(0.3)
    handle = handler.path.partition("?")[0].removeprefix(API)
    values = values_of("https://example.org/")
    handler.answer(200, {"responseCode": 1, "handle": handle, "values": values})


def _write_project(folder: Path, server: ProxyServer) -> None:
    for number, handle in enumerate(server.records):
        text = f"Page {number}\n{'=' * 8}\n\nhdl:{handle}\n"
        Path(folder, f"page-{number}.rst").write_text(text)
    index = "Index\n=====\n\n.. toctree::\n   :glob:\n\n   page-*\n"
    Path(folder, "index.rst").write_text(index)
    Path(folder, "conf.py").write_text(
        "extensions = ['sphinxcontrib_handle']\nhandle_verify = True\n"
        f"handle_resolver = {server.url!r}\nhandle_cache = 'handles.sqlite'\n"
    )


def _build(folder: Path, out: Path, errors: int) -> Popen[str]:
    return Popen(
        [sys.executable, "-m", "sphinx", "-q", "-j", "2", str(folder), str(out)],
        stdout=DEVNULL,
        stderr=errors,
        text=True,
        start_new_session=True,
        # Its filter inherits the mark; settings are no arguments.
        env={**os.environ, MARK: str(folder)},
    )


def _count_left(folder: str) -> int:
    """The number of filters of builds of this folder that are left after a while."""
    until = time.monotonic() + PATIENCE
    while (left := _count(folder)) and time.monotonic() < until:
        time.sleep(0.1)
    return left


def _count(folder: str) -> int:
    mark = f"{MARK}={folder}".encode()
    return sum(
        b"handle_system.resolving" in _content_of(process / "cmdline")
        and mark in _content_of(process / "environ").split(b"\0")
        for process in Path("/proc").glob("[0-9]*")
    )


def _content_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        # The process has ended.
        return b""


if __name__ == "__main__":
    sys.exit(main())
