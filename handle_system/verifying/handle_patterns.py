"""Which handles are meant: by prefix, or by pattern.

::

    entry   = prefix | pattern
    prefix  = the prefix of a handle; covers those derived from it as well
    pattern = a handle in which "*" stands for any text, an empty one too

``20.1000`` covers ``20.1000/1`` and ``20.1000.5/1``, ``20.1000/draft-*`` the
handles of that prefix alone whose suffix begins so.  Everything but ``*`` is an
ordinary character, for ``?`` and ``[`` are such in handles, and letter case
counts where it does in handles.
"""

from collections.abc import Iterable

from handle_system.handle import Handle

__all__ = ["HandlePatterns"]

_ANY = "*"


class HandlePatterns:
    """A set of handles, by prefixes and patterns.

    >>> drafts = HandlePatterns(["20.1000", "10.5555/draft-*"])
    >>> Handle.parse("10.5555/DRAFT-1") in drafts, Handle.parse("20.10/1") in drafts
    (True, False)
    """

    __slots__ = ("_patterns", "_prefixes")

    def __init__(self, entries: Iterable[str] = ()) -> None:
        """Read the entries.

        Raises:
            HandleSyntaxError: when one is neither a prefix nor a handle with stars.
            ValueError: when one is a prefix with a star.
        """
        prefixes = set()
        patterns = []
        for entry in entries:
            if "/" in entry:
                key = Handle.parse(entry).comparison_key
                patterns.append(tuple(key.split(_ANY)))
            elif _ANY in entry:
                raise ValueError(
                    f'"{_ANY}" in a prefix: a prefix covers those derived from it; '
                    f"{entry}/{_ANY} is a pattern of handles"
                )
            else:
                prefixes.add(Handle(entry.strip(), "x").comparison_key[:-2])
        self._prefixes = frozenset(prefixes)
        self._patterns = tuple(patterns)

    def __bool__(self) -> bool:
        return bool(self._prefixes or self._patterns)

    def __contains__(self, handle: Handle) -> bool:
        key = handle.comparison_key
        if self._prefixes:
            # The prefix is folded in the key, and those it is derived from begin it.
            chain = (key[: len(each)] for each in handle.prefix_chain)
            if not self._prefixes.isdisjoint(chain):
                return True
        return any(_matches(pieces, key) for pieces in self._patterns)


def _matches(pieces: tuple[str, ...], text: str) -> bool:
    """Whether the pieces stand in the text in order, the outer ones at its ends.

    The first place that is good for a piece leaves most for those after it, so
    that nothing is ever tried twice.
    """
    if len(pieces) == 1:
        return text == pieces[0]
    first, *inner, last = pieces
    end = len(text) - len(last)
    if len(first) > end or not (text.startswith(first) and text.endswith(last)):
        return False
    position = len(first)
    for piece in inner:
        found = text.find(piece, position, end)
        if found < 0:
            return False
        position = found + len(piece)
    return True
