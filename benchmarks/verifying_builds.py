"""Compare builds that verify with the same build without verification.

    python -m benchmarks.verifying_builds
    python -m benchmarks.verifying_builds --jobs 2 --distinct 500 --connections 16
    python -m benchmarks.verifying_builds --rounds 1 --results rounds.jsonl

``sphinx-build`` builds a project of many pages in its own process: without
verification, with it and an empty cache ("cold"), and with a full cache ("warm"), each
into an empty folder.  The build without verification is alternately the first and the
last of a round.  A mock proxy responds to each request after a latency.  Ratios are
taken inside a round, and the median is shown: read the ratios, not the seconds.

A build also tells what its verification took: the processor time of the building
process in the two events in which the extension verifies, and of the child process.
They hold none of the noise of two builds.  Warm, all other processor time of the build,
with that of verification, is at most 1.12 times that without, and the parent takes at
most 40 µs a handle.

The child is judged by its instructions, which Cachegrind counts: the difference of two
sizes, beside the same rows or requests with bare libraries.  Warm, a handle takes at most
3.5 times as many as `sqlite3` and `json` alone, which read its row and write an object
of the same members.  Cold, it takes at most 2.3 times as many as a bare pool of
`urllib3`, whose answers `json` reads.  A cold count swings by a tenth on a busy machine,
because the child writes outcomes together, once in 50 ms.

No single step is the cost.  Of 430 thousand instructions of a warm handle, `sqlite3` and
`json` take some 140; reading its line takes 23, checking the record 84, its target 74,
its verdict 85.  Of 1,330 thousand of a cold one, the bare pool takes 660; time-outs,
redirects and the gate take 210, remembering the outcome 140, the rest is that of a warm
one.  The start of the child, with the certificates, takes 900 million, once.

The exit status is 1 if one goal is missed.  `benchmarks/resolving.py --linkcheck` compares
with linkcheck.

A round takes a minute.  ``--results`` also counts earlier runs of the same shape, so
that a measurement can be made in parts.
"""

import argparse
import json
import multiprocessing
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.processes import counts_instructions, environment, instructions
from benchmarks.resolving import counters, serve, start_mock_proxy
from handle_system.verifying.verification_settings import VerificationSettings

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


# Goals: processor time of a warm build beside that without its verification; µs a handle;
# instructions of the child beside those of bare libraries.
RATIO_GOAL = 1.12
PARENT_GOAL = 40.0
WARM_CHILD_GOAL = 3.5
COLD_CHILD_GOAL = 2.3
# The handles of two runs; the difference of their instructions is judged.
COUNTED = (200, 1200)
# A bare pool of urllib3: its arguments are the port and the number of handles.
BARE_POOL = """
import json
import sys
import threading

import urllib3

port, number = map(int, sys.argv[1:])
handles = iter(range(1, number + 1))
taking = threading.Lock()
headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
pool = urllib3.HTTPConnectionPool(
    "127.0.0.1", port, maxsize=8, retries=False, headers=headers
)


def work():
    while True:
        with taking:
            each = next(handles, None)
        if each is None:
            break
        json.loads(pool.urlopen("GET", f"/api/handles/20.5000/h-{each}").data)


threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
# Bare sqlite3 and json: the arguments are the cache, the resolver and the number.
BARE_ROWS = """
import json
import sqlite3
import sys

path, resolver, number = sys.argv[1:]
connection = sqlite3.connect(path)
statement = "SELECT body FROM answers WHERE resolver = ? AND handle = ?"
for each in range(1, int(number) + 1):
    handle = f"20.5000/h-{each}"
    rows = connection.execute(statement, (resolver, handle)).fetchall()
    outcome = json.loads(rows[0][0])["outcome"]
    url = f"https://example.org/landing/{handle}"
    verdict = {"handle": handle, "outcome": outcome, "target": url, "reason": ""}
    verdict |= {"aliases": [], "possible_targets": [url], "addresses": [url]}
    verdict |= {"replaced_by": "", "indexes": [1, 100], "answered": 1, "caveat": ""}
    verdict |= {"is_remembered": True, "written": handle}
    sys.stdout.write(json.dumps(verdict))
