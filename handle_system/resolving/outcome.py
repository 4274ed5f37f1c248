"""What came of resolving one handle: a closed union of frozen values.

The question a document needs answered is "is this identifier registered, and
does it lead somewhere?", and the honest answers are more than two.  They are
values, not exceptions, because each is ordinary; and five classes, not one with
optional fields, because each knows something else::

    Resolved        registered, and here is its record
    NotRegistered   no such handle, says who is responsible
    NoValues        registered, but nothing of its record is public
    Refused         registered or not: the server wants to know who asks
    Unreachable     nothing is known, and nothing may be concluded

Consume them with ``match`` and `typing.assert_never`.  Only `NotRegistered` is
news about the document; `Unreachable` is news about the network.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, TypeAlias

from handle_system.handle import Handle
from handle_system.resolving.record import HandleRecord

__all__ = [
    "NoValues",
    "NotRegistered",
    "Outcome",
    "OutcomeName",
    "Refused",
    "Resolved",
    "Unreachable",
]


class OutcomeName(StrEnum):
    """How reports, caches and options call an outcome."""

    RESOLVED = "resolved"
    NOT_REGISTERED = "not-registered"
    NO_VALUES = "no-values"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Resolved:
    """The handle is registered, and this is its record.

    Attributes:
        record: The record; of an alias, the record it leads to.
        aliases: The handles passed on the way there, first the one asked for;
            empty if that one is no alias.
        dead_end: Why the way stops at `record`, if that is an alias which leads
            nowhere; without a full stop.
    """

    name: ClassVar[OutcomeName] = OutcomeName.RESOLVED

    record: HandleRecord
    aliases: tuple[Handle, ...] = ()
    dead_end: str | None = None

    @property
    def target(self) -> str | None:
        """Where the handle leads; `None` if nowhere (`diagnose_record` says why)."""
        return self.record.target


class _Draft:
    """A `Resolved` while it is made: of the same layout, and not frozen yet."""

    __slots__ = ("aliases", "dead_end", "record")
    record: HandleRecord
    aliases: tuple[Handle, ...]
    dead_end: str | None


def plainly_resolved(record: HandleRecord) -> Resolved:
    """`Resolved(record)` in a third of the time: for caches, which make thousands."""
    draft = _Draft()
    draft.record = record
    draft.aliases = ()
    draft.dead_end = None
    draft.__class__ = Resolved  # type: ignore[assignment]  # of the same layout
    return draft  # type: ignore[return-value]  # it is one now


@dataclass(frozen=True, slots=True)
class NotRegistered:
    """There is no such handle (response codes 100 and 301).

    A proxy says 301, "That prefix doesn't live here", where the prefix itself
    is not registered.
    """

    name: ClassVar[OutcomeName] = OutcomeName.NOT_REGISTERED
    target: ClassVar[None] = None


@dataclass(frozen=True, slots=True)
class NoValues:
    """The handle is registered, and has no public value (response code 200)."""

    name: ClassVar[OutcomeName] = OutcomeName.NO_VALUES
    target: ClassVar[None] = None


@dataclass(frozen=True, slots=True)
class Refused:
    """The server answers only those it knows (response codes 400 to 406).

    Attributes:
        code: The response code.
    """

    name: ClassVar[OutcomeName] = OutcomeName.REFUSED
    target: ClassVar[None] = None

    code: int


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Nothing was learned about the handle.

    Attributes:
        reason: Why, in a few words without a full stop.
    """

    name: ClassVar[OutcomeName] = OutcomeName.UNREACHABLE
    target: ClassVar[None] = None

    reason: str


Outcome: TypeAlias = Resolved | NotRegistered | NoValues | Refused | Unreachable
