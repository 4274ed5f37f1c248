"""One handle's first request, told by a resolver to who makes it for many.

Nearly every handle is known after one request and one plain answer.  A thread for
each, which sleeps until its answer comes, costs several times what asking and
reading costs, for every waking takes the interpreter from another thread.  So a
resolver that asks a server may say, instead of asking, what it would ask, and what
it makes of the answer; one thread then waits for the answers of many
(`handle_system.resolving.multiplexer`).

What an answer leads to is an outcome, or what is still to be done for one: a further
try, an alias to follow, another resolver.  That may wait, and is left to a thread.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from handle_system.handle import Handle
from handle_system.resolving.answer import Answer, NoAnswer
from handle_system.resolving.outcome import Outcome

if TYPE_CHECKING:
    from handle_system.resolving.reply import Reply
    from handle_system.resolving.transport import Transport

__all__ = ["Inquiring", "Inquiry", "Rest", "Step"]

#: What is still to be done for an outcome; it may wait.
Rest: TypeAlias = Callable[[], Outcome]
#: Where an answer leads.
Step: TypeAlias = Outcome | Rest


# Not frozen: one is made for each handle, and a frozen one takes longer.
@dataclass(slots=True)
class Inquiry:
    """What is to be asked for one handle.

    One of `conclude` and `abandon` is to be called, for others may wait for it.

    Attributes:
        transport: Whom.
        path: What, below the transport's base.
        conclude: What the answer leads to; does not wait.
        abandon: Told that there will be no answer.
    """

    transport: "Transport"
    path: str
    conclude: Callable[[Answer | NoAnswer], Step]
    abandon: Callable[[], None]

    def then(self, further: Callable[[Outcome], Step]) -> "Inquiry":
        """The same, and what is made of its outcome."""
        conclude = self.conclude
        return Inquiry(
            self.transport,
            self.path,
            lambda answer: _carried_on(conclude(answer), further),
            self.abandon,
        )

    def finish(
        self,
        first: "Callable[[], Reply] | None" = None,
        seconds: float | None = None,
    ) -> Outcome:
        """Ask, wait, and do all that is to be done.

        Args:
            first: Reads the first reply, if the request was made already.
            seconds: What is left of the time for it.
        """
        try:
            answer = self.transport.get(self.path, first, seconds)
        except BaseException:
            self.abandon()
            raise
        return _finished(self.conclude(answer))


@runtime_checkable
class Inquiring(Protocol):
    """A resolver that can say what it would ask."""

    def inquire(self, handle: Handle, /) -> Inquiry | None:
        """What to ask for `handle`; `None` if it had rather be told to resolve it.

        Called from one thread, and does not wait.
        """


def _finished(step: Step) -> Outcome:
    """The outcome that a step leads to, when all is done."""
    return step() if callable(step) else step


def _carried_on(step: Step, further: Callable[[Outcome], Step]) -> Step:
    """A step, and what is made of the outcome it leads to."""
    if not callable(step):
        return further(step)
    return lambda: _finished(further(step()))
