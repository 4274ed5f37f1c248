"""The text beside a reference that says which work its author means.

Three kinds of text can be compared with the work that the identifier names: an *entry* of
a bibliography or a citation file, a *written* reference, which is a block of prose, and
the *label* of a link, such as ``Kahn and Wilensky (2006)``.

Most text beside an identifier is none of them: a sentence of a changelog, a paragraph
that cites three works, a description of what is behind the link.  `written_reference`
and `link_label` decide, and they decide narrowly, since a wrong comparison is worse than
a missed one.  What passes them is a `TextBeside`, and needs no further test.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from handle_system.text import compiled

# Characters of a written reference without its identifier.
_SHORTEST = 30
_LONGEST = 1_200
# Words behind the identifier, such as "Accessed 3 May 2021".
_MOST_WORDS_AFTER = 12
_LONGEST_LABEL = 200
_LONGEST_ENTRY = 50_000
_LONGEST_TITLE = 1_000

_TOO_MANY_WORDS = re.compile(rf"(?:[\W_]*+[^\W_]++){{{_MOST_WORDS_AFTER + 1}}}")
# Typographers, and Pandoc, put it behind an abbreviation.
_NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")

# Letters, of which the first is a capital and one is small: "Kahn", not "HTML".
_PART_OF_NAME = r"(?=[^\W\d_a-z][^\W\d_a-zß-ÿ]*+[a-zß-ÿ])[^\W\d_]++"
# "Kahn", "Smith-Jones", "O’Brien".
_NAME = rf"(?:[^\W\d_][’'])?{_PART_OF_NAME}(?>(?:-{_PART_OF_NAME})*)"
# "van den Berg", "KAHN", "Garcia Lopez".
_FAMILY = rf"(?:[a-z]{{1,4}} ){{0,2}}(?:{_NAME}|[^\W\d_a-z]{{2,}}+)(?: {_NAME}){{0,2}}"
# "R.", "R. E.", "R.-E."
_INITIALS = r"(?:[^\W\d_a-z]\.[ -]?){1,4}"
# Kahn, R. E.
_FAMILY_INITIALS = rf"{_FAMILY},? ?{_INITIALS}(?=\W|$)"
# Kahn RE, and Wilensky R
_FAMILY_CAPITALS = (
    rf"(?:[a-z]{{1,4}} )?{_NAME}(?: {_NAME})? [^\W\d_a-z]{{1,3}}"
    r"(?=[.,;&(]| and\b| et al\b| \d{4})"
)
# R. E. Kahn and R. Wilensky
_INITIALS_FAMILY = rf"{_INITIALS}{_FAMILY}(?=[.,;:&(]| and\b| et al\b)"
# A family name and given names, before other people, a title, or a year
_FAMILY_GIVEN = (
    rf"{_FAMILY}, {_NAME}(?: [^\W\d_a-z]\.)*"
    r"(?=, and |,? & | and |\. [“\"(]|\. \d{4}\.| \(\d{4})"
)
_FIRST_NAME = (
    f"{_FAMILY_INITIALS}|{_FAMILY_CAPITALS}|{_INITIALS_FAMILY}|{_FAMILY_GIVEN}"
)
# What may stand before the names: marks of lists, labels of footnotes and citations.
_BEFORE_NAMES = re.compile(
    r"(?>(?:[\s\-*+•#>|_`“\"]|\d{1,3}[.)]|\[\^?[\w.:#-]*+\]:?|\(\d+\)|\.\."
    r"|References?:?\s)*)",
    re.IGNORECASE,
)
# What only references have: a year in parentheses or between marks, pages, an issue,
# quotation marks.
_PART_OF_REFERENCE = (
    r"(?i)\(\D{0,12}\d{4}[a-z]?\b[^)]{0,20}\)|\d[-–—]{1,2}[A-Za-z]?\d|\d ?\(\d+\)|\bvol|\bpp?\."
    r"|[“”\"]|[,.] (?:1[5-9]|20)\d\d[a-z]?[.,;]"
)
# "Kahn et al. (2019)", "Kahn and Wilensky, 2019a", "(Kahn 2006)".
_LABEL = (
    rf"\(?(?:[a-z]{{1,4}} ){{0,2}}(?P<people>{_NAME}(?: {_NAME})*"
    rf"(?:,? et al\.?|(?:, {_NAME})*,? (?:and|&) {_NAME})?)"
    r",? ?\(?(?:1[5-9]|20)\d\d[a-z]?\)*"
)
# Fields of BibTeX and BibLaTeX that say which work an entry is about. All others are left
# out: an abstract holds the words of any title, and a date of access the year of any work.
_BIBTEX_FIELDS = frozenset(
    """
    addendum articleno bookauthor bookeditor booksubtitle booktitle booktitleaddon
    collaboration date edition editor editora eid eventtitle howpublished institution
    issue issuetitle journal journalsubtitle journaltitle maintitle note number
    organization origdate origtitle publisher school series shortauthor shortjournal
    shorttitle subtitle titleaddon translatedtitle translator version volume year
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)
# Parts of a work often have the identifier of the whole.
_BIBTEX_PARTS = frozenset(
    """
    bookinbook conference inbook incollection inproceedings inreference suppbook
    suppcollection suppperiodical
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)


class TextKind(StrEnum):
    """What the text beside a reference is."""

    ENTRY = "entry"
    """An entry of a bibliography, or of a citation file."""
    WRITTEN = "written"
    """A reference that is written out in a block of prose."""
    LABEL = "label"
    """The text of a link, which is names and a year."""


class TextBeside(NamedTuple):
    """A text beside a reference that names the work which its author means.

    Attributes:
        kind: What it is.
        text: All that it says of the work, with its markup.
        title: The title, if it is an entry.
        people: The authors or editors, one behind the other with "and" between them; of
            a written reference the first one alone.
        pages: The pages, if it is an entry.
        is_part: Whether it is an entry of a part of a work, such as a chapter, which
            often has the identifier of the whole.
        journal: The journal, if it is an entry.
    """

    kind: TextKind
    text: str
    title: str = ""
    people: str = ""
    pages: str = ""
    is_part: bool = False
    journal: str = ""

    def to_plain(self) -> tuple[Any, ...]:
        """Strings and a truth value alone, for an environment that outlives a build."""
        return (str(self.kind), *self[1:])

    @classmethod
    def from_plain(cls, plain: tuple[Any, ...]) -> "TextBeside":
        """The text that `to_plain` gave."""
        kind, *others = plain
        return cls(TextKind(kind), *others)


def entry(
    others: str,
    *,
    title: str,
    people: str,
    pages: str = "",
    is_part: bool = False,
    journal: str = "",
) -> TextBeside | None:
    """An entry, if it has a title.

    Args:
        others: What it says besides: container, year, volume, notes.
        title: Its title.
        people: Its authors and editors, with "and" between them.
        pages: Its pages.
        is_part: Whether it is an entry of a part of a work.
        journal: Its journal.
    """
    title = title[:_LONGEST_TITLE]
    if not title.strip():
        return None
    # What is compared first stands first, where the whole is too long.
    text = f"{title}\n{pages}\n{others}\n{people}"[:_LONGEST_ENTRY]
    return TextBeside(TextKind.ENTRY, text, title, people, pages, is_part, journal)


def bibtex_entry(kind: str, fields: Mapping[str, str]) -> TextBeside | None:
    """An entry of BibTeX or BibLaTeX, if it has a title.

    Args:
        kind: Its type, such as ``article``.
        fields: Its fields by their names in lower case, with the markup of TeX.

    >>> bibtex_entry("book", {"title": "{Urns}", "editor": "Doe, Jane"}).people
    'Doe, Jane'
    """
    others = [text for name, text in fields.items() if name in _BIBTEX_FIELDS]
    is_part = kind.lower() in _BIBTEX_PARTS
    is_part = is_part or not fields.keys().isdisjoint({"booktitle", "chapter"})
    return entry(
        "\n".join(others),
        title=fields.get("title", ""),
        people=fields.get("author") or fields.get("editor", ""),
        pages=fields.get("pages", ""),
        is_part=is_part,
        journal=fields.get("journal") or fields.get("journaltitle", ""),
    )


def written_reference(before: str, after: str = "") -> TextBeside | None:
    """The one reference that a block of prose is, if it ends in its only identifier.

    It begins with a name, and it has a year and something else that only references
    have, such as pages.

    Args:
        before: The block up to the identifier.
        after: The block behind it.

    >>> written_reference(
    ...     "[1] Kahn, R. and Wilensky, R. (2006). A framework for objects. IJDL 6, 115. "
    ... ).people
    'Kahn, R.'
    >>> written_reference("Kahn et al. (2006) show that; the data are at ") is None
    True
    """
    text = before[_BEFORE_NAMES.match(before).end() :]  # type: ignore[union-attr] # it matches nothing, too
    if not _SHORTEST <= len(text) <= _LONGEST:
        return None
    if not may_follow_reference(after):
        return None
    text = text.replace(_NO_BREAK_SPACE, " ")
    whole = f"{text} {after}".strip()
    is_dated = _YEAR.search(whole) is not None
    if not is_dated or compiled(_PART_OF_REFERENCE).search(text) is None:
        return None
    first_name = compiled(_FIRST_NAME).match(text)
    if first_name is None:
        return None
    return TextBeside(TextKind.WRITTEN, whole, people=first_name[0])


def text_beside(own_text: str, around: tuple[str, str] | None) -> TextBeside | None:
    """The text beside a link that can be compared with the work that it leads to.

    Args:
        own_text: The text that its author gave to the link.
        around: The text of its block before and behind it; `None` if another link of
            the block leads to an identifier.
    """
    label = link_label(own_text)
    if label is not None or around is None:
        return label
    before, behind = (text.replace("\n", " ") for text in around)
    # Most references stand in prose that goes on.
    if not may_follow_reference(behind):
        return None
    if " " in own_text:
        # A title, and no identifier.
        before += own_text
    return written_reference(before, behind)


def may_follow_reference(text: str) -> bool:
    """Whether a text, or its beginning, may stand behind the identifier of a reference.

    >>> may_follow_reference(". Accessed 3 May 2021.")
    True
    """
    return len(text) <= _LONGEST and _TOO_MANY_WORDS.match(text) is None


def link_label(text: str) -> TextBeside | None:
    """The text of a link, if it is names and a year, and nothing else.

    >>> link_label("Kahn and Wilensky (2006)").people
    'Kahn and Wilensky'
    >>> link_label("the framework of 2006") is None
    True
    """
    text = text.replace(_NO_BREAK_SPACE, " ").strip()
    if len(text) > _LONGEST_LABEL or _YEAR.search(text) is None:
        return None
    label = compiled(_LABEL).fullmatch(text)
    if label is None:
        return None
    return TextBeside(TextKind.LABEL, text, people=label["people"])
