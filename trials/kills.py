"""Kill processes that write files, at random moments, and check what is left.

    python -m trials.kills --rounds 24 [TRIAL …]

cache: four filters on one cache against a local server, and the parent of a fifth. The
    cache is intact and holds every outcome that was written, the next filter requests
    only the rest, and nothing is left running.
fix: `hdl fix` while it rewrites files. Each file is the old one or the new one, and the
    next run completes the work.
mint: four `hdl mint` on one state file. No suffix is made twice, also not afterwards.
assign, accept: `hdl assign` and `hdl references accept`, half of the time as soon as the
    new file appears. The file is the old one or the new one, the next run completes the
    work, and what is left over is gone after ten minutes.
init: `hdl init`, likewise.
update: `hdl references update` while a server answers. At most the answers of the last
    second are lost, without the time in which the machine let the process wait; the next
    run completes the file.
"""

import argparse
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

from handle_system.verifying.verification_settings import VerificationSettings
from tests.agency_server import AgencyServer, running_agency
from tests.proxy_server import ProxyServer, running

FILTER = [sys.executable, "-P", "-m", "handle_system.resolving"]
HDL = [sys.executable, "-P", "-m", "handle_cli"]
HANDLES = [f"20.1000/{number}" for number in range(2000)]
FILES = 600
WORKS = 3_000
OLD, NEW = (
    b"See http://dx.doi.org/10.1000/182.\n",
    b"See https://doi.org/10.1000/182.\n",
)
# What the name of a new file begins with, until it replaces the old one.
TEMPORARY = ".hdl-write-"
# Starts a filter for itself, and waits forever.
PARENT = (
    "import os, subprocess, sys, time\n"
    "process = subprocess.Popen([*sys.argv[3:], '--parent', str(os.getpid())],\n"
    "    stdin=open(sys.argv[1]), stdout=open(sys.argv[2], 'w'))\n"
    "print(process.pid, flush=True)\n"
    "time.sleep(1e6)\n"
)


