"""Paths of a project: patterns of them, and where symbolic links lead."""

import os
import re
from collections.abc import Collection, Iterable
from fnmatch import translate
from pathlib import Path, PurePath

from handle_system.errors import showable

# Folders in which Git, Mercurial and others keep their own files, and run some.
_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "cvs", "_darcs"})

# How many patterns a list has, and how many characters each has.
_MOST_PATTERNS = 1_000
_LONGEST_PATTERN = 500


#: Why a file is not read or written that `stays_inside` refuses.
LEADS_OUT = "a symbolic link leads to it, out of the project"


class PathPatterns:
    """Patterns of paths, as in ``.gitignore``.

    One with a slash describes a whole path from the project's folder, or the folders
    above a path; one without describes any part of it.

    Raises:
        ValueError: when there are too many patterns, or one is too long.
    """

    def __init__(self, patterns: Collection[str]) -> None:
        check_patterns(patterns, "tool.handle.exclude and .hdlignore")
        wholes = [text for text in patterns if "/" in text.rstrip("/")]
        parts = [text for text in patterns if "/" not in text.rstrip("/")]
        self._whole = _any_of(wholes)
        self._part = _any_of(parts)

    def describe(self, path: PurePath) -> bool:
        """Whether a pattern describes a path, given from the project's folder on."""
        if any(map(self._part.match, path.parts)):
            return True
        folders_and_path = (path, *path.parents[:-1])
        return any(self._whole.match(folder.as_posix()) for folder in folders_and_path)


def check_patterns(patterns: Collection[str], origin: str) -> None:
    """Refuse patterns that would take long to apply.

    Raises:
        ValueError: when there are too many patterns, or one is too long.
    """
    if len(patterns) > _MOST_PATTERNS:
        raise ValueError(f"{origin}: more than {_MOST_PATTERNS:,} patterns")
    if any(len(pattern) > _LONGEST_PATTERN for pattern in patterns):
        raise ValueError(
            f"{origin}: a pattern of more than {_LONGEST_PATTERN} characters"
        )


def real_path(path: Path) -> Path:
    """The path without symbolic links; `Path.resolve` fails for a loop of them."""
    return Path(os.path.realpath(path))


def outside_reason(path: Path, root: Path) -> str:
    """Why the setting of a stranger may not name a path; empty if it may.

    Args:
        path: The path. There need not be a file.
        root: The folder of the project.
    """
    real = real_path(path)
    # Opening a pipe may take for ever.
    is_special = real.exists() and not real.is_file()
    if is_special or not real.is_relative_to(real_path(root)):
        return "not a file of the project"
    if not _VERSION_CONTROL.isdisjoint(part.casefold() for part in real.parts):
        return "a file of the version control"
    return ""


def stays_inside(path: Path, root: Path) -> bool:
    """Whether a named path is inside the project, or outside of it as it is written.

    A shell names symbolic links, too, as in ``docs/*``: one that leads from the project,
    or from the folder that holds it, to a place elsewhere is not the user's choice.

    Args:
        path: The path.
        root: The folder of the project.
    """
    written = Path(os.path.abspath(path))  # noqa: PTH100 (`resolve` follows links)
    # The current folder is in the project, or an editor's, which may be any.
    bound = root if root in written.parents else written.parent
    return real_path(path).is_relative_to(real_path(bound))


def shown_path(path: Path) -> str:
    """A path as messages show it: from the current folder on."""
    return showable(PurePath(os.path.relpath(path)).as_posix())


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """One expression for all patterns, which needs one search for a path."""
    # Without patterns, one that no text matches.
    return re.compile(
        "|".join(translate(text.strip("/")) for text in patterns) or "(?!)"
    )
