"""How long findings wait for an author who types."""

from collections.abc import Callable
from typing import NamedTuple

# Seconds between the last key of a run and the findings.
_PAUSE = 0.15
# In characters; the pause of a longer document is ten times as long.
_LONG_TEXT = 200_000


class _Change(NamedTuple):
    """The last change of a document: when, and the time of its findings."""

    at: float
    due: float


class Pauses:
    """The pauses of the open documents.

    The first change after a rest gets its findings at once, because its author waits
    for them.  A change that follows soon is one of a run of keys, which get theirs
    after the last one.  A long document takes too long to be read at each first key.

    Args:
        clock: Seconds that pass, from any beginning.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Begin without documents."""
        self._clock = clock
        self._last: dict[str, _Change] = {}

    def changed(self, uri: str, length: int) -> None:
        """Note a change of a document, whose text has that many characters now."""
        now = self._clock()
        is_long = length > _LONG_TEXT
        pause = _PAUSE * 10 if is_long else _PAUSE
        last = self._last.get(uri)
        has_rested = last is None or now - last.at > 2 * pause
        is_answered_at_once = has_rested and not is_long
        self._last[uri] = _Change(now, now if is_answered_at_once else now + pause)

    def left(self, uri: str) -> float:
        """The seconds until the findings of the last change are due."""
        last = self._last.get(uri)
        return 0 if last is None else max(0, last.due - self._clock())

    def forget(self, uri: str) -> None:
        """Forget a document that was closed."""
        self._last.pop(uri, None)
