"""What can be wrong with a record although its handle is registered."""

from dataclasses import dataclass
from enum import StrEnum

from handle_system.errors import showable
from handle_system.resolving.locations import Locations, LocationsError
from handle_system.resolving.outcome import Resolved
from handle_system.resolving.record import HandleRecord

__all__ = ["RecordProblem", "RecordProblemCode", "diagnose_record"]

_SHOWN = 100
# A record can have thousands that are wrong.
_MOST = 3


class RecordProblemCode(StrEnum):
    """The kinds of problem, by names for reports and options."""

    NO_LOCATION = "no-location"
    NOT_ABSOLUTE = "location-not-absolute"
    MALFORMED_LOCATIONS = "malformed-locations"
    ALIAS_TO_NOWHERE = "alias-to-nowhere"


@dataclass(frozen=True, slots=True)
class RecordProblem:
    """One thing that is wrong with a record.

    Attributes:
        code: Its kind.
        message: What is wrong, in words that follow the handle's name; without
            a full stop.
    """

    code: RecordProblemCode
    message: str


def diagnose_record(resolved: Resolved) -> tuple[RecordProblem, ...]:
    """What is wrong with where a registered handle leads; empty if nothing.

    Without a URL and without a location the proxy shows a page of values where
    the reader expects the thing itself; an address that is not absolute sends
    the reader to a page of the proxy that does not exist.
    """
    if resolved.dead_end is not None:
        return (RecordProblem(RecordProblemCode.ALIAS_TO_NOWHERE, resolved.dead_end),)
    problems = list(_malformed_locations(resolved.record))
    if resolved.target is None:
        problems.append(_no_target(resolved.record))
    return tuple(problems)


def _malformed_locations(record: HandleRecord) -> list[RecordProblem]:
    messages = []
    for value in record.values_of("10320/loc"):
        try:
            Locations.parse(value.data if isinstance(value.data, str) else "")
        except LocationsError as error:
            messages.append(
                f"its value {value.index}, of type 10320/loc, cannot be read: "
                f"{showable(str(error))}"
            )
    more = len(messages) - _MOST
    if more > 0:
        messages[_MOST:] = [
            f"{more} more of its values of type 10320/loc cannot be read"
        ]
    code = RecordProblemCode.MALFORMED_LOCATIONS
    return [RecordProblem(code, message) for message in messages]


def _no_target(record: HandleRecord) -> RecordProblem:
    written = list(record.urls[:1])
    if not written:
        firsts = (locations.first for locations in record.locations)
        written = [first.href for first in firsts if first is not None][:1]
    if not written:
        return RecordProblem(
            RecordProblemCode.NO_LOCATION,
            "its record has neither a URL nor a location",
        )
    return RecordProblem(
        RecordProblemCode.NOT_ABSOLUTE,
        "it leads to what is no absolute http, https or ftp address: "
        f"{showable(written[0][:_SHOWN])!r}",
    )
