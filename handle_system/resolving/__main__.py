"""A filter: handles on standard input, their outcomes as JSON lines on standard output.

::

    python -m handle_system.resolving --resolver https://hdl.handle.net/ < handles.txt

Each line in is a handle in any written form.  Each line out is an object, in the order
of completion, one for each line in, duplicates too; blank lines are skipped::

    {"handle": "20.1000/100", "written": "hdl:20.1000/100", "outcome": "resolved",
     "target": "https://example.org/", "reason": null}
    {"handle": null, "written": "no handle", "error": "…"}

``outcome`` is the name of the outcome; ``target`` and ``reason`` are ``null`` where there
is none.  Messages about the run go to standard error.  Exit codes: 0 if every handle was
resolved or there was no line, 3 if no handle got an answer from a server, from records
or from the cache, 2 if an option cannot be used, else 1.

The filter holds no more than a window of its input, so it scales by processes:
``xargs -P 4 -n 1000``, ``parallel --pipe``, or Spark's ``RDD.pipe``, with one cache.
"""

import argparse
import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from handle_system.errors import HandleSyntaxError, showable
from handle_system.handle import Handle
from handle_system.reference import HandleReference
from handle_system.resolving import (
    DEFAULT_RESOLVER,
    DEFAULT_TIMEOUT,
    LONGEST_TIMEOUT,
    MOST_CONNECTIONS,
    is_address,
)
from handle_system.resolving.building import build_resolver
from handle_system.resolving.cache import Cache, open_cache
from handle_system.resolving.http_client import HttpSettings
from handle_system.resolving.many import ResolvingRun
from handle_system.resolving.outcomes import (
    Outcome,
    OutcomeName,
    Resolved,
    Unreachable,
    describe,
)
from handle_system.resolving.resolvers import ResolverChain

# Lines that are read and not yet answered, at most.
_WINDOW = 10_000
# Seconds between two looks at the parent.
_LOOK = 0.5
_DAY = 86_400
CACHE_VARIABLE = "HANDLE_RESOLVING_CACHE"


def main(arguments: list[str] | None = None) -> int:
    """Resolve the handles on standard input; the exit code."""
    options = _parser().parse_args(arguments)
    if options.parent is not None:
        # The terminal interrupts the parent, too, and that decides.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=_end_with, args=(options.parent,), daemon=True).start()
    texts = options.resolver or [DEFAULT_RESOLVER]
    try:
        cache = open_cache(options.cache, warn=_warn) if options.cache else None
        resolver = build_resolver(
            texts,
            http=HttpSettings(
                timeout=options.timeout,
                user_agent=options.user_agent,
                tls_verify=options.tls_verify,
                tls_cacerts=_authorities(options.tls_cacerts),
            ),
            cache=cache,
            budget=options.budget,
            rate=options.rate,
            notice=_tell,
        )
    except ValueError as error:
        _tell(str(error))
        return 2
    lines: Iterable[bytes] = sys.stdin.buffer
    if options.budget is not None:
        asked = cache.last_asked() if cache is not None else {}
        lines = _longest_unverified_first(lines, asked)
    filter_ = _Filter(
        resolver,
        cache,
        connections=options.connections,
        is_child=options.parent is not None,
        asks=any(map(is_address, texts)),
    )
    counts = filter_.run(lines)
    resolver.close()
    resolved, total = counts[OutcomeName.RESOLVED], counts.total()
    unanswered = counts[OutcomeName.UNREACHABLE]
    if resolved == total:
        return 0
    return 3 if unanswered and unanswered + counts["error"] == total else 1


class _Filter:
    """One run: a thread reads lines, the caller's thread waits for servers."""

    def __init__(
        self,
        resolver: ResolverChain,
        cache: Cache | None,
        *,
        connections: int,
        is_child: bool,
        asks: bool,
    ) -> None:
        self._resolver = resolver
        self._run = ResolvingRun(resolver, connections=connections)
        self._cache = cache
        # A build writes all its handles before it reads an outcome, and must not wait
        # for this process to take them.  It wants to know more of each, too.
        self._is_child = is_child
        self._window = threading.Semaphore(_WINDOW)
        self._asks = asks
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def run(self, lines: Iterable[bytes]) -> Counter[str]:
        """Write a line for each line; how many had each outcome, or an error."""
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        for done in self._run:
            self._write(self._members(*done))
            if not self._is_child:
                self._window.release()
        return self._counts

    def _read(self, lines: Iterable[bytes]) -> None:
        try:
            for written in filter(str.strip, map(_text_of, lines)):
                self._take(written)
        finally:
            self._run.end()

    def _take(self, written: str) -> None:
        """Answer a line, or have its handle resolved."""
        try:
            handle = HandleReference.parse(written).handle
        except HandleSyntaxError as error:
            self._write({"handle": None, "written": written, "error": error.reason})
            return
        known = self._resolver.recall(handle)
        if known is not None:
            self._write(self._members(handle, written, known))
            return
        if not self._is_child:
            self._window.acquire()
        self._run.add(handle, written)

    def _members(
        self, handle: Handle, written: str, outcome: Outcome
    ) -> dict[str, Any]:
        members = {**describe(handle, outcome), "written": written}
        if self._cache is not None:
            answered = self._cache.moments.pop(handle, None)
        else:
            is_answer = self._asks and not isinstance(outcome, Unreachable)
            answered = int(time.time()) if is_answer else None
        if self._is_child:
            aliases = outcome.aliases if isinstance(outcome, Resolved) else ()
            members |= {"aliases": [*map(str, aliases)], "answered": answered}
        return members

    def _write(self, row: dict[str, Any]) -> None:
        with self._lock:
            self._counts[row.get("outcome", "error")] += 1
            try:
                sys.stdout.write(f"{json.dumps(row)}\n")
                sys.stdout.flush()
            except BrokenPipeError:
                # Nobody reads the outcomes any more.
                os._exit(1)


