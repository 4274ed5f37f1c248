"""A work and its versions.

PILIN tells two identifiers apart (Handle Suffix Format policy, seed 002, and its
sibling policies): that of the *work*, a document through time, and that of an
*expression*, one state of it. A citation of the first follows the document as it
changes; a citation of the second always leads to the state that its author read.

A label is an author's name for a version: ``1.0``, ``V1.0``, ``2.1rc1``, ``Second
edition``. A label that `packaging.version` reads has an order. Others have none:
such a history keeps the order in which it is listed.

These values hold text as it is. Text of an author, or of a caller, is read and checked
when it becomes part of a citation.
"""

import datetime as dt
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Annotated

from packaging import version as packaging_version

from handle_system.citing.fields import (
    http_url,
    is_http_url,
    language_tag,
    license_name,
    one_line,
    read_orcid,
)
from handle_system.handle import Handle

__all__ = [
    "Creator",
    "Version",
    "Work",
    "WorkKind",
    "covers",
    "label_key",
    "parse_label",
    "same_label",
]


class WorkKind(StrEnum):
    """The type of a work, for formats that need one."""

    DOCUMENT = "document"
    """Anything that is read; the one to take when in doubt."""
    MANUAL = "manual"
    """The documentation of a thing."""
    REPORT = "report"
    """A policy, standard or technical report."""
    SOFTWARE = "software"
    """A program."""
    DATASET = "dataset"
    """A collection of data."""


# The reader of each text, which `citing.pipeline` calls.
_Line = Annotated[str, one_line]
_Url = Annotated[str, http_url]


