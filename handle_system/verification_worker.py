"""The process that verifies: `handle_system.verification` starts and feeds it.

It reads one JSON object a line: the settings, then handles to ask for as they
are found, then the end.  Only then does it write, for until then nobody reads:
how far it is, each verdict, the end.  When its input ends before that, whoever
started it is gone, and so is the reason to ask.
"""

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from typing import TextIO

from handle_system.handle import Handle
from handle_system.outcome import Outcome, Unreachable
from handle_system.resolver import Resolver
from handle_system.resolver_building import build_resolver
from handle_system.verdict import verdict_of
from handle_system.verification_settings import VerificationSettings

__all__ = ["main"]


class Crew:
    """Threads that ask for handles as they come, each handle once."""

    def __init__(self, resolver: Resolver, connections: int) -> None:
        self._resolver = resolver
        self._connections = connections
        self._waiting: queue.SimpleQueue[Handle | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[Handle, Outcome]] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._count = 0

    def ask(self, handle: Handle) -> None:
        """Have a handle asked for."""
        self._count += 1
        self._waiting.put(handle)
        if len(self._threads) < self._connections:
            thread = threading.Thread(target=self._work, daemon=True)
            self._threads.append(thread)
            thread.start()

    def outcomes(self) -> Iterator[tuple[Handle, Outcome]]:
        """What came of all that was asked for, as it comes in."""
        for _ in range(self._count):
            yield self._done.get()

    @property
    def count(self) -> int:
        """How many handles were asked for."""
        return self._count

    def _work(self) -> None:
        while True:
            handle = self._waiting.get()
            if handle is None:
                return
            try:
                outcome = self._resolver.resolve(handle)
            except Exception as error:  # noqa: BLE001 (one handle's trouble stays its own)
                reason = f"an error in the resolver: {type(error).__name__}: {error}"
                outcome = Unreachable(reason)
            self._done.put((handle, outcome))


def main(read: TextIO, write: TextIO) -> None:
    """Verify what comes in, until the end is told."""
    settings = VerificationSettings.from_json(json.loads(next(read))["settings"])
    crew = Crew(build_resolver(settings), settings.connections)
    for line in read:
        message = json.loads(line)
        if "end" in message:
            break
        for text in message["ask"]:
            prefix, _, suffix = text.partition("/")
            crew.ask(Handle(prefix, suffix))
    else:
        return
    for done, (handle, outcome) in enumerate(crew.outcomes(), start=1):
        tell(write, {"done": done, "total": crew.count})
        verdict = verdict_of(handle, outcome).to_json()
        tell(write, {"key": handle.comparison_key, "verdict": verdict})
    tell(write, {"end": True})


def tell(write: TextIO, message: dict[str, object]) -> None:
    """Write one message."""
    write.write(f"{json.dumps(message)}\n")
    write.flush()


if __name__ == "__main__":
    # The one who started this is interrupted too, and closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    main(sys.stdin, sys.stdout)
    # Threads that still wait for a server hold nothing that needs an end.
    sys.stdout.flush()
    os._exit(0)
