"""Files that others may have written: the tables of `SECURITY.md`, cell by cell."""

import errno
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from handle_cli.command import hdl
from handle_system import Handle
from handle_system.resolving.cache import SqliteCache
from handle_system.resolving.outcomes import NotRegistered
from handle_system.suffix import EPOCH, mint, to_datetime
from tests.agency_server import AgencyServer, running_agency
from tests.command_line import runner

SECURITY = Path(__file__).parent.parent / "SECURITY.md"
WORKS = """\
[[work]]
title = "Urns"
creators = ["Carberry, Josiah"]
handle = "20.1000/urns"
url = "https://example.org/"

  [[work.version]]
  label = "1"
"""
RETRACTED = {
    "id": "doi:10.1/a",
    "title": "Urns",
    "custom": {"updates": [{"state": "retracted", "by": "10.1/b"}]},
}
OTHER = {"id": "doi:10.1/other", "title": "Pots"}
STYLE = (
    '<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0" class="in-text">'
    '<citation><layout><text variable="title"/></layout></citation></style>'
)


def run(*arguments: str) -> Result:
    return runner().invoke(hdl, arguments, catch_exceptions=False)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="module")
def agency() -> Iterator[AgencyServer]:
    with running_agency() as server:
        server.describe("10.1/c", {"DOI": "10.1/c", "title": "Cups"})
        yield server


def table(beginning: str) -> dict[str, dict[str, str]]:
    """The rows of a table of `SECURITY.md`, by their names, each by its columns."""
    text = SECURITY.read_text("utf-8")
    lines = text[text.index(f"| {beginning} |") :].partition("\n\n")[0].splitlines()
    columns, _rule, *rows = (
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in lines
    )
    return {
        row[0]: dict(zip(columns[1:], row[1:], strict=True))
        for row in ([cell.strip(" |") for cell in row] for row in rows)
    }


def write_sound_files(project: Path) -> None:
    """What the commands need beside the file that is tried."""
    (project / "sound.json").write_text('{"20.1000/a": "https://example.org/"}')
    (project / "b.md").write_text("hdl:20.1000/a\n")
    (project / "README.md").write_text("hdl:20.1000/a\n")


def write_cache(path: Path) -> None:
    with closing(SqliteCache(path)) as cache:
        cache.remember("x", Handle.parse("20.1/a"), NotRegistered())


@dataclass(frozen=True, kw_only=True)
class Reader:
    """What reads a file.

    Attributes:
        path: The file.
        command: The command that reads it.
        content: A content of its form, or what writes the file.
        bound: Its bound in octets, if it has one.
        setting: The setting of a project that names it, too.
        unnamed: The command that reads it where no option names it.
    """

    path: str
    command: tuple[str, ...]
    content: str | Callable[[Path], object]
    bound: int = 0
    setting: str = ""
    unnamed: tuple[str, ...] = ()

    def write(self) -> None:
        """Make the file."""
        if isinstance(self.content, str):
            Path(self.path).write_text(self.content)
        else:
            self.content(Path(self.path))


READERS = {
    "a checked file": Reader(
        path="a.md", command=("check", "."), content="", bound=10_000_000
    ),
    "`pyproject.toml`": Reader(
        path="pyproject.toml",
        command=("check", "."),
        content="[tool.handle]\n",
        bound=500_000,
    ),
    "`.hdlignore`": Reader(
        path=".hdlignore", command=("check", "."), content="x\n", bound=500_000
    ),
    "a works file": Reader(
        path="works.toml",
        command=("register", "--new", "works.toml"),
        content=WORKS,
        bound=2_000_000,
        unnamed=("check", "README.md"),
    ),
    "a file of references that is named": Reader(
        path="r.json",
        command=("references", "list", "--references", "r.json"),
        content=json.dumps([RETRACTED]),
        bound=32 * 1024 * 1024,
        setting='references = ["r.json"]',
        unnamed=("references", "list"),
    ),
    "one that a setting names, or that is found": Reader(
        path="references.json",
        command=("check", "b.md"),
        content=json.dumps([RETRACTED]),
        bound=32 * 1024 * 1024,
    ),
    "a file of Retraction Watch": Reader(
        path="watch.csv",
        command=("check", "--retractions", "watch.csv", "b.md"),
        content=(
            "OriginalPaperDOI,RetractionDOI,RetractionDate,RetractionNature\n"
            f"10.1/a,10.1/b,{datetime.now(UTC):%m/%d/%Y} 0:00,Retraction\n"
        ),
        bound=256 * 1024 * 1024,
        setting='retractions = "watch.csv"',
        unnamed=("check", "b.md"),
    ),
    "a file of records": Reader(
        path="records.json",
        command=("resolve", "--resolver", "records.json", "20.1/a"),
        content='{"20.1/a": "https://example.org/"}',
        bound=64 * 1024 * 1024,
        setting='resolver = ["records.json"]',
        unnamed=("check", "--verify", "b.md"),
    ),
    "a CSL style": Reader(
        path="s.csl",
        command=("references", "update", "--style", "s.csl", "."),
        content=STYLE,
        bound=1_000_000,
        setting='style = "s.csl"',
        unnamed=("references", "update", "."),
    ),
    "a cache": Reader(
        path="cache",
        command=(
            *("check", "--verify", "--cache", "cache"),
            *("--resolver", "sound.json", "b.md"),
        ),
        content=write_cache,
        setting='cache = "cache"',
        unnamed=("check", "--verify", "--resolver", "sound.json", "b.md"),
    ),
    "a state of `hdl mint`": Reader(
        path="state",
        command=("mint", "--state", "state"),
        content=lambda path: mint(state=path),
    ),
}
READ = table("File")


