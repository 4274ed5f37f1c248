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
- ``preferred-citation`` replaces the rest if it is the work itself, and takes the version
  and its date from the file if it has none of its own. Another thing, such as an article
  about the work, is cited beside it, and its ``doi`` is never the work's.
- An address of a proxy in ``url`` is the identifier, if there is no other one.

`citing.formats.cff` writes such files.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from handle_system.citing.documents import CitationError, Plain
from handle_system.citing.formats.cff import ANONYMOUS
from handle_system.citing.options import Part
from handle_system.citing.sources import Source, SourcePlace
from handle_system.citing.work import WorkKind, parse_label, same_label
from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference

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
# The kinds of things that are about a work; any other type is "other".
_ARTICLE_KINDS = {
    "article": "article",
    "magazine-article": "article",
    "newspaper-article": "article",
    "conference": "conference-paper",
    "conference-paper": "conference-paper",
    "proceedings": "conference-paper",
    "thesis": "thesis",
    "book": "book",
    "edited-work": "book",
    "report": "report",
    "standard": "report",
}
# In descriptions, in lower case; a description of the work may hold the others, too.
_OF_THE_WORK = re.compile(
    "concept|(?:all|any|every) (?:the )?(?:versions?|releases?)|collection|latest|always leads"
)
# The plural alone is of several: "the archived releases".
_OF_A_VERSION = re.compile(r"\b(?:version|versioned|release|released|snapshot)\b")
# Of several versions, and so of none: "for versions 1.9.0 and above".
_OF_SEVERAL = re.compile(
    r"and (?:above|up|later|newer|higher|below|earlier|older)|since |until |before |from (?:version )?v?[0-9]"
    r"|[0-9]\.[x*]|[0-9] ?(?:-|to|through|\+) ?v?[0-9]"
)
# The prefix of the keys of another table in the file.
_PREFERRED = "preferred-citation."
# The keys of a file that hold for its preferred citation, too.
_KEYS_OF_THE_VERSION = ("version", "date-released", "license", "license-url")
_NAMED_VERSION = re.compile(r"\b(?:(?:version|release) |v(?=[0-9]))([^\s,;:()]+)")


class _Identifier(NamedTuple):
    """An identifier that is a handle.

    Attributes:
        value: Its text.
        key: Its key in the file.
        identity: What compares equal for the spellings of one handle.
        is_main: Whether it is the ``doi`` of the file.
        description: What the file says of it, in lower case.
    """

    value: str
    key: str
    identity: Handle | str
    is_main: bool = False
    description: str = ""


_NO_IDENTIFIER = _Identifier("", "", "")


class _Described(NamedTuple):
    """What a file says about its work.

    Attributes:
        data: The keys that describe the work.
        prefix: The prefix of these keys in the file.
        shared_keys: Those of them that stand without the prefix.
        identifiers: The identifiers that are handles.
        about_it: The preferred citation, if it is another thing than the work.
    """

    data: _Table
    prefix: str
    shared_keys: frozenset[str]
    identifiers: tuple[_Identifier, ...]
    about_it: _Table

    def key(self, name: str) -> str:
        """The key with the prefix of the table that has it."""
        prefix = "" if name in self.shared_keys else self.prefix
        return f"{prefix}{name}"


def read_cff(loaded: Plain, name: str, proxies: Proxies) -> Source:
    """The work that a file describes.

    Args:
        loaded: The values of the file.
        name: The name of the file.
        proxies: The proxies whose URLs are handles.

    Raises:
        CitationError: if the file has another shape, with the path.
    """
    if not isinstance(loaded, dict):
        raise CitationError("a table is expected here", where="the file")
    described = _described(loaded, proxies)
    data = described.data
    article = _article(described.about_it, proxies)

    label = data.get("version") or ""
    work_handle, version_handle = _of_work_and_version(
        described.identifiers, label, _identity(article.get("handle", ""), proxies)
    )
    date_key = "date-released" if data.get("date-released") else "date-published"
    license_key = "license" if data.get("license") else "license-url"

    version = {
        "label": label,
        "date": data.get(date_key, ""),
        "handle": version_handle.value,
    }
    authors = data.get("authors")
    left_out = []
    if authors and not isinstance(authors, list):
        reason = "a list of authors is expected here"
        where = f"{name}: {described.key('authors')}"
        left_out.append(CitationError(reason, where))
    preferred = loaded.get("preferred-citation")
    if preferred and not isinstance(preferred, dict):
        where = f"{name}: preferred-citation"
        left_out.append(CitationError("a table is expected here", where))
    values: dict[str, Plain] = {
        "title": data.get("title", ""),
        "creators": _creators(authors),
        "publisher": _name_of(data.get("publisher")),
        "handle": work_handle.value,
        "versions": [_without_empty(version)] if label else [],
        "kind": _kind(data) or WorkKind.DOCUMENT.value,
        "license": _license(data.get(license_key)),
        "url": "" if label else data.get("url", ""),
        "article": article,
    }
    keys = {
        "title": described.key("title"),
        "creators": described.key("authors"),
        "publisher": f"{described.key('publisher')}.name",
        "kind": described.key("type"),
        "url": described.key("url"),
        "license": described.key(license_key),
        "versions[0].label": described.key("version"),
        "versions[0].date": described.key(date_key),
        "versions[0].handle": version_handle.key,
        "handle": work_handle.key,
        "article": _PREFERRED.removesuffix("."),
        "article.handle": f"{_PREFERRED}doi",
        "article.creators": f"{_PREFERRED}authors",
        "article.pages": f"{_PREFERRED}start",
        "": "",
    }
    places = {
        (Part.WORK, path): SourcePlace(f"{name}: {key}") for path, key in keys.items()
    }
    return Source(
        values={Part.WORK: _without_empty(values)},
        places=places,
        file=name,
        left_out=tuple(left_out),
    )


