"""A filter: handles on standard input, their outcomes as JSON lines on standard output.

::

    python -P -m handle_system.resolving --resolver https://hdl.handle.net/ < handles.txt

Each line in is a handle in any written form.  Each line out is an object, in the order
of completion, one for each line in, duplicates too; blank lines are skipped::

    {"handle": "20.1000/100", "written": "hdl:20.1000/100", "outcome": "resolved",
     "target": "https://example.org/", "reason": null}
    {"handle": null, "written": "no handle", "error": "…"}

``outcome`` is the name of the outcome; ``target`` and ``reason`` are ``null`` where there
is none.  A reason also says when an older outcome was given that no server confirms now.
Messages about the run go to standard error.  Exit codes: 0 if every handle was
resolved or there was no line, 3 if no handle got an answer from a server, from records
or from the cache, 2 if an option cannot be used, else 1.  With ``--exit-zero``, which a
fleet needs to tell a filter that cannot work from one that found something, 0 stands for 1
and 3.

A handle is read when a connection is free for it, so the filter scales by processes:
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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from queue import SimpleQueue
from random import Random
from typing import Any, NamedTuple

from handle_system.errors import HandleSyntaxError, showable
from handle_system.handle import Handle
from handle_system.reference import HandleReference
from handle_system.resolving import (
    DEFAULT_RESOLVER,
    DEFAULT_TIMEOUT,
    NATIVE_SCHEME,
    HttpSettingsError,
    is_address,
)
from handle_system.resolving.building import build_resolver
from handle_system.resolving.cache import Cache, open_cache
from handle_system.resolving.gate import Budget
from handle_system.resolving.many import map_in_groups
from handle_system.resolving.outcomes import (
    Outcome,
    OutcomeName,
    Provenance,
    describe,
    is_answer,
)
from handle_system.resolving.resolvers import ResolverChain
from handle_system.typed_values import check_fields
from handle_system.verifying.servers import read_line, server_to_ask
from handle_system.verifying.verdicts import verdict_of
from handle_system.verifying.verification_settings import VerificationSettings

CACHE_VARIABLE = "HANDLE_RESOLVING_CACHE"

# The exit codes.
_FINE, _NOT_ALL_RESOLVED, _UNUSABLE, _NOTHING_KNOWN = range(4)
# For so long outcomes of servers are collected, and then written together.
_SECONDS_OF_GROUP = 0.05
# Nothing in a row holds itself.
_JSON = json.JSONEncoder(check_circular=False)
# The name under which lines that are no handle are counted.
_ERROR = "error"


class _Line(NamedTuple):
    """A line that is read.

    Attributes:
        written: The line.
        handle: The handle that is written in it.
        source: Where to ask for it.
    """

    written: str
    handle: Handle
    source: "_Source"


class _Source(NamedTuple):
    """Where outcomes come from.

    Attributes:
        resolver: Gives the outcomes.
        cache: Where it remembers them.  Each source has its own, which knows the
            provenance of each handle.
        asks: Whether it asks servers.
    """

    resolver: ResolverChain
    cache: Cache | None
    asks: bool

    def provenance(self, handle: Handle, outcome: Outcome) -> Provenance | None:
        """When a server gave the outcome; `None` if none did."""
        remembered = None
        if self.cache is not None:
            remembered = self.cache.provenance.pop(handle, None)
        if not is_answer(outcome):
            return None
        if self.cache is not None or not self.asks:
            return remembered
        return Provenance(answered=int(time.time()))


def main(arguments: list[str] | None = None) -> int:
    """Resolve the handles on standard input; the exit code."""
    options = _parser().parse_args(arguments)
    is_child = options.parent is not None
    # The terminal interrupts the parent, too, and that decides.  Without one this
    # process ends at once: a thread that waits for input would not end.
    signal.signal(signal.SIGINT, signal.SIG_IGN if is_child else signal.SIG_DFL)
    if is_child:
        threading.Thread(target=_end_with, args=(options.parent,), daemon=True).start()
    lines = sys.stdin.buffer
    try:
        if is_child:
            settings = VerificationSettings.from_line(lines.readline())
        else:
            settings = _settings_of(options)
        filter_ = _Filter(settings, is_child=is_child)
    except ValueError as error:
        _tell(str(error))
        return _UNUSABLE
    try:
        filter_.run(lines)
    except HttpSettingsError as error:
        _tell(str(error))
        return _UNUSABLE
    return _FINE if options.exit_zero else filter_.exit_code()


def _settings_of(options: argparse.Namespace) -> VerificationSettings:
    """The settings that the options of the command line give.

    Raises:
        ValueError: when one cannot be used.
    """
    settings = VerificationSettings(
        resolvers=tuple(options.resolver or [DEFAULT_RESOLVER]),
        connections=options.connections,
        timeout=options.timeout,
        cache=options.cache or None,
        budget=options.budget,
        rate=options.rate,
        user_agent=options.user_agent,
        tls_verify=options.tls_verify,
        tls_cacerts=options.tls_cacerts,
    )
    check_fields(settings)
    return settings


class _Filter:
    """Writes a line for each line."""

    def __init__(self, settings: VerificationSettings, *, is_child: bool) -> None:
        """Prepare to resolve; nothing is read or asked yet.

        Args:
            settings: How to resolve.
            is_child: Whether a build reads the outcomes; it wants to know more of each.

        Raises:
            ValueError: when a setting cannot be used.
        """
        self._settings = settings
        self._is_child = is_child
        self._budget = None
        if settings.budget is not None:
            self._budget = Budget(settings.budget)
        # The sources warn of the one cache that they share.
        self._warn = lru_cache(_warn)
        self._source = self._source_of(settings.resolvers)
        self._servers = {
            server: self._source_of([f"{NATIVE_SCHEME}//{server}"])
            for server in settings.canonical_servers
        }
        self._parse = read_line if is_child else _parse_reference
        # How many handles had each outcome, or an error.
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def _source_of(self, resolvers: Sequence[str]) -> _Source:
        """The source that asks resolvers.

        Raises:
            ValueError: when one cannot be used.
        """
        settings = self._settings
        cache = None
        if settings.cache is not None:
            cache = open_cache(settings.cache, warn=self._warn, holds_back=True)
        resolver = build_resolver(
            resolvers,
            http=settings.http,
            cache=cache,
            budget=self._budget,
            rate=settings.rate,
            notice=_tell,
            always_ask=settings.always_ask,
            ignore_case=settings.ignore_case,
            lazily=True,
        )
        return _Source(resolver, cache, asks=any(map(is_address, resolvers)))

    def run(self, lines: Iterable[bytes]) -> None:
        """Resolve the handles of the lines, and write their outcomes."""
        if self._is_child:
            lines = _read_ahead(lines)
        handles = self._read(lines)
        if self._settings.budget is not None:
            cache = self._source.cache
            asked = cache.last_asked() if cache else {}
            handles = _longest_unverified_first(handles, asked)
        unknown = self._answer_known(handles)
        connections = self._settings.connections
        sources = (self._source, *self._servers.values())
        for group in map_in_groups(
            _ask, unknown, connections=connections, seconds=_SECONDS_OF_GROUP
        ):
            # First: a killed process has written no outcome that the cache lacks.
            for source in sources:
                if source.cache is not None:
                    source.cache.flush()
            rows = (self._row(line, outcome) for line, outcome in group)
            self._write(rows, flushes=True)
        for source in sources:
            source.resolver.close()

    def exit_code(self) -> int:
        """The exit code for the outcomes so far."""
        total = self._counts.total()
        if self._counts[OutcomeName.RESOLVED] == total:
            return _FINE
        unreachable = self._counts[OutcomeName.UNREACHABLE]
        if unreachable and unreachable + self._counts[_ERROR] == total:
            return _NOTHING_KNOWN
        return _NOT_ALL_RESOLVED

    def _read(self, lines: Iterable[bytes]) -> Iterator[_Line]:
        """The handles of the lines, read as they are asked for; errors are answered."""
        for line in lines:
            written = line.decode("utf-8", errors="surrogateescape").rstrip("\r\n")
            if written.strip():
                try:
                    handle, server = self._parse(written)
                    yield _Line(written, handle, self._source_for(server))
                except HandleSyntaxError as error:
                    reason = error.reason
                    row = {"handle": None, "written": written, "error": reason}
                    self._write_known(row)

    def _source_for(self, server: str | None) -> _Source:
        """The source for a reference: the server that it names, if a setting does, too."""
        known = server_to_ask(server, self._servers)
        return self._source if known is None else self._servers[known]

    def _answer_known(self, lines: Iterable[_Line]) -> Iterator[_Line]:
        """The lines to ask for; what is remembered is answered here, without a wait."""
        for line in lines:
            remembered = line.source.resolver.recall(line.handle)
            if remembered is None:
                yield line
            else:
                self._write_known(self._row(line, remembered))

    def _row(self, line: _Line, outcome: Outcome) -> dict[str, Any]:
        """The object to write for a line."""
        provenance = line.source.provenance(line.handle, outcome)
        if self._is_child:
            row = verdict_of(line.handle, outcome, provenance).to_json()
        else:
            row = describe(line.handle, outcome)
            caveat = provenance.caveat if provenance else ""
            if caveat:
                row["reason"] = "; ".join(filter(None, (outcome.reason, caveat)))
        return {**row, "written": line.written}

    def _write_known(self, row: Mapping[str, Any]) -> None:
        """Write an object for which nobody is asked."""
        # A build reads them when all are there, at the end.
        self._write([row], flushes=not self._is_child)

    def _write(self, rows: Iterable[Mapping[str, Any]], *, flushes: bool) -> None:
        with self._lock:
            try:
                for row in rows:
                    self._counts[row.get("outcome", _ERROR)] += 1
                    sys.stdout.write(f"{_JSON.encode(row)}\n")
                if flushes:
                    sys.stdout.flush()
            except BrokenPipeError:
                # Nobody reads the outcomes any more.
                os._exit(1)


def _parse_reference(written: str) -> tuple[Handle, str | None]:
    """The handle of a reference in any form, and the server that it names.

    Raises:
        HandleSyntaxError: when it is none.
    """
    reference = HandleReference.parse(written)
    return reference.handle, reference.server


def _ask(line: _Line) -> tuple[_Line, Outcome]:
    """Resolve the handle of a line."""
    return line, line.source.resolver.ask(line.handle)


def _read_ahead(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The same lines, which a thread reads at once.

    A build writes all its handles before it reads an outcome, and must not wait for
    this process to take them.
    """
    read: SimpleQueue[bytes | None] = SimpleQueue()

    def read_all() -> None:
        try:
            for line in lines:
                read.put(line)
        finally:
            read.put(None)

    threading.Thread(target=read_all, daemon=True).start()
    return iter(read.get, None)


