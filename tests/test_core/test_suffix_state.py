"""`handle_system.suffix.state`: a mark that outlives its process, or an error."""

import contextlib
import errno
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from handle_system.suffix.state import Mark, StateFile, StateFileError, publish


def _add_one(mark: Mark) -> tuple[Mark, int]:
    return Mark(mark.last + 1, mark.latest), mark.last + 1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The state file of a count that stands at 2."""
    path = tmp_path / "state"
    state = StateFile(path, "PILIN")
    assert [state.change(_add_one) for _ in range(3)] == [0, 1, 2]
    return path


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def _error(path: Path, scheme: str = "PILIN") -> str:
    """The error of a state file, which must leave the file as it is."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StateFileError) as caught:
        StateFile(path, scheme, patience=0).change(_add_one)
    assert caught.value.path == path
    assert str(caught.value) == f"{path}: {caught.value.reason}"
    assert (path.read_bytes() if path.is_file() else None) == before
    return caught.value.reason


def test_mark_outlives_its_file_object(path: Path) -> None:
    """Who opens the file next goes on where the last one left off."""
    assert StateFile(path, "PILIN").change(_add_one) == 3


def test_nothing_is_left_beside_the_file(path: Path) -> None:
    """Neither a journal nor what the file was made of."""
    assert list(path.parent.iterdir()) == [path]


def test_decision_that_fails_changes_nothing(path: Path) -> None:
    """An error while deciding is handed on, and the mark stays."""

    def fail(_: Mark) -> tuple[Mark, int]:
        raise LookupError("undecided")

    state = StateFile(path, "PILIN")
    with pytest.raises(LookupError):
        state.change(fail)
    assert state.change(_add_one) == 3


