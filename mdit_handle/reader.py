"""The parser for the inline blocks of a document that may mention handles.

A reference has to be taken out of the source before any other rule sees it:
``linkify`` cuts it at a ``<``, emphasis at a ``_``, an autolink starts in its middle.
A rule for that would be called at every step of every block of every document, at
one to two percent of the time of those that hold no reference at all.  So it stands
in a parser of its own, one for each document that may hold one, and only blocks that
do are read by it.  Whatever else is parsed, is parsed as if there were no plugin.

That parser stands in the state of the document from `begin` to `end`, and with it
what is known of the document: nothing of it stays behind in the parser that was
configured, which may be used by several threads at once.
"""

from collections.abc import MutableMapping
from copy import copy
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from mdit_handle.document import Document
from mdit_handle.mentions import may_mention
from mdit_handle.options import Options
from mdit_handle.source import Syntax
from mdit_handle.text import Push, text_rule

__all__ = ["begin", "end"]


def begin(state: StateCore, options: Options, push: Push) -> None:
    """Put the parser into the state of a document that may mention anything.

    Args:
        state: The state of the document, before its inline blocks are parsed.
        options: How a block is read.
        push: What appends the tokens of a mention.
    """
    inline = state.md.inline
    if isinstance(inline, _InlineParser):
        # A rule of another plugin parses a text within a document.
        state.md = inline.md
    if may_mention(state.src, options.proxies):
        document = Document(options=options, syntax=_syntax_of(state))
        md = copy(state.md)
        md.inline = _InlineParser(state.md, document, push)
        state.md = md


def end(state: StateCore) -> Document | None:
    """Take the parser out of the state, and give what is known; `None` for nothing."""
    inline = state.md.inline
    if not isinstance(inline, _InlineParser):
        return None
    state.md = inline.md
    return inline.document


class _InlineParser(ParserInline):
    """The original but for its rule ``text``; the original for all other blocks."""

    def __init__(self, md: MarkdownIt, document: Document, push: Push) -> None:
        # Its rules and what else it knows are the original's, as these are now.
        vars(self).update(vars(md.inline))
        self.md = md
        self.document = document
        ruler = self.ruler = copy(md.inline.ruler)
        ruler.__rules__ = [copy(rule) for rule in ruler.__rules__]
        plain_text = ruler.__rules__[ruler.__find__("text")].fn
        ruler.at("text", text_rule(plain_text, md, document, push))

    def parse(
        self,
        src: str,
        md: MarkdownIt,
        env: MutableMapping[Any, Any],
        tokens: list[Token],
    ) -> list[Token]:
        """Parse a block."""
        mentions = self.document.mentions_in(src)
        if mentions is None or not mentions.by_start:
            return self.md.inline.parse(src, self.md, env, tokens)
        return super().parse(src, md, env, tokens)


def _syntax_of(state: StateCore) -> Syntax:
    rules = state.md.inline.ruler.get_active_rules()
    return Syntax(
        escapes="escape" in rules,
        entities="entity" in rules,
        code="backticks" in rules,
        autolinks="autolink" in rules,
        labels=state.env.get("references", {}),
    )
