r"""Finding references in text whose markup had characters escaped.

Whether a run of ``*``, ``_`` or ``~`` behind a reference is its own depends on what it
could close, and an escaped mark opens nothing and closes nothing: the last one of
``*\* see doi:10.1000/x*`` closes the first, and ``*see doi:10.1000/x\**`` ends with
one that is the reference's own.  Text is read for references without its escapes.
So it is read once more with something else in the place of marks, where that can
make a difference.

A pair of which both are escaped counts as one all the same, as in
``\*doi:10.1000/x\*``: who shows it means the marks, and not a handle with one.
"""

from collections.abc import Iterable

from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.scanning import Found, find_references

__all__ = ["find_references_beside_escapes"]

_MARKS = frozenset("*_~")
# It is punctuation as a mark is, and no reference goes beyond it.
_NO_MARK = '"'


def find_references_beside_escapes(
    text: str, escaped: Iterable[int], *, proxies: Proxies = DEFAULT_PROXIES
) -> list[Found]:
    """The references in running text, as `find_references` gives them.

    Args:
        text: The text, with escapes and entities decoded.
        escaped: The positions of characters that were escaped.
        proxies: The proxies whose URLs are references.
    """
    found = list(find_references(text, proxies=proxies))
    literal = {position for position in escaped if text[position] in _MARKS}
    if not literal:
        return found
    # A mark at a reference's end may close one, with escaped ones between the two.
    to_shorten = {
        each.start
        for each in found
        if text[each.end - 1] in _MARKS and each.end - 1 not in literal
    }
    shorter = _read_again(text, found, literal, _NO_MARK, proxies) if to_shorten else {}
    # An escaped one behind it was taken to close one, and may only close another such.
    to_extend = {each.start for each in found if each.end in literal}
    longer = {}
    if to_extend:
        marks = {index for index, sign in enumerate(text) if sign in _MARKS}
        longer = _read_again(text, found, marks - literal, " ", proxies)
    return [
        min(each, shorter.get(each.start, each), key=_end)
        if each.start in to_shorten
        else max(each, longer.get(each.start, each), key=_end)
        if each.start in to_extend
        else each
        for each in found
    ]


def _read_again(
    text: str, found: list[Found], hidden: set[int], instead: str, proxies: Proxies
) -> dict[int, Found]:
    """The references, by their beginning, if some marks between them were none."""
    characters = list(text)
    inside = {index for each in found for index in range(each.start, each.end)}
    for position in hidden - inside:
        characters[position] = instead
    again = find_references("".join(characters), proxies=proxies)
    return {each.start: each for each in again}


def _end(found: Found) -> int:
    return found.end
