"""How fast `hdl check` reads a documentation tree, offline, on one core.

A tree is written from a stated seed, in the syntaxes and the shapes that
documentation has: reStructuredText and Markdown with headings, lists, links, roles,
tables, comments and code; notebooks with code cells and pictures; Python modules
with docstrings; plain text; a bibliography.  It is then checked by the command as
its users start it, as a process of its own, bound to one processor where the system
can do that.  Seconds are those of the whole process from start to exit, on the clock
and of the processor: the two are one where nothing else runs, and where something does,
the second is the honest one.  The least of the rounds counts, for other work on the
machine only ever adds.  The memory is the most that the process held.

Six public documentation trees that were measured hold one reference in 9 to 190 kB
of what is read, and only their bibliographies one in 0.6 kB.  Three trees are made:

- none: no reference at all, which is what most files of a project are;
- usual: one in 4 kB, more than any of the six, and in every file;
- dense: one in 500 octets, in every paragraph.

    python -m benchmarks.checking
    python -m benchmarks.checking --megabytes 10 --rounds 1 --only dense
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

#: Octets of source to a reference; 0 is none.
TREES = {"none": 0, "usual": 4000, "dense": 500}


def main() -> None:
    """Write each tree, check it, and print what that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--only", choices=TREES, help="this tree alone")
    arguments = parser.parse_args()
    shares = ", ".join(f"{name} {share:.0%}" for name, share in SHARES.items())
    print(f"seed {arguments.seed}; {shares}")
    print(
        f"{'tree':<8}{'files':>7}{'MB':>7}{'largest':>9}{'references':>12}"
        f"{'clock s':>9}{'CPU s':>7}{'MB/CPU s':>10}{'peak MB':>9}"
    )
    for name, octets in TREES.items():
        if arguments.only not in {None, name}:
            continue
        with TemporaryDirectory(prefix="checking-") as folder:
            root = Path(folder)
            (root / "pyproject.toml").write_text("")
            written = write_tree(
                root, int(arguments.megabytes * 1e6), octets, seed=arguments.seed
            )
            rounds = [_checked(root) for _ in range(arguments.rounds)]
        used, clock, peak, said = min(rounds)
        # What it counted, so that a tree is not measured that nobody read.
        references = int(said.split(maxsplit=1)[0])
        if references != written.references:
            sys.exit(f"{name}: {written.references} references were written: {said}")
        print(
            f"{name:<8}{written.files:>7}{written.octets / 1e6:>7.1f}"
            f"{written.largest / 1e6:>9.2f}{references:>12}{clock:>9.2f}"
            f"{used:>7.2f}{written.octets / 1e6 / used:>10.1f}{peak / 1e6:>9.1f}"
        )


def _checked(root: Path) -> tuple[float, float, int, str]:
    """Seconds of processor and clock, octets of memory, and what a check said."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "handle_cli", "check", "."],
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