def _longest_unverified_first(
    handles: Iterable[_Line], asked: Mapping[str, int]
) -> Iterator[_Line]:
    """All handles, in the order in which a budget is spent.

    Handles that were never asked for come first, reshuffled each day;
    so every handle has its turn, even those that do not answer.
    """

    def moment(line: _Line) -> int:
        return asked.get(line.handle.comparison_key, 0)

    ordered = list(handles)
    day = int(time.time()) // 86_400
    Random(day).shuffle(ordered)  # noqa: S311 (an order, not a secret)
    return iter(sorted(ordered, key=moment))


def _end_with(parent: int) -> None:
    """End this process when its parent is gone, even if the parent was killed.

    Processes that the parent forked hold the pipe open, so its end does not come then.
    Windows keeps the number of a parent that is gone.
    """
    while os.getppid() == parent or os.name == "nt":
        time.sleep(0.5)
    os._exit(1)


def _warn(message: str) -> None:
    _tell(f"warning: {message}")


def _tell(message: str) -> None:
    sys.stderr.write(f"{showable(message)}\n")


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
        type=int,
        default=8,
        metavar="N",
        help="handles that are asked for at the same time (default: 8)",
    )
    add(
        "--rate",
        type=float,
        metavar="N",
        help="requests a second to each server, at most "
        "(default: 20 for the public proxies, else no limit)",
    )
    add(
        "--budget",
        type=int,
        metavar="N",
        help="handles that servers are asked for, at most",
    )
    add(
        "--timeout",
        type=float,
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
        metavar="PATH",
        help="a file or folder of trusted authorities",
    )
    add(
        "--exit-zero",
        action="store_true",
        help="exit with 0 whatever the outcomes are; 2 still says that an option cannot "
        "be used",
    )
    add(
        "--parent",
        type=int,
        metavar="PID",
        help="for a build: end when that process is gone, take the settings from the "
        "first line and no option, take each other line for a handle as it stands or the "
        "hdl:// URI that names its server, read all input at once, and add the members aliases, "
        "possible_targets, addresses, replaced_by, indexes, answered, is_remembered and caveat",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
