"""The findings about texts, with the settings of their project.

``hdl check`` reads the files of a project, and the language server one document: both
say the same about a text, because both ask here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from handle_cli.ignoring import wanted_references
from handle_cli.paths import shown_path
from handle_cli.project_settings import ProjectSettings
from handle_cli.readers import SourceText
from handle_system import Handle, HandleReference
from handle_system.describing.findings import (
    finding_about_file,
    findings_about_undescribed_works,
    findings_about_works,
    update_command,
)
from handle_system.describing.references import References
from handle_system.diagnostics import findings_about
from handle_system.findings.codes import Severity
from handle_system.findings.finding import Finding, Place
from handle_system.found import Found
from handle_system.ignored_case import IgnoredCase

if TYPE_CHECKING:
    from handle_system.text_beside import TextBeside


class CheckedTexts:
    """Texts of one project that were read, and the findings about them.

    Attributes:
        findings: The findings about their references as such.
        places: The places of each handle.
        malformed_count: How many references were read that name no handle.
    """

    def __init__(self, settings: ProjectSettings) -> None:
        self.findings: list[Finding] = []
        self.places: dict[Handle, list[Place]] = {}
        self.malformed_count = 0
        # The places that cite each work.
        self._cited: dict[Handle, list[Place]] = {}
        # Handles, their places, and the texts beside them.
        self._texts: list[tuple[Handle, Place, TextBeside]] = []
        self._settings = settings
        self._ignored_case = IgnoredCase(settings.verification.ignore_case)
        # One spelling stands for all that name the same.
        self._spellings: dict[str, Handle] = {}

    @property
    def reference_count(self) -> int:
        """How many references to handles were read."""
        return sum(map(len, self.places.values()))

    def read(self, source: SourceText) -> list[Found]:
        """Read a text: its references that no comment excludes, with their file.

        Raises:
            UnreadableError: when the syntax does not allow the text.
        """
        references = wanted_references(source, self._settings)
        for found in references:
            self.add(found)
        return references

    def add(self, found: Found) -> None:
        """Take up a reference, whose place names its file."""
        self.findings += findings_about(found, self._settings.values.suffixes)
        if not isinstance(found.reference, HandleReference):
            self.malformed_count += 1
            return
        place = replace(found.place, written=found.written)
        handle = found.reference.handle
        key = self._ignored_case.key(handle)
        spelling = self._spellings.setdefault(key, handle)
        self.places.setdefault(spelling, []).append(place)
        if found.is_citation and handle not in self._settings.values.unverified:
            self._cited.setdefault(spelling, []).append(place)
        if found.beside is not None:
            self._texts.append((spelling, place, found.beside))

    def findings_with_works(
        self, works: References, files: Sequence[str] = (), paths: Sequence[str] = ()
    ) -> list[Finding]:
        """The findings about the cited works, and texts that name other works.

        Args:
            works: The files of references.
            files: The paths of those that a command has to name.
            paths: The files and folders that are read.
        """
        command = update_command(files, paths)
        return [
            *findings_about_works(
                self.places, works, files, proxies=self._settings.values.link_proxies
            ),
            *findings_about_undescribed_works(self._cited, works, command),
            *self._findings_about_texts(works),
        ]

    def _findings_about_texts(self, works: References) -> list[Finding]:
        """The findings about texts that name other works than their identifiers."""
        if not self._texts:
            return []
        # Most files have no such texts, and need nothing that compares them.
        from handle_system.describing.cited_texts import (  # noqa: PLC0415
            CitedText,
            findings_about_texts,
        )

        return findings_about_texts(map(CitedText._make, self._texts), works)


def reported(findings: Iterable[Finding], settings: ProjectSettings) -> list[Finding]:
    """The findings that the project wants, as severe as it wants them, by place."""
    wanted = settings.values.policy.applied_to(findings)
    return sorted(wanted, key=attrgetter("places"))


# The command writes one of them into each item of a file of references.
_OUR_KEYS = (b'"id": "doi:', b'"id": "hdl:')


def findings_about_unreadable_files(
    works: References, *, is_named: bool
) -> list[Finding]:
    """The findings about files of references that are not read, or not all of them.

    Args:
        works: The files.
        is_named: Whether the project or the command line names them.
    """
    findings = []
    for file, problem in works.unreadable_files():
        # A file of this name may be another tool's.
        is_ours = is_named or any(key in file.data for key in _OUR_KEYS)
        severity = Severity.WARNING if is_ours else Severity.NOTE
        findings.append(finding_about_file(problem, shown_path(file.path), severity))
    return findings
