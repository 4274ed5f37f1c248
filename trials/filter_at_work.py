"""Pass a hundred thousand handles through `xargs -P 4` against a local server.

    python -m trials.filter_at_work --handles 100000

No handle may be lost or doubled.  The output shows the time, and the peak memory of one
process.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.resolving import start_mock_proxy

# Handles for the standard input of one process.
SHARE = 5000


def main() -> None:
    """Run the processes, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--handles", type=int, default=100_000)
    parser.add_argument("--latency", type=float, default=0.001, help="seconds")
    options = parser.parse_args()
    port = start_mock_proxy(options.latency)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        handles = [f"20.5000/f-{number}" for number in range(options.handles)]
        for begin in range(0, len(handles), SHARE):
            share = "".join(f"{each}\n" for each in handles[begin : begin + SHARE])
            (folder / f"part-{begin:09}").write_text(share)
        program = f"{sys.executable} -m handle_system.resolving"
        options_ = f"--resolver http://127.0.0.1:{port}/ --cache {folder}/c.sqlite"
        # Exit code 1 means that a handle is not registered.
        script = f'{program} {options_} < "$0" > "$0.out" || test $? = 1'
        begun = time.monotonic()
        subprocess.run(
            f"ls {folder}/part-* | xargs -P 4 -n 1 sh -c '{script}'",
            shell=True,
            check=True,
        )
        seconds = time.monotonic() - begun
        lines = [
            json.loads(line)
            for path in folder.glob("*.out")
            for line in path.read_text().splitlines()
        ]
    seen = Counter(line["handle"] for line in lines)
    if set(seen) != set(handles) or max(seen.values()) != 1:
        raise SystemExit(f"{len(seen)} handles, {len(lines)} lines")
    outcomes = Counter(line["outcome"] for line in lines)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{len(lines):,} lines, none lost or doubled: {dict(outcomes)}")
    print(f"{seconds:.0f} s, at most {memory:.0f} MB a process")


if __name__ == "__main__":
    main()
