"""The outcome of resolving one handle: a closed union of frozen values.

"Is this identifier registered, and does it lead somewhere?" has more than two honest
answers.  They are values and not exceptions, because each is ordinary::

    Resolved        registered, and here is its record
    NotRegistered   a responsible server says that there is no such handle
    NoValues        registered, but nothing of its record is public
    Refused         the server asks for authentication
    Unreachable     nothing was learned, and nothing may be concluded

Read them with ``match``, and end it with `typing.assert_never`.  Only `NotRegistered` is news about
the document; `Unreachable` is news about the network.

**Add an outcome.** Add a frozen class with `name`, `target` and `reason` to the union
in `handle_system/resolving/outcomes.py`, and a member to `OutcomeName`. Every `match`
over either of them ends in `assert_never`, so mypy names each place that must decide;
with a made-up outcome it named these:

- `handle_system/resolving/outcomes.py`: whether anything was learned (`is_answer`),
  whether the handle leads somewhere, what an alias of it means, how it is written as
  JSON and read again;
- `handle_system/resolving/resolvers.py`: what it means beside the outcomes of other
  resolvers of a chain;
- `handle_system/resolving/cache.py`: whether it is kept or an older outcome counts, and
  for how long;
- `handle_system/verifying/verdicts.py`: the words for it; its kind of finding has the
  same name (`handle_system/findings/codes.py`);
- `handle_cli`: the exit code of `hdl resolve`, the answers of `hdl serve`, and whether
  `hdl register` registers.

Neither mypy nor a test names these places:

- where the outcome is made: `handle_system/resolving/rest_api.py` and
  `handle_system/resolving/native/resolver.py`;
- the public names in `handle_system/__init__.py`, and the docstring of `json_report()`;
- the names of outcomes in `example_docs/verification.rst`, `glossary.rst` and
  `core.rst`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import ClassVar, NamedTuple, TypeAlias, assert_never

from handle_system.errors import HandleSyntaxError, brief, showable
from handle_system.handle import Handle
from handle_system.resolving.records import JSON_OBJECT, HandleRecord, RecordError

#: The reference proxy follows so many.
MOST_ALIASES = 20


class OutcomeName(StrEnum):
    """The name of an outcome in reports, caches and options."""

    RESOLVED = "resolved"
    NOT_REGISTERED = "not-registered"
    NO_VALUES = "no-values"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"


_OUTCOME_NAMES = {name.value: name for name in OutcomeName}


@dataclass(frozen=True, slots=True)
class Resolved:
    """The handle is registered, and this is its record.

    Attributes:
        record: The record; for an alias, the record to which it leads.
        aliases: The handles passed on the way to it, the requested one first; empty
            if the requested handle is no alias.
        dead_end: Why the way stops at `record` although that is an alias; without a
            full stop.
    """

    name: ClassVar[OutcomeName] = OutcomeName.RESOLVED

    record: HandleRecord
    aliases: tuple[Handle, ...] = ()
    dead_end: str | None = None

    @property
    def target(self) -> str | None:
        """Where the handle leads; `None` if nowhere, and `reason` says why."""
        return None if self.dead_end else self.record.target

    @property
    def possible_targets(self) -> tuple[str, ...]:
        """Where the handle may lead a browser; `target` comes first.

        See `HandleRecord.possible_targets`.
        """
        return () if self.dead_end else self.record.possible_targets

    @property
    def addresses(self) -> tuple[str, ...]:
        """All absolute addresses of the record; `target` comes first."""
        return () if self.dead_end else self.record.addresses

    @property
    def reason(self) -> str | None:
        """Why the handle leads nowhere; `None` if it leads somewhere.

        The words follow the handle's name, without a full stop.  Without an address
        the proxy shows a page of values where the reader expects the thing itself.
        """
        if self.dead_end is not None or self.target is not None:
            return self.dead_end
        written = self.record.written_target
        if written is not None:
            return (
                f"it leads to '{brief(written)}', which is not an absolute http, "
                "https or ftp address"
            )
        locations = self.record.locations
        if locations.is_unreadable:
            return "the XML of its locations is malformed"
        if locations.is_incomplete:
            return "its locations are in another record, which is not read"
        if locations.candidates:
            return "the locations of its record have no address"
        return "its record has neither a URL nor a location"


@dataclass(frozen=True, slots=True)
class NotRegistered:
    """There is no such handle, says a responsible server (response codes 100, 301)."""

    name: ClassVar[OutcomeName] = OutcomeName.NOT_REGISTERED
    target: ClassVar[None] = None
    reason: ClassVar[None] = None


@dataclass(frozen=True, slots=True)
class NoValues:
    """The handle is registered and has no public value (response code 200)."""

    name: ClassVar[OutcomeName] = OutcomeName.NO_VALUES
    target: ClassVar[None] = None
    reason: ClassVar[None] = None


@dataclass(frozen=True, slots=True)
class Refused:
    """The server asks for authentication (response codes 400 to 406).

    Attributes:
        code: The response code.
    """

    name: ClassVar[OutcomeName] = OutcomeName.REFUSED
    target: ClassVar[None] = None

    code: int

    @property
    def reason(self) -> str:
        """The same in words, without a full stop."""
        return f"the server refused to answer (response code {self.code})"


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Nothing was learned about the handle.

    Attributes:
        reason: Why, in a few words without a full stop.
        is_elsewhere: Whether a server answered that it is not responsible for the
            handle (response code 301).
    """

    name: ClassVar[OutcomeName] = OutcomeName.UNREACHABLE
    target: ClassVar[None] = None

    reason: str
    # The reason says it, too.
    is_elsewhere: bool = field(default=False, compare=False, repr=False)


