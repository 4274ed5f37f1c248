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
from dataclasses import dataclass, replace
from typing import Any, cast

from docutils import nodes
from docutils.parsers import rst
from docutils.parsers.rst import roles, states
from docutils.transforms import Transform
from docutils.utils import escape2null, unescape

from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference
from handle_system.scanning import find_references, may_hold_reference
from sphinxcontrib_handle.links import (
    NAMES,
    PROBLEM,
    WRITTEN,
    ReferenceSettings,
    link_node,
    reference_settings,
)
from sphinxcontrib_handle.roles import HandleRole
from sphinxcontrib_handle.targets import LinkTargets

__all__ = ["PROBLEM", "WRITTEN", "Inliner", "Parser", "ReferenceSettings", "install"]

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
_ROLE_WITHOUT_COLON = re.compile(r"(?<![\w:])(doi|hdl):(?:`|\Z)", re.IGNORECASE)

# Text before the markup, its nodes, the rest of the text, and messages.
_Parsed = tuple[str, list[Any], str, list[Any]]


@dataclass(frozen=True, slots=True)
class _Match:
    """A reference in a text, with the interface of `re.Match` that docutils uses.

    Attributes:
        string: The text, with its escapes as null characters (`escape2null`).
        begin: Offset of the reference in `string`.
        stop: Offset behind the reference.
        text: The reference with escapes decoded.
        reference: The reference.
    """

    string: str
    begin: int
    stop: int
    text: str
    reference: HandleReference

    def groupdict(self) -> dict[str, str]:
        """The start-string, which names the method that parses the reference."""
        return {"start": _START}


#: Stands for references in the inliner's table of methods.
_START = "handle"


