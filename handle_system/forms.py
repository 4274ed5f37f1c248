"""Reading the written forms of a handle.

Each reader takes the whole source and offsets into it, so that every error
points at what the author wrote.  What comes out is plain parts (`Written`); the
type that carries them is `handle_system.reference.HandleReference`.
"""

import re
from functools import partial
from typing import NamedTuple

from handle_system.bases import DOI_HOSTS, OWN_PAGES, ProxyBases
from handle_system.charsets import charset_named
from handle_system.encoding import decode_ascii
from handle_system.errors import HandleSyntaxError, OtherThingError, brief
from handle_system.handle import (
    SURROUNDING_SPACE,
    Handle,
    find_problem,
    is_doi_prefix,
    trusted_handle,
)
from handle_system.path import Path, read_path
from handle_system.proxy_url import read_schemeless, read_url
from handle_system.server import read_server

__all__ = ["MAX_INDEX", "Written", "is_explicit", "read", "read_plain"]

MAX_INDEX = 0xFFFFFFFF  # RFC 3651, section 3.1: a 4-byte unsigned integer.

# The common reference, whole: ASCII, no query, no fragment, and of escapes only
# those of printable ASCII.  What this reads, `_read_any` reads alike, only
# slower; groups and quantifiers give nothing back, so a miss costs one pass.
_PLAIN = re.compile(
    r"(?:((?ai:hdl:|doi:))[ \xa0]?|((?ai:info:hdl/|info:doi/))"
    r"|((?ai:https?)://)?([A-Za-z.]++)/)?"
    r"([0-9][0-9A-Za-z_-]*+(?>(?:\.[0-9A-Za-z_-]++)*))/"
    r"((?>(?:[!\"$&-;<=>@-~]++|%(?:[2-6][0-9A-Fa-f]|7[0-9A-Ea-e]))+))"
)
_PLAIN_FORMS = {
    "hdl:": ("hdl", False),
    "doi:": ("doi", True),
    "info:hdl/": ("info", False),
    "info:doi/": ("info", True),
}
_FULLWIDTH_COLON = re.compile(
    "((?:urn.)?(?:hdl|doi)|info|https?)\uff1a", re.IGNORECASE | re.ASCII
)
_SCHEME = re.compile("([a-z][a-z0-9+.-]*):", re.IGNORECASE | re.ASCII)
_EXPLICIT = re.compile(
    "(?:hdl|doi):|info:(?:hdl|doi)/|urn:(?:hdl|doi):", re.IGNORECASE | re.ASCII
)
_INFO = re.compile("(hdl|doi)/", re.IGNORECASE | re.ASCII)
_URN = re.compile("(hdl|doi):", re.IGNORECASE | re.ASCII)
_INDEX = re.compile("([0-9]+):")
_AUTHORITY = re.compile("//([^/?#]*)/")
_DIGITS = frozenset("0123456789")
_SPACES = frozenset(" \xa0")


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


def read_plain(text: str, bases: ProxyBases) -> tuple[str, Handle] | None:
    """Form and handle of the common reference; `None` has to be read by `read`.

    A reference of `_PLAIN` is read alike by both; here in one pass.
    """
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return None
    scheme, info, web, host, prefix, suffix = plain.groups()
    if host is not None:
        host = host.lower()
        if host not in bases.root_hosts or prefix in OWN_PAGES:
            return None
        if web is None and host in DOI_HOSTS and not is_doi_prefix(prefix):
            return None
        return "proxy", trusted_handle(prefix, decode_ascii(suffix))
    scheme = scheme or info
    if scheme is not None:
        form, doi_only = _PLAIN_FORMS[scheme.lower()]
        if doi_only and not is_doi_prefix(prefix):
            return None
        return form, trusted_handle(prefix, decode_ascii(suffix))
    # A prefix that ends in letters may be a host's name.
    return ("bare", trusted_handle(prefix, suffix)) if prefix[-1] in _DIGITS else None


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
        HandleSyntaxError: when the text is none of these, with the place.
    """
    return _read_any(text, bases, document_charset)


def _read_any(
    text: str, bases: ProxyBases, charset: str | None, *, within: bool = False
) -> Written:
    start = len(text) - len(text.lstrip(SURROUNDING_SPACE))
    end = len(text.rstrip(SURROUNDING_SPACE))
    if start >= end:
        raise HandleSyntaxError(text, (0, 0), "nothing here: a handle is prefix/suffix")
    found = _SCHEME.match(text, start, end)
    scheme = found[1].lower() if found else ""
    after = found.end() if found else start
    if scheme == "hdl":
        return _read_hdl(text, after, end, charset)
    if scheme == "doi":
        after = _after_space(text, after, end)
        return _written("doi", read_path(text, after, end, charset, doi_only=True))
    if scheme == "info":
        return _read_named(text, after, end, _INFO, charset)
    if scheme == "urn":
        return _read_named(text, after, end, _URN, charset)
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


def _read_inner(text: str, *, bases: ProxyBases, charset: str | None) -> Path:
    written = _read_any(text, bases, charset, within=True)
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
    text: str, start: int, end: int, name: re.Pattern[str], charset: str | None
) -> Written:
    found = name.match(text, start, end)
    if found is None:
        scheme = text[:start].strip(SURROUNDING_SPACE)
        raise OtherThingError(
            text, (0, start), f"this {scheme} URI names something else than a handle"
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
            suggestion=f"{text[start : colon.end() - 1]}:{text[colon.end() : end]}",
        )
    bare = text[start:end]
    problem = find_problem(bare)
    if problem is not None:
        (first, last), reason = problem
        span = (first + start, last + start)
        scheme = _SCHEME.match(text, start, end)
        if scheme is not None and text[span[0] : span[1]] == ":":
            raise OtherThingError(
                text, span, f'"{brief(scheme.group())}" is not the scheme of a handle'
            )
        raise HandleSyntaxError(text, span, reason)
    prefix, _, suffix = bare.partition("/")
    if prefix[-1].isalpha() and bases.knows_domain_of(prefix):
        is_known = bases.knows_host(prefix)
        raise OtherThingError(
            text,
            (start, start + len(prefix)),
            "without its scheme, a proxy's URL is told by the number that follows"
            if is_known
            else "this looks like a URL without its scheme, of no known proxy",
            suggestion=f"https://{bare}" if is_known else None,
        )
    return trusted_handle(prefix, suffix)


def _index(text: str, found: re.Match[str]) -> int:
    # int() of a very long digit string is refused by Python itself.
    digits = found[1].lstrip("0") or "0"
    if len(digits) > 10 or int(digits) > MAX_INDEX:
        raise HandleSyntaxError(
            text, found.span(1), f"the index of a value is at most {MAX_INDEX}"
        )
    return int(digits)


def _after_space(text: str, start: int, end: int) -> int:
    """Past the one space that authors put after ``doi:`` and ``hdl:``."""
    if start + 1 < end and text[start] in _SPACES and text[start + 1] in _DIGITS:
        return start + 1
    return start
