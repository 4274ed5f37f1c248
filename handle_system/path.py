"""The path of a URI form: an encoded handle, a query, a fragment.

::

    path = [ charset "@" ] encoded-handle [ "?" query ] [ "#" fragment ]

Octets are decoded first and the handle is split at its first slash after, as
the public proxy does it: ``%2F`` may be that slash.
"""

import re
from typing import NamedTuple

from handle_system.charsets import charset_named
from handle_system.encoding import decode, encode_query, locate
from handle_system.errors import HandleSyntaxError, brief
from handle_system.handle import (
    Handle,
    find_problem,
    is_doi_prefix,
    kind_of_character,
    trusted_handle,
)

__all__ = ["Path", "first_of", "query_and_fragment", "read_path"]

_SLASH = re.compile("/|%2[Ff]")
_DOUBLED = re.compile("(?:hdl|doi|info|urn|https?):", re.IGNORECASE | re.ASCII)
_NOT_IN_URL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class Path(NamedTuple):
    """A handle with the query and fragment that followed it."""

    handle: Handle
    query: str | None
    fragment: str | None


def read_path(
    text: str,
    start: int,
    end: int,
    charset: str | None,
    *,
    doi_only: bool = False,
    colon_is_slash: bool = False,
) -> Path:
    """Read ``text[start:end]`` as a path.

    Args:
        text: The whole source.
        start: Where the path begins.
        end: Where it ends.
        charset: The document's charset, if known.
        doi_only: Whether the scheme says that this is a DOI.
        colon_is_slash: Whether a ``:`` before any ``/`` stands for it (URNs).

    Raises:
        HandleSyntaxError: with the place in `text`.
    """
    path_end = first_of(text, "?#", start, end)
    query, fragment = query_and_fragment(text, path_end, end)
    first, modifier = _modifier(text, start, path_end)
    decoded = decode(text, first, path_end, modifier=modifier, document_charset=charset)
    if colon_is_slash:
        colon = decoded.find(":")
        if colon >= 0 and "/" not in decoded[:colon]:
            decoded = f"{decoded[:colon]}/{decoded[colon + 1 :]}"
    problem = find_problem(decoded)
    if problem is not None:
        span, reason = problem
        doubled = _DOUBLED.match(text, first, path_end) is not None
        raise HandleSyntaxError(
            text,
            locate(text, first, path_end, span, modifier=modifier),
            "a scheme within a scheme" if doubled else reason,
            suggestion=text[first:end] if doubled else None,
        )
    prefix, _, suffix = decoded.partition("/")
    if doi_only and not is_doi_prefix(prefix):
        raise HandleSyntaxError(
            text,
            (first, first + len(prefix)),
            'the prefix of a DOI is "10" or begins with "10."',
            suggestion=f"hdl:{text[start:end]}",
        )
    return Path(trusted_handle(prefix, suffix), query, fragment)


def _modifier(text: str, start: int, end: int) -> tuple[int, str | None]:
    """The charset's name before ``@``, and where the handle begins after it."""
    at = text.find("@", start, end)
    if at < 0 or _SLASH.search(text, start, at) is not None:
        return start, None
    modifier = text[start:at]
    if charset_named(modifier) is None:
        raise HandleSyntaxError(
            text,
            (start, max(at, start + 1)),
            f'"{brief(modifier)}" before "@" is not the name of a known charset',
        )
    return at + 1, modifier


def query_and_fragment(
    text: str, start: int, end: int
) -> tuple[str | None, str | None]:
    """What follows the path; fit for a URL (RFC 3986, sections 3.4 and 3.5)."""
    if start == end:
        return None, None
    found = _NOT_IN_URL.search(text, start, end)
    if found is not None:
        kind = kind_of_character(found.group())
        raise HandleSyntaxError(text, found.span(), f"{kind} is not allowed in a URI")
    hash_sign = first_of(text, "#", start, end)
    query = encode_query(text[start + 1 : hash_sign]) if start < hash_sign else None
    fragment = encode_query(text[hash_sign + 1 : end]) if hash_sign < end else None
    return query, fragment


def first_of(text: str, characters: str, start: int, end: int) -> int:
    """Where the first of the characters stands; `end` if none does."""
    positions = [text.find(character, start, end) for character in characters]
    return min((position for position in positions if position >= 0), default=end)
