"""The project of a document: its settings and its works, as their files are now.

Settings are those of the project nearest to the document, never those of the folder in
which the server was started.  They are not trusted: see ``SECURITY.md``.  Where a file
cannot be read, what it said last stays.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from handle_cli.output import UnusableError
from handle_cli.project_settings import (
    ProjectSettings,
    project_settings,
    usual_settings,
)
from handle_cli.references_files import files_to_read
from handle_system import Handle
from handle_system.citing.style import plain_text
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.described_works import (
    DescribedWorks,
    read_described_works,
)
from handle_system.describing.references_file import ReferencesFile
from handle_system.foreign_files import Stamp, stamp
from handle_system.project_file import IGNORE_FILE, SETTINGS_FILE, project_root
from handle_system.proxies import KNOWN_BASES
from handle_system.settings import Settings

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")

#: The stamps of files.
Times: TypeAlias = tuple[Stamp, ...]

_MOST_PROJECTS = 50
# Ten thousand works need some fifty megabytes.
_MOST_FILES_OF_WORKS = 8
# Those that a stranger's settings may not choose for a server that only reads.
_SETTINGS_TO_TRUST = ("references", "retractions", "suffix_policy")


class Row(NamedTuple):
    """A work as completion searches it.

    Attributes:
        words: Its identifier, names, year and title, in small letters.
        handle: Its identifier.
        is_retracted: Whether it was retracted.
    """

    words: str
    handle: Handle
    is_retracted: bool


class Works:
    """The works of a project.

    Attributes:
        references: The works.
    """

    def __init__(self, references: DescribedWorks | None = None) -> None:
        self.references = DescribedWorks(()) if references is None else references

    @cached_property
    def rows(self) -> Sequence[Row]:
        """The works as completion searches them."""
        works = map(self.references.get, self.references)
        return [_row(work) for work in works if work is not None]


def _row(work: DescribedWork) -> Row:
    item = work.described
    names = [name.sort_name for name in item.authors or item.editors]
    words = [str(work.handle), *names, item.year, plain_text(item.title)]
    is_retracted = work.retraction is not None
    return Row(" ".join(words).casefold(), work.handle, is_retracted)


@dataclass(frozen=True, slots=True)
class Project:
    """What the server knows of the project of a document.

    Attributes:
        settings: Its settings.
        works: Its works.
        linking: The settings with which links are written.
        problem: Why its settings or works cannot be used; empty if they can.
        times: The times of the files that all of this was read from.
    """

    settings: ProjectSettings
    works: Works
    linking: Settings = field(default_factory=Settings)
    problem: str = ""
    times: Times = ()

    def work(self, handle: Handle) -> DescribedWork | None:
        """The work that a handle names, if a file describes it."""
        return self.works.references.get(handle)


class _Kept(Generic[Key, Made]):
    """What is made of files, and made anew when one of them changes."""

    def __init__(self, make: Callable[[Key, Made | None], Made], most: int) -> None:
        """Keep the last results.

        Args:
            make: Makes it for a key, with what was made of the files before.
            most: How many are kept.
        """
        self._make = make
        self._most = most
        self._kept: dict[Key, tuple[Times, Made]] = {}

    def get(self, key: Key, files: Sequence[Path]) -> Made:
        times = tuple(map(stamp, files))
        kept = self._kept.get(key)
        if kept is not None and kept[0] == times:
            return kept[1]
        made = self._make(key, kept[1] if kept else None)
        self._kept.pop(key, None)
        self._kept[key] = times, made
        while len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]
        return made


class _Settings(NamedTuple):
    """The settings of a project, and why the present ones cannot be used."""

    settings: ProjectSettings
    problem: str = ""


class Projects:
    """The projects of the open documents.  Several threads may ask."""

    def __init__(self, *, trusts_config: bool = False) -> None:
        """Know none yet.

        Args:
            trusts_config: Whether settings may name servers, files outside of their
                project, and regular expressions.
        """
        self._trusts_config = trusts_config
        self._lock = RLock()
        self._settings = _Kept(self._read_settings, _MOST_PROJECTS)
        self._works = _Kept(_read_works, _MOST_FILES_OF_WORKS)

    def at(self, folder: Path | None) -> Project:
        """The project that a folder belongs to; one without settings for `None`."""
        with self._lock:
            existing = _existing(folder)
            if existing is None:
                return Project(usual_settings(Path.cwd()), Works())
            # A file that changes from here on has other times.
            times = self._times(existing)
            settings, problem = self._settings_at(existing)
            files, problem_of_works = _files_of_works(existing, settings)
            files_of_works = _FilesOfWorks(files, settings.retractions)
            works = self._works.get(files_of_works, files_of_works.paths)
            problem = problem or problem_of_works
            linking = self._linking(settings.values)
            return Project(settings, works, linking, problem, times)

    def times(self, folder: Path | None) -> Times:
        """The times of the files that decide what is said about documents of a folder."""
        with self._lock:
            existing = _existing(folder)
            return self._times(existing) if existing is not None else ()

    def _times(self, folder: Path) -> Times:
        settings, _ = self._settings_at(folder)
        files, _ = _files_of_works(folder, settings)
        paths = _FilesOfWorks(files, settings.retractions).paths
        return tuple(map(stamp, [*_settings_files(settings.root), *paths]))

    def _settings_at(self, folder: Path) -> _Settings:
        try:
            root = project_root(folder)
        except OSError:
            root = folder
        return self._settings.get(root, _settings_files(root))

    def _read_settings(self, root: Path, last: _Settings | None) -> _Settings:
        untrusted = () if self._trusts_config else _SETTINGS_TO_TRUST
        try:
            return _Settings(project_settings(untrusted, root))
        except UnusableError as error:
            usable = last.settings if last else usual_settings(root)
            return _Settings(usable, error.message)

    def _linking(self, values: Settings) -> Settings:
        """The settings for links: strangers choose among public proxies only."""
        bases = values.link_proxies.bases.values()
        if self._trusts_config or all(base in KNOWN_BASES for base in bases):
            return values
        return replace(values, proxies={})


def _existing(folder: Path | None) -> Path | None:
    """A folder, or the nearest one above it that exists."""
    if folder is None:
        return None
    candidates = (folder, *folder.parents)
    return next((candidate for candidate in candidates if candidate.is_dir()), None)


def _files_of_works(
    folder: Path, settings: ProjectSettings
) -> tuple[tuple[Path, ...], str]:
    """The files of references, and why they are not read."""
    try:
        files = files_to_read((), settings, [str(folder)])
    except UnusableError as error:
        return (), error.message
    # A file that is named and missing describes nothing.
    return files or settings.references, ""


def _settings_files(root: Path) -> tuple[Path, Path]:
    return root / SETTINGS_FILE, root / IGNORE_FILE


class _FilesOfWorks(NamedTuple):
    """The files that say something of works: those of references, and of Retraction Watch."""

    references: tuple[Path, ...]
    retractions: Path | None

    @property
    def paths(self) -> list[Path]:
        """All of them."""
        more = [self.retractions] if self.retractions is not None else []
        return [*self.references, *more]


def _read_works(files: _FilesOfWorks, last: Works | None) -> Works:
    """The works of files; those of a file that cannot be read now stay."""
    before = {file.path: file for file in last.references.files} if last else {}
    now = read_described_works(files.references).files
    works = DescribedWorks([_readable(file, before.get(file.path)) for file in now])
    return Works(works.with_retractions(files.retractions))


def _readable(file: ReferencesFile, before: ReferencesFile | None) -> ReferencesFile:
    """A file, with the items that it had before if it has none that can be read."""
    if before is None or file.items or not file.problem:
        return file
    return replace(before, problem=file.problem)
