"""The results of a verification, and the files of a project as reports name them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from handle_system.encoding import encode_file
from handle_system.handle import Handle
from handle_system.resolving.outcomes import OutcomeName
from handle_system.verifying.findings import (
    CheckedHandle,
    CheckedPlace,
    IgnoredHandle,
    MalformedReference,
    Severity,
    Verdict,
    place_url,
)
from handle_system.verifying.handle_patterns import HandlePatterns
from handle_system.verifying.process import VerificationProcess
from sphinxcontrib_handle.config import options
from sphinxcontrib_handle.domain import Location, Malformed, Place, handle_domain
from sphinxcontrib_handle.messages import HandleWarning, severity_of
from sphinxcontrib_handle.verification.builders import HandleLinkCheckBuilder

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["Places", "Results", "select_places"]

#: The places of each handle, by `Handle.comparison_key`.
Places = Mapping[str, Sequence[Place]]


def select_places(app: "Sphinx") -> tuple[Places, Places]:
    """The places of the project to verify, and those that it excludes.

    A handle is verified if one of its places counts.
    """
    chosen = options(app.config)
    handles = HandlePatterns(chosen.verify_ignore)
    builder = app.builder

    @cache
    def is_excluded(document: str) -> bool:
        return any(
            fnmatchcase(document, each) for each in chosen.verify_exclude_documents
        )

    def is_ignored(place: Place) -> bool:
        return (
            is_excluded(place.document)
            or (bool(handles) and Handle.parse(place.handle) in handles)
            or (isinstance(builder, HandleLinkCheckBuilder) and builder.ignores(place))
        )

    verified: dict[str, list[Place]] = {}
    ignored: dict[str, list[Place]] = {}
    for place in handle_domain(app.env).places():
        by_key = ignored if is_ignored(place) else verified
        by_key.setdefault(place.key, []).append(place)
    return verified, {key: ignored[key] for key in ignored if key not in verified}


class Results:
    """The results of verifying a project: its places and the verdicts, as findings.

    Reports name files from the root of the repository, as services do that show a
    report beside the files.

    Attributes:
        verdicts: The verdict of each verified handle, by comparison key.
        failure: Why verification stopped early; empty if it did not.
        is_unusable: Whether it stopped because a setting cannot be used.
        messages: Messages of the child process about itself.
    """

    def __init__(
        self,
        app: "Sphinx",
        process: VerificationProcess,
        verdicts: Mapping[str, Verdict],
        places: Places,
        ignored: Places,
    ) -> None:
        self.verdicts = verdicts
        self.failure = process.failure
        self.is_unusable = process.is_unusable
        self.messages = process.messages
        self._places = places
        self._ignored = ignored
        self._app = app
        source = Path(app.srcdir)
        self._root = next(
            (each for each in (source, *source.parents) if (each / ".git").exists()),
            source,
        )
        chosen = options(app.config)
        self._template = chosen.place_url
        self._severities = {
            kind: Severity(severity) for kind, severity in chosen.severity.items()
        }
        # A file has many places.
        self._cached_file = lru_cache(maxsize=None)(self._file)

    @property
    def is_nothing_verified(self) -> bool:
        """Whether there are handles, and none of them has an outcome."""
        return bool(self.verdicts) and all(
            each.outcome is OutcomeName.UNREACHABLE for each in self.verdicts.values()
        )

    @property
    def has_failed(self) -> bool:
        """Whether a finding is a warning or an error."""
        severities = [each.severity for each in self.malformed()]
        severities += [checked.severity for checked, _ in self.findings()]
        return any(each.fails for each in severities)

    def checked(self) -> list[CheckedHandle]:
        """All verified handles."""
        return [self._checked(key) for key in self._places]

    def handles(self) -> tuple[list[CheckedHandle], list[IgnoredHandle]]:
        """All verified handles, and the ignored ones."""
        return self.checked(), self.ignored()

    def findings(self) -> list[tuple[CheckedHandle, Location]]:
        """The handles with a finding, each with the location of its first place."""
        return [
            (self._checked(key), places[0].location)
            for key, places in self._places.items()
            if self.verdicts[key].code is not None
        ]

    def ignored(self) -> list[IgnoredHandle]:
        """The handles that the project excludes."""
        return [
            IgnoredHandle(
                handle=places[0].handle, places=tuple(map(self._place, places))
            )
            for places in self._ignored.values()
        ]

    def malformed(self) -> list[MalformedReference]:
        """The references that cannot be parsed."""
        return [
            MalformedReference(
                place=self._place(each),
                code=each.kind,
                reason=each.reason,
                severity=severity_of(self._app.config, HandleWarning(each.kind)),
            )
            for each in handle_domain(self._app.env).malformed()
        ]

    def _checked(self, key: str) -> CheckedHandle:
        places = self._places[key]
        return CheckedHandle(
            # Another place may have been read first, and spell it otherwise.
            verdict=replace(self.verdicts[key], handle=places[0].handle),
            places=tuple(map(self._place, places)),
            severities=self._severities,
        )

    def _place(self, place: Place | Malformed) -> CheckedPlace:
        file = self._cached_file(place.source, place.document)
        line = place.line if file.has_lines else 0
        url = f"{file.url}#L{line}" if file.url and line else file.url
        if self._template is not None:
            url = place_url(self._template, file.name, line, place.document)
        return CheckedPlace(
            document=place.document,
            file=file.name,
            line=line,
            written=place.written,
            url=url,
            is_own_file=file.is_own,
        )

    def _file(self, source: str, document: str) -> "_File":
        own = Path(self._app.env.doc2path(document))
        path, has_lines = Path(source) if source else own, True
        if source.startswith(("<", "docstring of ")):
            # Text that is in no file, such as `rst_prolog`.
            path, has_lines = own, False
        name = path
        if path.is_absolute() and path.is_relative_to(self._root):
            name = path.relative_to(self._root)
        try:
            relative = Path(os.path.relpath(path, self._app.outdir)).as_posix()
        except ValueError:
            # On another drive, which no relative path leads to.
            relative = ""
        return _File(name.as_posix(), has_lines, encode_file(relative), path == own)


class _File(NamedTuple):
    """A file with references.

    Attributes:
        name: Its name in reports.
        has_lines: Whether lines of its references count in it.
        url: Its address, relative to the folder of the reports.
        is_own: Whether it is the document's own.
    """

    name: str
    has_lines: bool
    url: str
    is_own: bool
