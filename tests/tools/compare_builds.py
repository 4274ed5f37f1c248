"""Compare two HTML builds of one project: may they differ, then in identifier links.

    python -m tests.tools.compare_builds before after

reads every page of both folders.  Pages may differ in links of identifiers: in their
address, class and title, in links that appear where there was none, and in links that
are whole where there was a part.  Any other difference, be it one character or one
attribute, is listed, and the exit status is 1; so does a page or another file that only
one of them has, or that differs.  ``--except .buildinfo`` names files, by pattern, that
are not compared; nothing else is passed over.  What a build takes from the clock is
made equal by building with ``SOURCE_DATE_EPOCH``.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from tests.tools.page_comparison import Change, compare_pages
from tests.tools.page_reading import read_page

__all__ = ["BuildComparison", "compare_builds", "main"]


@dataclass(slots=True)
class BuildComparison:
    """What came of comparing two builds.

    Attributes:
        pages: How many pages both have.
        changed_pages: How many of them are not the same octets.
        other_files: How many files besides are the same.
        left_out: The files that were not to be compared.
        identifier_links: How many links of identifiers the second build has.
        changes: Those that are not as in the first, with their page.
        differences: Everything else, in words, with its file.
    """

    pages: int = 0
    changed_pages: int = 0
    other_files: int = 0
    left_out: list[str] = field(default_factory=list)
    identifier_links: int = 0
    changes: list[tuple[str, Change]] = field(default_factory=list)
    differences: list[tuple[str, str]] = field(default_factory=list)

    def report(self) -> str:
        """The figures, and every difference."""
        kinds = Counter(change.kind for _, change in self.changes)
        lines = [
            f"pages: {self.pages}, of which not the same octets: {self.changed_pages}",
            f"other files, the same: {self.other_files}",
            f"not compared: {', '.join(self.left_out) or 'none'}",
            f"identifier links: {self.identifier_links}, changed: {len(self.changes)}",
            *(f"  {kind}: {count}" for kind, count in sorted(kinds.items())),
            f"other differences: {len(self.differences)}",
            *(f"  {name}: {said}" for name, said in self.differences),
        ]
        return "\n".join(lines)


def compare_builds(
    before: Path, after: Path, *, left_out: Sequence[str] = ()
) -> BuildComparison:
    """Compare two folders of built pages."""
    result = BuildComparison()
    first, second = _files(before), _files(after)
    for name in sorted(first | second):
        if any(fnmatch(name, pattern) for pattern in left_out):
            result.left_out.append(name)
        elif name not in second:
            result.differences.append((name, "only in the first build"))
        elif name not in first:
            result.differences.append((name, "only in the second build"))
        elif name.endswith((".html", ".xhtml")):
            result.pages += 1
            _compare_page(before / name, after / name, name, result)
        elif (before / name).read_bytes() == (after / name).read_bytes():
            result.other_files += 1
        else:
            result.differences.append((name, "not the same octets"))
    return result


def _files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _compare_page(old: Path, new: Path, name: str, result: BuildComparison) -> None:
    texts = [path.read_bytes().decode("utf-8") for path in (old, new)]
    try:
        pages = [read_page(text) for text in texts]
    except ValueError as error:
        result.differences.append((name, str(error)))
        return
    found = compare_pages(*pages)
    result.changed_pages += texts[0] != texts[1]
    result.identifier_links += found.identifier_links
    result.changes += [(name, change) for change in found.changes]
    result.differences += [(name, said) for said in found.differences]
    if texts[0] != texts[1] and not found.changes and not found.differences:
        result.differences.append((name, "not the same octets"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the builds that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument(
        "--except",
        dest="left_out",
        metavar="PATTERN",
        action="append",
        default=[],
        help="files that are not compared, by their path in the build",
    )
    parser.add_argument(
        "--changes",
        type=Path,
        help="write each changed link to this file, as JSON lines",
    )
    chosen = parser.parse_args(arguments)
    for folder in (chosen.before, chosen.after):
        if not folder.is_dir():
            parser.error(f"{folder} is no folder")
    result = compare_builds(chosen.before, chosen.after, left_out=chosen.left_out)
    if chosen.changes is not None:
        rows = ({"page": name, **asdict(change)} for name, change in result.changes)
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        chosen.changes.write_text(text, "utf-8")
    print(result.report())
    return 1 if result.differences or not result.pages else 0


if __name__ == "__main__":
    sys.exit(main())
