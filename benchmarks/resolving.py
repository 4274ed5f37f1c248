"""Compare resolving with a raw client: time, processor time, memory, the cache.

    python benchmarks/resolving.py
    python benchmarks/resolving.py --connections 32 64 128 --rounds 5 --linkcheck

A mock proxy in its own process responds to each request after a latency, and counts.
The raw client is the lower bound: one event loop, one write and one read a handle,
and it parses only the response's length.  Rounds alternate, each ratio is taken
inside a round, and the median is shown: read the ratios, not the seconds.  For a
warm cache, the table shows the best of fifteen rounds, and their median ratio to
sqlite3 alone reading the same rows.

With ``--linkcheck``, Sphinx's link checker, with its own defaults, checks pages with
the same handles as links.  It has five workers and follows each redirect, so the ratio
of times depends on our connections.  The goals, with 64 of them: at least 15 times
faster, in at most an eighth of the processor time.  The exit status is 1 if one is missed.
"""

import argparse
import asyncio
import json
import multiprocessing
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import ClassVar

from benchmarks.processes import environment
from handle_system.handle import Handle
from handle_system.resolving.cache import CachingResolver, SqliteCache
from handle_system.resolving.many import resolve_many
from handle_system.resolving.outcomes import Outcome
from handle_system.resolving.resolvers import ProxyResolver

_PROCESSES = multiprocessing.get_context("spawn")
API = b"/api/handles/"
# Goals beside linkcheck: time and processor time.
TIME_GOAL = 15.0
CPU_GOAL = 8.0
# One handle in this many is not registered.
NOT_REGISTERED = 100


@dataclass(frozen=True, slots=True)
class Measured:
    """The times of one run.

    Attributes:
        wall: Wall-clock seconds.
        cpu: Processor seconds of this process.
    """

    wall: float
    cpu: float


class MockProxy(asyncio.Protocol):
    """One connection to the mock proxy."""

    latency: ClassVar[float] = 0.0
    asked: ClassVar[Counter[bytes]] = Counter()
    open_connections = 0
    most_connections = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 (for the type)
        self.transport = transport
        self.unread = b""
        kind = type(self)
        kind.open_connections += 1
        kind.most_connections = max(kind.most_connections, kind.open_connections)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the closed connection."""
        del exc
        type(self).open_connections -= 1

    def data_received(self, data: bytes) -> None:
        """Respond to each complete request after the latency."""
        self.unread += data
        while b"\r\n\r\n" in self.unread:
            request, _, self.unread = self.unread.partition(b"\r\n\r\n")
            method, path, _ = request.split(b" ", 2)
            answer = self.answer(path)
            if method == b"HEAD":
                answer = answer.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
            loop = asyncio.get_running_loop()
            loop.call_later(self.latency, self.transport.write, answer)

    def answer(self, path: bytes) -> bytes:
        """The response to a path; `/counters` returns the counters."""
        if path == b"/counters":
            counters = {
                "requests": self.asked.total(),
                "most_of_one": max(self.asked.values(), default=0),
                "most_connections": self.most_connections,
            }
            type(self).asked = Counter()
            type(self).most_connections = 0
            return packed(b"200 OK", json.dumps(counters).encode())
        if path.startswith(b"/landing/"):
            return packed(b"200 OK", b"{}")
        handle = path.removeprefix(API).removeprefix(b"/")
        self.asked[handle] += 1
        if int(handle.rpartition(b"-")[2]) % NOT_REGISTERED == 0:
            body = b'{"responseCode":100,"handle":"%b"}' % handle
            return packed(b"404 Not Found", body)
        if not path.startswith(API):
            # As for a browser, the proxy redirects to the landing page.
            return packed(b"302 Found\r\nLocation: /landing/" + handle, b"{}")
        return packed(b"200 OK", BODY % (handle, handle))


BODY = (
    b'{"responseCode":1,"handle":"%b","values":[{"index":1,"type":"URL","data":'
    b'{"format":"string","value":"https://example.org/landing/%b"},"ttl":86400,'
    b'"timestamp":"2026-11-20T17:05:40Z"},{"index":100,"type":"HS_ADMIN","data":'
    b'{"format":"admin","value":{"handle":"0.NA/20.5000","index":200,"permissions":'
    b'"011111110011"}},"ttl":86400,"timestamp":"2026-11-20T17:05:40Z"}]}'
)


def packed(status: bytes, body: bytes) -> bytes:
    """A complete HTTP response."""
    return (
        b"HTTP/1.1 %b\r\nContent-Type: application/json;charset=utf-8\r\n"
        b"Content-Length: %d\r\n\r\n%b" % (status, len(body), body)
    )


def serve(latency: float, ready: Connection) -> None:
    """Run the mock proxy until the process ends."""

    async def run() -> None:
        MockProxy.latency = latency
        loop = asyncio.get_running_loop()
        server = await loop.create_server(MockProxy, "127.0.0.1", 0, backlog=1024)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


async def ask_raw(port: int, handles: Sequence[Handle], connections: int) -> int:
    """Run the raw client; return the number of registered handles."""
    waiting = iter(handles)
    found = 0

    async def work() -> None:
        nonlocal found
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for handle in waiting:
            writer.write(
                b"GET %b%b HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                % (API, str(handle).encode())
            )
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.partition(b"Content-Length: ")[2].split(b"\r\n")[0])
            await reader.readexactly(length)
            found += head.startswith(b"HTTP/1.1 200")
        writer.close()

    await asyncio.gather(*(work() for _ in range(connections)))
    return found


def measured(action: Callable[[], object]) -> Measured:
    """Time an action."""
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    return Measured(time.perf_counter() - wall, time.process_time() - cpu)


def cold(
    port: int, handles: Sequence[Handle], connections: int
) -> dict[Handle, Outcome]:
    """Resolve without a cache."""
    with ProxyResolver(f"http://127.0.0.1:{port}/") as resolver:
        return resolve_many(handles, resolver, connections=connections)


def remembering(
    port: int, handles: Sequence[Handle], connections: int, path: Path
) -> dict[Handle, Outcome]:
    """Resolve with a cache."""
    with (
        ProxyResolver(f"http://127.0.0.1:{port}/") as resolver,
        SqliteCache(path) as cache,
    ):
        caching = CachingResolver(resolver, cache)
        return resolve_many(handles, caching, connections=connections)


def read_rows(path: Path) -> list[tuple[object, ...]]:
    """Only read a cache's rows, as the lower bound."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT * FROM answers").fetchall()


