"""Reading the written forms of a handle.

Each reader takes the whole source and offsets into it, so that every error
points at what the author wrote.  What comes out is plain parts (`Written`); the
type that carries them is `handle_system.reference.HandleReference`.
"""

import re
from functools import partial
from typing import NamedTuple

from handle_system.bases import ProxyBases
from handle_system.charsets import charset_named
from handle_system.errors import (
    HandleSyntaxError,
    OtherThingError,
    brief,
    pasteable,
)
from handle_system.handle import (
    Handle,
    find_problem,
    trusted_handle,
)
from handle_system.path import Path, read_path
from handle_system.proxy_url import read_schemeless, read_url
from handle_system.server import read_server
from handle_system.text import SURROUNDING_SPACE, inside_space

__all__ = [
    "MAX_INDEX",
    "SPACES_AFTER_SCHEME",
    "Written",
    "is_explicit",
    "read",
    "readable",
]

MAX_INDEX = 0xFFFFFFFF  # RFC 3651, section 3.1: a 4-byte unsigned integer.

_FULLWIDTH_COLON = re.compile(
    "((?:urn.)?(?:hdl|doi)|info|https?)\uff1a", re.IGNORECASE | re.ASCII
)
_SCHEME = re.compile("([a-z][a-z0-9+.-]*):", re.IGNORECASE | re.ASCII)
_EXPLICIT = re.compile(
    "(?:hdl|doi):|info:(?:hdl|doi)/|urn:(?:hdl|doi):", re.IGNORECASE | re.ASCII
)
_INFO = re.compile("(hdl|doi)/", re.IGNORECASE | re.ASCII)
_URN = re.compile("(hdl|doi):", re.IGNORECASE | re.ASCII)
# Zeros in front of an index may be any number.
_INDEX = re.compile("(?=[0-9])0*+([0-9]*):")
_AUTHORITY = re.compile("//([^/?#]*)/")
_DIGITS = frozenset("0123456789")
# How often a suggestion is mended in its turn before it is given up.
_MENDINGS = 3
#: One of them may stand between a scheme and a number.
SPACES_AFTER_SCHEME = frozenset(" \xa0")


class Written(NamedTuple):
    """The parts of a reference as read: see `HandleReference` for their meaning."""

    form: str
    handle: Handle
    server: str | None = None
    value_index: int | None = None
    query: str | None = None
    fragment: str | None = None


def is_explicit(text: str, bases: ProxyBases) -> bool:
    """Whether the text begins as one of the forms that say what they are."""
    stripped = text.lstrip(SURROUNDING_SPACE)
    if _EXPLICIT.match(stripped):
        return True
    return bases.locate(stripped) is not None


def read(text: str, bases: ProxyBases, document_charset: str | None = None) -> Written:
    """Read a reference in any of its forms.

    ::

        reference = bare | value | hdl | info | urn | doi | proxy
        bare      = [ charset "@" ] handle
        value     = 1*DIGIT ":" handle
        hdl       = "hdl:" [ "/" | "///" | "//" server "/" ] [ index ":" ] path
        info      = "info:" ( "hdl" | "doi" ) "/" path
        urn       = "urn:" ( "hdl" | "doi" ) ":" path
        doi       = "doi:" path
        proxy     = base path
        path      = [ charset "@" ] encoded-handle [ "?" query ] [ "#" fragment ]

    Raises:
        HandleSyntaxError: when the text is none of these, with the place.  Its
            suggestion mends that one fault: see `readable`.
    """
    start, end = inside_space(text)
    if start == end:
        raise HandleSyntaxError(text, (0, 0), "nothing here: a handle is prefix/suffix")
    return _read_any(text, start, end, bases, document_charset)


def readable(
    suggestion: str | None, bases: ProxyBases, document_charset: str | None
) -> str | None:
    """The suggestion, or one that mends it further; `None` if it cannot be read."""
    for _ in range(_MENDINGS):
        if suggestion is None:
            break
        try:
            read(suggestion, bases, document_charset)
        except HandleSyntaxError as error:
            suggestion = error.suggestion
        else:
            return suggestion
    return None


