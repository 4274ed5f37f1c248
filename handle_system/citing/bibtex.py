r"""A citation for BibTeX and BibLaTeX.

A handle stands in ``eprint`` with ``eprinttype = {hdl}``, which is how BibLaTeX
writes one (its manual, section 3.14.7), and its link in ``url``, which those of
BibTeX's styles print that print any address; ``plain`` prints none, of nothing.  Only
a DOI stands in ``doi``.

Two kinds of field, two kinds of text.  A title goes through TeX, so its special
characters are written as commands that print them.  ``eprint``, ``doi`` and
``url`` are *verbatim*: BibLaTeX takes them as they stand, and a command in one
would be part of the identifier.  From the first two it makes a link by putting
the text behind a proxy's address, with nothing encoded.  So an identifier whose
link would be another's that way (it holds ``%``, ``#``, ``?``, a backslash or
white space), or that a field cannot hold (a brace without its match), is left to
``url``, where it is encoded.
"""

import re
from collections.abc import Iterator

from handle_system.citing.cited import Cited
from handle_system.citing.work import Creator, WorkKind

__all__ = ["bibtex"]

_ENTRY_TYPES = {
    WorkKind.DOCUMENT: "misc",
    WorkKind.MANUAL: "manual",
    WorkKind.REPORT: "techreport",
    WorkKind.SOFTWARE: "software",
    WorkKind.DATASET: "dataset",
}
# The field that each type prints for the body that brought the work out.
_PUBLISHER_FIELDS = {
    WorkKind.DOCUMENT: "organization",
    WorkKind.MANUAL: "organization",
    WorkKind.REPORT: "institution",
    WorkKind.SOFTWARE: "organization",
    WorkKind.DATASET: "publisher",
}
_BREAKS_A_LINK = re.compile(r"[%#?\\\s]")
# Macros of every style; written without braces, so that a style can translate.
_MONTHS = (
    *("jan", "feb", "mar", "apr", "may", "jun"),
    *("jul", "aug", "sep", "oct", "nov", "dec"),
)
# A brace is written as a command that holds a matched pair and no brace of its
# own: BibTeX counts braces before TeX sees them, also those after a backslash.
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


def bibtex(cited: Cited) -> str:
    """The citation as one entry."""
    fields = [f"  {name} = {value},\n" for name, value in _fields(cited)]
    entry_type = _ENTRY_TYPES[cited.work.kind]
    return f"@{entry_type}{{{cited.key},\n{''.join(fields)}}}\n"


def _fields(cited: Cited) -> Iterator[tuple[str, str]]:
    work, version = cited.work, cited.version
    if work.creators:
        yield "author", f"{{{' and '.join(map(_author, work.creators))}}}"
    # A second pair of braces keeps the letters' case, whatever a style would do:
    # "PILIN" is not "pilin".
    yield "title", f"{{{{{_tex(work.title)}}}}}"
    yield "version", f"{{{_tex(cited.number)}}}"
    if work.publisher:
        yield _PUBLISHER_FIELDS[work.kind], f"{{{{{_tex(work.publisher)}}}}}"
    if version.date:
        # Not `date`, which BibTeX does not know; beside it, BibLaTeX would warn.
        yield "year", f"{{{cited.year}}}"
        yield "month", _MONTHS[version.date.month - 1]
    if cited.handle and _links_as_it_is(str(cited.handle)):
        if cited.doi is not None:
            yield "doi", f"{{{cited.doi}}}"
        else:
            yield "eprint", f"{{{cited.handle}}}"
            yield "eprinttype", "{hdl}"
    if cited.url is not None and _is_balanced(cited.url):
        yield "url", f"{{{cited.url}}}"


def _author(creator: Creator) -> str:
    # Braces keep a name from being taken apart at its spaces and commas.
    if creator.family is None:
        return f"{{{_tex(creator.name)}}}"
    if creator.given is None:
        return f"{{{_tex(creator.family)}}}"
    # "von Neumann" stays without: BibTeX reads the particle as it is meant.
    return f"{_name_part(creator.family)}, {_name_part(creator.given)}"


def _name_part(text: str) -> str:
    divides = "," in text or "and" in text.casefold().split()
    return f"{{{_tex(text)}}}" if divides else _tex(text)


def _tex(text: str) -> str:
    return text.translate(_TEX)


def _links_as_it_is(identifier: str) -> bool:
    return _is_balanced(identifier) and not _BREAKS_A_LINK.search(identifier)


def _is_balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return False
    return depth == 0
