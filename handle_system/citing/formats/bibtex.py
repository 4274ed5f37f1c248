r"""A citation for BibTeX and BibLaTeX.

A handle stands in ``eprint`` with ``eprinttype = {hdl}``, BibLaTeX's form for one
(its manual, section 3.14.7), and its link in ``url``, for styles that print
addresses. Only a DOI stands in ``doi``.

A title goes through TeX, so commands replace its special characters. ``eprint``,
``doi`` and ``url`` are *verbatim*: BibLaTeX takes them as they stand, and a command
would become part of the identifier. BibLaTeX links the first two by appending the
text to a proxy's address, with nothing encoded. So an identifier that would link
elsewhere (it holds ``%``, ``#``, ``?``, a backslash or white space), or that a
field cannot hold (a brace without its match), stands in ``url`` alone, encoded.
"""

import re
from collections.abc import Iterator

from handle_system.citing.citation import Citation
from handle_system.citing.work import Creator, WorkKind

__all__ = ["bibtex"]

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
_BREAKS_A_LINK = re.compile(r"[%#?\\\s]")
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


def bibtex(citation: Citation) -> str:
    """The citation as one entry."""
    fields = [f"  {name} = {value},\n" for name, value in _fields(citation)]
    entry_type = _ENTRY_TYPES[citation.work.kind]
    return f"@{entry_type}{{{citation.key},\n{''.join(fields)}}}\n"


def _fields(citation: Citation) -> Iterator[tuple[str, str]]:
    work, version = citation.work, citation.version
    if work.creators:
        yield "author", f"{{{' and '.join(map(_author, work.creators))}}}"
    # A second pair of braces keeps styles from changing the letters' case.
    yield "title", f"{{{{{_tex(work.title)}}}}}"
    yield "version", f"{{{_tex(citation.number)}}}"
    if work.publisher:
        yield _PUBLISHER_FIELDS[work.kind], f"{{{{{_tex(work.publisher)}}}}}"
    if version.date:
        # Not `date`, which BibTeX does not know; beside it, BibLaTeX would warn.
        yield "year", f"{{{citation.year}}}"
        yield "month", _MONTHS[version.date.month - 1]
    if citation.handle and _links_as_it_is(str(citation.handle)):
        if citation.doi is not None:
            yield "doi", f"{{{citation.doi}}}"
        else:
            yield "eprint", f"{{{citation.handle}}}"
            yield "eprinttype", "{hdl}"
    if citation.url is not None and _is_balanced(citation.url):
        yield "url", f"{{{citation.url}}}"


def _author(creator: Creator) -> str:
    # Braces keep BibTeX from dividing a name at spaces and commas.
    if creator.family is None:
        return f"{{{_tex(creator.name)}}}"
    if creator.given is None:
        return f"{{{_tex(creator.family)}}}"
    # "von Neumann" needs no braces: BibTeX knows the particle.
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
