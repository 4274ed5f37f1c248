"""reStructuredText, parsed by docutils with the inliner of `sphinxcontrib_handle.rst`.

Docutils is told nothing about the project: every role and every directive is accepted.
The content of a directive is prose, unless its name is that of a directive for code.
No file is included, no URL is opened, and nothing is registered with docutils.

Docutils gives the line of a block and the inliner the markup in it.  A reference has a
column only if the line of the file holds the line of the block, and holds it once.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers import rst
from docutils.parsers.rst import directives, roles
from docutils.utils import column_width, new_document, unescape

from handle_cli.readers.source import (
    SourceKind,
    SourceReference,
    column_of,
    normalized,
    parse_role,
    parse_target,
)
from handle_system import HandleReference, HandleSyntaxError, Proxies
from sphinxcontrib_handle.rst import PROBLEM, WRITTEN, Inliner, ReferenceSettings

__all__ = ["CODE_DIRECTIVES", "ENTRY_DIRECTIVES", "PROSE_DIRECTIVES", "read_rst"]

#: Directives whose content is not prose, in Sphinx and its usual extensions.
CODE_DIRECTIVES = frozenset(
    """
    actdiag aafig autoclass autofunction automethod automodule blockdiag bokeh-plot
    code code-block code-cell command-output csv-table digraph doctest exec graph
    graphviz highlight include inheritance-diagram ipython jupyter-execute
    literalinclude math mermaid nwdiag parsed-literal plantuml plot
    productionlist program-output prompt raw seqdiag sourcecode testcleanup testcode
    testoutput testsetup tikz uml
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)
#: Directives whose content is text without markup.
ENTRY_DIRECTIVES = frozenset({"index", "meta", "toctree"})
#: Directives whose argument is prose, or the beginning of it.
PROSE_DIRECTIVES = frozenset(
    """
    admonition attention caution centered danger deprecated error hint important note
    replace rubric seealso sidebar tip todo topic versionadded versionchanged warning
    """.split()  # noqa: SIM905 (as above)
)
# Docutils is sometimes wrong about the line of a table's cell.
_NEAR = (0, 1, -1, 2, -2, 3, -3)
_ROLE = "handle-role"
_GOES_ON = re.compile("[0-9A-Za-z]")
_EMBEDDED = re.compile(r"[\s`]<([^`]*)>`__?\Z")


def read_rst(text: str, proxies: Proxies) -> Iterator[SourceReference]:
    """The references in the prose, the links and the roles of a text."""
    settings: Any = get_default_settings(rst.Parser)
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.report_level, settings.halt_level = 5, 6
    settings.warning_stream = False
    settings.handle_references = ReferenceSettings(proxies=proxies)
    document = new_document("", settings)
    inliner = _RecordingInliner()
    text = normalized(text)
    with _any_role_and_directive():
        rst.Parser(inliner=inliner).parse(text, document)
    rows = text.split("\n")
    for block in inliner.blocks:
        yield from _in_block(block, rows, proxies)
    for target in document.findall(nodes.target):
        # Those of links in text follow the links in their blocks.
        if target.rawsource.startswith(("..", "__")) and "refuri" in target:
            yield from _explicit_target(target, rows, proxies)


@dataclass(frozen=True, slots=True)
class _Block:
    """A block of text that was parsed.

    Attributes:
        text: Its source, without the indentation.
        line: The line on which docutils believes it begins.
        nearby: Offsets from that line at which its lines are looked for.
        is_plain: Whether it is text without markup.
        nodes: The nodes that docutils made of it.
    """

    text: str
    line: int
    nearby: Iterable[int]
    is_plain: bool
    nodes: list[nodes.Node]


class _RecordingInliner(Inliner):
    """An inliner that keeps the blocks that it parsed."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[_Block] = []
        self.nearby: Iterable[int] = _NEAR
        self.is_plain = False

    def parse(
        self, text: str, lineno: int, memo: Any, parent: nodes.Element
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Parse the inline markup of a block, and keep it."""
        parsed, messages = super().parse(text, lineno, memo, parent)
        self.blocks.append(_Block(text, lineno, self.nearby, self.is_plain, parsed))
        return parsed, messages


# Docutils formats its patterns with `vars(self.__class__)`: a subclass must have them.
for _name, _value in vars(Inliner).items():
    if isinstance(_value, str) and not _name.startswith("__"):
        setattr(_RecordingInliner, _name, _value)


class _AnyDirective(rst.Directive):
    """A directive of any name: its argument, its options and its content are text."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Parse the texts of the directive."""
        name = self.name.lower()
        inliner: Any = self.state.inliner
        if name in CODE_DIRECTIVES or not isinstance(inliner, _RecordingInliner):
            return []
        outer = inliner.nearby, inliner.is_plain
        inliner.nearby = range(self.block_text.count("\n") + 1)
        # What docutils takes for an argument may be the first paragraph of the content.
        has_argument = not self.block_text.partition("\n")[0].rstrip().endswith("::")
        inliner.is_plain = has_argument and name not in PROSE_DIRECTIVES
        for argument in self.arguments:
            self.state.inline_text(argument, self.lineno)
        inliner.is_plain = True
        for option in filter(None, self.options.values()):
            self.state.inline_text(option, self.lineno)
        inliner.nearby, inliner.is_plain = outer[0], name in ENTRY_DIRECTIVES
        content = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, content)
        inliner.is_plain = outer[1]
        return [content]


class _AnyOption(dict[str, Any]):
    """The options of a directive that accepts all of them, as text."""

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, name: str) -> Any:
        return lambda text: text


