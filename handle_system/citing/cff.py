"""``CITATION.cff`` (Citation File Format 1.2), as a source.

The file describes one state of one work, so its history has one version. The format
leaves some things open, which are decided here:

- *The work's identifier.* The format has one ``doi`` and a list of ``identifiers``,
  each with a description for people; its guide describes them as "the concept DOI",
  "all versions", "version 0.11.2". An identifier so described is the work's or the
  version's. Without a description, ``doi`` is the version's, like the rest of the file,
  and so is an identifier that stands alone; any other one is neither.
- *Handles*, for which there is no type, are ``other`` or ``url``: an identifier is one
  if it is written as a link (``hdl:…``, a proxy's URL).
- ``preferred-citation`` replaces the rest, unless it is another thing: an article about
  the work has no versions of the work, and is cited beside it.
- An address of a proxy in ``url`` is the identifier, if there is no other one.

`citing.formats.cff` writes such files.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from handle_system.citing.documents import CitationError, Plain
from handle_system.citing.formats.cff import ANONYMOUS
from handle_system.citing.work import ArticleKind, WorkKind, parse_label, same_label
from handle_system.errors import HandleSyntaxError
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference

__all__ = ["CffWork", "cff_releases", "read_cff"]

_Table: TypeAlias = dict[str, Plain]

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
# The kinds of things that are about a work.
_ARTICLE_KINDS = {
    "article": ArticleKind.ARTICLE,
    "magazine-article": ArticleKind.ARTICLE,
    "newspaper-article": ArticleKind.ARTICLE,
    "conference": ArticleKind.CONFERENCE_PAPER,
    "conference-paper": ArticleKind.CONFERENCE_PAPER,
    "proceedings": ArticleKind.CONFERENCE_PAPER,
    "thesis": ArticleKind.THESIS,
}
# In descriptions, in lower case; a description of the work may hold the others, too.
_OF_THE_WORK = re.compile(
    "concept|(?:all|any|every) (?:the )?(?:versions?|releases?)|collection|latest|always leads"
)
_OF_A_VERSION = re.compile("version|release|snapshot")
# Of several versions, and so of none: "for versions 1.9.0 and above".
_OF_SEVERAL = re.compile(
    r"and (?:above|up|later|newer|higher|below|earlier|older)|since |until |before |from (?:version )?v?[0-9]"
    r"|[0-9]\.[x*]|[0-9] ?(?:-|to|through|\+) ?v?[0-9]"
)
_NAMED_VERSION = re.compile(r"\b(?:(?:version|release) |v(?=[0-9]))([^\s,;:()]+)")


class CffWork(NamedTuple):
    """The work of a file, under the names of a source.

    Attributes:
        values: Text, lists and tables by name.
        keys: The key of the file for each value.
    """

    values: dict[str, Plain]
    keys: dict[str, str]


class _Identifier(NamedTuple):
    """An identifier that is a handle, with its key in the file."""

    value: str
    key: str
    description: str = ""


_NO_IDENTIFIER = _Identifier("", "")


def read_cff(loaded: Plain, proxies: Proxies) -> CffWork:
    """The work that a file describes.

    Raises:
        CitationError: if the file has another shape, with the path.
    """
    if not isinstance(loaded, dict):
        raise CitationError("a table is expected here", where="the file")
    data = loaded
    prefix = ""
    preferred = data.get("preferred-citation")
    if isinstance(preferred, dict) and _kind(preferred):
        data = preferred
        prefix = "preferred-citation."
        preferred = None

    label = str(data.get("version") or "")
    identifiers = [*_identifiers(data, proxies, prefix)]
    work_handle, version_handle = _of_work_and_version(identifiers, label)
    date_key = "date-released" if data.get("date-released") else "date-published"
    license_key = "license" if data.get("license") else "license-url"

    version = {
        "label": label,
        "date": data.get(date_key, ""),
        "handle": version_handle.value,
    }
    values: dict[str, Plain] = {
        "title": data.get("title", ""),
        "creators": _creators(data.get("authors")),
        "publisher": _name_of(data.get("publisher")),
        "handle": work_handle.value,
        "versions": [_without_empty(version)] if label else [],
        "kind": _kind(data) or WorkKind.DOCUMENT.value,
        "license": _license(data.get(license_key)),
        "url": "" if label else data.get("url", ""),
        "article": _article(preferred, proxies),
    }
    keys = {
        "creators": "authors",
        "publisher": "publisher.name",
        "license": license_key,
        "versions[0].label": "version",
        "versions[0].date": date_key,
        "versions[0].handle": version_handle.key,
        "handle": work_handle.key,
        "article": "preferred-citation",
        "article.handle": "preferred-citation.doi",
        "": "",
    }
    prefixed_keys = {name: f"{prefix}{key}" for name, key in keys.items()}
    return CffWork(_without_empty(values), prefixed_keys)


def cff_releases(
    loaded: Plain, proxies: Proxies
) -> tuple[list[str], list[tuple[str, str]]]:
    """The work's identifiers, and the label and identifier of each version.

    A version is the file's own, or one that the description of an identifier names. Its
    identifier may be empty.

    Raises:
        CitationError: if the file has another shape.
    """
    if not isinstance(loaded, dict) or not _kind(loaded):
        return [], []
    label = str(loaded.get("version") or "")
    identifiers = [*_identifiers(loaded, proxies, "")]
    work_handle, version_handle = _of_work_and_version(identifiers, label)
    of_work = [work_handle.value]
    versions = []
    for identifier in identifiers:
        description = identifier.description
        labels = [
            word for word in _NAMED_VERSION.findall(description) if parse_label(word)
        ]
        if _OF_THE_WORK.search(description):
            of_work.append(identifier.value)
        elif len(labels) == 1 and not _OF_SEVERAL.search(description):
            versions.append((labels[0], identifier.value))
    named = {value for _, value in versions}
    # What a description says of an identifier holds.
    own = version_handle.value if version_handle.value not in named else ""
    return of_work, [(label, own), *versions]


def _article(preferred: Plain | None, proxies: Proxies) -> Plain:
    """The article that the file asks to cite, or another thing that is not the work."""
    if not isinstance(preferred, dict):
        return {}
    pages = [str(preferred[name]) for name in ("start", "end") if preferred.get(name)]
    journal = preferred.get("journal", "") or preferred.get("collection-title", "")
    publisher = _name_of(preferred.get("publisher"))
    cff_type = str(preferred.get("type", "")).casefold()
    handle = preferred.get("doi", "")
    url = preferred.get("url", "")
    if _is_link(str(url or ""), proxies):
        handle = handle or url
        url = ""
    article: _Table = {
        "title": preferred.get("title", ""),
        "kind": _ARTICLE_KINDS.get(cff_type, ArticleKind.OTHER).value,
        "creators": _creators(preferred.get("authors")),
        "journal": journal or _name_of(preferred.get("conference")),
        "volume": preferred.get("volume", ""),
        "issue": preferred.get("issue", ""),
        "pages": "-".join(pages) or preferred.get("pages", ""),
        "publisher": publisher or _name_of(preferred.get("institution")),
        "year": preferred.get("year", "")
        or str(preferred.get("date-published", ""))[:4],
        "handle": handle,
        "url": url,
    }
    return _without_empty(article) if article["title"] else {}


def _without_empty(values: _Table) -> _Table:
    return {name: value for name, value in values.items() if value}


def _kind(data: _Table) -> str:
    """The type; nothing for a thing that is about a work and not the work."""
    cff_type = str(data.get("type") or "software").casefold()
    kind = _KINDS.get(cff_type)
    return "" if kind is None else kind.value


def _creators(authors: Plain | None) -> Plain:
    if not isinstance(authors, list):
        return authors or []
    creators = [_creator(author) for author in authors]
    return [creator for creator in creators if creator != {"name": ANONYMOUS}]


def _creator(author: Plain) -> Plain:
    if not isinstance(author, dict):
        return author
    name_keys = ("name-particle", "family-names", "name-suffix")
    family = " ".join(str(author[key]) for key in name_keys if author.get(key))
    given = author.get("given-names", "")
    orcid = author.get("orcid", "")
    if author.get("name"):
        return _without_empty({"name": author["name"], "orcid": orcid})
    if not family:
        name = given or author.get("alias", "")
        return _without_empty({"name": name, "orcid": orcid})
    return _without_empty({"family": family, "given": given, "orcid": orcid})


def _name_of(entity: Plain | None) -> Plain:
    """The name of a publisher, an institution or a conference."""
    return entity.get("name", "") if isinstance(entity, dict) else ""


def _license(licenses: Plain | None) -> Plain:
    """Several licences are a choice between them; one line holds one."""
    if isinstance(licenses, list):
        return licenses[0] if licenses else ""
    return licenses or ""


def _of_work_and_version(
    identifiers: list[_Identifier], label: str
) -> tuple[_Identifier, _Identifier]:
    """The identifier of the work and that of the version."""
    of_work = []
    of_version = []
    for identifier in identifiers:
        description = identifier.description
        if _OF_THE_WORK.search(description):
            of_work.append(identifier)
        elif _OF_A_VERSION.search(description) and _is_of(description, label):
            of_version.append(identifier)
    described = {
        identifier.value for identifier in identifiers if identifier.description
    }
    others = of_version if label else of_work
    for identifier in identifiers:
        is_main = identifier.key == "doi" or len(identifiers) == 1
        if is_main and not identifier.description and identifier.value not in described:
            others.append(identifier)
    return _first(of_work), _first(of_version)


def _first(identifiers: list[_Identifier]) -> _Identifier:
    return identifiers[0] if identifiers else _NO_IDENTIFIER


def _identifiers(data: _Table, proxies: Proxies, prefix: str) -> Iterator[_Identifier]:
    """Each identifier that is a handle.

    Raises:
        CitationError: if an identifier has another shape.
    """
    if data.get("doi"):
        yield _Identifier(str(data["doi"]), "doi")
    elif _is_link(str(data.get("url") or ""), proxies):
        yield _Identifier(str(data["url"]), "doi")
    listed = data.get("identifiers") or []
    for index, item in enumerate(listed if isinstance(listed, list) else [listed]):
        key = f"identifiers[{index}]"
        if not isinstance(item, dict) or not item.get("type") or "value" not in item:
            raise CitationError(
                "an identifier has a type and a value", where=f"{prefix}{key}"
            )
        value = str(item["value"])
        if value and (item["type"] == "doi" or _is_link(value, proxies)):
            description = str(item.get("description", "")).casefold()
            yield _Identifier(value, f"{key}.value", description)


def _is_of(description: str, label: str) -> bool:
    """Whether a description names this version, or no version in particular."""
    if _OF_SEVERAL.search(description):
        return False
    words = _NAMED_VERSION.findall(description)
    labels = [word for word in words if parse_label(word)]
    if not label or not labels:
        return True
    return any(same_label(named_label, label) for named_label in labels)


def _is_link(text: str, proxies: Proxies) -> bool:
    """Whether an identifier of no known type is a handle."""
    try:
        return HandleReference.from_link(text, proxies=proxies) is not None
    except HandleSyntaxError:
        return False
