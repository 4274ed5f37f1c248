"""Finding references in the many blocks of a document."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference
from handle_system.scanning import may_hold_reference

__all__ = ["find_in_blocks"]

_T = TypeVar("_T")


def find_in_blocks(
    texts: Sequence[str],
    make: Callable[[HandleReference, int, int], _T],  # noqa: ARG001 (its callers go)
    *,
    proxies: Proxies = DEFAULT_PROXIES,
) -> Iterator[tuple[int, list[_T] | None]]:
    """Return the indices of the texts that may hold references; `None` means: look."""
    for index, text in enumerate(texts):
        if may_hold_reference(text, proxies=proxies):
            yield index, None
