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

from handle_system.citing.citation import Citation
from handle_system.citing.work import Creator, WorkKind

__all__ = ["write"]

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


def write(citation: Citation) -> str:
    """The citation as one entry."""
    work = citation.work
    entry_type = _ENTRY_TYPES[work.kind]
    lines = [f"@{entry_type}{{{citation.key},\n"]
    for name, value in _fields(citation):
        if not value:
            continue
        # A macro stands without braces.
        text = value if name == "month" else f"{{{value}}}"
        lines.append(f"  {name} = {text},\n")
    lines.append("}\n")
    return "".join(lines)


def _fields(citation: Citation) -> list[tuple[str, str | None]]:
    """The fields in their order; one that is not known is empty."""
    work = citation.work
    date = citation.version.date
    identifier = _verbatim_identifier(citation)
    is_doi = citation.doi is not None
    # A second pair of braces keeps styles from changing the letters' case.
    title = f"{{{_tex(work.title)}}}"
    publisher = f"{{{_tex(work.publisher)}}}" if work.publisher else None
    return [
        ("author", " and ".join(map(_author, work.creators))),
        ("title", title),
        ("version", _tex(citation.number)),
        (_PUBLISHER_FIELDS[work.kind], publisher),
        # Not `date`, which BibTeX does not know; beside it, BibLaTeX would warn.
        ("year", citation.year),
        ("month", _MONTHS[date.month - 1] if date else None),
        ("doi", identifier if is_doi else None),
        ("eprint", None if is_doi else identifier),
        ("eprinttype", "hdl" if identifier and not is_doi else None),
        ("url", _verbatim_url(citation)),
    ]


def _verbatim_identifier(citation: Citation) -> str | None:
    """The handle, if a field may hold it and BibLaTeX links it correctly."""
    handle = citation.version.handle
    if handle is None or _BREAKS_A_LINK.search(str(handle)):
        return None
    return str(handle)


def _verbatim_url(citation: Citation) -> str | None:
    """The address; the link of a handle has its braces encoded already."""
    if citation.url is None:
        return None
    return citation.url.replace("{", "%7B").replace("}", "%7D")


def _author(creator: Creator) -> str:
    if creator.family is None or creator.given is None:
        # Braces keep BibTeX from dividing a name at spaces and commas.
        return f"{{{_tex(creator.family or creator.name)}}}"
    # "von Neumann" needs no braces: BibTeX knows the particle.
    return f"{_name_part(creator.family)}, {_name_part(creator.given)}"


def _name_part(text: str) -> str:
    would_divide = "," in text or "and" in text.casefold().split()
    return f"{{{_tex(text)}}}" if would_divide else _tex(text)


def _tex(text: str) -> str:
    return text.translate(_TEX)
