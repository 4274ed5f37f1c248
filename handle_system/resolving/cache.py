"""Caches of outcomes, and how long an outcome holds.

A registration hardly ever ends, while the TTL of a record is usually a day: with the
TTL alone, every build would ask for everything again.  So a resolved handle is kept for
the larger of its TTL and 14 days, an unregistered one for an hour, and an unreachable
one not at all.  The time of a resolved handle varies by up to a fifth, by a number of
the handle's own: handles verified in one run are not all due in one run again.

Only good news is taken from a cache: that a handle is registered and leads somewhere.
Everything else may have been put right a minute ago, so it is asked for again.  If no
server answers, the older outcome counts, and `Provenance` says since when and why.

`SqliteCache` is a file, `RedisCache` a server that many builders share.  Both keep the
same text, and check it when they read it: others may have written it.  A cache never
makes a build fail: one that cannot be used gives one warning, and nothing more.
"""

import json
import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, assert_never
from urllib.parse import urlsplit
from zlib import crc32

from handle_system.database_files import (
    PAGE_SIZE,
    check_content,
    checked_database,
    open_database,
)
from handle_system.errors import HandleSyntaxError, showable
from handle_system.handle import Handle
from handle_system.resolving import is_address
from handle_system.resolving.outcomes import (
    NotRegistered,
    NoValues,
    Outcome,
    Provenance,
    Refused,
    Resolved,
    Unreachable,
    is_answer,
    leads_somewhere,
    outcome_from_json,
    outcome_to_json,
)
from handle_system.resolving.records import HandleRecord
from handle_system.resolving.resolvers import (
    Closing,
    Resolver,
    close_resolver,
    is_global,
)

Result = TypeVar("Result")

HOUR = 3600
# Seconds for which a resolved handle is kept, whatever its TTL.
_AT_LEAST, _AT_MOST = 14 * 86_400, 365 * 86_400

# In the header of a file of SQLite, these octets say that it is a cache.
_APPLICATION_ID = b"hdlC"
_FORMAT = 2
_TABLE = """CREATE TABLE answers (
    resolver TEXT NOT NULL,
    handle TEXT NOT NULL,
    asked INTEGER NOT NULL,
    until INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (resolver, handle)
) WITHOUT ROWID"""
_CREATE = f"""
    PRAGMA page_size = {PAGE_SIZE};
    BEGIN IMMEDIATE;
    {_TABLE};
    PRAGMA application_id = {int.from_bytes(_APPLICATION_ID, "big")};
    PRAGMA user_version = {_FORMAT};
    COMMIT;
"""
# Octets; the largest answer of a server, with room for what surrounds it.
_LARGEST_BODY = 4 * 1024 * 1024
# Rows that are read.  Others may have written them; SQLite takes any text for more than
# a number.
_SOUND = (
    f"until BETWEEN 0 AND :now + {2 * _AT_MOST} AND asked <= :now + {HOUR} "
    f"AND length(body) <= {_LARGEST_BODY}"
)
# Of the keys at a server of Redis.
_REDIS_PREFIX = "handle_system:2:"
# For one operation: seconds, and octets of what surrounds a body.
_REDIS_SECONDS = 5.0
_REDIS_FRAME = 64 * 1024
# Seconds that an operation takes at a server far away, and for how many more seconds all
# operations of a run may hold it up.
_REDIS_USUAL_SECONDS = 0.25
_REDIS_ALLOWANCE = 30.0
# A record was read from JSON, so nothing in it holds itself.
_COMPACT_JSON = json.JSONEncoder(check_circular=False, separators=(",", ":"))
_BELIEVED = f"{_SOUND} AND until > :now"
_SELECT_BODY = (
    "SELECT body FROM answers "  # noqa: S608 (constants)
    f"WHERE resolver = :resolver AND handle = :handle AND {_BELIEVED}"
)


class _Row(NamedTuple):
    """A row of the table ``answers``."""

    resolver: str
    handle: str
    asked: int
    until: int
    body: bytes


class CacheEntry(NamedTuple):
    """One remembered outcome.

    Attributes:
        resolver: The name of the resolver that was asked.
        handle: The handle, in the spelling by which the cache finds it.
        outcome: The outcome.
        asked: When, in seconds since 1970.
        until: Until when it is believed, in seconds since 1970.
    """

    resolver: str
    handle: Handle
    outcome: Outcome
    asked: int
    until: int


