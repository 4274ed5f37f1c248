r"""Finding references in text whose markup had characters escaped.

Whether a run of ``*``, ``_`` or ``~`` behind a reference is its own depends on what it
could close, and an escaped mark opens nothing: the last one of
``*\* see doi:10.1000/x*`` closes the first.  Text is read for references without its
escapes.  So it is read once more with something else in the place of such marks,
where that can make a difference.

A pair of which both are escaped counts as one all the same, as in
``\*doi:10.1000/x\*``: who shows it means the marks, and not a handle with one.
"""

from collections.abc import Iterable

from handle_system.proxy import DEFAULT_PROXIES, Proxies
from handle_system.scan import Found, find_references

__all__ = ["find_references_beside_escapes"]

_MARKS = frozenset("*_~")
# It is punctuation as a mark is, and nothing ends at it.
_NO_MARK = "^"


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
    marks = {position for position in escaped if text[position] in _MARKS}
    doubtful = {
        each.start
        for each in found
        if text[each.end - 1] in _MARKS and each.end - 1 not in marks
    }
    if not marks or not doubtful:
        return found
    for each in found:
        marks.difference_update(range(each.start, each.end))
    characters = list(text)
    for position in marks:
        characters[position] = _NO_MARK
    others = {
        other.start: other
        for other in find_references("".join(characters), proxies=proxies)
        if other.start in doubtful
    }
    return [_shorter(each, others.get(each.start)) for each in found]


def _shorter(found: Found, other: Found | None) -> Found:
    return other if other is not None and other.end < found.end else found
