"""`handle_cli.whole_file`: a file is the old one or the new one."""

import os
from pathlib import Path

import pytest

from handle_cli.whole_file import write_whole


def test_what_cannot_be_written_is_left_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When writing fails half-way, the file is the old one and nothing is left over."""
    path = tmp_path / "a.md"
    path.write_bytes(b"old")

    def fail(_number: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        write_whole(path, b"new")

    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.md"]


def test_a_name_may_be_as_long_as_names_can_be(tmp_path: Path) -> None:
    """There is room for the other name that the file has while it is written."""
    path = tmp_path / ("\u00e9" * 126 + ".md")
    path.write_bytes(b"old")

    write_whole(path, b"new")

    assert path.read_bytes() == b"new"
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
