"""The parsers that the fixture files are written for, by the name of the file."""

from collections.abc import Callable

from markdown_it import MarkdownIt

from mdit_handle import handle_plugin

__all__ = ["FIXTURES", "parser_for"]


def _commonmark() -> MarkdownIt:
    return MarkdownIt("commonmark").use(handle_plugin)


#: How the parser of each file is made.
FIXTURES: dict[str, Callable[[], MarkdownIt]] = {
    "autolinks": _commonmark,
}


def parser_for(fixture: str) -> MarkdownIt:
    """A fresh parser for a fixture file, named without its folder and ending."""
    return FIXTURES[fixture]()
