"""What is known of one document while it is parsed."""

from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from markdown_it.token import Token

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

__all__ = ["Document"]


class Parsed(NamedTuple):
    """A block as it was when it was parsed.

    Attributes:
        block: Its token.
        source: Its source: other plugins take away from it, as a task's box.
        place: The index of the token in the document's.
    """

    block: Token
    source: str
    place: int


@dataclass(slots=True, kw_only=True)
class Document:
    """The references of one document.

    Attributes:
        options: How a block is read.
        syntax: What of its source is markup.
        blocks: What the source of each block mentions that may mention anything.
        tokens: The document's tokens when its blocks were read.
        parsed: Those blocks by the identity of their tokens.
        holding: Those of them that do mention something.
        made: Tokens that were made for a mention, by the token's identity.
        nesting: Where texts stand that were parsed within others.
    """

    options: Options
    syntax: Syntax = field(default_factory=Syntax)
    blocks: dict[str, Mentions] = field(default_factory=dict)
    tokens: list[Token] = field(default_factory=list)
    parsed: dict[int, Parsed] = field(default_factory=dict)
    holding: set[int] = field(default_factory=set)
    made: dict[int, tuple[Token, Mention | Malformed]] = field(default_factory=dict)
    nesting: Nesting = field(default_factory=Nesting)

    def mentions_in(self, source: str) -> Mentions | None:
        """What a block mentions; `None` if it is not worth looking for anything."""
        mentions = self.blocks.get(source)
        # Looked for once, for blocks may be alike.
        if mentions is None and may_mention(source, self.options.proxies):
            mentions = find_mentions(source, self.options, self.syntax)
            self.blocks[source] = mentions
        return mentions

    def read(self, tokens: list[Token]) -> list[Token]:
        """Read those of the blocks that are worth it; gives all of them."""
        self.tokens = tokens.copy()
        places = [i for i, token in enumerate(tokens) if token.type == "inline"]
        blocks = [tokens[place] for place in places]
        sources = [block.content for block in blocks]
        for index, mentions in find_all_mentions(sources, self.options, self.syntax):
            block, source = blocks[index], sources[index]
            self.blocks[source] = mentions
            self.parsed[id(block)] = Parsed(block, source, places[index])
            if mentions.by_start:
                self.holding.add(id(block))
        return blocks

    def read_in(self, tokens: list[Token]) -> list[tuple[int, Token]]:
        """The tokens of the blocks that were worth it, with their indices."""
        if tokens == self.tokens:
            # Nearly always, and then there is no need to look at each of them.
            # Those that hold no more than markup were read last.
            places = [(each.place, each.block) for each in self.parsed.values()]
            return sorted(places, key=itemgetter(0))
        return [
            (index, token)
            for index, token in enumerate(tokens)
            if id(token) in self.parsed or token.content in self.blocks
        ]

    def source_of(self, block: Token) -> str:
        """A block's source, as it was when it was parsed."""
        parsed = self.parsed.get(id(block))
        return block.content if parsed is None else parsed.source
