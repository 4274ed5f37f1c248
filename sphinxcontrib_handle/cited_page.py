"""A page that is a version of a work, as plain data.

What an environment keeps is pickled, read by later versions of this extension and
handed from process to process; so it holds texts and numbers, and the values of the
core are made of them again when they are needed.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Any, TypeAlias

from handle_system.citing.formats import CitationFormat
from handle_system.citing.work import Creator, Version, Work, WorkKind
from handle_system.handle import Handle

__all__ = ["CitedPage", "Plain"]

#: Dictionaries, lists, texts, numbers, `None`.
Plain: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPage:
    """What a page is a version of, and where it says so.

    Attributes:
        work: The work, with its history.
        this: The version.
        anchor: The id of the block on the page.
        formats: The formats that it offers.
        has_history: Whether it shows the version history.
        source: The file that holds the block, as Sphinx shows it.
        line: Its line there, from 1; 0 if not known.
        is_own: Whether the page says itself what it is. The others are parts of
            the site's work, and its version's handle leads to the root page.
    """

    work: Work
    this: Version
    anchor: str
    formats: tuple[CitationFormat, ...] = ()
    has_history: bool = False
    source: str = ""
    line: int = 0
    is_own: bool = True

    def to_plain(self) -> Plain:
        """The page as plain data."""
        work = self.work
        return {
            "title": work.title,
            "creators": [
                [who.name, who.family, who.given, who.orcid] for who in work.creators
            ],
            "publisher": work.publisher,
            "handle": _text(work.handle),
            "versions": [_plain_version(version) for version in work.versions],
            "kind": work.kind.value,
            "license": work.license,
            "language": work.language,
            "url": work.url,
            "this": _plain_version(self.this),
            "anchor": self.anchor,
            "formats": [form.value for form in self.formats],
            "has_history": self.has_history,
            "source": self.source,
            "line": self.line,
            "is_own": self.is_own,
        }

    @classmethod
    def from_plain(cls, plain: Plain) -> "CitedPage":
        """The page that `to_plain` gave."""
        work = Work(
            title=plain["title"],
            creators=tuple(
                Creator(name=name, family=family, given=given, orcid=orcid)
                for name, family, given, orcid in plain["creators"]
            ),
            publisher=plain["publisher"],
            handle=_handle(plain["handle"]),
            versions=tuple(_version(version) for version in plain["versions"]),
            kind=WorkKind(plain["kind"]),
            license=plain["license"],
            language=plain["language"],
            url=plain["url"],
        )
        return cls(
            work=work,
            this=_version(plain["this"]),
            anchor=plain["anchor"],
            formats=tuple(CitationFormat(form) for form in plain["formats"]),
            has_history=plain["has_history"],
            source=plain["source"],
            line=plain["line"],
            is_own=plain["is_own"],
        )


def _plain_version(version: Version) -> list[str | None]:
    date = version.date.isoformat() if version.date else None
    return [version.label, date, version.changes, _text(version.handle), version.url]


def _version(plain: list[Any]) -> Version:
    label, date, changes, handle, url = plain
    return Version(
        label=label,
        date=dt.date.fromisoformat(date) if date else None,
        changes=changes,
        handle=_handle(handle),
        url=url,
    )


def _text(handle: Handle | None) -> str | None:
    return None if handle is None else str(handle)


def _handle(text: str | None) -> Handle | None:
    return None if text is None else Handle.parse(text)
