"""Look at the built manual in Chromium: accessibility, width, pictures, the keyboard.

    make example
    python -m trials.manual FOLDER [PICTURES]

FOLDER has the npm packages playwright-core and axe-core; PICTURES is a folder for pictures
of the pages.  Some pages, and the report of its verification, are opened light and dark,
1280 and 390 pixels wide.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.tools.browser_links import find_browser

ROOT = Path(__file__).parent.parent
HTML = ROOT / "build" / "example" / "html"
PAGES = ("index", "tutorial", "references", "citation-card", "links", "in-your-editor")


def main() -> int:
    """Look at the pages; return the exit code."""
    browser = find_browser()
    if browser is None or len(sys.argv) not in {2, 3}:
        print(__doc__ if browser else "Chromium is not installed")
        return 2
    if not HTML.is_dir():
        print("run first: make example")
        return 2
    pictures = str(Path(sys.argv[2]).resolve()) if len(sys.argv) == 3 else "-"
    with tempfile.TemporaryDirectory() as folder:
        report = (
            *(sys.executable, "-m", "sphinx", "-q", "-b", "handlecheck"),
            *("-d", str(HTML.with_name("doctrees")), str(ROOT / "example_docs")),
        )
        # It ends with 1 if a work that a page cites was retracted.
        subprocess.run((*report, folder), check=False)
        pages = [str(HTML / f"{name}.html") for name in PAGES]
        script = Path(__file__).with_suffix(".mjs")
        command = ("node", str(script), browser, pictures, *pages)
        done = subprocess.run(
            (*command, str(Path(folder, "report.html"))), cwd=sys.argv[1], check=False
        )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
