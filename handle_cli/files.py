"""The files to be read, and their texts.

A file is read whole and decoded as UTF-8; its line ends stay.  One file is read at a
time, so memory is bounded by the largest one.
"""

import os
import stat
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

import click

from handle_cli.findings import SKIPPED, Finding, Level, Place
from handle_cli.readers import Syntax
from handle_cli.settings import ProjectSettings

__all__ = [
    "STDIN",
    "SkippedError",
    "SourceFile",
    "find_files",
    "max_file_size_option",
    "paths_argument",
    "read_file",
    "stdin_name_option",
]

#: The path that stands for the standard input.
STDIN = "-"
_MEGABYTE = 1_000_000
# A folder of installed or built files is not its owner's text.  Its name tells it, or a
# file in it: an environment of Python, output of Sphinx, a cache (bford.info/cachedir).
_FOREIGN_NAMES = frozenset({"__pycache__", "node_modules"})
_FOREIGN_MARKS = ("pyvenv.cfg", ".buildinfo", "CACHEDIR.TAG")

paths_argument = click.argument(
    "paths",
    nargs=-1,
    required=True,
    metavar="PATH…",
    type=click.Path(exists=True, allow_dash=True),
)
max_file_size_option = click.option(
    "--max-file-size",
    type=click.FloatRange(min=0, min_open=True),
    default=10,
    show_default=True,
    metavar="MB",
    help="Skip files that are larger.",
)
stdin_name_option = click.option(
    "--stdin-name",
    metavar="FILE",
    help='Name of the standard input, the PATH "-"; its suffix chooses the syntax.',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file to be read.

    Attributes:
        path: Its path; `None` for the standard input.
        name: Its name in reports, from the current folder on.
        syntax: How it is read; `None` if files of its kind are not read.
        is_named: Whether the command line names it, rather than its folder.
    """

    path: Path | None
    name: str
    syntax: Syntax | None
    is_named: bool = False


class SkippedError(Exception):
    """A file that is not read, as a finding."""

    def __init__(self, file: SourceFile, reason: str, level: Level) -> None:
        super().__init__(reason)
        self.finding = Finding(
            place=Place(file=file.name),
            level=level,
            code=SKIPPED,
            message=f"skipped: {reason}",
        )


def find_files(
    paths: Iterable[str], settings: ProjectSettings, stdin_name: str | None = None
) -> Iterator[SourceFile]:
    """The files named, and those in the folders named, in a stable order.

    The settings exclude files in folders and named files, because hooks name the files
    that changed.  In folders, hidden files and installed or built ones are skipped too.
    """
    seen = set()
    for given in paths:
        if given == STDIN:
            name = stdin_name or "<stdin>"
            syntax = settings.syntax_of(PurePath(stdin_name or "stdin.md"))
            yield SourceFile(path=None, name=name, syntax=syntax, is_named=True)
            continue
        path = Path(given)
        is_folder = path.is_dir()
        for each in _inside(path, settings) if is_folder else [path]:
            key = each.absolute()
            if key in seen or _is_excluded(each, settings):
                continue
            seen.add(key)
            syntax = settings.syntax_of(each)
            if syntax is not None or not is_folder:
                name = PurePath(os.path.relpath(each)).as_posix()
                yield SourceFile(
                    path=each, name=name, syntax=syntax, is_named=not is_folder
                )


def read_file(file: SourceFile, max_megabytes: float) -> tuple[str, Syntax]:
    """The text of a file, and how to read it.

    Raises:
        SkippedError: when it is not read.
    """
    level = Level.ERROR if file.is_named else Level.NOTE
    limit = int(max_megabytes * _MEGABYTE)
    if file.syntax is None:
        raise SkippedError(file, "files of this kind are not read", Level.NOTE)
    try:
        # A pipe or a device may never end.
        if file.path and not stat.S_ISREG(file.path.stat().st_mode):
            raise SkippedError(file, "it is no ordinary file", level)
        if file.path is None:
            content = sys.stdin.buffer.read(limit + 1)
        else:
            with file.path.open("rb") as stream:
                content = stream.read(limit + 1)
    except OSError as error:
        reason = f"it cannot be read: {error.strerror or error}"
        raise SkippedError(file, reason, level) from error
    if len(content) > limit:
        reason = f"it is larger than {max_megabytes:g} MB (--max-file-size)"
        raise SkippedError(file, reason, Level.WARNING)
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise SkippedError(file, "it is UTF-16, not UTF-8", level)
    if b"\0" in content:
        raise SkippedError(file, "it is binary", level)
    try:
        return content.decode(), file.syntax
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8, from octet {error.start} on"
        raise SkippedError(file, reason, level) from error


def _inside(folder: Path, settings: ProjectSettings) -> Iterator[Path]:
    for current, folders, names in os.walk(folder):
        here = Path(current)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and not _is_foreign(here / name)
            and not _is_excluded(here / name, settings)
        )
        for name in sorted(names):
            yield here / name


def _is_foreign(folder: Path) -> bool:
    return folder.name in _FOREIGN_NAMES or any(
        (folder / mark).is_file() for mark in _FOREIGN_MARKS
    )


def _is_excluded(path: Path, settings: ProjectSettings) -> bool:
    name = PurePath(os.path.relpath(path, settings.root)).as_posix()
    parts = name.split("/")
    for pattern in settings.exclude:
        bare = pattern.strip("/")
        if "/" not in bare and not pattern.startswith("/"):
            if any(fnmatchcase(part, bare) for part in parts):
                return True
        elif fnmatchcase(name, bare) or fnmatchcase(name, f"{bare}/*"):
            return True
    return False
