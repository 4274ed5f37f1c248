"""Proxy URLs, and what else stands at a proxy's address.

::

    proxy = base ( path | short-doi | inner )

``inner`` is a reference with a scheme of its own: the public proxy takes
``https://hdl.handle.net/hdl:20.1000/100``, and copied links come doubled
(``https://doi.org/https://doi.org/10.1850/x``), some of them without the second scheme
(``https://dx.doi.org/doi.org/10.1850/x``), which at those hosts can be nothing else.
"""

import re
from typing import Protocol

from handle_system.bases import OWN_PAGES, ProxyBases, Tail
from handle_system.encoding import decode_leniently
from handle_system.errors import OtherThingError
from handle_system.handle import trusted_handle
from handle_system.path import SLASH, Path, first_of, query_and_fragment, read_path

__all__ = ["InnerReader", "read_schemeless", "read_url"]

_SCHEME = re.compile("(?:hdl|doi|info|urn|https?):", re.IGNORECASE | re.ASCII)
_SHORT_DOI = re.compile("[0-9]*[A-Za-z][0-9A-Za-z]*")
_DIGITS = frozenset("0123456789")
_OWN_PAGE = "this is a page of the proxy's own"


class InnerReader(Protocol):
    """Reads a reference that stands within another: a scheme's of its own."""

    def __call__(self, text: str, start: int, end: int) -> Path:
        """Read ``text[start:end]``."""
        ...


def read_url(
    text: str,
    start: int,
    end: int,
    bases: ProxyBases,
    charset: str | None,
    read_inner: InnerReader | None,
) -> Path:
    """Read a URL at a known proxy.

    Args:
        text: The whole source.
        start: Where the URL begins.
        end: Where it ends.
        bases: The known proxies.
        charset: The document's charset, if known.
        read_inner: Reader of a reference within; `None` when this is within one.

    Raises:
        OtherThingError: for any other URL, and for a page of the proxy's own.
        HandleSyntaxError: for a malformed reference.
    """
    tail = bases.locate(text, start)
    if tail is None:
        raise OtherThingError(text, (start, end), "this URL is not a known proxy's")
    first = tail.start
    while text.startswith("/", first):
        # As the public proxy does with leading slashes.
        first += 1
    if read_inner is not None and _SCHEME.match(text, first, end):
        return read_inner(text, first, end)
    if (
        read_inner is not None
        and tail.is_doi_host
        and text[first : first + 1] not in _DIGITS
    ):
        doubled = read_schemeless(text, first, end, bases, charset)
        if doubled is not None:
            return doubled
    path_end = first_of(text, "?#", first, end)
    if tail.is_doi_host and _is_short_doi(text, first, path_end, tail):
        query, fragment = query_and_fragment(text, path_end, end)
        handle = trusted_handle("10", text[first:path_end])
        return Path(handle, query, fragment)
    if _is_own_page(text, first, path_end, tail):
        raise OtherThingError(text, (first, path_end), _OWN_PAGE)
    return read_path(text, first, end, charset)


def read_schemeless(
    text: str, start: int, end: int, bases: ProxyBases, charset: str | None
) -> Path | None:
    """Read ``doi.org/10.…`` or another known host before a digit, else `None`.

    Raises:
        HandleSyntaxError: for a malformed reference.
    """
    tail = bases.locate_schemeless(text, start)
    if tail is None or tail.start >= end or text[tail.start] not in _DIGITS:
        return None
    if tail.is_doi_host and not text.startswith(("10.", "10/"), tail.start):
        return None
    return read_path(text, tail.start, end, charset)


def _is_short_doi(text: str, first: int, end: int, tail: Tail) -> bool:
    # https://doi.org/cr3qwn is 10/cr3qwn (shortDOI service). On the host of the
    # web site a word alone is a page.
    found = _SHORT_DOI.fullmatch(text, first, end)
    if found is None or found.group() in OWN_PAGES:
        return False
    return not (tail.host == "www.doi.org" and found.group().isalpha())


def _is_own_page(text: str, first: int, end: int, tail: Tail) -> bool:
    # The proxy decodes before it looks.
    slash = SLASH.search(text, first, end)
    segment = decode_leniently(text[first : slash.start() if slash else end])
    if tail.is_doi_host:
        # After a modifier, if there is one.
        return segment[segment.find("@") + 1 :][:1] not in _DIGITS
    # A name without a slash is a page, or a prefix's own record.
    return segment in OWN_PAGES or not slash
