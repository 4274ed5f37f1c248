"""Asking for each handle once, in a run that takes records for what they are.

Aliases lead to handles that are written elsewhere as well, or that others stand for,
too; who comes to one while it is being asked for waits for that answer.
"""

import threading
from collections.abc import Callable

from handle_system.handle import Handle
from handle_system.resolving.outcome import Outcome, Unreachable

__all__ = ["AskedOnce"]


class AskedOnce:
    """Asks, and answers from then on.  Safe for many threads.

    What was not reached may be tried by whoever wants to know it next.
    """

    def __init__(self, ask: Callable[[Handle], Outcome]) -> None:
        self._ask = ask
        self._changed = threading.Condition()
        self._being_asked: set[Handle] = set()
        self._answers: dict[Handle, Outcome] = {}

    def __call__(self, handle: Handle) -> Outcome:
        """What comes, or came, of asking for `handle`."""
        with self._changed:
            while handle in self._being_asked:
                self._changed.wait()
            known = self._answers.get(handle)
            if known is not None:
                return known
            self._being_asked.add(handle)
        outcome: Outcome | None = None
        try:
            outcome = self._ask(handle)
        finally:
            with self._changed:
                self._being_asked.discard(handle)
                if outcome is not None and not isinstance(outcome, Unreachable):
                    self._answers[handle] = outcome
                self._changed.notify_all()
        return outcome
