"""The core rule that repairs links, and records what the document refers to.

It visits the finished inline tokens of those blocks that can hold a reference, and
of every block if the document defines a link that is one.  A rule of its own beside
the parser's link, reference and autolink rules, because their tokens already say
what is a link; a second parser of links would only disagree with the first.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_system.display import shown, shows
from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference
from handle_system.scanning import may_hold_reference
from mdit_handle.document import Document
from mdit_handle.mentions import Malformed, Mention
from mdit_handle.nesting import in_images
from mdit_handle.options import Options
from mdit_handle.places import Page, Place, Places
from mdit_handle.reader import end
from mdit_handle.record import Env, record_malformed, record_reference
from mdit_handle.targets import Targets
from mdit_handle.tokens import MARKUP, as_malformed, dress, exact

__all__ = ["finish_rule"]

# Text that is an identifier is not for typography to change.
_SPECIAL = {"text": "text_special"}
# What leads somewhere, even if not to a handle.
_WEB = ("http:", "https:")


def finish_rule(options: Options) -> Callable[[StateCore], None]:
    """The core rule, for a parser with these options."""

    def handle_links(state: StateCore) -> None:
        document = end(state)
        defines = any(
            may_hold_reference(definition["href"], proxies=options.proxies)
            for definition in state.env.get("references", {}).values()
        )
        if document is None and not defines:
            return
        document = document or Document(options=options)
        page = Page(state.src, state.tokens, document)
        everywhere = enumerate(state.tokens)
        for index, token in everywhere if defines else document.read_in(state.tokens):
            if token.type == "inline":
                places = page.places(index)
                taken = None if defines else document.taken_in(token)
                if taken is None:
                    _Block(state, document, token, places).finish()
                else:
                    for opening, mention in taken:
                        _record(state.env, opening, mention, places.at(mention.start))

    return handle_links


def _record(
    env: Env, opening: Token, mention: Mention | Malformed, place: Place
) -> None:
    """Record what was found in the text."""
    if isinstance(mention, Malformed):
        record_malformed(env, "syntax", mention.written, mention.error, place)
    elif mention.linked:
        href = str(opening.attrs["href"])
        record_reference(env, mention.written, mention.reference, href, place)


class _Block:
    """One inline token, while its links are seen to."""

    # Of its targets most blocks are not asked.
    read: Targets | None = None
    # The child in hand, and a line: that of the child `counted`.
    index = 0
    line: int | None = None
    counted = 0
    # Where in the source the last place was asked for.
    offset = 0

    def __init__(
        self,
        state: StateCore,
        document: Document,
        token: Token,
        places: Places,
    ) -> None:
        self.state = state
        self.env = state.env
        self.document = document
        self.proxies = document.options.proxies
        self.token = token
        self.places = places
        self.children = token.children or []

    def finish(self) -> None:
        """Repair and record, in the order of the text."""
        children = self.children
        taken = self.document.taken_by_token()
        # Of most blocks most children are text, and a loop is slower.
        has_images = "!" in self.token.content
        candidates = [
            (index, each)
            for index, each in enumerate(children)
            if each.nesting == 1 or (has_images and each.type == "image")
        ]
        additions: list[tuple[int, Token]] = []
        for self.index, token in candidates:
            mention = taken.get(id(token))
            if mention is not None:
                _record(self.env, token, mention, self.place_of(mention.start))
            elif token.type == "image":
                _settle(token)
                self.targets().pass_over(token)
            elif token.type == "link_open" and self.document.may_be_one(token):
                added = self.repair(token, _inside(children, self.index))
                additions += ((self.index + 1, each) for each in added)
        if additions:
            self.token.children = list(_with_additions(children, additions))

    def targets(self) -> Targets:
        """The targets of its links, which most blocks are not asked for."""
        if self.read is None:
            document = self.document
            self.read = Targets(
                document.source_of(self.token),
                self.state.md,
                self.proxies,
                document.nesting.within(self.token),
            )
        return self.read

    def repair(self, opening: Token, inside: "_Inside") -> list[Token]:
        """Make a link that is meant for a handle a right one; what it lacks, if anything."""
        href = str(opening.attrs["href"])
        proxies = self.proxies
        if inside.closing is None:
            return []
        written, place = self.target(opening, inside, href)
        try:
            reference = HandleReference.from_link(written, proxies=proxies)
        except HandleSyntaxError as error:
            record_malformed(self.env, "link", written, error, place)
            if href.lower().startswith(_WEB):
                return []
            as_malformed(opening, inside.closing)
            return [] if inside.tokens else [exact(written, opening.level + 1)]
        if reference is None:
            return []
        dress(opening, reference, proxies)
        href = str(opening.attrs["href"])
        record_reference(self.env, written, reference, href, place)
        if inside.tokens:
            if shows(inside.text, reference, proxies):
                for token in inside.tokens:
                    token.type = _SPECIAL.get(token.type, token.type)
            return []
        text = shown(reference, proxies, self.document.options.display)
        return [exact(text, opening.level + 1)]

    def target(self, opening: Token, inside: "_Inside", href: str) -> tuple[str, Place]:
        """A link's target as its author wrote it, and where that is."""
        if opening.markup == "autolink":
            target = self.targets().take_autolink(href)
        elif opening.info == "auto":
            return href, self.place_of_text(inside.text)
        else:
            target = self.targets().take(href)
        if target is None:
            return href, self.rough_place()
        return target.written, self.place_of(target.start, -inside.breaks)

    def place_of(self, offset: int, breaks: int = 0) -> Place:
        """The place of a position; `breaks` lines from it stands the token in hand."""
        place = self.places.at(offset)
        self.offset = offset
        if place[0] is not None:
            self.line = place[0] + breaks
            self.counted = self.index
        return place

    def place_of_text(self, text: str) -> Place:
        """The place of a link that has been made of its text, as "linkify" does."""
        source = self.document.source_of(self.token)
        start = source.find(text, self.offset)
        if start < 0 or source.find(text, start + 1) >= 0:
            # The same may stand before it as the part of something else.
            return self.rough_place()
        return self.place_of(start)

    def rough_place(self) -> Place:
        """The line of a link whose place in the source is not known."""
        if self.line is None:
            self.line, _ = self.places.at(0)
        if self.line is not None:
            self.line += _breaks(self.children[self.counted : self.index])
        self.counted = self.index
        return self.line, None