def start_mock_proxy(latency: float) -> int:
    """Run the mock proxy in a child process until this one ends; return its port."""
    here, there = _PROCESSES.Pipe()
    server = _PROCESSES.Process(target=serve, args=(latency, there), daemon=True)
    server.start()
    port: int = here.recv()
    return port


def counters(port: int) -> dict[str, int]:
    """The mock proxy's counters since the last call."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/counters") as answer:
        found: dict[str, int] = json.load(answer)
        return found


def memory_of_many(port: int, number: int, result: Connection) -> None:
    """Resolve very many handles; report the process's peak memory in MB."""
    handles = [Handle("20.5000", f"m-{index}") for index in range(number)]
    outcomes = cold(port, handles, 64)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result.send((len(outcomes), megabytes))


def compare(port: int, handles: Sequence[Handle], connections: int, rounds: int) -> str:
    """Measure one line of the table."""
    ratios, ours_cpu, raw_cpu, walls = [], [], [], []
    for _ in range(rounds):
        raw = measured(lambda: asyncio.run(ask_raw(port, handles, connections)))
        counters(port)
        ours = measured(lambda: cold(port, handles, connections))
        seen = counters(port)
        if (seen["requests"], seen["most_of_one"]) != (len(handles), 1):
            raise SystemExit(f"not one request a handle: {seen}")
        if seen["most_connections"] > connections + 1:  # and the one that asks
            raise SystemExit(f"more connections than allowed: {seen}")
        ratios.append(ours.wall / raw.wall)
        walls.append(ours.wall)
        ours_cpu.append(ours.cpu * 1000 / len(handles))
        raw_cpu.append(raw.cpu * 1000 / len(handles))
    median = statistics.median
    return (
        f"{connections:>11} {median(walls):>8.2f} {median(ratios):>17.3f} "
        f"{median(ours_cpu):>15.3f} {median(raw_cpu):>14.3f}"
    )


