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
from textwrap import dedent
from typing import Any, ClassVar

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers import rst
from docutils.parsers.rst import directives, roles, states
from docutils.statemachine import StringList
from docutils.utils import new_document, unescape

from handle_cli.readers import (
    CITE_VERSION,
    CODE_DIRECTIVES,
    ENTRY_DIRECTIVES,
    PICTURE_DIRECTIVES,
    ReadingRules,
    normalized,
)
from handle_cli.readers.citations import identifiers_of_card, outside_of_fields
from handle_system.findings.finding import Place
from handle_system.found import Found, Markup
from handle_system.lines import TAB_WIDTH, Columns, Lines
from handle_system.scanning import may_hold_reference
from sphinxcontrib_handle.rst import (
    FOUND,
    Inliner,
    ReferenceSettings,
    TextsBeside,
    handle_role,
    label_before,
    name_state_machines,
    target_name_error,
    target_name_in,
)

_CELL = re.compile(
    r'[ ]*+"(?P<quoted>[^"]*+(?:""[^"]*+)*)"[ ]*+(?=,|\n|\Z)|(?P<plain>[^,\n]++)'
)

# Roles of docutils whose content is text; the empty name is that of `…` alone.
_TEXT_ROLES = frozenset(
    """
    emphasis strong sub subscript sup superscript t title title-reference
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
) | {""}

# Beside a title and in a table, the columns of other lines have to fit.
_FIXED_WIDTH = (nodes.title, nodes.entry)


def read_rst(text: str, rules: ReadingRules) -> Iterator[Found]:
    """The references in the prose, the links and the roles of a text."""
    text = normalized(text)
    settings = copy(_default_settings())
    # Docutils reads nothing of a file that has a longer line, with its tabs expanded.
    settings.line_length_limit = TAB_WIDTH * len(text)
    settings.handle_references = ReferenceSettings(rules.values, rules.charset)
    document = new_document("", settings)
    recorder = _Recorder(Lines(text), rules)
    name_state_machines()
    with _any_role_and_directive():
        rst.Parser(inliner=recorder).parse(text, document)
    yield from recorder.fields
    references = _references(document, recorder)
    yield from outside_of_fields(references, recorder.fields)


def _references(document: nodes.document, recorder: "_Recorder") -> Iterator[Found]:
    """The references of a parsed document, but for those of cards."""
    texts_beside = TextsBeside(recorder.rules.values.link_proxies)
    for node in recorder.nodes:
        found = node[FOUND]
        if any(isinstance(holder, _FIXED_WIDTH) for holder in _ancestors(node)):
            found = found._replace(keeps_width=True)
        found = found._replace(beside=texts_beside.of(node, found))
        name = target_name_in(node, found, document)
        if name is not None:
            found = found._replace(reference=target_name_error(name, found))
        yield found
    for target in document.findall(nodes.target):
        # Those of links in text follow the links in their blocks.
        if target.rawsource.startswith(("..", "__")) and "refuri" in target:
            yield from recorder.read_definition(target)


@cache
def _default_settings() -> Any:
    """Docutils' settings, which take longer to build than a docstring to parse."""
    settings: Any = get_default_settings(rst.Parser)
    settings.file_insertion_enabled = False
    settings.raw_enabled = False
    settings.report_level = 5
    settings.halt_level = 6
    settings.warning_stream = False
    return settings


class _Recorder(Inliner):
    """An inliner that keeps what was found, with columns.

    Attributes:
        lines: The lines of the file.
        rules: How references are recognised.
        nodes: The nodes of what was found.
        fields: The identifiers of cards.
        is_plain: Whether the text that is being parsed is text without markup.
    """

    def __init__(self, lines: Lines, rules: ReadingRules) -> None:
        super().__init__()
        self.nodes: list[nodes.Element] = []
        self.fields: list[Found] = []
        self.is_plain = False
        self.lines = lines
        self.rules = rules
        # Where the rows of the block stand that were placed, by their numbers.
        self._placed_rows: dict[int, tuple[Place, Columns | None]] = {}

    def place(self, offset: int) -> Place:
        """The place of an offset in the block that is parsed."""
        rows = self.block_lines.lines
        number, column = rows.place(offset)
        if number not in self._placed_rows:
            line = self.block_lines.place(number).line
            line = min(max(line, 1), len(self.lines.rows))
            columns = self.lines.columns(line, rows.rows[number - 1])
            self._placed_rows[number] = Place("", line), columns
        place, columns = self._placed_rows[number]
        if columns is None:
            return place
        return replace(place, column=columns.column(column - 1))

    def keep_fields(self, block: str, line: int) -> None:
        """Keep the identifiers of a card, whose directive begins on a line."""
        text = dedent(block.partition("\n")[2])
        rows = text.split("\n")
        for found in identifiers_of_card(text, self.rules.values.link_proxies):
            number = line + found.place.line
            columns = self.lines.columns(number, rows[found.place.line - 1])
            column = found.place.column
            if columns is None or not column:
                place = Place("", number)
            else:
                place = Place("", number, columns.column(column - 1))
            self.fields.append(found._replace(place=place))

    def read_definition(self, target: nodes.target) -> Iterator[Found]:
        """The reference that is the target of a definition, which may go on below."""
        written = target["refuri"]
        reference = self.rules.parse_target(written)
        if reference is None:
            return
        first = self._first_line(target)
        place = Place("", first)
        for line in range(first, first + target.rawsource.count("\n") + 1):
            columns = self.lines.columns(line, written)
            if columns is not None:
                place = Place("", line, columns.column(0))
                break
        yield Found(reference, written=written, markup=Markup.DEFINITION, place=place)

    def _first_line(self, definition: nodes.target) -> int:
        """The line on which a definition begins."""
        line: int = definition.line or 1
        # Docutils counts one line too many for each table around it.
        tables = sum(
            1 for node in _ancestors(definition) if isinstance(node, nodes.table)
        )
        head = definition.rawsource.partition("\n")[0]
        for candidate in range(line, max(line - tables, 1) - 1, -1):
            if self.lines.columns(candidate, head) is not None:
                return candidate
        return line

    def parse(
        self, text: str, lineno: int, memo: Any, parent: nodes.Element
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Parse the inline markup of a block, and keep what was found."""
        # An escape may hide a reference. All other markup matters to nobody here.
        labelled = label_before(parent) + text
        may_hold = may_hold_reference(labelled, proxies=self.rules.values.link_proxies)
        if not may_hold and "\\" not in text:
            return [nodes.Text(text)], []
        outer = self._placed_rows
        self._placed_rows = {}
        parsed, messages = super().parse(text, lineno, memo, parent)
        self._placed_rows = outer
        for node in parsed:
            for holder in node.findall(nodes.Element):
                if FOUND in holder:
                    self._keep(holder)
        return parsed, messages

    def _keep(self, node: nodes.Element) -> None:
        found = node[FOUND]
        if self.is_plain and found.markup is Markup.TEXT:
            node[FOUND] = found._replace(markup=Markup.PLAIN)
        self.nodes.append(node)

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
        recorder: Any = self.state.inliner
        if name == CITE_VERSION:
            recorder.keep_fields(self.block_text, self._first_line())
        may_hold = recorder.rules.may_hold_identifier(self.block_text)
        if not (may_hold or "\\" in self.block_text):
            return []
        if name in CODE_DIRECTIVES:
            if caption := self.options.get("caption"):
                self.state.inline_text(caption, self.lineno + 1)
            return []
        outer = recorder.is_plain
        # docutils may take the first paragraph of the content for an argument.
        is_paragraph = self.block_text.partition("\n")[0].rstrip().endswith("::")
        for argument in [] if name in PICTURE_DIRECTIVES else self.arguments:
            recorder.is_plain = not is_paragraph
            self.state.inline_text(argument, self.lineno)
        # Each option begins at least one line below the one before.
        for line, option in enumerate(self.options.values(), self.lineno + 1):
            recorder.is_plain = True
            if option:
                # A substitution definition parses its directive as one line.
                is_inline = isinstance(self.state, states.SubstitutionDef)
                self.state.inline_text(option, self.lineno if is_inline else line)
        recorder.is_plain = name in ENTRY_DIRECTIVES
        content = nodes.container()
        if name == "csv-table":
            self._parse_cells(content)
        else:
            self.state.nested_parse(self.content, self.content_offset, content)
        recorder.is_plain = outer
        return [content]

    def _first_line(self) -> int:
        """The line of the file on which the directive begins."""
        _source, line = self.state_machine.get_source_and_line(self.lineno)
        return line or self.lineno

    def _parse_cells(self, content: nodes.container) -> None:
        for cell in _cells(self.content):
            entry = nodes.entry()
            content += entry
            self.state.nested_parse(cell, self.content_offset, entry)


def _cells(content: StringList) -> Iterator[StringList]:
    """The cells of a table of values with commas, each with the lines it stands on."""
    text = "\n".join(content)
    lines = Lines(text)
    for cell in _CELL.finditer(text):
        group = "plain" if cell["quoted"] is None else "quoted"
        if not cell[group].strip():
            continue
        first, _column = lines.place(cell.start(group))
        rows = [row.strip() for row in cell[group].replace('""', '"').split("\n")]
        items: list[Any] = [
            content.info(first - 1 + number) for number in range(len(rows))
        ]
        yield StringList(rows, items=items)


def _any_role(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, *_: object
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The node of a role of any name; ours, and those of text, hold references."""
    own = name.rpartition(":")[2].lower()
    if own in {"hdl", "doi"}:
        return handle_role(name, rawtext, text, lineno, inliner, doi_only=own == "doi")
    if name.lower() in _TEXT_ROLES:
        return [nodes.title_reference(rawtext, text)], []
    return [nodes.literal(rawtext, unescape(text))], []


@contextmanager
def _any_role_and_directive() -> Iterator[None]:
    """Have docutils accept every role and directive, and register none of them.

    Sphinx replaces the same two functions to find the roles and directives of domains.
    """
    originals = directives.directive, roles.role
    directives.directive = lambda *_: (_AnyDirective, [])
    roles.role = lambda *_: (_any_role, [])  # type: ignore[assignment] # a stricter signature
    try:
        yield
    finally:
        directives.directive, roles.role = originals


def _ancestors(node: nodes.Node) -> Iterator[nodes.Element]:
    """The node that holds a node, the one that holds that, and so on."""
    ancestor = node.parent
    while ancestor is not None:
        yield ancestor
        ancestor = ancestor.parent
