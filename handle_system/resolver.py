"""Who can be asked what a handle resolves to."""

from typing import Protocol, runtime_checkable

from handle_system.handle import Handle
from handle_system.outcome import Outcome

__all__ = ["Resolver"]


@runtime_checkable
class Resolver(Protocol):
    """Anything that can be asked for a handle.

    Resolvers compose: a cache is one that asks another, several asked in order
    are one.  `resolve` is called from many threads at once.
    """

    def resolve(self, handle: Handle, /) -> Outcome:
        """What comes of asking for `handle`; trouble is an `Outcome`, too."""
