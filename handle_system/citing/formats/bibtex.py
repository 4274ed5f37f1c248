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
from collections.abc import Iterable, Mapping
from itertools import starmap

from handle_system.citing.style import (
    OTHERS,
    Date,
    Described,
    Name,
    RichText,
    first_and_last_page,
)
from handle_system.handle import Handle

# The fields of an entry in their order; one that is not known is empty.
_Fields = list[tuple[str, str | None]]

_TYPES: Mapping[str, str] = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "book": "book",
    "chapter": "incollection",
    "dataset": "dataset",
    "entry": "incollection",
    "entry-dictionary": "incollection",
    "entry-encyclopedia": "incollection",
    "manual": "manual",
    "paper-conference": "inproceedings",
    "report": "techreport",
    "review": "article",
    "review-book": "article",
    "software": "software",
    "thesis": "phdthesis",
}
# The field of each type for what contains the work, and for the publisher.
_CONTAINER_FIELDS = {
    "book": "series",
    "incollection": "booktitle",
    "inproceedings": "booktitle",
    "misc": "howpublished",
    "phdthesis": "series",
    "techreport": "series",
}
_PUBLISHER_FIELDS = {
    "manual": "organization",
    "misc": "organization",
    "phdthesis": "school",
    "software": "organization",
    "techreport": "institution",
}
_COMMANDS = {
    "i": "emph",
    "b": "textbf",
    "sub": "textsubscript",
    "sup": "textsuperscript",
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


def write(works: Iterable[tuple[str, Described]]) -> str:
    """The works by their keys, with an empty line between them."""
    return "\n".join(starmap(_entry, works))


def _entry(key: str, work: Described) -> str:
    entry_type = _TYPES.get(work.type, "misc")
    if entry_type == "phdthesis" and "master" in work.genre.casefold():
        entry_type = "mastersthesis"
    container_field = _CONTAINER_FIELDS.get(entry_type, "journal")
    if container_field == "series" and work.series:
        container_field = "journal"
    fields: _Fields = [
        ("author", _people(work.authors)),
        ("editor", _people(work.editors)),
        # A second pair of braces keeps styles from changing the letters' case.
        ("title", f"{{{_title(work.title)}}}" if work.title else None),
        (container_field, _tex(work.container)),
        ("series", _tex(work.series)),
        ("edition", _tex(work.edition)),
        ("volume", _tex(work.volume)),
        ("number", _tex(work.issue_or_number)),
        ("pages", _pages(work.pages_or_number)),
        ("version", _tex(work.version)),
        (
            _PUBLISHER_FIELDS.get(entry_type, "publisher"),
            f"{{{_tex(work.publisher)}}}" if work.publisher else None,
        ),
        ("address", _tex(work.place)),
        # Not `date`, which BibTeX does not know; beside it, BibLaTeX would warn.
        ("year", _tex(work.year)),
        ("month", _month(work.date)),
        *_identifier_fields(work.handle, work.url),
    ]
    lines = [f"@{entry_type}{{{key},\n"]
    for name, value in fields:
        if not value:
            continue
        # A macro stands without braces.
        text = value if name == "month" else f"{{{value}}}"
        lines.append(f"  {name} = {text},\n")
    lines.append("}\n")
    return "".join(lines)


def _month(date: Date | None) -> str:
    """The macro of the month of a date."""
    return _MONTHS[date.month - 1] if date and date.month else ""


def _title(runs: RichText) -> str:
    """A title in TeX, with its italics, subscripts and the like."""
    parts: list[str] = []
    for run in runs:
        commands = "".join(f"\\{_COMMANDS[tag]}{{" for tag in run.tags)
        parts.append(f"{commands}{_tex(run.text)}{'}' * len(run.tags)}")
    return "".join(parts)


def _pages(written: str) -> str:
    """Pages as the value of ``pages``, where two hyphens are a dash."""
    return "--".join(_tex(page) for page in first_and_last_page(written) if page)


def _people(names: Iterable[Name]) -> str:
    """Names as the value of ``author`` or ``editor``."""
    return " and ".join(map(_person, names))


def _tex(text: str) -> str:
    """Text that TeX prints as it is."""
    # Empty braces between two characters keep them apart.
    return _LIGATURE.sub("{}", text.translate(_TEX))


def _identifier_fields(handle: Handle | None, url: str | None) -> _Fields:
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
    if name.short in OTHERS and not name.given:
        return "others"
    if not name.given:
        # Braces keep BibTeX from dividing a name at spaces and commas.
        return f"{{{_tex(name.short)}}}"
    # "von Neumann" needs no braces: BibTeX knows the particle.
    parts = [name.family, name.suffix, name.given]
    return ", ".join(_name_part(part) for part in parts if part)


def _name_part(text: str) -> str:
    would_divide = "," in text or "and" in text.casefold().split()
    return f"{{{_tex(text)}}}" if would_divide else _tex(text)
