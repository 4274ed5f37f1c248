"""Reading the written forms of a handle, step by step.

::

    reference = bare | value | hdl | info | urn | doi | proxy
    bare      = [ charset "@" ] handle
    value     = 1*DIGIT ":" handle
    hdl       = "hdl:" [ "/" | "///" | "//" server "/" ] [ index ":" ] path
    info      = "info:" ( "hdl" | "doi" ) "/" path
    urn       = "urn:" ( "hdl" | "doi" ) ":" path
    doi       = "doi:" path
    proxy     = base ( path | short-doi | reference )
    path      = [ charset "@" ] encoded-handle [ "?" query ] [ "#" fragment ]

Sources: seed 003 (``hdl:`` with a server, ``info:``), seed 001 (``hdl://prefix``),
seed 004 (``charset@``), the public proxy (``urn:``, a reference after its base).
Each reader takes a position in the whole source, so that every error points at
the author's own text.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import NamedTuple

from handle_system.encoding import (
    charset_named,
    decode,
    decode_leniently,
    encode_query,
    locate,
)
from handle_system.errors import (
    LONGEST_SUGGESTION,
    HandleSyntaxError,
    OtherThingError,
    brief,
)
from handle_system.handle import Handle, character_kind, split_handle
from handle_system.proxies import DOI_HOSTS, OWN_PAGES, Proxies
from handle_system.text import SURROUNDING_SPACE

__all__ = [
    "MAX_INDEX",
    "Parts",
    "ReferenceForm",
    "contained_doi",
    "is_explicit",
    "publisher_doi",
    "read_parts",
    "restored_doi",
    "server_named",
]

#: RFC 3651, section 3.1: a 4-byte unsigned integer.
MAX_INDEX = 0xFFFFFFFF
_MAX_PORT = 0xFFFF

# A scheme, or the index of a value.
_SCHEME = re.compile("([A-Za-z][0-9A-Za-z+.-]*|[0-9]+):")
_HANDLE_SCHEME = re.compile("(?:hdl|doi|info|urn|https?):", re.IGNORECASE | re.ASCII)
# Several schemes in a row, as many as anybody would write; the group is the last.
_SCHEMES = re.compile(
    "((?:urn:)?(?:hdl|doi|info|urn|https?):){1,100}", re.IGNORECASE | re.ASCII
)
_EXPLICIT = re.compile(
    "(?:hdl|doi):|info:(?:hdl|doi)/|urn:(?:hdl|doi):", re.IGNORECASE | re.ASCII
)
_NAME = {
    "info": re.compile("(hdl|doi)/", re.IGNORECASE | re.ASCII),
    "urn": re.compile("(hdl|doi):", re.IGNORECASE | re.ASCII),
}
_FULLWIDTH_COLON = re.compile(
    "((?:urn.)?(?:hdl|doi)|info|https?)\uff1a", re.IGNORECASE | re.ASCII
)
_INDEX = re.compile("([0-9]+):")
_AUTHORITY = re.compile("//([^/?#]*)/")
_SLASHES = re.compile("/{0,3}")
_SERVER = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)(?::([0-9]{1,5}))?")
_SLASH = re.compile("/|%2[Ff]")
_QUERY_OR_FRAGMENT = re.compile("[?#]")
_NOT_IN_URL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SHORT_DOI = re.compile("[0-9]*[A-Za-z][0-9A-Za-z]*")
_DIGITS = frozenset("0123456789")

_DOI = r"10\.[0-9]+(?:\.[0-9]+)*/[^\s?#]+"
_AT_PUBLISHER = re.compile(
    r"(?:https?:)?//(?:doi\.[^/@\s]+|[^/@\s]+/doi(?:/(?:abs|full|pdf|pdfdirect|epdf|book))?)"
    rf"/({_DOI})",
    re.IGNORECASE | re.ASCII,
)
_INSIDE = re.compile(rf"(?:[^\s()\[\]{{}}<>,;|]*[:/])?({_DOI})(?:[?#]\S*)?", re.ASCII)
_PAGE_OF_DOI = re.compile("/(?:abstract|full|pdf|epdf|summary)$")
# A DOI that lost a character of its "10.", or all of its prefix but "16" before an
# ISSN: the pattern of 10.1016/0024-3795(91)90181-S.
_DAMAGED_DOI = re.compile(
    r"(?:(?:10-|0?\.)([0-9]{4,9}(?:\.[0-9]{1,9}){0,9})/|16/(?=[0-9]{4}-[0-9]{3}[0-9X]))"
    r"(\S+)"
)
# With a digit among its letters, it is hardly a word.
_LIKELY_SHORT_DOI = re.compile("(?!10)(?=[a-z]*[0-9])(?=[0-9]*[a-z])[0-9a-z]{3,8}")
_NUMERIC_PREFIX = re.compile(r"(?!0\.)(?:[0-9]+(?:\.[0-9]+)+|[0-9]{4,})")


class ReferenceForm(StrEnum):
    """The ways in which a handle is written."""

    BARE = "bare"
    """The handle itself: ``10.1045/april2006-paskin``. Nothing is decoded."""
    VALUE = "value"
    """One value of it, index first: ``300:0.NA/10``."""
    HDL = "hdl"
    """``hdl:…``, ``hdl:/…`` and ``hdl://…`` (seeds 001 to 004)."""
    INFO = "info"
    """``info:hdl/…`` and ``info:doi/…`` (seed 003, RFC 4452)."""
    URN = "urn"
    """``urn:hdl:…`` and ``urn:doi:…``, which the public proxy accepts."""
    DOI = "doi"
    """``doi:10.…``."""
    PROXY = "proxy"
    """A proxy's URL, and ``doi.org/10.…`` without a scheme."""


