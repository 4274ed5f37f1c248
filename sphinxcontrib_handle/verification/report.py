"""Report the results of a verification: messages of the build, and report files."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sphinx.util import logging

from handle_system.encoding import encode_file
from handle_system.findings.codes import Code
from handle_system.findings.finding import Finding, Place, Policy
from handle_system.resolving.outcomes import OutcomeName
from handle_system.text import several
from handle_system.verifying.verdicts import (
    OUTCOME_LABELS,
    CheckedHandle,
    Verdict,
    common_reasons,
    count_outcomes,
    finding_about,
    nothing_verified,
    outcome_report,
    place_url,
    verdicts_of_places,
    without_answered,
)
from sphinxcontrib_handle.cite.versions_of_works import findings_about_targets
from sphinxcontrib_handle.domain import RecordedPlace, handle_domain
from sphinxcontrib_handle.links import proxies_of
from sphinxcontrib_handle.messages import (
    findings_about_run,
    location_of,
    policy_of,
    report,
    report_about_run,
)
from sphinxcontrib_handle.project_page import findings_about_works

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from handle_system.verifying.process import VerificationProcess

#: The reports of ``handlecheck``: JSON, SARIF, JUnit XML and HTML.
REPORT_FILES = ("output.json", "report.sarif", "junit.xml", "report.html")

logger = logging.getLogger(__name__)

#: The places of each handle, by `Handle.comparison_key`.
Places = Mapping[str, Sequence[RecordedPlace]]

# A verdict on a handle, its places, and the finding about it.
_Judged: TypeAlias = tuple[Verdict, Sequence[Place], Finding | None]


@dataclass(frozen=True)
class Results:
    """The results of verifying a project: its places and the verdicts, as findings.

    Reports name files from the root of the repository, as services do that show a
    report beside the files.

    Attributes:
        app: The application.
        process: The process, which has finished.
        verdicts: The verdict of each verified handle, by comparison key.
        places: The places of the verified handles.
        ignored_places: The places of the handles that the project excludes.
    """

    app: "Sphinx"
    process: "VerificationProcess"
    verdicts: Mapping[str, Verdict]
    places: Places
    ignored_places: Places

    @property
    def is_nothing_verified(self) -> bool:
        """Whether there are handles, and none of them has an outcome."""
        unreachable = self.with_outcome(OutcomeName.UNREACHABLE)
        return bool(self.verdicts) and len(unreachable) == len(self.verdicts)

    def with_outcome(self, outcome: OutcomeName) -> list[Verdict]:
        """The verdicts with this outcome."""
        return [
            verdict for verdict in self.verdicts.values() if verdict.outcome is outcome
        ]

    @cached_property
    def policy(self) -> Policy:
        """The severities of the project."""
        return policy_of(self.app.config)

    @cached_property
    def handles(self) -> list[CheckedHandle]:
        """The verified handles, and those that are excluded."""
        ignored = (
            CheckedHandle(
                handle=places[0].handle,
                places=tuple(self._place(each.place) for each in places),
            )
            for places in self.ignored_places.values()
        )
        verified = (checked for key in self.places for checked in self.checked(key))
        return [*verified, *ignored]

    @cached_property
    def findings_about_handles(self) -> list[Finding]:
        """The findings about verified handles, and where they lead."""
        about_targets = findings_about_targets(self.app, self.verdicts)
        # Most handles have no finding, and the paths of places take time.
        outcomes = (
            finding
            for key in self.places
            for _verdict, _places, finding in self._judged(key)
            if finding is not None
        )
        return [*outcomes, *self.policy.applied_to(about_targets)]

    @cached_property
    def findings_about_works(self) -> list[Finding]:
        """The findings about works, of which no new answer is known."""
        verdicts = (
            (self.verdicts[key], [each.place for each in places])
            for key, places in self.places.items()
        )
        return without_answered(findings_about_works(self.app.env), verdicts)

    @cached_property
    def findings(self) -> list[Finding]:
        """All findings of the build, as severe as the project wants them."""
        domain = handle_domain(self.app.env)
        works = self.findings_about_works
        others = [*findings_about_run(self.app.config), *domain.findings(), *works]
        wanted = [*self.policy.applied_to(others), *self.findings_about_handles]
        return [finding.at(*map(self._place, finding.places)) for finding in wanted]

    def checked(self, key: str) -> list[CheckedHandle]:
        """A verified handle by its comparison key.

        There is more than one if references name values that its record does not have.
        """
        return [
            CheckedHandle(
                handle=verdict.handle,
                places=tuple(map(self._place, its_places)),
                verdict=verdict,
                finding=finding,
            )
            for verdict, its_places, finding in self._judged(key)
        ]

    def _judged(self, key: str) -> Iterator[_Judged]:
        """The verdicts of a handle, each with its places and its finding."""
        places = self.places[key]
        verdict = self.verdicts[key]
        if verdict.handle != places[0].handle:
            # Another place was read first, and spells it otherwise.
            verdict = replace(verdict, handle=places[0].handle)
        in_files = [each.place for each in places]
        for one_verdict, its_places in verdicts_of_places(verdict, in_files):
            finding = finding_about(one_verdict, its_places)
            yield one_verdict, its_places, finding and self.policy.applied(finding)

    @cached_property
    def _root(self) -> Path:
        """The root of the repository; without one, the source folder."""
        source = Path(self.app.srcdir)
        folders = (source, *source.parents)
        return next(
            (folder for folder in folders if (folder / ".git").exists()), source
        )

    def _place(self, place: Place) -> Place:
        """A place as reports name it: its file from the root of the repository."""
        if not place.file and not place.document:
            return place
        # A file beside the documents has a path from the current folder on.
        document = Path(place.file)
        if place.document:
            document = Path(self.app.env.doc2path(place.document))
        path = Path(os.path.normpath(Path(place.file or document).absolute()))
        line = place.line
        if place.file.startswith(("<", "docstring of ")):
            # Text that is in no file, such as `rst_prolog`.
            path = document
            line = 0
        is_inside = path.is_relative_to(self._root)
        name = (path.relative_to(self._root) if is_inside else path).as_posix()
        url = ""
        if self.app.config.handle_place_url is not None:
            url = place_url(
                self.app.config.handle_place_url, name, line, place.document
            )
        # No relative path leads to another drive.
        elif path.drive == Path(self.app.outdir).drive:
            relative = encode_file(
                Path(os.path.relpath(path, self.app.outdir)).as_posix()
            )
            url = f"{relative}#L{line}" if line else relative
        return replace(
            place, file=name, line=line, url=url, is_own_file=path == document
        )


def log_process(app: "Sphinx", results: Results) -> None:
    """Log what happened to the verification itself."""
    for message in results.process.messages:
        if message.startswith("warning: "):
            report_about_run(app.config, Code.CACHE, message.removeprefix("warning: "))
        else:
            logger.info("%s", message)
    failure = results.process.failure.removeprefix("error: ")
    unreachable = results.with_outcome(OutcomeName.UNREACHABLE)
    if results.process.is_unusable:
        report_about_run(app.config, Code.NOTHING_VERIFIED, failure)
    elif results.is_nothing_verified:
        message = nothing_verified(unreachable)
        report_about_run(app.config, Code.NOTHING_VERIFIED, message)
    elif failure:
        report_about_run(
            app.config,
            Code.VERIFICATION_STOPPED,
            f"verification stopped before all handles had an outcome: {failure}",
        )


def log_unanswered(app: "Sphinx", results: Results) -> None:
    """Log the earlier answers, where nobody has given a new one."""
    for finding in results.findings_about_works:
        if finding.code is Code.UNREGISTERED:
            for place in finding.places:
                report(app.config, finding.at(place))


def log_findings(app: "Sphinx", results: Results) -> None:
    """Log each finding at its first place, and a line about all handles."""
    for finding in results.findings_about_handles:
        if finding.is_unverified:
            logger.verbose(
                "%s", finding.lines()[0], location=location_of(finding.first)
            )
        else:
            report(app.config, finding)
    total = len(results.verdicts)
    for outcome in (OutcomeName.REFUSED, OutcomeName.UNREACHABLE):
        verdicts = results.with_outcome(outcome)
        if verdicts:
            # One line: it says nothing about documents.
            message = (
                f"{len(verdicts)} of {several(total, 'handle')} "
                f"{OUTCOME_LABELS[outcome]}, so not verified: {common_reasons(verdicts)}"
            )
            # The list has each of them; the log has one line.
            finding = Finding.of_kind(Code(outcome.value), "", message)
            report(app.config, finding)
    references = len(handle_domain(app.env).places())
    ignored = len(results.ignored_places)
    counted = [
        several(references, "reference"),
        several(total + ignored, "distinct handle"),
        count_outcomes(results.verdicts.values()),
        f"{ignored} ignored" if ignored else "",
    ]
    logger.info("handles: %s", ", ".join(filter(None, counted)))


def write_reports(app: "Sphinx", results: Results) -> None:
    """Write ``output.json``, ``report.sarif``, ``junit.xml`` and ``report.html``."""
    # One builder alone writes them.
    from handle_system.findings.junit import junit_report  # noqa: PLC0415
    from handle_system.findings.reports import sarif_report  # noqa: PLC0415 (as well)
    from handle_system.verifying.page import html_report  # noqa: PLC0415 (as well)

    findings = results.findings
    others = [
        (
            checked.handle,
            checked.places,
            "" if checked.verdict else "the project excludes it from verification",
        )
        for checked in results.handles
        if checked.finding is None
    ]
    texts = (
        outcome_report(results.handles),
        sarif_report(findings, tool="sphinxcontrib-handle"),
        junit_report(findings, others),
        html_report(
            findings,
            results.handles,
            title=app.config.project,
            proxies=proxies_of(app.config),
            now=datetime.now(UTC),
        ),
    )
    folder = Path(app.outdir)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in zip(REPORT_FILES, texts, strict=True):
        # A name of a file may hold lone surrogates; JSON escapes them like Python.
        content = f"{text}\n".encode(errors="backslashreplace")
        Path(folder, name).write_bytes(content)
