"""Kill builds that verify, at any moment: no process stays, and the cache stays sound.

    python -m trials.build_kills 24

Builds a project with two processes and ``handle_verify`` that often, each against a slow
server on loopback, and kills the build with its own signal 9 after a random time.  Then
no process of the filter may be left, and the next build must read the cache that all
of them wrote, without a warning.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.proxy_server import API, ProxyServer, Record, running, values_of

PAGES = 40
# Seconds: a build takes about three, and a filter looks for its parent twice a second.
LONGEST, PATIENCE = 8.0, 5.0


def main() -> int:
    """Kill builds; the exit code."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    records: dict[str, Record] = {f"20.1000/{n}": _slow for n in range(PAGES)}
    left = killed = 0
    with tempfile.TemporaryDirectory() as folder, running(records) as server:
        _write_project(Path(folder), server)
        for number in range(rounds):
            out = Path(folder, f"out-{number}")
            build = _build(Path(folder), out, subprocess.DEVNULL)
            moment = random.uniform(0.2, LONGEST)
            try:
                build.wait(moment)
            except subprocess.TimeoutExpired:
                killed += bool(_count(folder))
                build.kill()
                build.wait()
            left += _count_left(folder)
            # Workers that Sphinx forked outlive a killed build; they are Sphinx's.
            with suppress(ProcessLookupError):
                os.killpg(build.pid, signal.SIGKILL)
        last = _build(Path(folder), Path(folder, "last"), subprocess.PIPE)
        _, errors = last.communicate()
    print(f"{rounds} builds, {killed} killed beside their filter, {left} filters left")
    print(f"the next build: exit code {last.returncode}, warnings {errors!r}")
    return 1 if left or last.returncode or errors else 0


def _slow(handler: Any) -> None:
    time.sleep(0.1)
    handle = handler.path.partition("?")[0].removeprefix(API)
    values = values_of("https://example.org/")
    handler.answer(200, {"responseCode": 1, "handle": handle, "values": values})


def _write_project(folder: Path, server: ProxyServer) -> None:
    for number in range(PAGES):
        text = f"Page {number}\n{'=' * 8}\n\nhdl:20.1000/{number}\n"
        Path(folder, f"page-{number}.rst").write_text(text)
    index = "Index\n=====\n\n.. toctree::\n   :glob:\n\n   page-*\n"
    Path(folder, "index.rst").write_text(index)
    Path(folder, "conf.py").write_text(
        "extensions = ['sphinxcontrib_handle']\nhandle_verify = True\n"
        f"handle_resolver = {server.url!r}\nhandle_cache = 'handles.sqlite'\n"
    )


def _build(folder: Path, out: Path, errors: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "sphinx", "-q", "-j", "2", str(folder), str(out)],
        stdout=subprocess.DEVNULL,
        stderr=errors,
        text=True,
        start_new_session=True,
    )


def _count_left(folder: str) -> int:
    """How many filters that belong to this folder are left after a while."""
    until = time.monotonic() + PATIENCE
    while (left := _count(folder)) and time.monotonic() < until:
        time.sleep(0.1)
    return left


def _count(folder: str) -> int:
    commands = map(_command_of, Path("/proc").glob("[0-9]*"))
    return sum(
        b"handle_system.resolving" in each and folder.encode() in each
        for each in commands
    )


def _command_of(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        # It has ended meanwhile.
        return b""


if __name__ == "__main__":
    sys.exit(main())
