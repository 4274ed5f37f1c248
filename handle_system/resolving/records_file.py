"""A file of records in place of a server: for examples, drafts, offline builds.

JSON::

    {
      "10.1000/1": "https://example.org/one",
      "20.1000/2": {"values": [{"index": 1, "type": "URL", "data": …}, …]}
    }

A text is the handle's one URL; an object is an answer of the proxy's REST
interface, as it came, or only its ``values``.  A handle that is not in the file
is not registered, as far as this resolver knows.

The whole file is read and checked at once, for a slip in it is its author's and
belongs in front of the build, not in the middle of it.
"""

import json
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path

from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.resolving.alias import follow_aliases
from handle_system.resolving.json_shape import RecordError, as_object, kind_of
from handle_system.resolving.old_rest_api import outcome_of_body
from handle_system.resolving.outcome import NotRegistered, Outcome, Resolved
from handle_system.resolving.record import HandleRecord
from handle_system.resolving.resolver import Recollection
from handle_system.resolving.value import HandleValue

__all__ = ["RecordsFileError", "RecordsResolver"]


class RecordsFileError(ValueError):
    """A records file that cannot be read, or has another shape.

    Attributes:
        file: The file, as it was named; empty for records given in memory.
        where: The place in it: ``line 3, column 5``, or a path from its top
            such as ``["20.1000/2"].values[0].data``; empty for the whole file.
        reason: What is wrong there, without a full stop.
    """

    file: str
    where: str
    reason: str

    def __init__(self, file: str, where: str, reason: str) -> None:
        super().__init__(file, where, reason)
        self.file = file
        self.where = where
        self.reason = reason

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.file, self.where, self.reason)))


class RecordsResolver:
    """Resolves what is in a mapping, and nothing else.

    Keys are found as handles are compared: the prefix and the whole of a DOI
    in any ASCII letter case.
    """

    __slots__ = ("_outcomes",)

    def __init__(self, records: Mapping[str, object], *, file: str = "") -> None:
        """Check and take over `records`, the parsed JSON of a records file.

        Raises:
            RecordsFileError: at the first key or record that is none.
        """
        self._outcomes: dict[Handle, Outcome] = {}
        spelled: dict[Handle, str] = {}
        for key, record in records.items():
            where = f"[{json.dumps(key, ensure_ascii=False)}]"
            try:
                handle = Handle.parse(key)
                if handle in spelled:
                    reason = f'the same handle as "{spelled[handle]}" before it'
                    raise RecordsFileError(file, where, reason)
                spelled[handle] = key
                self._outcomes[handle] = _read_record(handle, record)
            except HandleSyntaxError as error:
                raise RecordsFileError(file, where, error.reason) from error
            except RecordError as error:
                located = error.within(where)
                raise RecordsFileError(file, located.path, located.reason) from error

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> "RecordsResolver":
        """Read a records file.

        Raises:
            RecordsFileError: when it cannot be read, or has another shape.
        """
        file = fspath(path)
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
            records: object = json.loads(
                text, object_pairs_hook=_without_repetition, parse_constant=_refuse
            )
        except OSError as error:
            reason = f"it cannot be read: {error.strerror or error}"
            raise RecordsFileError(file, "", reason) from error
        except UnicodeDecodeError as error:
            reason = f"it is not UTF-8, from octet {error.start} on"
            raise RecordsFileError(file, "", reason) from error
        except json.JSONDecodeError as error:
            where = f"line {error.lineno}, column {error.colno}"
            reason = f"this is not JSON: {error.msg}"
            raise RecordsFileError(file, where, reason) from error
        except RecursionError as error:
            raise RecordsFileError(file, "", "it is nested too deep") from error
        except ValueError as error:
            raise RecordsFileError(file, "", str(error)) from error
        try:
            return cls(as_object(records), file=file)
        except RecordError as error:
            reason = "an object of handles and their records is expected"
            raise RecordsFileError(
                file, "", f"{reason}, not {kind_of(records)}"
            ) from error

    @property
    def handles(self) -> tuple[Handle, ...]:
        """The handles it has, as they are spelled, in the order of the file."""
        return tuple(self._outcomes)

    def resolve(self, handle: Handle, /) -> Outcome:
        """The record of `handle`, aliases followed, or `NotRegistered`."""
        return follow_aliases(self.look_up(handle), self.look_up)

    def recall(self, handles: Mapping[str, Handle], /) -> Recollection:
        """All of it: nobody needs to be asked."""
        known = {key: self.resolve(handle) for key, handle in handles.items()}
        return Recollection(known, ())

    def keep(self) -> None:
        """Nothing: it learns nothing."""

    def look_up(self, handle: Handle, /) -> Outcome:
        """The record of `handle` itself, even if it is an alias."""
        return self._outcomes.get(handle, NotRegistered())


def _read_record(handle: Handle, record: object) -> Outcome:
    if isinstance(record, str):
        value = HandleValue(index=1, type="URL", data=record)
        return Resolved(HandleRecord(handle, (value,)))
    if not isinstance(record, dict):
        expected = "a URL or an object is expected here"
        raise RecordError("", f"{expected}, not {kind_of(record)}")
    complete = {"responseCode": 1, "handle": str(handle), **record}
    return outcome_of_body(handle, complete)


def _without_repetition(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for name, value in pairs:
        if name in members:
            raise ValueError(f'"{name}" stands twice in one object')
        members[name] = value
    return members


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")
