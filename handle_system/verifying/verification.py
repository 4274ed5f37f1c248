"""Verifying handles while the caller goes on with its own work.

A build that verified after reading would wait for the network with nothing to
do, and one that verified in threads of its own would share its interpreter's
lock with them, fork with them running (Sphinx reads and writes in forked
processes) and hold a database over the fork.  So a process of its own asks: it
is fed handles through a pipe as they are found, and its results are read when
the caller has nothing else left to do.

Where only files of records are asked, or everything is remembered, there is nothing
to wait for, and no process is started.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeAlias

from handle_system.handle import Handle
from handle_system.resolving.outcome import Unreachable
from handle_system.resolving.records_file import RecordsResolver
from handle_system.resolving.resolver_chain import ResolverChain
from handle_system.verifying.memory import Memory
from handle_system.verifying.verdict import Verdict, verdict_of
from handle_system.verifying.verdict_packing import unpacked
from handle_system.verifying.verification_settings import (
    VerificationSettings,
    is_address,
)

__all__ = ["Verification"]

#: Told how many handles are done, and how many there are.
Progress: TypeAlias = Callable[[int, int], object]

# Handles that are looked for at once among what is remembered, and seconds after which
# fewer are: a build that remembers nothing is to begin asking soon.
_TOGETHER = 500
_BETWEEN = 0.2
# Seconds for the process to write down what it has learned, when it is to end.
_PATIENCE = 5.0
_WORKER = "handle_system.verifying.verification_worker"
# The folder that holds the package.
_HOME = str(Path(__file__).resolve().parents[__name__.count(".")])
# The package is found where it was found here, even where it is not installed:
# after the standard library, which the folder of all that is installed must not
# stand before. What lies where the build was started (`-P`) is not found at all.
_RUN = """
import runpy, sys
home, module = sys.argv[1:]
places = [n for n, each in enumerate(sys.path) if each.endswith("-packages")]
sys.path.insert(min(places, default=len(sys.path)), home)
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


class Verification:
    """One run: start, submit handles as they are found, finish.

    Nothing here blocks but `finish`.

    Args:
        settings: Whom to ask, and how.

    Raises:
        RecordsFileError: when a records file cannot be read.
        UnusableSettingError: when what was chosen about the way to a server cannot be
            followed.
    """

    def __init__(self, settings: VerificationSettings) -> None:
        self._settings = settings
        # Looked at here as well where a process is started: a slip in a file or a
        # setting is to be told before the build, not after it.
        records = {}
        for resolver in settings.resolvers:
            if is_address(resolver):
                # TLS is loaded by those who ask servers, and nobody else.
                from handle_system.resolving.tls import check_reach  # noqa: PLC0415 (see above)

                check_reach(resolver, settings.http)
            else:
                records[resolver] = RecordsResolver.from_file(resolver)
        self._records = ResolverChain(records.values()) if settings.is_local else None
        self._handles: dict[str, Handle] = {}
        self._verdicts: dict[str, Verdict] = {}
        # Those that may be remembered, and were not looked for yet.
        self._unsought: dict[str, Handle] = {}
        self._looked_at = time.monotonic()
        self._process: subprocess.Popen[str] | None = None
        self._errors: IO[str] | None = None
        self._broken = ""
        #: What is not about a handle: a proxy that was given up.
        self.notices: list[str] = []
        #: What its owner should look after: a cache that cannot be used.
        self.warnings: list[str] = []
        self._memory = Memory(settings, records, self.warnings.append)

    def submit(self, handles: Iterable[Handle]) -> None:
        """Have handles verified; one that was submitted before is known."""
        new = self._unsought
        for handle in handles:
            key = handle.comparison_key
            if key not in self._handles:
                self._handles[key] = new[key] = handle
        if (
            not self._memory.is_worth_asking
            or len(new) >= _TOGETHER
            or time.monotonic() - self._looked_at >= _BETWEEN
        ):
            self._begin()

    def finish(self, progress: Progress | None = None) -> dict[str, Verdict]:
        """Wait for what is outstanding.

        Returns:
            A verdict for every handle submitted, by `Handle.comparison_key`.
        """
        if self._records is not None:
            return {
                key: verdict_of(handle, self._records.resolve(handle))
                for key, handle in self._handles.items()
            }
        verdicts = self._verdicts
        try:
            self._begin()
            if len(verdicts) < len(self._handles):
                self._tell({"end": True})
                self._collect(progress)
        finally:
            self.close()
        reason = f"the process that verifies has stopped: {self._broken or 'unknown'}"
        for key, handle in self._handles.items():
            if key not in verdicts:
                verdicts[key] = verdict_of(handle, Unreachable(reason))
        return {key: verdicts[key] for key in self._handles}

    def close(self) -> None:
        """Stop asking, whether finished or not."""
        process, self._process = self._process, None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    # What was not yet written has no reader any more.
                    with suppress(OSError):
                        pipe.close()
            try:
                process.wait(timeout=_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def _begin(self) -> None:
        """Look for what is new among what is remembered, and have the rest asked for."""
        new, self._unsought = self._unsought, {}
        if not new or self._records is not None:
            return
        verdicts, to_ask = self._memory.recall(new)
        self._looked_at = time.monotonic()
        self._verdicts.update(verdicts)
        if to_ask:
            self._tell({"ask": [str(new[key]) for key in to_ask]})

    def _tell(self, message: dict[str, object]) -> None:
        if self._broken:
            return
        try:
            if self._process is None:
                self._start()
            self._write(message)
        except OSError as error:
            self._broken = self._last_words() or str(error)

    def _start(self) -> None:
        # A file and not a pipe, which nobody would empty; closed in `close`.
        self._errors = tempfile.TemporaryFile(  # noqa: SIM115 (it outlives this call)
            "w+", encoding="utf-8", errors="replace"
        )
        self._process = subprocess.Popen(  # noqa: S603 (this interpreter, this package)
            [sys.executable, "-P", "-c", _RUN, _HOME, _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
            errors="replace",
        )
        self._write({"settings": self._settings.to_json()})

    def _write(self, message: dict[str, object]) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(f"{json.dumps(message)}\n")
            self._process.stdin.flush()

    def _collect(self, progress: Progress | None) -> None:
        if self._process is None or self._process.stdout is None:
            return
        known = len(self._verdicts)
        if progress is not None:
            # The next answer may be long in coming.
            progress(known, len(self._handles))
        for line in self._process.stdout:
            message = _message_in(line)
            if "end" in message:
                return
            if "notice" in message:
                self.notices.append(message["notice"])
            elif "warning" in message:
                # A cache that cannot be used may have been met here before.
                if message["warning"] not in self.warnings:
                    self.warnings.append(message["warning"])
            elif "done" not in message:
                self._verdicts.update(unpacked(message, self._handles))
            elif progress is not None:
                progress(known + message["done"], known + message["total"])
        self._broken = self._last_words() or "it gave no reason"

    def _last_words(self) -> str:
        if self._errors is None:
            return ""
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines()
        return lines[-1] if lines else ""


def _message_in(line: str) -> dict[str, Any]:
    """What a line of the process tells; nothing, if it is none of its messages.

    Some environments greet, on standard output, who starts Python.
    """
    if line.startswith("{"):
        with suppress(ValueError):
            message: dict[str, Any] = json.loads(line)
            return message
    return {}
