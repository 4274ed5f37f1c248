"""What a state file remembers of minting: how far the numbers are given out.

The file is an SQLite database with one row.  The alternative was a plain text
file under a lock of the operating system.  It would be readable in an editor,
and it would need two kinds of locks (`fcntl`, `msvcrt`), of which the first is
lost as soon as any part of the process closes the file; a way to survive a
write torn by ``kill -9`` or a power cut; and an order of `fsync` calls.  SQLite
is in the standard library and has all three, tested harder than we could:

- ``BEGIN IMMEDIATE`` takes the one lock for writing, across threads, processes
  and restarts; it is gone when its process is.
- A transaction that was not committed is rolled back by whoever opens the file
  next.  ``synchronous = EXTRA`` has a commit on the disk, with the name of the
  file, before a number of it is used: a power cut takes nothing back either.
- The rollback journal, unlike the write-ahead log, also works on a network file
  system, as far as that has working locks.

The file is opened for every reservation and closed after it, which costs a
tenth of what the commit does: so nothing is held open over a fork, and a file
that was removed or put back is noticed at the next reservation.

A missing file is made, whole or not at all.  A file that is there is trusted
only if it is one of ours, its row has the sum that was written with it, it
counts for the same scheme, and it has not gone back behind what this process
saw in it; nothing is ever repaired or started over, because the price would be
an identifier given twice.  That is also why an *empty* file is an error: it is
what is left of one that was cut off.
"""

import contextlib
import os
import sqlite3
import uuid
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

__all__ = ["Mark", "MintingError", "StateFile", "StateFileError", "StatePath"]

StatePath: TypeAlias = str | os.PathLike[str]

_T = TypeVar("_T")

# "hdls", in the place where SQLite keeps whose database a file is.
_APPLICATION_ID = 0x68646C73

_DAMAGED = "this state file is damaged"

_SCHEMA = """
CREATE TABLE mark (
    scheme TEXT NOT NULL,
    last INTEGER NOT NULL,
    latest INTEGER NOT NULL,
    checksum INTEGER NOT NULL
)
"""


class MintingError(Exception):
    """No suffix could be minted without the danger of giving one twice."""


