"""The page that `handlecheck` writes, in a browser."""

import dataclasses
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from handle_system.verifying.checked import CheckedHandle
from handle_system.verifying.report_html import html_report
from tests.test_core.test_reports import (
    ALL,
    GOOD,
    IGNORED,
    MALFORMED,
    NOW,
    SEVERE,
    place,
)
from tests.tools.browser_links import dom, find_browser

MODULES = os.environ.get("NPM_MODULES", "")
SCRIPT = Path(__file__).parent.parent / "tools" / "browser_report.mjs"
BROWSER = find_browser()
# Letters that go from right to left, marks over marks, and more than fits.
ODD = (
    "20.1000/عربي-שלום",
    "20.1000/z" + "\u0301\u0302\u0308\u0323" * 40,
    "10.1000/" + "x" * 900,
)


def with_age(days: int, handle: str) -> CheckedHandle:
    verdict = dataclasses.replace(
        GOOD.verdict, handle=handle, answered=int(NOW.timestamp()) - days * 86400
    )
    places = tuple(
        dataclasses.replace(place(line), url="../a%20b.rst") for line in range(30)
    )
    return dataclasses.replace(GOOD, verdict=verdict, places=places)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A report of everything that can be in one."""
    path = tmp_path / "report.html"
    text = html_report(
        [*ALL, *SEVERE, *(with_age(9 - len(each) % 7, each) for each in ODD)],
        title="</title><script>alert(1)</script>",
        now=NOW,
        malformed=MALFORMED,
        ignored=IGNORED,
    )
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_a_browser_runs_its_script_and_no_other(page: Path) -> None:
    """The policy lets the page's own script run; hostile text stays text."""
    assert BROWSER is not None
    html = dom(BROWSER, page)

    assert len(re.findall("<script", html)) == 1
    assert '<form class="filter" role="search">' in html
    assert "<output>13 of 13</output>" in html


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_a_browser_shows_the_first_of_very_many(tmp_path: Path) -> None:
    """And says so, with a button for the others."""
    assert BROWSER is not None
    path = tmp_path / "report.html"
    many = [with_age(1, f"20.1000/{number:03}") for number in range(507)]
    path.write_text(html_report(many, title="", now=NOW), encoding="utf-8")
    html = dom(BROWSER, path)

    assert "<output>507 of 507, the first 500 of them shown</output>" in html
    assert '<button type="button">Show all of them</button>' in html
    assert re.findall(r'hidden=""><th[^>]*><bdi>([^<]+)', html) == [
        f"20.1000/{number}" for number in range(500, 507)
    ]


@pytest.mark.slow
@pytest.mark.skipif(
    not MODULES,
    reason="NPM_MODULES names no folder with playwright-core and axe-core",
)
@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
@pytest.mark.skipif(shutil.which("node") is None, reason="no Node is installed")
def test_a_browser_uses_the_page(page: Path) -> None:
    """No barrier in light or dark, wide or narrow; it filters, sorts and prints."""
    assert BROWSER is not None
    done = subprocess.run(
        ("node", str(SCRIPT), BROWSER, str(page)),
        cwd=Path(MODULES).resolve(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    *wrong, summary = done.stdout.splitlines() or [done.stderr]

    assert (done.returncode, wrong) == (0, [])
    assert summary.endswith(" checks, 0 wrong")
