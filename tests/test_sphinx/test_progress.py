"""How far verification is, told to whom it is good for."""

import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.proxy_server import running
from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Project

NUMBER = 40
RECORDS = {f"20.1000/{number}": "https://example.org/" for number in range(NUMBER)}
PAGE = "T\n=\n\n" + "".join(f"hdl:{handle}\n\n" for handle in RECORDS)


@pytest.fixture
def made(project: MakeProject) -> Iterator[Project]:
    with running(RECORDS) as proxy:
        yield project(
            PAGE,
            handle_resolver=proxy.url,
            handle_cache=False,
            # Asked for when all are known, so that there is something to wait for.
            handle_budget=NUMBER,
        )


def command(made: Project, *options: str) -> tuple[str, ...]:
    out = made.folder / "out"
    sphinx = (sys.executable, "-m", "sphinx", "-E", "-b", "handlecheck")
    return (*sphinx, *options, str(made.source), str(out))


@contextmanager
def terminal(written: list[bytes]) -> Iterator[int]:
    """A terminal, and all that was written to it."""
    ours, theirs = pty.openpty()

    def read() -> None:
        # Read at once, for a terminal holds few octets that nobody has read.
        while True:
            try:
                written.append(os.read(ours, 65536))
            except OSError:
                # Nobody has the other end any more.
                return

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield theirs
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)


def seen(line: str) -> str:
    """What a line shows when all is written: each part stands over the one before."""
    shown = ""
    for part in line.split("\r"):
        shown = part + shown[len(part) :]
    return shown.rstrip()


def in_terminal(made: Project, *options: str, **more: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name != "CI"}
    written: list[bytes] = []
    with terminal(written) as theirs:
        done = subprocess.run(
            command(made, *options),
            stdout=theirs,
            stderr=subprocess.PIPE,
            env={**kept, "TERM": "xterm", "NO_COLOR": "1", **more},
            check=False,
        )
    assert done.returncode == 0, done.stderr
    told = b"".join(written).decode().replace("\r\n", "\n")
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", told)


def test_who_watches_sees_a_bar(made: Project) -> None:
    """One line, written over and over; it ends as Sphinx's own do."""
    told = in_terminal(made)
    (line,) = [each for each in told.split("\n") if "verifying handles" in each]
    percents = [int(found) for found in re.findall(r"\[ *(\d+)%\] \d+/40", line)]

    assert percents == sorted(set(percents))
    assert percents[-1] == 100
    assert seen(line) == "verifying handles... done"


@pytest.mark.parametrize(
    ("options", "more"), [(("-v",), {}), ((), {"CI": "true"}), ((), {"TERM": "dumb"})]
)
def test_who_reads_it_later_sees_a_line(
    made: Project, options: tuple[str, ...], more: dict[str, str]
) -> None:
    """In the log of a build service, or where every line is asked for."""
    told = in_terminal(made, *options, **more)

    assert "\nverifying handles... done\n" in told
    assert "%] " not in told.partition("verifying handles")[2].partition("\n")[0]


def test_who_pipes_it_sees_a_line(made: Project) -> None:
    """And with ``-q`` nothing."""
    said = subprocess.run(command(made), capture_output=True, text=True, check=True)
    quiet = subprocess.run(
        command(made, "-q"), capture_output=True, text=True, check=True
    )

    assert "\nverifying handles... done\n" in said.stdout
    assert (quiet.stdout, quiet.stderr) == ("", "")
    assert in_terminal(made, "-q") == ""
