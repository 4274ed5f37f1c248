"""Verifying while building, beside the same build without verification.

    python -m benchmarks.verifying_builds
    python -m benchmarks.verifying_builds --pages 500 --references 20 --jobs 1 2

A project of many pages is built as a user would, by ``sphinx-build`` in a
process of its own, by turns without verification, with it and nothing
remembered, and with everything remembered.  A mock proxy answers each request
after a latency.  Ratios are taken inside a round; the median is shown.
"""

import argparse
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.resolving import counters, serve

WORDS = [
    "lorem",
    "ipsum",
    "dolor",
    "sit",
    "amet",
    "consectetur",
    "adipiscing",
    "elit",
    "sed",
    "do",
    "eiusmod",
]


@dataclass(frozen=True, slots=True)
class Build:
    """What one build took: seconds, and seconds of processor time in all."""

    wall: float
    cpu: float


def write_project(folder: Path, pages: int, references: int) -> None:
    """A project whose every reference is to another handle."""
    folder.mkdir()
    (folder / "conf.py").write_text(
        'extensions = ["sphinxcontrib_handle"]\nhtml_theme = "basic"\n'
    )
    names = [f"page{number}" for number in range(pages)]
    toctree = "\n   ".join(["", *names])
    (folder / "index.rst").write_text(f"Index\n=====\n\n.. toctree::\n{toctree}\n")
    prose = " ".join(WORDS * 4)
    for number, name in enumerate(names):
        lines = [
            f"{prose} hdl:20.5000/h-{number * references + each + 1} {prose}\n"
            for each in range(references)
        ]
        (folder / f"{name}.rst").write_text(
            f"{name}\n{'=' * len(name)}\n\n" + "\n".join(lines)
        )


def build(source: Path, out: Path, jobs: int, settings: dict[str, str]) -> Build:
    """One build from scratch."""
    command = [sys.executable, "-m", "sphinx", "-q", "-E", "-a", "-b", "html"]
    command += ["-j", str(jobs), "-d", str(out / "doctrees")]
    for name, value in settings.items():
        command += ["-D", f"{name}={value}"]
    command += [str(source), str(out / "html")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Build(wall, cpu)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--references", type=int, default=20)
    parser.add_argument("--latency", type=float, default=0.05, help="seconds")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    mine, its = multiprocessing.Pipe()
    server = multiprocessing.Process(
        target=serve, args=(options.latency, its), daemon=True
    )
    server.start()
    port = mine.recv()
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary, "source")
        write_project(source, options.pages, options.references)
        total = options.pages * options.references
        print(f"{options.pages} pages, {total} handles, {os.cpu_count()} cores")
        print(f"{options.latency * 1000:.0f} ms, {options.connections} connections")
        for jobs in options.jobs:
            compare(source, Path(temporary), jobs, port, options)
    server.terminate()


def compare(
    source: Path, temporary: Path, jobs: int, port: int, options: argparse.Namespace
) -> None:
    """Interleaved rounds of one kind of build."""
    plain: list[Build] = []
    cold: list[Build] = []
    warm: list[Build] = []
    asked: list[dict[str, int]] = []
    verifying = {
        "handle_verify": "1",
        "handle_resolver": f"http://127.0.0.1:{port}/",
        "handle_connections": str(options.connections),
    }
    for number in range(options.rounds):
        cache = temporary / f"cache-{jobs}-{number}.sqlite"
        out = temporary / f"out-{jobs}"
        plain.append(build(source, out, jobs, {}))
        counters(port)
        settings = {**verifying, "handle_cache": str(cache)}
        cold.append(build(source, out, jobs, settings))
        asked.append(counters(port))
        warm.append(build(source, out, jobs, settings))
        asked.append(counters(port))
    print(f"\n-j {jobs}: without verification {median(plain):.2f} s")
    for name, builds in (("cold", cold), ("warm", warm)):
        ratios = [
            each.wall / base.wall for each, base in zip(builds, plain, strict=True)
        ]
        cpu = [each.cpu - base.cpu for each, base in zip(builds, plain, strict=True)]
        print(
            f"  {name}: {statistics.median(ratios):.3f} x "
            f"({min(ratios):.3f} to {max(ratios):.3f}), "
            f"{statistics.median(cpu):+.2f} s of processor time"
        )
    first, second = asked[0], asked[1]
    print(
        f"  requests cold {first['requests']}, of one handle at most "
        f"{first['most_of_one']}, connections at most {first['most_connections']}; "
        f"warm {second['requests']}"
    )


def median(builds: list[Build]) -> float:
    """The median of the seconds."""
    return statistics.median(each.wall for each in builds)


if __name__ == "__main__":
    main()
