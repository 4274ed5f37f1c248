"""References in reStructuredText, recognised where docutils parses it.

The `Inliner` here treats a reference as one more kind of inline markup. Where one
begins before the next start-string, it becomes a link, with its exact text and line.
Docutils never gets to cut it at ``_``, ``*``, ``|``, ``<`` or a character outside ASCII.
The extension point is docutils' own: an inliner has a pattern of start-strings
(``patterns.initial``) and a table of the methods that parse them (``dispatch``).

The module needs no Sphinx. Plain docutils gets the same links and roles::

    docutils --parser=sphinxcontrib_handle.rst page.rst

Importing and parsing register nothing: the roles are known to docutils as long as
`Parser.parse` runs. For Sphinx and everything that parses reStructuredText inside it
(autodoc, MyST's ``eval-rst``, notebooks, translated messages), `install` makes the inliner
docutils' default. Two names are replaced: ``states.Inliner``, and
``RSTState.inline_text``, which tells the inliner the state machine that knows the lines.
A source parser of our own would not do: those parsers create ``states.Inliner()``
themselves. Nor would repairing text after parsing: docutils has cut or lost some by then.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, cast

from docutils import nodes
from docutils.parsers import rst
from docutils.parsers.rst import roles, states
from docutils.transforms import Transform
from docutils.utils import Reporter, escape2null, unescape

from handle_system.errors import CutError, HandleSyntaxError
from handle_system.findings.finding import Place
from handle_system.forms import FORMS, ReferenceForm
from handle_system.found import Found, Markup, parse_target
from handle_system.lines import Lines
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference, reference_or_none
from handle_system.scanning import find_references, may_hold_reference
from handle_system.settings import Settings
from sphinxcontrib_handle.beside import TextsBeside
from sphinxcontrib_handle.links import (
    FOUND,
    LinkTargets,
    ReferenceSettings,
    folder_of,
    reference_settings,
    target_name_error,
    target_name_in,
    text_node,
    texts_within,
)
from sphinxcontrib_handle.roles import handle_role

__all__ = [
    "FOUND",
    "Inliner",
    "Parser",
    "ReferenceSettings",
    "TextsBeside",
    "handle_role",
    "install",
    "label_before",
    "name_state_machines",
    "target_name_error",
    "target_name_in",
]

# Inline elements whose text docutils parses no further.
_TEXT_HOLDERS = (
    nodes.emphasis,
    nodes.strong,
    nodes.title_reference,
    nodes.inline,
    nodes.subscript,
    nodes.superscript,
    nodes.abbreviation,
    nodes.acronym,
)
#: The names of fields that hold an identifier.
_LABELS = frozenset(row.head for row in FORMS if row.is_label)
_SUBSTITUTION = re.compile(r"\|[^|\s]+\|")
_ROLE_WITHOUT_COLON = re.compile(r"(?<![\w:])(doi|hdl):`([^`]+)`\Z", re.IGNORECASE)
#: Stands for references in the inliner's table of methods.
_START = "handle"

# Text before the markup, its nodes, the rest of the text, and messages.
_Parsed = tuple[str, list[Any], str, list[Any]]


class _Start(NamedTuple):
    """Where a reference starts. Docutils takes it for a match of its pattern."""

    found: Found

    def groupdict(self) -> dict[str, str]:
        """The start-string, which names the method that parses the reference."""
        return {"start": _START}


class Block:
    """The text of a block, in which docutils searches for markup and references.

    If it may hold references, it stands in the place of docutils' pattern of
    start-strings. Every offset is one in the text: docutils' null characters are as many
    as the backslashes.

    Attributes:
        text: The text.
        source: The text with its escapes as null characters (`escape2null`).
        label: The label before it, marked up: ``*doi:*`` or nothing.
        may_hold_reference: Whether it is worth looking for references in it.
        parsed: How much of it docutils has parsed.
        offset: Where the markup or the reference begins that docutils parses.
        content: Where the content of that markup begins.
    """

    def __init__(
        self,
        text: str,
        start_strings: re.Pattern[str],
        settings: ReferenceSettings,
        label: str = "",
    ) -> None:
        self.text = text
        self.label = label
        self.source = escape2null(text)
        self.parsed = 0
        self.offset = 0
        self.content = 0
        self._start_strings = start_strings
        self._settings = settings
        text, _offsets = _decoded(self.source)
        self.may_hold_reference = settings.values.recognize and may_hold_reference(
            label + text, proxies=settings.values.link_proxies
        )
        self._references: Iterator[Found] = iter(())
        self._next: Found | None = None
        if self.may_hold_reference:
            self._references = self.references()
            self._next = next(self._references, None)

    def search(self, rest: str) -> "re.Match[str] | _Start | None":
        """The next markup or reference in the rest of the block."""
        self.parsed = len(self.source) - len(rest)
        if self._next is not None:
            self._skip_parsed()
        found = self._next
        # Behind a reference, the rest is searched once, and not for each reference.
        end = len(rest) if found is None else found.end - self.parsed + 1
        markup = self._start_strings.search(rest, 0, end)
        if found is None:
            return markup
        if markup is not None and self.parsed + markup.start() < found.start:
            return markup
        self.offset = found.start
        return _Start(found)

    def note_markup(self, markup: re.Match[str]) -> None:
        """Note where the markup stands that docutils parses."""
        parsed = len(self.source) - len(markup.string)
        self.offset = parsed + markup.start()
        self.content = parsed + markup.end()

    def _skip_parsed(self) -> None:
        """Leave out the references that docutils has parsed as something else."""
        while self._next is not None and self._next.start < self.parsed:
            if self._next.end > self.parsed:
                # Markup ended inside it, and another reference may begin there.
                self._references = self.references(self.parsed)
            self._next = next(self._references, None)

    def references(self, first: int = 0, end: int | None = None) -> Iterator[Found]:
        """The references in the text of a part of the block."""
        text, offsets = _decoded(self.source[first:end])
        label = "" if first else self.label
        for found in find_references(
            label + text,
            proxies=self._settings.values.link_proxies,
            malformed=True,
            document_charset=self._settings.charset,
            text_prefixes=self._settings.values.text_prefixes,
        ):
            if found.written[:5].lower() in {"doi:`", "hdl:`"}:
                # It is a role, or meant for one.
                continue
            if first == 0 and not offsets and not label:
                yield found
                continue
            start, stop = found.start - len(label), found.end - len(label)
            if offsets:
                start, stop = offsets[start], offsets[stop]
            start, stop = first + start, first + stop
            yield Found(found.reference, start, stop, self.text[start:stop])


class BlockLines:
    """The files and the lines on which the rows of a block stand.

    The state that parses the block knows the lines that it was given, in whatever it is
    nested.

    Args:
        text: The text of the block.
        lineno: The line on which it begins, as docutils counts.
        machine: The state machine that parses it, if docutils named one.
        reporter: Docutils' reporter, which knows the lines of the whole document.
        last_below: See `Inliner`.
    """

    def __init__(
        self,
        text: str,
        lineno: int,
        machine: Any,
        reporter: Any,
        last_below: dict[tuple[int, int], int],
    ) -> None:
        self._text = text
        self._lineno = lineno
        self._machine = machine
        self._reporter = reporter
        self._last_below = last_below
        self._lines: Lines | None = None

    @property
    def lines(self) -> Lines:
        """The rows of the block, whose numbers count from 1."""
        # Most blocks are never asked. A `cached_property` of Python 3.11 takes a lock.
        if self._lines is None:
            self._lines = Lines(self._text)
        return self._lines

    def place(self, number: int) -> Place:
        """The file and the line of a row."""
        index = self._index(number)
        if index is not None:
            source, offset = self._machine.input_lines.info(index)
            if offset is not None and self._is_known(source):
                return Place(source or "", offset + 1)
        source, line = self._reporter.get_source_and_line(self._lineno + number - 1)
        return Place(source or "", line or 0)

    def _is_known(self, source: str | None) -> bool:
        """Whether a source is the document or another file.

        The lines of a text that a directive makes, such as a caption, have no file:
        Sphinx names it ``<generated text>``.
        """
        if source == self._reporter.source:
            return True
        return bool(source) and not str(source).startswith("<")

    def _index(self, number: int) -> int | None:
        """The index of a row in the lines of the state; `None` if they lack it."""
        machine = self._machine
        if machine is None:
            return None
        row = self.lines.rows[number - 1].strip()
        expected: int = max(self._lineno - machine.input_offset + number - 2, 0)
        if self._holds(expected, row):
            return expected
        below = self._index_below(expected, row)
        if below is not None:
            return below
        # Before version 0.21, docutils counts one too many for the term of a definition.
        above = expected - 1
        return above if self._holds(above, row) else None

    def _holds(self, index: int, row: str) -> bool:
        """Whether the state has a line of this index, and a row stands in it."""
        input_lines = self._machine.input_lines
        return 0 <= index < len(input_lines) and row in input_lines[index]

    def _index_below(self, line_of_directive: int, row: str) -> int | None:
        """The index of a text of a directive's arguments or options.

        Directives tell their own line for these.  They stand below it in their order,
        down to the line that the state has read.  A text that docutils parses once more
        is found from the directive on.
        """
        end = self._machine.line_offset + 1
        directive = id(self._machine), self._lineno
        next_line = self._last_below.get(directive, line_of_directive)
        lines = chain(
            range(next_line, end), range(line_of_directive, min(next_line, end))
        )
        index = next((line for line in lines if self._holds(line, row)), None)
        if index is not None:
            # Only the directive that is read now matters.
            self._last_below.clear()
            self._last_below[directive] = index + 1
        return index


def label_before(parent: nodes.Element) -> str:
    """The label that the name of a field is to its body (``:DOI: 10.1000/182``)."""
    if not isinstance(parent, nodes.field_body) or parent.parent is None:
        return ""
    name = parent.parent[0].astext().lower()
    return f"*{name}:* " if name in _LABELS and not parent.children else ""


def _decoded(source: str) -> tuple[str, list[int]]:
    r"""A text without docutils' escapes, and the offset of each character before.

    An escaped space shows nothing and separates markup from text (``a\ *b*``). It reads
    as a line break here, which ends a reference. Without escapes there are no offsets.
    """
    if "\0" not in source:
        return source, []
    characters = []
    offsets = []
    for character in re.finditer("\0?(.|\n)|\0", source):
        is_separator = character[0] in {"\0 ", "\0"}
        characters.append("\n" if is_separator else character[1])
        offsets.append(character.start())
    return "".join(characters), [*offsets, len(source)]


class Inliner(states.Inliner):
    """An inliner that recognises references.

    It acts where `reference_settings` gives settings for the document. Everywhere else
    it is docutils' own.

    Attributes:
        block: The block that is being parsed.
        block_lines: The lines of that block.
    """

    #: The state machine whose text is being parsed.
    machine: Any = None

    def __init__(self) -> None:
        super().__init__()
        # By directive: the index below the text that was placed last.
        self._last_below: dict[tuple[int, int], int] = {}

    def init_customizations(self, settings: Any) -> None:
        """Compile the patterns; docutils calls this for each document."""
        super().init_customizations(settings)
        self.settings = reference_settings(settings) or ReferenceSettings(
            Settings(recognize=False)
        )
        self._start_strings: re.Pattern[str] = self.patterns.initial
        self.block = Block("", self._start_strings, self.settings)
        self.block_lines = BlockLines("", 0, None, None, self._last_below)

    def parse(
        self, text: str, lineno: int, memo: Any, parent: nodes.Element
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Parse the inline markup of a block of text."""
        # A role may parse its content while its block is being parsed.
        outer = self.block, self.block_lines, self.patterns.initial
        label = label_before(parent)
        self.block = Block(text, self._start_strings, self.settings, label)
        self.block_lines = BlockLines(
            text, lineno, self.machine, memo.document.reporter, self._last_below
        )
        self.patterns.initial = self._start_strings
        if self.block.may_hold_reference:
            self.patterns.initial = self.block
        try:
            parsed: tuple[list[nodes.Node], list[nodes.system_message]]
            parsed = super().parse(text, lineno, memo, parent)
            return parsed
        finally:
            self.block, self.block_lines, self.patterns.initial = outer

    def place(self, offset: int) -> Place:
        """The place of an offset in the block that is parsed."""
        number, _column = self.block_lines.lines.place(offset)
        return self.block_lines.place(number)

    def put(self, node: nodes.Element, found: Found) -> None:
        """Give a node what was found, at its place."""
        is_in_block = found.start >= 0
        place = self.place(found.start if is_in_block else self.block.offset)
        if place.column and not is_in_block:
            place = replace(place, column=0)
        node[FOUND] = found._replace(place=place)
        node.source = place.file
        node.line = place.line

    def put_role(self, node: nodes.Element, found: Found, content: str) -> None:
        """Give a role's node what was found in its content, where offsets count."""
        begin = self.block.content
        if found.start >= 0 and self.block.source.startswith(content, begin):
            start, end = begin + found.start, begin + found.end
            written = self.block.text[start:end]
            found = found._replace(start=start, end=end, written=written)
        else:
            found = found._replace(start=-1, end=-1)
        self.put(node, found)

    def parse_reference(self, start: _Start, _lineno: int) -> _Parsed:
        """Make the link of a reference."""
        block = self.block
        found = start.found
        before = block.source[block.parsed : found.start]
        substitution = _SUBSTITUTION.search(block.source, found.start, found.end)
        if substitution is None:
            return before, [self._link(found)], block.source[found.end :], []
        end = found.end
        # Docutils substitutes only behind some characters.
        if self._start_strings.match(block.source, substitution.start()):
            end = substitution.start()
        text = unescape(block.source[found.start : end])
        node = nodes.inline(text, text)
        reason = (
            "a substitution continues the reference, which is not linked; put the whole "
            "reference into the substitution"
        )
        self._put_problem(node, found.start, end, text, reason)
        return before, [node], block.source[end:], []

    def _link(self, found: Found) -> nodes.TextElement:
        """The link of a reference in running text; text if it is malformed."""
        text = unescape(self.block.source[found.start : found.end])
        node = text_node(found, self.settings, text=text, rawsource=found.written)
        self.put(node, found)
        return node

    def _put_problem(
        self, node: nodes.Element, start: int, end: int, text: str, reason: str
    ) -> None:
        """Note that markup keeps a text from being a reference."""
        error = CutError(text, (0, len(text)), reason)
        self.put(node, Found(error, start, end, self.block.text[start:end]))

    def look_into(
        self, node: nodes.Element, begin: int, content: int, end: int
    ) -> None:
        """Look for references in markup that docutils has parsed.

        Args:
            node: The node that docutils made of it.
            begin: Where the markup begins in its block.
            content: Where its content begins.
            end: The offset behind the markup.
        """
        # The words of a cluster hold no reference that its role has not read.
        is_read = "hdl" in node["classes"] or "hdl-cluster" in node["classes"]
        if isinstance(node, _TEXT_HOLDERS) and not is_read:
            self._link_texts(node, content)
        if isinstance(node, nodes.reference) and FOUND not in node:
            self._look_at_link(node, content, end)
        is_behind_colon = self.block.text[begin - 1 : begin] == ":"
        if is_behind_colon and node.rawsource.startswith("`"):
            self._look_at_role(node, begin, end)

    def _link_texts(self, node: nodes.Element, content: int) -> None:
        """Link the references in the texts of markup without other markup."""
        for text in texts_within(node):
            if not isinstance(text.parent, _TEXT_HOLDERS):
                continue
            source = str(text)
            shown, _offsets = _decoded(source)
            if not may_hold_reference(shown, proxies=self.settings.values.link_proxies):
                continue
            if self.block.source.startswith(source, content):
                children = self._linked(source, self.block, content)
            else:
                # A role has changed it.
                changed = Block(source, self._start_strings, self.settings)
                children = self._linked(source, changed, None)
            text.parent.replace(text, list(children))

    def _linked(
        self, source: str, block: Block, content: int | None
    ) -> Iterator[nodes.Node]:
        """The nodes of a text, with links.

        Args:
            source: The text.
            block: The block that holds the text.
            content: Where the text begins in the block that is parsed, if it does.
        """
        first = content or 0
        linked_to = 0
        for reference in block.references(first, first + len(source)):
            start, end = reference.start - first, reference.end - first
            if linked_to < start:
                yield nodes.Text(source[linked_to:start])
            found = reference._replace(markup=Markup.PLAIN)
            if content is None:
                found = found._replace(start=-1, end=-1)
            text = unescape(source[start:end])
            child = text_node(found, self.settings, text=text, rawsource=found.written)
            self.put(child, found)
            yield child
            linked_to = end
        if linked_to < len(source):
            yield nodes.Text(source[linked_to:])

    def _look_at_link(self, link: nodes.reference, content: int, end: int) -> None:
        """Note the target of an author's link, whose place only the inliner knows."""
        target = link.get("refuri")
        proxies = self.settings.values.link_proxies
        if not target or not may_hold_reference(target, proxies=proxies):
            return
        reference = parse_target(
            target, proxies, self.settings.charset, folder_of(self.document)
        )
        if reference is None:
            return
        block = self.block
        shown = link.astext()
        closing = block.source.rfind("`", content, end)
        embedded = self.patterns.embedded_link.search(block.source[content:closing])
        if embedded is None:
            found = Found(reference, written=target, markup=Markup.LINK, shown=shown)
        else:
            start, stop = content + embedded.start(2), content + embedded.end(2)
            written = block.text[start:stop]
            found = Found(reference, start, stop, written, Markup.LINK, shown=shown)
        self.put(link, found)

    def _look_at_role(self, node: nodes.Element, begin: int, end: int) -> None:
        """Report ``doi:`10.1000/182```, which lacks the first colon of a role."""
        role = _ROLE_WITHOUT_COLON.search(self.block.text[max(begin - 5, 0) : end])
        if role and reference_or_none(
            f"{role[1]}:{role[2]}", self.settings.values.link_proxies
        ):
            correct = f":{role[1].lower()}:`{role[2]}`"
            reason = f"the role lacks its first colon; write {correct}"
            self._put_problem(node, end - len(role[0]), end, role[0], reason)

    def standalone_uri(self, match: re.Match[str], lineno: int) -> list[Any]:
        """Leave text alone that docutils takes for a URI, but that leads nowhere."""
        uri = unescape(match["whole"])
        if self.settings.values.recognize and _is_dead(
            uri, self.settings.values.link_proxies
        ):
            return [nodes.Text(match["whole"])]
        return super().standalone_uri(match, lineno)


