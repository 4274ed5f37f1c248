"""Who can be asked what a handle resolves to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from handle_system.handle import Handle
from handle_system.resolving.outcome import Outcome

__all__ = [
    "ClosableResolver",
    "NamedResolver",
    "Recalling",
    "Recollection",
    "Resolver",
    "close_resolver",
]


@runtime_checkable
class Resolver(Protocol):
    """Anything that can be asked for a handle.

    Resolvers compose: a cache is one that asks another, several asked in order
    are one.  `resolve` is called from many threads at once.
    """

    def resolve(self, handle: Handle, /) -> Outcome:
        """What comes of asking for `handle`; trouble is an `Outcome`, too."""


@runtime_checkable
class ClosableResolver(Resolver, Protocol):
    """A resolver that keeps something open: connections, a file."""

    def close(self) -> None:
        """Close it."""


def close_resolver(resolver: Resolver) -> None:
    """Close a resolver, if it keeps anything open."""
    if isinstance(resolver, ClosableResolver):
        resolver.close()


@runtime_checkable
class NamedResolver(Resolver, Protocol):
    """A resolver whose answers can be told from another's by its name."""

    @property
    def name(self) -> str:
        """The name: equal for resolvers that give the same answers."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """What a resolver knows of some handles without asking anybody.

    As it was then: it is not changed by what the resolver learns later.

    Attributes:
        known: Outcomes, by `Handle.comparison_key`.
        to_ask: The keys of all the others, those first whose last verification
            is longest ago.
        asked: When what is known was answered, in seconds since 1970, by the same
            keys; those are missing that need no asking.
    """

    known: Mapping[str, Outcome]
    to_ask: Sequence[str]
    asked: Mapping[str, int] = field(default_factory=dict)


@runtime_checkable
class Recalling(Protocol):
    """A resolver that knows some answers before anybody is asked.

    It may always have `resolve` called on it as any other; asked for many at
    once it is faster, and can say what is most in need of being verified.
    """

    def recall(self, handles: Mapping[str, Handle], /) -> Recollection:
        """What is known of these handles, each under its `comparison_key`."""

    def keep(self) -> None:
        """Write down what was learned, for the next run."""