def cells(rows: dict[str, dict[str, str]]) -> list[Any]:
    """Each cell, as a parameter: the row, the column and the word."""
    return [
        pytest.param(name, column, word, id=f"{name}-{column}")
        for name, row in rows.items()
        for column, word in row.items()
        # It is admitted, and there is nothing to try.
        if word != "no bound"
    ]


def test_every_reader_has_its_row() -> None:
    """The table names the readers that are tried here, and those with a bound."""
    assert list(READ) == list(READERS)
    without_bound = {name for name in READERS if not READERS[name].bound}
    column = "Larger than its bound"
    assert {name for name in READ if READ[name][column] == "no bound"} == without_bound


@pytest.mark.parametrize("name", READERS)
def test_a_sound_file_is_read(name: str, project: Path) -> None:
    """Without a hazard the command does its work, so that a refusal says something."""
    write_sound_files(project)
    reader = READERS[name]
    reader.write()
    done = run(*reader.command)

    needs_pandoc = "needs the program pandoc" in done.stderr
    assert done.exit_code == 0 or needs_pandoc


@pytest.mark.parametrize(("name", "column", "word"), cells(READ))
def test_a_file_that_is_read(name: str, column: str, word: str, project: Path) -> None:
    """The command does with the file what its cell says, and leaves it as it is."""
    write_sound_files(project)
    reader = READERS[name]
    path = project / reader.path
    command = reader.command
    path.unlink(missing_ok=True)
    match column:
        case "Larger than its bound":
            reader.write()
            # Octets of white space are of the form of every text.
            path.write_bytes(path.read_bytes() + b" " * (reader.bound + 1))
        case "A pipe or a device":
            os.mkfifo(path)
        case "Not of its form":
            path.write_bytes(b"\xff not of its form\n" * 200)
        case "A link out of the project":
            reader.write()
            path.symlink_to(path.rename(project.parent / "elsewhere"))
            if reader.setting:
                setting = f"[tool.handle]\n{reader.setting}\n"
                (project / "pyproject.toml").write_text(setting)
            command = reader.unnamed or command
        case _:
            pytest.fail(f"the column {column} has no test")
    before = path.lstat()
    done = run(*command)

    assert path.lstat().st_mtime_ns == before.st_mtime_ns
    assert path.lstat().st_size == before.st_size
    match word:
        case "refused":
            assert (done.exit_code, done.stdout) == (2, "")
            assert reader.path in done.stderr
        case "finding":
            assert done.exit_code in {0, 1}
            assert "[skipped]" in done.stdout
        case "warning":
            assert done.exit_code == 1
            assert f"{reader.path}: warning: " in done.stdout
            assert "[references]" in done.stdout
        case "not used" | "followed":
            assert done.exit_code == 0
        case _:
            pytest.fail(f"nobody knows what {word} means")


