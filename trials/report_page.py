"""Test the page of ``handlecheck`` in Chromium: accessibility, filter, search, print.

    python -m trials.report_page FOLDER

FOLDER has the npm packages playwright-core and axe-core.  The page is opened light and
dark, 1280 and 390 pixels wide, without scripts, in use and printed.
"""

import dataclasses
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from handle_system.proxies import DEFAULT_PROXIES
from handle_system.resolving.outcomes import OutcomeName
from handle_system.verifying.page import html_report
from handle_system.verifying.verdicts import CheckedHandle, Verdict
from tests.sample_findings import (
    ALL,
    IGNORED,
    MALFORMED,
    SEVERE,
    Row,
    checked,
    findings_of,
    handles_of,
    place,
)
from tests.tools.browser_links import find_browser

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
# Right-to-left letters, stacked marks, and a handle too long for its column.
ODD = (
    "20.1000/عربي-שלום",
    "20.1000/z" + "\u0301\u0302\u0308\u0323" * 40,
    "10.1000/" + "x" * 900,
)


def main() -> int:
    """Write a page with every kind of row, and test it; return the exit code."""
    browser = find_browser()
    if browser is None or len(sys.argv) != 2:
        print(__doc__ if browser else "Chromium is not installed")
        return 2
    rows: list[Row] = [
        *MALFORMED,
        *ALL,
        *SEVERE,
        *IGNORED,
        *map(_with_age, range(3, 9), ODD),
    ]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        page.write_text(
            html_report(
                findings_of(rows),
                handles_of(rows),
                title="</title><script>alert(1)</script>",
                proxies=DEFAULT_PROXIES,
                now=NOW,
            ),
            encoding="utf-8",
        )
        script = Path(__file__).with_suffix(".mjs")
        command = ("node", str(script), str(browser), str(page))
        done = subprocess.run(command, cwd=sys.argv[1], check=False)
        return done.returncode


def _with_age(days: int, handle: str) -> CheckedHandle:
    verdict = Verdict(
        handle=handle,
        outcome=OutcomeName.RESOLVED,
        target="https://example.org/?a&b",
        answered=int(NOW.timestamp()) - days * 86400,
    )
    places = (
        dataclasses.replace(place(line), url="../a%20b.rst") for line in range(30)
    )
    return checked(verdict, tuple(places))


if __name__ == "__main__":
    sys.exit(main())