def linkcheck(port: int, handles: Sequence[Handle], folder: Path) -> Measured:
    """Run Sphinx's linkcheck, with its defaults, on pages that link to the handles."""
    links = [f"* `{handle} <http://127.0.0.1:{port}/{handle}>`__" for handle in handles]
    pages = [links[start : start + 100] for start in range(0, len(links), 100)]
    names = [f"page-{number}" for number in range(len(pages))]
    for name, page in zip(names, pages, strict=True):
        (folder / f"{name}.rst").write_text("\n".join(["Page", "====", "", *page]))
    listed = "\n".join(f"   {name}" for name in names)
    index = f"Links\n=====\n\n.. toctree::\n\n{listed}\n"
    (folder / "index.rst").write_text(index)
    (folder / "conf.py").touch()
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "linkcheck"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.perf_counter()
    # The unregistered handles make its exit status nonzero.
    subprocess.run(
        [*command, str(folder), str(folder / "_build")],
        check=False,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wall = time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measured(wall, used)


def beside_linkcheck(port: int, handles: Sequence[Handle], rounds: int) -> bool:
    """Print how much faster handles are verified than linkcheck is; whether it suffices."""
    with tempfile.TemporaryDirectory() as folder:
        theirs = linkcheck(port, handles, Path(folder))
    print(f"linkcheck: {theirs.wall:.1f} s, {theirs.cpu:.2f} s CPU")
    for connections in (8, 32, 64):
        ours = partial(cold, port, handles, connections)
        runs = [measured(ours) for _ in range(rounds)]
        faster = theirs.wall / statistics.median(run.wall for run in runs)
        cheaper = theirs.cpu / statistics.median(run.cpu for run in runs)
        print(
            f"{connections:>11} connections: {faster:.1f} x faster, "
            f"{cheaper:.1f} x less CPU"
        )
    is_met = faster >= TIME_GOAL and cheaper >= CPU_GOAL
    missed = "" if is_met else "  MISSED"
    print(f"goals: at least {TIME_GOAL:g} x, {CPU_GOAL:g} x{missed}")
    return is_met


def main() -> int:
    """Measure and print a table; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--handles", type=int, default=2000)
    parser.add_argument("--latency", type=float, default=0.050, help="seconds")
    parser.add_argument("--connections", type=int, nargs="+", default=[32, 64, 128])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--many", type=int, default=100_000, help="handles of the memory run; 0: none"
    )
    parser.add_argument(
        "--linkcheck", action="store_true", help="beside Sphinx's linkcheck, too"
    )
    parser.add_argument("--no-goals", action="store_true", help="exit with 0 always")
    options = parser.parse_args()
    handles = [Handle("20.5000", f"b-{index}") for index in range(options.handles)]
    port = start_mock_proxy(options.latency)
    print(f"{options.handles} handles, {options.latency * 1000:g} ms latency")
    print("connections  seconds  ÷ raw asyncio  CPU ms a handle  raw asyncio's")
    for connections in options.connections:
        print(compare(port, handles, connections, options.rounds))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "handles.sqlite"
        first = measured(lambda: remembering(port, handles, 32, path))
        counters(port)
        bare, again = [], []
        for _ in range(15):
            bare.append(measured(lambda: read_rows(path)))
            again.append(measured(lambda: remembering(port, handles, 32, path)))
        warm = min(again, key=lambda each: each.wall)
        beside = statistics.median(
            ours.wall / rows.wall for ours, rows in zip(again, bare, strict=True)
        )
        print(
            f"with a cache, 32 connections: cold {first.wall:.2f} s, "
            f"{first.cpu * 1000 / options.handles:.3f} ms CPU a handle; "
            f"warm {warm.wall * 1000:.1f} ms, {warm.cpu * 1000:.1f} ms CPU, "
            f"{beside:.1f} × the reading of the rows alone, "
            f"{counters(port)['requests']} requests"
        )
    is_met = True
    if options.linkcheck:
        is_met = beside_linkcheck(port, handles, options.rounds)
    if options.many:
        here, there = _PROCESSES.Pipe()
        run = _PROCESSES.Process(
            target=memory_of_many, args=(start_mock_proxy(0.0), options.many, there)
        )
        run.start()
        number, megabytes = here.recv()
        run.join()
        print(f"{number:,} handles: {megabytes:.0f} MB at most")
    return 0 if is_met or options.no_goals else 1


if __name__ == "__main__":
    sys.exit(main())