_AnyDirective.option_spec = _AnyOption()


def _any_role(
    name: str,
    rawtext: str,
    text: str,
    *_: object,
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The node of a role of any name; only the names of ours are kept."""
    content = unescape(text)
    if not name:
        return [nodes.title_reference(rawtext, content)], []
    node = nodes.literal(rawtext, content)
    name = name.rpartition(":")[2].lower()
    if name in {"hdl", "doi"}:
        node[_ROLE] = name
    return [node], []


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
    block: _Block, rows: Sequence[str], proxies: Proxies
) -> Iterator[SourceReference]:
    """The references of a block, at their places in the lines of the file."""
    lines = block.text.split("\n")
    for element in _elements(block.nodes, block.text, 0, len(block.text)):
        found = _read(element.node, proxies)
        if found is None:
            continue
        kind, reference, written = found
        if kind is SourceKind.TEXT and (block.is_plain or element.is_nested):
            kind = SourceKind.PLAIN
        offset = block.text.rfind(written, 0, element.end)
        offset = element.start if offset < 0 else offset
        index = block.text.count("\n", 0, offset)
        number, shift = _place(lines[index], block.line + index, block.nearby, rows)
        column = offset - block.text.rfind("\n", 0, offset)
        yield SourceReference(
            kind=kind,
            reference=reference,
            written=written,
            line=number + 1,
            column=0 if shift is None else column + shift,
            widths=_widths(block.nodes[0], rows, number, column_width(written)),
        )


@dataclass(frozen=True, slots=True)
class _Element:
    """An inline element, at a half-open span of the source of its block."""

    node: nodes.Element
    start: int
    end: int
    is_nested: bool


def _elements(
    parsed: Iterable[nodes.Node], text: str, start: int, end: int, depth: int = 0
) -> Iterator[_Element]:
    """The inline elements of a block, and those in them."""
    for node in parsed:
        if not isinstance(node, nodes.Element) or not node.rawsource:
            continue
        found = text.find(node.rawsource, start, end)
        while WRITTEN in node and found > 0 and _GOES_ON.match(text, found - 1):
            # The same text stands before it in a word that is no reference.
            found = text.find(node.rawsource, found + 1, end)
        if found >= 0:
            start = found + len(node.rawsource)
            yield _Element(node, found, start, depth > 0)
            yield from _elements(node.children, text, found, start, depth + 1)


def _read(
    node: nodes.Element, proxies: Proxies
) -> tuple[SourceKind, HandleReference | HandleSyntaxError, str] | None:
    """The reference of an inline element, and how it is written."""
    raw = node.rawsource
    if _ROLE in node:
        reference, written = parse_role(
            node.astext(), proxies, doi_only=node[_ROLE] == "doi"
        )
        if node.astext()[:1] == "!" and isinstance(reference, HandleReference):
            # The author wants no link, so the plugin for Markdown leaves it out, too.
            return None
        # With escapes, the content is what the author wrote.
        has_escapes = "\\" in raw
        return SourceKind.ROLE, reference, raw.split("`")[1] if has_escapes else written
    if PROBLEM in node:
        _, written, reason, *_ = node[PROBLEM]
        error = HandleSyntaxError(written, (0, len(written)), reason)
        return SourceKind.ROLE, error, written
    if WRITTEN not in node or isinstance(node, nodes.target):
        return None
    embedded = _EMBEDDED.search(raw)
    kind = SourceKind.TARGET if embedded else SourceKind.TEXT
    target = parse_target(node[WRITTEN], proxies)
    if embedded is None:
        # In text, a proxy's URL may lack its scheme.
        target = target or HandleReference.parse(node[WRITTEN], proxies=proxies)
        return kind, target, raw
    return None if target is None else (kind, target, embedded[1])


def _explicit_target(
    target: nodes.target, rows: Sequence[str], proxies: Proxies
) -> Iterator[SourceReference]:
    """The reference of ``.. _name: target`` or ``__ target``."""
    reference = parse_target(target["refuri"], proxies)
    if reference is None:
        return
    written = target["refuri"]
    nearby = range(target.rawsource.count("\n") + 1)
    number, shift = _place(written, target.line or 1, nearby, rows)
    yield SourceReference(
        kind=SourceKind.TARGET,
        reference=reference,
        written=written,
        line=number + 1,
        column=0 if shift is None else shift + 1,
    )


def _place(
    part: str, line: int, nearby: Iterable[int], rows: Sequence[str]
) -> tuple[int, int | None]:
    """The index of the line that holds a part, and the offset of the part in it."""
    for number in (line - 1 + step for step in nearby):
        shift = column_of(part, rows[number]) if 0 <= number < len(rows) else None
        if shift is not None:
            return number, shift
    return min(max(line, 1), len(rows)) - 1, None


def _widths(
    node: nodes.Node, rows: Sequence[str], number: int, width: int
) -> range | None:
    """The widths that a reference may take where docutils counts columns.

    A title may not be longer than its underline, and the columns of a table stay where
    they are; only the last column of a simple table has no end.
    """
    below = rows[number + 1].rstrip() if number + 1 < len(rows) else ""
    if isinstance(node.parent, nodes.title):
        return range(len(below) - column_width(rows[number].rstrip()) + width + 1)
    cell = node.parent
    while cell is not None and not isinstance(cell, nodes.entry):
        cell = cell.parent
    if cell is None:
        return None
    is_grid = rows[number].lstrip().startswith(("|", "+"))
    is_last = cell.parent.children[-1] is cell
    return None if is_last and not is_grid else range(width, width + 1)
