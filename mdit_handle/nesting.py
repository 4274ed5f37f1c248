"""Where a text stands that a rule has had parsed within another.

The text of an inline footnote (``^[…]``) comes as a block of its own at the end of
the document, and that of an image as the children of its token; neither says where
it was.  That is known only while the text around it is being parsed.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

__all__ = ["Nested", "Nesting", "in_images"]


def in_images(tokens: Iterable[Token]) -> Iterator[Token]:
    """What stands in the alternative texts of images, and in those of images there."""
    for token in tokens:
        if token.type == "image" and token.children:
            yield from token.children
            yield from in_images(token.children)


class Nested(NamedTuple):
    """A text within a block's.

    Attributes:
        tokens: What has become of it.
        block: The ``inline`` token of the block.
        start: Where in the block's source it begins.
        end: Where it ends.
    """

    tokens: list[Token]
    block: Token
    start: int
    end: int


class Nesting:
    """The nested texts of a document."""

    __slots__ = ("_block", "_by_block", "_by_tokens", "_origins")

    def __init__(self) -> None:
        self._block: Token | None = None
        # By the identity of the list of its tokens, and all of a block in order.
        self._by_tokens: dict[int, Nested] = {}
        self._by_block: dict[int, list[Nested]] = {}
        # Blocks that such texts have become.
        self._origins: dict[int, Nested] = {}

    def begin(self, block: Token) -> None:
        """Turn to the block that is parsed next."""
        self._block = block

    def enter(self, state: StateInline, before: StateInline | None) -> None:
        """Note where a text stands, if it is within another.

        Args:
            state: The state of the text that is parsed now.
            before: That of the one parsed before, which may go on around it.
        """
        block = self._block
        if block is None or before is None or state.tokens is block.children:
            return
        around = self._by_tokens.get(id(before.tokens))
        if around is None and before.tokens is not block.children:
            return
        start = before.src.find(state.src, before.pos)
        if start >= 0 and id(state.tokens) not in self._by_tokens:
            start += around.start if around is not None else 0
            nested = Nested(state.tokens, block, start, start + len(state.src))
            self._by_tokens[id(state.tokens)] = nested
            self._by_block.setdefault(id(block), []).append(nested)

    def settle(self, tokens: Iterable[Token]) -> None:
        """Note which blocks the texts have become, before their tokens are replaced."""
        if self._by_tokens:
            for token in tokens:
                nested = self._by_tokens.get(id(token.children))
                if nested is not None:
                    self._origins[id(token)] = nested

    def origin_of(self, block: Token) -> Nested | None:
        """Where the text of a block stands, if that is within another's."""
        return self._origins.get(id(block))

    def within(self, block: Token) -> Iterator[tuple[int, int]]:
        """The half-open spans in a block's source of the texts within it, in order."""
        origin = self.origin_of(block)
        if origin is None:
            for each in self._by_block.get(id(block), ()):
                yield each.start, each.end
            return
        nested = self._by_block[id(origin.block)]
        start = attrgetter("start")
        first = bisect_right(nested, origin.start, key=start)
        for each in nested[first : bisect_left(nested, origin.end, key=start)]:
            yield each.start - origin.start, each.end - origin.start
