"""Render random documents in Sphinx, docutils and markdown-it.

    python -m trials.random_documents --documents 40000 --sphinx 10000

Nothing may raise, and every element of a page comes from its source, from the page
without the extension, or from the extension's list. Sphinx builds projects of five
hundred pages, half of them MyST; plain docutils and the Markdown plugin, which take a
tenth of the time, get more.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.test_sphinx.project import Project
from trials.fuzz.documents import (
    foreign_markup,
    fuzz_markdown,
    fuzz_rst,
    markdown_document,
    rst_document,
)

PAGES = 500
# Elements of citations, and of malformed roles, on Sphinx's pages.
SPHINX = {
    ("a", "class", "download", "href"),
    ("code", "class"),
    ("script", "defer", "src"),
    ("span", "class", "id"),
    ("link", "href", "rel"),
    ("link", "href", "rel", "type"),
    ("meta", "content", "name"),
    ("script", "type"),
}


def main() -> int:
    """Render them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=40_000)
    parser.add_argument("--sphinx", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=20261122)
    options = parser.parse_args()
    wrong = 0
    for first in range(0, options.sphinx, PAGES):
        begin = time.monotonic()
        pages, found = render_project(random.Random(options.seed + first))
        wrong += len(found)
        print(
            "\n".join(found),
            f"{first + PAGES:,} documents in Sphinx, {pages['links']:,} links, "
            f"{pages['cards']:,} cards, {time.monotonic() - begin:.0f} s",
            flush=True,
        )
    for name, render in (("Markdown", fuzz_markdown), ("docutils", fuzz_rst)):
        results = Counter(
            render(random.Random(f"{options.seed} {number}"))
            for number in range(options.documents)
        )
        print(f"{results.total():,} documents in {name}: {dict(results)}", flush=True)
    return 1 if wrong else 0


def render_project(rng: random.Random) -> tuple[Counter[str], list[str]]:
    """Build one project with and without the extension; return the foreign markup."""
    files = {"index.rst": "Index\n=====\n"}
    for number in range(PAGES // 2):
        files[f"page-{number}-rst.rst"] = _encodable(rst_document(rng))
        files[f"page-{number}-md.md"] = _encodable(markdown_document(rng))
    counts: Counter[str] = Counter()
    foreign = []
    with tempfile.TemporaryDirectory() as folder:
        built, bare = (
            Project(
                Path(folder, str(ours)), files, extensions=("myst_parser",), ours=ours
            ).build()
            for ours in (True, False)
        )
        for name, source in files.items():
            target = f"{name.rpartition('.')[0]}.html"
            page = built.page(target)
            counts["links"] += page.count('class="hdl')
            counts["cards"] += page.count('<section class="hdl-cite')
            found = foreign_markup(page, bare.page(target), source) - SPHINX
            if found:
                foreign.append(f"{found}: {source!a}")
    return counts, foreign


def _encodable(text: str) -> str:
    return text.encode(errors="replace").decode()


if __name__ == "__main__":
    sys.exit(main())
