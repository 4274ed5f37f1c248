"""Reading the written forms of a handle.

Each reader takes the whole source and offsets into it, so that every error
points at what the author wrote.  What comes out is plain parts (`Written`); the
type that carries them is `handle_system.reference.HandleReference`.
"""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import NamedTuple

from handle_system.bases import DOI_HOSTS, OWN_PAGES, ProxyBases
from handle_system.charsets import charset_named
from handle_system.encoding import decode, encode_query, locate
from handle_system.errors import HandleSyntaxError, OtherThingError
from handle_system.handle import (
    SURROUNDING_SPACE,
    Handle,
    find_problem,
    is_doi_prefix,
    trusted_handle,
)

__all__ = ["Written", "is_explicit", "read"]

_MAX_INDEX = 0xFFFFFFFF  # RFC 3651, section 3.1: a 4-byte unsigned integer.
_MAX_PORT = 0xFFFF

# The common reference, whole: ASCII, nothing encoded, no query, no fragment.
# What this reads, `_read_any` reads alike, only slower.
_PLAIN = re.compile(
    r"(?:((?i:hdl:|doi:|info:hdl/|info:doi/))|(?i:https?)://([A-Za-z.]+)/)?"
    r"([0-9][0-9A-Za-z_-]*(?:\.[0-9A-Za-z_-]+)*)/([!\"$&-;<=>@-~]+)"
)
_PLAIN_FORMS = {
    "hdl:": ("hdl", False),
    "doi:": ("doi", True),
    "info:hdl/": ("info", False),
    "info:doi/": ("info", True),
}

_SCHEME = re.compile("([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_EXPLICIT = re.compile("(?:info:|urn:)?(?:hdl|doi)[:/]", re.IGNORECASE)
_INFO = re.compile("(hdl|doi)/", re.IGNORECASE)
_URN = re.compile("(hdl|doi):", re.IGNORECASE)
_DOUBLED = re.compile("(?:hdl|doi|info|urn|https?):", re.IGNORECASE)
_INDEX = re.compile("([0-9]+):")
_AUTHORITY = re.compile("//([^/?#]*)/")
_SERVER = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)(?::([0-9]{1,5}))?")
_SLASH = re.compile("/|%2[Ff]")
_SHORT_DOI = re.compile("[0-9]*[A-Za-z][0-9A-Za-z]*")
_NOT_IN_URL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_DIGITS = frozenset("0123456789")
_SPACES = frozenset(" \xa0")


class Written(NamedTuple):
    """The parts of a reference as read: see `HandleReference` for their meaning."""

    form: str
    handle: Handle
    server: str | None = None
    index: int | None = None
    query: str | None = None
    fragment: str | None = None


