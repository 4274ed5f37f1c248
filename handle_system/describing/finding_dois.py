"""Which DOI a work has that is written without one: what agencies answer, compared.

A title alone is not enough: columns, replies and reissues share theirs.  A DOI is
suggested only if one candidate of all agencies agrees in title, first author and year,
and nothing else that both name differs.
"""

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import quote

from handle_system.describing.answers import described_doi, item_of, metadata_in_list
from handle_system.describing.comparing.facts import (
    facts_of_item,
    first_page,
    words_of_name,
)
from handle_system.describing.comparing.words import (
    letters_of,
    plain,
    shortens,
    words_of,
)
from handle_system.describing.items import JsonObject, describe
from handle_system.describing.services import CROSSREF, DATACITE, Agency, Services
from handle_system.handle import Handle
from handle_system.resolving.outcomes import Unreachable

#: The agencies that are asked, and nobody else.
AGENCIES_TO_SEARCH: Sequence[Agency] = (CROSSREF, DATACITE)
# In bytes, of one answer with some twenty works.
_LARGEST = 8 * 1024 * 1024
# Words of a title that a query has at most.
_MOST_WORDS = 20
_FEWEST_WORDS = 4
# Titles that a work shares with the one that it is about, or with others of its kind.
_ABOUT_ANOTHER = re.compile(
    r"(?:re|reply|response|comments?|discussion|letter|erratum|errata|corrigendum|"
    r"correction|addendum|retraction|author correction|publisher correction)\b"
)
_SMALL_WORDS = frozenset(("a", "an", "and", "de", "der", "die", "für", "for", "in"))
_SMALL_WORDS |= {"la", "le", "of", "on", "the", "und"}
# The types that an entry of a bibliography may have, of a work that agencies call so.
_TYPES: Mapping[str, frozenset[str]] = {
    "article-journal": frozenset(
        ("article-journal", "article-magazine", "article-newspaper", "review")
    ),
    "book": frozenset(("book", "report")),
    "chapter": frozenset(("chapter", "entry", "paper-conference")),
    "dataset": frozenset(("dataset",)),
    "paper-conference": frozenset(("chapter", "paper-conference")),
    "report": frozenset(("book", "report")),
    "software": frozenset(("software",)),
    "thesis": frozenset(("thesis",)),
}


@dataclass(frozen=True, slots=True)
class Sought:
    """A work that is written without its DOI, in CSL-JSON.

    Attributes:
        item: What is written of it.
        has_eprint: Whether an archive's number stands beside it.
    """

    item: JsonObject
    has_eprint: bool = False

    @property
    def why_reported_only(self) -> str:
        """Why its DOI is never written unseen; empty if it may be."""
        title = facts_of_item(self.item).title
        if self.has_eprint:
            return "it is at an archive"
        if self.item.get("type") == "thesis":
            return "it is a thesis"
        if _ABOUT_ANOTHER.match(title.strip()):
            return "its title is about another work"
        if len(words_of(title)) < _FEWEST_WORDS:
            return "its title is short"
        return ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A work that an agency answered.

    Attributes:
        handle: Its DOI.
        item: Its item.
    """

    handle: Handle
    item: JsonObject


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The one work that agrees.

    Attributes:
        candidate: The work.
        agreeing: What agrees, in words.
        is_certain: Whether container, or volume and first page, agree, too.
    """

    candidate: Candidate
    agreeing: tuple[str, ...]
    is_certain: bool


@dataclass(frozen=True, slots=True)
class Several:
    """Several works agree.

    Attributes:
        count: How many.
    """

    count: int


@dataclass(frozen=True, slots=True)
class Nothing:
    """No work agrees.

    Attributes:
        reason: Why none was looked for; empty if one was.
    """

    reason: str = ""


#: What was found for one work: a closed union.
FoundDoi: TypeAlias = Suggestion | Several | Nothing | Unreachable


def find(
    sought: Sought, services: Services, agencies: Iterable[Agency] = AGENCIES_TO_SEARCH
) -> FoundDoi:
    """Ask all agencies for the DOI of a work.

    Args:
        sought: The work.
        services: Sends the requests.
        agencies: The agencies.
    """
    facts = facts_of_item(sought.item)
    lacking = [
        name
        for name, is_there in (
            ("title", bool(words_of(facts.title))),
            ("author", bool(words_of_name(facts.first_author))),
            ("year", bool(facts.year)),
        )
        if not is_there
    ]
    if lacking:
        return Nothing(f"it has no {' and no '.join(lacking)}")
    candidates: list[Candidate] = []
    for agency in agencies:
        answered = candidates_of(sought, services, agency)
        if isinstance(answered, Unreachable):
            # The one that it does not name may agree, too.
            return answered
        candidates += answered
    return suggestion(sought, candidates)


