"""Report the results of a verification: messages of the build, and report files."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util import logging

from handle_system import __version__
from handle_system.errors import showable
from handle_system.resolving.outcomes import OutcomeName
from handle_system.text import several
from handle_system.verifying.findings import OUTCOME_LABELS, count_outcomes
from handle_system.verifying.reports import json_report, junit_report, sarif_report
from sphinxcontrib_handle.config import proxies
from sphinxcontrib_handle.domain import handle_domain
from sphinxcontrib_handle.messages import HandleWarning, severity_of, warn
from sphinxcontrib_handle.verification.builders import REPORT_FILES
from sphinxcontrib_handle.verification.page import html_report

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sphinx.application import Sphinx

    from handle_system.verifying.findings import Verdict
    from sphinxcontrib_handle.verification.results import Results

__all__ = ["log_findings", "log_process", "write_reports"]

logger = logging.getLogger(__name__)

_MOST_REASONS = 3


def log_process(app: "Sphinx", results: "Results") -> None:
    """Log what happened to the verification itself."""
    for message in results.messages:
        if message.startswith("warning: "):
            warn(app.config, HandleWarning.CACHE, message.removeprefix("warning: "))
        else:
            logger.info("%s", message)
    failure = results.failure.removeprefix("error: ")
    unreachable = _of_outcome(results, OutcomeName.UNREACHABLE)
    if results.is_unusable:
        warn(app.config, HandleWarning.CONFIG, failure)
    elif results.is_nothing_verified:
        warn(
            app.config,
            HandleWarning.NOTHING_VERIFIED,
            f"no handle is verified, {several(len(unreachable), 'handle')} unreachable: "
            f"{_reasons(unreachable)}",
        )
    elif failure:
        warn(
            app.config,
            HandleWarning.VERIFICATION_STOPPED,
            f"verification stopped before all handles had an outcome: {failure}",
        )


def log_findings(app: "Sphinx", results: "Results") -> None:
    """Log each finding at its first place, and a line about all handles."""
    for checked, location in results.findings():
        code = checked.verdict.code
        if checked.verdict.is_unverified:
            logger.verbose("%s", checked.message, location=location)
        elif code is not None:
            kind = HandleWarning(code.value)
            warn(app.config, kind, checked.message, location=location)
    for outcome in (OutcomeName.REFUSED, OutcomeName.UNREACHABLE):
        _log_unverified(app, results, outcome)
    ignored = len(results.ignored())
    counted = [
        count_outcomes(results.verdicts.values()),
        f"{ignored} ignored" if ignored else "",
    ]
    references = len(handle_domain(app.env).places())
    logger.info(
        "handles: %s, %s%s",
        several(references, "reference"),
        several(len(results.verdicts) + ignored, "distinct handle"),
        "".join(f", {each}" for each in counted if each),
    )


def _log_unverified(app: "Sphinx", results: "Results", outcome: OutcomeName) -> None:
    """Log one line about all handles of an outcome; it says nothing about documents."""
    verdicts = _of_outcome(results, outcome)
    kind = HandleWarning(outcome.value)
    is_known = results.is_nothing_verified and not severity_of(app.config, kind).fails
    if not verdicts or is_known:
        # If nothing is verified, a warning has said so.
        return
    warn(
        app.config,
        kind,
        f"{len(verdicts)} of {several(len(results.verdicts), 'handle')} "
        f"{OUTCOME_LABELS[outcome]}, so not verified: {_reasons(verdicts)}",
    )


def _of_outcome(results: "Results", outcome: OutcomeName) -> "list[Verdict]":
    return [each for each in results.verdicts.values() if each.outcome is outcome]


def _reasons(verdicts: "Iterable[Verdict]") -> str:
    """The reasons, the most frequent first."""
    # Each resolver that was asked gives a reason of its own.
    counts = Counter(
        reason for verdict in verdicts for reason in verdict.reason.split("; ")
    )
    reasons = sorted(counts, key=lambda reason: (-counts[reason], reason))
    more = len(reasons) - _MOST_REASONS
    if more > 0:
        reasons[_MOST_REASONS:] = [f"and {several(more, 'more reason')}"]
    return showable("; ".join(reasons))


def write_reports(app: "Sphinx", results: "Results") -> None:
    """Write ``output.json``, ``report.sarif``, ``junit.xml`` and ``report.html``."""
    checked, malformed = results.checked(), results.malformed()
    ignored = results.ignored()
    texts = (
        json_report(checked),
        sarif_report(checked, malformed, version=__version__),
        junit_report(checked, malformed, ignored),
        html_report(
            checked,
            malformed,
            ignored,
            title=app.config.project,
            proxies=proxies(app.config),
            now=datetime.now(UTC),
        ),
    )
    folder = Path(app.outdir)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in zip(REPORT_FILES, texts, strict=True):
        # A name of a file may hold lone surrogates; JSON escapes them like Python.
        Path(folder, name).write_text(text, encoding="utf-8", errors="backslashreplace")
