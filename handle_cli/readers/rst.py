"""reStructuredText, parsed by docutils with the project's inliner.

Docutils is told nothing about the project: every role and every directive is accepted.
The content of a directive is prose, unless its name is that of a directive for code.
No file is included, no URL is opened, and nothing is registered with docutils.

The inliner knows the span of each reference in its block, and the line on which that
stands. Here the line becomes a line and a column of the file.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers import rst
from docutils.parsers.rst import directives, roles
from docutils.statemachine import StringList
from docutils.utils import new_document, unescape

from handle_cli.readers import (
    CODE_DIRECTIVES,
    ENTRY_DIRECTIVES,
    normalized,
    parse_target,
)
from handle_system import Proxies
from handle_system.found import Found, Markup, Place
from handle_system.lines import Columns, Lines
from sphinxcontrib_handle.rst import FOUND, Inliner, ReferenceSettings, handle_role

_CELL = re.compile(
    r'[ ]*+"(?P<quoted>[^"]*+(?:""[^"]*+)*)"[ ]*+(?=,|\n|\Z)|(?P<plain>[^,\n]++)'
)


def read_rst(text: str, proxies: Proxies) -> Iterator[Found]:
    """The references in the prose, the links and the roles of a text."""
    text = normalized(text)
    settings = copy(_default_settings())
    # Docutils reads nothing of a file that has a longer line, with its tabs expanded.
    settings.line_length_limit = 8 * len(text)
    settings.handle_references = ReferenceSettings(proxies=proxies)
    document = new_document("", settings)
    recorder = _Recorder(Lines(text))
    with _any_role_and_directive():
        rst.Parser(inliner=recorder).parse(text, document)
    for node in recorder.nodes:
        found = node[FOUND]
        if _has_ancestor(node, nodes.title, nodes.entry):
            found = replace(found, keeps_width=True)
        yield found
    for target in document.findall(nodes.target):
        # Those of links in text follow the links in their blocks.
        if target.rawsource.startswith(("..", "__")) and "refuri" in target:
            written = target["refuri"]
            reference = parse_target(written, proxies)
            if reference is not None:
                place = recorder.target_place(target, written)
                yield Found(reference, -1, -1, written, Markup.DEFINITION, place)


@cache
def _default_settings() -> Any:
    """Docutils' settings, which take longer to build than a docstring to parse."""
    settings: Any = get_default_settings(rst.Parser)
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.report_level, settings.halt_level = 5, 6
    settings.warning_stream = False
    return settings


class _Recorder(Inliner):
    """An inliner that keeps what was found, with columns.

    Attributes:
        nodes: The nodes of what was found.
        is_plain: Whether the text that is being parsed is text without markup.
    """

    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self.nodes: list[nodes.Element] = []
        self.is_plain = False
        self._lines = lines
        # Where the rows begin that were placed, by block.
        self._begins: dict[tuple[int, int], tuple[Place, Columns | None]] = {}

    def place(self, offset: int) -> Place:
        """The place of an offset in the block that is parsed."""
        block = self.block
        row, column = block.row_of(offset)
        key = id(block), row
        if key not in self._begins:
            place = block.line(row)
            line = min(max(place.line, 1), len(self._lines.rows))
            begin = self._lines.columns(line, block.rows[row])
            self._begins[key] = Place("", line), begin
        place, begin = self._begins[key]
        return place if begin is None else replace(place, column=begin.column(column))

    def target_place(self, target: nodes.target, written: str) -> Place:
        """The place of a link's target in its definition, which may go on below."""
        line = target.line or 1
        for number in range(line, line + target.rawsource.count("\n") + 1):
            begin = self._lines.columns(number, written)
            if begin is not None:
                return Place("", number, begin.column(0))
        return Place("", line)

    def parse(
        self, text: str, lineno: int, memo: Any, parent: nodes.Element
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Parse the inline markup of a block, and keep what was found."""
        self._begins.clear()
        parsed, messages = super().parse(text, lineno, memo, parent)
        for node in parsed:
            for each in node.findall(nodes.Element):
                if FOUND in each:
                    if self.is_plain and each[FOUND].markup is Markup.TEXT:
                        each[FOUND] = replace(each[FOUND], markup=Markup.PLAIN)
                    self.nodes.append(each)
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
        if name == "csv-table":
            for cell in _cells(self.content):
                entry = nodes.entry()
                content += entry
                self.state.nested_parse(cell, self.content_offset, entry)
        else:
            self.state.nested_parse(self.content, self.content_offset, content)
        recorder.is_plain = False
        return [content]


def _cells(content: StringList) -> Iterator[StringList]:
    """The cells of a table of values with commas, each with the lines it stands on."""
    text = "\n".join(content)
    lines = Lines(text)
    for cell in _CELL.finditer(text):
        if not cell[0].strip():
            continue
        name = "quoted" if cell["quoted"] is not None else "plain"
        first = lines.place(cell.start(name))[0] - 1
        rows = [row.strip() for row in cell[name].replace('""', '"').split("\n")]
        items: list[Any] = [content.info(first + row) for row in range(len(rows))]
        yield StringList(rows, items=items)


def _any_role(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, *_: object
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The node of a role of any name; only ours hold references."""
    own = name.rpartition(":")[2].lower()
    if own in {"hdl", "doi"}:
        return handle_role(name, rawtext, text, lineno, inliner, doi_only=own == "doi")
    if not name:
        return [nodes.title_reference(rawtext, text)], []
    return [nodes.literal(rawtext, unescape(text))], []


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


def _has_ancestor(node: nodes.Node, *types: type[nodes.Node]) -> bool:
    ancestor = node.parent
    while ancestor is not None and not isinstance(ancestor, types):
        ancestor = ancestor.parent
    return ancestor is not None
