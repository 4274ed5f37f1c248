"""`handle_system.citing.source`: a work from a file."""

from pathlib import Path

import pytest

from handle_system.citing.source import SourceName, read_source
from handle_system.citing.values import CitationError, Reading
from handle_system.citing.work import Version, Work, WorkKind
from handle_system.handle import Handle

TOML = """\
[[work]]
id = "a"
title = "A"
[[work.version]]
label = "1.0"
handle = "env:PID"
[[work]]
id = "b"
title = "B"
"""


def test_name_of_a_source() -> None:
    """A file, and after the hash the work in it."""
    assert SourceName.parse(" works.toml#a ") == SourceName("works.toml", "a")
    assert SourceName.parse("docs/CITATION.cff") == SourceName("docs/CITATION.cff")
    assert SourceName.parse("works.toml#") == SourceName("works.toml")


def test_file_is_read_by_its_name(tmp_path: Path) -> None:
    """The name's end says what a file is; handles are read as asked."""
    toml = tmp_path / "works.TOML"
    toml.write_text(TOML, encoding="utf-8-sig")
    cff = tmp_path / "CITATION.cff"
    cff.write_text("title: C\nversion: 1.0\n", encoding="utf-8")
    reading = Reading(environment={"PID": "1234/5"})

    assert read_source(toml, "a", reading=reading) == Work(
        title="A", versions=(Version(label="1.0", handle=Handle("1234", "5")),)
    )
    assert read_source(toml, "b") == Work(title="B")
    assert read_source(cff) == Work(
        title="C", versions=(Version(label="1.0"),), kind=WorkKind.SOFTWARE
    )


def test_error_source(tmp_path: Path) -> None:
    """What is wrong with a file is told with its name, and without its folder."""
    (tmp_path / "works.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "bad.toml").write_bytes(b"\xff")
    (tmp_path / "work.cff").write_text("title: [", encoding="utf-8")

    def message(name: str, identity: str | None = None) -> str:
        with pytest.raises(CitationError) as caught:
            read_source(tmp_path / name, identity)
        return str(caught.value)

    assert message("works.toml") == (
        "works.toml: work: there are 2 works (a, b): name one of them by its id"
    )
    assert message("none.toml") == (
        "none.toml: the file: it cannot be read: No such file or directory"
    )
    assert message("bad.toml") == "bad.toml: the file: it is not UTF-8, from octet 0 on"
    assert message("work.txt") == (
        "work.txt: the file: a file of works ends with .toml, or with .cff"
    )
    assert message("work.cff", "a") == "work.cff: #a: a CITATION.cff describes one work"
    assert message("work.cff").startswith("work.cff: the file: this is no YAML: ")
