"""Bringing places of this project and verdicts of the core together."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from handle_system.encoding import encode_file
from handle_system.verifying.checked import (
    CheckedHandle,
    CheckedPlace,
    IgnoredHandle,
    MalformedReference,
)
from handle_system.verifying.place_url import place_url
from handle_system.verifying.severity import Severity
from handle_system.verifying.verdict import Verdict
from sphinxcontrib_handle.domain import Malformed, Place, handle_domain
from sphinxcontrib_handle.messages import HandleWarning, severity_of
from sphinxcontrib_handle.options import options

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["Verified", "verified"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What came of verifying a project.

    Attributes:
        checked: Each handle that was asked for, in the order of first places;
            without those that are as they should be, where only the others are
            wanted.
        firsts: The first place of each, where it is told.
        ignored: Each handle that was left out, in the same order.
        malformed: What was meant for a reference and is none.
        references: How many there are, those that were left out among them.
        verdicts: What is known of each handle that was asked for, by its key.
    """

    checked: tuple[CheckedHandle, ...] = ()
    firsts: tuple[Place, ...] = ()
    ignored: tuple[IgnoredHandle, ...] = ()
    malformed: tuple[MalformedReference, ...] = ()
    references: int = 0
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)

    @property
    def has_failed(self) -> bool:
        """Whether something was found that is more than information."""
        return any(each.severity.fails for each in self.checked) or any(
            each.severity.fails for each in self.malformed
        )


def verified(
    app: "Sphinx",
    places: Iterable[Place],
    verdicts: Mapping[str, Verdict],
    *,
    counts: Callable[[Place], bool],
    whole: bool,
) -> Verified:
    """Each handle once, with its verdict and its places.

    Args:
        app: The application, for the names of its files.
        places: Every place, in order.
        verdicts: What is known, by comparison key.
        counts: Whether a place counts.
        whole: Whether those are wanted, too, that are as they should be: nearly
            all of them, which a build has nothing to say about.
    """
    counting: dict[str, list[Place]] = {}
    left_out: dict[str, list[Place]] = {}
    for place in places:
        chosen = counting if counts(place) else left_out
        chosen.setdefault(place.key, []).append(place)
    files = _Files(app)
    severities = {
        kind: Severity(wanted) for kind, wanted in options(app.config).severity.items()
    }
    asked = {key: verdicts[key] for key in counting if key in verdicts}
    shown = {
        key: counting[key]
        for key, verdict in asked.items()
        if whole or not verdict.is_good
    }
    return Verified(
        checked=tuple(
            CheckedHandle(
                verdict=_spelled(asked[key], found[0].handle),
                places=tuple(map(files.checked, found)),
                severities=severities,
            )
            for key, found in shown.items()
        ),
        firsts=tuple(found[0] for found in shown.values()),
        ignored=tuple(
            IgnoredHandle(
                handle=found[0].handle, places=tuple(map(files.checked, found))
            )
            for key, found in left_out.items()
            if key not in counting
        ),
        malformed=tuple(
            MalformedReference(
                place=files.checked(each),
                code=each.kind,
                reason=each.reason,
                severity=severity_of(app.config, HandleWarning(each.kind)),
            )
            for each in handle_domain(app.env).malformed()
        ),
        references=sum(map(len, (*counting.values(), *left_out.values()))),
        verdicts=asked,
    )


def _spelled(verdict: Verdict, handle: str) -> Verdict:
    """The verdict for a handle as its first place spells it.

    It was asked for as it was spelled where it was read first, which is another place
    in each build.
    """
    return verdict if verdict.handle == handle else replace(verdict, handle=handle)


class _File(NamedTuple):
    """One file.

    Attributes:
        name: Its name in reports.
        before: The lines before the first one counted; less than none, if those of
            the file are not what is counted.
        url: Its address, from the folder of the reports.
        is_own: Whether it is the document's own.
    """

    name: str
    before: int
    url: str
    is_own: bool


class _Files:
    """The files of a project, as reports name them: from its repository on.

    Services that show a report beside the files know no other root.
    """

    def __init__(self, app: "Sphinx") -> None:
        source = Path(app.srcdir)
        self._env = app.env
        self._root = next(
            (each for each in (source, *source.parents) if (each / ".git").exists()),
            source,
        )
        self._out = Path(app.outdir)
        self._template = options(app.config).place_url
        # Asked for each place, of which a file has many.
        self._find = lru_cache(maxsize=None)(self._found)

    def checked(self, place: Place | Malformed) -> CheckedPlace:
        """The place, for a report."""
        found = self._find(place.source, place.document)
        counts = place.line and found.before >= 0
        line = place.line + found.before if counts else 0
        url = found.url
        if self._template is not None:
            url = place_url(self._template, found.name, line, place.document)
        return CheckedPlace(
            document=place.document,
            file=found.name,
            line=line,
            written=place.written,
            url=url,
            is_own_file=found.is_own,
        )

    def _found(self, source: str, document: str) -> "_File":
        own = Path(self._env.doc2path(document))
        if not source or source.startswith("<"):
            # Text that stands in no file, such as ``rst_prolog``.
            path, before = own, 0 if not source else -1
        else:
            path, before = Path(source), 0
        file = path
        if path.is_absolute() and path.is_relative_to(self._root):
            file = path.relative_to(self._root)
        return _File(file.as_posix(), before, self._link(path), path == own)

    def _link(self, path: Path) -> str:
        """The address of the file, from the folder of the reports."""
        try:
            return encode_file(Path(os.path.relpath(path, self._out)).as_posix())
        except ValueError:
            # On another drive, which no relative path leads to.
            return ""
