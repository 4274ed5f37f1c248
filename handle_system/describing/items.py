"""Items: a work as CSL-JSON describes it (schema 1.0.2), clean and within bounds.

An answer of a registration agency has any shape: a list where CSL has a text,
``[[null]]`` for a date, HTML in a title, an author without a family name.  People edit
the file of items, too.  So nothing here trusts the shape of a value: a part that cannot
be read is left out, and no answer is an error.

`item_of_csl` and `item_of_datacite` make the item that is stored; `describe` makes of
a stored item what a reference of the built-in style needs, and `csl_item` what a program
with styles of CSL needs.
"""

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from handle_system.citing.style import Date, Described, Name
from handle_system.describing.journal_titles import journal_title
from handle_system.describing.languages import language_tag
from handle_system.describing.rich_text import (
    clean_runs,
    clean_text,
    identifier_text,
    plain_line,
)
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.reference import reference_or_none

#: An object of JSON.
JsonObject: TypeAlias = dict[str, Any]

# CSL 1.0.2, appendix III: Types.
_CSL_TYPES = frozenset(
    (
        "article",
        "article-journal",
        "article-magazine",
        "article-newspaper",
        "bill",
        "book",
        "broadcast",
        "chapter",
        "classic",
        "collection",
        "dataset",
        "document",
        "entry",
        "entry-dictionary",
        "entry-encyclopedia",
        "event",
        "figure",
        "graphic",
        "hearing",
        "interview",
        "legal_case",
        "legislation",
        "manuscript",
        "map",
        "motion_picture",
        "musical_score",
        "pamphlet",
        "paper-conference",
        "patent",
        "performance",
        "periodical",
        "personal_communication",
        "post",
        "post-weblog",
        "regulation",
        "report",
        "review",
        "review-book",
        "software",
        "song",
        "speech",
        "standard",
        "thesis",
        "treaty",
        "webpage",
    )
)
# The types of Crossref's REST API, which its CSL-JSON has as well.
_TYPES = {
    "book-chapter": "chapter",
    "book-part": "chapter",
    "book-section": "chapter",
    "book-series": "book",
    "book-set": "book",
    "database": "dataset",
    "dissertation": "thesis",
    "edited-book": "book",
    "journal": "periodical",
    "journal-article": "article-journal",
    "journal-issue": "periodical",
    "journal-volume": "periodical",
    "monograph": "book",
    "peer-review": "review",
    "posted-content": "article",
    "proceedings": "book",
    "proceedings-article": "paper-conference",
    "reference-book": "book",
    "reference-entry": "entry",
    "report-component": "report",
    "report-series": "report",
}
# The general types of DataCite that its `citeproc` type loses.
_DATACITE_TYPES = {
    "Dataset": "dataset",
    "Preprint": "article",
    "Software": "software",
}
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
# Works that are a part of a book. Of two containers one is the book, the other its series.
_PARTS_OF_BOOKS = frozenset(
    ("chapter", "entry", "entry-dictionary", "entry-encyclopedia", "paper-conference")
)
# Works that are whole: beside a publisher, what contains them is a series.
_WHOLE_WORKS = frozenset(("book", "dataset", "software", "thesis"))
# Works in a journal: what DataCite calls their series is the journal.
_PARTS_OF_JOURNALS = frozenset(
    (
        "article-journal",
        "article-magazine",
        "article-newspaper",
        "review",
        "review-book",
    )
)
# A title that begins with these words is that of a series of books.
_SERIES = (
    "ACM International Conference Proceeding",
    "ACS Symposium Series",
    "Advances in Experimental Medicine",
    "Advances in Intelligent Systems",
    "AIP Conference Proceedings",
    "Boston Studies in",
    "CISM International Centre",
    "Communications in Computer and Information",
    "Contributions to ",
    "Current Topics in",
    "Graduate Texts in",
    "Handbook of Experimental Pharmacology",
    "IFIP Advances in",
    "IFIP International Federation",
    "International Series in",
    "Law and Philosophy Library",
    "Lecture Notes ",
    "Methods in Molecular",
    "NATO ASI Series",
    "NATO Science",
    "NATO Security through Science",
    "Progress in Mathematics",
    "Smart Innovation, Systems",
    "Springer Handbooks",
    "Springer Proceedings in",
    "Springer Series in",
    "Springer Tracts in",
    "Springer Undergraduate",
    "SpringerBriefs in",
    "Studies in ",
    "Studies on ",
    "Synthese Library",
    "Texts in ",
    "Topics in ",
    "Undergraduate Texts in",
    "Undergraduate Topics in",
)
# A field of CSL, and the names that it has in answers.
_TEXT_FIELDS: Mapping[str, tuple[str, ...]] = {
    "container-title": ("container-title",),
    "volume": ("volume",),
    "issue": ("issue",),
    "page": ("page",),
    "number": ("article-number",),
    "publisher": ("publisher",),
    "publisher-place": ("publisher-place", "publisher-location"),
    "edition": ("edition", "edition-number"),
    "version": ("version",),
    "genre": ("genre", "degree"),
    "collection-title": ("collection-title",),
}
_DATE_FIELDS = (
    "issued",
    "published",
    "published-print",
    "published-online",
    "posted",
    "approved",
)
_CSL_DATES = frozenset(
    ("accessed", "available-date", "event-date", "issued", "original-date", "submitted")
)
# The last year, month and day of a date.
_MOST_OF_DATE = (9999, 12, 31)
_MOST_TITLES = 20
# An iD of ORCID, alone or as its address.
_ORCID = re.compile(
    r"(?:(?:https?://)?(?:www\.)?orcid\.org/)?(?:[0-9]{4}-){3}[0-9]{3}[0-9Xx]"
)
# The last one stays, as in APA's list of 19 names, an ellipsis and the last.
_MOST_NAMES = 40
# A minus before the first year of a text means a year before the first.
_YEAR = re.compile(r"(?<![0-9])(?<!\A-)[0-9]{4}(?![0-9])")
_SEVERAL_DIGITS = re.compile("[0-9]{4}")
# "in press" and the like; a longer text is no year.
_LONGEST_YEAR = 30
# What a URI reads as something else, and what ends a key of Pandoc's in braces.
_NOT_IN_ID = frozenset("%?# {}")
_ONE_PAGE = re.compile(r"\A(\w+)-\1\Z")
_VERSION_MARK = re.compile("^v(?:ersion)?[. ]?(?=[0-9])", re.IGNORECASE)