def candidates_of(
    sought: Sought, services: Services, agency: Agency
) -> list[Candidate] | Unreachable:
    """The works that an agency answers when it is asked for one without a DOI."""
    facts = facts_of_item(sought.item)
    # Small letters and no signs: nothing in them is an operator of a query.
    title = " ".join(words_of(facts.title)[:_MOST_WORDS])
    author = " ".join(sorted(words_of(plain(facts.first_author.short))))
    query = agency.search_query.format(
        title=quote(title, safe=""), author=quote(author, safe="")
    )
    url = f"{agency.interface.removesuffix('/')}?{query}"
    limit = services.limit_of(agency, is_list=True)
    answer = services.ask(url, agency.media_type, limit, _LARGEST).result
    if isinstance(answer, Unreachable):
        return answer
    works = metadata_in_list(answer, agency.name)
    if works is None:
        return Unreachable(f"{agency.name}: its answer is no list of works")
    # The day is that of an item that is kept; this one is compared, and forgotten.
    day = dt.date.min
    dois = [(described_doi(work.answer), work) for work in works]
    return [
        Candidate(doi, item_of(doi, work, day)) for doi, work in dois if doi is not None
    ]


def suggestion(
    sought: Sought, candidates: Iterable[Candidate]
) -> Suggestion | Several | Nothing:
    """The one of several works that is the sought one."""
    own = _compared(sought.item)
    by_doi: dict[Handle, Suggestion] = {}
    for candidate in candidates:
        told = _agreeing(own, _compared(candidate.item))
        if told:
            is_certain = "container" in told or {"volume", "first page"} <= set(told)
            found = Suggestion(candidate, told, is_certain)
            by_doi.setdefault(candidate.handle, found)
    match list(by_doi.values()):
        case []:
            return Nothing()
        case [one]:
            return one
        case several:
            return Several(len(several))


@dataclass(frozen=True, slots=True)
class _Compared:
    """What is compared of a work."""

    title: str
    first_author: frozenset[str]
    year: int
    type: str
    container: Sequence[str]
    volume: str
    issue: str
    page: str


def _compared(item: Mapping[str, Any]) -> _Compared:
    facts = facts_of_item(item)
    described = describe(item)
    words = words_of(plain(described.container))
    # The last one is the name of a part: "Physical Review A".
    container = [word for word in words[:-1] if word not in _SMALL_WORDS] + words[-1:]
    return _Compared(
        title=letters_of(facts.title),
        first_author=words_of_name(facts.first_author),
        year=facts.year,
        type=described.type,
        container=container,
        volume=_number(described.volume),
        issue=_number(described.issue),
        page=first_page(described.pages_or_number),
    )


def _number(written: str) -> str:
    """A volume or an issue, however it is written."""
    return letters_of(plain(written)).lstrip("0")


def _agreeing(own: _Compared, other: _Compared) -> tuple[str, ...]:
    """What agrees, in words; nothing if one work cannot be the other.

    Title, first author and year have to be the same, and all else that both name.
    """
    is_other = own.title != other.title or own.year != other.year
    if is_other or own.first_author.isdisjoint(other.first_author):
        return ()
    if other.type not in _TYPES.get(own.type, {other.type}):
        return ()
    agreeing = ["title", "first author", "year"]
    for name, first, second in (
        ("volume", own.volume, other.volume),
        ("issue", own.issue, other.issue),
        ("first page", own.page, other.page),
    ):
        if first and second:
            if first != second:
                return ()
            agreeing.append(name)
    if own.container and other.container:
        is_same = _is_same_container(own.container, other.container)
        if is_same is False:
            return ()
        if is_same:
            agreeing.append("container")
    return tuple(agreeing)


def _is_same_container(first: Sequence[str], second: Sequence[str]) -> bool | None:
    """Whether two names are one, abbreviated or not; `None` if one has more words.

    >>> _is_same_container(["proc", "natl"], ["proceedings", "national"])
    True
    >>> _is_same_container(["physical", "review"], ["physical", "review", "b"]) is None
    True
    """
    if "".join(first) == "".join(second):
        return True
    short, long = sorted((first, second), key=len)
    if len(short) == 1 and short[0] == "".join(word[0] for word in long):
        return True
    left = iter(long)
    if not all(any(_abbreviates(word, other) for other in left) for word in short):
        return False
    return True if len(short) == len(long) else None


def _abbreviates(first: str, second: str) -> bool:
    """Whether one word has some letters of the other, and begins as it does."""
    short, long = sorted((first, second), key=len)
    # One letter is the name of a part: "Physical Review A" is not "… Applied".
    is_part = len(short) == 1 and short not in {long, "j"}
    return not is_part and shortens(short, long)
