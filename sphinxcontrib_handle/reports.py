"""Writing the reports of ``handlecheck`` into its output folder."""

from pathlib import Path
from typing import TYPE_CHECKING

from handle_system import __version__
from handle_system.clock import SYSTEM_CLOCK
from handle_system.report_html import html_report
from handle_system.report_json import json_report
from handle_system.report_junit import junit_report
from handle_system.report_sarif import sarif_report

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from sphinxcontrib_handle.verified import Verified

__all__ = ["write_reports"]


def write_reports(app: "Sphinx", found: "Verified") -> None:
    """Write ``output.json``, ``report.sarif``, ``junit.xml`` and ``report.html``."""
    folder = Path(app.outdir)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {
        "output.json": json_report(found.checked),
        "report.sarif": sarif_report(
            found.checked, malformed=found.malformed, version=__version__
        ),
        "junit.xml": junit_report(
            found.checked, malformed=found.malformed, ignored=found.ignored
        ),
        "report.html": html_report(
            found.checked,
            malformed=found.malformed,
            ignored=found.ignored,
            title=app.config.project,
            now=SYSTEM_CLOCK.now(),
        ),
    }.items():
        Path(folder, name).write_text(text, encoding="utf-8")