def id_of(handle: Handle) -> str:
    """The ``id`` of an item: the URI of its identifier, with its characters as they are.

    Pandoc and citeproc compare ids letter by letter, and authors write no ``%E6``. An
    identifier is percent-encoded only if it could not be read back, or could not stand
    in Pandoc's ``@{…}``.

    >>> id_of(Handle.parse("10.1000/日本<1>")), id_of(Handle.parse("10.1000/50%"))
    ('doi:10.1000/日本<1>', 'doi:10.1000/50%25')
    """
    written = f"{handle.scheme}:{handle}"
    is_literal = written.isprintable() and not _NOT_IN_ID & set(written)
    return written if is_literal else handle.uri()


def item_of_csl(answer: Mapping[str, Any], handle: Handle) -> JsonObject:
    """The item of an answer in CSL-JSON, or of a message of Crossref's REST API.

    Args:
        answer: The object.
        handle: The identifier that the author wrote.
    """
    written_type = plain_line(answer.get("type"))
    item_type = _TYPES.get(written_type, written_type)
    item: JsonObject = {
        "id": id_of(handle),
        "type": _csl_type(item_type),
        "title": _title(answer),
    }
    for role in ("author", "editor"):
        names = _names(answer.get(role), is_escaped=True)
        item[role] = [name.csl for name in names]
    dates = (known_date(answer.get(field)) for field in _DATE_FIELDS)
    date = next(filter(None, dates), None) or _date(answer.get("issued"))
    item["issued"] = date.csl if date else None
    for field, aliases in _TEXT_FIELDS.items():
        lines = (plain_line(answer.get(name), is_escaped=True) for name in aliases)
        item[field] = next(filter(None, lines), "")
    if written_type == "posted-content":
        item["publisher"] = _preprint_server(answer) or item["publisher"]
    if not written_type and item["container-title"]:
        # JaLC gives no type.
        item["type"] = "article-journal"
    _place_container(item, answer.get("container-title"))
    if item["type"] == "article-journal" and not item["issue"]:
        # JaLC gives the issue as a number.
        item["issue"] = plain_line(answer.get("number"), is_escaped=True)
    item["language"] = language_tag(plain_line(answer.get("language")))
    if handle.is_doi:
        item["DOI"] = str(handle)
    return {name: value for name, value in item.items() if value}