def _settle(image: Token) -> None:
    """Make plain text of what an image's alternative text shows of references.

    No typography reaches it; and up to version 4.0 of markdown-it-py what is not yet
    plain text when it is rendered is left out.
    """
    for token in in_images([image]):
        if token.type == "text_special" and token.info == MARKUP:
            token.type = "text"


def _with_additions(
    children: list[Token], additions: list[tuple[int, Token]]
) -> Iterator[Token]:
    start = 0
    for index, token in additions:
        yield from children[start:index]
        yield token
        start = index
    yield from children[start:]


@dataclass(frozen=True, slots=True)
class _Inside:
    """What stands between the two tokens of a link, and the second of them."""

    tokens: list[Token]
    closing: Token | None

    @property
    def text(self) -> str:
        """What is shown, as far as it is text."""
        return "".join(token.content for token in self.tokens)

    @property
    def breaks(self) -> int:
        """How many lines end in it."""
        return _breaks(self.tokens)


def _breaks(tokens: Iterable[Token]) -> int:
    return sum(token.tag == "br" for token in tokens)


def _inside(children: list[Token], start: int) -> _Inside:
    level = children[start].level
    for last in range(start + 1, len(children)):
        token = children[last]
        if token.type == "link_close" and token.level == level:
            return _Inside(children[start + 1 : last], token)
    return _Inside([], None)
