"""Kill filters and their parents, at random moments, and look at what is left.

    python -m trials.kills --rounds 24

Each round starts four filters on one cache against a local server, kills some of them
or their parent with SIGKILL, and then runs one filter to its end.  Nothing may be lost:
the cache is sound, every outcome that was written is in it, and the last filter asks
only for the rest.  Nothing may be left running.
"""

import argparse
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from tests.proxy_server import ProxyServer, running

FILTER = [sys.executable, "-P", "-m", "handle_system.resolving"]
HANDLES = [f"20.1000/{number}" for number in range(2000)]
# Starts a filter for itself, and waits for ever.
PARENT = (
    "import os, subprocess, sys, time\n"
    "process = subprocess.Popen([*sys.argv[3:], '--parent', str(os.getpid())],\n"
    "    stdin=open(sys.argv[1]), stdout=open(sys.argv[2], 'w'))\n"
    "print(process.pid, flush=True)\n"
    "time.sleep(1e6)\n"
)


def main() -> None:
    """Run the rounds, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    killed = 0
    records = dict.fromkeys(HANDLES, "https://example.org/")
    for number in range(options.rounds):
        with running(records) as server, tempfile.TemporaryDirectory() as folder:
            killed += one_round(server, Path(folder), chance)
        print(f"round {number + 1}: nothing lost, nothing left running")
    print(f"{options.rounds} rounds, {killed} processes killed")


def one_round(server: ProxyServer, folder: Path, chance: random.Random) -> int:
    """Four filters and a parent of one, killed after a while; how many."""
    cache = folder / "cache.sqlite"
    source = folder / "handles.txt"
    source.write_text("".join(f"{each}\n" for each in HANDLES))
    command = [*FILTER, "--resolver", server.url, "--cache", str(cache)]
    outputs = [folder / f"out-{number}" for number in range(5)]
    filters = []
    for output in outputs[:4]:
        with source.open() as lines, output.open("w") as written:
            filters.append(subprocess.Popen(command, stdin=lines, stdout=written))
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(source), str(outputs[4]), *command],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    time.sleep(chance.uniform(0.2, 3.0))
    for process in filters:
        process.kill()
        process.wait()
    parent.kill()
    parent.wait()
    wait_until_gone(child)
    with closing(sqlite3.connect(cache)) as connection:
        if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            raise SystemExit(f"{cache} is damaged")
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        query = "SELECT handle FROM answers"
        kept = {row[0] for row in connection.execute(query)} if tables else set()
    whole = (
        line for each in outputs for line in each.read_text().splitlines(keepends=True)
    )
    seen = {json.loads(line)["handle"] for line in whole if line.endswith("}\n")}
    if not seen <= kept:
        raise SystemExit(f"written, and not remembered: {sorted(seen - kept)[:5]}")
    before = server.asked
    with source.open() as lines:
        done = subprocess.run(command, stdin=lines, capture_output=True, check=True)
    after = server.asked - before
    if set(after) != set(HANDLES) - kept or done.stdout.count(b"\n") != len(HANDLES):
        raise SystemExit("the last filter asked for more or less than the rest")
    return len(filters) + 2


def wait_until_gone(pid: int) -> None:
    """Give an orphan a minute to notice: on a busy machine it may not have begun yet."""
    for _ in range(1200):
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    raise SystemExit(f"the filter {pid} outlives its parent")


if __name__ == "__main__":
    main()
