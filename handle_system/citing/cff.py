"""``CITATION.cff`` (Citation File Format 1.2), as a source and as a format.

The file describes one state of one work, so its history has one version. The format
leaves some things open, which are decided here:

- *The work's identifier.* The format has one ``doi`` and a list of ``identifiers``,
  each with a description for people; its guide describes them as "the concept DOI",
  "all versions", "version 0.11.2". An identifier so described is the work's or the
  version's; ``doi`` is the version's, like the rest of the file, unless a description
  says that it is the work's. We write the guide's words.
- *Handles*, for which there is no type, are ``other`` or ``url``: an identifier is one
  if it is written as a link (``hdl:…``, a proxy's URL).
- ``preferred-citation`` replaces the rest, unless it is another thing: an article about
  the work has no versions of the work. The format itself describes software and data
  alone; a document is written twice, the second time in ``preferred-citation``.
"""

import re
from collections.abc import Iterator

import yaml

from handle_system.citing.citation import Citation
from handle_system.citing.fields import CitationError, Plain, is_http_url
from handle_system.citing.work import WorkKind, parse_label, same_label
from handle_system.errors import HandleSyntaxError
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference

__all__ = ["ANONYMOUS", "cff", "cff_data"]

#: The author that the format's guide names where there is none.
ANONYMOUS = "anonymous"

# The types of things that are a work; other things are about one.
_KINDS = {
    **dict.fromkeys(
        (
            *("generic", "book", "website", "dictionary", "encyclopedia"),
            *("edited-work", "catalogue", "blog", "serial", "unpublished"),
        ),
        WorkKind.DOCUMENT,
    ),
    "manual": WorkKind.MANUAL,
    **dict.fromkeys(
        ("report", "standard", "government-document", "pamphlet"), WorkKind.REPORT
    ),
    **dict.fromkeys(
        (
            *("software", "software-code", "software-container"),
            *("software-executable", "software-virtual-machine"),
        ),
        WorkKind.SOFTWARE,
    ),
    **dict.fromkeys(("data", "database", "dataset"), WorkKind.DATASET),
}
# In descriptions, in lower case; a description of the work may hold the others, too.
_OF_THE_WORK = re.compile("concept|all versions|latest|always leads")
_OF_A_VERSION = re.compile("version|release|snapshot")
_NAMED_VERSION = re.compile(r"\b(?:(?:version|release) |v(?=[0-9]))([^\s,;:()]+)")

_TYPES_OF_ROOT = {WorkKind.SOFTWARE: "software", WorkKind.DATASET: "dataset"}
_TYPES_OF_REFERENCE = {WorkKind.DOCUMENT: "generic", WorkKind.DATASET: "data"}
# The schema's pattern; a DOI can hold more.
_SCHEMA_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)?/[A-Za-z0-9:/_;\-.()\[\]\\]+")


def cff_data(
    loaded: Plain, proxies: Proxies
) -> tuple[dict[str, Plain], dict[str, str]]:
    """The values of a source, and the place in the file of each.

    Raises:
        CitationError: if the file has another shape, with the path.
    """
    if not isinstance(loaded, dict):
        raise CitationError("a table is expected here", where="the file")
    data, prefix = loaded, ""
    preferred = data.get("preferred-citation")
    if isinstance(preferred, dict) and _kind(preferred):
        data, prefix = preferred, "preferred-citation."
    label = str(data.get("version") or "")
    (work, work_path), (version, version_path) = _handles(data, label, proxies, prefix)
    date = "date-released" if data.get("date-released") else "date-published"
    license_key = "license" if data.get("license") else "license-url"
    licenses = data.get(license_key)
    authors = data.get("authors") or []
    if isinstance(authors, list):
        read = [_creator(author) for author in authors]
        authors = [creator for creator in read if creator != {"name": ANONYMOUS}]
    publisher = data.get("publisher")
    history = {"label": label, "date": data.get(date, ""), "handle": version}
    values: dict[str, Plain] = {
        "title": data.get("title", ""),
        "creators": authors,
        "publisher": publisher.get("name", "") if isinstance(publisher, dict) else "",
        "handle": work,
        "versions": [_known(history)] if label else [],
        "kind": _kind(data) or WorkKind.DOCUMENT.value,
        # Several licences are a choice between them; one line holds one.
        "license": [*licenses, ""][0] if isinstance(licenses, list) else licenses or "",
        "url": "" if label else data.get("url", ""),
    }
    paths = {
        "creators": "authors",
        "publisher": "publisher.name",
        "license": license_key,
        "versions[0].label": "version",
        "versions[0].date": date,
        "versions[0].handle": version_path,
        "handle": work_path,
        "": "",
    }
    return _known(values), {name: f"{prefix}{path}" for name, path in paths.items()}


