"""The process that verifies: `handle_system.verification` starts and feeds it.

It reads one JSON object a line: the settings, then handles to ask for as they
are found, then the end.  Only then does it write, for until then nobody reads:
how far it is, each verdict, the end.  When its input ends before that, whoever
started it is gone, and so is the reason to ask.
"""

import json
import os
import signal
import sys
from typing import TextIO

from handle_system.clock import SYSTEM_CLOCK
from handle_system.handle import Handle, exact_handle
from handle_system.outcome import Outcome
from handle_system.resolver import close_resolver
from handle_system.resolver_building import build_resolver
from handle_system.resolving import ResolvingRun
from handle_system.verdict import verdict_of
from handle_system.verification_settings import VerificationSettings

__all__ = ["main"]


def main(read: TextIO, write: TextIO) -> None:
    """Verify what comes in, until the end is told."""
    settings = VerificationSettings.from_json(json.loads(next(read))["settings"])
    notices: list[str] = []
    warnings: list[str] = []
    is_read = False

    def progress(_handle: Handle, _outcome: Outcome, done: int, total: int) -> None:
        if is_read:
            tell(write, {"done": done, "total": total})

    resolver = build_resolver(settings, notice=notices.append, warn=warnings.append)
    with ResolvingRun(
        resolver,
        connections=settings.connections,
        budget=settings.budget,
        progress=progress,
    ) as run:
        handles: list[Handle] = []
        for line in read:
            message = json.loads(line)
            if "end" in message:
                break
            asked = [exact_handle(text) for text in message["ask"]]
            if settings.budget is None:
                run.add(asked)
            else:
                # Whose turn it is, is known when all are.
                handles += asked
        else:
            return
        is_read = True
        run.add(handles)
        outcomes = run.finish()
    close_resolver(resolver)
    now = int(SYSTEM_CLOCK.now().timestamp())
    for notice in notices:
        tell(write, {"notice": notice})
    for warning in warnings:
        tell(write, {"warning": warning})
    for handle, outcome in outcomes.items():
        key = handle.comparison_key
        verdict = verdict_of(handle, outcome, answered=run.recalled.get(key, now))
        tell(write, {"key": key, "verdict": verdict.to_json()})
    tell(write, {"end": True})
    write.flush()


def tell(write: TextIO, message: dict[str, object]) -> None:
    """Write one message."""
    write.write(f"{json.dumps(message)}\n")
    if "done" in message:
        write.flush()


if __name__ == "__main__":
    # The one who started this is interrupted too, and closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    main(sys.stdin, sys.stdout)
    # Nothing that is left has anything to put away.
    sys.stdout.flush()
    os._exit(0)
