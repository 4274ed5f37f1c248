"""The block "cite this version" in a browser: axe, keyboard, clipboard, printer."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.browser_links import find_browser

ROOT = Path(__file__).parent.parent.parent
MODULES = os.environ.get("NPM_MODULES", "")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(
    not MODULES,
    reason="NPM_MODULES names no folder with playwright-core and axe-core",
)
@pytest.mark.skipif(find_browser() is None, reason="no Chromium is installed")
@pytest.mark.skipif(shutil.which("node") is None, reason="no Node is installed")
@pytest.mark.parametrize(
    "theme", ["alabaster", "furo", "sphinx_rtd_theme", "pydata_sphinx_theme"]
)
def test_browser_uses_the_block(theme: str) -> None:
    """No barrier in light or dark, wide or narrow; it folds, copies and prints."""
    done = subprocess.run(
        (
            *(sys.executable, "-m", "tests.tools.browser_citation"),
            *("--modules", str(Path(MODULES).resolve()), theme),
        ),
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    *wrong, summary = done.stdout.splitlines() or [done.stderr]
    if f"{theme} is not installed, and left out" in wrong:
        pytest.skip(f"{theme} is not installed")
    assert (done.returncode, wrong) == (0, [])
    assert summary.startswith("2 pages, ")
    assert summary.endswith(" checks, 0 wrong")