def _known(values: dict[str, Plain]) -> dict[str, Plain]:
    return {name: value for name, value in values.items() if value}


def _kind(data: dict[str, Plain]) -> str:
    """The type; nothing for a thing that is about a work and not the work."""
    written = str(data.get("type") or "software").casefold()
    return _KINDS[written].value if written in _KINDS else ""


def _creator(author: Plain) -> Plain:
    if not isinstance(author, dict):
        return author
    names = ("name-particle", "family-names", "name-suffix")
    family = " ".join(str(author[name]) for name in names if author.get(name))
    given = author.get("given-names", "")
    creator = {"family": family, "given": given}
    if author.get("name") or not family:
        creator = {"name": author.get("name") or given or author.get("alias", "")}
    return _known({**creator, "orcid": author.get("orcid", "")})


def _handles(
    data: dict[str, Plain], label: str, proxies: Proxies, prefix: str
) -> tuple[tuple[str, str], tuple[str, str]]:
    """The identifiers of the work and of the version, each with its path."""
    of_work, of_version, unmarked = [], [], []
    for value, path, description in _identifiers(data, proxies, prefix):
        if _OF_THE_WORK.search(description):
            of_work.append((value, path))
        elif not _OF_A_VERSION.search(description):
            unmarked.append((value, path))
        elif _is_of(description, label):
            of_version.append((value, path))
    marked = {value for value, _ in (*of_work, *of_version)}
    (of_version if label else of_work).extend(
        found for found in unmarked if found[0] not in marked
    )
    return [*of_work, ("", "")][0], [*of_version, ("", "")][0]


def _identifiers(
    data: dict[str, Plain], proxies: Proxies, prefix: str
) -> Iterator[tuple[str, str, str]]:
    """Each identifier that is a handle: its value, path and description."""
    if data.get("doi"):
        yield str(data["doi"]), "doi", ""
    listed = data.get("identifiers") or []
    for index, each in enumerate(listed if isinstance(listed, list) else [listed]):
        path = f"identifiers[{index}]"
        if not isinstance(each, dict) or not each.get("type") or "value" not in each:
            raise CitationError(
                "an identifier has a type and a value", where=f"{prefix}{path}"
            )
        value, description = str(each["value"]), str(each.get("description", ""))
        if value and (each["type"] == "doi" or _is_link(value, proxies)):
            yield value, f"{path}.value", description.casefold()


def _is_of(description: str, label: str) -> bool:
    """Whether a description names this version, or no version in particular."""
    named = [word for word in _NAMED_VERSION.findall(description) if parse_label(word)]
    return not label or not named or any(same_label(word, label) for word in named)


def _is_link(text: str, proxies: Proxies) -> bool:
    """Whether an identifier of no known type is a handle."""
    try:
        return HandleReference.from_link(text, proxies=proxies) is not None
    except HandleSyntaxError:
        return False


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
    work, body = citation.work, _body(citation)
    root_type = _TYPES_OF_ROOT.get(work.kind)
    data = {
        "cff-version": "1.2.0",
        "message": "If you cite this work, please cite the version that you have read.",
        "type": root_type,
        **body,
    }
    if root_type is None or work.publisher:
        data["preferred-citation"] = {
            "type": _TYPES_OF_REFERENCE.get(work.kind, work.kind.value),
            **body,
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
    authors = [
        {
            "name": creator.name if creator.family is None else None,
            "family-names": creator.family,
            "given-names": creator.given,
            "orcid": creator.orcid_url,
        }
        for creator in work.creators
    ]
    identifiers = []
    for handle, description in (
        (version.handle, f"Version {version.label} of the work."),
        (
            work.handle,
            "The work: this identifier always leads to its latest version.",
        ),
    ):
        if handle:
            is_doi = _SCHEMA_DOI.fullmatch(str(handle)) is not None
            uri = HandleReference(handle=handle).uri()
            identifiers.append(
                {
                    "type": "doi" if is_doi else "other",
                    "value": str(handle) if is_doi else uri,
                    "description": description,
                }
            )
    return {
        "title": work.title,
        # The format needs an author.
        "authors": authors or [{"name": work.publisher or ANONYMOUS}],
        "version": version.label,
        "date-released": version.date.isoformat() if version.date else None,
        "doi": citation.doi if _SCHEMA_DOI.fullmatch(citation.doi or "") else None,
        "identifiers": identifiers or None,
        "license-url" if is_http_url(work.license or "") else "license": work.license,
        "url": citation.url,
    }


def _written(value: object) -> object:
    """The data with every text quoted, and without unknown values."""
    if isinstance(value, dict):
        return {key: _written(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_written(each) for each in value]
    return _Quoted(value)
