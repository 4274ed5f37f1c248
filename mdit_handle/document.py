"""What is known of one document while it is parsed."""

from dataclasses import dataclass, field

from markdown_it.token import Token

from mdit_handle.mentions import (
    Malformed,
    Mention,
    Mentions,
    find_mentions,
    may_mention,
)
from mdit_handle.nesting import Nesting
from mdit_handle.options import Options
from mdit_handle.source import Syntax

__all__ = ["Document"]


@dataclass(slots=True, kw_only=True)
class Document:
    """The references of one document.

    Attributes:
        options: How a block is read.
        syntax: What of its source is markup.
        blocks: What the source of each block mentions that may mention anything.
        parsed: Those blocks with their sources, by the identity of their tokens:
            other plugins take away from what has been parsed, as a task's box.
        made: Tokens that were made for a mention, by the token's identity.
        nesting: Where texts stand that were parsed within others.
    """

    options: Options
    syntax: Syntax = field(default_factory=Syntax)
    blocks: dict[str, Mentions] = field(default_factory=dict)
    parsed: dict[int, tuple[Token, str]] = field(default_factory=dict)
    made: dict[int, tuple[Token, Mention | Malformed]] = field(default_factory=dict)
    nesting: Nesting = field(default_factory=Nesting)

    def mentions_in(self, source: str) -> Mentions | None:
        """What a block mentions; `None` if it is not worth looking for anything."""
        mentions = self.blocks.get(source)
        if mentions is None and may_mention(source, self.options.proxies):
            mentions = find_mentions(source, self.options, self.syntax)
            self.blocks[source] = mentions
        return mentions

    def begin(self, block: Token, mentions: Mentions | None) -> None:
        """Turn to the block that is parsed next, and mentions this."""
        if mentions is not None:
            self.parsed[id(block)] = (block, block.content)
        self.nesting.begin(block)

    def source_of(self, block: Token) -> str:
        """A block's source, as it was when it was parsed."""
        _, source = self.parsed.get(id(block), (block, block.content))
        return source

    def note(self, token: Token, mention: Mention | Malformed) -> None:
        """Remember what a token was made for."""
        self.made[id(token)] = (token, mention)