class _StartStrings:
    """Docutils' pattern of start-strings; it also finds references."""

    def __init__(self, inliner: "Inliner", pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self._inliner = inliner

    def search(self, string: str) -> "re.Match[str] | _Match | None":
        """The next markup or reference in the rest of a text."""
        found = self._inliner.next_reference(string)
        # Behind a reference, the rest is searched once, and not for each reference.
        until = len(string) if found is None else found.stop + 1
        markup = self.pattern.search(string, 0, until)
        if found is not None and (markup is None or found.begin <= markup.start()):
            self._inliner.note_start(string, found.begin)
            return found
        if markup is not None:
            self._inliner.note_start(string, markup.start())
        return markup


class Inliner(states.Inliner):
    """An inliner that recognises references.

    It acts where `reference_settings` gives settings for the document. Everywhere else
    it is docutils' own.
    """

    def __init__(self) -> None:
        super().__init__()
        self._settings: ReferenceSettings | None = None
        self._block = _Block("", 0, None)

    def init_customizations(self, settings: Any) -> None:
        """Compile the patterns; docutils calls this for each document."""
        super().init_customizations(settings)
        self._settings = reference_settings(settings)
        if self._settings is not None:
            self.patterns.initial = _StartStrings(self, self.patterns.initial)

    def parse(
        self, text: str, lineno: int, memo: Any, parent: nodes.Element
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Parse the inline markup of a block of text."""
        # A role may parse its content while its block is being parsed.
        outer = self._block
        self._block = _Block(escape2null(text), lineno, self._settings)
        try:
            parsed: tuple[list[nodes.Node], list[nodes.system_message]]
            parsed = super().parse(text, lineno, memo, parent)
            return parsed
        finally:
            self._block = outer

    def next_reference(self, rest: str) -> _Match | None:
        """The next reference in the rest of the block."""
        return self._block.next_reference(rest)

    def note_start(self, rest: str, start: int) -> None:
        """Note where the markup starts that docutils parses next."""
        self._block.offset = len(self._block.source) - len(rest) + start

    def position(self, lines: int = 0) -> tuple[str | None, int | None]:
        """The file and the line of the markup that docutils parses, or lines below."""
        block = self._block
        line = lines + block.lineno + block.source.count("\n", 0, block.offset)
        position: Any = self.reporter.get_source_and_line(line)
        return position[0], position[1]

    def parse_reference(self, match: _Match, _lineno: int) -> _Parsed:
        """Make the link of a reference."""
        before = match.string[: match.begin]
        substitution = _SUBSTITUTION.search(match.string, match.begin, match.stop)
        if substitution is not None:
            start = substitution.start()
            # Docutils substitutes only behind some characters.
            is_markup = self.patterns.initial.pattern.match(match.string, start)
            stop = start if is_markup else match.stop
            node = self._cut_by_substitution(unescape(match.string[match.begin : stop]))
            return before, [node], match.string[stop:], []
        link = self._link(match)
        for name in self._names_inside(match):
            nulls = match.string.count("\0", match.begin, name.start())
            link[NAMES].append((name.start() - match.begin - nulls, name["refname"]))
        return before, [link], match.string[match.stop :], []

    def _names_inside(self, match: _Match) -> Iterator[re.Match[str]]:
        """The names of targets that docutils reads in a reference."""
        position = match.begin
        pattern = self.patterns.initial.pattern
        while markup := pattern.search(match.string, position, match.stop + 1):
            if markup["refend"] == "_" and markup.end() <= match.stop:
                yield markup
            position = markup.start() + 1

    def _link(self, match: _Match, lines: int = 0) -> nodes.reference:
        link = link_node(
            match.reference,
            self._settings or ReferenceSettings(),
            written=match.text,
            text=match.text,
            rawsource=unescape(match.string[match.begin : match.stop], True),  # noqa: FBT003 - docutils has had two names for it
        )
        link.source, link.line = self.position(lines)
        link[NAMES] = []
        return link

    def _cut_by_substitution(self, text: str) -> nodes.inline:
        node = nodes.inline(text, text)
        self._note_markup(
            node,
            text,
            "a substitution continues the reference, which is not linked; put the whole "
            "reference into the substitution",
        )
        return node

    def _note_markup(self, node: nodes.Element, text: str, reason: str) -> None:
        """Note that markup keeps a text from being a reference."""
        node[PROBLEM] = ["markup", text, reason, f"{text}: {reason}"]
        node.source, node.line = self.position()

    def link_inside(self, node: nodes.Node) -> None:
        """Link the references in the text of inline markup."""
        if (
            isinstance(node, _TEXT_HOLDERS)
            and PROBLEM not in node
            and "hdl" not in node["classes"]
        ):
            for child in list(node.children):
                if isinstance(child, nodes.Text):
                    node.replace(child, list(self._linked(str(child))))
                else:
                    self.link_inside(child)

    def _linked(self, text: str) -> Iterator[nodes.Node]:
        block = _Block(text, 0, self._settings)
        lines = 0
        while found := block.next_reference(text):
            lines += text.count("\n", 0, found.stop)
            if found.begin:
                yield nodes.Text(text[: found.begin])
            yield self._link(found, lines)
            text = text[found.stop :]
        if text:
            yield nodes.Text(text)

    def note_link(self, node: nodes.Element) -> None:
        """Note the line of an author's link to what may be a handle."""
        target = node.get("refuri") if isinstance(node, nodes.reference) else None
        if target and WRITTEN not in node and may_hold_reference(target):
            node[WRITTEN] = target
            node.source, node.line = self.position()

    def check_role(self, match: re.Match[str], node: nodes.Element) -> None:
        """Report ``doi:`10.1000/182```, which lacks the first colon of a role."""
        found = _ROLE_WITHOUT_COLON.search(match.string[: match.start("backquote")])
        if found is None or match["role"] or WRITTEN in node:
            return
        scheme, content = found[1].lower(), node.astext()
        try:
            HandleReference.parse(f"{scheme}:{content}")
        except HandleSyntaxError:
            return
        reason = f"the role lacks its first colon; write :{scheme}:`{content}`"
        self._note_markup(node, f"{found[0]}`{content}`", reason)

    def standalone_uri(self, match: re.Match[str], lineno: int) -> list[Any]:
        """Leave text alone that docutils takes for a URI, but that leads nowhere."""
        settings = self._settings
        text = unescape(match["whole"])
        if settings is not None and settings.recognize and _is_dead(text, settings):
            return [nodes.Text(match["whole"])]
        return super().standalone_uri(match, lineno)


def _is_dead(uri: str, settings: ReferenceSettings) -> bool:
    """Whether a URI has a scheme of handles, as ``HDL:LDL``, and no handle."""
    scheme = uri.partition(":")[0].lower()
    if scheme == "hdl":
        return True
    if scheme not in {"doi", "info", "urn"}:
        return False
    try:
        HandleReference.from_link(uri, proxies=settings.proxies)
    except HandleSyntaxError:
        return True
    return False


class _Block:
    """The text of one block, and how far it is parsed.

    Attributes:
        source: The text with its escapes as null characters (`escape2null`).
        lineno: The line on which it begins.
        offset: Where the markup begins that is being parsed.
    """

    def __init__(
        self, source: str, lineno: int, settings: ReferenceSettings | None
    ) -> None:
        self.source = source
        self.lineno = lineno
        self.offset = 0
        self._settings = settings
        self._references: Iterator[_Match] = iter(())
        self._next: _Match | None = None
        # Most text holds none; an escape may hide one.
        if settings is not None and (
            "\0" in source or may_hold_reference(source, proxies=settings.proxies)
        ):
            self._references = self._find(0)
            self._next = next(self._references, None)

    def next_reference(self, rest: str) -> _Match | None:
        """The next reference in the rest of the text."""
        if self._next is None:
            return None
        passed = len(self.source) - len(rest)
        while self._next is not None and self._next.begin < passed:
            if self._next.stop > passed:
                # Markup ended inside it, and another reference may begin there.
                self._references = self._find(passed)
            self._next = next(self._references, None)
        found = self._next
        if found is None:
            return None
        begin, stop = found.begin - passed, found.stop - passed
        return replace(found, string=rest, begin=begin, stop=stop)

    def _find(self, first: int) -> Iterator[_Match]:
        settings = self._settings
        if settings is None or not settings.recognize:
            return
        text, offsets = _decoded(self.source[first:])
        if not may_hold_reference(text, proxies=settings.proxies):
            return
        for found in find_references(text, proxies=settings.proxies):
            begin, stop = found.start, found.end
            written = text[begin:stop]
            if _ROLE_WITHOUT_COLON.match(written):
                continue
            if offsets:
                begin, stop = offsets[begin], offsets[stop]
            yield _Match(
                self.source, begin + first, stop + first, written, found.reference
            )


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


def _with_references(parse: Callable[..., _Parsed]) -> Callable[..., _Parsed]:
    """Extend a method that parses markup: its text may hold references."""

    def parse_markup(self: Inliner, match: re.Match[str], lineno: int) -> _Parsed:
        parsed = parse(self, match, lineno)
        if self._settings is not None and self._settings.recognize:
            for node in parsed[1]:
                self.note_link(node)
                self.link_inside(node)
            if match.groupdict().get("backquote") and len(parsed[1]) == 1:
                self.check_role(match, parsed[1][0])
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
            register(name, HandleRole(doi_only=name == "doi"))
        super().parse(inputstring, document)


def install() -> None:
    """Make `Inliner` docutils' default in this process; a second time changes nothing."""
    module: Any = states
    module.Inliner = Inliner
