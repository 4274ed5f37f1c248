"""The findings about texts, with the settings of their project.

``hdl check`` reads the files of a project, and the language server one document: both
say the same about a text, because both ask here.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from handle_cli.ignoring import wanted_references
from handle_cli.paths import shown_path
from handle_cli.project_settings import ProjectSettings
from handle_cli.readers import SourceText
from handle_system import Handle, HandleReference
from handle_system.describing.described_works import DescribedWorks
from handle_system.describing.page_settings import PageSettings
from handle_system.describing.work_findings import (
    CitedWorks,
    finding_about_file,
    findings_about_retractions,
    update_command,
)
from handle_system.diagnostics import findings_about
from handle_system.findings.codes import Severity
from handle_system.findings.finding import Finding, Place
from handle_system.found import Found
from handle_system.ignored_case import IgnoredCase


class CheckedTexts:
    """Texts of one project that were read, and the findings about them.

    Attributes:
        findings: The findings about their references as such.
        malformed_count: How many references were read that name no handle.
    """

    def __init__(self, settings: ProjectSettings) -> None:
        self.findings: list[Finding] = []
        self.malformed_count = 0
        self._settings = settings
        ignored_case = IgnoredCase(settings.verification.ignore_case)
        self._cited = CitedWorks(ignored_case.key)

    @property
    def places(self) -> Mapping[Handle, Sequence[Place]]:
        """The places of each handle."""
        return self._cited.places

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
        self._cited.add(found._replace(place=place))

    def findings_with_works(
        self,
        works: DescribedWorks,
        files: Sequence[str] = (),
        paths: Sequence[str] = (),
    ) -> list[Finding]:
        """The findings about the cited works, and texts that name other works.

        Args:
            works: The files of references.
            files: The paths of those that a command has to name.
            paths: The files and folders that are read.
        """
        values = self._settings.values
        settings = PageSettings(
            proxies=values.link_proxies,
            reserved=values.unverified,
            files=files,
            update_command=update_command(files, paths),
        )
        return self._cited.findings(works, settings)


def reported(findings: Iterable[Finding], settings: ProjectSettings) -> list[Finding]:
    """The findings that the project wants, as severe as it wants them, by place."""
    wanted = settings.values.policy.applied_to(findings)
    return sorted(wanted, key=attrgetter("places"))


# The command writes one of them into each item of a file of references.
_OUR_KEYS = (b'"id": "doi:', b'"id": "hdl:')


def findings_about_unreadable_files(
    works: DescribedWorks, *, is_named: bool
) -> list[Finding]:
    """The findings about files that are not read, or not all of them.

    They are files of references, and the file of Retraction Watch, which may be old, too.

    Args:
        works: The files.
        is_named: Whether the project or the command line names them.
    """
    findings = []
    for file, problem in works.unreadable_files():
        is_fine = not is_named and _is_another_tools(file.data)
        severity = Severity.NOTE if is_fine else Severity.WARNING
        findings.append(finding_about_file(problem, shown_path(file.path), severity))
    return findings + findings_about_retractions(works, shown_path)


def _is_another_tools(data: bytes) -> bool:
    """Whether a file of the usual name is sound JSON, and none of its items ours."""
    if any(key in data for key in _OUR_KEYS):
        return False
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
