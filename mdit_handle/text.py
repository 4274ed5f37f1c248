"""The inline rule ``text``, which also stops at references.

The rule that was there goes no further than the next reference.  markdown-it's own,
where that is the one that was there, is spelled out rather than called, and a block
is looked at once: this is where the time goes.
"""

import re
from bisect import bisect_right
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline import text as original_text
from markdown_it.token import Token

from handle_system.proxies import Proxies
from mdit_handle.document import Document
from mdit_handle.mentions import FAR, Malformed, Mention, Mentions

__all__ = ["InlineRule", "Push", "TextRule"]

InlineRule = Callable[[StateInline, bool], bool]
#: Appends the tokens of a mention, and gives the one that opens it.
Push = Callable[[StateInline, Mention | Malformed, Proxies], Token | None]
_Search = Callable[[str, int, int], re.Match[str] | None]


def _add_to_pending(state: StateInline, text: str) -> None:
    state.pending += text


# The first since version 4.3, the other before.
_append_pending = getattr(StateInline, "append_pending", _add_to_pending)


class TextRule:
    """The rule for one document.

    Args:
        plain_text: The rule that was there.
        md: The parser that it is of.
        document: What is known of the document.
        push: What appends the tokens of a mention.
        terminators: What text ends before, if that can be told.
    """

    __slots__ = (
        "_end",
        "_from",
        "_is_first",
        "_is_original",
        "_is_own",
        "_mentions",
        "_plain_text",
        "_proxies",
        "_push",
        "_search",
        "_since",
        "_state",
        "_stop",
        "document",
        "md",
    )

    def __init__(
        self,
        plain_text: InlineRule,
        md: MarkdownIt,
        document: Document,
        push: Push,
        terminators: re.Pattern[str] | None,
    ) -> None:
        self.md = md
        self.document = document
        self._plain_text = plain_text
        self._push = push
        self._proxies = document.options.proxies
        self._is_own = plain_text is original_text
        self._is_original = self._is_own and terminators is not None
        # Then there is nobody to ask before a mention is taken.
        self._is_first = md.inline.ruler.get_active_rules()[:1] == ["text"]
        if terminators is not None:
            self._search: _Search = terminators.search
        # The block in hand; from where to where in it no mention begins; and from where to
        # where, when it was looked for last, text went but for mentions.
        self._state: StateInline | None = None
        self._mentions: Mentions | None = None
        self._since = 0
        self._stop = -1
        self._from = self._end = -1

    @property
    def rule(self) -> InlineRule:
        """What a ruler takes."""
        return self._original if self._is_original else self._wrapped

    def end(self) -> None:
        """Let go of the last block, whose state knows the parser that has this rule.

        What refers to itself in a circle, with all the tokens of a document, would
        stay until the garbage collector looks at everything.
        """
        self._state = self._mentions = None

    def _begin(self, state: StateInline) -> None:
        """Turn to the block of a state."""
        document = self.document
        mentions = document.mentions_in(state.src)
        document.nesting.enter(state, self._state)
        self._state = state
        self._mentions = mentions
        self._since = 0
        self._stop = mentions.starts[0] if mentions else FAR
        self._end = -1

    def _take(self, state: StateInline, *, silent: bool) -> bool:
        """Take the mention that begins here, if one does; else see where the next is."""
        position = state.pos
        mentions = self._mentions
        if mentions is None:
            return False
        self._since = position + 1
        starts = mentions.starts
        self._stop = starts[bisect_right(starts, position)]
        mention = mentions.by_start.get(position)
        if mention is None or mention.end > state.posMax:
            return False
        if not silent:
            token = self._push(state, mention, self._proxies)
            if token is not None:
                # Of each as many as of the other.
                self.document.made.append(token)
                self.document.taken.append(mention)
        state.pos = mention.end
        return True

    def _original(self, state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - its caller is markdown-it
        if self._state is not state:
            self._begin(state)
        start = state.pos
        if start == self._end:
            # Half of all turns are one right behind text.
            return False
        if not self._since <= start < self._stop and self._take(state, silent=silent):
            return True
        search = self._search
        stop = self._stop
        found = search(state.src, start, stop)
        if found is not None:
            end = found.start()
            if end == start:
                return False
            # No mention begins there, nor does text.
            self._end = end
        elif state.posMax < stop:
            end = state.posMax
            if end == start:
                return False
        else:
            end = stop
        state.pos = end
        if not silent:
            _append_pending(state, state.src[start:end])
            if end == stop and self._is_first:
                # Spares a turn in which all there is to do is known.
                self._take(state, silent=False)
        return True

    def _wrapped(self, state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - its caller is markdown-it
        if self._state is not state:
            self._begin(state)
        start = state.pos
        if not self._since <= start < self._stop and self._take(state, silent=silent):
            return True
        if self._is_own and self._from <= start < self._end <= state.posMax:
            # It would look through the same text again.
            state.pos = self._end
        elif self._plain_text(state, True):  # noqa: FBT003 - its signature is markdown-it's
            self._from, self._end = start, state.pos
        else:
            return False
        if silent or state.pos > self._stop:
            state.pos = min(state.pos, self._stop)
            if not silent:
                _append_pending(state, state.src[start : state.pos])
            return True
        state.pos = start
        return self._plain_text(state, silent)