def _read_any(
    text: str,
    start: int,
    end: int,
    bases: ProxyBases,
    charset: str | None,
    *,
    within: bool = False,
) -> Written:
    found = _SCHEME.match(text, start, end)
    scheme = found[1].lower() if found else ""
    after = found.end() if found else start
    if scheme == "hdl":
        return _read_hdl(text, after, end, charset)
    if scheme == "doi":
        after = _after_space(text, after, end)
        return _written("doi", read_path(text, after, end, charset, doi_only=True))
    if scheme == "info":
        return _read_named(text, start, after, end, _INFO, charset)
    if scheme == "urn":
        return _read_named(text, start, after, end, _URN, charset)
    if scheme in {"http", "https"} or text.startswith("//", start):
        inner = None if within else partial(_read_inner, bases=bases, charset=charset)
        return _written("proxy", read_url(text, start, end, bases, charset, inner))
    value = _INDEX.match(text, start, end)
    if value is not None:
        handle = _read_bare(text, value.end(), end, bases)
        return Written("value", handle, value_index=_index(text, value))
    schemeless = read_schemeless(text, start, end, bases, charset)
    if schemeless is not None:
        return _written("proxy", schemeless)
    return Written("bare", _read_bare(text, start, end, bases))


def _read_inner(
    text: str, start: int, end: int, *, bases: ProxyBases, charset: str | None
) -> Path:
    written = _read_any(text, start, end, bases, charset, within=True)
    return Path(written.handle, written.query, written.fragment)


def _written(form: str, path: Path) -> Written:
    return Written(form, path.handle, query=path.query, fragment=path.fragment)


def _read_hdl(text: str, start: int, end: int, charset: str | None) -> Written:
    start = _after_space(text, start, end)
    server = None
    if text.startswith("///", start):
        start += 3
    elif text.startswith("//", start):
        authority = _AUTHORITY.match(text, start, end)
        if authority is not None:
            server = read_server(authority[1], text, authority.end(), end, charset)
        start = authority.end() if authority and server else start + 2
    elif text.startswith("/", start):
        start += 1
    index = None
    value = _INDEX.match(text, start, end)
    if value is not None:
        index = _index(text, value)
        start = value.end()
    written = _written("hdl", read_path(text, start, end, charset))
    return written._replace(server=server, value_index=index)


def _read_named(
    text: str,
    start: int,
    after: int,
    end: int,
    name: re.Pattern[str],
    charset: str | None,
) -> Written:
    found = name.match(text, after, end)
    if found is None:
        raise OtherThingError(
            text,
            (start, after),
            f"this {text[start:after]} URI names something else than a handle",
        )
    path = read_path(
        text,
        found.end(),
        end,
        charset,
        doi_only=found[1].lower() == "doi",
        colon_is_slash=name is _URN,
    )
    return _written("urn" if name is _URN else "info", path)


def _read_bare(text: str, start: int, end: int, bases: ProxyBases) -> Handle:
    slash = text.find("/", start, end)
    at = text.find("@", start, max(slash, start))
    if at >= 0 and charset_named(text[start:at]) is not None:
        start = at + 1
    colon = _FULLWIDTH_COLON.match(text, start, end)
    if colon is not None:
        raise HandleSyntaxError(
            text,
            (colon.end() - 1, colon.end()),
            'U+FF1A only looks like the ":" after a scheme',
            suggestion=pasteable(f"{colon[1]}:", text, colon.end(), end),
        )
    problem = find_problem(text, start, end, slash)
    if problem is not None:
        span, reason = problem
        scheme = _SCHEME.match(text, start, end)
        if scheme is not None and text[span[0] : span[1]] == ":":
            raise OtherThingError(
                text, span, f'"{brief(scheme.group())}" is not the scheme of a handle'
            )
        raise HandleSyntaxError(text, span, reason)
    prefix = text[start:slash]
    if prefix[-1].isalpha() and bases.knows_domain_of(prefix):
        is_known = bases.knows_host(prefix)
        raise OtherThingError(
            text,
            (start, start + len(prefix)),
            "without its scheme, a proxy's URL is told by the number that follows"
            if is_known
            else "this looks like a URL without its scheme, of no known proxy",
            suggestion=pasteable("https://", text, start, end) if is_known else None,
        )
    return trusted_handle(prefix, text[slash + 1 : end])


def _index(text: str, found: re.Match[str]) -> int:
    # Compared by its length first: int() refuses a very long string of digits.
    first, end = found.span(1)
    if end - first > len(str(MAX_INDEX)) or int(found[1] or "0") > MAX_INDEX:
        raise HandleSyntaxError(
            text, (found.start(), end), f"the index of a value is at most {MAX_INDEX}"
        )
    return int(found[1] or "0")


def _after_space(text: str, start: int, end: int) -> int:
    """Past the one space that authors put after ``doi:`` and ``hdl:``."""
    if (
        start + 1 < end
        and text[start] in SPACES_AFTER_SCHEME
        and text[start + 1] in _DIGITS
    ):
        return start + 1
    return start
