"""The files of references that a command reads and writes."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

import click

from handle_cli.files import ProjectSettings
from handle_cli.output import UnusableError
from handle_system.errors import showable

__all__ = ["files_to_read", "files_to_write", "references_option", "shown_path"]

#: The name of a file of references without configuration.
DEFAULT_NAME = "references.json"
# Folders of documents, below the current one.
_USUAL_FOLDERS = ("", "docs", "doc", "docs/source", "doc/source")

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
    folders = _folders(paths)
    return (next(folders, Path()) / DEFAULT_NAME,)


def files_to_read(
    given: Sequence[Path], settings: ProjectSettings, paths: Sequence[str] = ()
) -> tuple[Path, ...]:
    """The files of references that exist: see `files_to_write`.

    Without PATHs, those in the usual folders of documents count.

    Raises:
        UnusableError: when the command line names a file that does not exist.
    """
    for path in given:
        if not path.is_file():
            raise UnusableError(f"{shown_path(path)}: there is no such file")
    named = tuple(given) or settings.references
    if named:
        return tuple(path for path in named if path.exists())
    if paths:
        return _nearest(settings, paths)
    usual = (Path(folder, DEFAULT_NAME) for folder in _USUAL_FOLDERS)
    return tuple(path for path in usual if path.is_file())[:1]


def shown_path(path: Path) -> str:
    """A path as messages show it: from the current folder on."""
    return showable(PurePath(os.path.relpath(path)).as_posix())


def _nearest(settings: ProjectSettings, paths: Sequence[str]) -> tuple[Path, ...]:
    """The file in the folder of the first path, or in the nearest one above it."""
    folder = next(_folders(paths), None)
    if folder is None:
        return ()
    absolute = Path(os.path.abspath(folder))  # noqa: PTH100 (keeps symbolic links)
    root = Path(os.path.abspath(settings.root))  # noqa: PTH100 (as well)
    for candidate in (absolute, *absolute.parents):
        path = candidate / DEFAULT_NAME
        if path.is_file():
            return (path,)
        if candidate == root or not candidate.is_relative_to(root):
            break
    return ()


def _folders(paths: Sequence[str]) -> Iterator[Path]:
    for name in paths:
        if name != "-":
            path = Path(name)
            yield path if path.is_dir() else path.parent
