"""Markdown (CommonMark, GFM, MyST, MkDocs) and notebooks, read by `mdit_handle`.

The plugin records the references in what markdown-it parses.  This reader adds what
belongs to frameworks: it parses the content of directives, of MkDocs' admonitions and
tabs, and of footnotes as Markdown of its own, and leaves out front matter and comments.

Of a Jupyter notebook, the Markdown cells are read, at their places in the JSON text.
"""

import json
import re
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_cli.readers import (
    CODE_DIRECTIVES,
    ENTRY_DIRECTIVES,
    UnreadableError,
    at,
    normalized,
    parse_role,
    parse_target,
    within,
)
from handle_system import HandleReference, Proxies
from handle_system.found import Found, Markup, Place
from handle_system.lines import Lines
from handle_system.scanning import file_may_hold_reference
from mdit_handle import handle_plugin

_FRONT_MATTER = re.compile(r"\A\ufeff?---[ ]*\n(?:.*\n)*?(?:---|\.\.\.)[ ]*(?=\n|\Z)")
_COLON_FENCE = re.compile(r"^[ >]*:{3,}(?=[ ]*(?:[{\w-].*)?$)", re.MULTILINE)
_DIRECTIVE = re.compile(r"\{([^\s{}]+)\}[ ]*(.*)")
_OPTIONS = re.compile(r"---\n(?:.*\n)*?---\n|(?::[^:\s]+:.*\n)+")
_BODY_HEAD = re.compile(r'(?:!!!|\?\?\?\+?|===[!+]?)[ ]+["\w]|\[\^[^\]]+\]:')
_DEFINITION = re.compile(r"\]:\s*(?:<([^<>\n]*)>|(\S+))")
_KINDS = {
    "text": Markup.TEXT,
    "autolink": Markup.LINK,
    "link": Markup.LINK,
    "role": Markup.ROLE,
}
_CODE = CODE_DIRECTIVES | {"bibliography", "tableofcontents"}
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
# One character of a string's value (RFC 8259, section 7): a pair of surrogates is one.
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\u[0-9a-fA-F]{4}|\\.|[^\\]",
    re.DOTALL,
)
# Each level is parsed again.
_DEEPEST = 12
# Characters of inline text that are parsed together: tokens take a hundred times the room.
_PORTION = 500_000
# Lines of a paragraph that are parsed together.
_MOST_LINES = 5_000


