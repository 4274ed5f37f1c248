"""A work and its versions.

PILIN tells two identifiers apart (*Handle Suffix Format Policy*, 2007, and its sibling
policies): that of the *work*, a document through time, and that of an *expression*, one
state of it. A citation of the first follows the document as it changes; a citation of
the second always leads to the state that its author read.

A label is an author's name for a version: ``1.0``, ``V1.0``, ``2.1rc1``, ``Second
edition``. A label that `packaging.version` reads has an order. Others have none:
such a history keeps the order in which it is listed.

These values hold text as it is. Text of an author, or of a caller, is read and checked
when it becomes part of a citation.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, TypeAlias

from packaging import version as packaging_version

from handle_system.citing.fields import (
    divided_license,
    http_url,
    language_tag,
    one_line,
)
from handle_system.citing.style import Date, Described, Name
from handle_system.handle import Handle


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


#: The types of an article that describes a work, as an author writes them, and as CSL does.
ARTICLE_TYPES: Mapping[str, str] = {
    "article": "article-journal",
    "conference-paper": "paper-conference",
    "book": "book",
    "report": "report",
    "thesis": "thesis",
    # Anything else, such as slides.
    "other": "document",
}

# The reader of each text, which `citing.pipeline` calls.
_Line = Annotated[str, one_line]
_Url = Annotated[str, http_url]

#: The name of a creator of a work, as programs know it that make one.
Creator: TypeAlias = Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One state of a work (PILIN: expression).

    Attributes:
        label: Its author's name for it: ``1.0``.
        date: When it was published; a program may give a day of `datetime`.
        changes: Its status and changes, in a line.
        handle: Its own handle; `None` means "not yet assigned".
        url: The address where it is published, for registering the handle.
        pdf: The address of its PDF.
    """

    label: _Line
    date: Date | None = None
    changes: _Line = ""
    handle: Handle | None = None
    url: _Url | None = None
    pdf: _Url | None = None

    def __post_init__(self) -> None:
        """Take over a day of `datetime`."""
        day: object = self.date
        if isinstance(day, dt.date):
            object.__setattr__(self, "date", Date(day.year, day.month, day.day))


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
        license: An SPDX identifier, the URL of a licence, or its name, with its address
            behind it in ``<…>``.
        language: A BCP 47 tag: ``en``, ``pt-BR``.
        url: The address of the latest version, for registering the handle.
        copyright: The copyright notice.
        contact: The address of a page, or of e-mail, for questions on the work.
        article: The article that describes it.
    """

    title: _Line
    creators: tuple[Name, ...] = ()
    publisher: _Line | None = None
    handle: Handle | None = None
    versions: tuple[Version, ...] = ()
    kind: WorkKind = WorkKind.DOCUMENT
    license: _Line | None = None
    language: Annotated[str, language_tag] | None = None
    url: _Url | None = None
    copyright: _Line | None = None
    contact: _Line | None = None
    article: Described | None = None

    @property
    def ordered(self) -> tuple[Version, ...]:
        """The versions, the oldest first: by their numbers, if all have one.

        Versions whose labels are not numbers stay in the order of the list.
        """
        numbered = []
        for version in self.versions:
            number = parse_label(version.label)
            if number is None:
                return self.versions
            numbered.append((number, version))
        numbered.sort(key=lambda pair: pair[0])
        return tuple(version for _, version in numbered)

    @property
    def latest(self) -> Version | None:
        """The last version that has a handle; else the last one.

        A version without a handle is a draft, and no reader is sent there.
        """
        newest_first = self.ordered[::-1]
        for version in newest_first:
            if version.handle is not None:
                return version
        return newest_first[0] if newest_first else None

    @property
    def license_name(self) -> str | None:
        """The licence as it is written, without its address."""
        return divided_license(self.license)[0] if self.license else None

    @property
    def license_url(self) -> str | None:
        """The address of the licence: its own, or the page of an SPDX identifier."""
        return divided_license(self.license)[1] if self.license else None

    def version(self, label: str) -> Version | None:
        """The version of that label, or `None`; see `same_label`."""
        for version in self.versions:
            if version.label == label:
                return version
        for version in self.versions:
            if same_label(version.label, label):
                return version
        return None

    def is_old(self, version: Version) -> bool:
        """Whether a version of the history comes before the latest one."""
        listed = self.version(version.label)
        if listed is None:
            return False
        ordered = self.ordered
        later = ordered[ordered.index(listed) + 1 :]
        return self.latest in later

    def neighbours(self, version: Version) -> tuple[Handle | None, Handle | None]:
        """The nearest handles of an earlier and of a later version, if there are any."""
        listed = self.version(version.label)
        if listed is None:
            return None, None
        ordered = self.ordered
        place = ordered.index(listed)
        earlier = reversed(ordered[:place])
        later = ordered[place + 1 :]
        return _first_handle(earlier), _first_handle(later)

    def with_version(self, version: Version) -> "Work":
        """The work with a version in the place of its namesake, or where it sorts."""
        versions = list(self.versions)
        listed = self.version(version.label)
        if listed is None:
            versions.insert(self._place(version), version)
        else:
            versions[versions.index(listed)] = version
        return replace(self, versions=tuple(versions))

    def _place(self, version: Version) -> int:
        """The place in the list of a version that is not in it."""
        number = parse_label(version.label)
        if number is not None:
            for place, listed in enumerate(self.versions):
                listed_number = parse_label(listed.label)
                if listed_number is not None and number < listed_number:
                    return place
        return len(self.versions)


def _first_handle(versions: Iterable[Version]) -> Handle | None:
    for version in versions:
        if version.handle is not None:
            return version.handle
    return None


@lru_cache(maxsize=4096)
def parse_label(label: str) -> packaging_version.Version | None:
    """The version number that a label is, or `None`."""
    # Longer text is no version number, and Python refuses to read such integers.
    if len(label) > 100:
        return None
    try:
        return packaging_version.parse(label)
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
    is_longer = length < len(narrow.release)
    return is_longer and narrow.release[:length] == wide.release


def is_before(label: str, other: str) -> bool:
    """Whether a version certainly precedes another one; a series covers its releases.

    >>> is_before("1.9", "1.10"), is_before("1.2", "1.2.7"), is_before("1.0", "draft")
    (True, False, False)
    """
    number = parse_label(label)
    other_number = parse_label(other)
    if number is None or other_number is None or covers(label, other):
        return False
    return number < other_number
