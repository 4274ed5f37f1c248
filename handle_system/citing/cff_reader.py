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
    (work, work_path), (version, version_path) = _handles(data, label, proxies, prefix)
    date = "date-released" if data.get("date-released") else "date-published"
    license_key = "license" if data.get("license") else "license-url"
    licenses = data.get(license_key)
    authors = data.get("authors")
    publisher = data.get("publisher")
    history = {"label": label, "date": data.get(date, ""), "handle": version}
    values: dict[str, Plain] = {
        "title": data.get("title", ""),
        "creators": _creators(authors) if isinstance(authors, list) else authors or "",
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


def _creators(authors: list[Plain]) -> list[Plain]:
    creators = [
        _creator(author) if isinstance(author, dict) else author for author in authors
    ]
    return [creator for creator in creators if creator != {"name": ANONYMOUS}]


def _creator(author: dict[str, Plain]) -> Plain:
    names = ("name-particle", "family-names", "name-suffix")
    family = " ".join(str(author[name]) for name in names if author.get(name))
    given = author.get("given-names", "")
    name = author.get("name") or ("" if family else given or author.get("alias", ""))
    orcid = author.get("orcid", "")
    person = {"family": family, "given": given} if not name else {}
    return _known({"name": name, **person, "orcid": orcid})


def _handles(
    data: dict[str, Plain], label: str, proxies: Proxies, prefix: str
) -> tuple[tuple[str, str], tuple[str, str]]:
    """The identifiers of the work and of the version, each with its path."""
    unmarked = [(str(data["doi"]), "doi")] if data.get("doi") else []
    of_work: list[tuple[str, str]] = []
    of_version: list[tuple[str, str]] = []
    listed = data.get("identifiers") or []
    for index, each in enumerate(listed if isinstance(listed, list) else [listed]):
        path = f"identifiers[{index}]"
        value, description = _identifier(each, proxies, f"{prefix}{path}")
        found = (value, f"{path}.value")
        if not value:
            continue
        if any(word in description for word in _OF_THE_WORK):
            of_work.append(found)
        elif not any(word in description for word in _OF_A_VERSION):
            unmarked.append(found)
        elif _is_of(description, label):
            of_version.append(found)
    marked = {value for value, _ in (*of_work, *of_version)}
    rest = [found for found in unmarked if found[0] not in marked]
    (of_version if label else of_work).extend(rest)
    nothing = ("", "")
    return [*of_work, nothing][0], [*of_version, nothing][0]


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
