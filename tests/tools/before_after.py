"""Take the pictures of the README and of the manual's first page.

    python tests/tools/before_after.py example_docs/_static

builds one small page with Sphinx, without and with the extension, joins the results in
one page, and takes pictures of it in headless Chromium: before-after.png, and
before-after-dark.png for dark pages.  card.png is a citation card of the Markdown plugin.
Nothing is drawn by hand: each link's real address is below it.

The files in the tree are compressed: ``pngquant --strip --ext .png --force``.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from markdown_it import MarkdownIt

from mdit_handle import handle_plugin
from mdit_handle.cite import STATIC, STYLESHEET
from tests.tools.browser_links import find_browser, picture

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


def rendered(extensions: str, folder: Path) -> str:
    """The body of the page, built with these extensions."""
    folder.mkdir()
    (folder / "conf.py").write_text(f"extensions = [{extensions}]\n", encoding="utf-8")
    (folder / "index.rst").write_text(_PAGE, encoding="utf-8")
    made = folder / "made"
    command = (sys.executable, "-m", "sphinx", "-q", "-b", "json", folder, made)
    subprocess.run(command, check=True)
    # The JSON builder writes the body without a theme.
    page = json.loads((made / "index.fjson").read_text(encoding="utf-8"))
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
body { margin: 0; padding: 16px; background: #fff; color: #1b1f24;
       font: 16px/1.5 "DejaVu Sans", Arial, sans-serif; }
.hdl-cite { margin: 0; }
"""


def card_page() -> str:
    """A page with only a citation card."""
    card = MarkdownIt("commonmark").use(handle_plugin).render(_CARD)
    style = (STATIC / STYLESHEET).read_text("utf-8") + _CARD_STYLE
    return f'<!DOCTYPE html><meta charset="utf-8"><style>{style}</style>{card}'


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
        page = folder / "frame.html"
        frame = _FRAME.format(
            before=rendered("", folder / "before"),
            after=rendered("'sphinxcontrib_handle'", folder / "after"),
        )
        page.write_text(frame, encoding="utf-8")
        for file, dark in (
            ("before-after.png", False),
            ("before-after-dark.png", True),
        ):
            picture(browser, page, static / file, size=(640, 468), scale=1.5, dark=dark)
        page.write_text(card_page(), encoding="utf-8")
        picture(browser, page, static / "card.png", size=(760, 424), scale=1.5)


if __name__ == "__main__":
    main()
