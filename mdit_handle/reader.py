"""The parser for the inline blocks of a document that may mention handles.

A reference has to be taken out of the source before any other rule sees it:
``linkify`` cuts it at a ``<``, emphasis at a ``_``, an autolink starts in its middle.
A rule for that would be called at every step of every block of every document, at
one to two percent of the time of those that hold no reference at all.  So it stands
in a parser of its own, one for each document that may hold one.  Other documents are
parsed as if there were no plugin; and so are the other blocks of these, but that text
ends no more often than it has to.

That parser stands in the state of the document until `end` takes it out, and with it
what is known of the document: nothing of it stays behind in the parser that was
configured, which may be used by several threads at once.
"""

from collections.abc import Callable
from copy import copy
from functools import cache
from gc import get_referents
from typing import TypeVar

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.ruler import Ruler
from markdown_it.rules_core import StateCore
from markdown_it.rules_core import inline as original_inline

from mdit_handle.document import Document
from mdit_handle.mentions import may_mention
from mdit_handle.options import Options
from mdit_handle.source import Syntax
from mdit_handle.terminators import terminators_of
from mdit_handle.text import InlineRule, Push, TextRule

__all__ = ["CoreRule", "add_reading", "end", "settle"]

CoreRule = Callable[[StateCore], None]
_T = TypeVar("_T")


def add_reading(md: MarkdownIt, options: Options, push: Push) -> None:
    """Add the core rules that read what blocks mention.

    Args:
        md: The parser.
        options: How a block is read.
        push: What appends the tokens of a mention.
    """

    def scan(state: StateCore) -> None:
        # A rule of another plugin may parse a text within a document.
        end(state)
        if may_mention(state.src, options.proxies):
            document = Document(options=options, syntax=_syntax_of(state))
            state.md = _reader(state.md, document, push)

    ruler = md.core.ruler
    ruler.before("inline", "handle_scan", scan)
    ruler.at("inline", _by_either(ruler.__rules__[ruler.__find__("inline")].fn))


def _by_either(plain: CoreRule) -> CoreRule:
    """The core rule that has each inline block parsed by the one parser or the other.

    Args:
        plain: The rule that was there. If it is not markdown-it's own, it decides.
    """

    def inline(state: StateCore) -> None:
        ours = _ours(state.md)
        if ours is None or plain is not original_inline:
            plain(state)
            return
        document = ours.document
        # All that is found before anything is parsed: in turns, the two push each
        # other out of the processor's caches, at twice the time for finding.
        blocks, holding = document.read(state.tokens)
        # As late as this: other plugins may have changed the rules since the scan.
        lean = _lean(ours.md)
        # Where inline footnotes stand, only the other parser can tell.
        has_notes = "^" in state.src and "^[" in state.src
        for index, token in enumerate(blocks):
            if token.children is None:
                token.children = []
            parsed = holding.get(index)
            if parsed is None and not (has_notes and "^[" in token.content):
                lean.inline.parse(token.content, lean, state.env, token.children)
                continue
            md = state.md
            document.begin(token, parsed)
            md.inline.parse(token.content, md, state.env, token.children)
            document.note(parsed)

    return inline


def settle(state: StateCore) -> None:
    """The core rule that follows the blocks which other plugins have moved."""
    ours = _ours(state.md)
    if ours is not None:
        ours.document.nesting.settle(state.tokens)


def end(state: StateCore) -> Document | None:
    """Take the parser out of the state, and give what is known; `None` for nothing."""
    ours = _ours(state.md)
    if ours is None:
        return None
    state.md = ours.md
    ours.end()
    return ours.document


def _ours(md: MarkdownIt) -> TextRule | None:
    ours = getattr(_text_rule(md), "__self__", None)
    return ours if isinstance(ours, TextRule) else None


def _reader(md: MarkdownIt, document: Document, push: Push) -> MarkdownIt:
    """The parser as it is now, but for its rule ``text``."""
    lean = _lean(md)
    reader = _twin(lean)
    reader.inline = _twin(lean.inline)
    ruler = reader.inline.ruler = _twin(md.inline.ruler)
    ruler.__rules__ = [copy(rule) for rule in ruler.__rules__]
    terminators = getattr(lean.inline, "terminator_re", None)
    rule = TextRule(_text_rule(md), md, document, push, terminators)
    ruler.at("text", rule.rule)
    return reader


def _lean(md: MarkdownIt) -> MarkdownIt:
    """A parser that comes to the same in fewer steps; if there is none, the same one."""
    terminators = terminators_of(md.inline)
    if terminators is None:
        return md
    lean = _twin(md)
    lean.inline = _twin(md.inline)
    lean.inline.terminator_re = terminators
    return lean


def _twin(original: _T) -> _T:
    """A copy that is read as fast as the original, which stays as fast as it was.

    Up to Python 3.12 an object whose attributes have been listed, as is done to copy
    it, is read more slowly for the rest of its life: all that is parsed with it takes
    three percent longer.  So they are asked for by their names, where there are as many
    as a parser begins with.
    """
    kind: type = type(original)
    names = _attributes_of(kind)
    # The other thing that an object refers to is its type.
    if len(get_referents(original)) == len(names) + 1:
        twin: _T = object.__new__(kind)
        for name in names:
            setattr(twin, name, getattr(original, name))
        return twin
    twin = copy(original)
    for each in (original, twin):
        # Of its own, for one that is shared by all of a type is read slowest.
        each.__dict__ = dict(vars(each))
    return twin


@cache
def _attributes_of(kind: type) -> tuple[str, ...]:
    """The attributes that a parser has, or a part of it; none if that is another's."""
    if kind is Ruler:
        # It knows what type it has rules of.
        return tuple(vars(ParserInline().ruler))
    return tuple(vars(kind())) if kind in {MarkdownIt, ParserInline} else ()


def _text_rule(md: MarkdownIt) -> InlineRule:
    ruler = md.inline.ruler
    return ruler.__rules__[ruler.__find__("text")].fn


def _syntax_of(state: StateCore) -> Syntax:
    rules = state.md.inline.ruler.get_active_rules()
    return Syntax(
        escapes="escape" in rules,
        entities="entity" in rules,
        code="backticks" in rules,
        autolinks="autolink" in rules,
        labels=state.env.get("references", {}),
    )
