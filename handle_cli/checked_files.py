"""The files of a check that were read, and what reports show of them."""

from functools import cached_property, partial
from typing import TYPE_CHECKING

from handle_cli.checked_texts import CheckedTexts
from handle_cli.files import SourceFile, read_again, read_with
from handle_cli.mending import (
    Mended,
    is_rewritten,
    mended_by_rewriting,
    speaks_of_its_project,
)
from handle_cli.project_settings import ProjectSettings
from handle_cli.readers import SourceText
from handle_cli.repositories import Git
from handle_system.describing.described_works import DescribedWorks
from handle_system.findings.finding import Finding, Place

if TYPE_CHECKING:
    from handle_cli.stale_versions import OwnVersions
    from handle_system.verifying.verdicts import CheckedHandle

# A longer line of the source is not shown.
_LONGEST_LINE = 100_000


class SourceLines:
    """The lines of the files that were read, for the report.

    A file is read again for the lines that the report shows, so that no line of the
    others is kept.
    """

    def __init__(self) -> None:
        self._files: dict[str, SourceFile] = {}
        # The lines of the standard input, and those of the file that was shown last.
        self._kept: dict[str, list[str]] = {}
        self._shown: tuple[str, list[str]] = ("", [])

    def add(self, file: SourceFile, source: SourceText) -> None:
        """Take up a file that was read."""
        if file.is_stdin:
            self._kept[source.name] = source.text.split("\n")
        else:
            self._files[source.name] = file

    def line(self, place: Place) -> str:
        """The line that a place is in; empty if it is not known, or too long."""
        lines = self._lines(place.file)
        line = lines[place.line - 1] if 1 <= place.line <= len(lines) else ""
        return line if len(line) <= _LONGEST_LINE else ""

    def _lines(self, name: str) -> list[str]:
        if name in self._kept:
            return self._kept[name]
        if name in self._files and name != self._shown[0]:
            self._shown = (name, read_again(self._files[name]).split("\n"))
        return self._shown[1] if name == self._shown[0] else []


class CheckedFiles:
    """The files of a check that were read.

    Attributes:
        settings: The settings of the project.
        lines: Their lines, for reports.
        texts: What was read.
        skipped: The findings about files that were not read.
        own_findings: The findings about what the project says of its own versions.
        handles: The handles that were verified or left out, if that was asked for.
    """

    def __init__(
        self,
        settings: ProjectSettings,
        works: DescribedWorks,
        git: Git,
        *,
        asks_what_is_mended: bool,
    ) -> None:
        """Read none yet.

        Args:
            settings: The settings of the project.
            works: The works that its files of references describe.
            git: git, as the run asks it.
            asks_what_is_mended: Whether `is_mended` will be asked, for which files with
                suggestions are read again.
        """
        self.settings = settings
        self._works = works
        self._git = git
        self._asks_what_is_mended = asks_what_is_mended
        self._mended: Mended = set()
        self.texts = CheckedTexts(settings)
        self.skipped: list[Finding] = []
        self.own_findings: list[Finding] = []
        self.handles: list[CheckedHandle] = []
        self.lines = SourceLines()

    @cached_property
    def _own_versions(self) -> "OwnVersions":
        # Few of the files that a hook names speak of them, and it loads all of citing.
        from handle_cli.stale_versions import OwnVersions  # noqa: PLC0415 (see above)

        return OwnVersions(
            self.settings.values.link_proxies,
            self.settings.root,
            self._works,
            self._git,
        )

    @property
    def reference_count(self) -> int:
        """How many references were read, with those that name no handle."""
        return self.texts.reference_count + self.texts.malformed_count

    def is_mended(self, finding: Finding) -> bool:
        """Whether ``hdl fix`` mends a finding."""
        return (finding.code, finding.first) in self._mended

    def read(self, file: SourceFile) -> None:
        """Read a file, and check its references."""
        skipped = read_with(partial(self._read_text, file), file)
        if skipped is not None:
            self.skipped.append(skipped)

    def _read_text(self, file: SourceFile, source: SourceText) -> None:
        earlier = len(self.texts.findings)
        self.texts.read(source)
        self.lines.add(file, source)
        if speaks_of_its_project(source.name):
            old = self._own_versions.read(source.text, source.name, file.path.parent)
            self.own_findings += [*old.mended, *old.staying]
            if self._asks_what_is_mended and is_rewritten(file):
                self._mended |= {(each.code, each.first) for each in old.mended}
        findings = self.texts.findings[earlier:]
        has_suggestion = any(finding.suggestion for finding in findings)
        if has_suggestion and self._asks_what_is_mended and is_rewritten(file):
            self._mended |= mended_by_rewriting(source, self.settings)
