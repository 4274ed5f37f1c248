"""The file of remembered answers: rows in SQLite, and nothing about handles.

SQLite because it is in the standard library, survives a process that is killed
in the middle of a write, and lets several builds use one file at once.  An HTTP
cache would keep headers and bodies that nobody reads, and is no faster than
asking again.

A cache must never be the reason for which a build fails.  A file that is
damaged, or somebody else's, is moved aside and a new one begun; one that cannot
be written is done without.  Either is told once, to whom the caller names.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from handle_system.resolving.cache_opening import (
    ForeignFileError,
    is_damage,
    is_undecodable,
    open_file,
    set_aside,
    transaction,
)

if TYPE_CHECKING:
    import sqlite3

__all__ = ["CacheFile", "CacheRow"]

_T = TypeVar("_T")

_FIELDS = "resolver, handle, outcome, asked, ttl, body, sum"
_INSERT = f"INSERT OR REPLACE INTO answers ({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 (constants)
_DELETE = "DELETE FROM answers WHERE resolver = ? AND handle = ? AND asked = ?"
# SQLite takes any value in any column, and so does one that a slip of the disk has
# changed: such a row is as good as none.
_IN_ORDER = " AND ".join(
    f"typeof({name}) = '{kind}'"
    for kind, names in (
        ("text", ("resolver", "handle", "outcome")),
        ("integer", ("asked", "ttl", "sum")),
        ("blob", ("body",)),
    )
    for name in names
)
_ALL = f"SELECT {_FIELDS} FROM answers WHERE {_IN_ORDER} ORDER BY resolver, handle"  # noqa: S608 (constants)
_OF_ONE = (
    "SELECT handle, outcome, asked, ttl, body, sum FROM answers "  # noqa: S608 (constants)
    f"WHERE resolver = ? AND {_IN_ORDER}"
)
_COUNT = "SELECT count(*) FROM answers"
# In the order of the file: faster than by the index where all is wanted.
_ALL_OF_ONE = _OF_ONE.replace("FROM answers", "FROM answers NOT INDEXED")
# For all rows it would take half as long again.
_as_far_as_it_goes = partial(str, encoding="utf-8", errors="replace")
# SQLite takes at most 999 parameters in its older builds.
_CHUNK = 500


class CacheRow(NamedTuple):
    """One remembered answer.

    Attributes:
        resolver: Who gave it, by name.
        handle: The handle's `comparison_key`.
        outcome: The outcome's name.
        asked: When it was given, in seconds since 1970.
        ttl: The record's own time to live then, in seconds; else 0.
        body: What else the outcome carries (`handle_system.resolving.answer_rows`).
        sum: A checksum (`handle_system.resolving.answer_rows`).
    """

    resolver: str
    handle: str
    outcome: str
    asked: int
    ttl: int
    body: bytes
    sum: int


#: A `CacheRow` without its resolver, and plain: they are read by the thousand.
FoundRow: TypeAlias = tuple[str, str, int, int, bytes, int]


class CacheFile:
    """One file of rows, opened when first used.  Safe for many threads.

    A connection is not to be carried over a fork: close it before.

    Attributes:
        path: Where the file is.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        warn: Callable[[str], object] = lambda _text: None,
    ) -> None:
        """Name the file; nothing is opened yet.

        Args:
            path: Where the file is, or is to be; folders are made.
            warn: Is told, in one line, when the file is replaced or useless.
        """
        self.path = Path(path)
        self._warn = warn
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._replaced = False
        self._useless = False

    def find(self, resolver: str, handles: Mapping[str, object]) -> list[FoundRow]:
        """What is remembered of `resolver` for the handles that are keys here.

        There may be rows of others among it.
        """

        def read(connection: "sqlite3.Connection") -> list[FoundRow]:
            keys = list(handles)
            if len(keys) > _CHUNK:
                # Where most of what is there is wanted, reading through all of
                # it takes half the time of looking each up.
                (number,) = connection.execute(_COUNT).fetchone()
                if number <= 2 * len(keys):
                    return connection.execute(_ALL_OF_ONE, (resolver,)).fetchall()
            found: list[FoundRow] = []
            for start in range(0, len(keys), _CHUNK):
                chunk = keys[start : start + _CHUNK]
                query = f"{_OF_ONE} AND handle IN ({','.join('?' * len(chunk))})"
                found += connection.execute(query, (resolver, *chunk))
            return found

        return self._use(read, [])

    def rows(self) -> list[CacheRow]:
        """All rows, by resolver and handle."""
        return self._use(
            lambda connection: [CacheRow(*row) for row in connection.execute(_ALL)], []
        )

    def store(self, rows: Iterable[CacheRow]) -> None:
        """Write rows, in place of those for the same resolver and handle."""
        kept = list(rows)

        def write(connection: "sqlite3.Connection") -> None:
            with transaction(connection):
                connection.executemany(_INSERT, kept)

        self._use(write, None)

    def delete(self, rows: Iterable[CacheRow]) -> None:
        """Remove rows, but for those that were written anew meanwhile."""
        keys = [(row.resolver, row.handle, row.asked) for row in rows]

        def write(connection: "sqlite3.Connection") -> None:
            with transaction(connection):
                connection.executemany(_DELETE, keys)
            # Not while another build uses the file; the room is used again.
            with contextlib.suppress(connection.OperationalError):
                connection.execute("VACUUM")

        self._use(write, None)

    def close(self) -> None:
        """Close the file; who uses it again opens it again."""
        with self._lock:
            self._close()

    def _use(self, action: "Callable[[sqlite3.Connection], _T]", otherwise: _T) -> _T:
        """Do something with the file, or do without."""
        # Loaded here: most who import this library open no cache.
        import sqlite3  # noqa: PLC0415 (see above)

        with self._lock:
            while not self._useless:
                try:
                    if self._connection is None:
                        self._connection = open_file(self.path)
                    return action(self._connection)
                except (
                    ForeignFileError,
                    sqlite3.Error,
                    OSError,
                    UnicodeError,
                ) as error:
                    opened = self._connection
                    if opened and opened.text_factory is str and is_undecodable(error):
                        # One row is damaged, and known by its sum once it is read.
                        opened.text_factory = _as_far_as_it_goes
                        continue
                    self._close()
                    self._recover(error)
            return otherwise

    def _recover(self, error: Exception) -> None:
        """Have the file replaced, once; else do without it from now on."""
        foreign = isinstance(error, ForeignFileError)
        if self._replaced or not (foreign or is_damage(error)):
            self._give_up(error)
            return
        self._replaced = True
        try:
            aside = set_aside(self.path)
        except OSError as reason:
            self._give_up(reason)
            return
        if aside is not None:
            what = "is not a cache of this version" if foreign else "is damaged"
            self._warn(
                f"the file {self.path} {what}: it was moved to {aside.name}, "
                "and a new cache begun"
            )

    def _give_up(self, error: Exception) -> None:
        self._useless = True
        self._warn(f"the cache {self.path} cannot be used: {error}")

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
