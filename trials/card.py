"""Test the card, citations and lists in Chromium: accessibility, widths, print.

    python -m trials.card FOLDER [PICTURES]

FOLDER has the npm packages playwright-core and axe-core.  All are opened in each
installed theme, with names and with numbers, the card also on a page of the Markdown
plugin, light and dark, 1280 and 390 pixels wide, and printed; PICTURES keeps each view and
each PDF.  The formats and the buttons of the card are used, and the links between text and
list are followed.
"""

import json
import subprocess
import sys
import tempfile
from importlib.metadata import entry_points
from pathlib import Path

from markdown_it import MarkdownIt

from handle_system.describing.described_works import STATIC as LISTS
from handle_system.describing.described_works import STYLESHEET as OF_LISTS
from mdit_handle import handle_plugin
from mdit_handle.cite import SCRIPT, STATIC, STYLESHEET
from tests.tools.before_after import ITEMS
from tests.tools.browser_links import find_browser

THEMES = ("furo", "pydata_sphinx_theme", "sphinx_book_theme", "sphinx_rtd_theme")
DIRECTIVE = """\
:source: works.toml
:version: 0.9
:history:
:about:
:formats: all
"""
# The article is retracted, by the file of references.
WORKS_FILE = """\
[[work]]
title = "Handle Suffix Format Policy"
creators = "Carberry, Josiah; PILIN Project"
publisher = "Monash University"
handle = "102.100.272/Y35XYS0QH"
license = "CC-BY-SA-2.5"
copyright = "© Monash University"
contact = "policy@example.org"

[[work.version]]
label = "0.9"
date = 2007-05-25
handle = "20.1000/draft-of-2007"
changes = "Draft for comment"

[[work.version]]
label = "1.0"
date = 2007-06-26
handle = "102.100.272/0N8J991QH"
changes = "Initial release to public"

[work.article]
title = "Suffixes, described"
creators = "Carberry, Josiah"
journal = "Journal of Examples"
year = "2008"
handle = "10.5555/examples.6111"
"""
ARTICLE = {
    "id": "doi:10.5555/examples.6111",
    "type": "article-journal",
    "title": "Suffixes, described",
    "custom": {
        "updates": [
            {"state": "retracted", "by": "10.5555/examples.99", "date": "2009-03-01"}
        ]
    },
}
# The file does not have the last one, whose only segment fills a line.
WORKS = f"""\
.. container:: cited

   :doi:`10.1007/s00799-005-0128-x` and :doi:`10.1016/s0140-6736(97)11096-0` disagree
   (:doi:`[see 10.1007/s00799-005-0128-x, p. 115; 10.1016/s0140-6736(97)11096-0]`), and
   nobody cites doi:10.5555/{"long" * 20} but :doi:`10.1007/s00799-005-0128-x`.

.. handle-references::
   :download:
"""
PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Policy</title>
<meta name="viewport" content="width=device-width">
<style>:root {{ color-scheme: light dark; background: Canvas; }}</style>
<link rel="stylesheet" href="{static}/{style}">
<link rel="stylesheet" href="{lists}"><script defer src="{static}/{script}"></script>
</head><body><main><h1>Policy</h1>
{card}</main></body></html>
"""


def write_pages(folder: Path) -> list[Path]:
    """Build the pages."""
    source = folder / "source"
    source.mkdir()
    indented = "".join(f"   {line}\n" for line in DIRECTIVE.splitlines())
    text = f"Policy\n======\n\n.. cite-version::\n{indented}\n{WORKS}"
    (source / "index.rst").write_text(text, encoding="utf-8")
    items = json.dumps([*ITEMS, ARTICLE])
    (source / "references.json").write_text(items, encoding="utf-8")
    (source / "works.toml").write_text(WORKS_FILE, encoding="utf-8")
    (source / "conf.py").write_text(
        'extensions = ["sphinxcontrib_handle"]\n'
        'handle_references = "references.json"\n'
        'suppress_warnings = ["handle.retracted"]\n'
    )
    known = {each.name for each in entry_points(group="sphinx.html_themes")}
    pages = []
    for theme in ("alabaster", *(each for each in THEMES if each in known)):
        for display in ("citation", "number"):
            out = folder / f"{theme} {display}"
            command = (sys.executable, "-m", "sphinx", "-q", "-E", "-a")
            options = ("-D", f"html_theme={theme}", "-D", f"handle_display={display}")
            places = ("-d", folder / "trees", source, out)
            subprocess.run((*command, *options, *places), check=True)
            pages.append(out / "index.html")
    references = source / "references.json"
    md = MarkdownIt().use(handle_plugin, sources=source, references=references)
    card = md.render(f"```{{cite-version}}\n{DIRECTIVE}```\n")
    page = folder / "markdown" / "index.html"
    page.parent.mkdir()
    static = STATIC.as_uri()
    page.write_text(
        PAGE.format(
            card=card,
            static=static,
            style=STYLESHEET,
            lists=(LISTS / OF_LISTS).as_uri(),
            script=SCRIPT,
        ),
        encoding="utf-8",
    )
    return [*pages, page]


def main() -> int:
    """Build and test the pages; return the exit code."""
    browser = find_browser()
    if browser is None or len(sys.argv) not in {2, 3}:
        print(__doc__ if browser else "Chromium is not installed")
        return 2
    with tempfile.TemporaryDirectory() as name:
        pictures = Path(sys.argv[2] if len(sys.argv) == 3 else name).resolve()
        pages = write_pages(Path(name))
        script = Path(__file__).with_suffix(".mjs")
        command = ["node", *map(str, (script, browser, pictures, *pages))]
        return subprocess.run(command, cwd=sys.argv[1], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
