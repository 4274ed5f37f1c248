"""A page of a build, read without loss, with the links of identifiers told apart.

A page becomes a list of atoms: each tag, comment and script whole, and each character
of text by itself.  The atoms are slices of the page, nothing is normalised, so that two
lists are equal only if the pages are.  The one exception is what comparing is about:
links of identifiers are taken out of the list and kept beside it, with the span of
atoms that each of them encloses.

What the address of an identifier is, is said here in one pattern and not asked of the
code whose work is looked at.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

__all__ = ["Atom", "Page", "PageLink", "identifier_of", "is_address", "read_page"]

#: A tag, comment, declaration or script, or one character of text (or its entity).
Atom = str

_QUOTED = r"""(?:[^>"']|"[^"]*"|'[^']*')*"""
_TOKEN = re.compile(
    rf"(?is)<!--.*?-->|<[!?][^>]*>|<(script|style)\b{_QUOTED}>.*?</\1\s*>"
    rf"|</?[a-z]{_QUOTED}>|&(?:\#\w+|\w+);|."
)
_TAG_NAME = re.compile(r"</?([A-Za-z][\w:-]*)")
_ATTRIBUTE = re.compile(
    r"""(?s)([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?"""
)
_START = re.compile(
    r"(?ai)\s*\#?(?:(?:urn:)?(?:hdl|doi):|info:(?:hdl|doi)/"
    r"|(?:https?://)?(?:(?:dx\.|www\.)?doi\.org|hdl\.handle\.net|hdl\.loc\.gov"
    r"|resolver\.net\.au/hdl)/)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLink:
    """A link of an identifier, or what is left of one that is malformed.

    So is what MyST could not find in the project: a link to nowhere on the page.

    Attributes:
        attributes: Its attributes, entities decoded.
        raw: Its opening tag as it stands.
        start: The first atom that it encloses.
        end: The atom after the last one.
    """

    attributes: dict[str, str]
    raw: str
    start: int
    end: int

    @property
    def href(self) -> str:
        """Where it leads; nowhere, if it is malformed."""
        return self.attributes.get("href", "")

    @property
    def is_unresolved(self) -> bool:
        """Whether it is what MyST leaves of a link that it could not resolve."""
        return self.href.startswith("#") or "xref" in self.classes

    @property
    def classes(self) -> list[str]:
        """Its classes, in order."""
        return self.attributes.get("class", "").split()


@dataclass(frozen=True, slots=True)
class Page:
    """The atoms of a page, and its links of identifiers in order."""

    atoms: list[Atom]
    links: list[PageLink]

    def text(self, start: int, end: int) -> str:
        """What a reader sees of a span of atoms."""
        kept = (atom for atom in self.atoms[start:end] if not is_tag(atom))
        return html.unescape("".join(kept))


def is_tag(atom: Atom) -> bool:
    """Whether an atom is markup, and no character."""
    return len(atom) > 1 and atom[0] == "<"


def is_address(target: str) -> bool:
    """Whether a link's target is written as that of an identifier."""
    return _START.match(target) is not None


def identifier_of(target: str) -> str:
    """What a target or a text identifies, to be compared: decoded and in lower case."""
    while found := _START.match(target):
        target = target[found.end() :].lstrip(" \xa0/")
    return unquote(target).lower()


def read_page(text: str) -> Page:
    """Read a page.

    Raises:
        ValueError: when something in it was passed over.
    """
    atoms: list[Atom] = []
    links: list[PageLink] = []
    # For each open element of a kind, what is to become a link with it, if anything.
    open_elements: dict[str, list[tuple[str, int] | None]] = {"a": [], "span": []}
    length = 0
    for token in _tokens(text):
        length += len(token)
        name = _name_of(token)
        if name not in open_elements:
            atoms.append(token)
        elif not token.startswith("</"):
            begun = (token, len(atoms)) if _is_taken_out(token) else None
            open_elements[name].append(begun)
            if begun is None:
                atoms.append(token)
        else:
            begun = open_elements[name].pop() if open_elements[name] else None
            if begun is None:
                atoms.append(token)
            else:
                raw, start = begun
                links.append(
                    PageLink(
                        attributes=_attributes(raw),
                        raw=raw,
                        start=start,
                        end=len(atoms),
                    )
                )
    unclosed = [begun for stack in open_elements.values() for begun in stack if begun]
    if length != len(text) or unclosed:
        raise ValueError(f"not read whole: {length} of {len(text)}, open: {unclosed}")
    links.sort(key=lambda link: (link.start, link.end))
    return Page(atoms, links)


def _tokens(text: str) -> Iterator[str]:
    for found in _TOKEN.finditer(text):
        yield found.group()


def _name_of(token: str) -> str:
    found = _TAG_NAME.match(token) if is_tag(token) else None
    return found.group(1).lower() if found else ""


def _is_taken_out(tag: str) -> bool:
    attributes = _attributes(tag)
    if _name_of(tag) == "a":
        return is_address(attributes.get("href", ""))
    classes = attributes.get("class", "").split()
    return "hdl-malformed" in classes or classes == ["xref", "myst"]


def _attributes(tag: str) -> dict[str, str]:
    inside = tag[_TAG_NAME.match(tag).end() : -1]  # type: ignore[union-attr]  # a tag
    return {
        name.lower(): html.unescape(quoted or single or bare)
        for name, quoted, single, bare in _ATTRIBUTE.findall(inside)
    }
