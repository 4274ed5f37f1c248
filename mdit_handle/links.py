"""The core rule that repairs links, and records what the document refers to.

It visits the finished inline tokens of those blocks that can hold a reference, and
of every block if the document defines a link that is one.  A rule of its own beside
the parser's link, reference and autolink rules, because their tokens already say
what is a link; a second parser of links would only disagree with the first.
"""

from typing import TYPE_CHECKING

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_system.display import shown
from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference
from handle_system.scan import may_hold_reference
from mdit_handle.document import Document
from mdit_handle.mentions import Malformed, Mention
from mdit_handle.options import Options
from mdit_handle.places import Place, Places
from mdit_handle.record import record_malformed, record_reference
from mdit_handle.targets import Targets
from mdit_handle.tokens import as_malformed, dress, identifier

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["finish_rule"]


def finish_rule(options: Options) -> "Callable[[StateCore], None]":
    """The core rule, for a parser with these options."""

    def handle_links(state: StateCore) -> None:
        document = Document.end(state.env)
        if document is None:
            return
        defines = any(
            may_hold_reference(definition["href"])
            for definition in state.env.get("references", {}).values()
        )
        if not (document.may_mention or defines):
            return
        lines = state.src.split("\n")
        for token in state.tokens:
            if token.type == "inline" and (defines or token.content in document.blocks):
                _Block(state, document, options, token, lines).finish()

    return handle_links


class _Block:
    """One inline token, while its links are seen to."""

    def __init__(
        self,
        state: StateCore,
        document: Document,
        options: Options,
        token: Token,
        lines: "Sequence[str]",
    ) -> None:
        self.env = state.env
        self.document = document
        self.options = options
        self.token = token
        self.places = Places(token, lines)
        self.targets = Targets(token.content, state.md)
        self.line = 0

    def finish(self) -> None:
        """Repair and record, in the order of the text."""
        children = self.token.children or []
        for opening in list(children):
            if opening.type in {"softbreak", "hardbreak"}:
                self.line += 1
            mention = self.document.mention_of(opening)
            if mention is not None:
                self.record(opening, mention)
            elif opening.type == "link_open":
                self.repair(opening, children)

    def record(self, opening: Token, mention: Mention | Malformed) -> None:
        """Record what was found in the text."""
        place = self.places.at(mention.start)
        match mention:
            case Malformed():
                record_malformed(self.env, mention.written, mention.error, place)
            case Mention(linked=True):
                href = str(opening.attrs["href"])
                record_reference(
                    self.env, mention.written, mention.reference, href, place
                )

    def repair(self, opening: Token, children: list[Token]) -> None:
        """Make a link of CommonMark's that is meant for a handle a right one."""
        href = str(opening.attrs.get("href", ""))
        if not may_hold_reference(href):
            return
        start = next(i for i, each in enumerate(children) if each is opening)
        end = _closing(children, start)
        target = self.targets.take(href)
        if target is not None:
            written, place = target.written, self.places.at(target.start)
        elif opening.markup == "autolink":
            written, place = children[start + 1].content, self.rough_place()
        else:
            written, place = href, self.rough_place()
        try:
            reference = HandleReference.from_link(written, proxies=self.options.proxies)
        except HandleSyntaxError as error:
            record_malformed(self.env, written, error, place)
            as_malformed(opening, children[end])
            return
        if reference is None:
            return
        dress(opening, reference, self.options.proxies)
        record_reference(
            self.env, written, reference, str(opening.attrs["href"]), place
        )
        names = {written, str(reference.handle)}
        for child in children[start + 1 : end]:
            if child.type == "text" and any(name in child.content for name in names):
                child.type = "text_special"
        if end == start + 1:
            text = shown(reference, self.options.proxies, self.options.display)
            children.insert(end, identifier(text, opening.level + 1))

    def rough_place(self) -> Place:
        """The line, of a link whose place in the source is not known."""
        first = self.token.map[0] if self.token.map else None
        return (None if first is None else first + self.line + 1), None


def _closing(children: list[Token], start: int) -> int:
    level = children[start].level
    return next(
        index
        for index in range(start + 1, len(children))
        if children[index].type == "link_close" and children[index].level == level
    )
