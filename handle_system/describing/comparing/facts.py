"""What can be compared of a work: of an item, and of people in an entry."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from handle_system.citing.style import Name, plain_text
from handle_system.describing.comparing.words import (
    is_telling,
    plain,
    words_of,
    years_of,
)
from handle_system.describing.items import describe

# Of a long list of people the first ones are named, and often the last.
_MOST_PEOPLE = 12
# Who stands for all others in a database of BibTeX.
_NOBODY = frozenset({"others"})
# A name of fewer letters stands in other words by chance.
_SHORTEST_NAME_IN_LETTERS = 5
# "115", "S299", and numbers of articles, such as "e2023JB027041".
_FIRST_PAGE = re.compile(r"[a-z]{0,2}\d{1,12}(?:[a-z]{1,2}\d{1,12})?")
# An umlaut is written as two letters, too.
_UMLAUTS = str.maketrans(
    {"ö": "oe", "ü": "ue", "ä": "ae", "Ö": "oe", "Ü": "ue", "Ä": "ae"}
)
_BETWEEN_PEOPLE = re.compile(r"\s+and\s+|\s*[;&]\s*", re.IGNORECASE)
_INITIALS = re.compile(r"(?:[^\W\d_]\.[ -]?)+")
_CAPITALS_BEHIND = re.compile(r"(?<=\w) [^\W\d_a-z]{1,3}\Z")


@dataclass(frozen=True, slots=True)
class WorkFacts:
    """What an item says of its work, in plain letters.

    Attributes:
        title: The title.
        containers: What holds the work, its series, its publisher.
        people: The words of the family name of each person, or of the name of a body.
        has_more_people: Whether there are others.
        first_author: The first author.
        given: The words of given names.
        year: The year; 0 if it is unknown.
        first_page: The first page, or the number of the article; empty if unknown.
    """

    title: str
    containers: str
    people: tuple[frozenset[str], ...]
    has_more_people: bool
    first_author: Name
    given: frozenset[str]
    year: int
    first_page: str


def facts_of_item(item: Mapping[str, Any]) -> WorkFacts:
    """The facts of a stored item."""
    described = describe(item)
    containers = (described.container, described.series, described.publisher)
    people = [*described.authors, *described.editors]
    if "translator" in item:
        people += describe({"author": item["translator"]}).authors
    has_more_people = len(people) > _MOST_PEOPLE + 1
    people = people[:_MOST_PEOPLE] + people[_MOST_PEOPLE:][-1:]
    years = years_of(described.year)
    return WorkFacts(
        title=plain(plain_text(described.title)),
        containers=plain(" ".join(containers)),
        people=tuple(filter(None, map(words_of_name, people))),
        has_more_people=has_more_people,
        first_author=described.authors[0] if described.authors else Name(),
        given=_words_of_names(name.given for name in people),
        year=min(years, default=0),
        first_page=first_page(described.pages_or_number),
    )


def family_names(people: str) -> list[frozenset[str]]:
    """The words of the family name of each of several people with "and" between them.

    >>> [*map(sorted, family_names("Kahn, Robert and Robert Wilensky and others"))]
    [['kahn'], ['wilensky']]
    """
    # A search would begin anew at each character of a long space.
    line = " ".join(people.split())
    first_people = _BETWEEN_PEOPLE.split(line, _MOST_PEOPLE)[:_MOST_PEOPLE]
    names = (_words_of_names([_family(person)]) for person in first_people)
    return [words for words in names if words - _NOBODY]


def words_of_name(name: Name) -> frozenset[str]:
    """The words of a family name, or of the name of a body."""
    return _words_of_names([name.short])


def first_page(pages: str) -> str:
    """The first page of a range, without zeros before it; empty if there is none."""
    page = _FIRST_PAGE.search(plain(pages))
    return page[0].lstrip("0") if page else ""


def numbers_of(plain_text: str) -> set[str]:
    """The numbers of a plain text that can be pages, as `first_page` has them."""
    return {number.lstrip("0") for number in _FIRST_PAGE.findall(plain_text)}


def names_anybody(names: Iterable[str], words: set[str], letters: str) -> bool:
    """Whether one of some names stands in a text.

    Args:
        names: The words of the names.
        words: The words of the text.
        letters: Its letters.
    """
    return any(_is_named(name, words, letters) for name in names)


def _is_named(name: str, words: set[str], letters: str) -> bool:
    if name in words:
        return True
    return len(name) >= _SHORTEST_NAME_IN_LETTERS and name in letters


def _family(person: str) -> str:
    """The family name of one person in an entry, or in a written reference."""
    before, comma, _ = person.partition(",")
    if comma:
        return _INITIALS.sub("", before)
    name = _INITIALS.sub("", person).strip()
    # "Kahn RE"
    family = _CAPITALS_BEHIND.sub("", name)
    if family != name or name.startswith("{"):
        return family
    return name.rpartition(" ")[2]


def _words_of_names(names: Iterable[str]) -> frozenset[str]:
    """The words of names, with umlauts in both spellings; initials are none."""
    text = " ".join(names)
    words = words_of(plain(text))
    in_two_letters = text.translate(_UMLAUTS)
    if in_two_letters != text:
        words += words_of(plain(in_two_letters))
    return frozenset(filter(is_telling, words))
