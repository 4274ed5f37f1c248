"""Where the values of a JSON text stand.

The text is walked with the decoder of the standard library, so that a value is the one
that every reader of the text gets, and no other text that looks like it.
"""

import json
import re
from typing import Any, NamedTuple

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")


class JsonValue(NamedTuple):
    """A value, with its half-open span in the text."""

    value: Any
    start: int
    end: int


def json_document(text: str) -> JsonValue:
    """The value that a text is.

    Raises:
        ValueError: when it is not JSON.
        RecursionError: when it is nested too deep.
    """
    value = json.loads(text)
    return JsonValue(value, _after_space(text, 0), len(text.rstrip(" \t\n\r")))


def members(text: str, outer: JsonValue) -> dict[str, JsonValue]:
    """The members of an object by their names; the last one of a name counts.

    Args:
        text: The text, which is JSON.
        outer: The object in it.
    """
    by_name: dict[str, JsonValue] = {}
    position = _after_space(text, outer.start + 1)
    while text[position] != "}":
        name, position = _DECODER.raw_decode(text, position)
        # Behind the colon.
        position = _after_space(text, _after_space(text, position) + 1)
        value = _value_at(text, position)
        by_name[name] = value
        position = _next(text, value.end)
    return by_name


def elements(text: str, outer: JsonValue) -> list[JsonValue]:
    """The elements of an array: see `members`."""
    values: list[JsonValue] = []
    position = _after_space(text, outer.start + 1)
    while text[position] != "]":
        value = _value_at(text, position)
        values.append(value)
        position = _next(text, value.end)
    return values


def _value_at(text: str, start: int) -> JsonValue:
    value, end = _DECODER.raw_decode(text, start)
    return JsonValue(value, start, end)


def _next(text: str, end: int) -> int:
    """The offset of what follows a value: the next one, or the closing bracket."""
    position = _after_space(text, end)
    if text[position] == ",":
        return _after_space(text, position + 1)
    return position


def _after_space(text: str, start: int) -> int:
    space = _SPACE.match(text, start)
    return start if space is None else space.end()