def _described(root: _Table, proxies: Proxies) -> _Described:
    """What describes the work: the file, or the preferred citation if it is the work.

    That one leaves out what the file says already. Without a version of its own, it is of
    the version of the file.

    Raises:
        CitationError: if an identifier has another shape.
    """
    preferred = root.get("preferred-citation")
    if not isinstance(preferred, dict):
        preferred = {}
    if not preferred or not _is_the_work(preferred, root):
        identifiers: Iterable[_Identifier] = _identifiers(root, proxies)
        return _Described(root, "", frozenset(), tuple(identifiers), preferred)
    data = _without_empty(preferred)
    shared = {}
    identifiers = _identifiers(preferred, proxies, _PREFERRED)
    if "version" not in data:
        shared = {
            key: root[key]
            for key in _KEYS_OF_THE_VERSION
            if key in root and key not in data
        }
        identifiers = chain(identifiers, _identifiers(root, proxies))
    return _Described(
        {**data, **shared}, _PREFERRED, frozenset(shared), tuple(identifiers), {}
    )


def _is_the_work(preferred: _Table, root: _Table) -> bool:
    """Whether a preferred citation is the work itself, and not a thing about it.

    A program, its data and its manual are; another document is one if it has a version, or
    the title of the file.
    """
    kind = _kind(preferred)
    if kind in {WorkKind.SOFTWARE, WorkKind.DATASET, WorkKind.MANUAL}:
        return True
    title = preferred.get("title")
    has_same_title = not title or title == root.get("title")
    return bool(kind) and (has_same_title or bool(preferred.get("version")))


class CffReleases(NamedTuple):
    """The versions of which a file speaks, and their identifiers.

    Attributes:
        label: The label of its own version; may be empty.
        identifier: The identifier of its own version; may be empty.
        work: The identifier of the work; may be empty.
        all_versions: What descriptions call the identifiers of all versions.
        described: The label and the identifier of each version that a description names.
    """

    label: str
    identifier: str
    work: str
    all_versions: Sequence[str]
    described: Sequence[tuple[str, str]]


def cff_releases(loaded: Plain, proxies: Proxies) -> CffReleases | None:
    """The versions of which a file speaks; `None` if it describes no work.

    Raises:
        CitationError: if the file has another shape.
    """
    if not isinstance(loaded, dict) or not _kind(loaded):
        return None
    label = str(loaded.get("version") or "")
    described = _described(loaded, proxies)
    article = _article(described.about_it, proxies)
    identifiers = [*_identifiers(loaded, proxies)]
    work_handle, version_handle = _of_work_and_version(
        identifiers, label, _identity(article.get("handle", ""), proxies)
    )
    all_versions = []
    described_versions = []
    for identifier in identifiers:
        description = identifier.description
        labels = [
            word for word in _NAMED_VERSION.findall(description) if parse_label(word)
        ]
        if _OF_THE_WORK.search(description):
            all_versions.append(identifier.value)
        elif len(labels) == 1 and not _OF_SEVERAL.search(description):
            described_versions.append((labels[0], identifier.value))
    # What a description says of an identifier holds.
    others = {
        value for name, value in described_versions if not same_label(name, label)
    }
    own = version_handle.value
    return CffReleases(
        label=label,
        identifier=own if own not in others else "",
        work=work_handle.value,
        all_versions=all_versions,
        described=described_versions,
    )


def _article(preferred: _Table, proxies: Proxies) -> _Table:
    """The article that the file asks to cite, or another thing that is not the work."""
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
        "kind": _ARTICLE_KINDS.get(cff_type, "other"),
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


