"""The works that the files of references of a project describe.

Most projects have no such file. What reads one (`handle_system.describing.references_file`)
and what reads an item (`handle_system.describing.described_work`) is loaded for the others.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from handle_system.handle import Handle

if TYPE_CHECKING:
    from handle_system.describing.described_work import DescribedWork
    from handle_system.describing.items import JsonObject
    from handle_system.describing.references_file import ReferencesFile
    from handle_system.describing.retraction_watch import RetractionsFile

#: The folder with the stylesheet of lists, and its name there.
STATIC = Path(__file__).parent / "static"
STYLESHEET = "handle-references.css"
#: The name of the stylesheet of citations in the text, there.
CITATIONS_STYLESHEET = "handle-citations.css"
#: The name of a file of references without configuration.
USUAL_NAME = "references.json"
_NOT_MADE_YET = (
    "there is no such file; correct its name, or make it with hdl references update"
)


class DescribedWorks:
    """The works that the files of a project describe.

    Attributes:
        files: The files, the first of which wins.
        retractions: The file of Retraction Watch; `None` if there is none.
    """

    def __init__(
        self,
        files: "Iterable[ReferencesFile]",
        retractions: "RetractionsFile | None" = None,
    ) -> None:
        """Combine files; the first one that has an identifier describes it.

        Args:
            files: The files.
            retractions: A file of Retraction Watch, whose states are added to theirs.
        """
        self.files = tuple(files)
        self.retractions = retractions
        # The works of a page: thousands that stay would slow down Python's garbage
        # collector, and with it the whole build.
        self._kept_work = lru_cache(maxsize=1000)(self._work)

    def with_retractions(self, path: Path | None) -> "DescribedWorks":
        """The same works, with the states of a file of Retraction Watch if one is named."""
        if path is None:
            return self
        # As the text at the top says.
        from handle_system.describing.retraction_watch import (  # noqa: PLC0415
            read_retractions,
        )

        return DescribedWorks(self.files, read_retractions(path))

    def unreadable_files(
        self, *, is_made_later: bool = True
    ) -> "Iterator[tuple[ReferencesFile, str]]":
        """Each file that is not read, or not all of it, and why.

        The last file may be missing if no other exists: the command makes it.  Where
        others exist, or one of the usual name beside it, its name may be mistyped.

        Args:
            is_made_later: Whether it may be missing; not for those who read files that
                exist already.
        """
        others_exist = any(not file.is_missing for file in self.files) or any(
            file.path.with_name(USUAL_NAME).is_file() for file in self.files[-1:]
        )
        for file in self.files:
            is_last = file is self.files[-1]
            if not file.is_missing:
                problem = file.problem
            elif not is_last:
                problem = "there is no such file"
            elif others_exist or not is_made_later:
                problem = _NOT_MADE_YET
            else:
                problem = ""
            if problem:
                yield file, problem

    @cached_property
    def not_found(self) -> frozenset[Handle]:
        """The identifiers that were asked for, and that no agency described."""
        return frozenset[Handle]().union(*(file.not_found for file in self.files))

    def __contains__(self, handle: Handle) -> bool:
        return any(handle in file.items for file in self.files)

    def __bool__(self) -> bool:
        return any(file.items for file in self.files) or bool(self.retractions)

    def __len__(self) -> int:
        return len(set().union(*(file.items for file in self.files)))

    def __iter__(self) -> Iterator[Handle]:
        """Every identifier once, as the first file spells it."""
        return iter(
            dict.fromkeys(handle for file in self.files for handle in file.items)
        )

    def get(self, handle: Handle) -> "DescribedWork | None":
        """The work that a handle names, if a file describes it."""
        if not self:
            # Nothing that reads an item is loaded.
            return None
        # Handles that are equal may be spelled in two ways.
        work, is_described = self._kept_work(handle, str(handle))
        return work if is_described else None

    def work(self, handle: Handle) -> "DescribedWork":
        """The work that a handle names; without metadata if no file describes it."""
        work, _ = self._kept_work(handle, str(handle))
        return work

    def _work(self, handle: Handle, _spelled: str) -> "tuple[DescribedWork, bool]":
        """The work that a handle names, and whether a file describes it."""
        items = [file.items[handle] for file in self.files if handle in file.items]
        more = () if self.retractions is None else self.retractions.updates_of(handle)
        return _described_work(handle, items, more), bool(items or more)


def _described_work(
    handle: Handle, items: "Sequence[JsonObject]", more_updates: "Sequence[JsonObject]"
) -> "DescribedWork":
    # Most projects describe no works, and need nothing that reads an item.
    from handle_system.describing.described_work import (  # noqa: PLC0415
        described_work,
    )

    return described_work(handle, items, more_updates)


def read_described_works(paths: Iterable[Path]) -> DescribedWorks:
    """Read the files of references, each once; a missing file has no items."""
    named = list(paths)
    if not named:
        return DescribedWorks(())
    # As the text at the top says.
    from handle_system.describing.references_file import (  # noqa: PLC0415
        read_references_files,
    )

    return DescribedWorks(read_references_files(named))
