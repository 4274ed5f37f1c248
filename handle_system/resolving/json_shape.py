"""Reading JSON of a known shape, with errors that say where.

A path grows on the way out: the reader of a member knows its name and prefixes
it when an error passes by, so nobody pays for paths while all is well.  A
schema library would be a dependency for what is forty lines here.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

__all__ = ["RecordError"]

_T = TypeVar("_T")


class RecordError(ValueError):
    """A record's JSON has not the shape that the protocol gives it.

    Attributes:
        path: Where, from the record's top: ``values[2].data.value``; empty for
            the record itself.
        reason: What is wrong there, without a full stop.
    """

    path: str
    reason: str

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.path else self.reason

    def within(self, outer: str) -> "RecordError":
        """The same error, seen from the object that holds this one at `outer`."""
        joint = "." if self.path and not self.path.startswith("[") else ""
        return RecordError(f"{outer}{joint}{self.path}", self.reason)


def as_object(value: object) -> Mapping[str, object]:
    """A JSON object, or an error."""
    if isinstance(value, dict):
        return value
    raise RecordError("", f"an object is expected here, not {kind_of(value)}")


def as_text(value: object) -> str:
    """A JSON string, or an error."""
    if isinstance(value, str):
        return value
    raise RecordError("", f"a string is expected here, not {kind_of(value)}")


def as_integer(value: object) -> int:
    """A JSON number without a fraction, or an error."""
    # `true` is an `int` to Python, and none to JSON.
    if isinstance(value, int) and value is not True and value is not False:
        return value
    raise RecordError("", f"an integer is expected here, not {kind_of(value)}")


def as_boolean(value: object) -> bool:
    """``true`` or ``false``, or an error."""
    if isinstance(value, bool):
        return value
    raise RecordError("", f"true or false is expected here, not {kind_of(value)}")


def as_list(value: object, reader: Callable[[object], _T]) -> tuple[_T, ...]:
    """A JSON array with each element read by `reader`, or an error."""
    if not isinstance(value, list):
        raise RecordError("", f"an array is expected here, not {kind_of(value)}")
    read: list[_T] = []
    try:
        for element in value:
            read.append(reader(element))  # noqa: PERF401 (the length is the path)
    except RecordError as error:
        raise error.within(f"[{len(read)}]") from error
    return tuple(read)


def member(
    members: Mapping[str, object], name: str, reader: Callable[[object], _T]
) -> _T:
    """The member `name` as `reader` reads it; an error names the member."""
    try:
        return reader(members[name])
    except KeyError:
        raise RecordError("", f'"{name}" is missing') from None
    except RecordError as error:
        raise error.within(name) from error


def member_or(
    members: Mapping[str, object],
    name: str,
    reader: Callable[[object], _T],
    default: _T,
) -> _T:
    """As `member`, but `default` where the member is missing."""
    return member(members, name, reader) if name in members else default


def kind_of(value: object) -> str:
    """What JSON calls a value's kind, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _KINDS.get(type(value), "something that is not JSON")


_KINDS: Mapping[type, str] = {
    str: "a string",
    int: "an integer",
    float: "a number with a fraction",
    list: "an array",
    dict: "an object",
}