@dataclass(frozen=True, slots=True, kw_only=True)
class Creator:
    """A creator of a work: a person, or a body with a name.

    A person whose family name is known sorts and abbreviates; a name alone is
    written as it stands (a body, or a person whose name does not divide so).

    Attributes:
        name: The whole name, as a reader would say it.
        family: The family name of a person.
        given: The given names of a person; they need the family name.
        orcid: The person's ORCID, ``0000-0002-1825-0097``, without the address.
    """

    name: _Line
    family: _Line | None = None
    given: _Line | None = None
    orcid: Annotated[str, read_orcid] | None = None

    @classmethod
    def person(
        cls, family: str, given: str | None = None, *, orcid: str | None = None
    ) -> "Creator":
        """A person by family and given names.

        >>> Creator.person("Carberry", "Josiah").name
        'Josiah Carberry'
        """
        name = f"{given} {family}" if given else family
        return cls(name=name, family=family, given=given or None, orcid=orcid)

    @property
    def sort_name(self) -> str:
        """``Family, Given``; for any other name, the name."""
        if self.family is None:
            return self.name
        return f"{self.family}, {self.given}" if self.given else self.family

    @property
    def orcid_url(self) -> str | None:
        """The ORCID as a URL."""
        return None if self.orcid is None else f"https://orcid.org/{self.orcid}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One state of a work (PILIN: expression).

    Attributes:
        label: Its author's name for it: ``1.0``.
        date: The day when it was published.
        changes: Its status and changes, in a line.
        handle: Its own handle; `None` means "not yet assigned".
        url: The address where it is published, for registering the handle.
    """

    label: _Line
    date: dt.date | None = None
    changes: _Line = ""
    handle: Handle | None = None
    url: _Url | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A document through time.

    Attributes:
        title: Its title.
        creators: Its creators, in the order of its title page.
        publisher: The body that publishes it.
        handle: The work's own handle, which leads to its latest version; `None`
            means "not yet assigned".
        versions: Its states as they are listed; see `ordered`.
        kind: Its type.
        license: An SPDX identifier, or the URL of a licence.
        language: A BCP 47 tag: ``en``, ``pt-BR``.
        url: The address of the latest version, for registering the handle.
    """

    title: _Line
    creators: tuple[Creator, ...] = ()
    publisher: _Line | None = None
    handle: Handle | None = None
    versions: tuple[Version, ...] = ()
    kind: WorkKind = WorkKind.DOCUMENT
    license: Annotated[str, license_name] | None = None
    language: Annotated[str, language_tag] | None = None
    url: _Url | None = None

    @property
    def ordered(self) -> tuple[Version, ...]:
        """The versions, the oldest first: by their numbers, if all have one.

        Versions whose labels are not numbers stay in the order of the list.
        """
        labels = {version.label for version in self.versions}
        numbers = {label: parse_label(label) for label in labels}
        known = {label: number for label, number in numbers.items() if number}
        if len(known) < len(labels):
            return self.versions
        return tuple(sorted(self.versions, key=lambda version: known[version.label]))

    @property
    def latest(self) -> Version | None:
        """The last version that has a handle; else the last one.

        A version without a handle is a draft, and no reader is sent there.
        """
        ordered = self.ordered
        assigned = [version for version in ordered if version.handle is not None]
        return next(reversed(assigned or ordered), None)

    @property
    def license_url(self) -> str | None:
        """The licence as a URL: the page of an SPDX identifier, or itself."""
        if self.license is None or is_http_url(self.license):
            return self.license
        return f"https://spdx.org/licenses/{self.license}"

    def version(self, label: str) -> Version | None:
        """The version of that label, or `None`; see `same_label`."""
        exact = (known for known in self.versions if known.label == label)
        alike = (known for known in self.versions if same_label(known.label, label))
        return next(exact, None) or next(alike, None)

    def is_old(self, version: Version) -> bool:
        """Whether a version of the history comes before the latest one."""
        known = self.version(version.label)
        return (
            known is not None
            and self.latest in (self.ordered[self.ordered.index(known) + 1 :])
        )

    def neighbours(self, version: Version) -> tuple[Handle | None, Handle | None]:
        """The nearest handles of an earlier and of a later version, if there are any."""
        ordered, known = self.ordered, self.version(version.label)
        if known is None:
            return None, None
        place = ordered.index(known)
        earlier = (each.handle for each in reversed(ordered[:place]))
        later = (each.handle for each in ordered[place + 1 :])
        return next(filter(None, earlier), None), next(filter(None, later), None)

    def with_version(self, version: Version) -> "Work":
        """The work with a version in the place of its namesake, or where it sorts."""
        versions, known = list(self.versions), self.version(version.label)
        if known is not None:
            versions[versions.index(known)] = version
        else:
            pairs = (replace(self, versions=(each, version)) for each in versions)
            later = (i for i, pair in enumerate(pairs) if pair.ordered[0] is version)
            versions.insert(next(later, len(versions)), version)
        return replace(self, versions=tuple(versions))


@lru_cache(maxsize=4096)
def parse_label(label: str) -> packaging_version.Version | None:
    """The version number that a label is, or `None`."""
    # Longer text is no version number, and Python refuses to read such integers.
    try:
        return packaging_version.parse(label) if len(label) <= 100 else None
    except packaging_version.InvalidVersion:
        return None


def label_key(label: str) -> packaging_version.Version | str:
    """A key that labels of one version share, and no others."""
    return parse_label(label) or label.strip().casefold()


def same_label(one: str, other: str) -> bool:
    """Whether two labels name one version.

    >>> same_label("V1.0", "1.0.0"), same_label("1.10", "1.1")
    (True, False)
    """
    return label_key(one) == label_key(other)


def covers(label: str, release: str) -> bool:
    """Whether a release is the label's version, or a state within it.

    A document labelled ``1.2`` describes the releases 1.2.0, 1.2.1, …

    >>> covers("1.2", "1.2.7"), covers("1.2", "1.20"), covers("1.2.0", "1.2.7")
    (True, False, False)
    """
    if same_label(label, release):
        return True
    wide, narrow = parse_label(label), parse_label(release)
    if wide is None or narrow is None or wide.is_prerelease or wide.is_postrelease:
        return False
    length = len(wide.release)
    return length < len(narrow.release) and narrow.release[:length] == wide.release
