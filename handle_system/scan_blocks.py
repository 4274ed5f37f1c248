"""Finding references in the many blocks of a document at once.

Nearly all blocks hold none, and nearly all references are of one kind: those are told
here by going over the whole document once, and the rest is left to
`handle_system.scanning`.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

from handle_system.bases import LONGEST_AUTHORITY
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference, plain_reference_at
from handle_system.scanning import OWN_SCHEME, WEB_SCHEME

__all__ = ["find_in_blocks"]

_T = TypeVar("_T")

_NO_HOST = re.compile(r"[/\n]")
_SPACES = frozenset(" \n")


def find_in_blocks(
    texts: Sequence[str],
    make: Callable[[HandleReference, int, int], _T],
    *,
    proxies: Proxies = DEFAULT_PROXIES,
) -> Iterator[tuple[int, list[_T] | None]]:
    """The indices of those texts that it is worth looking at, in order.

    With each come its references, as `handle_system.scanning.find_references` finds them,
    if they could be told; `None` is for that to find them.  A text that is left out
    holds none, in the place of a link's target neither.

    Args:
        texts: The texts of the blocks, as `handle_system.scanning.find_references` takes one.
        make: What makes of a reference, its start and its end what is told of it, such
            as `handle_system.scanning.Found`.
        proxies: Those whose links are references.

    >>> from handle_system.scanning import Found
    >>> texts = ["See hdl:20.1000/100.", "Nothing here.", "*doi:10.1000/182*"]
    >>> told = find_in_blocks(texts, Found)
    >>> [(index, found and found[0].end) for index, found in told]
    [(0, 19), (2, None)]
    """
    # So that something stands before each.
    whole = "\n".join(("", *texts))
    starts = [*accumulate([len(text) + 1 for text in texts], initial=1)]
    begins = [mark.start(mark.lastindex or 0) for mark in OWN_SCHEME.finditer(whole)]
    begins += _begins_of_urls(whole, proxies)
    begins.sort()
    index = -1
    start = position = end = 0
    found: list[_T] | None = None
    for begin in begins:
        if begin >= end:
            if index >= 0:
                yield index, found
            index = bisect_right(starts, begin) - 1
            start = position = starts[index]
            end = starts[index + 1]
            found = []
        if found is None or begin < position:
            continue
        before = whole[begin - 1]
        # Else it may be the middle of a URL that is no proxy's.
        if before in _SPACES or (before == "(" and whole[begin - 2] in _SPACES):
            plain = plain_reference_at(whole, begin, proxies)
            if plain is not None:
                reference, position = plain
                found.append(make(reference, begin - start, position - start))
                continue
        found = None
    if index >= 0:
        yield index, found


def _begins_of_urls(text: str, proxies: Proxies) -> Iterable[int]:
    """Where the URLs of proxies begin, or what is to be looked at closely."""
    for host in proxies.known.telling.finditer(text):
        slash = host.start()
        colon = text.rfind(":", max(slash - LONGEST_AUTHORITY, 0), slash)
        mark = WEB_SCHEME.match(text, colon) if colon >= 0 else None
        if mark is None or _NO_HOST.search(text, mark.end(), slash):
            # Without a scheme, a reference begins before what is found here.
            yield slash
        else:
            yield mark.start(mark.lastindex or 0)
