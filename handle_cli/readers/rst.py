"""reStructuredText and docstrings, parsed by docutils with the project's inliner.

Docutils is told nothing about the project: every role and every directive is accepted.
The content of a directive is prose, unless its name is that of a directive for code.
No file is included, no URL is opened, and nothing is registered with docutils.

Docutils gives the line of a block and the inliner the markup in it.  A reference has a
column only if the line of the file holds the line of the block, and holds it once.

In Python, a string that is a statement is a docstring; everything else is code.  Sphinx
reads those of modules, classes, functions and attributes.  `tokenize` finds them,
because `ast` fails for files of a newer Python, and for templates.
"""

import re
import tokenize
from ast import literal_eval
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from functools import cache
from io import StringIO
from itertools import chain, pairwise
from textwrap import dedent
from typing import Any, ClassVar

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers import rst
from docutils.parsers.rst import directives, roles
from docutils.utils import new_document, unescape

from handle_cli.readers import (
    CODE_DIRECTIVES,
    ENTRY_DIRECTIVES,
    Lines,
    SourceKind,
    SourceReference,
    column_of,
    may_hold,
    normalized,
    parse_role,
    parse_target,
    within,
)
from handle_system import HandleReference, HandleSyntaxError, Proxies
from sphinxcontrib_handle.rst import PROBLEM, WRITTEN, Inliner, ReferenceSettings

# Docutils is sometimes wrong about the line of a table's cell, and gives the options of
# a directive the line of the directive.
_NEAR = (0, 1, -1, 2, -2, 3, -3, *range(4, 13))
_ROLE = "handle-role"
_GOES_ON = re.compile("[0-9A-Za-z]")
# Tokens that stand before a statement.
_BEFORE = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
_EMBEDDED = re.compile(r"[\s`]<([^`]*)>`__?\Z")


def read_rst(text: str, proxies: Proxies) -> Iterator[SourceReference]:
    """The references in the prose, the links and the roles of a text."""
    text = normalized(text)
    settings = copy(_default_settings())
    # Docutils reads nothing of a file that has a longer line.
    settings.line_length_limit = len(text)
    settings.handle_references = ReferenceSettings(proxies=proxies)
    document = new_document("", settings)
    recorder = _Recorder()
    with _any_role_and_directive():
        rst.Parser(inliner=recorder).parse(text, document)
    rows = text.split("\n")
    for block in recorder.blocks:
        yield from _in_block(block, rows, proxies)
    for target in document.findall(nodes.target):
        # Those of links in text follow the links in their blocks.
        if target.rawsource.startswith(("..", "__")) and "refuri" in target:
            written = target["refuri"]
            reference = parse_target(written, proxies)
            line, column = _place(written, target.line or 1, rows)
            if reference is not None:
                yield SourceReference(
                    kind=SourceKind.TARGET,
                    reference=reference,
                    written=written,
                    line=line,
                    column=column,
                )


@cache
def _default_settings() -> Any:
    """Docutils' settings, which take longer to build than a docstring to parse."""
    settings: Any = get_default_settings(rst.Parser)
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.report_level, settings.halt_level = 5, 6
    settings.warning_stream = False
    return settings


class _Recorder(Inliner):
    """An inliner that keeps the blocks that it parsed.

    Attributes:
        blocks: The source of each block without its indentation, the line on which
            docutils believes it begins, whether its text is plain, and its nodes.
        is_plain: Whether the text that is being parsed is text without markup.
    """

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[tuple[str, int, bool, list[nodes.Node]]] = []
        self.is_plain = False

    def parse(
        self, text: str, lineno: int, memo: Any, parent: nodes.Element
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Parse the inline markup of a block, and keep it."""
        parsed, messages = super().parse(text, lineno, memo, parent)
        self.blocks.append((text, lineno, self.is_plain, parsed))
        return parsed, messages

    def implicit_inline(self, text: str, lineno: int) -> list[nodes.Text]:  # noqa: ARG002 (docutils' form)
        """Leave other addresses in the text: docutils takes quadratic time for them."""
        return [nodes.Text(text)] if text else []


# Docutils formats its patterns with `vars(self.__class__)`: a subclass must have them.
for _name, _value in vars(Inliner).items():
    if isinstance(_value, str) and not _name.startswith("__"):
        setattr(_Recorder, _name, _value)


class _AnyDirective(rst.Directive):
    """A directive of any name: its argument, its options and its content are text."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    # Docutils reads the options of a directive whose table of them is not empty.
    option_spec: ClassVar = defaultdict(lambda: str, {"name": str})

    def run(self) -> list[nodes.Node]:
        """Parse the texts of the directive."""
        name = self.name.lower()
        if name in CODE_DIRECTIVES:
            return []
        recorder: Any = self.state.inliner
        # What docutils takes for an argument may be the first paragraph of the content.
        head = self.block_text.partition("\n")[0].rstrip()
        recorder.is_plain = not head.endswith("::")
        for text in (*self.arguments, *filter(None, self.options.values())):
            self.state.inline_text(text, self.lineno)
            recorder.is_plain = True
        recorder.is_plain = name in ENTRY_DIRECTIVES
        content = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, content)
        recorder.is_plain = False
        return [content]


