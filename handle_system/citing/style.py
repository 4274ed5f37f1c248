"""The built-in style: the reference of a work, as runs of text.

The order is DataCite's recommendation for versioned works, with the container between
version and pages, as journals need it::

    names (year). Title. Version 1.0. Container volume(issue), pages.
    names (year). Title. Version 1.0. Publisher.

One text of a reference is in italics: its container, or its title if it has none.
Without names the title comes first, and without a title, too, the container.  The identifier is not part of the reference: who
prints it appends the link.

Nothing here reads markup.  A run is exact text, and a writer escapes it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Literal, NamedTuple, TypeAlias

from handle_system.handle import Handle

#: How a run is set: italic, bold, subscript, superscript (the tags of CSL-JSON).
Tag: TypeAlias = Literal["i", "b", "sub", "sup"]

#: Every word of the style by its name, in English.
LABELS = {
    "version": "Version",
    # Between two names in running text: Kahn and Wilensky (2006).
    "and": "and",
    # Behind the names of editors, where a work has no authors.
    "editor": "Ed.",
    "editors": "Eds.",
}
# A list of more names is shortened to the first six.
_MOST_NAMES = 8
_SHOWN_NAMES = 6
_ET_AL = " et al."
# Characters of a title that stands for names in running text.
_LONGEST_IN_TEXT = 60
#: BibTeX and programs that convert it write one of these as the last name of a list.
OTHERS = {"others", "et al.", "et al"}
_SENTENCE_ENDS = (".", "?", "!", "…", "。", "．", "？", "！", "؟")
_CLOSING_QUOTES = "”’\"'»」』"
# Up to three letters may stand behind a number: 453S, 21bis. Roman numbers have small ones.
_PAGE = r"\w*\d[A-Za-z]{0,3}|[ivxlcdm]+"
_PAGE_RANGE = re.compile(f"({_PAGE})--?({_PAGE})")
# From page to page; anything else is one page, or the number of an article.
_PAGES = re.compile(r"([^\s,;–-]+)\s*(?:--?|–)\s*([^\s,;–-]+)")


class Run(NamedTuple):
    """A run of text that is set in one way: of a title, a reference, a list or a card.

    Attributes:
        text: The text, exact: no smart quotes, no hyphenation.
        tags: How it is set, the outermost first.
        href: The target, if it is a link.
        classes: The classes of the link or of the text, if it is an identifier.
    """

    text: str
    tags: tuple[Tag, ...] = ()
    href: str = ""
    classes: tuple[str, ...] = ()


#: A line of text as runs, none of them empty.
RichText: TypeAlias = tuple[Run, ...]

_SPACE = Run(" ")
_FULL_STOP = Run(".")

# Each reference makes names and a work, and named tuples are made faster than frozen
# dataclasses.


class Name(NamedTuple):
    """The name of a person, or of a body.

    A name whose family name is known sorts and abbreviates; any other one is written as
    it stands.

    Attributes:
        name: The whole name of a body, and of a person whose name does not divide.
        family: The family name of a person.
        given: The given names of a person; they need the family name.
        suffix: What stands behind the name of a person: ``Jr.``.
        orcid: The ORCID of a person, ``0000-0002-1825-0097``, without the address.
    """

    name: str = ""
    family: str = ""
    given: str = ""
    suffix: str = ""
    orcid: str = ""

    @classmethod
    def person(
        cls, family: str, given: str = "", suffix: str = "", *, orcid: str = ""
    ) -> "Name":
        """A person by family and given names.

        >>> Name.person("Carberry", "Josiah").whole
        'Josiah Carberry'
        """
        return cls("", family, given, suffix, orcid)

    @property
    def whole(self) -> str:
        """The name as a reader would say it."""
        parts = (self.given, self.family, self.suffix)
        return self.name or " ".join(filter(None, parts))

    @property
    def short(self) -> str:
        """The family name; of a name that does not divide, the whole."""
        return self.family or self.name

    @property
    def sort_name(self) -> str:
        """``Family, Given, Suffix`` as far as they are known; else the whole name."""
        if not self.family:
            return self.name
        parts = (self.family, self.given, self.suffix)
        return ", ".join(filter(None, parts))

    @property
    def csl(self) -> dict[str, str]:
        """The name as CSL-JSON has it."""
        if not self.family:
            return {"literal": self.name}
        parts = {"family": self.family, "given": self.given, "suffix": self.suffix}
        return {part: text for part, text in parts.items() if text}

    @property
    def orcid_url(self) -> str | None:
        """The ORCID as a URL."""
        return f"https://orcid.org/{self.orcid}" if self.orcid else None


class Date(NamedTuple):
    """A date, as far as it is known, or words that stand for one.

    Attributes:
        year: The year; a negative number for years before the first, 0 if it is unknown.
        month: The month, 1 to 12; 0 if it is unknown.
        day: The day of the month; 0 if it is unknown.
        words: The words that stand for a date without a year.
    """

    year: int = 0
    month: int = 0
    day: int = 0
    words: str = ""

    @property
    def parts(self) -> tuple[int, ...]:
        """Year, month and day, as far as they are known."""
        parts = (self.year, self.month, self.day)
        return parts[: parts.index(0)] if 0 in parts else parts

    @property
    def shown_year(self) -> str:
        """The year for readers, or the words: ``2007``, ``350 BCE``, ``in press``."""
        if self.year < 0:
            return f"{-self.year} BCE"
        return str(self.year) if self.year else self.words

    @property
    def csl(self) -> dict[str, object]:
        """The date as CSL-JSON has it."""
        if self.words:
            return {"literal": self.words}
        return {"date-parts": [list(self.parts)]}

    def isoformat(self) -> str:
        """The date as ISO 8601 writes it, or the words.

        >>> Date(2007, 6).isoformat()
        '2007-06'
        """
        year, *month_and_day = self.parts or (0,)
        return self.words or "-".join(
            [f"{year:04d}", *(f"{part:02d}" for part in month_and_day)]
        )

    def is_before(self, other: "Date") -> bool:
        """Whether the date is certainly before another one.

        >>> Date(2007, 5).is_before(Date(2007, 6, 1)), Date(2007).is_before(Date(2007, 6))
        (True, False)
        """
        both_known = zip(self.parts, other.parts, strict=False)
        different = ((own, others) for own, others in both_known if own != others)
        own, others = next(different, (0, 0))
        return own < others


class Described(NamedTuple):
    """A work as references, lists and formats need it; a text that is not known is empty.

    It is made of what an author writes of a version or an article, strictly, or of what
    an agency answers, leniently.

    Attributes:
        type: Its type, one of CSL or ``manual``, for which CSL has none.
        title: The title.
        authors: Its authors.
        editors: Its editors, who are named where there is no author.
        date: When it was published.
        version: The label of the version, without ``V``.
        container: The journal, book or series that holds the work.
        volume: The volume of the container.
        issue: The issue of the volume.
        pages: The pages.
        number: The number of an article or a report.
        publisher: The publisher, who is named where there is no container.
        place: The place of the publisher.
        genre: What a thesis is for.
        series: The series that holds the container or the work.
        edition: The edition.
        language: The tag of its language.
        handle: Its identifier.
        url: Its address, in which a handle is encoded.
        variables: All that a file says of it, by the variables of CSL and in their
            shapes; `None` if the fields above say all.
    """

    type: str = "document"
    title: RichText = ()
    authors: tuple[Name, ...] = ()
    editors: tuple[Name, ...] = ()
    date: Date | None = None
    version: str = ""
    container: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    number: str = ""
    publisher: str = ""
    place: str = ""
    genre: str = ""
    series: str = ""
    edition: str = ""
    language: str = ""
    handle: Handle | None = None
    url: str | None = None
    variables: Mapping[str, object] | None = None

    @property
    def pages_or_number(self) -> str:
        """The pages; of a work without pages in a container, its number there."""
        return self.pages or (self.number if self.container else "")

    @property
    def issue_or_number(self) -> str:
        """The issue; of a work without a container, such as a report, its number."""
        return self.issue or ("" if self.container else self.number)

    @property
    def year(self) -> str:
        """The year for readers, or what stands for it; empty if neither is known."""
        return self.date.shown_year if self.date else ""

    @property
    def is_known(self) -> bool:
        """Whether enough is known for a reference: a title, a name or a container."""
        return bool(self.title or self.authors or self.editors or self.container)


def plain_text(runs: Iterable[Run]) -> str:
    """The text of runs alone."""
    return "".join([run.text for run in runs])


def run_html(run: Run) -> str:
    """A run in its tags, which are those of HTML, without its link."""
    opening = "".join(f"<{tag}>" for tag in run.tags)
    closing = "".join(f"</{tag}>" for tag in reversed(run.tags))
    return f"{opening}{escape(run.text)}{closing}"


def merged(runs: Iterable[Run]) -> RichText:
    """The runs that hold text, those beside each other with the same tags as one.

    They hold no links.
    """
    merged_runs: list[Run] = []
    texts: list[str] = []
    last_tags: tuple[Tag, ...] = ()
    for run in runs:
        if not run.text:
            continue
        if texts and run.tags != last_tags:
            merged_runs.append(Run("".join(texts), last_tags))
            texts = []
        texts.append(run.text)
        last_tags = run.tags
    if texts:
        merged_runs.append(Run("".join(texts), last_tags))
    return tuple(merged_runs)


def reference(
    work: Described,
    translate: Callable[[str], str] = str,
    *,
    is_shortened: bool = True,
    letter: str = "",
) -> RichText:
    """The reference of a work as a bibliography prints it, without its link.

    Args:
        work: The work.
        translate: Turns an English word of `LABELS` into the reader's language.
        is_shortened: Whether more than eight names become six and "et al.".
        letter: The letter that a list puts behind the year.

    >>> work = Described(title=(Run("On tea urns"),), authors=(Name.person("Carberry", "Josiah"),),
    ...             date=Date(2021), container="bioExample", volume="3", pages="1-9")
    >>> plain_text(reference(work))
    'Carberry, Josiah (2021). On tea urns. bioExample 3, 1–9.'
    """
    names = _names(work, translate, is_shortened=is_shortened)
    year_and_letter = f"{work.year}{letter}"
    year = f" ({year_and_letter})" if year_and_letter else ""
    title = work.title
    if not work.container:
        title = tuple(run if "i" in run.tags else _italic(run) for run in title)
    sentences: list[RichText] = []
    if names:
        sentences += [(Run(f"{names}{year}"),), title]
    elif title:
        sentences.append((*_without_full_stop(title), Run(year)))
    elif work.container:
        sentences.append((*_container(work), Run(year)))
    else:
        sentences.append((Run(year.strip()),))
    if work.version:
        version_word = translate(LABELS["version"])
        sentences.append((Run(f"{version_word} {work.version}"),))
    if work.container:
        if names or title:
            sentences.append(_container(work))
    elif work.publisher:
        sentences.append((Run(work.publisher),))
    return _joined(sentences)


def author_and_year(work: Described, translate: Callable[[str], str] = str) -> str:
    """A short citation for running text, or nothing for a work without a name or title.

    >>> author_and_year(Described(authors=(Name("Kahn"), Name("Wilensky")), date=Date(2006)))
    'Kahn and Wilensky (2006)'
    """
    names = short_names(work, translate)
    return f"{names} ({work.year})" if names and work.year else names


def first_and_last_page(pages: str) -> tuple[str, str]:
    """The first and the last page; the last one is empty if there is one page.

    >>> first_and_last_page("6111--6113"), first_and_last_page("e12")
    (('6111', '6113'), ('e12', ''))
    """
    both = _PAGES.fullmatch(pages)
    if both is None:
        return pages, ""
    first, last = both.groups()
    return first, "" if last == first else last


def short_names(work: Described, translate: Callable[[str], str] = str) -> str:
    """The names of a work for running text, else its title; empty if it has neither.

    >>> short_names(Described(authors=(Name("Kahn"), Name("Wilensky"), Name("Roe"))))
    'Kahn et al.'
    """
    listed, has_others = _listed_names(work)
    families = [name.short for name in listed]
    match families:
        case []:
            return _short(plain_text(_without_full_stop(work.title)))
        case [first, *_] if has_others:
            return f"{first}{_ET_AL}"
        case [family]:
            return family
        case [first, second]:
            return f"{first} {translate(LABELS['and'])} {second}"
        case _:
            return f"{families[0]}{_ET_AL}"


def with_letter(runs: RichText, work: Described, letter: str) -> RichText:
    """A reference in any style with a letter behind its year.

    The year is the first one that is no part of the title.

    >>> work = Described(title=(Run("Orwell in 1984"),), date=Date(1984))
    >>> plain_text(with_letter((Run("Orwell in 1984. Roe, 1984."),), work, "a"))
    'Orwell in 1984. Roe, 1984a.'
    """
    if not work.year:
        return runs
    title = re.escape(plain_text(_without_full_stop(work.title)))
    titled = re.search(title, plain_text(runs), re.IGNORECASE)
    title_start, title_end = titled.span() if titled else (0, 0)
    mention = re.compile(rf"(?<!\d){re.escape(work.year)}(?!\d)")
    offset = 0
    for index, run in enumerate(runs):
        for year in mention.finditer(run.text):
            is_in_title = title_start <= offset + year.start() < title_end
            if not is_in_title:
                before, after = run.text[: year.end()], run.text[year.end() :]
                lettered = Run(f"{before}{letter}{after}", run.tags)
                return (*runs[:index], lettered, *runs[index + 1 :])
        offset += len(run.text)
    return runs


def _names(
    work: Described, translate: Callable[[str], str], *, is_shortened: bool
) -> str:
    listed, has_others = _listed_names(work)
    names = [name.sort_name for name in listed]
    if is_shortened and len(names) > _MOST_NAMES:
        names = names[:_SHOWN_NAMES]
        has_others = True
    text = "; ".join(names) + (_ET_AL if has_others else "")
    if work.authors or not work.editors:
        return text
    label = "editor" if len(work.editors) == 1 else "editors"
    return f"{text} ({translate(LABELS[label])})"


def _listed_names(work: Described) -> tuple[tuple[Name, ...], bool]:
    """The authors, or the editors where there are none; whether there are others."""
    names = work.authors or work.editors
    if len(names) > 1 and names[-1].short in OTHERS:
        return names[:-1], True
    return names, False


def _short(title: str) -> str:
    """A title in running text: its first words, if it is long."""
    if len(title) <= _LONGEST_IN_TEXT:
        return title
    words, _, _ = title[: _LONGEST_IN_TEXT + 1].rpartition(" ")
    return f"{words or title[:_LONGEST_IN_TEXT]}…"


def _without_full_stop(title: RichText) -> RichText:
    """A title for the middle of a sentence."""
    if not title:
        return title
    *runs, last = title
    is_sentence = last.text.endswith(".") and not last.text.endswith("..")
    if not is_sentence:
        return title
    return (*runs, Run(last.text[:-1], last.tags))


def _container(work: Described) -> RichText:
    """The container with the position in it."""
    return (_italic(Run(work.container)), Run(_position_in_container(work)))


def _position_in_container(work: Described) -> str:
    """``volume(issue), pages`` as far as they are known, with what divides them."""
    volume = f" {work.volume}" if work.volume else ""
    issue = f"({work.issue})" if work.issue else ""
    if issue and not volume:
        issue = f" {issue}"
    pages = _pages(work.pages_or_number)
    return f"{volume}{issue}" + (f", {pages}" if pages else "")


def _pages(written: str) -> str:
    """Pages with an en dash; one page that is written as a range is one page."""
    pages = _PAGE_RANGE.fullmatch(written)
    if pages is None:
        return written
    first, last = pages.groups()
    return first if first == last else f"{first}–{last}"


def _italic(run: Run) -> Run:
    return Run(run.text, ("i", *run.tags))


def _joined(sentences: Iterable[RichText]) -> RichText:
    """The sentences that hold text, each with its end, and a space between them."""
    runs: list[Run] = []
    for sentence in sentences:
        text = plain_text(sentence)
        if not text.strip():
            continue
        if runs:
            runs.append(_SPACE)
        runs += sentence
        if not text.rstrip(_CLOSING_QUOTES).endswith(_SENTENCE_ENDS):
            runs.append(_FULL_STOP)
    return merged(runs)
