"""Check what lies beside a file of SQLite before SQLite opens it.

SQLite reads the files ``-journal``, ``-wal`` and ``-shm`` beside a database, and
believes them: a rollback journal may name a *super-journal*, any file, which SQLite
deletes after it has played the journal back ("Atomic Commit In SQLite", section 5; "Database
File Format", section 3), and a symbolic link makes it write into another file.  Somebody
who offers a repository can put such files into it.

A super-journal exists only for transactions over several databases, which this package
never makes.  A journal that names one is foreign.
"""

import os
import stat
from pathlib import Path

__all__ = ["checked_database"]

_COMPANIONS = ("-journal", "-wal", "-shm")
# The last octets of a journal, after the name of the super-journal.
_END_OF_SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")


def checked_database(path: str | os.PathLike[str]) -> Path:
    """The real path of a database, without symbolic links, for `sqlite3.connect`.

    The database need not exist.

    Raises:
        OSError: when a file beside it is not one that SQLite makes for one database.
    """
    # SQLite resolves links before it adds the endings.
    database = Path(os.path.realpath(path))
    for ending in _COMPANIONS:
        _check_companion(Path(f"{database}{ending}"))
    return database


def _check_companion(path: Path) -> None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        reason = "is a link or no ordinary file, so SQLite would write elsewhere"
    elif path.name.endswith("-journal") and _names_super_journal(path):
        reason = "names another file, which SQLite would delete"
    else:
        return
    raise OSError(f"{path.name} beside it {reason}: remove it if you do not know it")


def _names_super_journal(path: Path) -> bool:
    length = len(_END_OF_SUPER_JOURNAL)
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - length, 0))
            return file.read(length) == _END_OF_SUPER_JOURNAL
    except FileNotFoundError:
        # Another process has just finished its transaction.
        return False
