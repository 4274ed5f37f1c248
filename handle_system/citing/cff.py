"""A work and one version of it from a ``CITATION.cff`` (Citation File Format 1.2).

The file describes one state of one work, so the history has one version.  What
the format does not say outright is decided here:

- *Which identifier is the work's?*  The format has one ``doi`` and a list of
  ``identifiers``, each with a description for people, and its guide describes
  them as "the concept DOI", "all versions", "version 0.11.2".  An identifier so
  described is the work's or the version's; ``doi`` is the version's, as the
  rest of the file, unless a description says that it is the work's.
- *Handles*, for which there is no type, are ``other`` or ``url``: an identifier
  is one if it reads as one that says what it is (``hdl:…``, a proxy's URL).
- ``preferred-citation`` goes before all of it, unless it is another thing: an
  article about the work has no versions of the work.

All values are read as text: ``version: 1.10`` is not 1.1.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from handle_system.citing.people import read_orcid
from handle_system.citing.shape import Node
from handle_system.citing.values import (
    Reading,
    read_date,
    read_license,
    read_line,
    read_url,
)
from handle_system.citing.version_labels import numbers_of, same_label
from handle_system.citing.work import Creator, Version, Work, WorkKind
from handle_system.citing.yaml import load_yaml
from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.reference import HandleReference

__all__ = ["read_cff"]

_KINDS: Mapping[str, WorkKind] = {
    **dict.fromkeys(
        ("generic", "book", "website", "dictionary", "encyclopedia", "edited-work"),
        WorkKind.DOCUMENT,
    ),
    **dict.fromkeys(("catalogue", "blog", "serial", "unpublished"), WorkKind.DOCUMENT),
    "manual": WorkKind.MANUAL,
    **dict.fromkeys(
        ("report", "standard", "government-document", "pamphlet"), WorkKind.REPORT
    ),
    **dict.fromkeys(
        ("software", "software-code", "software-container", "software-executable"),
        WorkKind.SOFTWARE,
    ),
    "software-virtual-machine": WorkKind.SOFTWARE,
    **dict.fromkeys(("data", "database", "dataset"), WorkKind.DATASET),
}
# In descriptions, in lower case. The first is looked for first: "all versions"
# has the second in it.
_OF_THE_WORK = ("concept", "all versions", "latest", "always leads")
_NAMED_VERSION = re.compile(
    r"\b(?:version|release) ([^\s,;:()]+)|\bv([0-9][^\s,;:()]*)"
)
_OF_A_VERSION = ("version", "release", "snapshot")


def read_cff(text: str, reading: Reading | None = None) -> Work:
    """The work that a ``CITATION.cff`` describes, with its one version, if any.

    Raises:
        CitationError: when the text is no YAML, or a value is not what it should
            be, with its path; or when PyYAML is not installed.
    """
    reading = reading or Reading()
    top = Node(load_yaml(text, "a CITATION.cff"))
    preferred = top.member("preferred-citation")
    if preferred is not None and _kind(preferred) is not None:
        return _read_work(preferred, reading)
    return _read_work(top, reading)


def _kind(node: Node) -> WorkKind | None:
    """What it is; `None` for what is about a work and not the work."""
    written = node.read("type", read_line)
    return WorkKind.SOFTWARE if written is None else _KINDS.get(written.casefold())


def _read_work(node: Node, reading: Reading) -> Work:
    authors = node.member("authors")
    publisher = node.member("publisher")
    label = node.read("version", read_line)
    version = Version(label=label) if label else None
    found = _identifiers(node, label, reading)
    if version is not None:
        version = Version(
            label=version.label,
            date=node.read("date-released", read_date)
            or node.read("date-published", read_date),
            handle=found.of_version,
        )
    return Work(
        title=read_line(node.required("title").text(), _path(node, "title")),
        creators=tuple(_author(author) for author in authors.elements())
        if authors
        else (),
        publisher=publisher.read("name", read_line) if publisher else None,
        handle=found.of_work,
        versions=(version,) if version else (),
        kind=_kind(node) or WorkKind.DOCUMENT,
        license=_license(node),
        url=node.read("url", read_url) if version is None else None,
    )


def _path(node: Node, name: str) -> str:
    return f"{node.path}.{name}" if node.path else name


def _author(node: Node) -> Creator:
    orcid = node.read("orcid", read_orcid)
    name = node.read("name", read_line)
    if name is not None:
        return Creator(name=name, orcid=orcid)
    family = node.read("family-names", read_line)
    given = node.read("given-names", read_line)
    particle = node.read("name-particle", read_line)
    suffix = node.read("name-suffix", read_line)
    if family is not None:
        before = f"{particle} " if particle else ""
        after = f" {suffix}" if suffix else ""
        return Creator.person(f"{before}{family}{after}", given, orcid=orcid)
    alias = given or node.read("alias", read_line)
    if alias is None:
        raise node.error("an author has a name, family-names, or an alias")
    return Creator(name=alias, orcid=orcid)


def _license(node: Node) -> str | None:
    found = node.member("license")
    if found is None:
        return node.read("license-url", read_license)
    if found.is_text:
        return read_license(found.text(), found.path)
    # Several licences are a choice between them; one line has room for one.
    first = next(found.elements(), None)
    return None if first is None else read_license(first.text(), first.path)


@dataclass(slots=True)
class _Identifiers:
    """The handles found so far, by what they name."""

    of_work: Handle | None = None
    of_version: Handle | None = None


def _identifiers(node: Node, label: str | None, reading: Reading) -> _Identifiers:
    found = _Identifiers()
    unmarked: list[Handle] = []
    doi = node.read("doi", reading.handle)
    if doi is not None:
        unmarked.append(doi)
    listed = node.member("identifiers")
    for element in listed.elements() if listed else ():
        handle = _identifier(element, reading)
        if handle is None:
            continue
        description = (element.read("description", _any_text) or "").casefold()
        if any(word in description for word in _OF_THE_WORK):
            found.of_work = found.of_work or handle
        elif any(word in description for word in _OF_A_VERSION):
            if _is_of(description, label):
                found.of_version = found.of_version or handle
        else:
            unmarked.append(handle)
    for handle in unmarked:
        if handle not in {found.of_work, found.of_version}:
            if label is None:
                found.of_work = found.of_work or handle
            else:
                found.of_version = found.of_version or handle
    return found


def _any_text(text: str, _where: str) -> str:
    return text


def _is_of(description: str, label: str | None) -> bool:
    """Whether a description names this version, or no version in particular."""
    named = [found[1] or found[2] for found in _NAMED_VERSION.finditer(description)]
    if label is None or not any(numbers_of(word) for word in named):
        return True
    return label.casefold() in description and any(
        same_label(word, label) for word in named
    )


def _identifier(node: Node, reading: Reading) -> Handle | None:
    kind = node.required("type").text()
    value = node.required("value")
    if kind == "doi":
        return reading.handle(value.text(), value.path)
    try:
        reference = HandleReference.from_link(value.text(), proxies=reading.proxies)
    except HandleSyntaxError:
        reference = None
    return None if reference is None else reading.handle(value.text(), value.path)