class Parts(NamedTuple):
    """What was read: see `handle_system.reference.HandleReference`."""

    form: ReferenceForm
    handle: Handle
    server: str | None = None
    value_index: int | None = None
    query: str | None = None
    fragment: str | None = None


def read_parts(text: str, proxies: Proxies, document_charset: str | None) -> Parts:
    """Read a reference in any of its forms, without the white space around it.

    Raises:
        HandleSyntaxError: if the text is none of these.
    """
    stripped = text.strip(SURROUNDING_SPACE)
    if not stripped:
        raise HandleSyntaxError(text, (0, 0), "nothing here: a handle is prefix/suffix")
    start = text.index(stripped)
    end = start + len(stripped)
    return _Reader(text, end, proxies, document_charset).reference(start)


def is_explicit(text: str, proxies: Proxies) -> bool:
    """Whether the text begins as one of the forms that say what they are."""
    text = text.lstrip(SURROUNDING_SPACE)
    return bool(_EXPLICIT.match(text)) or proxies.locate(text) is not None


def server_named(authority: str) -> str | None:
    """Return ``host[:port]`` in its canonical form, if the text names a server.

    An IP literal or a port tells a server (seed 003) from a prefix (seed 001).
    """
    found = _SERVER.fullmatch(authority)
    if found is None:
        return None
    host, port = found[1].lower(), found[2]
    is_literal = _is_ip_literal(host)
    if host.startswith("[") and not is_literal:
        return None
    if port is None:
        return host if is_literal else None
    return f"{host}:{int(port)}" if 0 < int(port) <= _MAX_PORT else None


def contained_doi(text: str) -> str | None:
    """Return the DOI, as ``doi:…``, that a text meant for one visibly contains.

    `None` if nothing is certain.

    >>> [contained_doi(text) for text in ("https://doi.acm.org/10.1145/1", "a/b")]
    ['doi:10.1145/1', None]
    """
    if len(text) > LONGEST_SUGGESTION:
        return None
    inside = _INSIDE.fullmatch(text)
    if inside is not None:
        return "doi:" + _PAGE_OF_DOI.sub("", inside[1])
    if _LIKELY_SHORT_DOI.fullmatch(text):
        return f"doi:10/{text}"
    restored = restored_doi(text)
    return restored and f"doi:{restored}"


def restored_doi(text: str) -> str | None:
    """Return a DOI whose beginning was damaged as it was, or `None`.

    >>> restored_doi("0.1093/nar/gkp987"), restored_doi("10-1098/rspl.1895.0041")
    ('10.1093/nar/gkp987', '10.1098/rspl.1895.0041')
    """
    damaged = _DAMAGED_DOI.fullmatch(text)
    return damaged and f"10.{damaged[1] or '1016'}/{damaged[2]}"


