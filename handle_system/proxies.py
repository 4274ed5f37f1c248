"""Proxies: the one correct link of a handle, and which URLs are a proxy's.

A proxy is an HTTP server that resolves handles (S. X. Sun,
"Internationalization of the Handle System", CNRI, 1998, section 3.3).  Its *base*
is an ``http`` or ``https`` URL with an optional path, under which each handle has a
link.  Both schemes and both default ports count as one when a URL is read, because
the public proxies answer at either.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from handle_system.encoding import encode_path
from handle_system.forms import WORDS
from handle_system.handle import Handle
from handle_system.text import compiled, fold_ascii

#: Base of the link by prefix; the longest prefix of whole segments wins.
DEFAULT_BASES: Mapping[str, str] = MappingProxyType(
    {"10": "https://doi.org/", "": "https://hdl.handle.net/"}
)

#: Bases that are recognised without being configured.
KNOWN_BASES = (
    "https://hdl.handle.net/",
    "https://doi.org/",
    "https://dx.doi.org/",
    "https://www.doi.org/",
    "https://hdl.loc.gov/",
    "https://resolver.net.au/hdl/",
)

#: Hosts of doi.org.  A handle's prefix there begins with a digit.  Other paths are
#: pages, except one segment of letters and digits, which is a shortDOI.
DOI_HOSTS = frozenset({"doi.org", "dx.doi.org", "www.doi.org"})

#: First path segments that the public proxies keep for their own pages.
OWN_PAGES = frozenset(
    {"api", "doiRA", "ra", "static", "images", "css", "js", "favicon.ico"}
)

_DEFAULT_PORT = "(?::(?:80|443))?"
_BASE = re.compile(
    r"(https?)://((?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::[1-9][0-9]{0,4})?)(/[a-z0-9._~:@/!$&'()*+,;=%-]*)?",
    re.IGNORECASE | re.ASCII,
)


class _Reference(Protocol):
    """The part of a `handle_system.reference.HandleReference` that a link needs."""

    @property
    def handle(self) -> Handle: ...
    @property
    def query_and_fragment(self) -> str: ...


class Tail(NamedTuple):
    """The part of a URL after a known base: its start, and the host before it."""

    start: int
    host: str


class Proxies:
    """Which proxy a handle's link goes to, and which URLs are proxies' links.

    The prefix decides the base, so a handle has one link however it was written:
    plain ``http:``, ``dx.doi.org`` and proxies that no longer answer are modernised.

    Args:
        bases: Base URL by prefix, laid over `DEFAULT_BASES`.  A prefix covers
            those derived from it: ``10`` covers ``10.1045``, and ``""`` all.
        also: Further base URLs that are recognised in links, in the place of
            `KNOWN_BASES`.

    Attributes:
        bases: Base URL by prefix.
        also: The further base URLs.
        hosts: Every known host, with its port unless that is a default one.

    Raises:
        ValueError: if a base is not an http(s) URL, or a key is not a prefix.

    >>> institute = Proxies({"102.100.272": "https://resolver.example.org/hdl"})
    >>> institute.link(Handle("102.100.272", "Y35XYS0QH"))
    'https://resolver.example.org/hdl/102.100.272/Y35XYS0QH'
    """

    def __init__(
        self,
        bases: Mapping[str, str] = DEFAULT_BASES,
        also: Iterable[str] = KNOWN_BASES,
    ) -> None:
        merged = {
            _checked_prefix(prefix): checked_base(base)
            for prefix, base in {**DEFAULT_BASES, **bases}.items()
        }
        self.bases: Mapping[str, str] = merged
        self.also = tuple(map(checked_base, also))
        # The longest first, each with a mark that ends a whole segment.
        self._heads = [
            ((f"{prefix}.", f"{prefix}/"), merged[prefix])
            for prefix in sorted(merged, key=len, reverse=True)
            if prefix
        ]
        known: list[tuple[str, str]] = []
        for base in (*merged.values(), *self.also):
            authority, slash, path = base.partition("//")[2].partition("/")
            known.append((slash + path, _without_default_port(authority)))
        self.hosts = frozenset(host for _, host in known)
        #: One of them stands in each text with a written form or a known host: the words
        #: of the forms, and the hosts whose names hold none of these.
        self.words_and_hosts = (
            *WORDS,
            *(host for host in self.hosts if not any(word in host for word in WORDS)),
        )
        # The longest path first: it says most about what follows. Of equal length, the
        # bases of links come first.
        by_length = sorted(
            dict.fromkeys(known), key=lambda base: len(base[0]), reverse=True
        )
        self._hosts = tuple(host for _, host in by_length)
        one_of_them = "|".join(
            f"({re.escape(host)}){_DEFAULT_PORT}(?-i:{re.escape(path)})"
            for path, host in by_length
        )
        self._schemeless = f"(?ai){one_of_them}"
        self._url = re.compile(f"(?ai)(?:https?:)?//(?:{one_of_them})")
        #: The ends of the names of these hosts, and of those below them.
        self.host_ends = tuple(f".{host}" for host in self.hosts)

    def also_knowing(self, bases: Collection[str]) -> "Proxies":
        """The same proxies, with more base URLs that are recognised in links.

        Raises:
            ValueError: if one is not an http(s) URL.
        """
        return Proxies(self.bases, also=(*self.also, *bases)) if bases else self

    def base_of(self, handle: Handle) -> str:
        """Return the base of the handle's link.

        >>> DEFAULT_PROXIES.base_of(Handle("10.1000", "182"))
        'https://doi.org/'
        """
        for heads, base in self._heads:
            if handle.comparison_key.startswith(heads):
                return base
        return self.bases[""]

    def link(self, reference: _Reference | Handle) -> str:
        """Return the one correct link: base, percent-encoded handle, query, fragment.

        A reference's index and server have no place in it: the proxy decides which
        server it asks.

        >>> DEFAULT_PROXIES.link(Handle("10.1000", "50% <a>"))
        'https://doi.org/10.1000/50%25%20%3Ca%3E'
        """
        if isinstance(reference, Handle):
            handle = reference
            tail = ""
        else:
            handle = reference.handle
            tail = reference.query_and_fragment
        return f"{self.base_of(handle)}{encode_path(str(handle))}{tail}"

    def locate(self, text: str, start: int = 0) -> Tail | None:
        """Return where the handle begins, if a known base's URL begins at `start`.

        ``[scheme:]//host[:port]/path/`` with the host in any letter case; a URL
        with user information is never a proxy's.
        """
        return self._tail(self._url.match(text, start))

    def locate_schemeless(self, text: str, start: int = 0) -> Tail | None:
        """Return where the handle begins, if a known base without scheme does at `start`."""
        return self._tail(compiled(self._schemeless).match(text, start))

    def _tail(self, found: re.Match[str] | None) -> Tail | None:
        if found is None:
            return None
        # Each host has a group, in this order, and one of them takes part.
        assert found.lastindex is not None  # noqa: S101 - for the type checker
        return Tail(found.end(), self._hosts[found.lastindex - 1])


def checked_base(base: str) -> str:
    """Return a proxy's base URL with the slash that ends it.

    Raises:
        ValueError: if it is not an absolute http(s) URL of a host and an
            optional path, without user information, query or fragment.
    """
    if _BASE.fullmatch(base) is None:
        # User information may be a password, which no message shows.
        shown = "a URL with user information" if "@" in base else repr(base)
        raise ValueError(
            f"{shown} is not the base of a proxy: an http or https URL with a host, "
            "an optional port and path, and nothing else"
        )
    return base if base.endswith("/") else f"{base}/"


def _checked_prefix(prefix: str) -> str:
    if prefix:
        Handle(prefix, "x")
    return fold_ascii(prefix)


def _without_default_port(authority: str) -> str:
    return re.sub(f"{_DEFAULT_PORT}$", "", fold_ascii(authority))


#: The default: DOIs at doi.org, the rest at hdl.handle.net.
DEFAULT_PROXIES = Proxies()