"""

# The extension verifies at the priorities 900 and 500, each between two of these.
CONFIGURATION = """
import gc
import json
import resource
import time
from pathlib import Path

extensions = ["sphinxcontrib_handle"]
html_theme = "basic"


def setup(app):
    took = {"parent": 0.0}
    begun = {"collecting": 0.0, "collected": 0.0}

    def note_collection(phase, info):
        # A build without verification collects all of its objects as often, elsewhere.
        if info["generation"] == 2:
            if phase == "stop":
                begun["collected"] += time.process_time() - begun["collecting"]
            begun["collecting"] = time.process_time()

    def begin(*_event):
        begun["wall"] = time.perf_counter()
        begun["parent"] = time.process_time() - begun["collected"]
        begun["child"] = of_children()

    def end(*_event):
        took["join"] = time.perf_counter() - begun["wall"]
        took["own"] = time.process_time()
        took["parent"] += took["own"] - begun["collected"] - begun["parent"]
        took["child"] = of_children() - begun["child"]

    gc.callbacks.append(note_collection)

    def write(app, _error):
        Path(app.outdir, "took.json").write_text(json.dumps(took))

    app.connect("env-updated", begin, priority=899)
    app.connect("env-updated", end, priority=901)
    app.connect("build-finished", begin, priority=1)
    app.connect("build-finished", end, priority=998)
    app.connect("build-finished", write, priority=999)


def of_children():
    # Of those that have ended: the processes that read and write pages, and the child
    # that verifies, which ends between the last two events.
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """The times of one build, in seconds.

    Attributes:
        wall: Wall-clock time.
        cpu: Processor time of all its processes, including the verifying child.
        own: Processor time of the building process.
        join: From the end of the pages to the end of the build: it waits for the child
            and reports.
        parent: Processor time of the building process for verification, without
            collections of all its objects.
        child: Processor time of the child process.
    """

    wall: float
    cpu: float
    own: float
    join: float
    parent: float
    child: float

    @property
    def verification(self) -> float:
        """Processor time of verification, of both processes."""
        return self.parent + self.child

    @property
    def ratio(self) -> float:
        """Its processor time beside that without verification."""
        return self.cpu / (self.cpu - self.verification)


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One build of each kind, and the mock proxy's counters."""

    plain: Build
    cold: Build
    warm: Build
    asked_cold: dict[str, int]
    asked_warm: dict[str, int]

    @classmethod
    def from_json(cls, text: str) -> "Round":
        """Read a round that `--results` kept."""
        members = json.loads(text)
        for name in ("plain", "cold", "warm"):
            members[name] = Build(**members[name])
        return cls(**members)


def write_project(folder: Path, pages: int, references: int, distinct: int) -> None:
    """Write a project with `references` references a page to `distinct` handles."""
    folder.mkdir()
    (folder / "conf.py").write_text(CONFIGURATION)
    names = [f"page{number}" for number in range(pages)]
    toctree = "\n   ".join(["", *names])
    (folder / "index.rst").write_text(f"Index\n=====\n\n.. toctree::\n{toctree}\n")
    prose = " ".join(WORDS * 4)
    for number, name in enumerate(names):
        start = number * references
        handles = [each % distinct + 1 for each in range(start, start + references)]
        lines = [f"{prose} hdl:20.5000/h-{each} {prose}\n" for each in handles]
        (folder / f"{name}.rst").write_text(
            f"{name}\n{'=' * len(name)}\n\n" + "\n".join(lines)
        )


