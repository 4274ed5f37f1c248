"""A citation as ``CITATION.cff``, Citation File Format 1.2.0.

The format describes software and data. It keeps other things in
``preferred-citation``, which its readers show in place of the rest; so a document
has both. ``identifiers`` tells the work's handle and the version's apart by
descriptions in the words of the format's own guide; they have the type ``other``
there, as ``hdl:`` URIs, unless they are DOIs.
"""

import re

import yaml

from handle_system.citing.cff_reader import ANONYMOUS
from handle_system.citing.citation import Citation
from handle_system.citing.fields import is_http_url
from handle_system.citing.work import Creator, WorkKind
from handle_system.handle import Handle
from handle_system.reference import HandleReference

__all__ = ["cff"]

_MESSAGE = "If you cite this work, please cite the version that you have read."
# `citing.cff_reader` reads these descriptions.
_WHOLE_WORK = "The work: this identifier always leads to its latest version."
_THIS_VERSION = "Version {label} of the work."
_TYPES_OF_ROOT = {WorkKind.SOFTWARE: "software", WorkKind.DATASET: "dataset"}
_TYPES_OF_REFERENCE = {
    WorkKind.DOCUMENT: "generic",
    WorkKind.MANUAL: "manual",
    WorkKind.REPORT: "report",
    WorkKind.SOFTWARE: "software",
    WorkKind.DATASET: "data",
}
# The schema's pattern; a DOI can hold more.
_SCHEMA_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)?/[A-Za-z0-9:/_;\-.()\[\]\\]+")


class _Quoted(str):
    """A value that is text to every reader of YAML, whatever it looks like."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Writes values in double quotes, and lists below their keys."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - PyYAML's signature
        super().increase_indent(flow, indentless=False)


_Dumper.add_representer(
    _Quoted,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", str(text), style='"'
    ),
)


def cff(citation: Citation) -> str:
    """The citation as a whole file."""
    work = citation.work
    root_type = _TYPES_OF_ROOT.get(work.kind)
    data = {
        "cff-version": "1.2.0",
        "message": _MESSAGE,
        "type": root_type,
        **_body(citation),
    }
    if root_type is None or work.publisher:
        data["preferred-citation"] = {
            "type": _TYPES_OF_REFERENCE[work.kind],
            **_body(citation),
            "publisher": {"name": work.publisher} if work.publisher else None,
        }
    return yaml.dump(
        _written(data),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=float("inf"),
    )


def _body(citation: Citation) -> dict[str, object]:
    work, version = citation.work, citation.version
    identifiers = []
    if version.handle:
        description = _THIS_VERSION.format(label=version.label)
        identifiers.append(_identifier(version.handle, description))
    if work.handle:
        identifiers.append(_identifier(work.handle, _WHOLE_WORK))
    licence = "license-url" if is_http_url(work.license or "") else "license"
    # The format needs an author, and its guide names this one for want of another.
    nobody = {"name": work.publisher or ANONYMOUS}
    return {
        "title": work.title,
        "authors": [_author(creator) for creator in work.creators] or [nobody],
        "version": version.label,
        "date-released": version.date.isoformat() if version.date else None,
        "doi": citation.doi if _SCHEMA_DOI.fullmatch(citation.doi or "") else None,
        "identifiers": identifiers or None,
        licence: work.license,
        "url": citation.url,
    }


def _author(creator: Creator) -> dict[str, str | None]:
    return {
        "name": creator.name if creator.family is None else None,
        "family-names": creator.family,
        "given-names": creator.given,
        "orcid": creator.orcid_url,
    }


def _identifier(handle: Handle, description: str) -> dict[str, str]:
    is_doi = _SCHEMA_DOI.fullmatch(str(handle)) is not None
    return {
        "type": "doi" if is_doi else "other",
        "value": str(handle) if is_doi else HandleReference(handle=handle).uri(),
        "description": description,
    }


def _written(value: object) -> object:
    """The data with every text quoted, and without what is not known."""
    if isinstance(value, dict):
        known = {name: each for name, each in value.items() if each is not None}
        return {name: _written(each) for name, each in known.items()}
    if isinstance(value, list):
        return [_written(each) for each in value]
    return _Quoted(value)