def read_markdown(text: str, proxies: Proxies) -> Iterator[Found]:
    """The references in the prose, the links and the roles of a Markdown text."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(handle_plugin, proxies=proxies, cite=False)
    text = normalized(text)
    text = _FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), text, count=1)
    return _Reader(parser, proxies).read(text)


def _portions(blocks: Sequence[Token]) -> Iterator[list[Token]]:
    """The blocks, copied, in portions that can be parsed one after the other.

    A paragraph of many lines becomes several: no reference goes beyond a line.
    """
    portion: list[Token] = []
    size = 0
    for block in blocks:
        lines = block.content.split("\n") if block.type == "inline" else [""]
        for first in range(0, len(lines), _MOST_LINES):
            # A cell stays behind its opening.
            if size > _PORTION and (first or block.type != "inline"):
                yield portion
                portion, size = [], 0
            some = lines[first : first + _MOST_LINES]
            part = block.copy(content="\n".join(some), children=[])
            if len(some) < len(lines) and block.map:
                part.map = [block.map[0] + first, block.map[0] + first + len(some)]
            portion.append(part)
            size += len(part.content)
    yield portion


@dataclass
class _Reader:
    """Reads a text, and the texts within it, with one parser."""

    _parser: MarkdownIt
    _proxies: Proxies

    def read(self, text: str, depth: int = 0) -> Iterator[Found]:
        # A fence of colons is one of tildes by another name.
        fenced = _COLON_FENCE.sub(lambda found: found[0].replace(":", "~"), text)
        state = StateCore(fenced, self._parser, {})
        lines = Lines(text)
        rows = lines.rows
        for record in self._records(state):
            # Definitions are read below, whether they are used or not.
            if record["markup"] != "definition":
                yield from self._recorded(record, lines)
        yield from self._definitions(state.env, lines)
        for token in state.tokens if depth < _DEEPEST else ():
            if not token.map:
                continue
            if token.type == "fence":
                yield from self._in_fence(token, rows, token.map[0], depth)
            elif token.type == "code_block" and _is_body(rows, token.map[0]):
                yield from self._inside(token.content, rows, token.map[0], depth)

    def _records(self, state: StateCore) -> Iterator[dict[str, Any]]:
        """Parse a text, and give the plugin's records of its references.

        Inline text is parsed in portions; the blocks are the state's tokens in the end.
        """
        chain = self._parser.core.ruler
        rules, scan = chain.getRules(""), chain.get_active_rules().index("handle_scan")
        for rule in rules[:scan]:
            rule(state)
        blocks = state.tokens
        for state.tokens in _portions(blocks):
            for rule in rules[scan:]:
                rule(state)
            yield from state.env.pop("handles")
        state.tokens = blocks

    def _definitions(
        self, env: MutableMapping[str, Any], lines: Lines
    ) -> Iterator[Found]:
        """The targets of link definitions, whether they are used or not."""
        for definition in env.get("references", {}).values():
            first, last = (lines.offset(row + 1, 1) for row in definition["map"])
            found = _DEFINITION.search(lines.text, first, last)
            if found is not None:
                written = found[found.lastindex or 0]
                reference = parse_target(unescapeAll(written), self._proxies)
                offset = found.start(found.lastindex or 0)
                yield from at(lines, offset, Markup.LINK, reference, written)

    def _recorded(self, record: dict[str, Any], lines: Lines) -> Iterator[Found]:
        """The reference of a record of the plugin, unless it stands in a comment."""
        written, kind = record["written"], _KINDS[record["markup"]]
        line, column = record["line"] or 1, record["column"] or 0
        if record["span"] is not None:
            line, column = lines.place(record["span"][0])
        row = lines.rows[line - 1]
        reference = parse_target(written, self._proxies)
        if kind is Markup.ROLE:
            doi_only = row.lower().startswith("{doi}", max(column - 1, 0))
            reference, _ = parse_role(written, self._proxies, doi_only=doi_only)
        elif reference is None:
            reference = HandleReference.parse(written, proxies=self._proxies)
        if reference is not None and not row.lstrip(" >").startswith("%"):
            place = Place("", line, column)
            yield Found(reference, -1, -1, written, kind, place)

    def _in_fence(
        self, token: Token, rows: Sequence[str], first: int, depth: int
    ) -> Iterator[Found]:
        """The references in a directive, or in a fence of colons without a name."""
        content = token.content
        directive = _DIRECTIVE.match(token.info.strip())
        name = directive[1].lower() if directive else ""
        if name == "eval-rst":
            # Docutils is loaded only where a page needs it.
            from handle_cli.readers.rst import read_rst  # noqa: PLC0415 (see above)

            found = read_rst(content, self._proxies)
            yield from within(found, content.split("\n"), rows, first + 1)
        elif directive and name not in _CODE:
            yield from self._inside(directive[2], rows, first, depth, is_plain=True)
            options = _OPTIONS.match(content)
            head = options[0] if options else ""
            yield from self._inside(head, rows, first + 1, depth, is_plain=True)
            yield from self._inside(
                content[len(head) :],
                rows,
                first + 1 + head.count("\n"),
                depth,
                is_plain=name in ENTRY_DIRECTIVES,
            )
        elif not directive and rows[first].lstrip(" >").startswith(":"):
            yield from self._inside(content, rows, first + 1, depth)

    def _inside(
        self,
        text: str,
        rows: Sequence[str],
        first: int,
        depth: int,
        *,
        is_plain: bool = False,
    ) -> Iterator[Found]:
        """The references of a text in the document; in plain text, roles are none."""
        if not file_may_hold_reference(text, proxies=self._proxies):
            return
        for each in within(self.read(text, depth + 1), text.split("\n"), rows, first):
            is_text = is_plain and each.markup is Markup.TEXT
            yield replace(each, markup=Markup.PLAIN) if is_text else each


def _is_body(rows: Sequence[str], number: int) -> bool:
    """Whether an indented block is the body of an admonition, a tab or a footnote.

    The nearest line before it that stands less deep shows which.
    """
    depth = _indent(rows[number])
    while number and (not rows[number].strip() or _indent(rows[number]) >= depth):
        number -= 1
    return _BODY_HEAD.match(rows[number].lstrip(" >")) is not None


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip(" >"))


def read_notebook(text: str, proxies: Proxies) -> Iterator[Found]:
    """The references in the Markdown cells of a notebook.

    Raises:
        UnreadableError: when the file is not JSON.
    """
    try:
        notebook = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError("it is not JSON") from error
    lines = Lines(text)
    written = _STRING.finditer(text)
    for cell, strings in _sources(notebook):
        # The file holds the strings of the cells in the same order, among others.
        spans = [
            next(found.span() for found in written if json.loads(found[0]) == string)
            for string in strings
        ]
        source = Lines("".join(strings))
        if cell.get("cell_type") != "markdown" or not file_may_hold_reference(
            source.text, proxies=proxies
        ):
            continue
        offsets = [
            character.start()
            for start, end in spans
            for character in _CHARACTER.finditer(text, start + 1, end - 1)
        ]
        for each in read_markdown(source.text, proxies):
            place = each.place
            offset = offsets[source.offset(place.line, max(place.column, 1))]
            line, column = lines.place(offset)
            yield replace(each, place=Place("", line, column if place.column else 0))


def _sources(notebook: object) -> Iterator[tuple[dict[str, object], list[str]]]:
    """Each cell of a notebook, and the strings of its source."""
    match notebook:
        case {"cells": [*cells]}:
            for cell in cells:
                match cell:
                    case {"source": str() as source}:
                        yield cell, [source]
                    case {"source": [*strings]}:
                        yield cell, [each for each in strings if isinstance(each, str)]