def _longest_unverified_first(
    lines: Iterable[bytes], asked: Mapping[str, int]
) -> list[bytes]:
    """All lines, in the order in which a budget is spent.

    Handles that were never asked for come first, in an order that is another each day;
    so every handle has its turn, even those that do not answer.
    """

    def moment(line: bytes) -> int:
        try:
            key = HandleReference.parse(_text_of(line)).handle.comparison_key
        except HandleSyntaxError:
            return 0
        return asked.get(key, 0)

    ordered = list(lines)
    Random(int(time.time()) // _DAY).shuffle(ordered)  # noqa: S311 (an order, not a secret)
    return sorted(ordered, key=moment)


def _text_of(line: bytes) -> str:
    return line.decode("utf-8", errors="surrogateescape").rstrip("\r\n")


def _end_with(parent: int) -> None:
    """End this process when its parent is gone, even if the parent was killed.

    Processes that the parent forked hold the pipe open, so its end does not come then.
    Windows keeps the number of a parent that is gone.
    """
    while os.getppid() == parent or os.name == "nt":
        time.sleep(_LOOK)
    os._exit(1)


def _warn(message: str) -> None:
    _tell(f"warning: {message}")


def _tell(message: str) -> None:
    sys.stderr.write(f"{showable(message)}\n")
    sys.stderr.flush()


def _authorities(texts: list[str]) -> str | dict[str, str] | None:
    """The one path of ``--tls-cacerts``, or a path for each host."""
    pairs = [text.partition("=") for text in texts]
    by_host = {host: path for host, equals, path in pairs if equals and "/" not in host}
    return by_host or (texts[-1] if texts else None)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m handle_system.resolving",
        description="Resolve the handles on standard input, one in each line; "
        "write each outcome to standard output as one line of JSON.",
    )
    add = parser.add_argument
    add(
        "--resolver",
        action="append",
        metavar="X",
        help="a proxy's URL, an hdl: address or a records file; repeat it to ask several in order "
        f"(default: {DEFAULT_RESOLVER})",
    )
    add(
        "--cache",
        metavar="PATH|URL",
        default=os.environ.get(CACHE_VARIABLE),
        help="a cache: a file, or a redis:// URL; a URL with a password is better given "
        f"in the variable {CACHE_VARIABLE}, which other users cannot see",
    )
    add(
        "--connections",
        type=_number(int, 1, MOST_CONNECTIONS),
        default=8,
        metavar="N",
        help="handles that are asked for at the same time (default: 8)",
    )
    add(
        "--rate",
        type=_number(float, 0.001, 1e6),
        metavar="N",
        help="requests a second to each server, at most "
        "(default: 20 for the public proxies, else no limit)",
    )
    add(
        "--budget",
        type=_number(int, 0, 10**9),
        metavar="N",
        help="handles that servers are asked for, at most",
    )
    add(
        "--timeout",
        type=_number(float, 0.001, LONGEST_TIMEOUT),
        default=DEFAULT_TIMEOUT,
        metavar="SECONDS",
        help="seconds for one request (default: 10)",
    )
    add("--user-agent", default="", metavar="TEXT", help="the User-Agent header")
    add(
        "--no-tls-verify",
        dest="tls_verify",
        action="store_false",
        help="do not check certificates",
    )
    add(
        "--tls-cacerts",
        action="append",
        default=[],
        metavar="[HOST=]PATH",
        help="a file or folder of trusted authorities",
    )
    add(
        "--parent",
        type=int,
        metavar="PID",
        help="for a build: end when that process is gone, read all input at once, "
        "and add the members aliases and answered",
    )
    return parser


def _number(kind: type[int | float], least: float, most: float) -> Any:
    def read(text: str) -> int | float:
        number = kind(text)
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{text} is not from {least} to {most}")
        return number

    read.__name__ = "number"
    return read


if __name__ == "__main__":
    sys.exit(main())