class StateFileError(MintingError):
    """The state file cannot be used; it was left as it is.

    Attributes:
        path: The file.
        reason: What is wrong with it, without a full stop.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Mark:
    """How far numbers are given out.

    Attributes:
        last: The highest number given out or reserved; -1 for none.
        latest: The latest time that a clock has shown, for numbers that follow
            one; else -1.
    """

    last: int = -1
    latest: int = -1


class StateFile:
    """One mark in a file, changed by one thread of one process at a time.

    Args:
        path: The file, made when it is missing; its folder is not. A relative
            path is fixed to the present working directory.
        scheme: What is counted; a file serves one scheme only.
        patience: How many seconds to wait while other processes hold the file.
    """

    __slots__ = ("_known", "_patience", "_scheme", "path")

    def __init__(self, path: StatePath, scheme: str, *, patience: float = 30) -> None:
        self.path = Path(path).absolute()
        self._scheme = scheme
        self._patience = patience
        self._known: Mark | None = None

    def change(self, decide: Callable[[Mark], tuple[Mark, _T]]) -> _T:
        """Replace the mark by what `decide` makes of it, and hand on its answer.

        `decide` runs while the file is locked; what it raises leaves the file
        unchanged.  When this returns, the new mark is on the disk.

        Raises:
            StateFileError: when the file is damaged, another program's or
                another scheme's, was removed or put back while in use, or
                cannot be opened, locked or written.
        """
        with contextlib.ExitStack() as stack:
            # What `decide` raises is its caller's affair, not the file's.
            with self._located_errors():
                self._make_if_missing()
                connection = stack.enter_context(self._opened(self.path, "rw"))
                before = self._read(connection)
            after, answer = decide(before)
            with self._located_errors():
                if after != before:
                    connection.execute(
                        "UPDATE mark SET last = ?, latest = ?, checksum = ?",
                        (after.last, after.latest, _checksum(self._scheme, after)),
                    )
                connection.execute("COMMIT")
        self._known = after
        return answer

    @contextlib.contextmanager
    def _located_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StateFileError(self.path, self._reason(error)) from error
        except UnicodeDecodeError as error:
            # SQLite's own message, with what it found in the damaged file.
            raise StateFileError(self.path, _DAMAGED) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise StateFileError(self.path, reason) from error

    @contextlib.contextmanager
    def _opened(self, path: Path, mode: str) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(
            f"{path.as_uri()}?mode={mode}",
            uri=True,
            timeout=self._patience,
            isolation_level=None,
        )
        with contextlib.closing(connection):
            connection.execute("PRAGMA synchronous = EXTRA")
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    def _read(self, connection: sqlite3.Connection) -> Mark:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if application != _APPLICATION_ID:
            raise StateFileError(self.path, "this database is another program's")
        # Closed at once: a row that cannot be read would keep the file locked for
        # as long as somebody keeps the error.
        with contextlib.closing(connection.cursor()) as cursor:
            cursor.execute("SELECT scheme, last, latest, checksum FROM mark")
            rows = cursor.fetchall()
        match rows:
            case [(str(scheme), int(last), int(latest), int(checksum))]:
                mark = Mark(last, latest)
            case _:
                raise StateFileError(self.path, _DAMAGED)
        if checksum != _checksum(scheme, mark):
            raise StateFileError(self.path, _DAMAGED)
        if scheme != self._scheme:
            raise StateFileError(
                self.path,
                f"this state file counts {scheme} suffixes, not {self._scheme} ones",
            )
        if self._known is not None and mark.last < self._known.last:
            raise StateFileError(
                self.path, "this state file was put back to an earlier state"
            )
        return mark

    def _make_if_missing(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            # Only the size is asked for: opening and closing the file beside
            # SQLite would take away the locks that it holds in this process.
            if self.path.stat().st_size == 0:
                raise StateFileError(
                    self.path, "this file is empty, which no state file ever is"
                )
            return
        if self._known is not None:
            raise StateFileError(self.path, "this state file was removed while in use")
        new = self.path.with_name(f".{uuid.uuid4().hex}.new")
        try:
            with self._opened(new, "rwc") as connection:
                connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                connection.execute(_SCHEMA)
                connection.execute(
                    "INSERT INTO mark VALUES (?, ?, ?, ?)",
                    (self._scheme, -1, -1, _checksum(self._scheme, Mark())),
                )
                connection.execute("COMMIT")
            publish(new, self.path)
        finally:
            new.unlink(missing_ok=True)

    def _reason(self, error: sqlite3.Error) -> str:
        # What Python cannot read of a row has no code of SQLite's.
        code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
        match code & 0xFF:
            case sqlite3.SQLITE_NOTADB:
                return "this file is no state file"
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_ERROR:
                return _DAMAGED
            case sqlite3.SQLITE_CANTOPEN:
                return "this file cannot be opened, or made in its folder"
            case sqlite3.SQLITE_BUSY:
                return f"other processes have held it for {self._patience:g} s"
            case _:
                return str(error)


def publish(
    new: Path, path: Path, *, link: Callable[[Path, Path], None] = os.link
) -> None:
    """Give a finished file its name, unless another process was faster.

    A hard link fails where the name is taken, on every system; a renamed file
    would replace what is there.

    Args:
        new: The finished file; it stays.
        path: Its name.
        link: Makes the hard link.

    Raises:
        OSError: when the file can have no such name.
    """
    try:
        link(new, path)
    except FileExistsError:
        pass
    except OSError:
        # No hard links on this file system (FAT, some shared folders): the
        # next best is to write it under its name, if that is free.
        with contextlib.suppress(FileExistsError), path.open("xb") as file:
            file.write(new.read_bytes())
            file.flush()
            os.fsync(file.fileno())


def _checksum(scheme: str, mark: Mark) -> int:
    """Against a bit that fell over, not against anybody who means it."""
    return zlib.crc32(f"{scheme} {mark.last} {mark.latest}".encode())
