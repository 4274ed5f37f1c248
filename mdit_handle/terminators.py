"""Where running text has to end, for the inline rules that a parser has.

markdown-it ends text before each of two dozen characters, for most of which it has no
rule: at every ``:``, ``-`` and ``=`` all its rules are asked, and none begins there.
Where no other plugin has brought a rule, text may go on until one can begin.  What
comes out is the same, for what text ends in vain is put together again.
"""

import re
from functools import cache

from markdown_it import rules_inline
from markdown_it.parser_inline import ParserInline

__all__ = ["terminators_of"]

# By the identity of each of markdown-it's own rules, what it begins with.
_BEGINNINGS = {
    id(rule): characters
    for rule, characters in (
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
}
# Since version 4.1 of markdown-it-py.
_ORIGINAL = getattr(ParserInline(), "terminator_re", None)


def terminators_of(inline: ParserInline) -> re.Pattern[str] | None:
    """The characters that text has to end before.

    `None` if that is for the parser to say: where a rule may begin that is not
    markdown-it's own, or a plugin has named characters.
    """
    if _ORIGINAL is None or inline.terminator_re is not _ORIGINAL:
        return None
    characters: set[str] = set()
    for rule in inline.ruler.getRules(""):
        beginnings = _BEGINNINGS.get(id(rule))
        if beginnings is None:
            return None
        characters.update(beginnings)
    return _any_of(frozenset(characters)) if characters else None


@cache
def _any_of(characters: frozenset[str]) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(''.join(sorted(characters)))}]")
