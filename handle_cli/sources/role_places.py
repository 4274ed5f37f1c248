"""Where a role is read, so that one may be written there.

A reference may stand where markup is none: in a directive's options, in the
argument of most directives, in the entries of a list of pages, and, in
reStructuredText, in emphasis.
"""

import re
from collections.abc import Iterator

from handle_cli.sources import Syntax
from handle_cli.sources.markdown_blocks import DIRECTIVE, FENCE, closes
from handle_cli.sources.rst import EMPHASIS

__all__ = ["RolePlaces"]

_RST_DIRECTIVE = re.compile(
    r"[ ]*\.\.[ ]+(?:\|[^|\n]*\|[ ]+)?(?P<name>[^\W_][\w.+:-]*?)[ ]?::(?:\s|\Z)"
)
_OPTION = re.compile(r"[ ]*:[^:\n]+:(?:\s|\Z)")
# Directives whose argument is prose, or the beginning of it.
_PROSE = frozenset(
    """
    admonition attention caution centered danger deprecated error hint important note
    replace rubric seealso sidebar tip todo topic versionadded versionchanged warning
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)
# Directives that are read, and hold no markup.
_ENTRIES = frozenset({"index", "meta", "toctree"})
_LONGEST_PARAGRAPH = 10_000


class RolePlaces:
    """The places of a text at which a role is one."""

    def __init__(self, syntax: Syntax, text: str) -> None:
        self._text = text
        # Emphasis of Markdown holds markup of its own.
        self._nests = syntax in {Syntax.MARKDOWN, Syntax.NOTEBOOK}
        match syntax:
            case Syntax.MARKDOWN:
                lines = _bare_markdown_lines(text)
            case Syntax.RST | Syntax.PYTHON:
                lines = _bare_rst_lines(text)
            case _:
                lines = iter(())
        self._bare = frozenset(lines)

    def hold(self, start: int, end: int) -> bool:
        """Whether a role in the span's place would be read as one."""
        text = self._text
        if text.rfind("\n", 0, start) + 1 in self._bare:
            return False
        if self._nests:
            # An angle bracket before and behind make a link of what is between.
            return not (text[start - 1 : start] == "<" and text[end : end + 1] == ">")
        first = max(text.rfind("\n\n", 0, start), start - _LONGEST_PARAGRAPH, 0)
        last = text.find("\n\n", end, end + _LONGEST_PARAGRAPH)
        paragraph = text[first : last if last >= 0 else end + _LONGEST_PARAGRAPH]
        return not any(
            found.start() < start - first < found.end()
            for found in EMPHASIS.finditer(paragraph)
        )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    position = 0
    for line in text.split("\n"):
        yield position, line
        position += len(line) + 1


def _bare_rst_lines(text: str) -> Iterator[int]:
    """Where each line begins that is read and holds no inline markup."""
    opened: list[tuple[int, str]] = []
    # How deep the option stands that may go on; the first one may follow.
    option: int | None = None
    for start, line in _lines(text):
        if not line.strip():
            option = None
            continue
        indent = len(line) - len(line.lstrip())
        while opened and indent <= opened[-1][0]:
            opened.pop()
            option = None
        directive = _RST_DIRECTIVE.match(line)
        if directive is not None:
            opened.append((indent, directive["name"]))
            option = indent
            if directive["name"] not in _PROSE:
                yield start
        elif opened and opened[-1][1] in _ENTRIES:
            yield start
        elif option is not None and _OPTION.match(line):
            option = indent
            yield start
        elif option is not None and indent > option > opened[-1][0]:
            yield start
        else:
            option = None


def _bare_markdown_lines(text: str) -> Iterator[int]:
    """Where each line begins that is read and holds no inline markup."""
    opened: list[tuple[str, int, str]] = []
    is_head = is_block = False
    for start, line in _lines(text):
        content = line.strip(" \t>\r")
        fence = FENCE.match(line)
        if is_block:
            is_block = content != "---"
            yield start
        elif fence is not None:
            is_head = False
            if opened and closes(fence, *opened[-1][:2]):
                opened.pop()
                continue
            directive = DIRECTIVE.match(fence["info"])
            name = directive["name"] if directive else ""
            opened.append((fence["fence"][0], len(fence["fence"]), name))
            is_head = directive is not None
            if name not in _PROSE:
                yield start
        elif is_head and content == "---":
            is_head, is_block = False, True
        elif (is_head and content.startswith(":")) or (
            opened and opened[-1][2] in _ENTRIES
        ):
            yield start
        else:
            is_head = False