def _identity(identifier: Plain, proxies: Proxies) -> Handle | str:
    """What compares equal for the spellings of one handle; the text of what is none."""
    text = str(identifier)
    try:
        return HandleReference.parse(text, proxies=proxies).handle
    except HandleSyntaxError:
        return text


def _without_empty(values: _Table) -> _Table:
    return {name: value for name, value in values.items() if value}


def _kind(data: _Table) -> str:
    """The type; nothing for a thing that is about a work and not the work."""
    cff_type = str(data.get("type") or "software").casefold()
    kind = _KINDS.get(cff_type)
    return "" if kind is None else kind.value


def _creators(authors: Plain | None) -> Plain:
    if not isinstance(authors, list):
        return []
    creators = [_creator(author) for author in authors]
    return [creator for creator in creators if creator != {"name": ANONYMOUS}]


def _creator(author: Plain) -> Plain:
    if isinstance(author, str):
        # A number is no name.
        return author if any(map(str.isalpha, author)) else {}
    if not isinstance(author, dict):
        return author
    name_keys = ("name-particle", "family-names")
    family = " ".join(str(author[key]) for key in name_keys if author.get(key))
    given = author.get("given-names", "")
    orcid = author.get("orcid", "")
    if author.get("name"):
        return _without_empty({"name": author["name"], "orcid": orcid})
    if not family:
        name = given or author.get("alias", "")
        return _without_empty({"name": name, "orcid": orcid})
    suffix = author.get("name-suffix", "")
    return _without_empty(
        {"family": family, "given": given, "suffix": suffix, "orcid": orcid}
    )


def _name_of(entity: Plain | None) -> Plain:
    """The name of a publisher, an institution or a conference."""
    return entity.get("name", "") if isinstance(entity, dict) else ""


def _license(licenses: Plain | None) -> Plain:
    """Several licences are a choice between them; one line holds one."""
    if isinstance(licenses, list):
        return licenses[0] if licenses else ""
    return licenses or ""


def _of_work_and_version(
    identifiers: Sequence[_Identifier], label: Plain, article: Handle | str
) -> tuple[_Identifier, _Identifier]:
    """The identifier of the work and that of the version.

    Args:
        identifiers: The identifiers of the file.
        label: The label of its version, if it has one.
        article: The identifier of the article about the work. Programs write it into
            ``doi``, too.
    """
    of_work = []
    of_version = []
    for identifier in identifiers:
        description = identifier.description
        if _OF_THE_WORK.search(description):
            of_work.append(identifier)
        elif _OF_A_VERSION.search(description) and _is_of(description, label):
            of_version.append(identifier)
    others = of_version if label else of_work
    taken = {
        identifier.identity for identifier in identifiers if identifier.description
    }
    taken.add(article)
    for identifier in identifiers:
        is_main = identifier.is_main or len(identifiers) == 1
        if is_main and identifier.identity not in taken:
            others.append(identifier)
    return _first(of_work), _first(of_version)


def _first(identifiers: list[_Identifier]) -> _Identifier:
    return identifiers[0] if identifiers else _NO_IDENTIFIER


def _identifiers(
    data: _Table, proxies: Proxies, prefix: str = ""
) -> Iterator[_Identifier]:
    """Each identifier that is a handle.

    Raises:
        CitationError: if an identifier has another shape.
    """
    doi = str(data.get("doi") or "")
    url = str(data.get("url") or "")
    if not doi and _is_link(url, proxies):
        doi = url
    if doi:
        yield _Identifier(doi, f"{prefix}doi", _identity(doi, proxies), is_main=True)
    listed = data.get("identifiers") or []
    for index, item in enumerate(listed if isinstance(listed, list) else [listed]):
        key = f"{prefix}identifiers[{index}]"
        if not isinstance(item, dict) or not item.get("type") or "value" not in item:
            raise CitationError("an identifier has a type and a value", where=key)
        value = str(item["value"])
        if value and (item["type"] == "doi" or _is_link(value, proxies)):
            yield _Identifier(
                value,
                f"{key}.value",
                _identity(value, proxies),
                description=str(item.get("description", "")).casefold(),
            )


def _is_of(description: str, label: Plain) -> bool:
    """Whether a description names this version, or no version in particular."""
    if _OF_SEVERAL.search(description):
        return False
    words = _NAMED_VERSION.findall(description)
    labels = [word for word in words if parse_label(word)]
    if not label or not labels:
        return True
    return any(same_label(named_label, str(label)) for named_label in labels)


def _is_link(text: str, proxies: Proxies) -> bool:
    """Whether an identifier of no known type is a handle."""
    try:
        return HandleReference.from_link(text, proxies=proxies) is not None
    except HandleSyntaxError:
        return False
