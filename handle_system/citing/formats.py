r"""The formats of reference managers: each is a table of fields, and its text.

*BibTeX and BibLaTeX.* A handle stands in ``eprint`` with ``eprinttype = {hdl}``,
BibLaTeX's form for one (its manual, section 3.14.7), and its link in ``url``, for
styles that print addresses. Only a DOI stands in ``doi``. A title goes through TeX, so
commands replace its special characters. ``eprint``, ``doi`` and ``url`` are *verbatim*:
BibLaTeX takes them as they stand, and a command would become part of the identifier.
BibLaTeX links the first two by appending the text to a proxy's address, with nothing
encoded. So an identifier that would link elsewhere (it holds ``%``, ``#``, ``?``, a
backslash or white space), or that a field may not hold (a brace), stands in ``url``
alone, encoded.

*RIS* is the tagged format of EndNote, Zotero and Mendeley. A line is a tag of two
characters, two spaces, a hyphen, a space, and the value. The format has no escapes and
needs few: a value ends with its line, and no value of ours holds a line's end. The
handle's link is in ``UR``; ``DO`` is for DOIs. In a name a comma divides family and
given names: every reader takes "Friends, Inc." for a person called Inc. Friends. So a
name that does not divide loses its commas here.

*CSL-JSON* is the input of citeproc (schema 1.0.2, ``csl-data.json``). The schema has a
field for DOIs and none for handles: a handle's link is in ``URL``, and the handle itself
in ``custom``, the schema's field for additions.

*CITATION.cff* has a module of its own, `citing.cff`.
"""

import json
import re

from handle_system.citing.citation import Citation, CitationFormat, known
from handle_system.citing.work import Creator, WorkKind

__all__ = ["CitationFormat", "export"]

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
_RIS_TYPES = {
    WorkKind.DOCUMENT: "GEN",
    WorkKind.MANUAL: "GEN",
    WorkKind.REPORT: "RPRT",
    WorkKind.SOFTWARE: "COMP",
    WorkKind.DATASET: "DATA",
}
_CSL_TYPES = {
    WorkKind.DOCUMENT: "document",
    WorkKind.MANUAL: "document",
    WorkKind.REPORT: "report",
    WorkKind.SOFTWARE: "software",
    WorkKind.DATASET: "dataset",
}


def export(citation: Citation, form: CitationFormat) -> str:
    """The citation in a format; the text ends with a line's end."""
    match form:
        case CitationFormat.BIBTEX:
            return _bibtex(citation)
        case CitationFormat.RIS:
            return _ris(citation)
        case CitationFormat.CSL_JSON:
            return _csl_json(citation)
        case CitationFormat.TEXT:
            return f"{citation.reference()} {citation.url or ''}".rstrip() + "\n"
        case CitationFormat.CFF:
            # PyYAML is loaded for this format alone.
            from handle_system.citing.cff import cff  # noqa: PLC0415 - see above

            return cff(citation)


def _bibtex(citation: Citation) -> str:
    """The citation as one entry."""
    work, date, handle = citation.work, citation.version.date, citation.version.handle
    is_doi = citation.doi is not None
    breaks_a_link = handle is None or _BREAKS_A_LINK.search(str(handle)) is not None
    identifier = None if breaks_a_link else str(handle)
    fields = {
        "author": " and ".join(map(_bibtex_author, work.creators)),
        # A second pair of braces keeps styles from changing the letters' case.
        "title": f"{{{_tex(work.title)}}}",
        "version": _tex(citation.number),
        _PUBLISHER_FIELDS[work.kind]: work.publisher and f"{{{_tex(work.publisher)}}}",
        # Not `date`, which BibTeX does not know; beside it, BibLaTeX would warn.
        "year": citation.year,
        "month": date and _MONTHS[date.month - 1],
        "doi": identifier if is_doi else None,
        "eprint": None if is_doi else identifier,
        "eprinttype": "hdl" if identifier and not is_doi else None,
        # The link of a handle has its braces encoded already.
        "url": citation.url and citation.url.replace("{", "%7B").replace("}", "%7D"),
    }
    lines = [
        f"  {name} = {text if name == 'month' else f'{{{text}}}'},\n"
        for name, text in fields.items()
        if text
    ]
    entry_type = _ENTRY_TYPES[work.kind]
    return f"@{entry_type}{{{citation.key},\n{''.join(lines)}}}\n"


def _bibtex_author(creator: Creator) -> str:
    if creator.family is None or creator.given is None:
        # Braces keep BibTeX from dividing a name at spaces and commas.
        return f"{{{_tex(creator.family or creator.name)}}}"
    # "von Neumann" needs no braces: BibTeX knows the particle.
    return f"{_name_part(creator.family)}, {_name_part(creator.given)}"


def _name_part(text: str) -> str:
    divides = "," in text or "and" in text.casefold().split()
    return f"{{{_tex(text)}}}" if divides else _tex(text)


def _tex(text: str) -> str:
    return text.translate(_TEX)


def _ris(citation: Citation) -> str:
    """The citation as one record."""
    work, date, doi = citation.work, citation.version.date, citation.doi
    tags = [
        ("TY", _RIS_TYPES[work.kind]),
        ("ID", citation.key),
        *(("AU", _ris_name(creator)) for creator in work.creators),
        ("TI", work.title),
        ("ET", citation.number),
        ("PB", work.publisher),
        ("PY", citation.year),
        ("DA", date and date.isoformat().replace("-", "/")),
        # White space can end a line for a reader (U+2028); the URL has it encoded.
        ("DO", None if re.search(r"\s", doi or "") else doi),
        # A semicolon divides addresses in this field; encoded, it is the same link.
        ("UR", citation.url and citation.url.replace(";", "%3B")),
        ("LA", work.language),
    ]
    lines = [f"{tag}  - {value}" for tag, value in tags if value]
    return "\n".join((*lines, "ER  - ", ""))


def _ris_name(creator: Creator) -> str:
    names = (creator.family, creator.given) if creator.family else (creator.name,)
    parts = (" ".join((name or "").replace(",", " ").split()) for name in names)
    return ", ".join(part for part in parts if part) or creator.name


def _csl_json(citation: Citation) -> str:
    """The citation as a list of one item."""
    work, date, handle = citation.work, citation.version.date, citation.version.handle
    item = {
        "id": citation.key,
        "type": _CSL_TYPES[work.kind],
        "title": work.title,
        "author": [_csl_name(creator) for creator in work.creators] or None,
        "version": citation.number,
        "publisher": work.publisher,
        "issued": date and {"date-parts": [[date.year, date.month, date.day]]},
        "DOI": citation.doi,
        "URL": citation.url,
        "language": work.language,
        "custom": {"handle": str(handle)} if handle and not citation.doi else None,
    }
    return f"{json.dumps([known(item)], ensure_ascii=False, indent=2)}\n"


def _csl_name(creator: Creator) -> dict[str, object]:
    if creator.family is None:
        return {"literal": creator.name}
    return known({"family": creator.family, "given": creator.given})
