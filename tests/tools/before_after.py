"""Take the pictures of the README and of the manual; hero.py takes the first one.

    python tests/tools/before_after.py example_docs/_static

builds one small page with Sphinx, without and with the extension, joins the results in
one page, and takes pictures of it in headless Chromium: before-after.png, and
before-after-dark.png for dark pages.  card.png is a citation card of the Markdown plugin.
references.png is a list of references, with the title of a link as a browser shows it.
Both have a twin for dark pages, too.  Nothing is drawn by hand: each link's real
address is below it, and the texts of the terminal are the command's own.

The files in the tree are compressed: ``pngquant --strip --ext .png --force``.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from markdown_it import MarkdownIt

from handle_system.describing.described_works import CITATIONS_STYLESHEET
from handle_system.describing.described_works import STATIC as REFERENCES_STATIC
from handle_system.describing.described_works import STYLESHEET as REFERENCES_STYLESHEET
from mdit_handle import handle_plugin
from mdit_handle.cite import STATIC, STYLESHEET
from tests.tools.browser_links import dom, find_browser, picture

_PAGE = """\
Further reading
===============

* https://doi.org/10.1175/1520-0493(1972)100<0081:OTAOSH>2.3.CO;2
* hdl:20.1000/113
* doi:10.1000/182
"""

_FRAME = """\
<!DOCTYPE html>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<style>
  body {{ margin: 0; padding: 20px; background: #fff; color: #1b1f24;
         font: 15px/1.45 "DejaVu Sans", Arial, sans-serif; }}
  main {{ display: grid; gap: 16px; }}
  section {{ border: 1px solid #d0d7de; border-radius: 8px; padding: 14px 18px; }}
  section > h2 {{ margin: 0 0 8px; font: 600 14px/1.4 "DejaVu Sans", Arial, sans-serif; }}
  section > h2 code {{ font-weight: 400; }}
  section h1, .headerlink {{ display: none; }}
  section section {{ border: 0; padding: 0; }}
  ul {{ margin: 0; padding: 0; list-style: none; }}
  li {{ margin: 12px 0 0; padding-left: 10px; border-left: 3px solid #d0d7de;
       overflow-wrap: anywhere; }}
  li p {{ margin: 0; position: relative; padding-bottom: 19px; }}
  a {{ color: #0757ba; }}
  a::after, li:not(:has(a)) p::after {{
    position: absolute; left: 0; bottom: 0; content: "\u2192 " attr(href);
    font: 12px/1.5 "DejaVu Sans Mono", monospace; }}
  li:not(:has(a)) p::after {{ content: "\u2192 no link"; }}
  .before li {{ border-color: #c4321c; }}
  .before p::after, .before a::after {{ color: #a3260f; }}
  .after li {{ border-color: #1a7f37; }}
  .after a::after {{ color: #146c2e; }}
  @media (prefers-color-scheme: dark) {{
    body {{ background: #131416; color: #d5d8dc; }}
    section, li {{ border-color: #3a3f47; }}
    a {{ color: #7ab2ff; }}
    .before p::after, .before a::after {{ color: #ff9b86 !important; }}
    .after a::after {{ color: #7ee29a; }}
  }}
</style>
<main>
<section class="before"><h2>Sphinx alone</h2>{before}</section>
<section class="after"><h2>with <code>extensions = ["sphinxcontrib_handle"]</code></h2>
{after}</section>
</main>
"""


def rendered(
    extensions: str,
    folder: Path,
    source: str = _PAGE,
    settings: str = "",
    *,
    name: str = "index.rst",
    files: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The body of the page, built with these extensions beside some other files."""
    folder.mkdir()
    for other, text in files.items():
        (folder / other).write_text(text, encoding="utf-8")
    configuration = f"extensions = [{extensions}]\n{settings}"
    (folder / "conf.py").write_text(configuration, encoding="utf-8")
    (folder / name).write_text(source, encoding="utf-8")
    # Beside the folder: what was made is no document.
    made = folder.with_name(f"{folder.name}-made")
    command = (sys.executable, "-m", "sphinx", "-q", "-b", "json", folder, made)
    subprocess.run(command, check=True)
    # The JSON builder writes the body without a theme.
    page = json.loads(
        (made / Path(name).with_suffix(".fjson")).read_text(encoding="utf-8")
    )
    return str(page["body"])


_CARD = """\
```{cite-version}
:title: Handle Suffix Format Policy
:work: 102.100.272/Y35XYS0QH
:version: 1.0
:creators: PILIN Project
:kind: report
:history:
:formats: bibtex ris csl-json

0.9 | 2007-05-30 | not yet assigned      | Draft
1.0 | 2007-06-26 | 102.100.272/0N8J991QH | Initial release to public
```
"""


_CARD_STYLE = """
html { color-scheme: light dark; }
body { margin: 0; padding: 16px; background: light-dark(#fff, #131416);
       color: light-dark(#1b1f24, #d5d8dc); font: 16px/1.5 "DejaVu Sans", Arial, sans-serif; }
a { color: light-dark(#0757ba, #7ab2ff); }
.hdl-cite { margin: 0; }
"""


def card_page() -> str:
    """A page with only a citation card."""
    card = MarkdownIt("commonmark").use(handle_plugin).render(_CARD)
    style = (STATIC / STYLESHEET).read_text("utf-8") + _CARD_STYLE
    return f'<!DOCTYPE html><meta charset="utf-8"><style>{style}</style>{card}'


# Names, titles and dates of two real works, written by hand.
ITEMS = [
    {
        "id": "doi:10.1007/s00799-005-0128-x",
        "DOI": "10.1007/s00799-005-0128-x",
        "type": "article-journal",
        "title": "A framework for distributed digital object services",
        "author": [
            {"family": "Kahn", "given": "Robert"},
            {"family": "Wilensky", "given": "Robert"},
        ],
        "issued": {"date-parts": [[2006]]},
        "container-title": "International Journal on Digital Libraries",
        "volume": "6",
        "issue": "2",
        "page": "115-123",
    },
    {
        "id": "doi:10.1016/s0140-6736(97)11096-0",
        "DOI": "10.1016/s0140-6736(97)11096-0",
        "type": "article-journal",
        "title": "Ileal-lymphoid-nodular hyperplasia, non-specific colitis, and "
        "pervasive developmental disorder in children",
        "author": [
            {"family": family, "given": given}
            for family, given in (
                ("Wakefield", "A. J."),
                ("Murch", "S. H."),
                ("Anthony", "A."),
                ("Linnell", "J."),
                ("Casson", "D. M."),
                ("Malik", "M."),
                ("Berelowitz", "M."),
                ("Dhillon", "A. P."),
                ("Thomson", "M. A."),
                ("Harvey", "P."),
                ("Valentine", "A."),
                ("Davies", "S. E."),
                ("Walker-Smith", "J. A."),
            )
        ],
        "issued": {"date-parts": [[1998]]},
        "container-title": "The Lancet",
        "volume": "351",
        "issue": "9103",
        "page": "637-641",
        "custom": {
            "updates": [
                {
                    "state": "retracted",
                    "by": "10.1016/s0140-6736(10)60175-4",
                    "date": "2010-02-06",
                }
            ]
        },
    },
]

_REFERENCES = Path(__file__).parents[2] / "example_docs" / "references.json"
_LIST = """\
References
==========

.. rst-class:: text

See :doi:`10.5555/urns.preprint` on ductility and :doi:`10.5555/urns.2020.1` on memory.
Services are in :doi:`10.1007/s00799-005-0128-x`. The claim in
:doi:`10.1016/s0140-6736(97)11096-0` was withdrawn.

.. handle-references::
"""
_LIST_STYLE = """
html { color-scheme: light dark; }
body { margin: 0; padding: 16px 20px; background: light-dark(#fff, #131416);
       color: light-dark(#1b1f24, #d5d8dc); font: 16px/1.5 "DejaVu Sans", Arial, sans-serif; }
h1, .headerlink { display: none; }
a { color: light-dark(#0757ba, #7ab2ff); }
.text { margin: 0 0 6.2em; line-height: 1.6; }
.text a.hdl-retracted { position: relative; }
.text a.hdl-retracted::after {
  background: light-dark(#fff, #2b2d31); border: 1px solid #767676;
  box-shadow: 2px 2px 4px #0003; color: light-dark(#1b1f24, #e6e8eb); content: attr(title); font-size: 12.5px; line-height: 1.35; right: -6em;
  padding: 3px 6px; position: absolute; top: 1.7em; width: 500px; }
"""


def references_page(folder: Path) -> str:
    """A page with a list of references, from the manual's own file."""
    settings = (
        f"handle_references = {str(_REFERENCES)!r}\n"
        "handle_display = 'citation'\n"
        "suppress_warnings = ['handle']\n"
    )
    body = rendered("'sphinxcontrib_handle'", folder, _LIST, settings)
    style = "".join(
        (REFERENCES_STATIC / name).read_text("utf-8")
        for name in (REFERENCES_STYLESHEET, CITATIONS_STYLESHEET)
    )
    return (
        '<!DOCTYPE html><meta charset="utf-8">'
        f"<style>{style}{_LIST_STYLE}</style>{body}"
    )


# The browser that reads the DOM has a window of its own size.
_MEASURED = """
<script>
  document.documentElement.style.width = "{width}px";
  document.documentElement.dataset.height = document.documentElement.offsetHeight;
</script>
"""


def whole_picture(
    browser: str, page: Path, png: Path, *, width: int, scale: float, dark: bool
) -> None:
    """Take a picture of a page in its whole height."""
    measured = page.with_name("measured.html")
    text = page.read_text("utf-8") + _MEASURED.format(width=width)
    measured.write_text(text, encoding="utf-8")
    height = re.search(r'data-height="([0-9]+)"', dom(browser, measured))
    if height is None:
        message = "the browser runs no script"
        raise ValueError(message)
    picture(browser, page, png, size=(width, int(height[1])), scale=scale, dark=dark)


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("static", type=Path)
    static = parser.parse_args().static.resolve()
    browser = find_browser()
    if browser is None:
        sys.exit("no Chromium is installed")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame = _FRAME.format(
            before=rendered("", folder / "before"),
            after=rendered("'sphinxcontrib_handle'", folder / "after"),
        )
        pages = {
            "before-after": (frame, 640),
            "card": (card_page(), 760),
            "references": (references_page(folder / "references"), 760),
        }
        for title, (html, width) in pages.items():
            page = folder / f"{title}.html"
            page.write_text(html, encoding="utf-8")
            for ending, dark in (("", False), ("-dark", True)):
                png = static / f"{title}{ending}.png"
                whole_picture(browser, page, png, width=width, scale=1.5, dark=dark)


if __name__ == "__main__":
    main()
