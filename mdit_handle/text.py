"""The inline rule ``text``, which also stops at references.

A reference has to be taken out of the source before any other rule sees it:
``linkify`` cuts it at a ``<``, emphasis at a ``_``, an autolink starts in its middle.
So a rule of its own would have to come before ``text``, the first of all, and be
called at every step of every block, at one to two percent of the time of a
document that holds no reference at all.  Instead it *is* the rule ``text``: the
one that was there, wrapped, and asked to go no further than the next reference.
For the same reason a block is looked at once, and what was found stays with the
parser's state.
"""

from collections.abc import Callable

from markdown_it.rules_inline import StateInline

from mdit_handle.document import document_of, mentions_of
from mdit_handle.mentions import Mentions
from mdit_handle.options import Options
from mdit_handle.tokens import push

__all__ = ["InlineRule", "text_rule"]

InlineRule = Callable[[StateInline, bool], bool]


def text_rule(plain_text: InlineRule, options: Options) -> InlineRule:
    """The rule ``text``, made of the one that was there."""

    def text(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - its caller is markdown-it
        try:
            # It has to live exactly as long as the block's parser does.
            mentions: Mentions | None = state.handle_mentions  # type: ignore[attr-defined]
        except AttributeError:
            mentions = mentions_of(state, options)
            state.handle_mentions = mentions  # type: ignore[attr-defined]
        if mentions is None:
            return plain_text(state, silent)
        return text_or_mention(state, mentions, silent=silent)

    def text_or_mention(
        state: StateInline, mentions: Mentions, *, silent: bool
    ) -> bool:
        start = state.pos
        mention = mentions.by_start.get(start)
        if mention is not None and mention.end <= state.posMax:
            if not silent:
                token = push(state, mention, options.proxies)
                document = document_of(state.env)
                if document is not None and token is not None:
                    document.note(token, mention)
            state.pos = mention.end
            return True
        stop = mentions.next_after(start, state.posMax)
        if not plain_text(state, True):  # noqa: FBT003 - its signature is markdown-it's
            return False
        state.pos = min(state.pos, stop)
        if not silent:
            state.pending += state.src[start : state.pos]
        return True

    return text
