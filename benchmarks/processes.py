"""The processes that benchmarks start: their environment, and what they take."""

import os
import re
import resource
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

__all__ = ["counts_instructions", "environment", "instructions", "run", "seconds"]

_COUNTER = (
    "valgrind",
    "--tool=cachegrind",
    "--cache-sim=no",
    "--cachegrind-out-file=/dev/null",
)
_INSTRUCTIONS = re.compile(r"I\s+refs:\s+([0-9,]+)")


def environment() -> dict[str, str]:
    """An environment in which the second run of a process is like the third.

    Bytecode is kept: otherwise each process would compile an editable checkout again. Output
    is buffered, as it usually is. The order of sets repeats.
    """
    kept = dict(os.environ)
    for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"):
        kept.pop(name, None)
    return kept | {"PYTHONHASHSEED": "0"}


def counts_instructions() -> bool:
    """Whether Cachegrind is there, a tool of Valgrind."""
    return shutil.which(_COUNTER[0]) is not None


def instructions(
    command: Sequence[str], folder: Path | None = None, text: str = ""
) -> int:
    """The instructions of a command, which repeat to a few parts in ten thousand.

    Args:
        command: The command.
        folder: The folder to run it in.
        text: Its standard input.
    """
    errors = run([*_COUNTER, *command], folder, text)
    counted = _INSTRUCTIONS.search(errors)
    if counted is None:
        raise RuntimeError(f"Cachegrind counted nothing: {errors}")
    return int(counted[1].replace(",", ""))


def seconds(command: Sequence[str], folder: Path | None = None) -> float:
    """Processor seconds of a command, of all its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command, folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(command: Sequence[str], folder: Path | None, text: str = "") -> str:
    """Run a command to its end; what it writes to the standard error."""
    finished = subprocess.run(
        command,
        input=text,
        check=True,
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
    )
    return finished.stderr
