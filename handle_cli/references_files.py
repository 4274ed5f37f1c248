"""The files of references that a command reads and writes."""

import datetime as dt
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

import click

from handle_cli.output import UnusableError, print_error
from handle_cli.paths import LEADS_OUT, shown_path, stays_inside
from handle_cli.project_settings import ProjectSettings
from handle_cli.writing import (
    ChangedFileError,
    NotWrittenError,
    locked,
    refusal,
    write_file,
)
from handle_system import Handle
from handle_system.describing.findings import finding_about_age, refresh_command
from handle_system.describing.items import (
    JsonObject,
    custom_of,
    has_metadata,
    id_of,
    identifiers,
)
from handle_system.describing.references_file import (
    USUAL_NAME,
    References,
    ReferencesFile,
    file_text,
    read_references,
    read_references_file,
)
from handle_system.errors import showable
from handle_system.findings.finding import Finding

__all__ = [
    "USUAL_FOLDERS",
    "WrittenFile",
    "accept_notice",
    "files_to_read",
    "files_to_write",
    "old_file",
    "readable_works",
    "references_option",
]

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


class WrittenFile:
    """The file that the command writes."""

    def __init__(self, path: Path, root: Path) -> None:
        """Read the file, if it exists.

        Args:
            path: The file.
            root: The folder of the project.

        Raises:
            UnusableError: when an item of it cannot be read, and would be lost, or
                when the file is not to be written.
        """
        reason = refusal(path, root)
        if reason is not None:
            raise UnusableError(f"{shown_path(path)}: {reason}")
        self.path = path
        self._root = root
        self._read()

    @property
    def items(self) -> Mapping[Handle, JsonObject]:
        """Its items as they stand in the file, each by its identifier."""
        return self._file.items

    @property
    def is_partly_styled(self) -> bool:
        """Whether some of its references are in a CSL style, and others are not."""
        items = filter(has_metadata, self._file.items.values())
        return len({"reference" in custom_of(item) for item in items}) > 1

    def __len__(self) -> int:
        return len(self._file.items)

    def asked(self, handle: Handle) -> str:
        """The day on which an item was last asked for; empty if it never was."""
        return self._file.asked(handle)

    @property
    def last_asked(self) -> str:
        """The day since which no item was asked for."""
        return self._file.last_asked

    def write(
        self,
        changes: Mapping[Handle, JsonObject],
        refreshed: str = "",
        not_found: AbstractSet[Handle] = frozenset(),
    ) -> None:
        """Put items into the file, as it is now, in one piece.

        Args:
            changes: The items that are new or changed.
            refreshed: The day on which all items of the file were asked for.
            not_found: Identifiers that no agency described.

        Raises:
            UnusableError: when it cannot be written, or read any more.
        """
        is_news_of_file = bool(refreshed) or not not_found <= self._file.not_found
        if not changes and not (is_news_of_file and self._file.items):
            return
        folder = self.path.resolve().parent
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            self._merge(changes, refreshed, not_found)

    def _merge(
        self,
        changes: Mapping[Handle, JsonObject],
        refreshed: str,
        not_found: AbstractSet[Handle],
    ) -> None:
        for _ in range(3):
            self._read()
            items = {**self._file.items, **changes}
            # One date counts for the whole file, and an earlier run may have written it.
            day = max(refreshed, self._file.refreshed)
            unknown = (self._file.not_found | not_found) - items.keys()
            content = file_text(items, day, unknown).encode("utf-8", "replace")
            if content == self._file.data:
                return
            try:
                self._replace(content)
            except ChangedFileError:
                # Somebody wrote it a moment ago: put the items into that file.
                continue
            except NotWrittenError as error:
                reason = f"it cannot be written: {error}"
                raise UnusableError(f"{shown_path(self.path)}: {reason}") from error
            self._read()
            return
        raise UnusableError(f"{shown_path(self.path)}: another program changes it")

    def _read(self) -> None:
        self._file: ReferencesFile = read_references_file(self.path)
        if self._file.problem:
            raise UnusableError(f"{shown_path(self.path)}: {self._file.problem}")

    def _replace(self, content: bytes) -> None:
        expected = None if self._file.is_missing else self._file.data
        if write_file(self.path, content, expected=expected, root=self._root):
            print_error(
                f"{shown_path(self.path)}: its other hard links keep the old text"
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
        if not path.is_file():
            raise UnusableError(f"{shown_path(path)}: there is no such file")
    named = tuple(given) or settings.references
    if named:
        return named if any(path.exists() for path in named) else ()
    return _nearest(settings, paths or ["."])


def readable_works(files: Sequence[Path], *, makes_last: bool = False) -> References:
    """The works, if every file can be read; items that cannot be read are named.

    Args:
        files: The files of references.
        makes_last: Whether the command makes the last file, if it is missing.

    Raises:
        UnusableError: with the problem of the first file that cannot be read.
    """
    works = read_references(files)
    for file, problem in works.unreadable_files():
        if makes_last and file.is_missing and file is works.files[-1]:
            continue
        message = f"{shown_path(file.path)}: {problem}"
        if not file.items and not file.is_missing:
            raise UnusableError(message)
        print_error(message)
    return works


def accept_notice(
    notice: Handle, files: Sequence[Path], root: Path
) -> Collection[Handle]:
    """Silence a notice in the last file of references; the works that it is about.

    Args:
        notice: The identifier of the notice.
        files: The files of references.
        root: The folder of the project.

    Raises:
        UnusableError: when no item has the notice, or a file cannot be used.
    """
    file = WrittenFile(files[-1], root)
    works = readable_works(files)
    changes: dict[Handle, JsonObject] = {}
    for handle in works:
        work = works.get(handle)
        if work is not None and notice in work.notices:
            # Another file may describe the work; the last one remembers the notice.
            new_item: JsonObject = {"id": id_of(handle)}
            item = file.items.get(handle, new_item)
            changes[handle] = _accepting(item, str(notice))
    if not changes:
        reason = f"no item of {shown_path(file.path)} has this notice"
        raise UnusableError(f"{showable(str(notice))}: {reason}")
    file.write(changes)
    return changes.keys()


def _accepting(item: JsonObject, notice: str) -> JsonObject:
    """The item, which accepts a notice."""
    custom = custom_of(item)
    accepted = identifiers(custom.get("accepted"))
    if notice not in accepted:
        accepted.append(notice)
    return {**item, "custom": {**custom, "accepted": accepted}}


def old_file(
    works: References,
    given: Sequence[str],
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
        works,
        settings.references_age,
        shown_path(works.files[-1].path),
        refresh_command(given, [_named(path) for path in paths or ["."]]),
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
        if path.is_file():
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
