"""The files to be read: which ones, and what is in them.

A file is read whole, decoded as UTF-8 without touching its line ends, and given
up before the next one is read, so that memory is bounded by the largest.
"""

import os
import stat
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from handle_cli.settings import ProjectSettings
from handle_cli.sources import Syntax

__all__ = ["Skipped", "SourceFile", "find_files", "ignored_lines", "read_file"]

_IGNORE = "hdl: ignore"
_COMMENT_MARKS = ".#%/<>!-()[]:* \t"
# What is installed or built in a folder is not its owner's text. Such a folder is
# known by its name, or by a file in it: an environment of Python, output of Sphinx,
# a cache (bford.info/cachedir).
_FOREIGN_NAMES = frozenset({"__pycache__", "node_modules"})
_FOREIGN_MARKS = ("pyvenv.cfg", ".buildinfo", "CACHEDIR.TAG")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file to be read.

    Attributes:
        path: Where it is.
        name: How it is called in reports: from the project's root on.
        syntax: How it is read.
    """

    path: Path
    name: str
    syntax: Syntax


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was asked for and is not read, and why."""

    name: str
    reason: str


def find_files(
    paths: Iterable[str], settings: ProjectSettings
) -> Iterator[SourceFile | Skipped]:
    """The files named, and those in the folders named, in a stable order.

    What the settings exclude is passed over, in folders and by name, for hooks
    name the files that changed; so are, in folders, those whose names begin with a
    dot, and those that hold what was installed or built.
    """
    seen = set()
    for given in paths:
        path = Path(given)
        found = _inside(path, settings) if path.is_dir() else [path]
        for each in found:
            name = _name(each, settings.root)
            if name in seen or _is_excluded(name, settings.exclude):
                continue
            seen.add(name)
            syntax = settings.syntax_of(each)
            if syntax is not None:
                yield SourceFile(path=each, name=name, syntax=syntax)
            elif each == path:
                yield Skipped(name, "files of this kind are not read")


def read_file(file: SourceFile) -> str | Skipped:
    """The text of a file, or why it has none."""
    try:
        if not stat.S_ISREG(file.path.stat().st_mode):
            # To read from a pipe or a device may take for ever.
            return Skipped(file.name, "it is no ordinary file")
        content = file.path.read_bytes()
    except OSError as error:
        return Skipped(file.name, f"it cannot be read: {error.strerror or error}")
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return Skipped(file.name, "it is UTF-16, not UTF-8")
    if b"\0" in content:
        return Skipped(file.name, "it is binary")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        return Skipped(file.name, f"it is not UTF-8, from octet {error.start} on")


def ignored_lines(text: str) -> frozenset[int]:
    """The lines, from 1, on which findings are not wanted.

    ``hdl: ignore`` in a comment says so of its own line; if the comment has the
    line for itself, of the block that follows.
    """
    if _IGNORE not in text:
        return frozenset()
    ignored = set()
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        before, mark, after = line.partition(_IGNORE)
        if not mark:
            continue
        ignored.add(number)
        if (before + after).strip(_COMMENT_MARKS + "\r"):
            continue
        following = number
        while following < len(lines) and not lines[following].strip():
            following += 1
        while following < len(lines) and lines[following].strip():
            following += 1
            ignored.add(following)
    return frozenset(ignored)


def _inside(folder: Path, settings: ProjectSettings) -> Iterator[Path]:
    for current, folders, names in os.walk(folder):
        here = Path(current)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and not _is_foreign(here / name)
            and not _is_excluded(_name(here / name, settings.root), settings.exclude)
        )
        for name in sorted(names):
            yield here / name


def _is_foreign(folder: Path) -> bool:
    return folder.name in _FOREIGN_NAMES or any(
        (folder / mark).is_file() for mark in _FOREIGN_MARKS
    )


def _name(path: Path, root: Path) -> str:
    return Path(os.path.relpath(path.absolute(), root)).as_posix()


def _is_excluded(name: str, patterns: Iterable[str]) -> bool:
    parts = name.split("/")
    for pattern in patterns:
        bare = pattern.strip("/")
        if "/" not in bare and not pattern.startswith("/"):
            if any(fnmatchcase(part, bare) for part in parts):
                return True
        elif fnmatchcase(name, bare) or fnmatchcase(name, f"{bare}/*"):
            return True
    return False
