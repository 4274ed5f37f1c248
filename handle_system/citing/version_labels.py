"""Labels of versions: which are the same, and which comes later.

A label is what an author calls a version: ``1.0``, ``V1.0``, ``2.1rc1``,
``2007-06-26``, ``Second edition``.  Those made of numbers have an order; the
others have none, and a question about it is answered with `None`, so that
nobody is warned about a scheme that was never meant to be sorted.
"""

import re
from functools import total_ordering

__all__ = [
    "Numbers",
    "covers",
    "is_later",
    "label_key",
    "numbers_of",
    "same_label",
]

# `v1.0`, `1.0.2`, `2007-06-26`, `1.0-rc.2`, `2.0.dev3`; the digits are bounded
# so that reading one stays cheap, whatever is handed in.
_NUMBERED = re.compile(
    r"(?:version[ ]?|v[.]?[ ]?)?"
    r"([0-9]{1,18}(?:[.-][0-9]{1,18}){0,9})"
    r"(?:[ .+_-]?(dev|draft|alpha|a|beta|b|pre|preview|rc|c|post|p|rev|r)"
    r"[ .-]?([0-9]{0,18}))?",
    re.IGNORECASE | re.ASCII,
)
_STAGES = {
    "dev": -5,
    "draft": -4,
    "alpha": -3,
    "a": -3,
    "beta": -2,
    "b": -2,
    "pre": -1,
    "preview": -1,
    "rc": -1,
    "c": -1,
    "post": 1,
    "p": 1,
    "rev": 1,
    "r": 1,
}


@total_ordering
class Numbers:
    """A label's numbers, without trailing zeros, and its stage (draft, rc, …)."""

    __slots__ = ("_key", "release")

    def __init__(self, release: tuple[int, ...], stage: int, count: int) -> None:
        #: The numbers as written: ``1.0`` is ``(1, 0)``.
        self.release = release
        significant = list(release)
        while significant and significant[-1] == 0:
            significant.pop()
        self._key = (tuple(significant), stage, count)

    @property
    def is_final(self) -> bool:
        """Whether there is no stage: neither before nor after the release."""
        return self._key[1] == 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Numbers):
            return NotImplemented
        return self._key == other._key

    def __lt__(self, other: "Numbers") -> bool:
        return self._key < other._key

    def __hash__(self) -> int:
        return hash(self._key)


def numbers_of(label: str) -> Numbers | None:
    """The numbers of a label that has an order, else `None`.

    ::

        label = [ "v" | "version" ] number *( ( "." | "-" ) number ) [ stage [ number ] ]
        stage = "dev" | "draft" | "alpha" | "beta" | "pre" | "rc" | "post" | "rev"
    """
    found = _NUMBERED.fullmatch(label.strip())
    if found is None:
        return None
    release = tuple(int(number) for number in re.split("[.-]", found[1]))
    stage = _STAGES[found[2].lower()] if found[2] else 0
    return Numbers(release, stage, int(found[3] or 0))


def same_label(one: str, other: str) -> bool:
    """Whether two labels name one version.

    >>> same_label("V1.0", "1.0.0"), same_label("1.0", "1.1")
    (True, False)
    """
    return label_key(one) == label_key(other)


def label_key(label: str) -> Numbers | str:
    """What is equal for labels of one version, and for no others."""
    folded = label.strip().casefold()
    numbers = numbers_of(folded)
    return folded if numbers is None else numbers


def is_later(label: str, than: str) -> bool | None:
    """Whether a label comes after another; `None` where there is no order.

    >>> is_later("1.10", than="1.9"), is_later("1.0", than="1.0rc1")
    (True, True)
    >>> is_later("Second edition", than="First edition") is None
    True
    """
    numbers, earlier = numbers_of(label), numbers_of(than)
    if numbers is None or earlier is None:
        return None
    return numbers > earlier


def covers(label: str, release: str) -> bool:
    """Whether a release is the label's version, or a state within it.

    A document labelled ``1.2`` is that of the releases 1.2.0, 1.2.1, …

    >>> covers("1.2", "1.2.7"), covers("1.2", "1.20"), covers("1.2.0", "1.2.7")
    (True, False, False)
    """
    if same_label(label, release):
        return True
    numbers, released = numbers_of(label), numbers_of(release)
    if numbers is None or released is None or not numbers.is_final:
        return False
    length = len(numbers.release)
    return length < len(released.release) and released.release[:length] == (
        numbers.release
    )
