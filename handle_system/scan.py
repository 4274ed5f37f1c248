"""Finding references in running text: where one starts.

Only forms that say what they are count: a bare ``a/b`` in prose is never a
handle, and a URL that merely contains an identifier is left alone.  Where a
reference ends is `handle_system.extent`.

The text is walked from one candidate to the next (a colon after a scheme's
name, or a proxy's name), and what has been read is never read again, so time
is linear in the text.  A regular expression for the whole of it would be
shorter; it would also visit every character, where `str.find` skips nearly all
of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import chain

from handle_system.encoding import decode_leniently
from handle_system.extent import Extents
from handle_system.handle import MAX_OCTETS
from handle_system.plain import EMPHASIS, NOT_BEFORE
from handle_system.proxy import DEFAULT_PROXIES, Proxies
from handle_system.reference import (
    HandleReference,
    plain_reference_at,
    reference_or_none,
)
from handle_system.text import exact_text

__all__ = ["Found", "find_references", "may_hold_reference", "possible_starts"]

# The path of a reference from its prefix on, as far as it takes to be one.
# A prefix holds no ":" and no "/", which also bounds how far this looks.
# Atomic, for it never has to give anything back; and with an end, for no handle
# has more octets than that, and each repetition takes memory.
_PREFIX = rf"(?P<prefix>(?>(?:[^\s:/%\"]++|%(?!2[Ff])){{1,{MAX_OCTETS}}}))(?:/|%2[Ff])"
_DOI_PATH = re.compile(rf"[ \xa0]?(?:[0-9A-Za-z_.-]++@)?(?=10[./%]){_PREFIX}")
_HDL_PATH = re.compile(
    r"(?:[ \xa0](?=[0-9]))?"
    r"(?://\[[0-9A-Fa-f:.]*\](?::[0-9]+)?/|//[0-9A-Za-z.-]+:[0-9]+/|/{0,3})"
    rf"(?:[0-9]{{1,10}}:)?{_PREFIX}"
)
_ANY_PATH = re.compile(_PREFIX)
# In a URN, the first ":" may stand for the slash.
_URN_PATH = re.compile(_PREFIX.replace("(?:/|", "(?:[:/]|"))
_DIGIT_OR_DOT = re.compile(r"[0-9.]")
# The marks that candidates are told by, after what may stand before them: the last
# letters of a scheme's name, or of a host's.
_COLON = re.compile(
    ":(?<=(?:[hH][dD][lL]|[dD][oO][iI]|[uU][rR][nN]|[nN][fF][oO]|[tT][tT][pP]"
    "|[tT][pP][sS]):)"
)
_SLASH = re.compile("/(?<=[gGtT]/)(?=[0-9])")
_IS_NOT_BEFORE = re.compile(f"[{NOT_BEFORE}]")
# Every reference in running text holds the end of one of these schemes' names, or the
# name of a proxy that is known.
_TELLING = re.compile(":(?<=(?:[hH][dD][lL]|[dD][oO][iI]|[nN][fF][oO]):)")


@dataclass(frozen=True, slots=True)
class Found:
    """A reference in a text, at the half-open span from `start` to `end`."""

    reference: HandleReference
    start: int
    end: int


#: Where a reference may begin, where its path does, and what to expect.
_Candidate = tuple[int, int, str]


def find_references(
    text: str, *, proxies: Proxies = DEFAULT_PROXIES
) -> Iterator[Found]:
    """The references in running text, in order, none overlapping.

    Explicit forms are found: ``hdl:``, ``doi:``, ``info:hdl/``, ``info:doi/``,
    ``urn:hdl:``, ``urn:doi:``, the URLs of known proxies, and without a scheme
    ``doi.org/10.…`` and ``hdl.handle.net/`` before a digit.  After ``hdl:`` the
    prefix must hold a digit or a dot: ``HDL:LDL/TC`` is no handle.

    The text is one block (a paragraph, a table cell) with escapes and entities
    of its markup already decoded.

    >>> [found.reference.uri() for found in find_references(
    ...     "See hdl:20.1000/100, (doi: 10.1000/(182)) or a/b."
    ... )]
    ['hdl:20.1000/100', 'doi:10.1000/(182)']
    """
    text = exact_text(text)
    extents = Extents(text)
    position = 0
    for begin, path, kind in _candidates(text):
        if begin < position:
            continue
        found: Found | None
        plain = plain_reference_at(text, begin, proxies)
        if plain is not None:
            reference, position = plain
            found = Found(reference, begin, position)
        elif kind == "url":
            found, position = _read_url(text, begin, path, extents, proxies)
        elif _may_start(text, begin) and _holds_path(text, path, kind):
            found, position = _read(text, begin, path, extents, proxies)
        else:
            continue
        if found is not None:
            extents.note(found.start, found.end)
            yield found


def may_hold_reference(text: str, *, proxies: Proxies = DEFAULT_PROXIES) -> bool:
    """Whether it is worth looking: `False` means that no reference is there.

    A cheap test for front ends that pass every block of every document: nearly all
    text names no scheme and no proxy.
    """
    if _TELLING.search(text):
        return True
    return "/" in text and any(map(text.lower().__contains__, proxies.known.names))


def possible_starts(text: str, *, proxies: Proxies = DEFAULT_PROXIES) -> Iterator[int]:
    """Where references may begin, in order: nowhere else does one.

    For readers of whole files, who then look at the blocks around these places only.
    """
    may_begin = proxies.known.may_begin
    for begin, path, kind in _candidates(text):
        if kind != "url" or may_begin(text, path):
            yield begin


def _candidates(text: str) -> Iterator[_Candidate]:
    at_colons = (
        candidate
        for colon in _COLON.finditer(text)
        if (candidate := _at_colon(text, colon.start())) is not None
    )
    at_slashes = (
        candidate
        for slash in _SLASH.finditer(text)
        if (candidate := _at_slash(text, slash.start())) is not None
    )
    first = next(at_slashes, None)
    if first is None:
        return at_colons
    return merge(at_colons, chain((first,), at_slashes))


def _at_slash(text: str, slash: int) -> _Candidate | None:
    begin = slash - 7
    if begin >= 0 and text[begin:slash].lower() == "doi.org":
        if not text.startswith("10.", slash + 1):
            return None
    else:
        begin = slash - 14
        if begin < 0 or text[begin:slash].lower() != "hdl.handle.net":
            return None
    # Most stand in a URL.
    if begin and text[begin - 1] in "/.":
        return None
    return (begin, slash + 1, "named")


def _at_colon(text: str, colon: int) -> _Candidate | None:
    word = text[colon - 3 : colon].lower()
    if word in {"hdl", "doi"}:
        return (colon - 3, colon + 1, word)
    if word == "urn":
        named = text[colon + 1 : colon + 5].lower()
        if named in {"hdl:", "doi:"}:
            return (colon - 3, colon + 5, "urn")
    elif word == "nfo" and text[colon - 4 : colon].lower() == "info":
        named = text[colon + 1 : colon + 5].lower()
        if named in {"hdl/", "doi/"}:
            return (colon - 4, colon + 5, "named")
    elif text.startswith("//", colon + 1):
        if word == "tps" and text[colon - 5 : colon].lower() == "https":
            return (colon - 5, colon + 3, "url")
        if word == "ttp" and text[colon - 4 : colon].lower() == "http":
            return (colon - 4, colon + 3, "url")
    return None


def _may_start(text: str, begin: int) -> bool:
    before = begin - 1
    while before >= 0 and text[before] in EMPHASIS:
        before -= 1
    return before < 0 or _IS_NOT_BEFORE.match(text, before) is None


def _holds_path(text: str, path: int, kind: str) -> bool:
    if kind == "doi":
        return _DOI_PATH.match(text, path) is not None
    if kind == "hdl":
        found = _HDL_PATH.match(text, path)
        if found is None:
            return False
        _, _, prefix = found["prefix"].rpartition("@")
        return _DIGIT_OR_DOT.search(decode_leniently(prefix)) is not None
    pattern = _URN_PATH if kind == "urn" else _ANY_PATH
    return pattern.match(text, path) is not None


def _read_url(
    text: str, begin: int, authority: int, extents: Extents, proxies: Proxies
) -> tuple[Found | None, int]:
    """A proxy's URL; any other URL is passed over whole, with what it contains."""
    tail = None
    if proxies.known.may_begin(text, authority):
        tail = proxies.known.locate(text, begin)
    if tail is None or not _may_start(text, begin):
        return None, extents.end_of_run(authority)
    return _read(text, begin, tail.start, extents, proxies)


def _read(
    text: str, begin: int, path: int, extents: Extents, proxies: Proxies
) -> tuple[Found | None, int]:
    close = extents.closing_angle(begin)
    if close is not None:
        end = begin + len(text[begin:close].rstrip())
        found = _parse(text, begin, end, proxies)
        return found, close
    run_end = extents.end_of_run(path)
    end = extents.trimmed(path, run_end, begin)
    if end <= path:
        return None, max(run_end, path)
    return _parse(text, begin, end, proxies), max(end, path)


def _parse(text: str, begin: int, end: int, proxies: Proxies) -> Found | None:
    # Running text that is no reference is nobody's fault.
    reference = reference_or_none(text[begin:end], proxies)
    return None if reference is None else Found(reference, begin, end)
