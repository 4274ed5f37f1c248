"""Which URLs are a proxy's: the bases under which handles are resolved.

Only the part of a URL before the handle is read here.  A base is an ``http`` or
``https`` URL with an optional path; both schemes and their default ports count
as one, because that is how the public proxies answer.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from handle_system.text import fold_ascii

__all__ = [
    "DOI_HOSTS",
    "LONGEST_AUTHORITY",
    "OWN_PAGES",
    "ProxyBases",
    "Tail",
    "checked_base",
]

#: Hosts of doi.org. A handle's prefix there begins with a digit; the rest are
#: pages, but for one segment of letters and digits, which is a shortDOI.
DOI_HOSTS = frozenset({"doi.org", "dx.doi.org", "www.doi.org"})

#: First path segments that the public proxies keep for their own pages.
OWN_PAGES = frozenset(
    {"api", "doiRA", "ra", "static", "images", "css", "js", "favicon.ico"}
)

#: Of a host's name 255 octets (RFC 1035), and a port.
LONGEST_AUTHORITY = 262

_URL = re.compile(
    rf"(?:(https?):)?//([^/?#\\@\s]{{0,{LONGEST_AUTHORITY}}})",
    re.IGNORECASE | re.ASCII,
)
_BASE = re.compile(
    r"(https?)://((?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::[0-9]+)?)(/[a-z0-9._~:@/!$&'()*+,;=%-]*)?",
    re.IGNORECASE | re.ASCII,
)
_DEFAULT_PORTS = (":443", ":80")
_PORT_OF_SCHEME = {"http": ":80", "https": ":443"}


@dataclass(frozen=True, slots=True)
class Tail:
    """What follows a known base in a URL: where it starts, and at which host."""

    start: int
    host: str

    @property
    def is_doi_host(self) -> bool:
        """Whether the host is one of doi.org's."""
        return self.host in DOI_HOSTS


def checked_base(base: str) -> str:
    """A proxy's base URL with the slash that ends it.

    Raises:
        ValueError: when it is not an absolute http(s) URL of a host and an
            optional path, without user information, query or fragment.
    """
    if _BASE.fullmatch(base) is None or not _has_a_port_of_16_bits(base):
        raise ValueError(
            f"{base!r} is not the base of a proxy: an http or https URL with a host, "
            "an optional port and path, and nothing else"
        )
    return base if base.endswith("/") else f"{base}/"


def _has_a_port_of_16_bits(base: str) -> bool:
    """Whether the port that a base names, if any, is a number that there is."""
    try:
        return urlsplit(base).port != 0
    except ValueError:
        return False


class ProxyBases:
    """A set of base URLs, and the one question asked of it: `locate`."""

    __slots__ = ("_authorities", "_paths", "root_hosts", "telling")

    def __init__(self, bases: Iterable[str]) -> None:
        paths: dict[str, list[str]] = {}
        for base in bases:
            found = _BASE.fullmatch(checked_base(base))
            if found is None:  # pragma: no cover - checked_base has raised
                continue
            scheme, authority, path = found.groups()
            host = _host(authority, scheme.lower())
            if path not in paths.setdefault(host, []):
                paths[host].append(path)
        self._paths = {
            host: tuple(sorted(known, key=len, reverse=True))
            for host, known in paths.items()
        }
        #: Hosts whose whole path is the handle: the common case, asked for fast.
        self.root_hosts = frozenset(
            host for host, known in self._paths.items() if known == ("/",)
        )
        hosts = {*self._paths, "doi.org", "hdl.handle.net"}
        # Most end in another's name.
        endings = {*hosts, *_DEFAULT_PORTS}
        shortest = sorted(
            ending
            for ending in endings
            if not any(ending.endswith(f".{other}") for other in endings)
        )
        #: Finds the slash behind every host that may begin a reference, with a scheme
        #: or without.  The last character is asked for by itself, for most have none.
        self.telling = re.compile(
            "/(?ai:(?<=["
            + re.escape("".join(sorted({ending[-1] for ending in shortest})))
            + "]/)(?:"
            + "|".join(f"(?<={re.escape(ending)}/)" for ending in shortest)
            + "))"
        )
        self._authorities = frozenset(
            f"{host}{port}" for host in self._paths for port in ("", *_DEFAULT_PORTS)
        )

    def may_begin(self, text: str, authority: int) -> bool:
        """Whether the host that begins at `authority` is a known one.

        A cheap test before `locate`, for texts full of other URLs.
        """
        end = text.find("/", authority, authority + LONGEST_AUTHORITY)
        return end > 0 and fold_ascii(text[authority:end]) in self._authorities

    def locate(self, text: str, start: int = 0) -> Tail | None:
        """Where the handle begins, if a known base's URL begins at `start`.

        ``[scheme:]//host[:port]/path/`` with the host in any letter case; a URL
        with user information is nobody's.
        """
        found = _URL.match(text, start)
        if found is None or text[found.end() : found.end() + 1] != "/":
            return None
        host = _host(found[2], (found[1] or "https").lower())
        return self._tail(text, host, found.end())

    def locate_schemeless(self, text: str, start: int = 0) -> Tail | None:
        """Where the handle begins, if a known base begins at `start` with its host."""
        slash = text.find("/", start, start + LONGEST_AUTHORITY)
        if slash < 0:
            return None
        return self._tail(text, fold_ascii(text[start:slash]), slash)

    def knows_domain_of(self, name: str) -> bool:
        """Whether the name is a known host, or a host below one."""
        name = fold_ascii(name)
        return any(name == host or name.endswith(f".{host}") for host in self._paths)

    def knows_host(self, name: str) -> bool:
        """Whether the name, in any letter case, is a known host."""
        return fold_ascii(name) in self._paths

    def _tail(self, text: str, host: str, path: int) -> Tail | None:
        for known in self._paths.get(host, ()):
            if text.startswith(known, path):
                return Tail(path + len(known), host)
        return None


def _host(authority: str, scheme: str) -> str:
    host = fold_ascii(authority)
    port = _PORT_OF_SCHEME[scheme]
    return host.removesuffix(port) if host.endswith(_DEFAULT_PORTS) else host
