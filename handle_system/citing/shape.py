"""Values of a configuration file with the paths where they stand.

TOML and YAML give nested tables; a reader of ours takes them apart and names
the place of whatever is wrong: ``work[0].version[2].handle``.  A `Node` is a
value that knows its place, so that no reader composes paths by hand.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from handle_system.citing.values import CitationError

__all__ = ["Node", "Reader"]

T = TypeVar("T")
#: Makes a value of a text that stands at a place.
Reader: TypeAlias = Callable[[str, str], T]


@dataclass(frozen=True, slots=True)
class Node:
    """A value, and where it stands.

    Attributes:
        value: What the file's parser made of it.
        path: Its place from the file's top; empty for the top itself.
    """

    value: object
    path: str = ""

    def error(self, reason: str) -> CitationError:
        """An error at this place."""
        return CitationError(reason, where=self.path or "the file")

    def member(self, name: str) -> "Node | None":
        """The table's value of that name, if there is one.

        Raises:
            CitationError: when this is no table.
        """
        table = self._table()
        if name not in table:
            return None
        return Node(table[name], f"{self.path}.{name}" if self.path else name)

    def required(self, name: str) -> "Node":
        """The table's value of that name.

        Raises:
            CitationError: when there is none, or this is no table.
        """
        found = self.member(name)
        if found is None:
            raise self.error(f"{name} is missing")
        return found

    def read(self, name: str, reader: Reader[T]) -> T | None:
        """The table's text of that name as a reader makes it a value.

        Raises:
            CitationError: as the reader does, or when it is no text.
        """
        found = self.member(name)
        return None if found is None else reader(found.text(), found.path)

    def only(self, names: Iterable[str]) -> None:
        """Nothing, if the table has no other names.

        Raises:
            CitationError: at the first other name, or when this is no table.
        """
        known = tuple(names)
        for name in self._table():
            if name not in known:
                place = f"{self.path}.{name}" if self.path else str(name)
                raise CitationError(
                    f"no such key; there are {', '.join(known)}", where=place
                )

    def elements(self) -> Iterator["Node"]:
        """The array's elements.

        Raises:
            CitationError: when this is no array.
        """
        if not isinstance(self.value, list):
            raise self.error(f"an array is expected here, not {self.kind}")
        for index, element in enumerate(self.value):
            yield Node(element, f"{self.path}[{index}]")

    def text(self) -> str:
        """The value as text.

        A number is refused, not written out: ``1.10`` would come back as 1.1.

        Raises:
            CitationError: when it is none.
        """
        if not isinstance(self.value, str):
            hint = ""
            if self.kind == "a number":
                hint = f': write "{self.value}" in quotes'
            raise self.error(f"text is expected here, not {self.kind}{hint}")
        return self.value

    def date_text(self) -> str:
        """A date, or text that should be one, as text.

        Raises:
            CitationError: when it is neither.
        """
        if isinstance(self.value, dt.date) and not isinstance(self.value, dt.datetime):
            return self.value.isoformat()
        if not isinstance(self.value, str):
            raise self.error(f"a date is expected here, not {self.kind}")
        return self.value

    @property
    def is_text(self) -> bool:
        """Whether the value is text."""
        return isinstance(self.value, str)

    @property
    def kind(self) -> str:
        """What the value is, with its article."""
        for kind, name in _KINDS:
            if isinstance(self.value, kind):
                return name
        return "nothing"

    def _table(self) -> dict[object, object]:
        if not isinstance(self.value, dict):
            raise self.error(f"a table is expected here, not {self.kind}")
        return self.value


# `bool` before `int`, and `datetime` before `date`: each is a kind of the other.
_KINDS: tuple[tuple[type, str], ...] = (
    (str, "text"),
    (bool, "true or false"),
    (int, "a number"),
    (float, "a number"),
    (list, "an array"),
    (dict, "a table"),
    (dt.datetime, "a date with a time"),
    (dt.date, "a date"),
    (dt.time, "a time"),
)
