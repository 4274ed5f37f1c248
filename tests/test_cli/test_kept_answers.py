"""`hdl references update` writes answers before the next ones come."""

import threading
from collections.abc import Collection, Generator, Mapping
from pathlib import Path
from typing import Any

import pytest

from handle_cli.output import Exit, UnusableError
from handle_cli.references_writing import WrittenFile
from handle_cli.updating_references import UpdateRun
from handle_system import Handle
from handle_system.describing.answers import Described, Description
from handle_system.describing.items import JsonObject
from handle_system.resolving.outcomes import NotRegistered

FIRST = Handle("10.1000", "first")
SECOND = Handle("10.1000", "second")


class SlowAgencies:
    """Agencies that describe the first work, and the second one when they may go on."""

    def __init__(self) -> None:
        self.may_go_on = threading.Event()

    def describe_all(
        self, _handles: Collection[Handle], _agency_of_prefix: Mapping[str, str]
    ) -> Generator[tuple[Handle, Description], None, None]:
        """The descriptions of the works."""
        yield FIRST, Described({"id": "doi:10.1000/first", "title": "Known"})
        self.may_go_on.wait()
        yield SECOND, NotRegistered()


class WatchedFile(WrittenFile):
    """A file that lets agencies go on when it is written."""

    agencies: SlowAgencies
    is_full = False

    def write(
        self, changes: Mapping[Handle, JsonObject | None], *about_file: Any, **more: Any
    ) -> None:
        """Put items into the file, unless the disk is full."""
        if self.is_full:
            self.agencies.may_go_on.set()
            raise UnusableError("the disk is full")
        super().write(changes, *about_file, **more)
        if changes:
            self.agencies.may_go_on.set()


@pytest.fixture
def file(tmp_path: Path) -> WatchedFile:
    watched = WatchedFile(tmp_path / "references.json", tmp_path)
    watched.agencies = SlowAgencies()
    return watched


def ask(file: WatchedFile) -> UpdateRun:
    """A run that is over."""
    run = UpdateRun(file=file, wanted={FIRST: None, SECOND: None})
    agencies: Any = file.agencies
    assert run.ask(agencies) is Exit.FINDINGS
    return run


@pytest.mark.timeout(30)
def test_an_answer_is_written_while_another_is_awaited(file: WatchedFile) -> None:
    """A process that is killed later has kept it, however few answers there are."""
    run = ask(file)

    assert (run.added, run.without) == (1, 1)
    assert "Known" in file.path.read_text()


def test_a_file_that_cannot_be_written_ends_the_run(file: WatchedFile) -> None:
    """The reason is that of the writing, whichever thread wrote."""
    file.is_full = True
    with pytest.raises(UnusableError, match="the disk is full"):
        ask(file)
