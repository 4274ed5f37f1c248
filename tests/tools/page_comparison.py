"""Two readings of one page: what changed in links of identifiers, and what else differs.

A link of an identifier may change its address, to another of the same identifier, and
its class; a title may come.  One may appear where its text is the identifier, or grow
to be whole.  Everything else is a difference.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum

from tests.tools.page_alignment import TEX_SPECIAL, align, translated
from tests.tools.page_reading import Page, PageLink, identifier_of, is_address

__all__ = ["Change", "ChangeKind", "PageComparison", "compare_pages"]

_OF_LINKS = {"href", "class", "title"}
_OURS = {"hdl", "doi"}


class ChangeKind(StrEnum):
    """What changed in a link of an identifier."""

    DRESSED = "dressed"
    """Its class and its title, and nothing else."""
    READDRESSED = "readdressed"
    """It has another address of the same identifier."""
    COMPLETED = "completed"
    """Its address had been cut, or the link itself, or its text had been altered."""
    SHORTENED = "shortened"
    """It had taken in what follows."""
    APPEARED = "appeared"
    """There was no link."""
    UNLINKED = "unlinked"
    """There is none any more; it led nowhere."""
    MALFORMED = "malformed"
    """It is marked as none."""


# `None` is a link that is the same in both.
_TEXT_IS_KEPT = {None, ChangeKind.DRESSED, ChangeKind.READDRESSED}


@dataclass(frozen=True, slots=True)
class Wrong:
    """A link that changed in a way in which none of an identifier may."""

    said: str


@dataclass(frozen=True, slots=True)
class Change:
    """A link of an identifier that is not the same in both.

    Attributes:
        kind: What changed.
        before: The addresses and the text in the first page.
        after: The same in the second.
    """

    kind: ChangeKind
    before: tuple[tuple[str, ...], str]
    after: tuple[tuple[str, ...], str]


@dataclass(slots=True)
class PageComparison:
    """What came of comparing two pages.

    Attributes:
        identifier_links: How many links of identifiers the second page has.
        changes: Those that are not the same as in the first.
        differences: Everything else, each in words.
    """

    identifier_links: int = 0
    changes: list[Change] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)


def compare_pages(before: Page, after: Page) -> PageComparison:
    """Compare two readings of one page."""
    found = PageComparison()
    found.identifier_links = sum(is_address(link.href) for link in after.links)
    spans = list(align(before, after, found.differences))
    matched: set[int] = set()
    for link in after.links:
        span = translated(spans, link.start), translated(spans, link.end, is_end=True)
        others = _links_at(before, span)
        matched.update(others)
        old_text, text = before.text(*span), after.text(link.start, link.end)
        kind = _kind_of_change(list(others.values()), link, span, before, text)
        if isinstance(kind, Wrong):
            found.differences.append(f"{kind.said}, of {text!r}")
            continue
        if old_text != text and kind in _TEXT_IS_KEPT:
            kind = ChangeKind.COMPLETED
        if kind is not None:
            addresses = tuple(other.href for other in others.values())
            change = Change(kind, (addresses, old_text), ((link.href,), text))
            found.changes.append(change)
    for number, link in enumerate(before.links):
        if number in matched:
            continue
        text = before.text(link.start, link.end)
        if link.href.lower().startswith("http"):
            found.differences.append(f"the link {link.raw} of {text!r} is gone")
        else:
            change = Change(ChangeKind.UNLINKED, ((link.href,), text), ((), text))
            found.changes.append(change)
    return found


def _links_at(page: Page, span: tuple[int, int]) -> dict[int, PageLink]:
    """The links of a page that share atoms with a span, or have it, by number."""
    start, end = span
    return {
        number: link
        for number, link in enumerate(page.links)
        if (link.start < end and start < link.end) or (link.start, link.end) == span
    }


def _kind_of_change(
    others: list[PageLink],
    link: PageLink,
    span: tuple[int, int],
    before: Page,
    text: str,
) -> ChangeKind | Wrong | None:
    """How a link of the second page differs from those that were in its place."""
    is_one = len(others) == 1 and (others[0].start, others[0].end) == span
    if is_one and others[0].raw == link.raw:
        return None
    has_own = not set(link.attributes) <= _OF_LINKS
    if not is_address(link.href):
        return Wrong(f"{link.raw} came") if has_own else ChangeKind.MALFORMED
    was_resolved = not any(other.is_unresolved for other in others)
    if is_one and was_resolved:
        return _pair(others[0], link)
    if has_own or "hdl" not in link.classes:
        return Wrong(f"the link {link.raw} came")
    if not was_resolved:
        return ChangeKind.APPEARED
    if identifier_of(text) != identifier_of(link.href):
        return Wrong(f"the link {link.raw} came")
    return _from_text(others, span, before)


def _from_text(
    others: list[PageLink], span: tuple[int, int], before: Page
) -> ChangeKind | Wrong:
    """How a link came that shows what it leads to, and was put together of text."""
    if not others:
        return ChangeKind.APPEARED
    if any(other.start < span[0] for other in others):
        return Wrong("a link came within another")
    rest = before.text(span[1], max(other.end for other in others))
    if not rest:
        return ChangeKind.COMPLETED
    if rest[0].isascii() and rest[0].isalnum():
        return Wrong(f"a link came without {rest!r}")
    return ChangeKind.SHORTENED


def _pair(old: PageLink, new: PageLink) -> ChangeKind | Wrong:
    """How a link differs from the one that was in its very place."""
    wrong = Wrong(f"the link {old.raw} became {new.raw}")
    if "hdl" not in new.classes:
        return wrong
    names = {*old.attributes, *new.attributes} - _OF_LINKS
    if any(old.attributes.get(name) != new.attributes.get(name) for name in names):
        return wrong
    if _own_classes(old) != _own_classes(new):
        return wrong
    title = old.attributes.get("title")
    if title is not None and title != new.attributes.get("title"):
        return wrong
    if old.href == new.href:
        return ChangeKind.DRESSED
    was, now = identifier_of(old.href), identifier_of(new.href)
    if was == now:
        return ChangeKind.READDRESSED
    is_whole_now = now.startswith(was) or now == _without_tex(was)
    return ChangeKind.COMPLETED if is_whole_now else wrong


def _without_tex(identifier: str) -> str:
    return re.sub(rf"\\([{TEX_SPECIAL}])", r"\1", identifier)


def _own_classes(link: PageLink) -> list[str]:
    return [name for name in link.classes if name not in _OURS]
