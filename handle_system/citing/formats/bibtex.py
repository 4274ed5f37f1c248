r"""BibTeX and BibLaTeX.

A handle stands in ``eprint`` with ``eprinttype = {hdl}``, BibLaTeX's form for one (its
manual, section 3.14.7), and its link in ``url``, for styles that print addresses. Only
a DOI stands in ``doi``. A title goes through TeX, so commands replace its special
characters. ``eprint``, ``doi`` and ``url`` are *verbatim*: BibLaTeX takes them as they
stand, and a command would become part of the identifier. BibLaTeX links the first two
by appending the text to a proxy's address, with nothing encoded. So an identifier that
would link elsewhere (it holds ``%``, ``#``, ``?``, a backslash or white space), or that
a field may not hold (a brace), stands in ``url`` alone, encoded.
"""

import re
from collections.abc import Iterable

from handle_system.citing.citation import Citation, article_key, style_name
from handle_system.citing.style import OTHERS, Name, first_and_last_page
from handle_system.citing.work import Article, ArticleKind, WorkKind
from handle_system.handle import Handle

__all__ = [
    "Fields",
    "entry",
    "identifier_fields",
    "month",
    "pages",
    "people",
    "tex",
    "write",
]

#: The fields of an entry in their order; one that is not known is empty.
Fields = list[tuple[str, str | None]]

_ENTRY_TYPES = {
    WorkKind.DOCUMENT: "misc",
    WorkKind.MANUAL: "manual",
    WorkKind.REPORT: "techreport",
    WorkKind.SOFTWARE: "software",
    WorkKind.DATASET: "dataset",
}
# The field of each type for the publisher.
_PUBLISHER_FIELDS = {
    WorkKind.DOCUMENT: "organization",
    WorkKind.MANUAL: "organization",
    WorkKind.REPORT: "institution",
    WorkKind.SOFTWARE: "organization",
    WorkKind.DATASET: "publisher",
}
_ARTICLE_TYPES = {
    ArticleKind.ARTICLE: "article",
    ArticleKind.CONFERENCE_PAPER: "inproceedings",
    ArticleKind.BOOK: "book",
    ArticleKind.REPORT: "techreport",
    ArticleKind.THESIS: "phdthesis",
    ArticleKind.OTHER: "misc",
}
# The field of each type for what contains the article, and for its publisher.
_CONTAINER_FIELDS = {
    "article": "journal",
    "inproceedings": "booktitle",
    "book": "series",
    "techreport": "series",
    "phdthesis": "series",
    "misc": "howpublished",
}
_ARTICLE_PUBLISHER_FIELDS = {
    "techreport": "institution",
    "phdthesis": "school",
    "misc": "organization",
}
_BREAKS_A_LINK = re.compile(r"[%#?\\{}\s]")
# Macros of every style; written without braces, so that a style can translate.
_MONTHS = (
    *("jan", "feb", "mar", "apr", "may", "jun"),
    *("jul", "aug", "sep", "oct", "nov", "dec"),
)
# The command for a brace holds a matched pair and no brace of its own: BibTeX
# counts braces before TeX sees them, also those after a backslash.
_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        # These three print as others in TeX's oldest encoding.
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)


# What TeX makes one character of: dashes, quotation marks, and marks of Spanish.
_LIGATURE = re.compile("(?<=-)(?=-)|(?<=`)(?=`)|(?<=')(?=')|(?<=,)(?=,)|(?<=[!?])(?=`)")


def write(citation: Citation) -> str:
    """The citation as an entry, and the article that describes the work as another."""
    entries = [_version(citation)]
    if citation.work.article is not None:
        entries.append(_article(citation, citation.work.article))
    return "\n".join(entries)