class Cache(Closing):
    """Remembered outcomes.  Safe for many threads and processes.

    Attributes:
        provenance: Where the outcomes come from that this object recalled or
            remembered.  A caller takes out what it reads.
    """

    def __init__(self, warn: Callable[[str], object], now: Callable[[], float]) -> None:
        self.provenance: dict[Handle, Provenance] = {}
        self._warn = warn
        self._now = now
        self._is_useless = False

    def recall(self, resolver: str, handle: Handle) -> Outcome | None:
        """The answer of `resolver` for `handle`, if it is still believed."""
        return self._recall(resolver, handle, "")

    def recall_instead(
        self, resolver: str, handle: Handle, reason: str
    ) -> Outcome | None:
        """The same, because the resolver gave no answer, for that reason."""
        return self._recall(resolver, handle, reason)

    def remember(self, resolver: str, handle: Handle, outcome: Outcome) -> None:
        """Keep an outcome, unless it is `Unreachable`."""
        if not is_answer(outcome):
            return
        asked = int(self._now())
        self._note(handle, Provenance(answered=asked))
        members = {"asked": asked, **outcome_to_json(outcome)}
        body = _COMPACT_JSON.encode(members).encode()
        self._store(resolver, handle, body, asked, _lifetime(handle, outcome, asked))

    def flush(self) -> None:
        """Write the outcomes that were held back."""

    def last_asked(self) -> dict[str, int]:
        """When handles were last asked for, by any resolver, as far as is known."""
        return {}

    def forget(self, handle: Handle) -> int:
        """Forget the outcomes of a handle; the number of forgotten outcomes."""
        raise NotImplementedError

    def _recall(self, resolver: str, handle: Handle, not_asked: str) -> Outcome | None:
        entry = self._read(self._load(resolver, handle))
        if entry is None:
            return None
        answered, outcome = entry
        self._note(
            handle,
            Provenance(answered=answered, is_remembered=True, not_asked=not_asked),
        )
        return outcome

    def _note(self, handle: Handle, provenance: Provenance) -> None:
        before = self.provenance.get(handle)
        # Of several resolvers, the one that gave no answer now decides how old the
        # joint outcome is.
        if before is None or not before.not_asked:
            self.provenance[handle] = provenance

    def _load(self, resolver: str, handle: Handle) -> object:
        """The body that `_store` kept, if its time is not over."""
        raise NotImplementedError

    def _store(
        self, resolver: str, handle: Handle, body: bytes, asked: int, seconds: int
    ) -> None:
        """Keep a body for so many seconds."""
        raise NotImplementedError

    def _read(self, body: object) -> tuple[int, Outcome] | None:
        """The moment and the outcome in a body; `None` if it is malformed."""
        try:
            members: Any = (
                json.loads(body.decode()) if isinstance(body, bytes) else None
            )
            match members:
                # The clocks of machines that share a cache may differ.
                case {"asked": int(asked)} if 0 <= asked <= self._now() + HOUR:
                    return asked, outcome_from_json(members)
        except (ValueError, RecursionError):
            pass
        return None

    def _give_up(self, what: str, error: Exception) -> None:
        """Do without the cache from now on, and say so once."""
        if not self._is_useless:
            self._is_useless = True
            reason = str(error)[:200] or type(error).__name__
            self._warn(showable(f"the cache {what} cannot be used: {reason}"))


def open_cache(
    where: str | PathLike[str],
    *,
    warn: Callable[[str], object] = lambda _text: None,
    holds_back: bool = False,
) -> Cache:
    """The cache at a path, or at a ``redis://``, ``rediss://`` or ``unix://`` URL.

    Nothing is opened before the first use.

    Args:
        where: The path or the URL.
        warn: Receives one line when the cache is damaged or cannot be used.
        holds_back: As for `SqliteCache`.

    Raises:
        ValueError: when a URL is none of Redis, or the package ``redis`` is missing.
            Neither this nor a warning shows the URL's password.
    """
    text = fspath(where)
    if is_address_of_redis(text):
        return RedisCache(text, warn=warn)
    if is_address(text):
        # As a path, its password would become the name of a folder.
        raise ValueError("the cache is neither a path nor the URL of a Redis server")
    return SqliteCache(text, warn=warn, holds_back=holds_back)


def is_address_of_redis(text: str) -> bool:
    """Whether a cache is named by the URL of a Redis server."""
    scheme = text.partition("://")[0]
    return "://" in text and scheme.lower() in {"redis", "rediss", "unix"}


