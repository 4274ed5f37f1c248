"""YAML, as far as citations need it: plain values, in bounded time.

It is read with PyYAML, which whoever writes MyST has already; it is imported only
here, and only when there is something to read.  No tag makes an object.  What a few
lines could make very large, or very slow to read, is refused: a front matter may be
anybody's.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from handle_system.citing.values import CitationError

if TYPE_CHECKING:
    import yaml

__all__ = ["load_yaml"]

# PyYAML reads some 40 characters in a millisecond.
_LONGEST = 1_000_000
_LONGEST_TYPED = 100_000
_DEEPEST = 100
_MOST_MERGED = 10_000
_BRACKET = re.compile(r"[][{}]")


def load_yaml(text: str, what: str, *, is_typed: bool = False) -> object:
    """Plain values from YAML.

    Args:
        text: The YAML.
        what: What it is, for errors: ``a CITATION.cff``.
        is_typed: Whether numbers, dates and booleans are such, as in the front
            matter of a page; else all is text.

    Raises:
        CitationError: when it is no YAML, with its line; or when PyYAML is not
            installed.
    """
    try:
        import yaml  # noqa: PLC0415 - only who reads such a file needs the library
    except ImportError as error:
        raise CitationError(
            f"reading {what} needs PyYAML: pip install pyyaml", where="the file"
        ) from error
    if len(text) > (_LONGEST_TYPED if is_typed else _LONGEST):
        raise CitationError(
            f"{len(text)} characters are too many for {what}", where="the file"
        )
    if _is_deep(text):
        raise CitationError("it is nested too deep", where="the file")
    # Both make plain values, and nothing else: no tag makes an object.
    loader = _bounded_loader() if is_typed else yaml.BaseLoader
    try:
        loaded: object = yaml.load(text, Loader=loader)  # noqa: S506 - see above
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise CitationError(
            f"this is no YAML: {error.problem}", where="the file", line=line
        ) from error
    except (yaml.YAMLError, ValueError) as error:
        raise CitationError(f"this is no YAML: {error}", where="the file") from error
    except RecursionError as error:
        raise CitationError("it is nested too deep", where="the file") from error
    return loaded


def _is_deep(text: str) -> bool:
    """Whether brackets are open in more brackets than anybody writes."""
    depth = 0
    for found in _BRACKET.finditer(text):
        depth = depth + 1 if found.group() in "[{" else max(0, depth - 1)
        if depth > _DEEPEST:
            return True
    return False


@cache
def _bounded_loader() -> "type[yaml.SafeLoader]":
    import yaml  # noqa: PLC0415 - see above

    class Bounded(yaml.SafeLoader):
        """Each line that merges the one before twice would double what there is."""

        def flatten_mapping(self, node: Any) -> None:
            super().flatten_mapping(node)
            if len(node.value) > _MOST_MERGED:
                raise yaml.constructor.ConstructorError(
                    None, None, "too much is merged", node.start_mark
                )

    return Bounded
