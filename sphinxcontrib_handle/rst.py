"""References in reStructuredText, recognised where docutils parses it.

The `Inliner` here treats a reference as one more kind of inline markup. Where one
begins before the next start-string, it becomes a link, with its exact text and line.
Docutils never gets to cut it at ``_``, ``*``, ``|``, ``<`` or a character outside ASCII.
The extension point is docutils' own: an inliner has a pattern of start-strings
(``patterns.initial``) and a table of the methods that parse them (``dispatch``).

The module needs no Sphinx. Plain docutils gets the same links and roles::

    docutils --parser=sphinxcontrib_handle.rst page.rst

Importing it registers nothing; `Parser.parse` registers the roles. For Sphinx and
everything that parses reStructuredText inside it (autodoc, MyST's ``eval-rst``,
notebooks, translated messages), `install` makes the inliner docutils' default.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, cast

from docutils import nodes
from docutils.parsers import rst
from docutils.parsers.rst import roles, states
from docutils.transforms import Transform
from docutils.utils import escape2null, unescape

from handle_system.errors import HandleSyntaxError
from handle_system.proxies import Proxies
from handle_system.reference import (
    HandleReference,
    ReferenceForm,
    reference_or_none,
)
from handle_system.scanning import find_references, may_hold_reference
from sphinxcontrib_handle.links import (
    FROM_TEXT,
    PROBLEM,
    WRITTEN,
    LinkTargets,
    ReferenceSettings,
    link_node,
    reference_settings,
)
from sphinxcontrib_handle.roles import handle_role

__all__ = [
    "PROBLEM",
    "WRITTEN",
    "Inliner",
    "Parser",
    "ReferenceSettings",
    "install",
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
_SUBSTITUTION = re.compile(r"\|[^|\s]+\|")
_ROLE_WITHOUT_COLON = re.compile(r"(?<![\w:])(doi|hdl):`([^`]+)`\Z", re.IGNORECASE)
#: Stands for references in the inliner's table of methods.
_START = "handle"

# Text before the markup, its nodes, the rest of the text, and messages.
_Parsed = tuple[str, list[Any], str, list[Any]]


class _Found(NamedTuple):
    """A reference in a block. Docutils takes it for a match of its pattern.

    Attributes:
        begin: Its offset in the block.
        raw: The reference as it stands there, with escapes as null characters.
        reference: The reference.
    """

    begin: int
    raw: str
    reference: HandleReference

    @property
    def stop(self) -> int:
        """The offset behind it."""
        return self.begin + len(self.raw)

    def groupdict(self) -> dict[str, str]:
        """The start-string, which names the method that parses the reference."""
        return {"start": _START}


class _Block:
    """The text of a block, in which docutils searches for markup and references.

    It stands in the place of docutils' pattern of start-strings.

    Attributes:
        source: The text with its escapes as null characters (`escape2null`).
        lineno: The line on which it begins.
        parsed: How much of it docutils has parsed.
        offset: Where the markup begins that docutils parses next.
    """

    def __init__(
        self,
        text: str,
        lineno: int,
        start_strings: re.Pattern[str],
        settings: ReferenceSettings,
    ) -> None:
        self.source = escape2null(text)
        self.lineno = lineno
        self.parsed = self.offset = 0
        self._start_strings = start_strings
        self._settings = settings
        self._references = _references(self.source, settings)
        self._next = next(self._references, None)

    def search(self, rest: str) -> "re.Match[str] | _Found | None":
        """The next markup or reference in the rest of the block."""
        self.parsed = len(self.source) - len(rest)
        while self._next is not None and self._next.begin < self.parsed:
            if self._next.stop > self.parsed:
                # Markup ended inside it, and another reference may begin there.
                self._references = _references(self.source, self._settings, self.parsed)
            self._next = next(self._references, None)
        found = self._next
        # Behind a reference, the rest is searched once, and not for each reference.
        until = len(rest) if found is None else found.stop - self.parsed + 1
        markup = self._start_strings.search(rest, 0, until)
        if markup is not None:
            self.offset = self.parsed + markup.start()
        if found is None or (markup is not None and self.offset < found.begin):
            return markup
        self.offset = found.begin
        return found


def _references(
    source: str, settings: ReferenceSettings, first: int = 0
) -> Iterator[_Found]:
    """The references in a text, from an offset on."""
    if not settings.recognize:
        return
    text, offsets = _decoded(source[first:])
    for found in find_references(text, proxies=settings.proxies):
        begin, stop = found.start, found.end
        if text[begin:stop].lower().startswith(("doi:`", "hdl:`")):
            # It is a role, or meant for one.
            continue
        if offsets:
            begin, stop = offsets[begin], offsets[stop]
        raw = source[first + begin : first + stop]
        yield _Found(first + begin, raw, found.reference)


def _decoded(source: str) -> tuple[str, list[int]]:
    r"""A text without docutils' escapes, and the offset of each character before.

    An escaped space shows nothing and separates markup from text (``a\ *b*``). It reads
    as a line break here, which ends a reference. Without escapes there are no offsets.
    """
    if "\0" not in source:
        return source, []
    characters = []
    offsets = []
    for found in re.finditer("\0?(.|\n)|\0", source):
        is_separator = found[0] in {"\0 ", "\0\n", "\0"}
        characters.append("\n" if is_separator else found[1])
        offsets.append(found.start())
    return "".join(characters), [*offsets, len(source)]


class Inliner(states.Inliner):
    """An inliner that recognises references.

    It acts where `reference_settings` gives settings for the document. Everywhere else
    it is docutils' own.
    """

    def init_customizations(self, settings: Any) -> None:
        """Compile the patterns; docutils calls this for each document."""
        super().init_customizations(settings)
        self.settings = reference_settings(settings) or ReferenceSettings(
            recognize=False
        )
        self._start_strings: re.Pattern[str] = self.patterns.initial
        self._block = _Block("", 0, self._start_strings, self.settings)

    def parse(
        self, text: str, lineno: int, memo: Any, parent: nodes.Element
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Parse the inline markup of a block of text."""
        # A role may parse its content while its block is being parsed.
        outer = self._block
        self._block = _Block(text, lineno, self._start_strings, self.settings)
        self.patterns.initial = self._block
        try:
            parsed: tuple[list[nodes.Node], list[nodes.system_message]]
            parsed = super().parse(text, lineno, memo, parent)
            return parsed
        finally:
            self.patterns.initial = self._block = outer

    def position(self, lines: int = 0) -> tuple[str | None, int | None]:
        """The file and the line of the markup that docutils parses, or lines below."""
        block = self._block
        line = lines + block.lineno + block.source.count("\n", 0, block.offset)
        position: Any = self.reporter.get_source_and_line(line)
        return position[0], position[1]

    def parse_reference(self, found: _Found, _lineno: int) -> _Parsed:
        """Make the link of a reference."""
        block = self._block
        before = block.source[block.parsed : found.begin]
        stop = found.stop
        substitution = _SUBSTITUTION.search(block.source, found.begin, stop)
        if substitution is None:
            return before, [self._link(found)], block.source[stop:], []
        # Docutils substitutes only behind some characters.
        if self._start_strings.match(block.source, substitution.start()):
            stop = substitution.start()
        text = unescape(block.source[found.begin : stop])
        node = nodes.inline(text, text)
        self._note_problem(
            node,
            text,
            "a substitution continues the reference, which is not linked; put the whole "
            "reference into the substitution",
        )
        return before, [node], block.source[stop:], []

    def _link(self, found: _Found, lines: int = 0) -> nodes.reference:
        written = unescape(found.raw)
        link = link_node(
            found.reference,
            self.settings,
            written=written,
            text=written,
            rawsource=unescape(found.raw, True),  # noqa: FBT003 - docutils has had two names for it
        )
        link[FROM_TEXT] = True
        link.source, link.line = self.position(lines)
        return link

    def _note_problem(self, node: nodes.Element, text: str, reason: str) -> None:
        """Note that markup keeps a text from being a reference."""
        node[PROBLEM] = ["markup", text, reason, f"{text}: {reason}"]
        node.source, node.line = self.position()

    def look_into(self, node: nodes.Element, before: str) -> None:
        """Look for references in markup that docutils has parsed, behind a text."""
        if isinstance(node, _TEXT_HOLDERS) and "hdl" not in node["classes"]:
            for text in list(node.findall(nodes.Text)):
                if isinstance(text.parent, _TEXT_HOLDERS):
                    text.parent.replace(text, list(self._linked(str(text))))
        target = node.get("refuri") if isinstance(node, nodes.reference) else None
        if target and WRITTEN not in node and may_hold_reference(target):
            # An author's link, whose line only the inliner knows.
            node[WRITTEN] = target
            node.source, node.line = self.position()
        if node.rawsource.startswith("`"):
            self._check_role(node, before + node.rawsource)

    def _check_role(self, node: nodes.Element, text: str) -> None:
        """Report ``doi:`10.1000/182```, which lacks the first colon of a role."""
        role = _ROLE_WITHOUT_COLON.search(text)
        if role and reference_or_none(f"{role[1]}:{role[2]}", self.settings.proxies):
            correct = f":{role[1].lower()}:`{role[2]}`"
            self._note_problem(
                node, role[0], f"the role lacks its first colon; write {correct}"
            )

    def _linked(self, source: str) -> Iterator[nodes.Node]:
        """The nodes of a text without other markup."""
        end = 0
        for found in _references(source, self.settings):
            if end < found.begin:
                yield nodes.Text(source[end : found.begin])
            yield self._link(found, source.count("\n", 0, found.begin))
            end = found.stop
        if end < len(source):
            yield nodes.Text(source[end:])

    def standalone_uri(self, match: re.Match[str], lineno: int) -> list[Any]:
        """Leave text alone that docutils takes for a URI, but that leads nowhere."""
        uri = unescape(match["whole"])
        if self.settings.recognize and _is_dead(uri, self.settings.proxies):
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

    def parse_markup(self: Inliner, match: re.Match[str], lineno: int) -> _Parsed:
        parsed = parse(self, match, lineno)
        if self.settings.recognize:
            for node in parsed[1]:
                # A role may give text alone.
                if isinstance(node, nodes.Element):
                    self.look_into(node, parsed[0])
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
        super().__init__(inliner=Inliner())
        self._settings = settings or ReferenceSettings()

    def get_transforms(self) -> list[type[Transform]]:
        """Docutils' transforms, and the one that completes links."""
        return [*super().get_transforms(), LinkTargets]

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse a text into a document."""
        document.settings.handle_references = self._settings
        register: Any = roles.register_local_role
        for name in ("hdl", "doi"):
            register(name, partial(handle_role, doi_only=name == "doi"))
        super().parse(inputstring, document)


def install() -> None:
    """Make `Inliner` docutils' default in this process; a second time changes nothing."""
    module: Any = states
    module.Inliner = Inliner
