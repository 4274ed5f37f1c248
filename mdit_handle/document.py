"""What is known of one document while it is parsed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, count
from operator import itemgetter

from markdown_it.token import Token

from handle_system.scanning import may_hold_reference
from mdit_handle.mentions import (
    Malformed,
    Mention,
    Mentions,
    find_all_mentions,
    find_mentions,
    may_mention,
)
from mdit_handle.nesting import Nesting
from mdit_handle.options import Options
from mdit_handle.source import Syntax
from mdit_handle.tokens import MARKUP

__all__ = ["Document"]


#: The token that opens what was made for a mention, and the mention.
Taken = tuple[Token, Mention | Malformed]


@dataclass(slots=True)
class Parsed:
    """A block that may mention something, as it was when it was parsed.

    Attributes:
        block: Its token.
        source: Its source: other plugins take away from it, as a task's box.
        place: The index of the token in the document's.
        found: What the source mentions.
        start: What was made in it, as the half-open span from `start` to `end`.
        end: See `start`.
    """

    block: Token
    source: str
    place: int
    found: Sequence[Mention | Malformed]
    start: int = 0
    end: int = 0


@dataclass(slots=True, kw_only=True)
class Document:
    """The references of one document.

    Attributes:
        options: How a block is read.
        syntax: What of its source is markup.
        tokens: The document's tokens when its blocks were read.
        parsed: Its blocks that may mention anything, by the identity of the token.
        hand: That of them which is parsed now.
        mentions: What that mentions.
        others: What other texts mention that may mention anything: those within blocks.
        taken: The mentions that something was made for.
        made: The tokens that open that, in the same order.
        nesting: Where texts stand that were parsed within others.
    """

    options: Options
    syntax: Syntax = field(default_factory=Syntax)
    tokens: list[Token] = field(default_factory=list)
    parsed: dict[int, Parsed] = field(default_factory=dict)
    hand: Parsed | None = None
    mentions: Mentions | None = None
    others: dict[str, Mentions] = field(default_factory=dict)
    taken: list[Mention | Malformed] = field(default_factory=list)
    made: list[Token] = field(default_factory=list)
    nesting: Nesting = field(default_factory=Nesting)
    _by_token: dict[int, Mention | Malformed] = field(
        default_factory=dict, init=False, repr=False
    )

    def mentions_in(self, source: str) -> Mentions | None:
        """What a text mentions; `None` if it is not worth looking for anything."""
        hand = self.hand
        if hand is not None and hand.source is source:
            return self.mentions
        mentions = self.others.get(source)
        # Looked for once, for texts may be alike.
        if mentions is None and may_mention(source, self.options.proxies):
            mentions = Mentions(find_mentions(source, self.options, self.syntax))
            self.others[source] = mentions
        return mentions

    def read(self, tokens: list[Token]) -> tuple[list[Token], dict[int, Parsed]]:
        """Read those of the blocks that are worth it.

        Returns:
            All blocks, and by their index those of them that mention anything.
        """
        self.tokens = tokens.copy()
        are_blocks = [token.type == "inline" for token in tokens]
        blocks = list(compress(tokens, are_blocks))
        places = list(compress(count(), are_blocks))
        sources = [block.content for block in blocks]
        holding = {}
        all_mentions = find_all_mentions(sources, self.options, self.syntax)
        for index, found in all_mentions:
            block = blocks[index]
            parsed = Parsed(block, sources[index], places[index], found)
            self.parsed[id(block)] = parsed
            if found:
                holding[index] = parsed
        return blocks, holding

    def begin(self, block: Token, parsed: Parsed | None) -> None:
        """Turn to the block that is parsed next."""
        self.nesting.begin(block)
        self.hand = parsed
        if parsed is not None:
            self.mentions = Mentions(parsed.found)
            parsed.start = len(self.made)

    def note(self, parsed: Parsed | None) -> None:
        """Note what was made in the block that has been parsed."""
        self.hand = self.mentions = None
        if parsed is not None:
            parsed.end = len(self.made)

    def taken_in(self, block: Token) -> Iterable[Taken] | None:
        """What was taken in a block, if there is nothing else to see to in it."""
        parsed = self.parsed.get(id(block))
        if parsed is None:
            return None
        span = slice(parsed.start, parsed.end)
        made = self.made[span]
        # Some may have been made in a text within it, and other plugins may have taken some
        # away, or changed their order.
        opened = [
            each
            for each in block.children or ()
            if each.nesting == 1
            and (
                each.markup == MARKUP
                or (each.type == "link_open" and self.may_be_one(each))
            )
        ]
        return zip(made, self.taken[span], strict=True) if opened == made else None

    def may_be_one(self, opening: Token) -> bool:
        """Whether a link may be meant for a handle."""
        href = str(opening.attrs.get("href", ""))
        return may_hold_reference(href, proxies=self.options.proxies)

    def taken_by_token(self) -> Mapping[int, Mention | Malformed]:
        """What was taken, by the identity of the token that opens what was made."""
        if len(self._by_token) < len(self.made):
            self._by_token = dict(zip(map(id, self.made), self.taken, strict=True))
        return self._by_token

    def read_in(self, tokens: list[Token]) -> list[tuple[int, Token]]:
        """The tokens of the blocks that were worth it, with their indices."""
        if tokens == self.tokens:
            # Nearly always, and then there is no need to look at each of them.
            # Those that hold no more than markup were read last.
            places = [(each.place, each.block) for each in self.parsed.values()]
            return sorted(places, key=itemgetter(0))
        sources = {each.source for each in self.parsed.values()} | self.others.keys()
        return [
            (index, token)
            for index, token in enumerate(tokens)
            if id(token) in self.parsed or token.content in sources
        ]

    def source_of(self, block: Token) -> str:
        """A block's source, as it was when it was parsed."""
        parsed = self.parsed.get(id(block))
        return block.content if parsed is None else parsed.source
