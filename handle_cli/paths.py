"""Paths of a project: patterns of them, and how messages show one."""

import os
import re
from collections.abc import Collection, Iterable
from fnmatch import translate
from pathlib import PurePath

from handle_system.errors import showable

# How many patterns a list has, and how many characters each has.
_MOST_PATTERNS = 1_000
_LONGEST_PATTERN = 500


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


def may_name_a_file(path: str) -> bool:
    """Whether a file can have a path that a stranger wrote."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return bool(path) and "\0" not in path


def shown_path(path: PurePath) -> str:
    """A path as messages show it: from the current folder on."""
    return showable(PurePath(os.path.relpath(path)).as_posix())


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """One expression for all patterns, which needs one search for a path."""
    # Without patterns, one that no text matches.
    return re.compile(
        "|".join(translate(text.strip("/")) for text in patterns) or "(?!)"
    )