def _any_role(
    name: str, rawtext: str, text: str, *_: object
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The node of a role of any name; only the names of ours are kept."""
    content = unescape(text)
    if not name:
        return [nodes.title_reference(rawtext, content)], []
    kept = {_ROLE: name.rpartition(":")[2].lower()}
    return [nodes.literal(rawtext, content, **kept)], []


@contextmanager
def _any_role_and_directive() -> Iterator[None]:
    """Have docutils accept every role and directive, and register none of them.

    Sphinx replaces the same two functions to find the roles and directives of domains.
    """
    known = directives.directive, roles.role
    directives.directive = lambda *_: (_AnyDirective, [])
    roles.role = lambda *_: (_any_role, [])  # type: ignore[assignment] # a stricter signature
    try:
        yield
    finally:
        directives.directive, roles.role = known


def _in_block(
    block: tuple[str, int, bool, list[nodes.Node]],
    rows: Sequence[str],
    proxies: Proxies,
) -> Iterator[SourceReference]:
    """The references of a block, at their places in the lines of the file."""
    text, first, is_plain, parsed = block
    lines = Lines(text)
    for node, begin, end in _elements(parsed, text, 0, len(text)):
        kind, reference, written = _read(node, proxies)
        if reference is None:
            continue
        offset = text.rfind(written, 0, end)
        offset = begin if offset < 0 else offset
        row, column = lines.place(offset)
        line, start = _place(lines.rows[row - 1], first + row - 1, rows)
        yield SourceReference(
            kind=SourceKind.PLAIN if is_plain and kind is SourceKind.TEXT else kind,
            reference=reference,
            written=written,
            line=line,
            column=start and start + column - 1,
            keeps_width=_has_ancestor(node, nodes.title, nodes.entry),
        )


def _elements(
    parsed: Iterable[nodes.Node], text: str, start: int, end: int
) -> Iterator[tuple[nodes.Element, int, int]]:
    """The inline elements of a block with their spans, and those in them."""
    for node in parsed:
        if not isinstance(node, nodes.Element) or not node.rawsource:
            continue
        found = text.find(node.rawsource, start, end)
        while WRITTEN in node and found > 0 and _GOES_ON.match(text, found - 1):
            # The same text stands before it in a word that is no reference.
            found = text.find(node.rawsource, found + 1, end)
        if found >= 0:
            start = found + len(node.rawsource)
            yield node, found, start
            yield from _elements(node.children, text, found, start)


def _read(
    node: nodes.Element, proxies: Proxies
) -> tuple[SourceKind, HandleReference | HandleSyntaxError | None, str]:
    """The reference of an inline element, if it has one, and how it is written."""
    raw = node.rawsource
    if node.get(_ROLE) in {"hdl", "doi"}:
        doi_only = node[_ROLE] == "doi"
        reference, written = parse_role(node.astext(), proxies, doi_only=doi_only)
        # With escapes, the content is what the author wrote.
        return SourceKind.ROLE, reference, raw.split("`")[1] if "\\" in raw else written
    if PROBLEM in node:
        _, written, reason, *_ = node[PROBLEM]
        error = HandleSyntaxError(written, (0, len(written)), reason)
        return SourceKind.ROLE, error, written
    if WRITTEN not in node or isinstance(node, nodes.target):
        return SourceKind.TEXT, None, raw
    target = parse_target(node[WRITTEN], proxies)
    embedded = _EMBEDDED.search(raw)
    if embedded is not None:
        return SourceKind.TARGET, target, embedded[1]
    # In text, a proxy's URL may lack its scheme.
    target = target or HandleReference.parse(node[WRITTEN], proxies=proxies)
    is_nested = isinstance(node.parent, nodes.Inline)
    return SourceKind.PLAIN if is_nested else SourceKind.TEXT, target, raw


def _place(part: str, line: int, rows: Sequence[str]) -> tuple[int, int]:
    """The line that holds a part, and the column at which it does; 0 if unknown."""
    for number in (line - 1 + step for step in _NEAR):
        start = column_of(part, rows[number]) if 0 <= number < len(rows) else None
        if start is not None:
            return number + 1, start + 1
    return min(max(line, 1), len(rows)), 0


def _has_ancestor(node: nodes.Node, *types: type[nodes.Node]) -> bool:
    ancestor = node.parent
    while ancestor is not None and not isinstance(ancestor, types):
        ancestor = ancestor.parent
    return ancestor is not None


def read_python(text: str, proxies: Proxies) -> Iterator[SourceReference]:
    """The references in the docstrings of a Python file."""
    rows = text.split("\n")
    for token in _docstrings(text):
        if not may_hold(token.string, proxies):
            continue
        try:
            content = literal_eval(token.string)
        except (SyntaxError, ValueError):
            continue
        if isinstance(content, str):
            first, _, rest = content.partition("\n")
            inner = f"{first.lstrip()}\n{dedent(rest)}"
            found = read_rst(inner, proxies)
            yield from within(found, inner.split("\n"), rows, token.start[0] - 1)


def _docstrings(text: str) -> Iterator[tokenize.TokenInfo]:
    """The strings that are statements, as far as the file can be read."""
    source = StringIO(text.removeprefix("\ufeff"))
    tokens = (
        token
        for token in tokenize.generate_tokens(source.readline)
        if token.type not in {tokenize.NL, tokenize.COMMENT}
    )
    begin = tokenize.TokenInfo(tokenize.NEWLINE, "", (0, 0), (0, 0), "")
    with suppress(tokenize.TokenError, SyntaxError):
        for (before, token), (_, after) in pairwise(pairwise(chain([begin], tokens))):
            is_first = before.type in _BEFORE and token.type == tokenize.STRING
            if is_first and after.type == tokenize.NEWLINE:
                yield token