NOON = datetime(2026, 11, 26, 12, tzinfo=UTC)
LATER = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("forged", "expected"),
    [
        # Nothing was made: no suffix is one of a time before the clock's.
        (None, NOON),
        # Later suffixes were made: new ones are later still.
        (LATER, LATER + timedelta(milliseconds=1)),
    ],
)
def test_a_state_that_somebody_has_written(
    project: Path, forged: datetime | None, expected: datetime
) -> None:
    """It moves the time of new suffixes, and never behind the clock."""
    state = project / "state"
    # A process keeps what it has reserved, so another one makes the file.
    command = [sys.executable, "-m", "handle_cli", "mint", "--state", str(state)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    made = -1 if forged is None else (forged - EPOCH) // timedelta(milliseconds=1)
    with closing(sqlite3.connect(state)) as database:
        database.execute("UPDATE mark SET last = ?, latest = ?", (made, made))
        database.commit()
    suffix = mint(state=state, clock=lambda: NOON)

    assert to_datetime(suffix) == expected


@dataclass(frozen=True, kw_only=True)
class Writer:
    """What writes a file of the user's: its command, and the file's content before."""

    command: tuple[str, ...]
    content: str
    other: str
    """A content that somebody else writes meanwhile."""
    file: str = "file.md"


WRITERS = {
    "`hdl fix`": Writer(
        command=("fix", "--yes", "file.md"),
        content="doi:10.1000/1\n",
        other="saved\n",
    ),
    "`hdl assign`": Writer(
        command=("assign", "--prefix", "20.1", "file.md"),
        content=WORKS,
        other=WORKS.replace("Urns", "Pots"),
    ),
    "`hdl references update`": Writer(
        command=("references", "update", "--references", "file.md", "a.rst"),
        content=json.dumps([RETRACTED]),
        other=json.dumps([RETRACTED, OTHER]),
    ),
    "`hdl references accept`": Writer(
        command=("references", "accept", "10.1/b", "--references", "file.md"),
        content=json.dumps([RETRACTED]),
        other=json.dumps([RETRACTED, OTHER]),
    ),
    "`hdl init`": Writer(
        command=("init", "--yes"),
        content="[project]\n",
        other="[tool.black]\n",
        file="pyproject.toml",
    ),
}
WRITTEN = table("Writer")


@pytest.fixture
def run_writer(project: Path, agency: AgencyServer) -> Callable[[str], Result]:
    (project / "a.rst").write_text("doi:10.1/c\n")

    def run_it(name: str) -> Result:
        command = WRITERS[name].command
        if "update" in command:
            command = (*command, "--resolver", agency.url)
        return run(*command)

    return run_it


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_every_writer_has_its_row() -> None:
    """The table names the writers that are tried here; `trials.kills` tries the kills."""
    assert list(WRITTEN) == list(WRITERS)
    assert {row["Killed"] for row in WRITTEN.values()} == {"old or new"}


@pytest.mark.parametrize("name", WRITERS)
def test_an_ordinary_file_is_written(
    name: str, project: Path, run_writer: Callable[[str], Result]
) -> None:
    """A link in the project goes on leading to it, its mode stays, and nothing is left."""
    writer = WRITERS[name]
    (project / writer.file).unlink(missing_ok=True)
    (project / writer.file).symlink_to("real")
    (project / "real").write_text(writer.content)
    (project / "real").chmod(0o640)
    before = names_in(project)
    done = run_writer(name)

    assert done.exit_code in {0, 1}
    assert (project / "real").read_text() != writer.content
    assert (project / writer.file).is_symlink()
    assert (project / "real").stat().st_mode & 0o777 == 0o640
    assert names_in(project) == before


@pytest.mark.parametrize("name", WRITERS)
def test_other_hard_links(
    name: str, project: Path, run_writer: Callable[[str], Result]
) -> None:
    """They keep the old content, and the command says so."""
    writer = WRITERS[name]
    (project / writer.file).write_text(writer.content)
    (project / "other").hardlink_to(project / writer.file)
    done = run_writer(name)

    assert f"{writer.file}: its other hard links keep the old text\n" in done.stderr
    assert (project / "other").read_text() == writer.content
    assert (project / writer.file).read_text() != writer.content


def endanger(
    path: Path, column: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bring a file into the danger of a column."""
    fsync = os.fsync

    def fail(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def save_meanwhile(descriptor: int) -> None:
        fsync(descriptor)
        monkeypatch.setattr(os, "fsync", fsync)
        path.write_text(other)

    match column:
        case "A full disk":
            monkeypatch.setattr(os, "fsync", fail)
        case "Changed meanwhile":
            monkeypatch.setattr(os, "fsync", save_meanwhile)
        case "A link out of the project":
            path.unlink()
            path.symlink_to("../others.md")
        case "Read-only":
            path.chmod(0o444)
        case "A pipe or a device":
            path.unlink()
            os.mkfifo(path)
        case _:
            pytest.fail(f"the column {column} has no test")


@pytest.mark.parametrize(
    ("name", "column", "word"),
    [cell for cell in cells(WRITTEN) if cell.values[1] != "Killed"],
)
def test_a_file_that_is_written(
    name: str,
    column: str,
    word: str,
    project: Path,
    run_writer: Callable[[str], Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The command keeps what its cell says."""
    writer = WRITERS[name]
    path = project / writer.file
    target = project.parent / "others.md"
    target.write_text(writer.content)
    path.write_text(writer.content)
    endanger(path, column, writer.other, monkeypatch)
    before = names_in(project)
    done = run_writer(name)

    assert names_in(project) == before
    assert target.read_text() == writer.content
    assert word in {"kept", "refused", "both changes"}
    if word == "both changes":
        assert done.exit_code == 0
        items = {item["id"]: item for item in json.loads(path.read_text())}
        assert items.pop("doi:10.1/other") == OTHER
        assert items != {"doi:10.1/a": RETRACTED}
        return
    assert (done.exit_code, writer.file in done.stderr) == (2, True)
    assert (word == "refused") <= (done.stdout == "")
    if not path.is_fifo():
        is_saved = column == "Changed meanwhile"
        assert path.read_text() == (writer.other if is_saved else writer.content)


MAKERS = ("`hdl init`", "`hdl references update`")


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("column", ["A full disk", "Changed meanwhile"])
def test_a_file_that_is_made(
    name: str,
    column: str,
    project: Path,
    run_writer: Callable[[str], Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a file before, there is none afterwards, or the one of somebody else."""
    writer = WRITERS[name]
    path = project / writer.file
    path.unlink(missing_ok=True)
    before = names_in(project)
    endanger(path, column, writer.other, monkeypatch)
    done = run_writer(name)

    if column == "A full disk":
        assert names_in(project) == before
        assert (done.exit_code, writer.file in done.stderr) == (2, True)
        return
    assert names_in(project) == {*before, writer.file}
    is_update = "update" in writer.command
    assert done.exit_code == (0 if is_update else 2)
    assert path.read_text() == writer.other or is_update
    assert "10.1/other" in path.read_text() or not is_update


@pytest.mark.parametrize("has_links", [True, False])
@pytest.mark.parametrize("name", MAKERS)
def test_a_file_is_made_whole(
    name: str,
    project: Path,
    run_writer: Callable[[str], Result],
    monkeypatch: pytest.MonkeyPatch,
    *,
    has_links: bool,
) -> None:
    """It appears with its content and the usual mode, also on a disk without hard links."""

    def refuse(_old: Path, _new: Path) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    writer = WRITERS[name]
    path = project / writer.file
    path.unlink(missing_ok=True)
    before = names_in(project)
    if not has_links:
        monkeypatch.setattr(os, "link", refuse)
    (project / "usual").touch()
    usual_mode = (project / "usual").stat().st_mode
    (project / "usual").unlink()
    done = run_writer(name)

    assert done.exit_code in {0, 1}
    assert names_in(project) == {*before, writer.file}
    assert path.read_text()
    assert path.stat().st_mode == usual_mode


@pytest.mark.parametrize(
    ("content", "severity"),
    [
        ('[{"id": "doi:10.1/a", ', "warning"),
        ("<<<<<<< ours\n[]\n=======\n[{}]\n>>>>>>> theirs\n", "warning"),
        # Sound JSON of another tool.
        ('{"compilerOptions": {}}', "note"),
        ('[{"name": "x"}]', "note"),
    ],
)
def test_a_found_file_of_references_that_is_damaged(
    project: Path, content: str, severity: str
) -> None:
    """A check that cannot know of retractions fails; another tool's file is no matter."""
    write_sound_files(project)
    (project / "references.json").write_text(content)
    done = run("check", "b.md")

    assert f"references.json: {severity}: " in done.stdout
    assert done.exit_code == (1 if severity == "warning" else 0)


def test_a_named_file_of_references_that_is_damaged(project: Path) -> None:
    """The command line names it: nothing is checked without it."""
    write_sound_files(project)
    (project / "r.json").write_text("[")
    done = run("check", "--references", "r.json", "b.md")

    assert (done.exit_code, done.stdout) == (2, "")
    assert "r.json: it is not JSON" in done.stderr
