"""The inline rule ``text``, which also stops at references.

The rule that was there goes no further than the next reference.  markdown-it's own,
where that is the one that was there, is spelled out rather than called, and a block
is looked at once: this is where the time goes.
"""

import re
from collections.abc import Callable
from sys import maxsize

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline import text as original_text
from markdown_it.token import Token

from mdit_handle.document import Document
from mdit_handle.mentions import Malformed, Mention, Mentions

__all__ = ["InlineRule", "Push", "text_rule"]

InlineRule = Callable[[StateInline, bool], bool]
#: Appends the tokens of a mention, and gives the one that opens it.
Push = Callable[[StateInline, Mention | Malformed], Token | None]

# Since version 4.1 of markdown-it-py.
_KNOWS_TERMINATORS = hasattr(StateInline, "append_pending")


def text_rule(
    plain_text: InlineRule, md: MarkdownIt, document: Document, push: Push
) -> InlineRule:
    """The rule for one document, in place of the rule `plain_text`."""
    place = _Place(document, push)
    if plain_text is original_text and _KNOWS_TERMINATORS:
        return _original(place, md.inline.terminator_re.search)
    return _wrapped(place, plain_text)


class _Place:
    """The place in the block in hand.

    Attributes:
        state: The state of the block.
        since: From here on …
        stop: … up to here no mention begins.
    """

    __slots__ = ("_document", "_mentions", "_push", "since", "state", "stop")

    def __init__(self, document: Document, push: Push) -> None:
        self._document = document
        self._push = push
        self._mentions: Mentions | None = None
        self.state: StateInline | None = None
        self.since = 0
        self.stop = -1

    def begin(self, state: StateInline) -> None:
        """Turn to the block of a state."""
        self.state = state
        self._mentions = self._document.blocks.get(state.src)
        self.since = 0
        self.stop = maxsize if self._mentions is None else -1

    def take(self, state: StateInline, *, silent: bool) -> bool:
        """Take the mention that begins here, if one does; else see where the next is."""
        position = state.pos
        mentions = self._mentions
        if mentions is None:
            return False
        self.since = position + 1
        self.stop = mentions.next_after(position)
        mention = mentions.by_start.get(position)
        if mention is None or mention.end > state.posMax:
            return False
        if not silent:
            token = self._push(state, mention)
            if token is not None:
                self._document.note(token, mention)
        state.pos = mention.end
        return True


def _original(
    place: _Place, search: Callable[[str, int], re.Match[str] | None]
) -> InlineRule:
    def text(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - its caller is markdown-it
        if place.state is not state:
            place.begin(state)
        start = state.pos
        if not place.since <= start < place.stop and place.take(state, silent=silent):
            return True
        found = search(state.src, start)
        end = state.posMax if found is None else found.start()
        if end > place.stop:  # noqa: PLR1730 - this is where the time goes
            end = place.stop
        if end == start:
            return False
        if not silent:
            state.append_pending(state.src[start:end])
        state.pos = end
        return True

    return text


def _wrapped(place: _Place, plain_text: InlineRule) -> InlineRule:
    def text(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - its caller is markdown-it
        if place.state is not state:
            place.begin(state)
        start = state.pos
        if not place.since <= start < place.stop and place.take(state, silent=silent):
            return True
        if not plain_text(state, True):  # noqa: FBT003 - its signature is markdown-it's
            return False
        if silent or state.pos > place.stop:
            state.pos = min(state.pos, place.stop)
            if not silent:
                state.pending += state.src[start : state.pos]
            return True
        state.pos = start
        return plain_text(state, silent)

    return text
