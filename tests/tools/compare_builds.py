"""Compare two HTML builds of one project.

    python -m tests.tools.compare_builds before after --except searchindex.js

lists every difference between the pages of two folders, in tags and text.  Differences
that name an identifier (a DOI or a handle) come first, for a reader to judge; the exit
status is 1 if there is any other, or if a file is missing or differs.  ``--except``
excludes files by pattern.  Build with ``SOURCE_DATE_EPOCH`` so that both have the same
dates.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from fnmatch import fnmatch
from pathlib import Path

__all__ = ["compare_builds", "main"]

_TAG_OR_TEXT = re.compile(r"<[^>]*>|[^<]+")
_IDENTIFIER = re.compile(r"doi|hdl|handle", re.IGNORECASE)


def compare_builds(
    before: Path, after: Path, left_out: Sequence[str] = ()
) -> tuple[list[str], list[str]]:
    """The differences that name an identifier, and all others."""
    named: list[str] = []
    others: list[str] = []
    for name in sorted(_files(before) | _files(after)):
        if any(fnmatch(name, pattern) for pattern in left_out):
            continue
        old, new = before / name, after / name
        if not (old.is_file() and new.is_file()):
            others.append(f"{name}: in one build only")
        elif old.read_bytes() == new.read_bytes():
            continue
        elif not name.endswith(".html"):
            others.append(f"{name}: differs")
        else:
            for change in _changes(old.read_text("utf-8"), new.read_text("utf-8")):
                found = named if _IDENTIFIER.search(change) else others
                found.append(f"{name}:\n{change}")
    return named, others


def _files(folder: Path) -> set[str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in files}


def _changes(before: str, after: str) -> Iterator[str]:
    old, new = _TAG_OR_TEXT.findall(before), _TAG_OR_TEXT.findall(after)
    for kind, *spans in SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            a, b, c, d = spans
            yield f"- {''.join(old[a:b])}\n+ {''.join(new[c:d])}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the differences; return 1 if some name no identifier."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--except", dest="left_out", action="append", default=[])
    chosen = parser.parse_args(arguments)
    named, others = compare_builds(chosen.before, chosen.after, chosen.left_out)
    print("\n".join([*named, *others]))
    print(f"of identifiers: {len(named)}, others: {len(others)}")
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
