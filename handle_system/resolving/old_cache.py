"""What is remembered of earlier runs, and for how long.

`Cache` joins three parts: the file (`handle_system.resolving.cache_file`), how an outcome
is written in it (`handle_system.resolving.answer_rows`), and for how long it may be believed
(`handle_system.resolving.freshness`), which is worked out anew at each look, so that other
bounds hold for what is there already.

New answers are written some at a time, for a transaction costs more than what
is in it; a build that is killed loses the last few, not the file.
"""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from typing import Self

from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle, exact_handle
from handle_system.resolving.answer_rows import (
    outcome_of_row,
    outcomes_of_rows,
    row_of_outcome,
    sound_targets,
)
from handle_system.resolving.cache_file import CacheFile, CacheRow, FoundRow
from handle_system.resolving.clock import SYSTEM_CLOCK, Clock
from handle_system.resolving.freshness import Freshness
from handle_system.resolving.outcome import Outcome, OutcomeName, Resolved, Unreachable

__all__ = ["Cache", "CacheEntry", "Remembered"]

# So many answers, or so many seconds: whichever comes first is written.
_BATCH = 200
_LONGEST_DELAY = 0.5
# By so much may the clocks of two machines differ that share a file.
_SKEW = 3600


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a cache knows of some handles.

    Attributes:
        fresh: Outcomes that may be believed, by `Handle.comparison_key`.
        asked: When each handle was last answered for, those among them whose answer
            is too old, in seconds since 1970; those never answered for are missing.
    """

    fresh: Mapping[str, Outcome]
    asked: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """One remembered outcome, to be shown.

    Attributes:
        resolver: Who was asked, by name.
        handle: The handle's `comparison_key`.
        outcome: What came of it.
        target: Where the handle leads, if anywhere.
        asked: When.
        fresh_until: For how long it is believed.
    """

    resolver: str
    handle: str
    outcome: OutcomeName
    target: str | None
    asked: datetime
    fresh_until: datetime

    def to_json(self) -> dict[str, str | None]:
        """The entry as an object of texts."""
        return {
            "resolver": self.resolver,
            "handle": self.handle,
            "outcome": str(self.outcome),
            "target": self.target,
            "asked": self.asked.isoformat(),
            "fresh_until": self.fresh_until.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class _Learned:
    """An outcome that is not yet written."""

    resolver: str
    handle: Handle
    outcome: Outcome
    asked: datetime


class Cache:
    """Remembered outcomes, in a file.  Safe for many threads and processes."""

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        freshness: Freshness | None = None,
        clock: Clock = SYSTEM_CLOCK,
        warn: Callable[[str], object] = lambda _text: None,
    ) -> None:
        """Name the file; it is opened when first used, and made if missing.

        Args:
            path: Where the file is.
            freshness: The bounds of belief.
            clock: What time it is.
            warn: Is told, in one line, when the file is damaged, somebody
                else's, or cannot be used.
        """
        self._file = CacheFile(path, warn=warn)
        self._freshness = freshness or Freshness()
        self._clock = clock
        self._lock = threading.Lock()
        self._unwritten: dict[tuple[str, str], _Learned] = {}
        # Held while writing; what is being written stays in sight meanwhile.
        self._writes = threading.Lock()
        self._writing: dict[tuple[str, str], _Learned] = {}
        self._written_at = clock.monotonic()

    def recall(self, resolver: str, handles: Mapping[str, Handle]) -> Remembered:
        """What `resolver` answered for these handles, each under its key."""
        now = int(self._clock.now().timestamp())
        # What was resolved after this needs no closer look at its age.
        surely_fresh = now - self._freshness.shortest()
        fresh: dict[str, Outcome] = {}
        asked: dict[str, int] = {}
        latest = now + _SKEW
        found = self._find(resolver, handles)
        for key, outcome, moment, ttl in outcomes_of_rows(resolver, found, handles):
            if moment > latest:
                continue
            if (
                moment > surely_fresh
                and type(outcome) is Resolved
                and outcome.dead_end is None
            ) or self._until(outcome, key, moment, ttl) > now:
                fresh[key] = outcome
            asked[key] = moment
        return Remembered(fresh, asked)

    def recall_targets(
        self, resolver: str, handles: Mapping[str, Handle]
    ) -> dict[str, tuple[str, int]]:
        """Where handles lead with which all is well, and when that was answered.

        Those are left out of which more is to be known, and those that `recall` would
        not have fresh.  For who wants no more, it takes half of the time.

        Args:
            resolver: Whose answers are wanted.
            handles: The handles, each under its key.

        Returns:
            The target, and a moment in seconds since 1970, by key.
        """
        now = int(self._clock.now().timestamp())
        surely_fresh, latest = now - self._freshness.shortest(), now + _SKEW
        found = self._find(resolver, handles)
        return {
            key: (target, moment)
            for key, target, moment in sound_targets(resolver, found, handles)
            if surely_fresh < moment <= latest
        }

    def remember(self, resolver: str, handle: Handle, outcome: Outcome) -> None:
        """Keep an outcome; what is unreachable is passed over."""
        if isinstance(outcome, Unreachable):
            return
        learned = _Learned(resolver, handle, outcome, self._clock.now())
        moment = self._clock.monotonic()
        with self._lock:
            self._unwritten[resolver, handle.comparison_key] = learned
            due = (
                len(self._unwritten) >= _BATCH
                or moment - self._written_at >= _LONGEST_DELAY
            )
        if due:
            self.flush()

    def flush(self) -> None:
        """Write what is not yet written."""
        with self._writes:
            with self._lock:
                self._writing, self._unwritten = self._unwritten, {}
                self._written_at = self._clock.monotonic()
            if self._writing:
                self._file.store([self._row(each) for each in self._writing.values()])
            with self._lock:
                self._writing = {}

    def entries(self) -> tuple[CacheEntry, ...]:
        """All that is remembered, by resolver and handle."""
        self.flush()
        found = (self._entry(row) for row in self._file.rows())
        return tuple(entry for entry in found if entry is not None)

    def to_json(self) -> str:
        """All that is remembered, as a JSON array of objects."""
        entries = [entry.to_json() for entry in self.entries()]
        return json.dumps(entries, ensure_ascii=False, indent=2)

    def prune(self) -> int:
        """Forget what may not be believed any more; how many that were."""
        self.flush()
        now = self._clock.now()
        stale = []
        for row in self._file.rows():
            entry = self._entry(row)
            if entry is None or entry.fresh_until <= now:
                stale.append(row)
        if stale:
            self._file.delete(stale)
        return len(stale)

    def close(self) -> None:
        """Write what is not yet written, and close the file."""
        self.flush()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _row(self, learned: "_Learned") -> CacheRow:
        ttl = 0
        if isinstance(learned.outcome, Resolved):
            # Within what SQLite calls an integer, whatever a record says.
            most = self._freshness.at_most
            seconds = learned.outcome.record.time_to_live(learned.asked)
            ttl = min(max(seconds, 0), most)
        asked = int(learned.asked.timestamp())
        return row_of_outcome(
            learned.resolver, learned.handle, learned.outcome, asked, ttl
        )

    def _find(self, resolver: str, handles: Mapping[str, Handle]) -> list[FoundRow]:
        if len(handles) > 1:
            self.flush()
            return self._file.find(resolver, handles)
        # One at a time comes from threads that also remember one at a time.
        with self._lock:
            keys = [(resolver, key) for key in handles]
            found = [self._unwritten.get(key) or self._writing.get(key) for key in keys]
        unwritten: list[FoundRow] = [self._row(each)[1:] for each in found if each]
        return unwritten or self._file.find(resolver, handles)

    def _until(self, outcome: Outcome, key: str, asked: int, ttl: int) -> int:
        return asked + self._freshness.lifetime(outcome, ttl, key)

    def _entry(self, row: CacheRow) -> CacheEntry | None:
        try:
            handle = exact_handle(row.handle)
        except HandleSyntaxError:
            return None
        outcome = outcome_of_row(row.resolver, handle, row.outcome, row.body, row.sum)
        if outcome is None:
            return None
        until = self._until(outcome, row.handle, row.asked, row.ttl)
        try:
            asked, fresh_until = (
                datetime.fromtimestamp(moment, UTC) for moment in (row.asked, until)
            )
        except (ValueError, OverflowError, OSError):
            # No sum covers it, and no calendar has it.
            return None
        return CacheEntry(
            resolver=row.resolver,
            handle=row.handle,
            outcome=outcome.name,
            target=outcome.target,
            asked=asked,
            fresh_until=fresh_until,
        )