def main() -> None:
    """Run the rounds, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trials", nargs="*", metavar="TRIAL", default=list(TRIALS))
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    for name in options.trials:
        kill = TRIALS[name]
        found: Counter[str] = Counter()
        for _ in range(options.rounds):
            with tempfile.TemporaryDirectory() as folder:
                found.update(kill(Path(folder), chance))
        shown = ", ".join(f"{count} {name}" for name, count in found.items())
        print(f"{kill.__name__}: {options.rounds} rounds, {shown}", flush=True)


def kill_filters(folder: Path, chance: random.Random) -> dict[str, int]:
    """Kill four filters, and the parent of a fifth."""
    with running(dict.fromkeys(HANDLES, "https://example.org/")) as server:
        return _kill_filters(server, folder, chance)


def _kill_filters(
    server: ProxyServer, folder: Path, chance: random.Random
) -> dict[str, int]:
    cache = folder / "cache.sqlite"
    source = folder / "handles.txt"
    source.write_text("".join(f"{each}\n" for each in HANDLES))
    command = [*FILTER, "--resolver", server.url, "--cache", str(cache)]
    settings = VerificationSettings(resolvers=(server.url,), cache=str(cache))
    submitted = folder / "submitted.txt"
    submitted.write_text(f"{settings.to_line()}\n{source.read_text()}")
    outputs = [folder / f"out-{number}" for number in range(5)]
    filters = []
    for output in outputs[:4]:
        with source.open() as lines, output.open("w") as written:
            filters.append(subprocess.Popen(command, stdin=lines, stdout=written))
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(submitted), str(outputs[4]), *FILTER],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    # On a busy machine they start late.
    while not any(output.stat().st_size for output in outputs[:4]):
        time.sleep(0.05)
    time.sleep(chance.uniform(0.0, 2.0))
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
    return {"processes killed": len(filters) + 1, "outcomes kept": len(kept)}


def kill_fixing(folder: Path, chance: random.Random) -> dict[str, int]:
    """Kill a command that rewrites files."""
    pages = [folder / f"page-{number}.md" for number in range(FILES)]
    for page in pages:
        page.write_bytes(OLD)
    command = [*HDL, "fix", "--yes", "."]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            time.sleep(0.05)
            if any(page.read_bytes() == NEW for page in pages):
                break
        time.sleep(chance.uniform(0.0, 0.5))
        was_running = process.poll() is None
        process.kill()
    contents = Counter(page.read_bytes() for page in pages)
    if set(contents) - {OLD, NEW}:
        raise SystemExit("a file is neither old nor new")
    others = {each.name for each in folder.iterdir()} - {page.name for page in pages}
    check_left_over(folder, others)
    done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=False)
    if any(page.name.startswith(TEMPORARY) for page in folder.iterdir()):
        raise SystemExit("the next run did not remove what was left over")
    if done.returncode not in {0, 1} or any(page.read_bytes() != NEW for page in pages):
        raise SystemExit("the next run did not complete the work")
    return {
        "killed while they wrote": int(was_running),
        "files rewritten before": contents[NEW],
        "temporary files left": len(others),
    }


def kill_minting(folder: Path, chance: random.Random) -> dict[str, int]:
    """Kill four commands that mint suffixes with one state file."""
    command = [*HDL, "mint", "--state", "state.sqlite", "--count"]
    outputs = [folder / f"out-{number}" for number in range(5)]
    processes = []
    for output in outputs[:4]:
        with output.open("w") as written:
            processes.append(
                subprocess.Popen([*command, "9999999"], cwd=folder, stdout=written)
            )
    while not all(output.stat().st_size for output in outputs[:4]):
        time.sleep(0.05)
    time.sleep(chance.uniform(0.0, 0.5))
    for process in processes:
        process.kill()
        process.wait()
    with outputs[4].open("w") as written:
        subprocess.run([*command, "100"], cwd=folder, stdout=written, check=True)
    suffixes = [
        line
        for output in outputs
        for line in output.read_text().splitlines(keepends=True)
        if line.endswith("\n")
    ]
    if len(set(suffixes)) != len(suffixes):
        raise SystemExit("a suffix was made twice")
    return {"processes killed": len(processes), "suffixes": len(suffixes)}


def kill_assigning(folder: Path, chance: random.Random) -> dict[str, int]:
    """Kill a command that writes handles into a works file."""
    works = folder / "works.toml"
    versions = "".join(
        f'\n  [[work.version]]\n  label = "{number}"\n' for number in range(100)
    )
    head = '[[work]]\ntitle = "Urns"\ncreators = ["Carberry, Josiah"]\n'
    old = f"{head}{versions}# {'x' * 400_000}\n"
    works.write_text(old)
    command = [*HDL, "assign", "--prefix", "20.1", "--state", "state", "works.toml"]
    was_running = kill_writer(command, folder, chance, longest=3.0)
    content = works.read_text()
    handles = re.findall('handle = "(.*)"', content)
    if content != old and len(set(handles)) != 100:
        raise SystemExit("the file is neither old nor new")
    others = {path.name for path in folder.iterdir()}
    others -= {"works.toml", "state", "state-journal"}
    check_left_over(folder, others)
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    if len(set(re.findall('handle = "(.*)"', works.read_text()))) != 100:
        raise SystemExit("the next run did not complete the work")
    return {
        "killed while they ran": int(was_running),
        "written before": int(content != old),
        "temporary files left": len(others),
    }


def kill_accepting(folder: Path, chance: random.Random) -> dict[str, int]:
    """Kill a command that changes each item of a file of references."""
    file = folder / "references.json"
    custom = {"updates": [{"state": "retracted", "by": "10.1/notice"}]}
    items = [
        {"id": f"doi:10.1/{number}", "title": "Urns " * 100, "custom": custom}
        for number in range(3_000)
    ]
    old = json.dumps(items)
    file.write_text(old)
    command = [*HDL, "references", "accept", "10.1/notice"]
    was_running = kill_writer(command, folder, chance, longest=3.0)
    content = file.read_text()
    if content != old and content.count('"accepted"') != len(items):
        raise SystemExit("the file is neither old nor new")
    others = {path.name for path in folder.iterdir()} - {file.name}
    check_left_over(folder, others)
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    if len(json.loads(file.read_text())) != len(items):
        raise SystemExit("an item is lost")
    return {
        "killed while they ran": int(was_running),
        "written before": int(content != old),
        "temporary files left": len(others),
    }


def kill_initializing(folder: Path, chance: random.Random) -> dict[str, int]:
    """Kill a command that writes settings into ``pyproject.toml``, or makes it."""
    file = folder / "pyproject.toml"
    old = ""
    if chance.random() < 0.3:
        file.unlink(missing_ok=True)
    else:
        old = f"[project]\n# {'x' * 400_000}\n"
        file.write_text(old)
    (folder / "a.md").write_text("doi:10.1000/182\n")
    command = [*HDL, "init", "--yes"]
    was_running = kill_writer(command, folder, chance, longest=2.0)
    content = file.read_text() if file.exists() else ""
    if file.exists() and not content:
        raise SystemExit("the file is empty")
    if content != old and not (old in content and "[tool.handle]" in content):
        raise SystemExit("the file is neither old nor new")
    others = {path.name for path in folder.iterdir()} - {file.name, "a.md"}
    check_left_over(folder, {name for name in others if name[0] == "."})
    return {
        "killed while they ran": int(was_running),
        "written before": int(content != old),
        "temporary files left": len(others),
    }


def kill_updating(folder: Path, chance: random.Random) -> dict[str, int]:
    """Kill a command that asks for the metadata of works."""
    with running_agency() as agency:
        return _kill_updating(agency, folder, chance)


def _kill_updating(
    agency: AgencyServer, folder: Path, chance: random.Random
) -> dict[str, int]:
    dois = [f"10.1/{number}" for number in range(WORKS)]
    for doi in dois:
        agency.describe(doi, {"DOI": doi, "title": "Urns"})
    (folder / "a.md").write_text("".join(f"doi:{doi}\n\n" for doi in dois))
    command = [*HDL, "references", "update", "--resolver", agency.url, "a.md"]
    # Of each answer: when it was told, and how long the process had waited till then.
    told: dict[str, tuple[float, float]] = {}
    moment = time.monotonic() + 60.0
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if not told:
                moment = time.monotonic() + chance.uniform(0.0, 4.0)
            told[line.split()[1]] = time.monotonic(), waited(process.pid)
            if time.monotonic() > moment:
                break
        was_running = process.poll() is None
        ended = time.monotonic(), waited(process.pid)
        process.kill()
    file = folder / "references.json"
    items = json.loads(file.read_text()) if file.exists() else []
    kept = {item["id"].removeprefix("doi:") for item in items}
    lost = told.keys() - kept if was_running else set()
    for doi in lost:
        age = ended[0] - told[doi][0]
        wait = ended[1] - told[doi][1]
        if age > 1.0 + wait:
            raise SystemExit(f"an answer of {age:.1f} s before is lost: {wait:.1f} s")
    check_left_over(folder, {path.name for path in folder.glob(".*")})
    subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if len(json.loads(file.read_text())) != WORKS:
        raise SystemExit("the next run did not complete the file")
    return {
        "killed while they ran": int(was_running),
        "answers before": len(told),
        "answers lost": len(lost),
    }


def waited(process: int) -> float:
    """For how long the threads of a process were ready and the machine was busy.

    In seconds; 0 where the system does not say.
    """
    total = 0
    for path in Path(f"/proc/{process}/task").glob("*/schedstat"):
        with suppress(OSError):
            total += int(path.read_text().split()[1])
    return total / 1e9


def kill_writer(
    command: list[str], folder: Path, chance: random.Random, *, longest: float
) -> bool:
    """Kill a command while it writes, or at any moment; whether it still ran."""
    moment = chance.uniform(0.0, longest)
    waits_for_file = chance.random() < 0.5
    began = time.monotonic()
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while process.poll() is None:
            if waits_for_file and any(folder.glob(f"{TEMPORARY}*")):
                time.sleep(chance.uniform(0.0, 0.003))
                break
            if not waits_for_file and time.monotonic() - began > moment:
                break
        was_running = process.poll() is None
        process.kill()
    return was_running


def check_left_over(folder: Path, names: set[str]) -> None:
    """Check that only new files are left over, and make them old."""
    if any(not name.startswith(TEMPORARY) for name in names):
        raise SystemExit(f"left over: {sorted(names)}")
    for name in names:
        os.utime(folder / name, (0, 0))


def wait_until_gone(pid: int) -> None:
    """Give an orphan a minute to notice: on a busy machine it may start late."""
    for _ in range(1200):
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    raise SystemExit(f"the filter {pid} outlives its parent")


TRIALS = {
    "cache": kill_filters,
    "fix": kill_fixing,
    "mint": kill_minting,
    "assign": kill_assigning,
    "accept": kill_accepting,
    "init": kill_initializing,
    "update": kill_updating,
}

if __name__ == "__main__":
    main()
