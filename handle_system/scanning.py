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
from heapq import merge
from typing import NamedTuple

from handle_system.encoding import decode_leniently
from handle_system.extent import Extents
from handle_system.forms import SPACES_AFTER_SCHEME
from handle_system.handle import MAX_OCTETS
from handle_system.plain import EMPHASIS, NOT_BEFORE
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import (
    HandleReference,
    plain_reference_at,
    reference_or_none,
)
from handle_system.text import exact_text

__all__ = [
    "OWN_SCHEME",
    "WEB_SCHEME",
    "Found",
    "find_references",
    "may_hold_reference",
    "possible_starts",
]

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
# The marks that candidates are told by.  What stands before one is looked at from it:
# a reference may begin where the one group does that matches, whose name tells what
# to expect, and its path begins behind the whole match.
_OWN_SCHEME = (
    r"(?:(?<=(?P<hdl>[hH][dD][lL]):)|(?<=(?P<doi>[dD][oO][iI]):)"
    r"|(?<=(?P<info>[iI][nN][fF][oO]):)(?ai:hdl|doi)/"
    r"|(?<=(?P<urn>[uU][rR][nN]):)(?ai:hdl|doi):)"
)
_WEB_SCHEME = (
    r"//(?:(?<=(?P<https>[hH][tT][tT][pP][sS])://)|(?<=(?P<http>[hH][tT][tT][pP])://))"
)
#: Behind a scheme that only references have; the group that matches is its name.
OWN_SCHEME = re.compile(f":{_OWN_SCHEME}")
#: And behind one that every URL of the web has.
WEB_SCHEME = re.compile(f":{_WEB_SCHEME}")
_COLON = re.compile(f":(?:{_OWN_SCHEME}|{_WEB_SCHEME})")
# Most hosts' names stand in a URL, behind one of those marks.
_SLASH = re.compile(
    r"/(?:(?<=(?<![/.])(?P<doi_org>[dD][oO][iI]\.[oO][rR][gG])/)(?=10\.)"
    r"|(?<=(?<![/.])(?P<handle_net>[hH][dD][lL]\.[hH][aA][nN][dD][lL][eE]\.[nN][eE][tT])/)"
    r"(?=[0-9]))"
)
_WEB = frozenset({"https", "http"})
_IS_NOT_BEFORE = re.compile(f"[{NOT_BEFORE}]")
# Every reference in running text holds the end of one of these schemes' names, or the
# name of a proxy that is known.
_TELLING = re.compile(":(?<=(?:[hH][dD][lL]|[dD][oO][iI]|[nN][fF][oO]):)")


class Found(NamedTuple):
    """A reference in a text, at the half-open span from `start` to `end`."""

    reference: HandleReference
    start: int
    end: int


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
    spans: list[tuple[int, int]] = []
    extents = None
    position = 0
    # Where the authority begins of the URL before, if that is no proxy's.
    other = -1
    for mark in _marks(text):
        kind = mark.lastgroup or ""
        begin = mark.start(kind)
        if begin < position:
            continue
        if other >= 0:
            # It is passed over whole, with what it contains.
            if text.find(" ", other, begin) < 0:
                extents = extents or Extents(text, spans)
                position = extents.end_of_run(other)
            other = -1
            if begin < position:
                continue
        if kind in _WEB and not proxies.known.may_begin(text, mark.end()):
            other = mark.end()
            continue
        found: Found | None
        plain = plain_reference_at(text, begin, proxies)
        if plain is not None:
            reference, position = plain
            # As calling it does, which takes four times as long.
            found = tuple.__new__(Found, (reference, begin, position))
        else:
            extents = extents or Extents(text, spans)
            found, position = _look(text, mark, extents, proxies)
        if found is not None:
            spans.append((begin, found.end))
            yield found


def may_hold_reference(text: str, *, proxies: Proxies = DEFAULT_PROXIES) -> bool:
    """Whether it is worth looking: `False` means that no reference is there.

    A cheap test for front ends that pass every block of every document: nearly all
    text names no scheme and no proxy.
    """
    if _TELLING.search(text):
        return True
    return proxies.known.telling.search(text) is not None


def possible_starts(text: str, *, proxies: Proxies = DEFAULT_PROXIES) -> Iterator[int]:
    """Where references may begin, in order: nowhere else does one.

    For readers of whole files, who then look at the blocks around these places only.
    """
    may_begin = proxies.known.may_begin
    for mark in _marks(text):
        if mark.lastgroup not in _WEB or may_begin(text, mark.end()):
            yield mark.start(mark.lastgroup or 0)


def _marks(text: str) -> Iterator[re.Match[str]]:
    """The marks in a text, in order."""
    at_colons = _COLON.finditer(text)
    if _SLASH.search(text) is None:
        return at_colons
    return merge(at_colons, _SLASH.finditer(text), key=re.Match.start)


def _look(
    text: str, mark: re.Match[str], extents: Extents, proxies: Proxies
) -> tuple[Found | None, int]:
    """The reference at a mark, if there is one, and where to go on."""
    kind = mark.lastgroup or ""
    begin, path = mark.start(kind), mark.end()
    if kind in _WEB:
        return _read_url(text, begin, path, extents, proxies)
    if _may_start(text, begin) and _holds_path(text, path, kind):
        # One may stand after "doi:" and "hdl:", as authors put it there.
        path += text[path] in SPACES_AFTER_SCHEME
        return _read(text, begin, path, extents, proxies)
    return None, begin


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