class SqliteCache(Cache):
    """A cache in a file of SQLite.

    A damaged file that is a cache is replaced, and so is one of an earlier version.
    Any other file, a cache of a later version among them, is left as it is, and the
    cache does without.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        warn: Callable[[str], object] = lambda _text: None,
        now: Callable[[], float] = time.time,
        holds_back: bool = False,
    ) -> None:
        """Prepare to use the cache at a path; nothing is opened before the first use.

        Args:
            path: The path.
            warn: Receives one line when the cache is damaged or cannot be used.
            now: The clock, in seconds since 1970.
            holds_back: Whether outcomes are written together, by `flush`; until then this
                object alone knows them.
        """
        super().__init__(warn, now)
        self.path = Path(path)
        self._holds_back = holds_back
        # By resolver and comparison key.
        self._held_back: dict[tuple[str, str], _Row] = {}
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    def last_asked(self) -> dict[str, int]:
        """When handles were last asked for, by any resolver, by comparison key."""
        rows = self._run("SELECT handle, max(asked) FROM answers GROUP BY handle")
        return {key: moment for key, moment in rows if isinstance(moment, int)}

    def entries(self) -> list[CacheEntry]:
        """All that is remembered, by resolver and handle; malformed rows are skipped."""
        rows = self._run(
            f"SELECT resolver, handle, until, body FROM answers WHERE {_SOUND} ORDER BY 1, 2"  # noqa: S608 (constants)
        )
        entries = []
        for resolver, key, until, body in rows:
            with suppress(HandleSyntaxError):
                handle = Handle.parse(key)
                content = self._read(body)
                if content is not None:
                    asked, outcome = content
                    entries.append(CacheEntry(resolver, handle, outcome, asked, until))
        return entries

    def forget(self, handle: Handle) -> int:
        """Forget the outcomes of a handle; the number of forgotten outcomes."""
        key = handle.comparison_key
        self._run("DELETE FROM answers WHERE handle = :handle", handle=key)
        return self._count_changes()

    def prune(self) -> int:
        """Forget all that is no longer believed; the number of forgotten outcomes."""
        self._run(f"DELETE FROM answers WHERE NOT ({_BELIEVED})")  # noqa: S608 (constants)
        number = self._count_changes()
        if number:
            self._run("VACUUM")
        return number

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self.flush()
        self._disconnect()

    def flush(self) -> None:
        """Write the outcomes that were held back, all of them or none."""
        with self._lock:
            rows = [*self._held_back.values()]
            if rows:
                self._try(lambda connection: _insert(connection, rows))
                self._held_back.clear()

    def _disconnect(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _load(self, resolver: str, handle: Handle) -> object:
        key = handle.comparison_key
        held_back = self._held_back.get((resolver, key))
        if held_back is not None:
            return held_back.body
        rows = self._select(_SELECT_BODY, resolver=resolver, handle=key)
        return rows[0][0] if rows else None

    def _store(
        self, resolver: str, handle: Handle, body: bytes, asked: int, seconds: int
    ) -> None:
        key = handle.comparison_key
        row = _Row(resolver, key, asked, asked + seconds, body)
        with self._lock:
            self._held_back[resolver, key] = row
        if not self._holds_back:
            self.flush()

    def _count_changes(self) -> int:
        ((number,),) = self._run("SELECT changes()") or [(0,)]
        return int(number)

    def _run(self, statement: str, **values: object) -> list[tuple[Any, ...]]:
        """Execute a statement, after all outcomes are written."""
        self.flush()
        return self._select(statement, **values)

    def _select(self, statement: str, **values: object) -> list[tuple[Any, ...]]:
        """Execute one statement; nothing comes of it if the cache cannot be used."""
        values["now"] = int(self._now())
        rows = self._try(
            lambda connection: connection.execute(statement, values).fetchall()
        )
        return rows or []

    def _try(self, action: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Do something with the database; `None` if the cache cannot be used."""
        with self._lock:
            for is_last in (False, True):
                if self._is_useless:
                    break
                try:
                    return action(self._connection or self._open())
                except (sqlite3.Error, OSError, UnicodeError) as error:
                    self._disconnect()
                    # Only damage raises the base class itself: a locked file or a full
                    # disk have classes of their own.
                    is_damage = type(error) is sqlite3.DatabaseError
                    if is_last or not is_damage or not self._discard():
                        self._give_up(str(self.path), error)
        return None

    def _open(self) -> sqlite3.Connection:
        path = checked_database(self.path)
        if not path.exists():
            if self.path.is_symlink():
                raise OSError("it is a link that leads to no file")
            _create(path)
        if not self._is_cache():
            raise OSError("the file is not a cache of this version, and stays as it is")
        connection = self._connection = open_database(
            path, timeout=10.0, check_same_thread=False
        )
        connection.text_factory = lambda data: data.decode(errors="replace")
        check_content(connection, [_TABLE])
        # A killed process loses nothing by this; a power cut, the last rows.
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    def _discard(self) -> bool:
        """Delete the file, which is damaged, if it is a cache; whether it is gone."""
        try:
            if not self._is_cache():
                return False
            for companion in ("", "-wal", "-shm", "-journal"):
                Path(f"{self.path}{companion}").unlink(missing_ok=True)
        except OSError:
            return False
        name = showable(str(self.path))
        self._warn(f"the cache {name} was damaged or outdated: a new one begins")
        return True

    def _is_cache(self) -> bool:
        """Whether the file says of itself that it is a cache of this or an earlier format.

        Read from its header (SQLite, "Database File Format", 1.3); the file is not
        opened as a database, which may change it.
        """
        with self.path.open("rb") as file:
            header = file.read(100)
        return (
            header.startswith(b"SQLite format 3\0")
            and header[68:72] == _APPLICATION_ID
            and int.from_bytes(header[60:64], "big") <= _FORMAT
        )


