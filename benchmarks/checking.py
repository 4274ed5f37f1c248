"""Measure how fast `hdl check` reads a documentation tree, offline, on one core.

A seed determines the tree.  It has the syntaxes and shapes of real documentation:
reStructuredText and Markdown with headings, lists, links, roles, tables, comments
and code; notebooks with code cells and pictures; Python modules with docstrings;
plain text; a bibliography.  The command checks it in its own process, bound to one
processor where the system allows that.  Seconds are wall-clock time and processor
time of the whole process; on a busy machine, trust the processor time.  The fastest
round counts, because other work only adds time.  Memory is the process's peak.

Six public documentation trees that were measured hold one reference in 9 to 190 kB
of source; only their bibliographies hold one in 0.6 kB.  There are three trees:

- none: no references, like most files of a project;
- usual: one in 4 kB, in every file, which is denser than any of the six;
- dense: one in 500 octets, in every paragraph.

    python -m benchmarks.checking
    python -m benchmarks.checking --megabytes 10 --rounds 1 --only dense

With ``--instructions``, Cachegrind counts those of a third of a tree and of the whole
tree; the difference is the price of the text alone, and repeats on a busy machine. Take
few megabytes, because it takes fifty times as long.

    python -m benchmarks.checking --instructions --megabytes 3
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.documentation_tree import SHARES, write_tree
from benchmarks.processes import environment, instructions

#: Octets of source per reference; 0 means none.
TREES = {"none": 0, "usual": 4000, "dense": 500}
_COMMAND = (sys.executable, "-m", "handle_cli", "check", ".")


def main() -> None:
    """Write and check each tree, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--only", choices=TREES, help="this tree alone")
    parser.add_argument("--instructions", action="store_true", help="count them")
    arguments = parser.parse_args()
    chosen = [arguments.only] if arguments.only else [*TREES]
    if arguments.instructions:
        for name in chosen:
            megabytes = arguments.megabytes
            counted = _millions_a_megabyte(TREES[name], megabytes, arguments.seed)
            print(f"{name:<8}{counted:9.0f} million instructions a MB", flush=True)
        return
    shares = ", ".join(f"{name} {share:.0%}" for name, share in SHARES.items())
    print(f"seed {arguments.seed}; {shares}")
    print(
        f"{'tree':<8}{'files':>7}{'MB':>7}{'largest':>9}{'references':>12}"
        f"{'clock s':>9}{'CPU s':>7}{'MB/CPU s':>10}{'peak MB':>9}"
    )
    for name in chosen:
        octets = TREES[name]
        with TemporaryDirectory(prefix="checking-") as folder:
            root = Path(folder)
            (root / "pyproject.toml").write_text("")
            written = write_tree(
                root, int(arguments.megabytes * 1e6), octets, seed=arguments.seed
            )
            rounds = [_checked(root) for _ in range(arguments.rounds)]
        used, clock, peak, said = min(rounds)
        # Compare the count, so that a tree that was not read is not measured.
        references = int(said.split(maxsplit=1)[0])
        if references != written.references:
            sys.exit(f"{name}: {written.references} references were written: {said}")
        print(
            f"{name:<8}{written.files:>7}{written.octets / 1e6:>7.1f}"
            f"{written.largest / 1e6:>9.2f}{references:>12}{clock:>9.2f}"
            f"{used:>7.2f}{written.octets / 1e6 / used:>10.1f}{peak / 1e6:>9.1f}"
        )


def _millions_a_megabyte(octets: int, megabytes: float, seed: int) -> float:
    """Millions of instructions for a megabyte of a tree."""
    counts = []
    sizes = []
    for share in (1 / 3, 1):
        with TemporaryDirectory(prefix="checking-") as folder:
            root = Path(folder)
            (root / "pyproject.toml").write_text("")
            written = write_tree(root, int(megabytes * share * 1e6), octets, seed=seed)
            counts.append(instructions(_COMMAND, root))
            sizes.append(written.octets)
    return (counts[1] - counts[0]) / (sizes[1] - sizes[0])


def _checked(root: Path) -> tuple[float, float, int, str]:
    """Check the tree: processor and wall-clock seconds, octets of memory, summary."""
    started = time.perf_counter()
    process = subprocess.Popen(
        _COMMAND,
        env=environment(),
        cwd=root,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_on_one_processor(),  # noqa: PLW1509 (no threads here)
    )
    assert process.stderr is not None  # noqa: S101 (it is a pipe)
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"the check failed: {said}")
    # Linux counts in units of 1,024 octets, macOS in octets.
    unit = 1 if sys.platform == "darwin" else 1024
    busy = used.ru_utime + used.ru_stime
    return busy, seconds, used.ru_maxrss * unit, said


def _on_one_processor() -> Callable[[], None] | None:
    if not hasattr(os, "sched_setaffinity"):
        return None
    chosen = max(os.sched_getaffinity(0))
    return lambda: os.sched_setaffinity(0, {chosen})


if __name__ == "__main__":
    main()