Outcome: TypeAlias = Resolved | NotRegistered | NoValues | Refused | Unreachable


class Provenance(NamedTuple):
    """When an outcome was given, and why it is not younger.

    Attributes:
        answered: When a server gave it, in seconds since 1970.
        is_remembered: Whether it comes from the cache.
        not_asked: The reason why no server gave it in this run, where it should have
            been asked for again; without a full stop, else empty.
    """

    answered: int
    is_remembered: bool = False
    not_asked: str = ""

    @property
    def caveat(self) -> str:
        """A clause about an older answer, without a full stop; empty for a new one."""
        if not self.not_asked:
            return ""
        moment = datetime.fromtimestamp(self.answered, UTC)
        return (
            f"this is the answer of {moment:%Y-%m-%d %H:%M} UTC, "
            f"and there is none now: {self.not_asked}"
        )


def is_answer(outcome: Outcome) -> bool:
    """Whether anything was learned about the handle."""
    match outcome:
        case Resolved() | NotRegistered() | NoValues() | Refused():
            return True
        case Unreachable():
            return False
        case _:
            assert_never(outcome)


def leads_somewhere(outcome: Outcome) -> bool:
    """Whether the handle is registered and leads somewhere, so that nothing is reported."""
    match outcome:
        case Resolved():
            return outcome.reason is None
        case NotRegistered() | NoValues() | Refused() | Unreachable():
            return False
        case _:
            assert_never(outcome)


def describe(handle: Handle, outcome: Outcome) -> dict[str, object]:
    """An outcome in plain JSON: handle, name, target, reason.

    ``target`` and ``reason`` are `None` where there is none.
    """
    target = outcome.target
    return {
        "handle": str(handle),
        "outcome": outcome.name,
        "target": target,
        "reason": outcome.reason if target is None else None,
    }


def follow_aliases(outcome: Outcome, ask: Callable[[Handle], Outcome]) -> Outcome:
    """Follow HS_ALIAS values, as the proxy's redirects do and its REST interface does not.

    An alias that leads nowhere is a fault of its record and says nothing about the
    registration of the handle, so the outcome stays `Resolved`, with a `dead_end`.

    Args:
        outcome: The outcome of the handle itself.  One that stopped at a dead end is
            followed from there: `ask` may know more than the resolver before it.
        ask: Resolves the handles on the way.
    """
    while isinstance(outcome, Resolved) and outcome.record.alias is not None:
        outcome = _follow(outcome, outcome.record.alias, ask)
        if isinstance(outcome, Resolved) and outcome.dead_end is not None:
            break
    return outcome


