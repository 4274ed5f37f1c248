"""Reading a fenced directive: what stands between its fences.

::

    ```{cite-version}
    :title: Handle Suffix Format Policy
    :history:

    0.9 | 2007-05-25 | - | Draft for comment
    ```

As MyST reads it: options are the lines at the top that begin with a colon, or
those between two lines of hyphens; an empty line after them is not part of the
body.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Directive", "directive_name", "read_directive"]

_HYPHENS = "---"


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive's options and its body.

    Attributes:
        options: Text by name; `None` where there is none.
        body: Lines with their numbers in the document, from 1.
        lines: On which line each option stands, likewise.
    """

    options: dict[str, str | None]
    body: tuple[tuple[int, str], ...]
    lines: dict[str, int] = field(default_factory=dict)


def directive_name(info: str) -> str | None:
    """The name in a fence's info string, ``{name}``, if it has one.

    >>> directive_name(" {cite-version} ")
    'cite-version'
    """
    name, _, _ = info.strip().partition(" ")
    if name.startswith("{") and name.endswith("}"):
        return name[1:-1]
    return None


def read_directive(content: str, line: int) -> Directive:
    """Read what stands between the fences; `line` is that of the first line."""
    lines = content.splitlines()
    options: dict[str, str | None] = {}
    numbers: dict[str, int] = {}
    position = 0
    if lines and lines[0].startswith(_HYPHENS):
        position = 1
        while position < len(lines) and not lines[position].startswith(_HYPHENS):
            name = _read_option(lines[position], options)
            numbers[name] = line + position
            position += 1
        position += 1
    else:
        while position < len(lines) and lines[position].lstrip().startswith(":"):
            name = _read_option(lines[position].lstrip()[1:], options)
            numbers[name] = line + position
            position += 1
    return Directive(options, tuple(_numbered(lines, position, line)), numbers)


def _numbered(lines: Sequence[str], position: int, line: int) -> list[tuple[int, str]]:
    if position < len(lines) and not lines[position].strip():
        position += 1
    return [(line + index, lines[index]) for index in range(position, len(lines))]


def _read_option(text: str, options: dict[str, str | None]) -> str:
    """Read ``name: value``, the value plain or in quotation marks; give the name."""
    if not text.strip():
        return ""
    name, _, value = text.partition(":")
    value = value.strip()
    quote = value[:1]
    if quote in {'"', "'"} and len(value) > 1 and value.endswith(quote):
        value = value[1:-1]
    options[name.strip()] = value or None
    return name.strip()
