"""A work and its versions: what a citation names.

PILIN tells two identifiers apart (Handle Suffix Format policy, seed 002, and
its sibling policies): that of the *work*, a document through time, and that of
an *expression*, one state of it.  A citation of the first follows the document
as it changes; a citation of the second always leads to what its author read.

The values here are plain and complete; nothing is looked up in them twice.
They are read from four sources (`citing.options`, `citing.toml`,
`citing.cff`, `citing.page`), so they know of none of them.
"""

import datetime as dt
import re
from dataclasses import dataclass, replace
from enum import StrEnum

from handle_system.citing.version_labels import same_label
from handle_system.handle import Handle

__all__ = ["Creator", "Version", "Work", "WorkKind"]

# Controls, and what ends a line without being one.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ORCID = re.compile(r"[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]")
_SPDX = re.compile(r"[A-Za-z0-9.+-]+")
_LANGUAGE = re.compile("[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
_HTTP_URL = re.compile(r"https?://[^\s/?#\\<>\"]+[^\s<>\"]*", re.IGNORECASE)


class WorkKind(StrEnum):
    """What sort of thing a work is, for formats that must say so."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Creator:
    """Who made a work: a person, or a body with a name.

    A person whose family name is known sorts and abbreviates; a name alone is
    written as it stands (a body, or a person whose name does not divide so).

    Attributes:
        name: The whole name, as a reader would say it.
        family: The family name of a person.
        given: The given names of a person.
        orcid: The person's ORCID, ``0000-0002-1825-0097``, without the address.

    Raises:
        ValueError: when there is no name, or the ORCID's check digit is wrong.
    """

    name: str
    family: str | None = None
    given: str | None = None
    orcid: str | None = None

    def __post_init__(self) -> None:
        _check_text(self.name, "a name")
        if self.family is not None:
            _check_text(self.family, "a family name")
        if self.given is not None:
            _check_text(self.given, "a given name")
            if self.family is None:
                raise ValueError("a given name needs the family name beside it")
        if self.orcid is not None and not is_orcid(self.orcid):
            raise ValueError(f"{self.orcid!r} is not an ORCID")

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
        """The ORCID as an address."""
        return None if self.orcid is None else f"https://orcid.org/{self.orcid}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One state of a work (PILIN: expression).

    Attributes:
        label: What its author calls it: ``1.0``.
        date: When it was published.
        changes: Its status, and what it changed, in a line.
        handle: Its own handle; `None` says "not yet assigned".
        url: Where it is published, for registering the handle.
    """

    label: str
    date: dt.date | None = None
    changes: str = ""
    handle: Handle | None = None
    url: str | None = None

    def __post_init__(self) -> None:
        _check_text(self.label, "a version's label")
        if self.changes:
            _check_text(self.changes, "a line of changes")
        if self.url is not None and not is_http_url(self.url):
            raise ValueError(f"{self.url!r} is not an absolute http or https URL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A document through time.

    Attributes:
        title: What it is called.
        creators: Who made it, in the order of its title page.
        publisher: Who brought it out.
        handle: The work's own handle, which leads to its latest version;
            `None` says "not yet assigned".
        versions: Its states, the oldest first.
        kind: What sort of thing it is.
        license: An SPDX identifier, or the address of a licence.
        language: A BCP 47 tag: ``en``, ``pt-BR``.
        url: Where the latest version is published, for registering the handle.
    """

    title: str
    creators: tuple[Creator, ...] = ()
    publisher: str | None = None
    handle: Handle | None = None
    versions: tuple[Version, ...] = ()
    kind: WorkKind = WorkKind.DOCUMENT
    license: str | None = None
    language: str | None = None
    url: str | None = None

    def __post_init__(self) -> None:
        _check_text(self.title, "a title")
        if self.publisher is not None:
            _check_text(self.publisher, "a publisher")
        if self.language is not None and not is_language(self.language):
            raise ValueError(f"{self.language!r} is no BCP 47 language tag")
        if self.license is not None and not is_license(self.license):
            raise ValueError(
                f"{self.license!r} is neither an SPDX identifier nor an address"
            )
        if self.url is not None and not is_http_url(self.url):
            raise ValueError(f"{self.url!r} is not an absolute http or https URL")

    @property
    def latest(self) -> Version | None:
        """The last version that has a handle; else the last one.

        A version without a handle is one in preparation: nobody is sent there.
        """
        assigned = [version for version in self.versions if version.handle is not None]
        known = assigned or self.versions
        return known[-1] if known else None

    @property
    def license_url(self) -> str | None:
        """The licence as an address: an SPDX identifier's page, or itself."""
        if self.license is None or is_http_url(self.license):
            return self.license
        return f"https://spdx.org/licenses/{self.license}"

    def version(self, label: str) -> Version | None:
        """The version of that label, or `None`; see `same_label`."""
        exact = (known for known in self.versions if known.label == label)
        alike = (known for known in self.versions if same_label(known.label, label))
        return next(exact, None) or next(alike, None)

    def position(self, version: Version) -> int | None:
        """Where a version stands in the history, counted from 0."""
        for index, known in enumerate(self.versions):
            if known is version or known == version:
                return index
        for index, known in enumerate(self.versions):
            if same_label(known.label, version.label):
                return index
        return None

    def is_old(self, version: Version) -> bool:
        """Whether a version of the history comes before the latest one."""
        latest = self.latest
        here = self.position(version)
        if latest is None or here is None:
            return False
        there = self.position(latest)
        return there is not None and here < there

    def before(self, version: Version) -> Version | None:
        """The nearest earlier version that has a handle."""
        here = self.position(version)
        if here is None:
            return None
        earlier = (known for known in reversed(self.versions[:here]))
        return next((known for known in earlier if known.handle is not None), None)

    def after(self, version: Version) -> Version | None:
        """The nearest later version that has a handle."""
        here = self.position(version)
        if here is None:
            return None
        later = self.versions[here + 1 :]
        return next((known for known in later if known.handle is not None), None)

    def with_versions(self, *versions: Version) -> "Work":
        """The same work with another history."""
        return replace(self, versions=versions)


def is_orcid(text: str) -> bool:
    """Whether the text is an ORCID whose check digit holds (ISO 7064, MOD 11-2).

    >>> is_orcid("0000-0002-1825-0097"), is_orcid("0000-0002-1825-0098")
    (True, False)
    """
    if not _ORCID.fullmatch(text):
        return False
    digits = text.replace("-", "")
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    remainder = (12 - total % 11) % 11
    return digits[-1] == ("X" if remainder == 10 else str(remainder))


def is_http_url(text: str) -> bool:
    """Whether the text is an absolute address that a page may link to."""
    return _HTTP_URL.fullmatch(text) is not None and not _CONTROLS.search(text)


def is_license(text: str) -> bool:
    """Whether the text is an address, or written as an SPDX identifier is."""
    return is_http_url(text) or _SPDX.fullmatch(text) is not None


def is_language(text: str) -> bool:
    """Whether the text is written as a BCP 47 tag is."""
    return _LANGUAGE.fullmatch(text) is not None


def _check_text(text: str, what: str) -> None:
    if not text or text != text.strip():
        raise ValueError(f"{what} is text with no space around it, not {text!r}")
    found = _CONTROLS.search(text)
    if found:
        raise ValueError(
            f"{what} is one line of text, with no U+{ord(found.group()):04X} in it"
        )
