"""Take the pictures of the manual's gallery of themes.

    python -m tests.tools.gallery example_docs/_static

builds one page, with a citation card and a list of references, in each theme that is
installed, and takes a picture of it in headless Chromium. The themes, apart from those of
Sphinx itself: ``pip install furo sphinx-rtd-theme pydata-sphinx-theme sphinx-book-theme``.

The files in the tree are compressed: ``pngquant --strip --ext .png --force``.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.tools.before_after import ITEMS
from tests.tools.browser_links import find_browser, picture

THEMES = (
    "alabaster",
    "furo",
    "sphinx_rtd_theme",
    "pydata_sphinx_theme",
    "sphinx_book_theme",
)

_PAGE = """\
Example
=======

.. cite-version::
   :title: Handle Suffix Format Policy
   :work: 102.100.272/Y35XYS0QH
   :version: 1.0
   :date: 2007-06-26
   :handle: 102.100.272/0N8J991QH
   :creators: PILIN Project
   :kind: report
   :formats: bibtex csl-json
   :history:
   :example:

   0.9 | 2007-05-30 | not yet assigned      | Draft
   1.0 | 2007-06-26 | 102.100.272/0N8J991QH | Initial release to public

Two works: doi:10.1007/s00799-005-0128-x and doi:10.1016/s0140-6736(97)11096-0.

.. handle-references::
"""


def main() -> None:
    """Take a picture in each theme."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("static", type=Path)
    static = parser.parse_args().static.resolve()
    browser = find_browser()
    if browser is None:
        sys.exit("no Chromium is installed")
    with tempfile.TemporaryDirectory() as name:
        for theme in THEMES:
            page = _built(theme, Path(name, theme))
            png = static / f"theme-{theme.removeprefix('sphinx_').split('_')[0]}.png"
            picture(browser, page, png, size=(1180, 860), scale=0.9)


def _built(theme: str, folder: Path) -> Path:
    """The page in a theme."""
    folder.mkdir()
    (folder / "index.rst").write_text(_PAGE, encoding="utf-8")
    (folder / "references.json").write_text(json.dumps(ITEMS), encoding="utf-8")
    settings = {
        "project": "Example",
        "extensions": ["sphinxcontrib_handle"],
        "handle_references": "references.json",
        "html_theme": theme,
        "suppress_warnings": ["handle.retracted"],
    }
    lines = [f"{option} = {value!r}\n" for option, value in settings.items()]
    (folder / "conf.py").write_text("".join(lines), encoding="utf-8")
    built = folder / "built"
    command = (sys.executable, "-m", "sphinx", "-q", "-b", "html", folder, built)
    subprocess.run(command, check=True)
    return built / "index.html"


if __name__ == "__main__":
    main()
