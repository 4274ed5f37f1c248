"""Where running text has to end, for the inline rules that a parser has.

markdown-it ends text before each of two dozen characters, for most of which it has no
rule: at every ``:``, ``-`` and ``=`` all its rules are asked, and none begins there.
Where nobody but markdown-it has a part in parsing a block, text may go on until one of
its rules can begin.  The tokens are the same, for text that has ended in vain is put
together again.
"""

import re
from collections.abc import Callable
from functools import cache

from markdown_it import rules_inline
from markdown_it.parser_inline import ParserInline

__all__ = ["terminators_of"]

_Rule = Callable[..., object]

# What each of markdown-it's own rules begins with.
_BEGINNINGS: tuple[tuple[_Rule, str], ...] = (
    (rules_inline.text, ""),
    (rules_inline.linkify, ":"),
    (rules_inline.newline, "\n"),
    (rules_inline.escape, "\\"),
    (rules_inline.backtick, "`"),
    (rules_inline.strikethrough.tokenize, "~"),
    (rules_inline.emphasis.tokenize, "*_"),
    # What is within a link's brackets is gone through from one token to the next.
    (rules_inline.link, "[]"),
    (rules_inline.image, "![]"),
    (rules_inline.autolink, "<"),
    (rules_inline.html_inline, "<"),
    (rules_inline.entity, "&"),
)
# By identity, for what a plugin calls a rule need not have a hash.
_BEGINNINGS_OF = {id(rule): characters for rule, characters in _BEGINNINGS}

_OWN = ParserInline()
_OWN_METHODS = {
    name: vars(ParserInline)[name] for name in ("parse", "tokenize", "skipToken")
}
_OWN_SECOND_RULES = {id(rule) for rule in _OWN.ruler2.getRules("")}
# Since version 4.1 of markdown-it-py.
_OWN_TERMINATORS = getattr(_OWN, "terminator_re", None)


def terminators_of(inline: ParserInline) -> re.Pattern[str] | None:
    """The characters that text has to end before, with the rules that are active now.

    `None` if that is for the parser to say: where a rule or a method is not
    markdown-it's own, or a plugin has named characters.
    """
    if _OWN_TERMINATORS is None or not _is_own(inline):
        return None
    characters: set[str] = set()
    for rule in inline.ruler.getRules(""):
        beginnings = _BEGINNINGS_OF.get(id(rule))
        if beginnings is None:
            return None
        characters.update(beginnings)
    return _any_of(frozenset(characters)) if characters else None


def _is_own(inline: ParserInline) -> bool:
    """Whether all of it but its first rules is markdown-it's own."""
    return (
        inline.terminator_re is _OWN_TERMINATORS
        and all(
            getattr(getattr(inline, name), "__func__", None) is method
            for name, method in _OWN_METHODS.items()
        )
        and all(id(rule) in _OWN_SECOND_RULES for rule in inline.ruler2.getRules(""))
    )


@cache
def _any_of(characters: frozenset[str]) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(''.join(sorted(characters)))}]")
