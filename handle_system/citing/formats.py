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
from collections.abc import Iterator
from dataclasses import dataclass

from handle_system.citing.citation import Citation, CitationFormat
from handle_system.citing.work import Creator, WorkKind

__all__ = ["CitationExport", "CitationFormat", "export"]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationExport:
    """A citation in one format.

    Attributes:
        format: The format; it knows its name for readers and its media type.
        text: The whole text; it ends with a line's end.
        file_name: A name for a file: lower-case ASCII letters, digits, dots, hyphens.
    """

    format: CitationFormat
    text: str
    file_name: str


def export(citation: Citation, form: CitationFormat) -> CitationExport:
    """The citation in a format. The same data give the same text."""
    match form:
        case CitationFormat.BIBTEX:
            text = _bibtex(citation)
        case CitationFormat.RIS:
            text = _ris(citation)
        case CitationFormat.CSL_JSON:
            text = _csl_json(citation)
        case CitationFormat.CFF:
            # PyYAML is loaded for this format alone.
            from handle_system.citing.cff import cff  # noqa: PLC0415 - see above

            text = cff(citation)
        case CitationFormat.TEXT:
            text = f"{citation.reference()} {citation.url or ''}".rstrip() + "\n"
    return CitationExport(
        format=form, text=text, file_name=f"{citation.file_stem}{form.file_suffix}"
    )


def _bibtex(citation: Citation) -> str:
    """The citation as one entry."""
    fields = [f"  {name} = {value},\n" for name, value in _bibtex_fields(citation)]
    entry_type = _ENTRY_TYPES[citation.work.kind]
    return f"@{entry_type}{{{citation.key},\n{''.join(fields)}}}\n"


def _bibtex_fields(citation: Citation) -> Iterator[tuple[str, str]]:
    work, version = citation.work, citation.version
    if work.creators:
        yield "author", f"{{{' and '.join(map(_bibtex_author, work.creators))}}}"
    # A second pair of braces keeps styles from changing the letters' case.
    yield "title", f"{{{{{_tex(work.title)}}}}}"
    yield "version", f"{{{_tex(citation.number)}}}"
    if work.publisher:
        yield _PUBLISHER_FIELDS[work.kind], f"{{{{{_tex(work.publisher)}}}}}"
    if version.date:
        # Not `date`, which BibTeX does not know; beside it, BibLaTeX would warn.
        yield "year", f"{{{citation.year}}}"
        yield "month", _MONTHS[version.date.month - 1]
    if citation.handle and not _BREAKS_A_LINK.search(str(citation.handle)):
        if citation.doi is not None:
            yield "doi", f"{{{citation.doi}}}"
        else:
            yield "eprint", f"{{{citation.handle}}}"
            yield "eprinttype", "{hdl}"
    if citation.url is not None:
        # The link of a handle has its braces encoded already.
        url = citation.url.replace("{", "%7B").replace("}", "%7D")
        yield "url", f"{{{url}}}"


def _bibtex_author(creator: Creator) -> str:
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


def _ris(citation: Citation) -> str:
    """The citation as one record."""
    lines = [f"{tag}  - {value}" for tag, value in _ris_tags(citation) if value]
    return "\n".join((*lines, "ER  - ", ""))


def _ris_tags(citation: Citation) -> Iterator[tuple[str, str | None]]:
    work, version = citation.work, citation.version
    yield "TY", _RIS_TYPES[work.kind]
    yield "ID", citation.key
    for creator in work.creators:
        yield "AU", _ris_name(creator)
    yield "TI", work.title
    yield "ET", citation.number
    yield "PB", work.publisher
    yield "PY", citation.year
    if version.date:
        yield "DA", version.date.isoformat().replace("-", "/")
    # White space can end a line for a reader (U+2028); the URL has it encoded.
    if citation.doi is not None and not re.search(r"\s", citation.doi):
        yield "DO", citation.doi
    # A semicolon divides addresses in this field; encoded, it is the same link.
    yield "UR", citation.url and citation.url.replace(";", "%3B")
    yield "LA", work.language


def _ris_name(creator: Creator) -> str:
    if creator.family is None:
        return " ".join(creator.name.replace(",", " ").split()) or creator.name
    parts = (creator.family, creator.given or "")
    return ", ".join(" ".join(part.replace(",", " ").split()) for part in parts if part)


def _csl_json(citation: Citation) -> str:
    """The citation as a list of one item."""
    return f"{json.dumps([_csl_item(citation)], ensure_ascii=False, indent=2)}\n"


def _csl_item(citation: Citation) -> dict[str, object]:
    """The citation as an item, in plain data."""
    work, version = citation.work, citation.version
    item: dict[str, object | None] = {
        "id": citation.key,
        "type": _CSL_TYPES[work.kind],
        "title": work.title,
        "author": [_csl_name(creator) for creator in work.creators] or None,
        "version": citation.number,
        "publisher": work.publisher,
        "issued": None,
        "DOI": citation.doi,
        "URL": citation.url,
        "language": work.language,
        "custom": None,
    }
    if version.date:
        parts = [version.date.year, version.date.month, version.date.day]
        item["issued"] = {"date-parts": [parts]}
    if citation.handle is not None and citation.doi is None:
        item["custom"] = {"handle": str(citation.handle)}
    return {name: value for name, value in item.items() if value is not None}


def _csl_name(creator: Creator) -> dict[str, str]:
    if creator.family is None:
        return {"literal": creator.name}
    if creator.given is None:
        return {"family": creator.family}
    return {"family": creator.family, "given": creator.given}
