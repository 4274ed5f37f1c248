"""What an author says of a list of references, and how many lists a page has.

Front ends know a list by this before it is made.
"""

from collections.abc import Iterable
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import NamedTuple

from handle_system.findings.codes import Code
from handle_system.findings.finding import Finding, Place

#: How many lists a page has.  Each of them may hold every identifier: with as many lists
#: as identifiers, a page of a few kilobytes would have a million entries.
MOST_LISTS = 20


class Order(StrEnum):
    """The order of a list."""

    MENTION = "mention"
    """As the documents mention the works first."""
    NAME = "name"
    """By names, year and title."""
    YEAR = "year"
    """The newest first."""


class ListOptions(NamedTuple):
    """What the author says of a list.

    Attributes:
        patterns: Patterns of the documents whose works it lists; its own without any.
        order: An `Order`; empty for the usual one.
        is_offered: Whether readers can download it.
    """

    patterns: tuple[str, ...] = ()
    order: str = ""
    is_offered: bool = False


def finding_about_lists(page: str, place: Place) -> Finding:
    """The finding that a page has too many lists, at the first that is left out."""
    message = f"a page has at most {MOST_LISTS} lists; this one and the following are left out"
    return Finding.of_kind(Code.REFERENCES, page, message).at(place)


def matching(documents: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """The documents that a pattern names, in their order."""
    patterns = tuple(patterns)
    return [
        name
        for name in documents
        if any(fnmatchcase(name, pattern) for pattern in patterns)
    ]


def options_in(content: str) -> ListOptions:
    """What the content of a fence says of a list, as far as a page knows it."""
    for line in content.splitlines():
        name, _, value = line.strip().removeprefix(":").partition(":")
        if name == "sort" and value.strip() in [*Order]:
            return ListOptions((), value.strip())
    return ListOptions()
