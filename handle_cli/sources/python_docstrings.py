r"""Python: where its docstrings are, told from its tokens.

A parser would tell it too, at a twentieth of the speed, and of no file that is of
a newer version than the Python that runs, or is a template.  A docstring is the first
statement of a module, a class or a function, and nothing but a string (Python's
language reference, "Glossary"); so what counts is what stands before the string: only
comments, or the colon that ends the head of a definition.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from handle_cli.sources.blocks import Span

__all__ = ["docstrings"]

_QUOTE = r"\"\"\"|'''|\"|'"
# A definition begins its line, so that the line's end before it is part of the token.
_TOKEN = re.compile(
    rf"#[^\n]*|(?P<quote>{_QUOTE})|\n[ \t]*(?:async[ \t]+)?(?P<head>def|class)[ \t]"
)
_HEAD_AT_START = re.compile(r"\ufeff?(?:async[ \t]+)?(?:def|class)[ \t]")
_REST = {
    '"""': re.compile(r'(?>(?:[^"\\]+|\\.|"(?!""))*)"""', re.DOTALL),
    "'''": re.compile(r"(?>(?:[^'\\]+|\\.|'(?!''))*)'''", re.DOTALL),
    '"': re.compile(r'(?>(?:[^"\\\n]+|\\.)*)"', re.DOTALL),
    "'": re.compile(r"(?>(?:[^'\\\n]+|\\.)*)'", re.DOTALL),
}
_LETTERS_BEFORE = re.compile(r"(?<![^\W_])[A-Za-z]{1,2}\Z")
_STATEMENT_END = re.compile(r"[ \t\f]*(?:[;#\r\n]|\Z)")
_IN_HEAD = re.compile(rf"#[^\n]*|(?P<quote>{_QUOTE})|(?P<mark>[()\[\]{{}}:])")
_WHITE = " \t\f\r\n\ufeff"


class _String(NamedTuple):
    """A string: where it begins, its content does and ends, and it ends itself."""

    start: int
    first: int
    last: int
    end: int


def docstrings(text: str, wanted: Iterable[int]) -> Iterator[Span]:
    """The contents of the docstrings that hold a wanted place, in order.

    Args:
        text: A module.
        wanted: Places in it, in order.
    """
    waiting = iter(wanted)
    at = next(waiting, None)
    head = 0 if _HEAD_AT_START.match(text) else None
    # Where the heads end that were looked at.
    ends: dict[int, int | None] = {}
    # The comments since the last string, and where that one ended.
    comments: list[Span] = []
    begin = position = 0
    while at is not None and (token := _TOKEN.search(text, position)) is not None:
        position = token.end()
        if token["head"] is not None:
            head = token.start("head")
            continue
        if token["quote"] is None:
            comments.append(token.span())
            continue
        rest = _REST[token["quote"]].match(text, position)
        if rest is None:
            newline = text.find("\n", position)
            if len(token["quote"]) == 3 or newline < 0:
                return
            position = newline
            continue
        while at is not None and at < position:
            at = next(waiting, None)
        if at is not None and at < rest.end():
            string = _string(text, token, rest.end())
            before = _last_before(text, string.start, begin, comments)
            if head is not None and head not in ends and before is not None:
                ends[head] = _end_of_head(text, head)
            is_first = before is None or (head is not None and ends[head] == before)
            if is_first and _is_whole(text, string):
                yield string.first, string.last
        comments.clear()
        begin = position = rest.end()


def _string(text: str, token: re.Match[str], end: int) -> _String:
    """The string that a quote opens, with the letters before it."""
    quote = token["quote"]
    letters = _LETTERS_BEFORE.search(text, max(token.start() - 3, 0), token.start())
    start = letters.start() if letters else token.start()
    return _String(start, token.end(), end - len(quote), end)


def _last_before(text: str, start: int, begin: int, comments: list[Span]) -> int | None:
    """Where the last character of code is before `start`; `None` if there is none."""
    end = start
    for first, last in reversed(comments):
        code = text[last:end].rstrip(_WHITE)
        if code:
            return last + len(code) - 1
        end = first
    code = text[begin:end].rstrip(_WHITE)
    if code:
        return begin + len(code) - 1
    # What precedes is a string, or nothing at all.
    return begin - 1 if begin else None


def _is_whole(text: str, string: _String) -> bool:
    """Whether a string is a statement of its own, and text that nothing is put in."""
    letters = text[string.start : string.first].rstrip("\"'").lower()
    ends = _STATEMENT_END.match(text, string.end) is not None
    return letters in {"", "r", "u"} and ends


def _end_of_head(text: str, head: int) -> int | None:
    """Where the colon is that ends the head of the definition from `head` on."""
    depth = 0
    position = head
    while (token := _IN_HEAD.search(text, position)) is not None:
        position = token.end()
        if token["quote"] is not None:
            rest = _REST[token["quote"]].match(text, position)
            if rest is None:
                return None
            position = rest.end()
        elif token["mark"] is not None:
            if token["mark"] in "([{":
                depth += 1
            elif token["mark"] != ":":
                depth -= 1
            elif depth <= 0:
                return token.start()
    return None
