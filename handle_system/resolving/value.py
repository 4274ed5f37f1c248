"""One value of a record, and how the proxy writes it in JSON."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from sys import intern

from handle_system.resolving.json_shape import (
    RecordError,
    as_integer,
    as_object,
    as_text,
    kind_of,
    member,
    member_or,
)
from handle_system.resolving.record_data import (
    ValueData,
    ValueReference,
    as_data,
    as_references,
    data_to_json,
    references_to_json,
)
from handle_system.text import fold_ascii

__all__ = ["HandleValue"]

DAY = 86_400
# What the reference server gives a value for which nobody chose.
DEFAULT_TTL = DAY
USUAL_PERMISSIONS = "1110"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandleValue:
    """One value of a record (RFC 3651, section 3.1).

    Attributes:
        index: The value's number, unique in its record.
        type: ``URL``, ``HS_ADMIN``, ``10320/loc``, …; a dot begins a subtype.
        data: Text, octets, or structure; see `handle_system.resolving.record_data`.
        ttl: How long it may be kept: seconds, or a moment in UTC.
        timestamp: When it was last written, in UTC; servers omit it at times.
        permissions: Four characters, ``0`` or ``1``: whether administrators
            may read and write it, and whether the public may.
        references: Values of other handles that this one names.
    """

    index: int
    type: str
    data: ValueData
    ttl: int | datetime = DEFAULT_TTL
    timestamp: datetime | None = None
    permissions: str = USUAL_PERMISSIONS
    references: tuple[ValueReference, ...] = ()

    def time_to_live(self, now: datetime) -> int:
        """For how many seconds from `now` it may be kept."""
        ttl = self.ttl
        return ttl if isinstance(ttl, int) else int((ttl - now).total_seconds())

    def is_of(self, wanted: str) -> bool:
        """Whether the type is `wanted` or a subtype of it, in any letter case.

        >>> HandleValue(index=1, type="URL.SUB", data="").is_of("url")
        True
        """
        if self.type == wanted:
            return True
        own, wanted = fold_ascii(self.type), fold_ascii(wanted)
        return own == wanted or own.startswith(f"{wanted}.")


def as_value(element: object) -> HandleValue:
    """Read one element of ``values``."""
    members = as_object(element)
    return HandleValue(
        index=member(members, "index", as_integer),
        # A handful of types fill every record: one string for each.
        type=intern(member(members, "type", as_text)),
        data=member(members, "data", as_data),
        ttl=member(members, "ttl", _as_ttl) if "ttl" in members else DEFAULT_TTL,
        timestamp=(
            member(members, "timestamp", _as_moment) if "timestamp" in members else None
        ),
        permissions=member_or(
            members, "permissions", _as_permissions, USUAL_PERMISSIONS
        ),
        references=member_or(members, "references", as_references, ()),
    )


def value_to_json(value: HandleValue) -> dict[str, object]:
    """Write it as the proxy does: the inverse of `as_value`."""
    ttl = value.ttl
    written: dict[str, object] = {
        "index": value.index,
        "type": value.type,
        "data": data_to_json(value.data),
        "ttl": ttl if isinstance(ttl, int) else _moment_to_json(ttl),
    }
    if value.timestamp is not None:
        written["timestamp"] = _moment_to_json(value.timestamp)
    if value.permissions != USUAL_PERMISSIONS:
        written["permissions"] = value.permissions
    if value.references:
        written["references"] = references_to_json(value.references)
    return written


def _as_ttl(value: object) -> int | datetime:
    if isinstance(value, str):
        return _as_moment(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return _shared_integer(value)
    raise RecordError(
        "", f"seconds or a moment are expected here, not {kind_of(value)}"
    )


def _as_moment(value: object) -> datetime:
    text = as_text(value)
    try:
        return _moment(text)
    except (ValueError, OverflowError) as error:
        raise RecordError("", f"this is not a date and time: {text[:40]!r}") from error


# The values of one record, and records of one batch, bear the same moment.
@lru_cache(maxsize=256)
def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return (
        moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    )


@lru_cache(maxsize=256)
def _shared_integer(number: int) -> int:
    return number


def _moment_to_json(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _as_permissions(value: object) -> str:
    text = as_text(value)
    if len(text) != 4 or text.strip("01"):
        raise RecordError(
            "", f"four characters 0 or 1 are expected here, not {text[:40]!r}"
        )
    return intern(text)