def _is_dead(uri: str, proxies: Proxies) -> bool:
    """Whether a URI in which no reference was found has a scheme of references."""
    try:
        reference = HandleReference.from_link(uri, proxies=proxies)
    except HandleSyntaxError:
        return not uri.lower().startswith("http")
    # `HDL:LDL/TC` is the name of hardware.
    return reference is not None and reference.form is not ReferenceForm.PROXY


def _with_references(parse: Callable[..., _Parsed]) -> Callable[..., _Parsed]:
    """Extend a method that parses markup: it may hold references."""
    # Only a role may show another text than that of the block.
    is_role = parse is states.Inliner.interpreted_or_phrase_ref

    def parse_markup(self: Inliner, match: re.Match[str], lineno: int) -> _Parsed:
        if not is_role and not self.block.may_hold_reference:
            return parse(self, match, lineno)
        self.block.note_markup(match)
        begin = self.block.offset
        content = self.block.content
        parsed = parse(self, match, lineno)
        if self.settings.values.recognize:
            end = len(self.block.source) - len(parsed[2])
            for node in parsed[1]:
                # A role may give text alone.
                if isinstance(node, nodes.Element):
                    self.look_into(node, begin, content, end)
        return parsed

    return parse_markup


# Docutils formats its patterns with `vars(self.__class__)`: a subclass must have them.
for _name, _value in vars(states.Inliner).items():
    if isinstance(_value, str) and not _name.startswith("__"):
        setattr(Inliner, _name, _value)


