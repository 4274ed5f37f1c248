"""Opening the cache's file, and moving aside one that is not to be used.

Several builds may open one file in the same moment, all find it damaged, and
all want to replace it.  Who moves it holds a lock file and looks once more
first, so that a new file begun by another build is not taken for the old one.
Nothing is deleted: a foreign file may have come here by a slip in a path.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

__all__ = [
    "ForeignFileError",
    "is_cache",
    "is_damage",
    "is_undecodable",
    "open_file",
    "set_aside",
    "transaction",
]

# "hdlC": by this number in SQLite's header the file says whose it is.
APPLICATION_ID = 0x68646C43
FORMAT = 1
_CREATE = (
    """CREATE TABLE answers (
        resolver TEXT NOT NULL,
        handle TEXT NOT NULL,
        outcome TEXT NOT NULL,
        asked INTEGER NOT NULL,
        ttl INTEGER NOT NULL,
        body BLOB NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (resolver, handle)
    )""",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {FORMAT}",
)
# Of a new file, in octets. The usual quarter of it takes four times as many reads: where
# all is remembered, a tenth of the time for looking it up.
_PAGE = 16_384
_MAGIC = b"SQLite format 3\0"
_HEADER = 100
# How long to wait for another build that writes, in seconds.
_PATIENCE = 10.0
# A lock file older than this was left behind by a build that was killed.
_LONGEST_MOVE = 10.0
_LOOK_AGAIN = 0.01


class ForeignFileError(Exception):
    """The file is in order, but it is not a cache of this format."""


def open_file(path: Path) -> "sqlite3.Connection":
    """Open the cache's file; where there is none, it is made.

    Raises:
        ForeignFileError: when it is somebody else's.
        sqlite3.Error: when it is damaged, locked or out of reach.
        UnicodeError: when it is damaged, too.
        OSError: when its folder cannot be made.
    """
    # Loaded here: most who import this library open no cache.
    import sqlite3  # noqa: PLC0415 (see above)

    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    try:
        if not _is_ours(connection):
            connection.execute(f"PRAGMA page_size = {_PAGE}")
            with transaction(connection):
                # Another build may have made it while this one waited.
                if not _is_ours(connection):
                    _begin(connection)
        # The others need not wait while one writes. Refused on some network
        # drives, and while others hold the file; then they do wait.
        with contextlib.suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        # A killed process loses nothing by this; a power cut, the last rows.
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def is_cache(path: Path) -> bool:
    """Whether a file says of itself that it is a cache of this format.

    Read off its header (SQLite, "Database File Format", 1.3), so that a file which
    is none stays as it is.

    Raises:
        OSError: when it cannot be read.
    """
    with path.open("rb") as file:
        header = file.read(_HEADER)
    # user_version at 60, application_id at 68, each of four octets.
    numbers = (header[60:64], header[68:72])
    expected = (FORMAT.to_bytes(4, "big"), APPLICATION_ID.to_bytes(4, "big"))
    return header.startswith(_MAGIC) and numbers == expected


def is_damage(error: Exception) -> bool:
    """Whether an error says that the file's content is at fault."""
    import sqlite3  # noqa: PLC0415 (as above)

    # What is damaged may be the text that a message quotes.
    if isinstance(error, UnicodeError):
        return True
    code = getattr(error, "sqlite_errorcode", None)
    if not isinstance(error, sqlite3.Error) or code is None:
        return False
    # SQLITE_ERROR of statements that are always the same: a table is missing.
    faults = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
    return code & 0xFF in faults


def is_undecodable(error: Exception) -> bool:
    """Whether an error says that a value in the file is a text, and not UTF-8."""
    import sqlite3  # noqa: PLC0415 (as above)

    # What SQLite itself has to say comes with a code.
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.OperationalError) and code is None


@contextlib.contextmanager
def transaction(connection: "sqlite3.Connection") -> Iterator[None]:
    """All or nothing, and alone from the beginning."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def set_aside(path: Path) -> Path | None:
    """Move a file that is not to be used out of the way, with its companions.

    Returns:
        Where it is now; `None` if another build has moved it already.

    Raises:
        OSError: when it cannot be moved.
    """
    with _only_one(path.with_name(f"{path.name}.lock")):
        if _is_usable(path):
            return None
        names = (f"{path.name}.aside{number or ''}" for number in count())
        places = (path.with_name(name) for name in names)
        aside = next(place for place in places if not place.exists())
        # Itself last: once it is gone another build begins a new one, and what then
        # lies beside that belongs to it.
        for companion in ("-wal", "-shm", "-journal", ""):
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + companion).rename(
                    aside.with_name(aside.name + companion)
                )
        return aside


def _is_ours(connection: "sqlite3.Connection") -> bool:
    names = ("application_id", "user_version")
    found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
    return found == [APPLICATION_ID, FORMAT]


def _begin(connection: "sqlite3.Connection") -> None:
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise ForeignFileError
    for statement in _CREATE:
        connection.execute(statement)


def _is_usable(path: Path) -> bool:
    import sqlite3  # noqa: PLC0415 (as above)

    try:
        connection = open_file(path)
    except (ForeignFileError, sqlite3.Error, UnicodeError):
        return False
    try:
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        connection.execute("SELECT count(*) FROM answers").fetchone()
    except (sqlite3.Error, UnicodeError):
        return False
    finally:
        connection.close()
    return bool(verdict == "ok")


@contextlib.contextmanager
def _only_one(lock: Path) -> Iterator[None]:
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            with contextlib.suppress(FileNotFoundError):
                # In the future, if another machine's clock is ahead of this one's.
                if abs(time.time() - lock.stat().st_mtime) > _LONGEST_MOVE:
                    lock.unlink()
            time.sleep(_LOOK_AGAIN)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
