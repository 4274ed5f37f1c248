"""Works as running text cites them: by names and year, or by their number in a list.

A list gives each of its works a number, and a letter where another work of the list has
the same names and year. Texts that use the list show the same.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from handle_system.citing.style import Described, short_names
from handle_system.presenting import DisplayStyle

#: ``narrative``: Kahn (2006); ``parenthetical``: Kahn, 2006; ``number``: 3; ``named``:
#: Kahn [3].
CitingStyle: TypeAlias = Literal["narrative", "parenthetical", "number", "named"]


@dataclass(frozen=True, slots=True)
class Label:
    """The name that a list gives one of its works.

    Attributes:
        number: Its number, from 1; 0 where there is no list.
        letter: The letter behind its year; empty if no other work needs one.
    """

    number: int = 0
    letter: str = ""


def letters_of_years(
    works: Iterable[Described], translate: Callable[[str], str] = str
) -> Iterator[str]:
    """The letter behind the year of each work of a list; most need none.

    >>> from handle_system.citing.style import Date, Described, Name
    >>> kahn = Described(authors=(Name("Kahn"),), date=Date(2006))
    >>> paskin = Described(authors=(Name("Paskin"),), date=Date(2006))
    >>> [*letters_of_years([kahn, paskin, kahn])]
    ['a', '', 'b']
    """
    names_and_years = [(short_names(work, translate), work.year) for work in works]
    counts = Counter(names_and_years)
    lettered: Counter[tuple[str, str]] = Counter()
    for name_and_year in names_and_years:
        letter = ""
        if all(name_and_year) and counts[name_and_year] > 1:
            letter = letters(lettered[name_and_year])
            lettered[name_and_year] += 1
        yield letter


def letters(index: int) -> str:
    """``a`` to ``z``, then ``aa``, ``ab`` and so on.

    >>> [letters(index) for index in (0, 25, 26, 52)]
    ['a', 'z', 'aa', 'ba']
    """
    text = ""
    while index >= 0:
        index, digit = divmod(index, 26)
        text = chr(ord("a") + digit) + text
        index -= 1
    return text


def citation_text(
    work: Described,
    label: Label,
    style: CitingStyle,
    translate: Callable[[str], str] = str,
    *,
    locator: str = "",
) -> str:
    """The text of one citation, without the brackets around a cluster.

    It is empty if too little is known: no name or title, or no number.

    Args:
        work: The work.
        label: The name that a list gives it.
        style: How the text cites works.
        translate: Turns an English word of the style into the reader's language.
        locator: Where in the work: ``p. 3``.

    >>> from handle_system.citing.style import Date, Described, Name
    >>> kahn = Described(authors=(Name("Kahn"),), date=Date(2006))
    >>> citation_text(kahn, Label(3, "a"), "narrative", locator="p. 4")
    'Kahn (2006a, p. 4)'
    >>> citation_text(kahn, Label(3, "a"), "parenthetical")
    'Kahn, 2006a'
    >>> citation_text(kahn, Label(3, "a"), "number", locator="p. 4")
    '3, p. 4'
    >>> citation_text(kahn, Label(3, "a"), "named", locator="p. 4")
    'Kahn [3, p. 4]'
    """
    number = _joined(str(label.number), locator) if label.number else ""
    if style == "number":
        return number
    names = short_names(work, translate)
    if style == "named":
        return f"{names} [{number}]".strip() if number else ""
    if not names:
        return ""
    year = f"{work.year}{label.letter}" if work.year else ""
    if style == "parenthetical":
        return _joined(names, year, locator)
    in_brackets = _joined(year, locator)
    return f"{names} ({in_brackets})" if in_brackets else names


def citing_style(
    display: DisplayStyle, *, is_bracketed: bool, is_named: bool = False
) -> CitingStyle | None:
    """How a project cites works; `None` if identifiers stand.

    Args:
        display: How it shows references.
        is_bracketed: Whether brackets stand around them.
        is_named: Whether their author asks for names beside numbers.
    """
    if display == "number":
        return "named" if is_named else "number"
    if is_bracketed:
        return "parenthetical"
    return "narrative" if display == "citation" else None


def signs_around(
    style: CitingStyle, texts: Sequence[str], words: Sequence[tuple[str, str]]
) -> tuple[str, str, str]:
    """The opening bracket, the separator and the closing bracket of citations together.

    Args:
        style: How the text cites works.
        texts: The text of each citation; empty where its identifier stands.
        words: The prefix and the locator of each.

    >>> signs_around("number", ["1", "2"], [("", ""), ("", "")])
    ('[', ', ', ']')
    >>> signs_around("parenthetical", ["Kahn, 2006"], [("see", "")])
    ('(', '; ', ')')
    """
    is_number = style == "number"
    has_words = any(prefix or locator for prefix, locator in words)
    separator = ", " if is_number and not has_words else "; "
    is_lone_identifier = not any(texts) and len(texts) == 1 and not words[0][0]
    if style in {"narrative", "named"} or (is_number and is_lone_identifier):
        return "", separator, ""
    return ("[", separator, "]") if is_number else ("(", separator, ")")


def _joined(*texts: str) -> str:
    return ", ".join(filter(None, texts))
