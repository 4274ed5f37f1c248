"""The example suites of the Markdown specifications, with the plugin and without.

The suites' licence (CC BY-SA) keeps them out of this repository.  They are read where
`MARKDOWN_SUITES` says: a folder of ``spec.txt`` files, under any names, or of the
``commonmark.json`` that is made of one.  The source distribution of markdown-it-py holds
the latter in ``tests/test_cmark_spec``.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from mdit_handle import handle_plugin

SUITES = os.environ.get("MARKDOWN_SUITES")

_EXAMPLE = re.compile(
    r"^`{32} example[^\n]*\n(?P<source>.*?)^\.\n.*?^`{32}$", re.DOTALL | re.MULTILINE
)

PRESETS = ("commonmark", "gfm-like", "js-default", "zero")


def _sources(folder: Path) -> Iterator[str]:
    for path in sorted(folder.iterdir()):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            yield from (example["markdown"] for example in json.loads(text))
        elif path.suffix in {".txt", ".md"}:
            for example in _EXAMPLE.finditer(text):
                yield example["source"].replace("→", "\t")


_LINK = re.compile(
    '<a href="https://hdl.handle.net/20.1000/100" class="hdl">'
    r"(hdl:20.1000/100)</a>"
)

needs_suites = pytest.mark.skipif(
    SUITES is None, reason="MARKDOWN_SUITES names no folder of suites"
)


def _changed(preset: str, options: dict[str, bool], template: str) -> list[str]:
    """The examples that come out differently, but for links of our own handle."""
    bare = MarkdownIt(preset, options)
    plugin = MarkdownIt(preset, options).use(handle_plugin)
    sources = list(_sources(Path(SUITES or "")))
    assert len(sources) > 600
    pages = [template.format(source) for source in sources]
    return [
        page
        for page in pages
        if _LINK.sub(r"\1", plugin.render(page)) != bare.render(page)
    ]


@needs_suites
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("typographer", [False, True])
def test_examples_are_left_alone(preset: str, typographer: bool) -> None:  # noqa: FBT001 - a column of the table
    """No example of any suite comes out differently, for none holds a handle."""
    assert _changed(preset, {"typographer": typographer}, "{}") == []


@needs_suites
@pytest.mark.parametrize("preset", ["commonmark", "gfm-like"])
@pytest.mark.parametrize(
    "template", ["hdl:20.1000/100 {}", "{}\n\nhdl:20.1000/100\n", "{} hdl:20.1000/100"]
)
def test_examples_beside_a_handle_are_left_alone(preset: str, template: str) -> None:
    """Nothing but the handle comes out differently where one stands beside them."""
    assert _changed(preset, {}, template) == []