def _version(citation: Citation) -> str:
    work = citation.work
    date = citation.version.date
    # A second pair of braces keeps styles from changing the letters' case.
    title = f"{{{tex(work.title)}}}"
    publisher = f"{{{tex(work.publisher)}}}" if work.publisher else None
    fields: Fields = [
        ("author", people(map(style_name, work.creators))),
        ("title", title),
        ("version", tex(citation.number)),
        (_PUBLISHER_FIELDS[work.kind], publisher),
        # Not `date`, which BibTeX does not know; beside it, BibLaTeX would warn.
        ("year", citation.year),
        ("month", month(date.month) if date else None),
        *identifier_fields(citation.version.handle, citation.url),
    ]
    return entry(_ENTRY_TYPES[work.kind], citation.key, fields)


def _article(citation: Citation, article: Article) -> str:
    entry_type = _ARTICLE_TYPES[article.kind]
    publisher_field = _ARTICLE_PUBLISHER_FIELDS.get(entry_type, "publisher")
    publisher = f"{{{tex(article.publisher)}}}" if article.publisher else None
    fields: Fields = [
        ("author", people(map(style_name, article.creators))),
        ("title", f"{{{tex(article.title)}}}"),
        (_CONTAINER_FIELDS[entry_type], tex(article.journal)),
        ("volume", tex(article.volume)),
        ("number", tex(article.issue)),
        ("pages", pages(article.pages)),
        (publisher_field, publisher),
        ("year", tex(article.year)),
        *identifier_fields(article.handle, citation.article_url(article)),
    ]
    return entry(entry_type, article_key(article), fields)


def entry(entry_type: str, key: str, fields: Fields) -> str:
    """An entry.

    Args:
        entry_type: Its type, without `@`.
        key: Its key.
        fields: Its fields, each value as it stands between the braces.
    """
    lines = [f"@{entry_type}{{{key},\n"]
    for name, value in fields:
        if not value:
            continue
        # A macro stands without braces.
        text = value if name == "month" else f"{{{value}}}"
        lines.append(f"  {name} = {text},\n")
    lines.append("}\n")
    return "".join(lines)


def pages(written: str) -> str:
    """Pages as the value of ``pages``, where two hyphens are a dash."""
    return "--".join(tex(page) for page in first_and_last_page(written) if page)


def month(number: int) -> str:
    """The macro of a month."""
    return _MONTHS[number - 1]


def people(names: Iterable[Name]) -> str:
    """Names as the value of ``author`` or ``editor``."""
    return " and ".join(map(_person, names))


def tex(text: str) -> str:
    """Text that TeX prints as it is."""
    # Empty braces between two characters keep them apart.
    return _LIGATURE.sub("{}", text.translate(_TEX))


def identifier_fields(handle: Handle | None, url: str | None) -> Fields:
    """The fields for an identifier and its address.

    Args:
        handle: The identifier of the work.
        url: Its address, in which a handle is encoded.
    """
    identifier = _verbatim_identifier(handle)
    is_doi = handle is not None and handle.is_doi
    return [
        ("doi", identifier if is_doi else None),
        ("eprint", None if is_doi else identifier),
        ("eprinttype", "hdl" if identifier and not is_doi else None),
        ("url", _verbatim_url(url)),
    ]


def _verbatim_identifier(handle: Handle | None) -> str | None:
    """The handle, if a field may hold it and BibLaTeX links it correctly."""
    if handle is None or _BREAKS_A_LINK.search(str(handle)):
        return None
    return str(handle)


def _verbatim_url(url: str | None) -> str | None:
    """The address; the link of a handle has its braces encoded already."""
    if url is None:
        return None
    return url.replace("{", "%7B").replace("}", "%7D")


def _person(name: Name) -> str:
    if name.family in OTHERS and not name.given:
        return "others"
    if not name.given:
        # Braces keep BibTeX from dividing a name at spaces and commas.
        return f"{{{tex(name.family)}}}"
    # "von Neumann" needs no braces: BibTeX knows the particle.
    parts = [name.family, name.suffix, name.given]
    return ", ".join(_name_part(part) for part in parts if part)


def _name_part(text: str) -> str:
    would_divide = "," in text or "and" in text.casefold().split()
    return f"{{{tex(text)}}}" if would_divide else tex(text)
