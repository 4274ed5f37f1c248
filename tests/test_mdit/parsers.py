"""The parser of each fixture file, by the file's name."""

from collections.abc import Callable

import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.attrs import attrs_plugin
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from mdit_handle import handle_plugin

__all__ = ["FIXTURES", "parser_for"]


def _commonmark() -> MarkdownIt:
    return MarkdownIt("commonmark").use(handle_plugin)


def _typographer() -> MarkdownIt:
    options = {"typographer": True, "linkify": True}
    return MarkdownIt("js-default", options).use(handle_plugin)


def _plugins() -> MarkdownIt:
    return (
        MarkdownIt("gfm-like")
        .use(front_matter_plugin)
        .use(footnote_plugin)
        .use(deflist_plugin)
        .use(dollarmath_plugin)
        .use(attrs_plugin, spans=True)
        .use(container_plugin, "note")
        .use(myst_role_plugin)
        .use(myst_block_plugin)
        .use(tasklists_plugin)
        .use(handle_plugin)
        .use(colon_fence_plugin)
    )


def _attributes() -> MarkdownIt:
    md = MarkdownIt("commonmark").use(attrs_plugin)
    if 'class="a b"' not in md.render("[x](y){.a}{.b}"):
        pytest.skip("before mdit-py-plugins 0.5 an attribute replaced a link's class")
    return md.use(myst_role_plugin).use(handle_plugin)


def _gfm_autolink() -> MarkdownIt:
    # Requires mdit-py-plugins 0.5 and markdown-it-py 4.1.
    module = pytest.importorskip("mdit_py_plugins.gfm_autolink")
    try:
        md = MarkdownIt("commonmark").use(module.gfm_autolink_plugin)
    except RuntimeError as error:
        pytest.skip(str(error))
    return md.use(handle_plugin)


def _cite() -> MarkdownIt:
    return _typographer().use(colon_fence_plugin)


#: The function that makes each file's parser.
FIXTURES: dict[str, Callable[[], MarkdownIt]] = {
    "attributes": _attributes,
    "autolinks": _commonmark,
    "cite": _cite,
    "emphasis": _commonmark,
    "escapes": _commonmark,
    "gfm": lambda: MarkdownIt("gfm-like").use(handle_plugin),
    "gfm-autolink": _gfm_autolink,
    "links": _commonmark,
    "plugins": _plugins,
    "roles": _commonmark,
    "text": _commonmark,
    "typographer": _typographer,
    "zero": lambda: MarkdownIt("zero").use(handle_plugin),
}


def parser_for(fixture: str) -> MarkdownIt:
    """A new parser for a fixture file, named without folder and suffix."""
    return FIXTURES[fixture]()