def _follow(
    outcome: Resolved, written: str, ask: Callable[[Handle], Outcome]
) -> Outcome:
    """The outcome after one alias, `written` in the record of `outcome`."""
    passed = (*outcome.aliases, outcome.record.handle)
    shown = brief(written)
    # Exactly as it stands: CNRI's proxy does not remove white space.
    target = None if written != written.strip() else handle_or_none(written)
    if len(passed) > MOST_ALIASES:
        reason = f"it leads through more than {MOST_ALIASES} aliases"
    elif target is None:
        reason = f"it is an alias of '{shown}', which is not a handle"
    elif target in passed:
        reason = f"its aliases lead in a circle, back to {shown}"
    else:
        match ask(target):
            case Resolved(record, aliases, stopped) if set(aliases).isdisjoint(passed):
                return Resolved(record, (*passed, *aliases), stopped)
            case Resolved():
                reason = f"its aliases lead in a circle, through {shown}"
            case NotRegistered():
                reason = f"it is an alias of {shown}, which is not registered"
            case NoValues():
                reason = f"it is an alias of {shown}, which has no public value"
            case Unreachable(why):
                return Unreachable(f"it is an alias of {shown}: {why}")
            case Refused() as refused:
                return refused
            case _ as never:
                assert_never(never)
    return replace(outcome, dead_end=reason)


def handle_or_none(text: str) -> Handle | None:
    """The handle that a record names, exactly as it stands, or `None`."""
    try:
        return Handle.parse(text)
    except HandleSyntaxError:
        return None


def outcome_to_json(outcome: Outcome) -> dict[str, object]:
    """An outcome as plain JSON, for caches.

    Raises:
        ValueError: for one that is unreachable.
    """
    match outcome:
        case Resolved(record, aliases, dead_end):
            return {
                "outcome": outcome.name,
                "handle": str(record.handle),
                "values": [value.json for value in record.values],
                "aliases": [*map(str, aliases)],
                "dead_end": dead_end,
            }
        case NotRegistered() | NoValues():
            return {"outcome": outcome.name}
        case Refused(code):
            return {"outcome": outcome.name, "code": code}
        case Unreachable():
            raise ValueError("an unreachable handle has no outcome to keep")
        case _:
            assert_never(outcome)


def outcome_from_json(json: object) -> Outcome:
    """Read and check the JSON that `outcome_to_json` wrote.

    Raises:
        RecordError, HandleSyntaxError: when it has another shape.
    """
    if not isinstance(json, JSON_OBJECT):
        raise _not_an_outcome(json)
    name = _OUTCOME_NAMES.get(str(json.get("outcome")))
    if name is None:
        raise _not_an_outcome(json)
    match name:
        case OutcomeName.RESOLVED:
            return _resolved_from_json(json)
        case OutcomeName.NOT_REGISTERED:
            return NotRegistered()
        case OutcomeName.NO_VALUES:
            return NoValues()
        case OutcomeName.REFUSED:
            code = json.get("code")
            if type(code) is int:
                return Refused(code)
            raise _not_an_outcome(json)
        case OutcomeName.UNREACHABLE:
            raise _not_an_outcome(json)
        case _:
            assert_never(name)


def _not_an_outcome(json: object) -> RecordError:
    return RecordError(f"an outcome is expected, not {showable(str(json)[:60])}")


def _resolved_from_json(members: Mapping[object, object]) -> Resolved:
    match members:
        case {
            "values": values,
            "handle": str(last),
            "aliases": list(texts),
            "dead_end": str() | None as dead_end,
        } if all(isinstance(text, str) for text in texts):
            record = HandleRecord.from_json(Handle.parse(last), values)
            aliases = tuple(map(Handle.parse, texts))
            return Resolved(record, aliases, dead_end)
    raise RecordError("a resolved handle is expected, with its record and aliases")
