"""What a browser makes of the block "cite this version".

    python -m tests.tools.browser_citation [--modules FOLDER] [--pictures FOLDER] [THEME …]

builds a page with a block in several themes, and one with the Markdown plugin, and has
headless Chromium use them: axe looks for barriers, in the light and in the dark, on
wide and on narrow screens, folded and unfolded; a keyboard goes through; formats are
unfolded with scripts and without; every button is pressed and the clipboard read; a
printer's view is looked at.  The exit status is 1 if something is wrong.  With
``--pictures`` every view is also kept as a picture, for whoever wants to look.

Needs Chromium, Node and npm; ``playwright-core`` and ``axe-core`` are installed with
npm into FOLDER, by default a temporary one.  A theme that is not installed is left out,
which is said.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path

import sphinx
from markdown_it import MarkdownIt

import sphinxcontrib_handle
from mdit_handle import handle_plugin
from tests.tools.browser_links import find_browser

__all__ = ["main"]

THEMES = (
    *("alabaster", "furo", "sphinx_rtd_theme", "pydata_sphinx_theme"),
    *("basic", "classic", "nature"),
)
SCRIPT = Path(__file__).with_name("browser_citation.mjs")
STATIC = Path(sphinxcontrib_handle.__file__).parent / "static"
MODULES = ("playwright-core@1", "axe-core@4")
OPTIONS = """\
:title: Handle Suffix Format Policy
:work: 102.100.272/Y35XYS0QH
:version: 0.9
:creators: Carberry, Josiah <0000-0002-1825-0097>; PILIN Project
:history:
:uris:
:reference:
:formats: all

0.9 | 2007-05-25 | 20.1000/draft-of-2007   | Draft for comment
1.0 | 2007-06-26 | 102.100.272/0N8J991QH | Initial release to public
"""
PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><title>Policy</title>
<style>
body {{ background: #fff; color: #111; }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #111; color: #eee; }}
  a {{ color: #9cf; }}
}}
</style>
<link rel="stylesheet" href="handle.css">
<script defer src="handle.js"></script>
</head><body><main><h1>Policy</h1>
{}
</main></body></html>
"""


def installed(themes: Sequence[str]) -> tuple[str, ...]:
    """Those of the themes that are installed; of the others it is said."""
    known = {path.name for path in Path(sphinx.__file__).parent.glob("themes/*")}
    known |= {each.name for each in entry_points(group="sphinx.html_themes")}
    for theme in themes:
        if theme not in known:
            print(f"{theme} is not installed, and left out")
    return tuple(theme for theme in themes if theme in known)


def pages(folder: Path, themes: tuple[str, ...]) -> list[str]:
    """Build the pages into a folder, and give their paths in it."""
    source = folder / "source"
    source.mkdir()
    indented = "".join(f"   {line}\n" for line in OPTIONS.splitlines())
    text = f"Policy\n======\n\n.. cite-version::\n{indented}"
    (source / "index.rst").write_text(text, "utf-8")
    site = folder / "site"
    for theme in themes:
        (source / "conf.py").write_text(
            f'extensions = ["sphinxcontrib_handle"]\nhtml_theme = "{theme}"\n', "utf-8"
        )
        command = (sys.executable, "-m", "sphinx", "-q", "-E")
        places = ("-d", str(folder / "trees"), str(source), str(site / theme))
        subprocess.run((*command, *places), check=True)
    for name in ("handle.css", "handle.js"):
        shutil.copy(STATIC / name, site)
    markdown = MarkdownIt().use(handle_plugin)
    block = markdown.render(f"```{{cite-version}}\n{OPTIONS}```\n")
    (site / "markdown.html").write_text(PAGE.format(block), "utf-8")
    return [*(f"{theme}/index.html" for theme in themes), "markdown.html"]


def main() -> int:
    """Build, install, look."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--modules", type=Path, help="a folder for npm's modules")
    parser.add_argument("--pictures", type=Path, help="a folder for pictures")
    parser.add_argument("themes", nargs="*", default=THEMES)
    arguments = parser.parse_args()
    browser, npm, node = find_browser(), shutil.which("npm"), shutil.which("node")
    if browser is None or npm is None or node is None:
        parser.error("Chromium, npm and Node are needed")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        modules = arguments.modules or folder / "modules"
        modules.mkdir(parents=True, exist_ok=True)
        if not (modules / "node_modules").exists():
            quiet = ("--silent", "--no-audit", "--no-fund", "--prefix", str(modules))
            subprocess.run((npm, "install", *quiet, *MODULES), check=True)
        found = pages(folder, installed(arguments.themes))
        pictures = str(arguments.pictures.resolve()) if arguments.pictures else ""
        site = str(folder / "site")
        command = (node, str(SCRIPT), browser, site, pictures, *found)
        return subprocess.run(command, cwd=modules, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
