"""Check the built manual in a browser: its links and its appearance.

    python tests/tools/browser_links.py build/example/html [--pictures FOLDER]

reads the DOM of every page in headless Chromium and prints each link that differs
from the text of its page; ``--pictures`` also takes a picture of every page, light
and dark.  The exit status is 1 if a link is wrong.

Valid HTML may be another page in a browser (a stray quote in an address, a script
that rewrites links), and a dead ``hdl:`` link is valid HTML.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from handle_system import DEFAULT_PROXIES, HandleReference, HandleSyntaxError
from tests.reading_list import IN_MARKDOWN, IN_RST, Link, Listed, listed, web_links

__all__ = ["dom", "find_browser", "picture", "wrong_links"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Resolve no names: the pages are files.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--hide-scrollbars",
    "--disable-lcd-text",
)
_DARK = "--blink-settings=preferredColorScheme=0"
_LISTS = {"reading-list": IN_RST, "reading-list-markdown": IN_MARKDOWN}


def find_browser() -> str | None:
    """The path of a Chromium, if one is installed."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


def dom(browser: str, page: Path) -> str:
    """The page's DOM after its scripts ran, as HTML."""
    return _run(browser, "--dump-dom", page.resolve().as_uri())


def picture(
    browser: str,
    page: Path,
    png: Path,
    *,
    dark: bool = False,
    size: tuple[int, int] = (1280, 1600),
    scale: float = 1,
) -> None:
    """Take a picture of the top of a page, in PNG.

    Args:
        browser: The browser's path.
        page: The HTML file.
        png: The picture's path.
        dark: Whether the reader prefers dark pages.
        size: Width and height of the window, in CSS pixels.
        scale: Pixels of the picture for each CSS pixel.
    """
    width, height = size
    _run(
        browser,
        f"--screenshot={png}",
        f"--window-size={width},{height}",
        f"--force-device-scale-factor={scale}",
        *([_DARK] if dark else []),
        page.resolve().as_uri(),
    )


def _run(browser: str, *arguments: str) -> str:
    with tempfile.TemporaryDirectory() as profile:
        command = (browser, *_QUIET, f"--user-data-dir={profile}", *arguments)
        done = subprocess.run(
            command,
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            timeout=60,
        )
    return done.stdout


def wrong_links(name: str, html: str) -> Iterator[str]:
    """The errors in the links of a page of the manual, one line each.

    Args:
        name: The document's name: ``reading-list``.
        html: The page's DOM.
    """
    links = web_links(html, within="article")
    for link in links:
        # A role shows the handle unencoded; on the reading lists, which have such
        # handles, each line gives the expected link.
        expected = None if name in _LISTS else _expected(link)
        if not link.address.startswith(("https://", "http://")):
            yield f"{name}: {link.text!r} is dead: {link.address}"
        elif expected is not None and link.address != expected:
            yield f"{name}: {link.text!r} leads to {link.address}, not {expected}"
    if name in _LISTS:
        yield from _wrong_in_list(name, links, listed(_LISTS[name]))


def _wrong_in_list(
    name: str, links: Sequence[Link], items: Sequence[Listed]
) -> Iterator[str]:
    for number, (link, item) in enumerate(zip(links, items, strict=False), start=1):
        if link != item.link:
            yield f"{name}: link {number} is {link}, not {item.link}"
    if len(links) != len(items):
        yield f"{name}: {len(links)} links for {len(items)} references"


def _expected(link: Link) -> str | None:
    """The address that the text itself names, if it is a reference."""
    try:
        reference = HandleReference.from_link(link.text)
    except HandleSyntaxError:
        return None
    return None if reference is None else DEFAULT_PROXIES.link(reference)


def main() -> int:
    """Check the pages of a folder."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("html", type=Path, help="the folder of the built manual")
    parser.add_argument("--pictures", type=Path, help="where pictures go")
    arguments = parser.parse_args()
    browser = find_browser()
    if browser is None:
        sys.exit(f"none of {', '.join(_NAMES)} is installed")
    problems: list[str] = []
    count = 0
    pages = sorted(arguments.html.glob("*.html"))
    if not pages:
        sys.exit(f"{arguments.html} holds no page")
    for page in pages:
        html = dom(browser, page)
        count += len(web_links(html, within="article"))
        problems += wrong_links(page.stem, html)
        if arguments.pictures:
            arguments.pictures.mkdir(parents=True, exist_ok=True)
            for theme in ("light", "dark"):
                png = arguments.pictures / f"{page.stem}-{theme}.png"
                picture(browser, page, png, dark=theme == "dark")
    report = [*problems, f"{count} links read, {len(problems)} wrong"]
    sys.stdout.write("\n".join(report) + "\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
