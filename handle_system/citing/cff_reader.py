"""A ``CITATION.cff`` (Citation File Format 1.2) as the source of a citation.

The file describes one state of one work, so the history has one version. The
format leaves some things open, which are decided here:

- *The work's identifier.* The format has one ``doi`` and a list of
  ``identifiers``, each with a description for people; its guide describes them as
  "the concept DOI", "all versions", "version 0.11.2". An identifier so described
  is the work's or the version's; ``doi`` is the version's, like the rest of the
  file, unless a description says that it is the work's.
- *Handles*, for which there is no type, are ``other`` or ``url``: an identifier is
  one if it is written as a link (``hdl:…``, a proxy's URL).
- ``preferred-citation`` replaces the rest, unless it is another thing: an article
  about the work has no versions of the work.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from handle_system.citing.documents import Plain
from handle_system.citing.fields import CitationError
from handle_system.citing.work import WorkKind, parse_label, same_label
from handle_system.errors import HandleSyntaxError
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference

__all__ = ["ANONYMOUS", "cff_data"]

#: The author that the format's guide names where there is none.
ANONYMOUS = "anonymous"

_KINDS: Mapping[str, WorkKind] = {
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
# In descriptions, in lower case. The first are looked for first: "all versions"
# holds the second.
_OF_THE_WORK = ("concept", "all versions", "latest", "always leads")
_OF_A_VERSION = ("version", "release", "snapshot")
_NAMED_VERSION = re.compile(
    r"\b(?:version|release) ([^\s,;:()]+)|\bv([0-9][^\s,;:()]*)"
)


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
    handles = _handles(data, label, proxies, prefix)
    date = "date-released" if data.get("date-released") else "date-published"
    license_key = "license" if data.get("license") else "license-url"
    license_name = data.get(license_key, "")
    publisher = data.get("publisher")
    version: dict[str, Plain] = {
        "label": label,
        "date": data.get(date, ""),
        "handle": handles.version,
    }
    values: dict[str, Plain] = {
        "title": data.get("title", ""),
        "creators": _creators(data.get("authors") or [], f"{prefix}authors"),
        "publisher": publisher.get("name", "") if isinstance(publisher, dict) else "",
        "handle": handles.work,
        "versions": [_known(version)] if label else [],
        "kind": _kind(data) or WorkKind.DOCUMENT.value,
        # Several licences are a choice between them; one line holds one.
        "license": license_name[0]
        if license_name and isinstance(license_name, list)
        else license_name,
        "url": "" if label else data.get("url", ""),
    }
    paths = {
        "creators": "authors",
        "publisher": "publisher.name",
        "license": license_key,
        "versions[0].label": "version",
        "versions[0].date": date,
        "versions[0].handle": handles.paths.get(handles.version, ""),
        "handle": handles.paths.get(handles.work, ""),
        "": "",
    }
    return _known(values), {name: f"{prefix}{path}" for name, path in paths.items()}


@dataclass(slots=True)
class _Handles:
    """The identifiers of the work and of the version, and the path of each."""

    work: str = ""
    version: str = ""
    paths: dict[str, str] = field(default_factory=dict)


def _known(values: dict[str, Plain]) -> dict[str, Plain]:
    return {name: value for name, value in values.items() if value}


def _kind(data: dict[str, Plain]) -> str:
    """The type; nothing for a thing that is about a work and not the work."""
    written = str(data.get("type") or "software").casefold()
    return _KINDS[written].value if written in _KINDS else ""


def _creators(authors: Plain, path: str) -> list[Plain]:
    if not isinstance(authors, list):
        raise CitationError("a list is expected here", where=path)
    creators: list[Plain] = []
    for index, author in enumerate(authors):
        if not isinstance(author, dict):
            raise CitationError("a table is expected here", where=f"{path}[{index}]")
        given, family = author.get("given-names"), author.get("family-names")
        name = author.get("name") or ("" if family else given or author.get("alias"))
        if not name and not family:
            raise CitationError(
                "an author has a name, family-names, or an alias",
                where=f"{path}[{index}]",
            )
        parts = (author.get("name-particle"), family, author.get("name-suffix"))
        person: dict[str, Plain] = {
            "family": " ".join(str(part) for part in parts if part),
            "given": given or "",
        }
        creator = {"name": name} if name else person
        if name != ANONYMOUS:
            creators.append(_known({**creator, "orcid": author.get("orcid", "")}))
    return creators


def _handles(
    data: dict[str, Plain], label: str, proxies: Proxies, prefix: str
) -> _Handles:
    found = _Handles()
    unmarked: list[str] = []
    if data.get("doi"):
        unmarked.append(str(data["doi"]))
        found.paths[unmarked[0]] = "doi"
    listed = data.get("identifiers") or []
    for index, each in enumerate(listed if isinstance(listed, list) else [listed]):
        path = f"identifiers[{index}]"
        value, description = _identifier(each, proxies, f"{prefix}{path}")
        if not value:
            continue
        found.paths.setdefault(value, f"{path}.value")
        if any(word in description for word in _OF_THE_WORK):
            found.work = found.work or value
        elif not any(word in description for word in _OF_A_VERSION):
            unmarked.append(value)
        elif _is_of(description, label):
            found.version = found.version or value
    for value in unmarked:
        if value in {found.work, found.version}:
            continue
        if label:
            found.version = found.version or value
        else:
            found.work = found.work or value
    return found


def _identifier(each: Plain, proxies: Proxies, path: str) -> tuple[str, str]:
    """An identifier and its description; no identifier where it is not a handle."""
    if not isinstance(each, dict) or not each.get("type") or "value" not in each:
        raise CitationError("an identifier has a type and a value", where=path)
    value, description = str(each["value"]), str(each.get("description", ""))
    is_handle = each["type"] == "doi" or _is_link(value, proxies)
    return value if is_handle else "", description.casefold()


def _is_of(description: str, label: str) -> bool:
    """Whether a description names this version, or no version in particular."""
    named = [found[1] or found[2] for found in _NAMED_VERSION.finditer(description)]
    if not label or not any(parse_label(word) for word in named):
        return True
    return any(same_label(word, label) for word in named)


def _is_link(text: str, proxies: Proxies) -> bool:
    """Whether an identifier of no known type is a handle."""
    try:
        return HandleReference.from_link(text, proxies=proxies) is not None
    except HandleSyntaxError:
        return False
