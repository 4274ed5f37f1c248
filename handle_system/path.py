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
from handle_system.errors import HandleSyntaxError, brief, pasteable
from handle_system.handle import (
    Handle,
    find_problem,
    is_doi_prefix,
    kind_of_character,
    trusted_handle,
)

__all__ = ["SLASH", "Path", "first_of", "query_and_fragment", "read_path"]

#: The slash, literal or as an escape.
SLASH = re.compile("/|%2[Ff]")
# Of several schemes in a row, so many as anybody would write, the last is grouped.
_SCHEMES = re.compile(
    "((?:urn:)?(?:hdl|doi|info|urn|https?):){1,100}", re.IGNORECASE | re.ASCII
)
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
    # What holds no escape is read where it stands, so that no part of it is
    # copied before it is known to be a handle's.
    as_written = modifier is None and text.find("%", first, path_end) < 0
    decoded, begin, stop = text, first, path_end
    if not as_written:
        decoded = decode(
            text, first, path_end, modifier=modifier, document_charset=charset
        )
        begin, stop = 0, len(decoded)
    split = decoded.find("/", begin, stop)
    if colon_is_slash:
        colon = decoded.find(":", begin, stop if split < 0 else split)
        split = split if colon < 0 else colon
    problem = find_problem(decoded, begin, stop, split)
    if problem is not None:
        span, reason = problem
        if not as_written:
            span = locate(text, first, path_end, span, modifier=modifier)
        schemes = _SCHEMES.match(text, first, path_end)
        if schemes is None:
            raise HandleSyntaxError(text, span, reason)
        raise HandleSyntaxError(
            text,
            span,
            "a scheme within a scheme",
            suggestion=pasteable("", text, schemes.start(1), end),
        )
    prefix = decoded[begin:split]
    if doi_only and not is_doi_prefix(prefix):
        raise HandleSyntaxError(
            text,
            (first, first + len(prefix)),
            'the prefix of a DOI is "10" or begins with "10."',
            suggestion=_as_no_doi(text, start, end, colon_is_slash=colon_is_slash),
        )
    return Path(trusted_handle(prefix, decoded[split + 1 : stop]), query, fragment)


def _as_no_doi(text: str, start: int, end: int, *, colon_is_slash: bool) -> str | None:
    """What a path with a DOI's scheme and another prefix was probably meant to be."""
    path = pasteable("", text, start, end)
    if path is None:
        return None
    prefix, _, suffix = path.partition("/")
    if suffix.startswith("10."):
        # Its scheme was put before a proxy's address.
        return f"doi:{suffix}"
    if colon_is_slash and ":" in prefix:
        path = path.replace(":", "/", 1)
    return f"hdl:{path}"


def _modifier(text: str, start: int, end: int) -> tuple[int, str | None]:
    """The charset's name before ``@``, and where the handle begins after it."""
    at = text.find("@", start, end)
    if at < 0 or SLASH.search(text, start, at) is not None:
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