def publisher_doi(url: str) -> str | None:
    """Return the DOI in a publisher's own address of one, or `None`.

    >>> publisher_doi("https://onlinelibrary.wiley.com/doi/abs/10.1002/x.1/full")
    '10.1002/x.1'
    """
    found = _AT_PUBLISHER.match(url)
    return found and _PAGE_OF_DOI.sub("", found[1])


@dataclass(slots=True)
class _Reader:
    """Readers of one source; each takes the position where its part begins."""

    text: str
    end: int
    proxies: Proxies
    charset: str | None

    def reference(self, start: int, *, nested: bool = False) -> Parts:
        """Read any form; a `nested` one stands behind a proxy's base."""
        text = self.text
        scheme = _SCHEME.match(text, start, self.end)
        name = scheme[1].lower() if scheme else ""
        after = scheme.end() if scheme else start
        if name == "hdl":
            return self.hdl(self.after_space(after))
        if name == "doi":
            return self.path(ReferenceForm.DOI, self.after_space(after), doi_only=True)
        if name in {"info", "urn"}:
            return self.named(name, start, after)
        if name in {"http", "https"} or text.startswith("//", start):
            return self.url(start, nested=nested)
        if scheme and name.isdecimal():
            index = self.index(scheme)
            return Parts(ReferenceForm.VALUE, self.bare(after), value_index=index)
        schemeless = self.schemeless(start)
        return schemeless or Parts(ReferenceForm.BARE, self.bare(start))

    def after_space(self, start: int) -> int:
        """Return the position after the space that authors put before a number."""
        if not self.text.startswith((" ", "\xa0"), start, self.end):
            return start
        return start + 1 if self.text[start + 1 : start + 2] in _DIGITS else start

    def hdl(self, start: int) -> Parts:
        """Read what follows ``hdl:``."""
        authority = _AUTHORITY.match(self.text, start, self.end)
        server = server_named(authority[1]) if authority else None
        if authority is not None and server is not None:
            # A server presents a whole handle; else this is seed 001's prefix.
            with suppress(HandleSyntaxError):
                return self.indexed_path(authority.end())._replace(server=server)
        slashes = _SLASHES.match(self.text, start, self.end)
        return self.indexed_path(slashes.end() if slashes else start)

    def indexed_path(self, start: int) -> Parts:
        """Read ``[ index ":" ] path``."""
        index = _INDEX.match(self.text, start, self.end)
        if index is None:
            return self.path(ReferenceForm.HDL, start)
        number = self.index(index)
        return self.path(ReferenceForm.HDL, index.end())._replace(value_index=number)

    def index(self, found: re.Match[str]) -> int:
        """Return an index; int() refuses a very long one, so its length counts first."""
        digits = found[1].lstrip("0") or "0"
        if len(digits) > len(str(MAX_INDEX)) or int(digits) > MAX_INDEX:
            raise HandleSyntaxError(
                self.text,
                (found.start(), found.end() - 1),
                f"the index of a value is at most {MAX_INDEX}",
            )
        return int(digits)

    def named(self, scheme: str, start: int, after: int) -> Parts:
        """Read an ``info:`` or ``urn:`` URI."""
        found = _NAME[scheme].match(self.text, after, self.end)
        if found is None:
            raise OtherThingError(
                self.text,
                (start, after),
                f"this {self.text[start:after]} URI names something else than a handle",
            )
        return self.path(
            ReferenceForm(scheme),
            found.end(),
            doi_only=found[1].lower() == "doi",
            colon_is_slash=scheme == "urn",
        )

    def url(self, start: int, *, nested: bool) -> Parts:
        """Read a URL; only a known proxy's is a reference."""
        text, end = self.text, self.end
        tail = self.proxies.locate(text, start)
        if tail is None:
            publisher = publisher_doi(text[start:end])
            raise OtherThingError(
                text,
                (start, end),
                "this URL is not a known proxy's",
                suggestion=publisher and f"doi:{publisher}",
            )
        # The public proxy ignores leading slashes.
        first = tail.start
        while text.startswith("/", first):
            first += 1
        at_doi = tail.host in DOI_HOSTS
        # A reference of its own begins with a scheme or a host's name.
        if not nested and text[first : first + 1] not in _DIGITS:
            inner = self.inner(first, at_doi=at_doi)
            if inner is not None:
                return inner._replace(form=ReferenceForm.PROXY)
        path_end = self.path_end(first)
        # The proxy decodes before it looks for its own pages.
        slash = _SLASH.search(text, first, path_end)
        segment = decode_leniently(text[first : slash.start() if slash else path_end])
        if at_doi:
            if slash is None and _is_short_doi(segment, tail.host):
                handle = Handle("10", segment)
                rest = self.query_and_fragment(path_end)
                return Parts(ReferenceForm.PROXY, handle, None, None, *rest)
            is_page = segment[segment.find("@") + 1 :][:1] not in _DIGITS
        else:
            # A name without a slash is a page, or a prefix's own record.
            is_page = slash is None or segment in OWN_PAGES
        if is_page:
            raise OtherThingError(
                text, (first, path_end), "this is a page of the proxy's own"
            )
        return self.path(ReferenceForm.PROXY, first, path_end)

    def inner(self, first: int, *, at_doi: bool) -> Parts | None:
        """Read a reference of its own behind a proxy's base.

        The public proxy takes ``https://hdl.handle.net/hdl:20.1000/100``; copied
        links come doubled, some of them without the second scheme, which at the
        hosts of doi.org can be nothing else.
        """
        text = self.text
        if _HANDLE_SCHEME.match(text, first, self.end):
            try:
                return self.reference(first, nested=True)
            except OtherThingError as error:
                contained = contained_doi(text[first : self.end])
                if contained is None or not at_doi:
                    raise
                raise HandleSyntaxError(
                    text, error.span, error.reason, suggestion=contained
                ) from None
        return self.schemeless(first) if at_doi else None

    def schemeless(self, start: int) -> Parts | None:
        """Read ``doi.org/10.…``, or another known host before a digit, if it is there."""
        tail = self.proxies.locate_schemeless(self.text, start)
        if tail is None or tail.start >= self.end:
            return None
        wanted = ("10.", "10/") if tail.host in DOI_HOSTS else tuple(_DIGITS)
        if not self.text.startswith(wanted, tail.start):
            return None
        return self.path(ReferenceForm.PROXY, tail.start)

    def bare(self, start: int) -> Handle:
        """Read a handle as it stands."""
        text, end = self.text, self.end
        slash = text.find("/", start, end)
        at = text.find("@", start, max(slash, start))
        if at >= 0 and charset_named(text[start:at]) is not None:
            start = at + 1
        colon = "\uff1a" in text and _FULLWIDTH_COLON.match(text, start, end)
        if colon:
            raise HandleSyntaxError(
                text,
                (colon.end() - 1, colon.end()),
                'U+FF1A only looks like the ":" after a scheme',
                suggestion=f"{colon[1]}:{text[colon.end() : end]}",
            )
        try:
            handle = split_handle(text[start:end])
        except HandleSyntaxError as error:
            span = (error.span[0] + start, error.span[1] + start)
            scheme = _SCHEME.match(text, start, end)
            is_scheme = scheme is not None and not scheme[1].isdecimal()
            if scheme and is_scheme and text[slice(*span)] == ":":
                raise OtherThingError(
                    text,
                    span,
                    f'"{brief(scheme.group())}" is not the scheme of a handle',
                ) from None
            raise HandleSyntaxError(text, span, error.reason) from None
        self.check_host(handle.prefix, start)
        return handle

    def check_host(self, prefix: str, start: int) -> None:
        """Refuse a prefix that is a proxy's host, or looks like one below it."""
        if not prefix[-1].isalpha():
            return
        host = prefix.lower()
        reason, suggestion = "this looks like a URL without its scheme", None
        if host in self.proxies.hosts:
            reason = "without its scheme, a proxy's URL needs a number after its host"
            suggestion = f"https://{self.text[start : self.end]}"
        elif not any(host.endswith(f".{known}") for known in self.proxies.hosts):
            return
        span = (start, start + len(prefix))
        raise OtherThingError(self.text, span, reason, suggestion=suggestion)

    def path(
        self,
        form: ReferenceForm,
        start: int,
        end: int | None = None,
        *,
        doi_only: bool = False,
        colon_is_slash: bool = False,
    ) -> Parts:
        """Read an encoded handle with its query and fragment.

        Octets are decoded first and the handle is split at its first slash after, as
        the public proxy does it: ``%2F`` may be that slash.

        Args:
            form: The form that is being read.
            start: Where the path begins.
            end: Where its query or fragment begins, if the caller knows.
            doi_only: Whether the scheme says that this is a DOI.
            colon_is_slash: Whether a ``:`` before any ``/`` stands for it (URNs).
        """
        text = self.text
        if end is None:
            end = self.path_end(start)
        query = fragment = modifier = None
        if end < self.end:
            query, fragment = self.query_and_fragment(end)
        first, at = start, text.find("@", start, end)
        if at >= 0:
            first, modifier = self.modifier(start, at)
        decoded = decode(text, first, end, modifier, self.charset)
        written = decoded
        if colon_is_slash and ":" in decoded.partition("/")[0]:
            written = decoded.replace(":", "/", 1)
        try:
            handle = split_handle(written)
        except HandleSyntaxError as error:
            reason = error.reason
            path = text[start : self.end]
            suggestion = contained_doi(path) if doi_only else None
            schemes = _SCHEMES.match(text, first, end)
            if schemes is not None:
                reason = "a scheme within a scheme"
                suggestion = text[schemes.start(1) : self.end]
            span = locate(text, first, end, decoded, error.span)
            raise HandleSyntaxError(text, span, reason, suggestion=suggestion) from None
        if doi_only and not handle.is_doi:
            path = text[start : self.end]
            if written != decoded:
                path = path.replace(":", "/", 1)
            is_numeric = _NUMERIC_PREFIX.fullmatch(handle.prefix) is not None
            raise HandleSyntaxError(
                text,
                (first, first + len(handle.prefix)),
                'the prefix of a DOI is "10" or begins with "10."',
                suggestion=contained_doi(path)
                or (f"hdl:{path}" if is_numeric else None),
            )
        return Parts(form, handle, None, None, query, fragment)

    def path_end(self, start: int) -> int:
        """Return where the query or the fragment begins, or the end."""
        found = _QUERY_OR_FRAGMENT.search(self.text, start, self.end)
        return found.start() if found else self.end

    def modifier(self, start: int, at: int) -> tuple[int, str | None]:
        """Return where the handle begins, and the charset that an ``@`` gives it."""
        if _SLASH.search(self.text, start, at) is not None:
            return start, None
        modifier = self.text[start:at]
        if charset_named(modifier) is None:
            raise HandleSyntaxError(
                self.text,
                (start, max(at, start + 1)),
                f'"{brief(modifier)}" before "@" is not the name of a known charset',
            )
        return at + 1, modifier

    def query_and_fragment(self, start: int) -> tuple[str | None, str | None]:
        """Return what follows a path, fit for a URL (RFC 3986, 3.4 and 3.5)."""
        text, end = self.text, self.end
        found = _NOT_IN_URL.search(text, start, end)
        if found is not None:
            kind = character_kind(found.group())
            raise HandleSyntaxError(
                text, found.span(), f"{kind} is not allowed in a URI"
            )
        mark = text.find("#", start, end)
        mark = end if mark < 0 else mark
        query = encode_query(text[start + 1 : mark]) if start < mark else None
        fragment = encode_query(text[mark + 1 : end]) if mark < end else None
        return query, fragment


def _is_short_doi(segment: str, host: str) -> bool:
    """Whether this is the path of ``https://doi.org/cr3qwn``, which is 10/cr3qwn."""
    if _SHORT_DOI.fullmatch(segment) is None or segment in OWN_PAGES:
        return False
    # On the host of the web site a word alone is a page.
    return host != "www.doi.org" or not segment.isalpha()


def _is_ip_literal(host: str) -> bool:
    try:
        if host.startswith("["):
            IPv6Address(host[1:-1])
        else:
            IPv4Address(host)
    except AddressValueError:
        return False
    return True
