"""Markdown (CommonMark, GFM, MyST, MkDocs), read by the plugin `mdit_handle`.

The plugin records the references in what markdown-it parses.  This reader adds what
belongs to frameworks: it parses the content of directives, of MkDocs' admonitions and
tabs, and of footnotes as Markdown of its own, and leaves out front matter, comments
and math.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from handle_cli.readers.plain import read_plain
from handle_cli.readers.rst import (
    CODE_DIRECTIVES,
    ENTRY_DIRECTIVES,
    PROSE_DIRECTIVES,
    read_rst,
)
from handle_cli.readers.source import (
    Lines,
    SourceKind,
    SourceReference,
    may_hold,
    normalized,
    parse_role,
    parse_target,
    within,
)
from handle_system import HandleReference, HandleSyntaxError, Proxies
from mdit_handle import handle_plugin

__all__ = ["read_markdown"]

_FRONT_MATTER = re.compile(r"\A\ufeff?---[ ]*\n(?:.*\n)*?(?:---|\.\.\.)[ ]*(?=\n|\Z)")
_COLON_FENCE = re.compile(r"^[ >]*:{3,}(?=[ ]*(?:[{\w-].*)?$)", re.MULTILINE)
_MATH = re.compile(r"\$\$[^$]+\$\$|\$(?=[^\s$])[^$]*?(?<=\S)\$(?![0-9])")
_DIRECTIVE = re.compile(r"\{([^\s{}]+)\}[ ]*(.*)")
_OPTIONS = re.compile(r"---\n(?:.*\n)*?---\n|(?::[^:\s]+:.*\n)+")
_BODY_HEAD = re.compile(r'(?:!!!|\?\?\?\+?|===[!+]?)[ ]+["\w]|\[\^[^\]]+\]:')
_DEFINITION = re.compile(r"\]:\s*(?:<([^<>\n]*)>|(\S+))")
_KINDS = {
    "text": SourceKind.TEXT,
    "autolink": SourceKind.TARGET,
    "link": SourceKind.TARGET,
    "role": SourceKind.ROLE,
}
_CODE = CODE_DIRECTIVES | {"bibliography", "tableofcontents"}
# Each level is parsed again.
_DEEPEST = 12


def read_markdown(text: str, proxies: Proxies) -> Iterator[SourceReference]:
    """The references in the prose, the links and the roles of a Markdown text."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(handle_plugin, proxies=proxies, cite=False)
    parser.inline.ruler.before("escape", "math", _skip_math)
    text = normalized(text)
    text = _FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), text, count=1)
    return _Reader(parser, proxies).read(text)


def _skip_math(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (a rule's form)
    found = _MATH.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("math_inline", "math", 0).content = found[0]
    state.pos = found.end()
    return True


class _Reader:
    """Reads a text, and the texts within it, with one parser."""

    def __init__(self, parser: MarkdownIt, proxies: Proxies) -> None:
        self._parser = parser
        self._proxies = proxies

    def read(self, text: str, depth: int = 0) -> Iterator[SourceReference]:
        # A fence of colons is one of tildes by another name.
        fenced = _COLON_FENCE.sub(lambda found: found[0].replace(":", "~"), text)
        env: dict[str, Any] = {}
        tokens = self._parser.parse(fenced, env)
        lines = Lines(text)
        rows = lines.rows
        yield from self._definitions(env, rows)
        for record in env["handles"]:
            # Definitions are read above, whether they are used or not.
            if record["markup"] != "definition":
                each = self._recorded(record, lines)
                if not rows[each.line - 1].lstrip(" >").startswith("%"):
                    yield each
        for token in tokens if depth < _DEEPEST else ():
            if not token.map:
                continue
            if token.type == "fence":
                yield from self._in_fence(token, rows, depth)
            elif token.type == "code_block" and _is_body(token, rows):
                yield from self._inside(token.content, rows, token.map[0], depth)

    def _definitions(
        self, env: dict[str, Any], rows: list[str]
    ) -> Iterator[SourceReference]:
        """The targets of link definitions, whether they are used or not."""
        for definition in env.get("references", {}).values():
            first, last = definition["map"]
            lines = Lines("\n".join(rows[first:last]))
            found = _DEFINITION.search(lines.text)
            if found is None:
                continue
            written = found[1] or found[2]
            reference = parse_target(unescapeAll(written), self._proxies)
            if reference is not None:
                line, column = lines.place(found.start(found.lastindex or 0))
                yield SourceReference(
                    kind=SourceKind.TARGET,
                    reference=reference,
                    written=written,
                    line=first + line,
                    column=column,
                )

    def _recorded(self, record: dict[str, Any], lines: Lines) -> SourceReference:
        """The reference of a record of the plugin."""
        written, kind = record["written"], _KINDS[record["markup"]]
        line, column = record["line"] or 1, record["column"] or 0
        reference: HandleReference | HandleSyntaxError
        if kind is SourceKind.ROLE:
            role = lines.text[: lines.offset(line, column) + len("{doi}")].lower()
            doi_only = role.endswith("{doi}")
            reference, _ = parse_role(written, self._proxies, doi_only=doi_only)
        else:
            reference = parse_target(written, self._proxies) or HandleReference.parse(
                written, proxies=self._proxies
            )
        if record["span"] is not None:
            line, column = lines.place(record["span"][0])
        return SourceReference(
            kind=kind, reference=reference, written=written, line=line, column=column
        )

    def _in_fence(
        self, token: Token, rows: list[str], depth: int
    ) -> Iterator[SourceReference]:
        """The references in a directive, or in a fence of colons without a name."""
        first = token.map[0] if token.map else 0
        directive = _DIRECTIVE.match(token.info.strip())
        if directive is None:
            if rows[first].lstrip(" >").startswith(":"):
                yield from self._inside(token.content, rows, first + 1, depth)
            return
        name = directive[1].lower()
        if name == "eval-rst":
            inner = token.content.split("\n")
            found = read_rst(token.content, self._proxies)
            yield from within(found, inner, rows, first + 1)
        elif name not in _CODE:
            if name in PROSE_DIRECTIVES:
                yield from self._inside(directive[2], rows, first, depth)
            else:
                yield from self._plain(directive[2], rows, first)
            options = _OPTIONS.match(token.content)
            end = options.end() if options else 0
            if name in ENTRY_DIRECTIVES:
                end = len(token.content)
            yield from self._plain(token.content[:end], rows, first + 1)
            line = first + 1 + token.content.count("\n", 0, end)
            yield from self._inside(token.content[end:], rows, line, depth)

    def _plain(
        self, text: str, rows: Sequence[str], first: int
    ) -> Iterator[SourceReference]:
        found = read_plain(text, self._proxies)
        yield from within(found, text.split("\n"), rows, first)

    def _inside(
        self, text: str, rows: Sequence[str], first: int, depth: int
    ) -> Iterator[SourceReference]:
        found = self.read(text, depth + 1) if may_hold(text, self._proxies) else ()
        yield from within(found, text.split("\n"), rows, first)


def _is_body(token: Token, rows: Sequence[str]) -> bool:
    """Whether an indented block is the body of an admonition, a tab or a footnote.

    The nearest line before it that stands less deep shows which.
    """
    number = token.map[0] if token.map else 0
    depth = _indent(rows[number])
    while number and (not rows[number].strip() or _indent(rows[number]) >= depth):
        number -= 1
    return _BODY_HEAD.match(rows[number].lstrip(" >")) is not None


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip(" >"))