def item_of_datacite(attributes: Mapping[str, Any], handle: Handle) -> JsonObject:
    """The item of the attributes of DataCite's JSON, which also has relations.

    Args:
        attributes: The object ``data.attributes`` of the answer.
        handle: The identifier that the author wrote.
    """
    types = _object(attributes.get("types"))
    container = _object(attributes.get("container"))
    container_title = container.get("title")
    publisher = attributes.get("publisher")
    if isinstance(publisher, dict):
        publisher = publisher.get("name")
    general_type = plain_line(types.get("resourceTypeGeneral"))
    item_type = _DATACITE_TYPES.get(general_type, types.get("citeproc"))
    is_series = container.get("type") in {"Series", "DataRepository"}
    parts = _PARTS_OF_BOOKS | _PARTS_OF_JOURNALS
    is_beside_publisher = is_series and plain_line(item_type) not in parts
    bounds = (container.get("firstPage"), container.get("lastPage"))
    pages = [page for page in map(plain_line, bounds) if page]
    answer = {
        "title": _main_title(attributes.get("titles")),
        "author": [
            _datacite_name(creator) for creator in members(attributes, "creators")
        ],
        "type": item_type,
        "issued": {"date-parts": [[attributes.get("publicationYear")]]},
        "publisher": publisher,
        "version": attributes.get("version"),
        "container-title": None if is_beside_publisher else container_title,
        "collection-title": container_title if is_beside_publisher else None,
        "volume": container.get("volume"),
        "issue": container.get("issue"),
        "page": "-".join(pages),
        "language": attributes.get("language"),
    }
    return item_of_csl(answer, handle)


def _place_container(item: JsonObject, written: object) -> None:
    """Tell the book that holds a work from its series, a journal from its short titles.

    Args:
        item: The item, which has the first container.
        written: The containers of the answer.
    """
    if item["type"] in _WHOLE_WORKS and item["publisher"]:
        item["collection-title"] = item["collection-title"] or item["container-title"]
        item["container-title"] = ""
        return
    listed = written[:_MOST_TITLES] if isinstance(written, list) else []
    lines = (plain_line(title, is_escaped=True) for title in listed)
    titles = list(dict.fromkeys(filter(None, lines)))
    if len(titles) < 2:
        return
    if item["type"] in _PARTS_OF_JOURNALS:
        item["container-title"] = journal_title(titles)
    elif item["type"] in _PARTS_OF_BOOKS:
        books = [title for title in titles if not title.startswith(_SERIES)]
        book = (books or titles)[-1]
        item["container-title"] = book
        titles.remove(book)
        item["collection-title"] = item["collection-title"] or titles[0]


def has_metadata(item: Mapping[str, Any]) -> bool:
    """Whether a stored item has a title or a name, so that a reference can be made."""
    return describe(item).is_known


