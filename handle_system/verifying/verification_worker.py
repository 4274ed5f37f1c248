"""The process that verifies: `handle_system.verifying.verification` starts and feeds it.

It reads one JSON object a line: the settings, then handles to ask for as they
are found, then the end.  Only then does it write, for until then nobody reads:
how far it is, the verdicts, the end.  What it is going to write is put together
while it waits, so that at the end there is little left to wait for.

When its input ends, whoever started it is gone, or wants to know no more: what
was learned is written down, and the process ends at once, whatever it is in the
middle of.
"""

import gc
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from io import TextIOWrapper
from queue import Empty, SimpleQueue
from typing import TextIO

from handle_system.handle import Handle, exact_handle
from handle_system.resolving.clock import SYSTEM_CLOCK
from handle_system.resolving.old_many import ResolvingRun
from handle_system.resolving.outcome import Outcome
from handle_system.resolving.resolver import Resolver, close_resolver
from handle_system.verifying.resolver_building import build_resolver
from handle_system.verifying.verdict import verdict_of
from handle_system.verifying.verdict_packing import (
    PackedVerdict,
    packed,
    packed_lines,
)
from handle_system.verifying.verification_settings import VerificationSettings

__all__ = ["main"]

# Seconds without a message after which outcomes are taken over; and between two
# messages about the progress.
_IDLE = 0.05
_BETWEEN = 0.1
# Objects.
_BETWEEN_COLLECTIONS = 100_000


def main(read: TextIO, write: TextIO) -> None:
    """Verify what comes in, until the end is told."""
    first = read.readline()
    if not first:
        return
    settings = VerificationSettings.from_json(json.loads(first)["settings"])
    notices: list[str] = []
    warnings: list[str] = []
    verdicts: dict[str, PackedVerdict] = {}
    is_read = False
    next_progress = 0.0
    so_far = {"done": 0, "total": 0}

    def progress(handle: Handle, outcome: Outcome, done: int, total: int) -> None:
        nonlocal next_progress
        key = handle.comparison_key
        now = int(SYSTEM_CLOCK.now().timestamp())
        answered = run.recalled.get(key, now)
        verdicts[key] = packed(key, verdict_of(handle, outcome, answered=answered))
        so_far.update(done=done, total=total)
        if is_read and (done == total or time.monotonic() >= next_progress):
            next_progress = time.monotonic() + _BETWEEN
            tell(write, so_far)
            write.flush()

    try:
        resolver = build_resolver(settings, notice=notices.append, warn=warnings.append)
    except ValueError as error:
        # Somebody's choice cannot be followed, and that is all there is to say.
        sys.exit(str(error))
    messages: SimpleQueue[str] = SimpleQueue()
    receiving = threading.Thread(
        target=_receive, args=(read, messages, resolver), daemon=True
    )
    receiving.start()
    run = ResolvingRun(
        resolver,
        connections=settings.connections,
        budget=settings.budget,
        progress=progress,
    )
    try:
        late = _submitted(messages, run, at_once=settings.budget is None)
        is_read = True
        if so_far["done"] < so_far["total"]:
            # Some were answered while the documents were read; the next may take long.
            tell(write, so_far)
            write.flush()
        run.add(late)
        outcomes = run.finish()
        close_resolver(resolver)
        for notice in notices:
            tell(write, {"notice": notice})
        for warning in warnings:
            tell(write, {"warning": warning})
        write.writelines(
            packed_lines(verdicts[handle.comparison_key] for handle in outcomes)
        )
        tell(write, {"end": True})
        write.flush()
    except BrokenPipeError:
        # Who started this reads no more, and closes the other pipe as well.
        receiving.join()


def tell(write: TextIO, message: Mapping[str, object]) -> None:
    """Write one message."""
    write.write(f"{json.dumps(message)}\n")


def _submitted(
    messages: SimpleQueue[str], run: ResolvingRun, *, at_once: bool
) -> list[Handle]:
    """Ask for handles as they are submitted, until the end is told.

    Returns:
        Those that are still to be asked for: all, where it is known only at the
        end whose turn it is.
    """
    handles: list[Handle] = []
    while True:
        try:
            message = json.loads(messages.get(timeout=_IDLE))
        except Empty:
            run.collect()
            continue
        if "end" in message:
            return handles
        asked = [exact_handle(text) for text in message["ask"]]
        if at_once:
            run.add(asked)
        else:
            handles += asked


def _receive(read: TextIO, messages: SimpleQueue[str], resolver: Resolver) -> None:
    """Take over messages as they come, and end the process with the last."""
    for line in read:
        messages.put(line)
    # Closed, the cache is one file, which is what a build service keeps.
    close_resolver(resolver)
    os._exit(0)


if __name__ == "__main__":
    # Thousands of outcomes are kept and nothing goes round in circles: to look for
    # that again and again takes longer than to read a record.
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    # The one who started this is interrupted too, and closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Whatever the environment has put into the output is not a part of what follows,
    # and what it says of pipes is not meant for these.
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    # Who started this may be gone already, which is noticed where it is read from.
    with suppress(BrokenPipeError):
        sys.stdout.write("\n")
    main(sys.stdin, sys.stdout)
    # Nothing that is left has anything to put away.
    sys.stdout.flush()
    os._exit(0)
