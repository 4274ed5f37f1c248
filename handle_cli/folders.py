"""The files in a folder that are sources, and what is left out of it and why."""

import os
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path, PurePath

from handle_cli.output import print_error
from handle_cli.paths import shown_path
from handle_cli.project_settings import ProjectSettings
from handle_cli.repositories import Git, GitError, repository_of
from handle_system.foreign_files import real_path

# What was installed: a folder of one of these names, or one that holds one of these
# files, for a Python environment and a cache directory (bford.info/cachedir).
_INSTALLED_NAMES = frozenset({"__pycache__", "node_modules"})
_INSTALLED_MARKS = ("pyvenv.cfg", "CACHEDIR.TAG")
# What a build made: Sphinx and Jupyter Book, Jekyll and Quarto, jupyter-sphinx; and
# whatever Sphinx has left its file in.  Authors use names such as "site" themselves.
_BUILT_NAMES = frozenset({"_build", "_site", "jupyter_execute"})
_BUILT_MARK = ".buildinfo"


class LeftOut(StrEnum):
    """Why a file or a folder is left out."""

    EXCLUDED = "excluded"
    IGNORED = "ignored"
    BUILT = "built"
    INSTALLED = "installed"

    @property
    def reason(self) -> str:
        """It as the end of a sentence."""
        return _REASONS[self]


_REASONS = {
    LeftOut.EXCLUDED: '.hdlignore or "exclude" names',
    LeftOut.IGNORED: "git ignores, without gitignore = false in [tool.handle]",
    LeftOut.BUILT: "a build made, without built = true in [tool.handle]",
    LeftOut.INSTALLED: "was installed",
}


class SourceFolder:
    """A folder whose files are read.

    Hidden files and symbolic links to files outside of the project are no sources.

    Attributes:
        left_out: How many files and folders were left out by what, but for hidden ones.
    """

    def __init__(self, path: Path, settings: ProjectSettings, git: Git) -> None:
        self.left_out: Counter[LeftOut] = Counter()
        self._path = path
        self._settings = settings
        self._git = git
        self._ignored: set[Path] = set()

    def files(self) -> Iterator[Path]:
        """The files in it and in the folders below it, sorted in each."""
        self._ask_git(repository_of(self._path), self._path)
        bounds = (real_path(self._path), real_path(self._settings.root))
        for current, folders, names in os.walk(self._path):
            here = Path(current)
            if here != self._path and (here / ".git").exists():
                self._ask_git(repository_of(here), here)
            folders[:] = sorted(
                name for name in folders if self._is_entered(here / name)
            )
            for name in sorted(names):
                path = here / name
                # A symbolic link does not lead out of the project.
                if path.is_symlink() and not _is_within(real_path(path), bounds):
                    continue
                if self._is_kept(self._why_left_out(path)):
                    yield path

    def _ask_git(self, repository: Path | None, folder: Path) -> None:
        """Learn what git ignores in a folder of a repository."""
        if repository is None or not self._settings.values.gitignore:
            return
        try:
            self._ignored |= self._git.ignored_paths(folder, repository)
        except GitError as error:
            print_error(f"{shown_path(folder)}: .gitignore is not obeyed: {error}")

    def _is_entered(self, folder: Path) -> bool:
        """Whether the files in a folder below are read."""
        if folder.name.startswith("."):
            return False
        reason = self._why_left_out(folder)
        if folder.name in _INSTALLED_NAMES or _has_file(folder, *_INSTALLED_MARKS):
            reason = LeftOut.INSTALLED
        elif not self._settings.values.built and _is_built(folder):
            reason = LeftOut.BUILT
        return self._is_kept(reason)

    def _is_kept(self, reason: LeftOut | None) -> bool:
        """Whether there is no reason to leave a path out; one is counted."""
        if reason is not None:
            self.left_out[reason] += 1
        return reason is None

    def _why_left_out(self, path: Path) -> LeftOut | None:
        if is_excluded(path, self._settings):
            return LeftOut.EXCLUDED
        absolute = Path(os.path.abspath(path))  # noqa: PTH100 (`resolve` follows links)
        return LeftOut.IGNORED if absolute in self._ignored else None


def is_excluded(path: Path, settings: ProjectSettings) -> bool:
    """Whether the settings exclude a path."""
    return settings.excluded.describe(PurePath(os.path.relpath(path, settings.root)))


def _is_built(folder: Path) -> bool:
    return folder.name in _BUILT_NAMES or _has_file(folder, _BUILT_MARK)


def _has_file(folder: Path, *names: str) -> bool:
    return any((folder / name).is_file() for name in names)


def _is_within(path: Path, bounds: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(bound) for bound in bounds)