_methods: dict[str, Any] = {
    start: _with_references(parse)
    for start, parse in cast("dict[str, Any]", states.Inliner.dispatch).items()
}
Inliner.dispatch = _methods | {_START: Inliner.parse_reference}


class Parser(rst.Parser):
    """Docutils' parser of reStructuredText, with references and the two roles.

    Args:
        settings: How references are read and shown.
    """

    def __init__(self, settings: ReferenceSettings | None = None) -> None:
        super().__init__()
        self._settings = settings or ReferenceSettings()

    def get_transforms(self) -> list[type[Transform]]:
        """Docutils' transforms, and the one that completes links."""
        return [*super().get_transforms(), LinkTargets]

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse a text into a document."""
        document.settings.handle_references = self._settings
        # Docutils' inliners grow with each document, and it makes a new one, too.
        self.inliner = Inliner()
        name_state_machines()
        with _known_roles():
            super().parse(inputstring, document)


_ROLES: Mapping[str, Any] = {
    "hdl": partial(handle_role, doi_only=False),
    "doi": partial(handle_role, doi_only=True),
}
for _role in _ROLES.values():
    # The directive `role` needs them; registering would give them, too.
    roles.set_implicit_options(_role)


@contextmanager
def _known_roles() -> Iterator[None]:
    """Have docutils find the two roles, unless a role of that name is registered.

    A role that is registered stays so for the whole process, and Sphinx then refuses
    another one of its name. Sphinx replaces the same function to find roles of domains.
    """
    docutils_role = roles.role

    def role(name: str, language: Any, lineno: int, reporter: Any) -> tuple[Any, Any]:
        own_role = _ROLES.get(name.lower())
        if own_role is None:
            return docutils_role(name, language, lineno, reporter)
        # Docutils reports a role that it does not find.
        silent = Reporter(reporter.source, report_level=5, halt_level=5, stream=False)
        registered_role, _messages = docutils_role(name, language, lineno, silent)
        return registered_role or own_role, []

    roles.role = role  # type: ignore[assignment] # a looser signature
    try:
        yield
    finally:
        roles.role = docutils_role


_docutils_inline_text = states.RSTState.inline_text


def _inline_text(
    self: states.RSTState, text: str, lineno: int
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Docutils' method of states that parses inline text; it names the state machine."""
    inliner: Any = self.inliner
    if not isinstance(inliner, Inliner):
        return _docutils_inline_text(self, text, lineno)
    outer = inliner.machine
    inliner.machine = self.state_machine
    try:
        return _docutils_inline_text(self, text, lineno)
    finally:
        inliner.machine = outer


def name_state_machines() -> None:
    """Have docutils' states name their machine to an `Inliner`, which asks it for lines.

    Other inliners are left alone. A second call changes nothing.
    """
    state: Any = states.RSTState
    state.inline_text = _inline_text


def install() -> None:
    """Make `Inliner` docutils' default in this process; a second time changes nothing."""
    module: Any = states
    module.Inliner = Inliner
    name_state_machines()