def describe(item: Mapping[str, Any]) -> Described:
    """A stored item as references, lists and formats need it, without its identifier.

    >>> describe({"title": "Urns", "issued": "in press 2020"}).year
    '2020'
    """
    version = plain_line(item.get("version"))
    return Described(
        type=_csl_type(plain_line(item.get("type"))),
        title=clean_runs(item.get("title")),
        authors=_names(item.get("author")),
        editors=_names(item.get("editor")),
        date=_date(item.get("issued")),
        version=_VERSION_MARK.sub("", version),
        container=plain_line(item.get("container-title")),
        volume=plain_line(item.get("volume")),
        issue=plain_line(item.get("issue")),
        pages=plain_line(item.get("page")),
        number=plain_line(item.get("number")),
        publisher=plain_line(item.get("publisher")),
        place=plain_line(item.get("publisher-place")),
        genre=plain_line(item.get("genre")),
        series=plain_line(item.get("collection-title")),
        edition=plain_line(item.get("edition")),
        language=language_tag(plain_line(item.get("language"))),
    )


def _csl_type(written: str) -> str:
    """A type of CSL; ``document`` for a word that is none."""
    return written if written in _CSL_TYPES else "document"


def csl_item(item: Mapping[str, Any]) -> JsonObject:
    """A stored item with all variables of CSL that it has, each of a shape that CSL has.

    People write more variables than an agency gives: translators, the number of a
    report, the title of a conference.  ``id`` and the members of our own are left out.
    """
    clean: JsonObject = {}
    for variable, value in item.items():
        if variable in {"id", "custom"}:
            continue
        if variable in _CSL_DATES or isinstance(value, dict):
            date = _date(value)
            clean[variable] = date.csl if date else None
        else:
            names = [name.csl for name in _names(value)]
            clean[variable] = names or clean_text(value)
    clean["type"] = _csl_type(str(clean.get("type", "")))
    # Styles write "Version" and "pp." themselves.
    clean["version"] = _VERSION_MARK.sub("", str(clean.get("version", "")))
    clean["page"] = _ONE_PAGE.sub(r"\1", str(clean.get("page", "")))
    clean["language"] = language_tag(str(clean.get("language", "")))
    return {variable: value for variable, value in clean.items() if value}