def build(source: Path, out: Path, jobs: int, settings: dict[str, str]) -> Build:
    """Build from scratch."""
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-q", "-E", "-a", "-b", "html"]
    command += ["-j", str(jobs), "-d", str(out / "doctrees")]
    for name, value in settings.items():
        command += ["-D", f"{name}={value}"]
    command += [str(source), str(out / "html")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        command, check=False, env=environment(), capture_output=True, text=True
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    took: dict[str, float] = json.loads((out / "html" / "took.json").read_text())
    return Build(wall=wall, cpu=cpu, **took)


def main() -> int:
    """Measure and print; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--references", type=int, default=20)
    parser.add_argument("--distinct", type=int, default=0, help="handles; 0: each once")
    parser.add_argument("--latency", type=float, default=0.05, help="seconds")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-instructions", action="store_true", help="times alone")
    parser.add_argument("--no-goals", action="store_true", help="exit with 0 always")
    parser.add_argument("--results", type=Path, help="keep each round's figures here")
    options = parser.parse_args()
    processes = multiprocessing.get_context("spawn")
    mine, its = processes.Pipe()
    server = processes.Process(target=serve, args=(options.latency, its), daemon=True)
    server.start()
    port: int = mine.recv()
    total = options.pages * options.references
    distinct = options.distinct or total
    print(f"{options.pages} pages, {total} references, {distinct} handles")
    print(
        f"{options.latency * 1000:.0f} ms, {options.connections} connections, "
        f"{os.cpu_count()} cores"
    )
    is_met = True
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary, "source")
        write_project(source, options.pages, options.references, distinct)
        verifying = {
            "handle_verify": "1",
            "handle_resolver": f"http://127.0.0.1:{port}/",
            "handle_connections": str(options.connections),
        }
        for jobs in options.jobs:
            shape = [jobs, options.pages, options.references, distinct]
            shape += [options.connections, options.latency]
            rounds = earlier_rounds(options.results, shape)
            for _ in range(options.rounds):
                is_first = len(rounds) % 2 == 0
                rounds.append(
                    one_round(
                        Path(temporary), jobs, port, verifying, plain_first=is_first
                    )
                )
                if options.results is not None:
                    kept = json.dumps([shape, asdict(rounds[-1])])
                    with options.results.open("a") as results:
                        results.write(f"{kept}\n")
            report(jobs, rounds)
            is_met = print_goals(rounds, distinct) and is_met
        if not options.no_instructions and counts_instructions():
            is_met = judge_child(Path(temporary)) and is_met
    server.terminate()
    return 0 if is_met or options.no_goals else 1


def earlier_rounds(results: Path | None, shape: list[float]) -> list[Round]:
    """The rounds of this shape from earlier runs."""
    if results is None or not results.exists():
        return []
    kept = map(json.loads, results.read_text().splitlines())
    return [Round.from_json(json.dumps(each)) for its, each in kept if its == shape]


def one_round(
    temporary: Path,
    jobs: int,
    port: int,
    verifying: dict[str, str],
    *,
    plain_first: bool,
) -> Round:
    """Build once of each kind."""
    source, out = temporary / "source", temporary / "out"
    cache = temporary / "cache.sqlite"
    plain = build(source, out, jobs, {}) if plain_first else None
    counters(port)
    settings = {**verifying, "handle_cache": str(cache)}
    cold = build(source, out, jobs, settings)
    asked_cold = counters(port)
    warm = build(source, out, jobs, settings)
    asked_warm = counters(port)
    cache.unlink()
    return Round(
        plain=plain or build(source, out, jobs, {}),
        cold=cold,
        warm=warm,
        asked_cold=asked_cold,
        asked_warm=asked_warm,
    )


def report(jobs: int, rounds: list[Round]) -> None:
    """Print the medians."""
    median = statistics.median
    plain = [each.plain for each in rounds]
    print(
        f"\n-j {jobs}, {len(rounds)} rounds: without verification "
        f"{median(each.wall for each in plain):.2f} s, "
        f"{median(each.cpu for each in plain):.2f} s of processor time, "
        f"{median(each.own for each in plain):.2f} s its own"
    )
    for name, builds in (
        ("cold", [each.cold for each in rounds]),
        ("warm", [each.warm for each in rounds]),
    ):
        ratios = [
            each.wall / base.wall for each, base in zip(builds, plain, strict=True)
        ]
        cpu = [each.cpu - base.cpu for each, base in zip(builds, plain, strict=True)]
        own = [each.own / base.own for each, base in zip(builds, plain, strict=True)]
        print(
            f"  {name}: {median(ratios):.3f} x ({min(ratios):.3f} to "
            f"{max(ratios):.3f}), {median(cpu):+.2f} s of processor time, "
            f"its own {median(own):.3f} x ({min(own):.3f} to {max(own):.3f}), "
            f"{median(each.join for each in builds):.2f} s at the join"
        )
    most = [max(each.asked_cold["most_connections"] for each in rounds)]
    most += [max(each.asked_cold["most_of_one"] for each in rounds)]
    print(
        f"  requests cold {rounds[-1].asked_cold['requests']}, of one handle at most "
        f"{most[1]}, connections at most {most[0]} (one of them asks for the counters); "
        f"warm {rounds[-1].asked_warm['requests']}",
        flush=True,
    )


def print_goals(rounds: list[Round], handles: int) -> bool:
    """Print the figures that are judged; whether the goals are met."""
    median = statistics.median
    warm = [each.warm for each in rounds]
    cold = [each.cold for each in rounds]
    figures = (
        (
            "warm, all processes, beside the same without verification",
            median(build.ratio for build in warm),
            "x",
            RATIO_GOAL,
        ),
        (
            "warm, the parent, a handle",
            median(build.parent for build in warm) * 1e6 / handles,
            "µs",
            PARENT_GOAL,
        ),
    )
    print(
        f"  the child, with its start, a handle: warm "
        f"{median(build.child for build in warm) * 1e6 / handles:.0f} µs, cold "
        f"{median(build.child for build in cold) * 1e6 / handles:.0f} µs"
    )
    for name, figure, unit, goal in figures:
        missed = "" if figure <= goal else "  MISSED"
        print(f"  {name}: {figure:.3f} {unit}; goal: at most {goal:g}{missed}")
    return all(figure <= goal for _, figure, _, goal in figures)


def judge_child(temporary: Path) -> bool:
    """Print the instructions of the child a handle; whether the goals are met."""
    small, large = COUNTED
    port = start_mock_proxy(0.0)
    resolver = f"http://127.0.0.1:{port}/"
    caches = {number: temporary / f"{number}.sqlite" for number in (small, large)}

    def a_handle(count: Callable[[int], int]) -> float:
        return (count(large) - count(small)) / (large - small)

    # The first run of the child fills the cache, and the second finds it full.
    cold = a_handle(lambda number: child(resolver, caches[number], number))
    warm = a_handle(lambda number: child(resolver, caches[number], number))
    pool = a_handle(lambda number: bare(BARE_POOL, port, number))
    rows = a_handle(lambda number: bare(BARE_ROWS, caches[large], resolver, number))
    print("\nthe child, thousands of instructions a handle")
    is_met = True
    for name, ours, theirs, goal in (
        ("warm, beside bare sqlite3 and json", warm, rows, WARM_CHILD_GOAL),
        ("cold, beside a bare pool of urllib3", cold, pool, COLD_CHILD_GOAL),
    ):
        ratio = ours / theirs
        missed = "" if ratio <= goal else "  MISSED"
        print(f"  {name}: {ours / 1000:.0f} and {theirs / 1000:.0f}", end="")
        print(f", {ratio:.2f} x; goal: at most {goal:g}{missed}")
        is_met = is_met and not missed
    return is_met


def child(resolver: str, cache: Path, number: int) -> int:
    """The instructions of the child process that verifies so many handles."""
    settings = VerificationSettings(resolvers=(resolver,), cache=str(cache))
    handles = [f"20.5000/h-{each}" for each in range(1, number + 1)]
    command = [sys.executable, "-P", "-m", "handle_system.resolving", "--exit-zero"]
    command += ["--parent", str(os.getpid())]
    return instructions(command, text="\n".join([settings.to_line(), *handles]))


def bare(program: str, *arguments: object) -> int:
    """The instructions of a program of bare libraries."""
    return instructions([sys.executable, "-c", program, *map(str, arguments)])


if __name__ == "__main__":
    sys.exit(main())
