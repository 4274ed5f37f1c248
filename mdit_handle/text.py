"""The inline rule ``text``, which also stops at references.

A reference has to be taken out of the source before any other rule sees it:
``linkify`` cuts it at a ``<``, emphasis at a ``_``, an autolink starts in its middle.
So a rule of its own would have to come before ``text``, the first of all, and be
called at every step of every block, at one to two percent of the time of a
document that holds no reference at all.  Instead it *is* the rule ``text``: the
one that was there, which goes no further than the next reference.  For the same
reason a block is looked at once, and markdown-it's own rule, where that is the one
that was there, is spelled out rather than called.
"""

import re
from collections.abc import Callable
from sys import maxsize

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline import text as original_text
from markdown_it.token import Token

from mdit_handle.document import document_of, mentions_of
from mdit_handle.mentions import Malformed, Mention, Mentions
from mdit_handle.options import Options

__all__ = ["InlineRule", "Memory", "Push", "replace_text_rule"]

InlineRule = Callable[[StateInline, bool], bool]
#: Appends the tokens of a mention, and gives the one that opens it.
Push = Callable[[StateInline, Mention | Malformed], Token | None]
_Search = Callable[[str, int], re.Match[str] | None]

# Since version 4.1 of markdown-it-py.
_KNOWS_TERMINATORS = hasattr(StateInline, "append_pending")


class _Block:
    """A block while it is parsed.

    Attributes:
        state: The parser's state, by which the block is known.
        mentions: What the block mentions; `None` for nothing.
        search: What finds the end of a text.
        since: From here on …
        stop: … up to here no mention begins.
    """

    __slots__ = ("mentions", "search", "since", "state", "stop")

    def __init__(self, state: StateInline | None, mentions: Mentions | None) -> None:
        self.state = state
        self.mentions = mentions
        self.search: _Search = _nowhere
        if _KNOWS_TERMINATORS and state is not None:
            self.search = state.md.inline.terminator_re.search
        self.since = 0
        self.stop = maxsize if self.mentions is None else -1

    def mention_at(self, state: StateInline) -> Mention | Malformed | None:
        """The mention that begins here, if one does; else see where the next is."""
        position = state.pos
        if self.mentions is None or self.since <= position < self.stop:
            return None
        mention = self.mentions.by_start.get(position)
        self.since = position + 1
        self.stop = self.mentions.next_after(position)
        if mention is None or mention.end > state.posMax:
            return None
        return mention


def _nowhere(_text: str, _start: int) -> None:
    return None


class Memory:
    """The block in hand.

    A hint, not a truth: it is asked whether it is of the state in hand, so it does
    no harm to threads that share a parser.

    Args:
        options: How a block is read.
        push: What appends the tokens of a mention.
    """

    __slots__ = ("_options", "_push", "block")

    def __init__(self, options: Options, push: Push) -> None:
        self._options = options
        self._push = push
        self.clear()

    def clear(self) -> None:
        """Let go of the last block, and with it of its document."""
        self.block = _Block(None, None)

    def begin(self, state: StateInline) -> _Block:
        """Turn to the block of a state."""
        self.block = block = _Block(state, mentions_of(state, self._options))
        return block

    def take(self, state: StateInline, block: _Block, *, silent: bool) -> bool:
        """Take the mention that begins here, if one does."""
        mention = block.mention_at(state)
        if mention is None:
            return False
        if not silent:
            token = self._push(state, mention)
            document = document_of(state.env)
            if document is not None and token is not None:
                document.note(token, mention)
        state.pos = mention.end
        return True


def replace_text_rule(md: MarkdownIt, memory: Memory) -> None:
    """Make the rule ``text`` one that stops at mentions."""
    ruler = md.inline.ruler
    plain_text = ruler.__rules__[ruler.__find__("text")].fn
    if plain_text is original_text and _KNOWS_TERMINATORS:
        ruler.at("text", _original(memory))
    else:
        ruler.at("text", _wrapped(plain_text, memory))


def _original(memory: Memory) -> InlineRule:
    def text(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - its caller is markdown-it
        block = memory.block
        if block.state is not state:
            block = memory.begin(state)
        start = state.pos
        if block.mentions is not None and memory.take(state, block, silent=silent):
            return True
        found = block.search(state.src, start)
        end = state.posMax if found is None else found.start()
        if end > block.stop:  # noqa: PLR1730 - this is where the time goes
            end = block.stop
        if end == start:
            return False
        if not silent:
            state.append_pending(state.src[start:end])
        state.pos = end
        return True

    return text


def _wrapped(plain_text: InlineRule, memory: Memory) -> InlineRule:
    def text(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - its caller is markdown-it
        block = memory.block
        if block.state is not state:
            block = memory.begin(state)
        if block.mentions is None:
            return plain_text(state, silent)
        if memory.take(state, block, silent=silent):
            return True
        start = state.pos
        if not plain_text(state, True):  # noqa: FBT003 - its signature is markdown-it's
            return False
        if silent or state.pos > block.stop:
            state.pos = min(state.pos, block.stop)
            if not silent:
                state.pending += state.src[start : state.pos]
            return True
        state.pos = start
        return plain_text(state, silent)

    return text