def is_explicit(text: str, bases: ProxyBases) -> bool:
    """Whether the text begins as one of the forms that say what they are."""
    stripped = text.lstrip(SURROUNDING_SPACE)
    found = _EXPLICIT.match(stripped)
    if found and not found.group().lower() in {
        "hdl/",
        "doi/",
        "urn:hdl/",
        "urn:doi/",
        "info:hdl:",
        "info:doi:",
    }:
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
        HandleSyntaxError: when the text is none of these, with the place.
    """
    plain = _PLAIN.fullmatch(text)
    if plain is not None:
        scheme, host, prefix, suffix = plain.groups()
        if scheme is not None:
            form, doi_only = _PLAIN_FORMS[scheme.lower()]
            if not doi_only or is_doi_prefix(prefix):
                return Written(form, trusted_handle(prefix, suffix))
        elif host is not None:
            if host.lower() in bases.root_hosts and prefix not in OWN_PAGES:
                return Written("proxy", trusted_handle(prefix, suffix))
        elif prefix[-1] in _DIGITS:
            return Written("bare", trusted_handle(prefix, suffix))
    return _read_any(text, bases, document_charset)


def _read_any(text: str, bases: ProxyBases, charset: str | None) -> Written:
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
        return _read_path(text, after, end, "doi", charset, doi_only=True)
    if scheme == "info":
        return _read_named(text, after, end, _INFO, charset)
    if scheme == "urn":
        return _read_named(text, after, end, _URN, charset)
    if scheme in {"http", "https"} or text.startswith("//", start):
        return _read_url(text, start, end, bases, charset)
    value = _INDEX.match(text, start, end)
    if value is not None:
        index = _index(text, value)
        return _read_bare(text, value.end(), end, bases)._replace(
            form="value", index=index
        )
    return _read_schemeless(text, start, end, bases, charset) or _read_bare(
        text, start, end, bases
    )


def _read_hdl(text: str, start: int, end: int, charset: str | None) -> Written:
    start = _after_space(text, start, end)
    server = None
    if text.startswith("///", start):
        start += 3
    elif text.startswith("//", start):
        authority = _AUTHORITY.match(text, start, end)
        if authority is not None:
            server = _server(authority[1], text, authority.end(), end)
        start = authority.end() if authority and server else start + 2
    elif text.startswith("/", start):
        start += 1
    index = None
    value = _INDEX.match(text, start, end)
    if value is not None:
        index = _index(text, value)
        start = value.end()
    written = _read_path(text, start, end, "hdl", charset)
    return written._replace(server=server, index=index)


def _read_named(
    text: str, start: int, end: int, name: re.Pattern[str], charset: str | None
) -> Written:
    found = name.match(text, start, end)
    if found is None:
        raise OtherThingError(
            text, (0, start), f"{text[:start].strip()} names other things than handles"
        )
    return _read_path(
        text,
        found.end(),
        end,
        "urn" if name is _URN else "info",
        charset,
        doi_only=found[1].lower() == "doi",
    )


def _read_url(
    text: str, start: int, end: int, bases: ProxyBases, charset: str | None
) -> Written:
    tail = bases.locate(text, start)
    if tail is None:
        raise OtherThingError(text, (start, end), "this URL is not a known proxy's")
    path = tail.start
    while text.startswith("/", path):
        path += 1
    if _DOUBLED.match(text, path, end):
        # What the public proxy itself takes after its host, once.
        inner = text[path:end]
        if not _DOUBLED.match(inner, _inner_start(inner, bases)):
            try:
                return _read_any(inner, bases, charset)._replace(form="proxy")
            except HandleSyntaxError as error:
                raise error.within(text, path) from error
    path_end = _first(text, "?#", path, end)
    segment, slash, _ = text[path:path_end].partition("/")
    if tail.is_doi_host and text[path : path + 1] not in _DIGITS:
        return _read_short_doi(text, path, path_end, end, tail.host)
    if tail.is_doi_host and not slash and _SHORT_DOI.fullmatch(segment):
        return _read_short_doi(text, path, path_end, end, tail.host)
    if segment in OWN_PAGES or not (slash or tail.is_doi_host or "%" in segment):
        raise OtherThingError(
            text, (path, path_end), "this is a page of the proxy's own"
        )
    return _read_path(text, path, end, "proxy", charset)


def _read_short_doi(
    text: str, path: int, path_end: int, end: int, host: str
) -> Written:
    # https://doi.org/cr3qwn is 10/cr3qwn (shortDOI service). On the web site's
    # own host a word alone is a page.
    segment = text[path:path_end]
    if (
        _SHORT_DOI.fullmatch(segment) is None
        or segment in OWN_PAGES
        or (host == "www.doi.org" and segment.isalpha())
    ):
        raise OtherThingError(
            text, (path, path_end), "this is a page of the proxy's own"
        )
    query, fragment = _query_and_fragment(text, path_end, end)
    return Written(
        "proxy", trusted_handle("10", segment), query=query, fragment=fragment
    )


def _read_schemeless(
    text: str, start: int, end: int, bases: ProxyBases, charset: str | None
) -> Written | None:
    slash = text.find("/", start, end)
    host = text[start:slash].lower() if slash > 0 else ""
    if not host or not bases.knows_host(host):
        return None
    begin = "10" if host in DOI_HOSTS else ""
    url = f"//{text[start:end]}"
    tail = bases.locate(url)
    path = None if tail is None else tail.start + start - 2
    if (
        path is None
        or text[path : path + 1] not in _DIGITS
        or not text.startswith(begin, path)
    ):
        return None
    return _read_path(text, path, end, "proxy", charset)


def _read_bare(text: str, start: int, end: int, bases: ProxyBases) -> Written:
    slash = text.find("/", start, end)
    at = text.find("@", start, max(slash, start))
    if at >= 0 and charset_named(text[start:at]) is not None:
        start = at + 1
    problem = find_problem(text[start:end])
    if problem is not None:
        (first, last), reason = problem
        span = (first + start, last + start)
        scheme = _SCHEME.match(text, start, end)
        if scheme is not None and text[span[0] : span[1]] == ":":
            raise OtherThingError(
                text, span, f'"{scheme.group()}" is no scheme of a handle'
            )
        raise HandleSyntaxError(text, span, reason)
    prefix, _, suffix = text[start:end].partition("/")
    if prefix[-1].isalpha() and bases.knows_domain_of(prefix):
        raise OtherThingError(
            text,
            (start, start + len(prefix)),
            "this looks like a URL without its scheme, and its host is no known proxy",
        )
    return Written("bare", trusted_handle(prefix, suffix))


def _read_path(
    text: str,
    start: int,
    end: int,
    form: str,
    charset: str | None,
    *,
    doi_only: bool = False,
) -> Written:
    path_end = _first(text, "?#", start, end)
    query, fragment = _query_and_fragment(text, path_end, end)
    first = start
    modifier = None
    slash = _SLASH.search(text, start, path_end)
    at = text.find("@", start, slash.start() if slash else path_end)
    if at >= 0:
        modifier = text[start:at]
        if charset_named(modifier) is None:
            raise HandleSyntaxError(
                text,
                (start, max(at, start + 1)),
                f'"{modifier}" before "@" is not the name of a known charset',
            )
        first = at + 1
    decoded = decode(text, first, path_end, modifier=modifier, document_charset=charset)
    if form == "urn":
        colon = decoded.find(":")
        if colon >= 0 and "/" not in decoded[:colon]:
            decoded = f"{decoded[:colon]}/{decoded[colon + 1 :]}"
    problem = find_problem(decoded)
    if problem is not None:
        raise _located(text, first, path_end, end, *problem)
    prefix, _, suffix = decoded.partition("/")
    if doi_only and not is_doi_prefix(prefix):
        handle = trusted_handle(prefix, suffix)
        raise HandleSyntaxError(
            text,
            (first, first + len(prefix)),
            'the prefix of a DOI is "10" or begins with "10."',
            suggestion=f"hdl:{text[first:end]}" if handle else None,
        )
    return Written(form, trusted_handle(prefix, suffix), query=query, fragment=fragment)


def _located(
    text: str, start: int, path_end: int, end: int, span: tuple[int, int], reason: str
) -> HandleSyntaxError:
    """The problem of a decoded handle, at the place where it was written."""
    path = text[start:path_end]
    suggestion = None
    if _DOUBLED.match(path):
        reason = "a scheme within a scheme"
        suggestion = text[start:end]
    if "%" not in path:
        return HandleSyntaxError(
            text, (span[0] + start, span[1] + start), reason, suggestion=suggestion
        )
    try:
        decode(path, 0, len(path))
    except HandleSyntaxError:
        return HandleSyntaxError(text, (start, path_end), reason, suggestion=suggestion)
    first, last = locate(text, start, span[0])
    if span[0] == span[1]:
        last = first
    return HandleSyntaxError(text, (first, last), reason, suggestion=suggestion)


def _query_and_fragment(
    text: str, start: int, end: int
) -> tuple[str | None, str | None]:
    """What follows the path; fit for a URL (RFC 3986, sections 3.4 and 3.5)."""
    if start == end:
        return None, None
    found = _NOT_IN_URL.search(text, start, end)
    if found is not None:
        raise HandleSyntaxError(
            text, found.span(), "a control character is not allowed in a URI"
        )
    hash_sign = _first(text, "#", start, end)
    query = encode_query(text[start + 1 : hash_sign]) if start < hash_sign else None
    fragment = encode_query(text[hash_sign + 1 : end]) if hash_sign < end else None
    return query, fragment


def _server(authority: str, text: str, start: int, end: int) -> str | None:
    """``host[:port]`` if the authority is a server's name and a handle follows.

    An IP literal or a port tells a server (seed 003) from a prefix (seed 001).
    """
    found = _SERVER.fullmatch(authority)
    if found is None:
        return None
    host, port = found[1].lower(), found[2]
    if port is None:
        if not _is_ip_literal(host):
            return None
    elif not 0 < int(port) <= _MAX_PORT or (
        host.startswith("[") and not _is_ip_literal(host)
    ):
        return None
    path_end = _first(text, "?#", start, end)
    if _SLASH.search(text, start, path_end) is None:
        return None
    return host if port is None else f"{host}:{int(port)}"


def _is_ip_literal(host: str) -> bool:
    try:
        if host.startswith("["):
            IPv6Address(host[1:-1])
        else:
            IPv4Address(host)
    except AddressValueError:
        return False
    return True


def _index(text: str, found: re.Match[str]) -> int:
    # int() of a very long digit string is refused by Python itself.
    digits = found[1].lstrip("0") or "0"
    if len(digits) > 10 or int(digits) > _MAX_INDEX:
        raise HandleSyntaxError(
            text, found.span(1), f"the index of a value is at most {_MAX_INDEX}"
        )
    return int(digits)


def _inner_start(inner: str, bases: ProxyBases) -> int:
    tail = bases.locate(inner)
    if tail is not None:
        return tail.start
    found = _EXPLICIT.match(inner)
    return found.end() if found else 0


def _after_space(text: str, start: int, end: int) -> int:
    """Past the one space that authors put after ``doi:`` and ``hdl:``."""
    if start + 1 < end and text[start] in _SPACES and text[start + 1] in _DIGITS:
        return start + 1
    return start


def _first(text: str, characters: str, start: int, end: int) -> int:
    positions = [text.find(character, start, end) for character in characters]
    return min((position for position in positions if position >= 0), default=end)