def members(answer: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """The objects in a list of an answer; a list of anything else has none."""
    value = answer.get(name)
    # So many statements about one work are an attack.
    for member in value[:1000] if isinstance(value, list) else ():
        if isinstance(member, dict):
            yield member


def identifiers(value: object) -> list[str]:
    """The identifiers in a list, or the one in a text."""
    values = value[:1000] if isinstance(value, list) else [value]
    return [text for text in map(identifier_text, values) if text]


def handle_in(value: object) -> Handle | None:
    """The handle in a value, in any written form; `None` if it holds none."""
    text = identifier_text(value)
    reference = reference_or_none(text, DEFAULT_PROXIES) if text else None
    return reference.handle if reference is not None else None


def day_of(written: object) -> str:
    """A day as ISO 8601 writes it; anything else is none."""
    if not isinstance(written, str) or not _DAY.fullmatch(written):
        return ""
    try:
        dt.date.fromisoformat(written)
    except ValueError:
        # The calendar has no such day.
        return ""
    return written


def custom_of(item: Mapping[str, Any]) -> JsonObject:
    """The members of our own in a stored item."""
    custom = item.get("custom")
    return custom if isinstance(custom, dict) else {}


def _title(answer: Mapping[str, Any]) -> str:
    title = clean_text(answer.get("title"), is_escaped=True)
    subtitle = clean_text(answer.get("subtitle"), is_escaped=True)
    if not title or not subtitle or subtitle.casefold() in title.casefold():
        return title or subtitle
    divider = "" if title.endswith(("?", "!", ".", ":")) else ":"
    return f"{title}{divider} {subtitle}"


def _preprint_server(answer: Mapping[str, Any]) -> str:
    """The server of a preprint; its publisher is the laboratory that runs the server."""
    servers = members(answer, "institution")
    names = (plain_line(server.get("name"), is_escaped=True) for server in servers)
    return next(filter(None, names), "")


def _main_title(titles: object) -> object:
    """The title of DataCite's list that has no type, else the first."""
    listed = list(members({"titles": titles}, "titles"))
    main = [title for title in listed if not title.get("titleType")]
    return next((title.get("title") for title in main or listed), None)


def _datacite_name(creator: Mapping[str, Any]) -> JsonObject:
    if creator.get("nameType") == "Organizational":
        return {"literal": creator.get("name")}
    family = creator.get("familyName")
    given = creator.get("givenName")
    name = creator.get("name")
    if creator.get("nameType") == "Personal" and not family and isinstance(name, str):
        family, _, given = name.partition(",")
    return {"family": family, "given": given, "literal": name}


def _names(value: object, *, is_escaped: bool = False) -> tuple[Name, ...]:
    """The names in a list; of very many, the first ones and the last."""
    listed = value if isinstance(value, list) else []
    if len(listed) > _MOST_NAMES:
        listed = [*listed[: _MOST_NAMES - 1], listed[-1]]
    names: list[Name] = []
    for member in listed:
        if isinstance(member, dict):
            name = _name(member, is_escaped=is_escaped)
            if name is not None:
                names.append(name)
    return tuple(names)


def _name(member: Mapping[str, Any], *, is_escaped: bool) -> Name | None:
    family = _name_part(member.get("family"), is_escaped=is_escaped)
    given = _name_part(member.get("given"), is_escaped=is_escaped)
    if family:
        particle = member.get("non-dropping-particle")
        family = _joined(plain_line(particle, is_escaped=is_escaped), family)
    # Agencies file bodies under families, too; in a file, people say what they mean.
    if family and (given or not is_escaped):
        particle = plain_line(member.get("dropping-particle"), is_escaped=is_escaped)
        given = _joined(given, particle) if given else ""
        suffix = plain_line(member.get("suffix"), is_escaped=is_escaped)
        return Name("", family, given, suffix)
    written = member.get("literal") or member.get("name")
    whole = _name_part(written, is_escaped=is_escaped) or family or given
    return Name(whole) if whole else None


def _name_part(written: object, *, is_escaped: bool) -> str:
    """A part of a name; an iD of ORCID that stands in its place is none."""
    part = plain_line(written, is_escaped=is_escaped)
    return "" if _ORCID.fullmatch(part) else part


def _joined(first: str, second: str) -> str:
    """Two parts of a name; there is no space behind an apostrophe."""
    if not first or not second:
        return first or second
    space = "" if first.endswith(("'", "’")) else " "
    return f"{first}{space}{second}"


def _date(value: object) -> Date | None:
    """A date of any shape; people write one as a text, too.

    A text without a year, such as "in press", stands for one.
    """
    date = known_date(value)
    if date is not None:
        return date
    year = _first_date(value)[:1]
    if year and type(year[0]) is int and -9999 <= year[0] < 0:
        return Date(year[0])
    if isinstance(value, dict):
        value = value.get("raw") or value.get("literal")
    text = plain_line(value)
    written_year = _YEAR.search(text)
    if written_year and int(written_year[0]):
        return Date(int(written_year[0]))
    is_unclear = _SEVERAL_DIGITS.search(text) or len(text) > _LONGEST_YEAR
    return Date(words=text) if text and not is_unclear else None


def known_date(value: object) -> Date | None:
    """A date of CSL-JSON from the year 1 on, as far as a calendar has it."""
    parts = [0, 0, 0]
    for index, part in enumerate(_first_date(value)[:3]):
        number = part if type(part) is int else _number(plain_line(part))
        if not 1 <= number <= _MOST_OF_DATE[index]:
            break
        parts[index] = number
    year, month, day = parts
    return Date(year, month, day) if year else None


def _first_date(value: object) -> list[Any]:
    """The members of the first date of CSL-JSON."""
    dates = value.get("date-parts") if isinstance(value, dict) else None
    first = dates[0] if isinstance(dates, list) and dates else None
    return first if isinstance(first, list) else []


def _number(text: str) -> int:
    """The number that a text is; 0 for any other text."""
    is_number = text.isdecimal() and text.isascii() and len(text) <= 4
    return int(text) if is_number else 0


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
