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
from handle_system.citing.labels import parse_label, same_label
from handle_system.citing.work import WorkKind
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
    """The values of a source, and the path in the file of each.

    Raises:
        CitationError: if the file has another shape, with the path.
    """
    top = _File(_table(loaded, "the file"))
    preferred = top.data.get("preferred-citation")
    if preferred is not None:
        inner = _File(_table(preferred, "preferred-citation"), "preferred-citation.")
        if inner.kind is not None:
            return inner.read(proxies)
    return top.read(proxies)


@dataclass(slots=True)
class _File:
    """A table of the file that describes a work, and the values read from it."""

    data: dict[str, Plain]
    prefix: str = ""
    values: dict[str, Plain] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> WorkKind | None:
        """The type; `None` for a thing that is about a work and not the work."""
        written = self.data.get("type")
        return _KINDS.get(str(written).casefold()) if written else WorkKind.SOFTWARE

    def read(self, proxies: Proxies) -> tuple[dict[str, Plain], dict[str, str]]:
        """All values."""
        label = str(self.data.get("version") or "")
        self._copy("title", "title")
        self._copy("license-url", "license")
        license_name = self.data.get("license")
        if isinstance(license_name, list) and license_name:
            # Several licences are a choice between them; one line holds one.
            self._put("license", license_name[0], "license[0]")
        else:
            self._copy("license", "license")
        publisher = self.data.get("publisher")
        if isinstance(publisher, dict) and "name" in publisher:
            self._put("publisher", publisher["name"], "publisher.name")
        self._put("kind", (self.kind or WorkKind.DOCUMENT).value, "type")
        self._authors()
        version: dict[str, Plain] = {}
        handles = self._handles(label, proxies)
        if "work" in handles:
            self._put("handle", *handles["work"])
        if label:
            version["label"] = label
            self.paths["versions[0].label"] = f"{self.prefix}version"
            for name in ("date-published", "date-released"):
                if name in self.data:
                    version["date"] = self.data[name]
                    self.paths["versions[0].date"] = f"{self.prefix}{name}"
            if "version" in handles:
                version["handle"], path = handles["version"]
                self.paths["versions[0].handle"] = f"{self.prefix}{path}"
            self.values["versions"] = [version]
        else:
            self._copy("url", "url")
        return self.values, self.paths

    def _copy(self, written: str, name: str) -> None:
        if self.data.get(written):
            self._put(name, self.data[written], written)

    def _put(self, name: str, value: Plain, path: str) -> None:
        self.values[name] = value
        self.paths[name] = f"{self.prefix}{path}"

    def _authors(self) -> None:
        authors = self.data.get("authors", [])
        if not isinstance(authors, list):
            raise self._error("authors", "a list is expected here")
        creators = [
            self._author(author, f"authors[{index}]")
            for index, author in enumerate(authors)
        ]
        named = [creator for creator in creators if creator.get("name") != ANONYMOUS]
        self._put("creators", list(named), "authors")

    def _author(self, author: Plain, path: str) -> dict[str, Plain]:
        if not isinstance(author, dict):
            raise self._error(path, "a table is expected here, not text")
        made: dict[str, Plain] = {k: author[k] for k in ("orcid",) if author.get(k)}
        given, family = author.get("given-names"), author.get("family-names")
        name = author.get("name") or (not family and (given or author.get("alias")))
        if name:
            return {"name": name, **made}
        if not family:
            raise self._error(path, "an author has a name, family-names, or an alias")
        parts = (author.get("name-particle"), family, author.get("name-suffix"))
        made["family"] = " ".join(str(part) for part in parts if part)
        return {**made, "given": given} if given else made

    def _handles(self, label: str, proxies: Proxies) -> dict[str, tuple[Plain, str]]:
        """The identifiers of the work and the version, each with its path."""
        found: dict[str, tuple[Plain, str]] = {}
        unmarked = [(self.data["doi"], "doi")] if self.data.get("doi") else []
        listed = self.data.get("identifiers", [])
        if not isinstance(listed, list):
            raise self._error("identifiers", "a list is expected here")
        for index, each in enumerate(listed):
            path = f"identifiers[{index}]"
            if not isinstance(each, dict) or "value" not in each:
                raise self._error(path, "an identifier has a type and a value")
            value, description = each["value"], str(each.get("description", ""))
            if each.get("type") != "doi" and not _is_link(str(value), proxies):
                continue
            description = description.casefold()
            identifier = (value, f"{path}.value")
            if any(word in description for word in _OF_THE_WORK):
                found.setdefault("work", identifier)
            elif not any(word in description for word in _OF_A_VERSION):
                unmarked.append(identifier)
            elif _is_of(description, label):
                found.setdefault("version", identifier)
        taken = {str(value) for value, _ in found.values()}
        for identifier in unmarked:
            if str(identifier[0]) not in taken:
                found.setdefault("version" if label else "work", identifier)
        return found

    def _error(self, path: str, reason: str) -> CitationError:
        return CitationError(reason, where=f"{self.prefix}{path}")


def _table(value: Plain, where: str) -> dict[str, Plain]:
    if not isinstance(value, dict):
        raise CitationError("a table is expected here", where=where)
    return value


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
