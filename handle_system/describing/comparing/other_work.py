"""Whether a text beside an identifier is about another work than the identifier names.

A text is about another work if less than half of either title stands in the other text,
and nobody of the work is named there.  There is nothing to say if year and first page
agree, since then the title is a translation; if the two titles are of different scripts;
if one of them is short, as the names of programs are; or if the text names nobody.  Of the
labels of links, the year has to differ, too.

Of an entry, year, first page and journal say more.  Where two of them differ from those of
a work of other people, three quarters of a title may be shared, and a title may be short if
no word of it is.  Where somebody is named on both sides, or the metadata name nobody, less
of the titles may be shared, and something else has to differ: another page, or people of
whom each side has some that the other one lacks.

Some differences are no mistakes, and are left alone: an erratum, one part of a work for
another, an edition, a preprint, the identifier of a book beside one of its chapters.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import Any

from handle_system.describing.comparing.facts import (
    WorkFacts,
    facts_of_item,
    family_names,
    first_page,
    names_anybody,
    numbers_of,
)
from handle_system.describing.comparing.words import (
    is_latin,
    letters_of,
    may_be_same_name,
    plain,
    shared_part,
    shares_a_word,
    words_of,
    years_of,
)
from handle_system.text_beside import TextBeside, TextKind

# Two titles that share so much of one of them are the same.
_SAME_TITLE = 0.5
# Where the people agree, less has to be shared; more may be where nothing else agrees.
_OTHER_TITLE = 0.25
_ALIKE_TITLE = 0.75
# In letters; titles of two parts of a work begin alike.
_BEGINNING = 12
# Shared numbers of fewer digits may be a volume.
_FEWEST_DIGITS = 3
# The page of an abstract in a supplement: "S299", "A75".
_ABSTRACT = re.compile(r"[a-z]\d{1,4}")


class Aspect(StrEnum):
    """What differs between a text and the work that is named."""

    TITLE = "title"
    PEOPLE = "people"
    YEAR = "year"
    PAGE = "page"


def differences(beside: TextBeside, item: Mapping[str, Any]) -> tuple[Aspect, ...]:
    """What differs if the text is about another work than the item; else nothing.

    It holds `Aspect.PEOPLE` if nobody of the work is named in the text.

    Args:
        beside: The text.
        item: The work that the identifier names, as the file of references has it.
    """
    return _Comparison(_ReadText(beside), facts_of_item(item)).differences


def are_about_two_works(first: TextBeside, second: TextBeside) -> bool:
    """Whether two texts beside the same identifier are about two works.

    Parts of works are left out: chapters have the identifier of their book.
    """
    if TextKind.LABEL in {first.kind, second.kind} or first.kind is not second.kind:
        return False
    if first.is_part or second.is_part:
        return False
    return _are_two_works(_ReadText(first), _ReadText(second))


class _ReadText:
    """A text beside a reference, reduced to what is compared."""

    def __init__(self, beside: TextBeside) -> None:
        self.kind = beside.kind
        self.plain = plain(beside.text)
        self.letters = letters_of(self.plain)
        self.title = plain(beside.title)
        self.first_page = first_page(beside.pages)
        self.people = beside.people
        self.journal = beside.journal

    @property
    def written_title(self) -> str:
        """The title; of a written reference the whole, in which it stands somewhere."""
        return self.title or self.plain

    @cached_property
    def words(self) -> set[str]:
        return set(words_of(self.plain))

    @cached_property
    def years(self) -> set[int]:
        return years_of(self.plain)

    @cached_property
    def numbers(self) -> set[str]:
        return numbers_of(self.plain)

    @cached_property
    def families(self) -> list[frozenset[str]]:
        return family_names(self.people)

    def names(self, person: Iterable[str]) -> bool:
        """Whether a person is named, by the words of the family name."""
        return names_anybody(person, self.words, self.letters)

    @property
    def is_by_its_journal(self) -> bool:
        """Whether the author is the journal, which is nobody whom two texts share."""
        people = words_of(plain(self.people))
        return set(people).issubset(words_of(plain(self.journal)))


class _Comparison:
    """A text, and the work that the identifier beside it names."""

    def __init__(self, text: _ReadText, work: WorkFacts) -> None:
        self._text = text
        self._work = work

    @property
    def differences(self) -> tuple[Aspect, ...]:
        if not self._can_be_compared or self._is_same_place:
            return ()
        return tuple(self._differing) if self._is_other else ()

    @property
    def _is_other(self) -> bool:
        if not self._work.people:
            return self._is_other_by_title
        if self._has_same_people:
            return self._is_other_of_same_people
        return self._is_other_of_other_people

    @property
    def _differing(self) -> list[Aspect]:
        differing = [Aspect.TITLE]
        if self._work.people and not self._has_same_people:
            differing.append(Aspect.PEOPLE)
        if self._has_other_year:
            differing.append(Aspect.YEAR)
        if self._has_other_page:
            differing.append(Aspect.PAGE)
        return differing

    @property
    def _can_be_compared(self) -> bool:
        """Whether the work has a title in the script of the text, and both have people.

        Where the metadata name nobody, the people of the text tell nothing.
        """
        if not self._work.title or (self._work.people and not self._text.people):
            return False
        return is_latin(self._work.title) is is_latin(self._text.written_title)

    @cached_property
    def _shared_parts(self) -> list[float | None]:
        """How much of each title stands in the other text."""
        work = self._work
        parts = [shared_part(work.title, self._text.letters)]
        if self._text.title:
            letters = letters_of(f"{work.title} {work.containers}")
            parts.append(shared_part(self._text.title, letters))
        return parts

    @property
    def _larger_part(self) -> float:
        """The larger part; all of it if a title is too short to tell anything.

        "pandas" beside the identifier of an article is no mistake.
        """
        parts = [1.0 if part is None else part for part in self._shared_parts]
        return max(parts)

    @cached_property
    def _has_same_year(self) -> bool:
        """Whether the years agree: printed works appear online a year before."""
        year = self._work.year
        return not self._text.years.isdisjoint({year - 1, year, year + 1})

    @property
    def _has_other_year(self) -> bool:
        is_known = self._work.year != 0 and bool(self._text.years)
        return is_known and not self._has_same_year

    @property
    def _has_same_page(self) -> bool:
        # One digit stands in many texts.
        page = self._work.first_page
        return len(page) > 1 and page in self._text.numbers

    @property
    def _has_other_page(self) -> bool:
        is_known = bool(self._work.first_page and self._text.first_page)
        return is_known and not self._has_same_page

    @cached_property
    def _has_other_journal(self) -> bool | None:
        """Whether neither journal can stand for the other; `None` if one is unknown."""
        journal = plain(self._text.journal)
        if not words_of(journal) or not self._work.containers:
            return None
        return not may_be_same_name(journal, self._work.containers)

    @property
    def _is_same_place(self) -> bool:
        return self._has_same_year and self._has_same_page

    @cached_property
    def _has_same_people(self) -> bool:
        if any(map(self._text.names, self._work.people)):
            return True
        # Some metadata have the given name for the family name.
        return self._text.names(self._work.given) and self._has_same_year

    @cached_property
    def _differing_facts(self) -> int:
        """How many of year, page and journal are known, and differ."""
        facts = [self._has_other_year, self._has_other_page, self._has_other_journal]
        return facts.count(True)

    @property
    def _has_other_team(self) -> bool:
        """Whether each side names somebody whom the other one does not."""
        if self._work.has_more_people or all(map(self._text.names, self._work.people)):
            return False
        words = {*chain(*self._work.people), *self._work.given}
        letters = " ".join(words)
        people = self._text.families
        return not all(names_anybody(person, words, letters) for person in people)

    @property
    def _is_other_by_title(self) -> bool:
        """Whether the title tells, because the metadata name nobody."""
        is_other = self._larger_part < _OTHER_TITLE
        return is_other and (self._has_other_year or self._has_other_page)

    @property
    def _is_other_of_other_people(self) -> bool:
        """Whether a text about other people is about another work.

        A label may name a co-author, so its year has to differ, too.
        """
        if self._text.kind is TextKind.LABEL:
            return self._larger_part < _SAME_TITLE and self._has_other_year
        if self._differing_facts > 1:
            return self._larger_part < _ALIKE_TITLE or self._shares_no_word
        return self._larger_part < _SAME_TITLE

    @property
    def _shares_no_word(self) -> bool:
        """Whether two titles, of which one is short, have nothing in common."""
        work = self._work
        letters = letters_of(f"{work.title} {work.containers}")
        title = self._text.title
        in_work = shares_a_word(title, letters)
        return not in_work and not shares_a_word(work.title, letters_of(title))

    @property
    def _is_other_of_same_people(self) -> bool:
        """Whether an entry is about another work of the same people."""
        if not self._text.title:
            return False
        is_told = self._differing_facts > 0
        if self._is_at_other_place or (is_told and self._has_other_team):
            return self._larger_part < _SAME_TITLE
        has_other_title = self._larger_part < _OTHER_TITLE
        return has_other_title and (is_told or self._has_other_team)

    @property
    def _is_at_other_place(self) -> bool:
        """Whether the page differs, and not because it is that of another part.

        Without journals and years it may be that of a preprint.
        """
        is_known = self._has_other_journal is not None or self._has_other_year
        return is_known and self._has_other_page and not self._begins_alike

    @property
    def _begins_alike(self) -> bool:
        """Whether the titles begin as those of two parts do."""
        titles = (self._work.title, self._text.title)
        first, second = (letters_of(title)[:_BEGINNING] for title in titles)
        return first == second


def _are_two_works(first: _ReadText, second: _ReadText) -> bool:
    """Whether neither text holds the title, the people or the place of the other."""
    if is_latin(first.written_title) is not is_latin(second.written_title):
        return False
    if _is_same_place(first, second) or _are_abstracts(first, second):
        return False
    return _is_other(first, second) and _is_other(second, first)


def _is_other(text: _ReadText, other: _ReadText) -> bool:
    part = shared_part(text.written_title, other.letters)
    if part is None or part >= _SAME_TITLE or not text.families:
        return False
    if text.is_by_its_journal:
        return True
    return not any(map(other.names, text.families))


def _is_same_place(first: _ReadText, second: _ReadText) -> bool:
    """Whether years and pages agree, so that the titles are translations."""
    if first.years.isdisjoint(second.years):
        return False
    if first.first_page and second.first_page:
        return first.first_page == second.first_page
    # Of a written reference it is not known which numbers are its pages.
    shared = (first.numbers & second.numbers) - {str(year) for year in first.years}
    digits = sum(len(number) for number in shared if len(number) > 1)
    return digits >= _FEWEST_DIGITS


def _are_abstracts(first: _ReadText, second: _ReadText) -> bool:
    """Whether both stand in a supplement, which has one identifier for all."""
    return all(any(map(_ABSTRACT.fullmatch, text.numbers)) for text in (first, second))
