"""Labels of versions: which are the same, and how they are ordered.

A label is an author's name for a version: ``1.0``, ``V1.0``, ``2.1rc1``, ``Second
edition``. A label that `packaging.version` reads has an order. Others have none:
such a history keeps the order in which it is listed.
"""

from collections.abc import Iterable
from functools import lru_cache

from packaging import version

__all__ = ["covers", "label_key", "parse_label", "same_label", "sorted_labels"]

# Longer text is no version number, and Python refuses to read such integers.
_LONGEST = 100


@lru_cache(maxsize=4096)
def parse_label(label: str) -> version.Version | None:
    """The version number that a label is, or `None`."""
    try:
        return version.parse(label) if len(label) <= _LONGEST else None
    except version.InvalidVersion:
        return None


def label_key(label: str) -> version.Version | str:
    """A key that labels of one version share, and no others."""
    return parse_label(label) or label.strip().casefold()


def same_label(one: str, other: str) -> bool:
    """Whether two labels name one version.

    >>> same_label("V1.0", "1.0.0"), same_label("1.10", "1.1")
    (True, False)
    """
    return label_key(one) == label_key(other)


def sorted_labels(labels: Iterable[str]) -> list[str] | None:
    """The labels, the oldest first; `None` if one of them has no order.

    >>> sorted_labels(["1.10", "1.9", "1.9rc1"])
    ['1.9rc1', '1.9', '1.10']
    """
    numbers = {label: parse_label(label) for label in labels}
    known = {label: number for label, number in numbers.items() if number is not None}
    if len(known) < len(numbers):
        return None
    return sorted(known, key=lambda label: known[label])


def covers(label: str, release: str) -> bool:
    """Whether a release is the label's version, or a state within it.

    A document labelled ``1.2`` describes the releases 1.2.0, 1.2.1, …

    >>> covers("1.2", "1.2.7"), covers("1.2", "1.20"), covers("1.2.0", "1.2.7")
    (True, False, False)
    """
    if same_label(label, release):
        return True
    wide, narrow = parse_label(label), parse_label(release)
    if wide is None or narrow is None or wide.is_prerelease or wide.is_postrelease:
        return False
    length = len(wide.release)
    return length < len(narrow.release) and narrow.release[:length] == wide.release
