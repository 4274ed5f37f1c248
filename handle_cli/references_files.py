"""The files of references that a command reads and writes: which they are."""

import datetime as dt
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from handle_cli.output import UnusableError, print_error
from handle_cli.paths import shown_path
from handle_cli.project_settings import ProjectSettings
from handle_system.describing.described_works import (
    USUAL_NAME,
    DescribedWorks,
    read_described_works,
)
from handle_system.describing.work_findings import finding_about_age, update_command
from handle_system.findings.finding import Finding
from handle_system.foreign_files import LEADS_OUT, stays_inside

#: Folders of documents, below that of a project.
USUAL_FOLDERS = ("docs", "doc", "docs/source", "doc/source", "source")

references_option = click.option(
    "--references",
    "given_files",
    multiple=True,
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file of references; repeat it for several, the first of which wins.",
)


def files_to_write(
    given: Sequence[Path], settings: ProjectSettings, paths: Sequence[str]
) -> tuple[Path, ...]:
    """The files of references, the last of which is written; it may not exist yet.

    Args:
        given: Those of the command line, which win.
        settings: The settings, which may name them.
        paths: The files and folders that the command reads.
    """
    named = tuple(given) or settings.references or _nearest(settings, paths)
    if named:
        return named
    return (_new_file(next(_folders(paths), Path())),)


def files_to_read(
    given: Sequence[Path], settings: ProjectSettings, paths: Sequence[str] = ()
) -> tuple[Path, ...]:
    """The files of references, if one of them exists: see `files_to_write`.

    Without PATHs the current folder counts.

    Raises:
        UnusableError: when the command line names a file that does not exist, or a
            symbolic link leads to one, out of the project.
    """
    for path in given:
        if not path.exists():
            raise UnusableError(f"{shown_path(path)}: there is no such file")
    named = tuple(given) or settings.references
    if named:
        return named if any(path.exists() for path in named) else ()
    return _nearest(settings, paths or ["."])


def readable_works(
    files: Sequence[Path], *, makes_last: bool = False
) -> DescribedWorks:
    """The works, if every file can be read; items that cannot be read are named.

    Args:
        files: The files of references.
        makes_last: Whether the command makes the last file, if it is missing.

    Raises:
        UnusableError: with the problem of the first file that cannot be read.
    """
    works = read_described_works(files)
    for file, problem in works.unreadable_files():
        if makes_last and file.is_missing and file is works.files[-1]:
            continue
        message = f"{shown_path(file.path)}: {problem}"
        if not file.items and not file.is_missing:
            raise UnusableError(message)
        print_error(message)
    return works


def old_file(
    works: DescribedWorks,
    given: Sequence[Path],
    settings: ProjectSettings,
    paths: Sequence[str],
) -> Finding | None:
    """The note that nobody asked for a long time what became of the works.

    Args:
        works: The works.
        given: The files that the command line names.
        settings: The settings, which say when a file is old.
        paths: The files and folders that the command reads.
    """
    if not works.files:
        return None
    return finding_about_age(
        works.files[-1].last_asked,
        settings.values.references_age,
        shown_path(works.files[-1].path),
        update_command(
            map(shown_path, given),
            [_named(path) for path in paths or ["."]],
            refreshes=True,
        ),
        today=dt.date.today(),  # noqa: DTZ011 (the day of the user, as in the file)
    )


def _named(path: str) -> str:
    """A path of the command line as a report names it: from the current folder on."""
    return path if path == "-" else shown_path(Path(path))


def _new_file(folder: Path) -> Path:
    """The file to make for documents: beside the ``conf.py`` of Sphinx, if there is one."""
    candidates = [folder, *(folder / usual for usual in USUAL_FOLDERS)]
    sources = (source for source in candidates if (source / "conf.py").is_file())
    return next(sources, folder) / USUAL_NAME


def _nearest(settings: ProjectSettings, paths: Sequence[str]) -> tuple[Path, ...]:
    """The file in the folder of a path, or in the nearest one above it.

    Without one it is the file in a usual folder of documents below a path.

    Raises:
        UnusableError: when it is a symbolic link out of the project, which may be a
            stranger's.
    """
    folders = list(_folders(paths))
    root = Path(os.path.abspath(settings.root))  # noqa: PTH100 (keeps symbolic links)
    nearest = (above for folder in folders for above in _upwards(folder, root))
    below = (Path(folder, usual) for folder in folders for usual in USUAL_FOLDERS)
    for candidate in (*nearest, *below):
        path = candidate / USUAL_NAME
        # What cannot be read, such as a pipe, is told where it is read.
        if path.exists():
            if not stays_inside(path, settings.root):
                raise UnusableError(f"{shown_path(path)}: {LEADS_OUT}")
            return (path,)
    return ()


def _upwards(folder: Path, root: Path) -> Iterator[Path]:
    """A folder and those above it, up to the root of the project."""
    absolute = Path(os.path.abspath(folder))  # noqa: PTH100 (keeps symbolic links)
    for candidate in (absolute, *absolute.parents):
        yield candidate
        if candidate == root or not candidate.is_relative_to(root):
            break


def _folders(paths: Sequence[str]) -> Iterator[Path]:
    for name in paths:
        if name != "-":
            path = Path(name)
            yield path if path.is_dir() else path.parent
