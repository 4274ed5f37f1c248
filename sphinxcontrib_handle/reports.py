"""Writing the reports of ``handlecheck`` into its output folder."""

from pathlib import Path
from typing import TYPE_CHECKING

from handle_system import __version__
from handle_system.resolving.clock import SYSTEM_CLOCK
from handle_system.verifying.report_html import html_report
from handle_system.verifying.report_json import json_report
from handle_system.verifying.report_junit import junit_report
from handle_system.verifying.report_sarif import sarif_report

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from sphinxcontrib_handle.verified import Verified

__all__ = ["discard_reports", "write_reports"]

_JSON, _SARIF, _JUNIT, _HTML = "output.json", "report.sarif", "junit.xml", "report.html"


def discard_reports(app: "Sphinx") -> None:
    """Remove an earlier run's, which would be taken for this one's if it failed."""
    for name in (_JSON, _SARIF, _JUNIT, _HTML):
        Path(app.outdir, name).unlink(missing_ok=True)


def write_reports(app: "Sphinx", found: "Verified") -> None:
    """Write ``output.json``, ``report.sarif``, ``junit.xml`` and ``report.html``."""
    folder = Path(app.outdir)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {
        _JSON: json_report(found.checked),
        _SARIF: sarif_report(
            found.checked, malformed=found.malformed, version=__version__
        ),
        _JUNIT: junit_report(
            found.checked, malformed=found.malformed, ignored=found.ignored
        ),
        _HTML: html_report(
            found.checked,
            malformed=found.malformed,
            ignored=found.ignored,
            title=app.config.project,
            now=SYSTEM_CLOCK.now(),
        ),
    }.items():
        # A file's name may hold what is no Unicode; JSON writes that as Python does.
        Path(folder, name).write_text(text, encoding="utf-8", errors="backslashreplace")
