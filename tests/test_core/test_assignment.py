"""`handle_system.citing.assignment`: handles for versions that have none yet."""

import datetime as dt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.assignment import Assigned, assign_file, assign_handles
from handle_system.citing.toml import read_toml
from handle_system.citing.values import CitationError, Reading
from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.suffix import PilinSuffixes


class Counting:
    """Suffixes that a reader of a test can foresee."""

    def __init__(self) -> None:
        self.count = 0

    def mint(self) -> str:
        """The next number."""
        self.count += 1
        return f"S{self.count}"


FILE = """\
# Our works.
[[work]]
title = "Policy"   # not handle = "not yet assigned"

[[work.version]]
label = "1.0"      # the first
handle = "102.100.272/0N8J991QH"

[[work.version]]
  label = '1.1'    # handle = "-"
  date = 2007-06-26

[[work.version]]
label = "1.2"
handle   =   'Not yet assigned' # soon

[[work.version]]
label = "1.3"
handle = "env:HANDLE"

[[work]]
title = "Another"
version = [{ label = "2.0" }, { label = "2.1", handle = "" }]
"""
FILLED = """\
# Our works.
[[work]]
title = "Policy"   # not handle = "not yet assigned"

[[work.version]]
label = "1.0"      # the first
handle = "102.100.272/0N8J991QH"

[[work.version]]
  label = '1.1'    # handle = "-"
  handle = "1234/S1"
  date = 2007-06-26

[[work.version]]
label = "1.2"
handle   =   "1234/S2" # soon

[[work.version]]
label = "1.3"
handle = "env:HANDLE"

[[work]]
title = "Another"
version = [{ label = "2.0", handle = "1234/S3" }, { label = "2.1", handle = "1234/S4" }]
"""


def test_handles_come_in_and_nothing_else_changes() -> None:
    """Comments, order and spacing stay, in every way of writing a version."""
    text, assigned = assign_handles(FILE, "1234", Counting())

    assert text == FILLED
    assert [(one.path, one.label, str(one.handle)) for one in assigned] == [
        ("work[0].version[1]", "1.1", "1234/S1"),
        ("work[0].version[2]", "1.2", "1234/S2"),
        ("work[1].version[0]", "2.0", "1234/S3"),
        ("work[1].version[1]", "2.1", "1234/S4"),
    ]


def test_file_that_is_full_stays() -> None:
    """Doing it twice does it once."""
    assert assign_handles(FILLED, "1234", Counting()) == (FILLED, ())


def test_versions_can_be_chosen() -> None:
    """Only the versions that are named get a handle."""
    _, assigned = assign_handles(FILE, "1234", Counting(), labels=["v1.2", "9"])

    assert [one.label for one in assigned] == ["1.2"]


def test_suffix_is_minted_as_the_policy_says(tmp_path: Path) -> None:
    """A handle is given with a PILIN suffix of the present moment (seed 002)."""
    now = dt.datetime(2007, 5, 25, 3, 49, 52, 865000, tzinfo=dt.UTC)

    _, (assigned,) = assign_handles(
        "[[work]]\ntitle = 'x'\n[[work.version]]\nlabel = '1'",
        "102.100.272",
        PilinSuffixes(state=tmp_path / "minted", clock=lambda: now),
    )

    assert str(assigned.handle) == "102.100.272/Y35XYS0QH"


def test_line_ends_and_mark_stay() -> None:
    """A file of another system keeps its ways, also when its last line has no end."""
    text = "\ufeff[[work]]\r\ntitle = 'x'\r\n[[work.version]]\r\nlabel = '1'"

    with_end, _ = assign_handles(f"{text}\r\n", "1234", Counting())
    without_end, _ = assign_handles(text, "1234", Counting())

    assert with_end == f'{text}\r\nhandle = "1234/S1"\r\n'
    assert without_end == f'{text}\nhandle = "1234/S1"\n'


def test_error_of_a_file_that_cannot_be_edited() -> None:
    """Where no edit is certain, the author is told what to write."""
    text = '[[work]]\ntitle = "x"\n[[work.version]]\n"label" = "1"\n'

    with pytest.raises(CitationError) as caught:
        assign_handles(text, "1234", Counting())

    assert str(caught.value) == (
        "work[0].version[0]: the file cannot be edited without changing more: "
        'write handle = "1234/S1"'
    )


def test_error_of_wrong_input() -> None:
    """A file that is none, and a prefix that is none, are errors of their own."""
    with pytest.raises(CitationError) as file:
        assign_handles("[[works]]", "1234", Counting())
    with pytest.raises(HandleSyntaxError) as prefix:
        assign_handles(FILE, "12/34", Counting())

    assert str(file.value) == "works: no such key; there are work"
    assert prefix.value.reason == '"/" in a prefix'


def test_file_is_replaced_whole(tmp_path: Path) -> None:
    """The file keeps its permissions, and nothing is left beside it."""
    path = tmp_path / "works.toml"
    path.write_bytes(FILE.replace("\n", "\r\n").encode())
    path.chmod(0o640)

    assigned = assign_file(path, "1234", Counting(), labels=["1.2"])

    assert assigned == (
        Assigned(path="work[0].version[2]", label="1.2", handle=Handle("1234", "S1")),
    )
    assert b'handle   =   "1234/S1" # soon\r\n' in path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    assert [found.name for found in tmp_path.iterdir()] == ["works.toml"]


def test_file_stays_when_there_is_nothing_to_do_or_it_cannot_be_done(
    tmp_path: Path,
) -> None:
    """A file that is full, or cannot be edited, is as it was, to the moment."""
    path = tmp_path / "works.toml"
    for text in (FILLED, '[[work]]\ntitle = "x"\n[[work.version]]\n"label" = "1"\n'):
        path.write_text(text, encoding="utf-8")
        before = (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes())

        try:
            outcome: object = assign_file(path, "1234", Counting())
        except CitationError as error:
            outcome = error.where

        assert outcome in {(), "work[0].version[0]"}
        assert (
            path.stat().st_ino,
            path.stat().st_mtime_ns,
            path.read_bytes(),
        ) == before
        assert [found.name for found in tmp_path.iterdir()] == ["works.toml"]


def test_file_stays_when_it_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails leaves the old file, and nothing beside it."""
    path = tmp_path / "works.toml"
    path.write_text(FILE, encoding="utf-8")

    def fail(_: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="the disk is full"):
        assign_file(path, "1234", Counting())

    assert path.read_text(encoding="utf-8") == FILE
    assert [found.name for found in tmp_path.iterdir()] == ["works.toml"]


LABELS = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="'"))


@given(
    labels=st.lists(LABELS.map("v{}".format), min_size=1, max_size=4),
    comment=st.text(st.characters(exclude_categories=["C", "Zl", "Zp"])),
)
def test_every_version_has_a_handle_afterwards(labels: list[str], comment: str) -> None:
    """Whatever labels and comments hold, each version gets its own handle."""
    rows = "".join(
        f"[[work.version]] # {comment}\nlabel = '{label}' # {comment}\n"
        for label in labels
    )

    text, assigned = assign_handles(
        f"[[work]]\ntitle = 'x'\n{rows}", "1234", Counting()
    )

    (named,) = read_toml(text, Reading(environment={}))
    assert [version.handle for version in named.work.versions] == [
        one.handle for one in assigned
    ]
    assert len({one.handle for one in assigned}) == len(labels)
    assert text.count(f"# {comment}\n") >= 2 * len(labels)
