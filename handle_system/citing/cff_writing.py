"""A citation as ``CITATION.cff``, Citation File Format 1.2.0.

The format is made for software and data, and what it says of a document is in
``preferred-citation``, which its readers show in place of the rest; so a
document has both.  The work's handle and the version's are told apart in
``identifiers``, by descriptions in the words of the format's own guide; they are
``other`` there, as ``hdl:`` URIs, unless they are DOIs.

The file is YAML, written in its subset that needs no library: block style, and
every value in double quotes.
"""

import re
from collections.abc import Iterator

from handle_system.citing.cited import Cited
from handle_system.citing.fields import is_http_url
from handle_system.citing.work import Creator, WorkKind
from handle_system.handle import Handle
from handle_system.reference import HandleReference

__all__ = ["MESSAGE", "THIS_VERSION", "WHOLE_WORK", "cff"]

MESSAGE = "If you cite this work, please cite the version that you have read."
#: How the identifiers are described; `citing.cff` reads them back.
WHOLE_WORK = "The work: this identifier always leads to its latest version."
THIS_VERSION = "Version {label} of the work."

_TYPES_OF_ROOT = {WorkKind.SOFTWARE: "software", WorkKind.DATASET: "dataset"}
_TYPES_OF_REFERENCE = {
    WorkKind.DOCUMENT: "generic",
    WorkKind.MANUAL: "manual",
    WorkKind.REPORT: "report",
    WorkKind.SOFTWARE: "software",
    WorkKind.DATASET: "data",
}
# The schema's pattern; a DOI can hold more (RFC 3986 has nothing against it).
_SCHEMA_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)?/[A-Za-z0-9:/_;\-.()\[\]\\]+")
# What a double-quoted scalar of YAML 1.2 cannot hold as it is (section 5.1, 5.7).
_ESCAPED = re.compile(
    '["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]'
)


def cff(cited: Cited) -> str:
    """The citation as a whole file."""
    work = cited.work
    head = {"cff-version": "1.2.0", "message": MESSAGE}
    root_type = _TYPES_OF_ROOT.get(work.kind)
    lines = [f"{name}: {_quoted(value)}" for name, value in head.items()]
    if root_type:
        lines.append(f"type: {_quoted(root_type)}")
    lines += _body(cited)
    if root_type is None or work.publisher:
        lines.append("preferred-citation:")
        lines.append(f"  type: {_quoted(_TYPES_OF_REFERENCE[work.kind])}")
        lines += (f"  {line}" for line in _body(cited))
        if work.publisher:
            lines.append("  publisher:")
            lines.append(f"    name: {_quoted(work.publisher)}")
    return "\n".join((*lines, ""))


def _body(cited: Cited) -> Iterator[str]:
    work, version = cited.work, cited.version
    yield f"title: {_quoted(work.title)}"
    yield "authors:"
    for creator in work.creators:
        yield from _author(creator)
    if not work.creators:
        # The format wants an author; its guide names the project in such a case.
        yield f"  - name: {_quoted(work.publisher or work.title)}"
    yield f"version: {_quoted(version.label)}"
    if version.date:
        yield f"date-released: {_quoted(version.date.isoformat())}"
    if cited.doi is not None and _SCHEMA_DOI.fullmatch(cited.doi):
        yield f"doi: {_quoted(cited.doi)}"
    if version.handle or work.handle:
        yield "identifiers:"
    if version.handle:
        yield from _identifier(version.handle, THIS_VERSION.format(label=version.label))
    if work.handle:
        yield from _identifier(work.handle, WHOLE_WORK)
    if work.license:
        name = "license-url" if is_http_url(work.license) else "license"
        yield f"{name}: {_quoted(work.license)}"
    if cited.url is not None:
        yield f"url: {_quoted(cited.url)}"


def _author(creator: Creator) -> Iterator[str]:
    if creator.family is None:
        yield f"  - name: {_quoted(creator.name)}"
    else:
        yield f"  - family-names: {_quoted(creator.family)}"
    if creator.given is not None:
        yield f"    given-names: {_quoted(creator.given)}"
    if creator.orcid_url is not None:
        yield f"    orcid: {_quoted(creator.orcid_url)}"


def _identifier(handle: Handle, description: str) -> Iterator[str]:
    is_doi = _SCHEMA_DOI.fullmatch(str(handle)) is not None
    value = str(handle) if is_doi else HandleReference(handle=handle).uri()
    yield f"  - type: {_quoted('doi' if is_doi else 'other')}"
    yield f"    value: {_quoted(value)}"
    yield f"    description: {_quoted(description)}"


def _quoted(text: str) -> str:
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return f"\\{character}" if character in '"\\' else f"\\u{ord(character):04X}"