def test_path_is_fixed_when_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that changes its folder keeps its state file; odd names are names."""
    monkeypatch.chdir(tmp_path)
    state = StateFile("state?mode=memory#é %41", "PILIN")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    state.change(_add_one)

    assert (tmp_path / "state?mode=memory#é %41").is_file()


def test_error_of_a_file_of_something_else(tmp_path: Path) -> None:
    """A text, named by mistake, is not overwritten."""
    path = tmp_path / "README"
    path.write_text("To cite this version of this work, use …\n" * 100)
    assert _error(path) == "this file is no state file"


def test_error_of_an_empty_file(tmp_path: Path) -> None:
    """An empty file is what is left of a state file that was cut off."""
    path = tmp_path / "state"
    path.touch()
    assert _error(path) == "this file is empty, which no state file ever is"


@pytest.mark.parametrize("length", [50, 1_000, 4_096, 8_000])
def test_error_of_a_file_cut_off(path: Path, length: int) -> None:
    """What is left of a state file is not trusted."""
    path.write_bytes(path.read_bytes()[:length])
    assert _error(path) == "this state file is damaged"


def test_error_of_another_programs_database(tmp_path: Path) -> None:
    """A database, named by mistake, is left alone, even if it has such a table."""
    path = tmp_path / "catalogue.db"
    with _opened(path) as connection:
        connection.execute("CREATE TABLE mark (scheme, last, latest, checksum)")
        connection.execute("INSERT INTO mark VALUES ('PILIN', 1, 1, 1)")
    assert _error(path) == "this database is another program's"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE mark SET last = last - 1",
        "UPDATE mark SET latest = latest + 1",
        "UPDATE mark SET last = 'two'",
        "UPDATE mark SET scheme = 'sequential'",
        "DELETE FROM mark",
        "INSERT INTO mark SELECT * FROM mark",
        "DROP TABLE mark",
    ],
)
def test_error_of_a_damaged_mark(path: Path, damage: str) -> None:
    """A mark that was not written here is not trusted, though SQLite reads it."""
    with _opened(path) as connection:
        connection.execute(damage)
    assert _error(path) == "this state file is damaged"


def test_any_bit_that_fell_over(path: Path) -> None:
    """No single bit of the stored row, or of the table's description, gives a
    number a second time."""
    content = path.read_bytes()
    row, table = content.rindex(b"PILIN"), content.index(b"CREATE TABLE mark")
    for place in [*range(row, len(content)), *range(table, table + 17)]:
        for bit in range(8):
            damaged = bytearray(content)
            damaged[place] ^= 1 << bit
            path.write_bytes(damaged)
            # The letter case of SQL may fall over without harm.
            with contextlib.suppress(StateFileError):
                assert StateFile(path, "PILIN").change(_add_one) == 3
                assert place < row


def test_error_of_another_schemes_file(path: Path) -> None:
    """Numbers of two schemes have nothing to do with each other."""
    assert _error(path, "sequential") == (
        "this state file counts PILIN suffixes, not sequential ones"
    )


def test_error_of_a_file_that_others_hold(path: Path) -> None:
    """Waiting for other processes ends."""
    with _opened(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        assert _error(path) == "other processes have held it for 0 s"


@pytest.mark.parametrize("missing", ["state/state", "none/state"])
def test_error_of_a_missing_folder(path: Path, missing: str) -> None:
    """Folders are not made; a file is none."""
    with pytest.raises(StateFileError):
        StateFile(path.parent / missing, "PILIN").change(_add_one)


def test_error_of_a_folder_that_is_missing(tmp_path: Path) -> None:
    """A mistyped path is an error, and not a new state."""
    assert _error(tmp_path / "none" / "state") == (
        "this file cannot be opened, or made in its folder"
    )


def test_error_of_a_path_that_is_a_folder(tmp_path: Path) -> None:
    """The folder is not taken for its state file."""
    assert _error(tmp_path) == "this file cannot be opened, or made in its folder"


def test_error_of_a_name_that_is_too_long(tmp_path: Path) -> None:
    """What the operating system says is handed on."""
    with pytest.raises(StateFileError) as caught:
        StateFile(tmp_path / ("x" * 300), "PILIN").change(_add_one)
    assert caught.value.reason == os.strerror(errno.ENAMETOOLONG)


def test_error_of_sqlite_is_handed_on(path: Path) -> None:
    """What has no words of its own here has SQLite's."""
    with _opened(path) as connection:
        connection.execute(
            "CREATE TRIGGER t BEFORE UPDATE ON mark BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    assert _error(path) == "no"


def test_error_of_a_file_removed_while_in_use(path: Path) -> None:
    """Who used it does not begin again at nothing."""
    state = StateFile(path, "PILIN")
    state.change(_add_one)
    path.unlink()

    with pytest.raises(StateFileError) as caught:
        state.change(_add_one)
    assert caught.value.reason == "this state file was removed while in use"
    assert not path.exists()


def test_error_of_a_file_put_back_while_in_use(path: Path) -> None:
    """An older copy would give the same numbers again."""
    copy = path.read_bytes()
    state = StateFile(path, "PILIN")
    state.change(_add_one)
    path.write_bytes(copy)

    with pytest.raises(StateFileError) as caught:
        state.change(_add_one)
    assert caught.value.reason == "this state file was put back to an earlier state"


def test_two_processes_make_the_file_at_once(tmp_path: Path) -> None:
    """The name goes to who is first, and the other takes that file."""
    new, path = tmp_path / "new", tmp_path / "state"
    new.write_bytes(b"second")
    path.write_bytes(b"first")
    publish(new, path)
    assert path.read_bytes() == b"first"


def _no_links(_new: Path, _path: Path) -> None:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


def test_file_system_without_hard_links(tmp_path: Path) -> None:
    """Where a file has one name only, it is copied, unless the name is taken."""
    new, path = tmp_path / "new", tmp_path / "state"
    new.write_bytes(b"first")
    publish(new, path, link=_no_links)
    assert path.read_bytes() == b"first"

    new.write_bytes(b"second")
    publish(new, path, link=_no_links)
    assert path.read_bytes() == b"first"