def _insert(connection: sqlite3.Connection, rows: Sequence[_Row]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(
        "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", rows
    )
    connection.execute("COMMIT")


def _create(path: Path) -> None:
    """Make an empty cache at a path, whole or not at all.

    So an empty file is never a cache that somebody has begun, and another process that
    begins the same cache does no harm.

    Raises:
        OSError, sqlite3.Error: when the folder cannot hold it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}-{os.urandom(8).hex()}")
    try:
        with closing(sqlite3.connect(new, isolation_level=None)) as connection:
            connection.executescript(_CREATE)
            # Readers do not wait for a writer; refused on some network drives.
            with suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA journal_mode = WAL").fetchone()
        _move_if_free(new, path)
    finally:
        new.unlink(missing_ok=True)


def _move_if_free(new: Path, path: Path) -> None:
    """Move a file to a path, unless another process has put one there."""
    try:
        os.link(new, path)
    except FileExistsError:
        return
    except OSError:
        # Some file systems have no hard links.
        if not path.exists():
            new.replace(path)


class RedisCache(Cache):
    """A cache on a server of Redis or Valkey, where each entry has its time to live.

    The server is not trusted: one operation has a time and a number of octets, all of
    them together have a time by which they may hold a run up, and an answer of another
    kind is a cache that is down.
    """

    def __init__(
        self,
        url: str,
        *,
        warn: Callable[[str], object] = lambda _text: None,
        now: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(warn, now)
        self._monotonic = monotonic
        self._held_up = 0.0
        self._server = _server_of(url)
        try:
            # An extra, for those who use it.
            from handle_system.resolving.redis_client import (  # noqa: PLC0415 (see above)
                BoundedRedis,
            )

            self._client = BoundedRedis(
                url, seconds=_REDIS_SECONDS, octets=_LARGEST_BODY + _REDIS_FRAME
            )
        except ImportError as error:
            raise ValueError('a cache at redis:// needs the extra "redis"') from error
        except ValueError as error:
            # Its message may quote the password.
            raise ValueError("the cache is not the URL of a Redis server") from error

    def close(self) -> None:
        """Close the connections."""
        self._run(self._client.close)

    def forget(self, handle: Handle) -> int:
        """Forget the outcomes of a handle; the number of forgotten outcomes.

        Reads the names of all keys at the server.
        """
        # A backslash takes the meaning from the characters of a pattern.
        key = re.sub(r"([*?\[\]\\^])", r"\\\1", handle.comparison_key)
        pattern = f"{_REDIS_PREFIX}*:{key}"
        keys = self._run(lambda: self._client.keys(pattern)) or []
        self._run(lambda: self._client.delete(keys))
        return len(keys)

    def _load(self, resolver: str, handle: Handle) -> bytes | None:
        key = self._key(resolver, handle)
        return self._run_quickly(lambda: self._client.get(key, _LARGEST_BODY))

    def _store(
        self, resolver: str, handle: Handle, body: bytes, asked: int, seconds: int
    ) -> None:
        del asked
        key = self._key(resolver, handle)
        self._run_quickly(lambda: self._client.set(key, body, seconds))

    @staticmethod
    def _key(resolver: str, handle: Handle) -> str:
        return f"{_REDIS_PREFIX}{resolver}:{handle.comparison_key}"

    def _run_quickly(self, action: Callable[[], Result]) -> Result | None:
        """Do what is done for each handle, and give a slow server up in time."""
        began = self._monotonic()
        result = self._run(action)
        seconds = self._monotonic() - began
        self._held_up += max(seconds - _REDIS_USUAL_SECONDS, 0.0)
        if self._held_up >= _REDIS_ALLOWANCE:
            reason = f"it has held this run up for {_REDIS_ALLOWANCE:g} seconds"
            self._give_up(f"at {self._server}", TimeoutError(reason))
        return result

    def _run(self, action: Callable[[], Result]) -> Result | None:
        if self._is_useless:
            return None
        try:
            return action()
        # A hostile server makes the client raise anything: `RecursionError`, `TypeError`.
        except Exception as error:  # noqa: BLE001 (see above)
            self._give_up(f"at {self._server}", error)
            return None


def _server_of(url: str) -> str:
    """The host and port of a URL, for messages.

    Raises:
        ValueError: when the URL has user info in a wrong place, such as a password with a slash.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if not parts.scheme or "@" in f"{parts.path}{parts.query}{parts.fragment}":
        raise ValueError(
            "the cache is not the URL of a Redis server: "
            "in a password, / is %2F and @ is %40"
        )
    return parts.netloc.rpartition("@")[2] or parts.path


class CachingResolver(Closing):
    """Asks another resolver for what is not remembered, and remembers it.

    A cache keeps the answers of each resolver apart, by its name.  Closing this
    resolver closes both the cache and the other resolver.

    Attributes:
        name: The name by which the cache knows the other resolver: its own, or its
            class's if it has none.
        is_global: Whether the other resolver speaks for the whole Handle System.
    """

    def __init__(
        self,
        inner: Resolver,
        cache: Cache | str | PathLike[str],
        *,
        always_ask: bool = False,
    ) -> None:
        """Stand before `inner`, with a cache or the path or URL of one.

        Args:
            inner: The other resolver.
            cache: The cache.
            always_ask: Whether good news is asked for again, too.
        """
        self._inner = inner
        self._always_ask = always_ask
        self._cache = cache if isinstance(cache, Cache) else open_cache(cache)
        self.name = str(getattr(inner, "name", type(inner).__qualname__))
        self.is_global = is_global(inner)

    def resolve(self, handle: Handle, /) -> Outcome:
        """The remembered good news about `handle`, else the outcome of a request."""
        remembered = self.recall(handle)
        return self.ask(handle) if remembered is None else remembered

    def ask(self, handle: Handle) -> Outcome:
        """The outcome of a request, remembered from now on.

        If there is no answer, the outcome is the remembered one, good or not.
        """
        outcome = self._inner.resolve(handle)
        match outcome:
            case Unreachable(reason):
                older = self._cache.recall_instead(self.name, handle, reason)
                return outcome if older is None else older
            case Resolved() | NotRegistered() | NoValues() | Refused():
                self._cache.remember(self.name, handle, outcome)
                return outcome
            case _:
                assert_never(outcome)

    def recall(self, handle: Handle) -> Outcome | None:
        """The remembered outcome of `handle` if it is good news, or `None`."""
        if self._always_ask:
            return None
        outcome = self._cache.recall(self.name, handle)
        if outcome is None or not leads_somewhere(outcome):
            return None
        return outcome

    def close(self) -> None:
        """Close the cache and the other resolver."""
        self._cache.close()
        close_resolver(self._inner)


def _lifetime(handle: Handle, outcome: Outcome, asked: int) -> int:
    """For how many seconds an outcome is believed."""
    match outcome:
        case Resolved(dead_end=None):
            return _lifetime_of_record(handle, outcome.record, asked)
        case Resolved() | NotRegistered() | NoValues() | Refused():
            # Somebody may be repairing it.
            return HOUR
        case Unreachable():
            return 0
        case _:
            assert_never(outcome)


def _lifetime_of_record(handle: Handle, record: HandleRecord, asked: int) -> int:
    ttl = record.time_to_live(datetime.fromtimestamp(asked, UTC))
    # From 0 to 1.
    place = crc32(handle.comparison_key.encode()) / 0xFFFFFFFF
    return int(min(max(ttl, _AT_LEAST), _AT_MOST) * (0.8 + 0.4 * place))
