"""One version of a work, as the formats of reference managers need it.

The formats differ in their words, not in what they say.  What they say is
gathered here once, so that a handle is a handle in all of them: its link is in
every format's field for addresses, and the field for DOIs is for DOIs.  Other
tools put a handle there, or leave it out; both lose the reader.
"""

import re
import unicodedata
from dataclasses import dataclass

from handle_system.citing.work import Creator, Version, Work
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, Proxies

__all__ = ["Cited", "distinct_handles", "slug"]

_NOT_IN_SLUG = re.compile("[^a-z0-9.]+")
_VERSION = re.compile("^v(?:ersion)?[. ]?(?=[0-9])", re.IGNORECASE)
_SLUG_LENGTH = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A version of a work with its address.

    Attributes:
        work: The work.
        version: The version that is cited.
        proxies: Where handles' links lead.
    """

    work: Work
    version: Version
    proxies: Proxies = DEFAULT_PROXIES

    @property
    def handle(self) -> Handle | None:
        """The version's handle."""
        return self.version.handle

    @property
    def doi(self) -> str | None:
        """The version's handle, if that is a DOI."""
        return str(self.handle) if self.handle and self.handle.is_doi else None

    @property
    def url(self) -> str | None:
        """The link of the version's handle; without one, where it is published."""
        if self.handle is None:
            return self.version.url
        return self.proxies.link(self.handle)

    @property
    def creators(self) -> tuple[Creator, ...]:
        """Who made it."""
        return self.work.creators

    @property
    def year(self) -> str:
        """The year of publication in four digits, or nothing."""
        return f"{self.version.date.year:04d}" if self.version.date else ""

    @property
    def number(self) -> str:
        """The version's label for where "version" is said already: no ``V``."""
        return _VERSION.sub("", self.version.label)

    @property
    def key(self) -> str:
        """A name for it that every format can hold: ``carberry-2007-1.0``.

        The same for the same data, whatever else is cited beside it.
        """
        creators = self.work.creators
        who = (creators[0].family or creators[0].name) if creators else self.work.title
        words = (slug(who) or "work", self.year, slug(self.number))
        return "-".join(word for word in words if word)


def slug(text: str) -> str:
    """Lower-case ASCII letters, digits, dots and hyphens, as near as they come.

    >>> slug("Nguyễn Văn A"), slug("V1.0"), slug("日本")
    ('nguyen-van-a', 'v1.0', '')
    """
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    words = _NOT_IN_SLUG.sub("-", ascii_text.lower())
    return words[:_SLUG_LENGTH].strip("-.")


def distinct_handles(work: Work, this: Version) -> list[Handle]:
    """Every handle of a citation once: the work's, this version's, the history's."""
    versions = (this, *work.versions)
    handles = (work.handle, *(version.handle for version in versions))
    return list(dict.fromkeys(handle for handle in handles if handle is not None))
