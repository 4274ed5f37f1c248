"""A citation: one version of a work, with its address and its options of display.

The formats differ in their words, not in their content. The content is gathered
here once, so that a handle is a handle in all of them: its link is in every
format's field for addresses, and the field for DOIs is for DOIs.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from handle_system.citing.work import Version, Work
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, Proxies

__all__ = [
    "Citation",
    "CitationCode",
    "CitationFormat",
    "CitationProblem",
    "Display",
    "known",
    "slug",
]

_NOT_IN_SLUG = re.compile("[^a-z0-9.]+")
_VERSION = re.compile("^v(?:ersion)?[. ]?(?=[0-9])", re.IGNORECASE)
_ENDS = (".", "?", "!", "。", "…")


class CitationFormat(StrEnum):
    """A format of reference managers, by the name that an author writes."""

    BIBTEX = "bibtex"
    """BibTeX and BibLaTeX."""
    RIS = "ris"
    """RIS, which EndNote, Zotero and Mendeley read."""
    CSL_JSON = "csl-json"
    """CSL-JSON, which citeproc reads."""
    CFF = "cff"
    """CITATION.cff, which repositories show."""
    TEXT = "text"
    """A plain reference."""

    @property
    def heading(self) -> str:
        """The format's name for readers."""
        return _FORMATS[self][0]

    @property
    def media_type(self) -> str:
        """The media type of a file in the format."""
        return _FORMATS[self][1]

    @property
    def file_suffix(self) -> str:
        """The end of the name of a file in the format."""
        return _FORMATS[self][2]


_FORMATS = {
    CitationFormat.BIBTEX: ("BibTeX", "application/x-bibtex", ".bib"),
    CitationFormat.RIS: ("RIS", "application/x-research-info-systems", ".ris"),
    CitationFormat.CSL_JSON: (
        "CSL-JSON",
        "application/vnd.citationstyles.csl+json",
        ".csl.json",
    ),
    CitationFormat.CFF: ("CITATION.cff", "application/yaml", ".cff"),
    CitationFormat.TEXT: ("Plain text", "text/plain", ".txt"),
}


class CitationCode(StrEnum):
    """The faults of a citation; a warning is suppressed under the value."""

    NOT_YET_ASSIGNED = "not_yet_assigned"
    """The work, or this version, has no handle yet."""
    NOT_IN_HISTORY = "not_in_history"
    """This version is not in the version history."""
    WORK_AS_VERSION = "work_as_version"
    """A version is given the work's own handle."""
    SAME_HANDLE = "same_handle"
    """Two versions have one handle."""
    SAME_LABEL = "same_label"
    """Two versions have one label."""
    PLACEHOLDER = "placeholder"
    """A handle is a placeholder, or has a prefix for tests."""
    DATE_ORDER = "date_order"
    """A version is older than the one before it."""
    LABEL_ORDER = "label_order"
    """A version is listed after a later one."""
    RELEASE = "release"
    """This version is not that of the release."""
    WORK_TARGET = "work_target"
    """The work's handle does not lead to its latest version."""
    VERSION_TARGET = "version_target"
    """The version's handle does not lead to the version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationProblem:
    """A fault of a citation that can be shown all the same.

    Attributes:
        code: Its kind.
        message: The fault, in a sentence without a full stop.
        suggestion: The remedy, with text to paste where there is any.
        version: The label of the version concerned; `None` for the work.
        line: The line of that version in the page, if it stands there.
    """

    code: CitationCode
    message: str
    suggestion: str
    version: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.message}; {self.suggestion}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """The parts of a card that are shown.

    Attributes:
        reference: The reference as a bibliography prints it.
        history: The table of versions.
        uris: The ``hdl:`` or ``doi:`` URI beside each link.
        formats: The formats for reference managers, in the order given.
        example: Whether the page only shows the card and is no version of the work;
            nothing is checked then.
    """

    reference: bool = True
    history: bool = False
    uris: bool = False
    formats: tuple[CitationFormat, ...] = ()
    example: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A version of a work, as cards, formats and metadata need it.

    Attributes:
        work: The work, with its history.
        version: The version that is cited.
        proxies: The proxies that handles link to.
        display: The parts of the card that are shown.
        problems: The faults that checks found.
    """

    work: Work
    version: Version
    proxies: Proxies = DEFAULT_PROXIES
    display: Display = field(default_factory=Display)
    problems: tuple[CitationProblem, ...] = ()

    @property
    def doi(self) -> str | None:
        """The version's handle, if that is a DOI."""
        handle = self.version.handle
        return str(handle) if handle and handle.is_doi else None

    @property
    def url(self) -> str | None:
        """The link of the version's handle; without one, its published address."""
        return self.link(self.version.handle) or self.version.url

    def link(self, handle: Handle | None) -> str | None:
        """The link of a handle, if there is one."""
        return self.proxies.link(handle) if handle else None

    @property
    def handles(self) -> tuple[Handle, ...]:
        """Every handle once: the work's, this version's, the history's."""
        versions = (each.handle for each in (self.version, *self.work.versions))
        return tuple(dict.fromkeys(filter(None, (self.work.handle, *versions))))

    @property
    def year(self) -> str:
        """The year of publication in four digits, or nothing."""
        return f"{self.version.date.year:04d}" if self.version.date else ""

    @property
    def number(self) -> str:
        """The version's label without ``V``, for fields that are named "version"."""
        return _VERSION.sub("", self.version.label)

    @property
    def key(self) -> str:
        """A name for the citation that every format can hold: ``carberry-2007-1.0``.

        The same data give the same key.
        """
        creators = self.work.creators
        name = (creators[0].family or creators[0].name) if creators else self.work.title
        words = (slug(name) or "work", self.year, slug(self.number))
        return "-".join(word for word in words if word)

    def file_name(self, form: CitationFormat) -> str:
        """A name for the file of a format: ASCII letters, digits, dots, hyphens."""
        words = (slug(self.work.title) or "work", slug(self.number))
        return "-".join(word for word in words if word) + form.file_suffix

    def reference(self, version_word: str = "Version") -> str:
        """The reference as a bibliography prints it, without its link.

        The order is DataCite's recommendation for versioned works: creators, year,
        title, version, publisher. Without creators the title comes first.
        """
        names = "; ".join(creator.sort_name for creator in self.work.creators)
        first, second = (names, self.work.title) if names else (self.work.title, "")
        sentences = (
            f"{first} ({self.year})" if self.year else first,
            second,
            f"{version_word} {self.number}",
            self.work.publisher or "",
        )
        return " ".join(
            sentence if sentence.endswith(_ENDS) else f"{sentence}."
            for sentence in sentences
            if sentence
        )


def known(data: Mapping[str, object]) -> dict[str, object]:
    """The data without values that are not known."""
    return {name: value for name, value in data.items() if value is not None}


def slug(text: str) -> str:
    """Lower-case ASCII letters, digits, dots and hyphens, as near as they come.

    >>> slug("Nguyễn Văn A"), slug("V1.0"), slug("日本")
    ('nguyen-van-a', 'v1.0', '')
    """
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    words = _NOT_IN_SLUG.sub("-", ascii_text.lower())
    return words[:40].strip("-.")
