"""From a handle to its outcome: records, resolvers, the cache, and the wire.

The names here load no HTTP client, so that settings can be checked without one.
"""

from pathlib import Path
from typing import Final, NamedTuple, Self
from urllib.parse import parse_qsl, urlsplit

from handle_system.proxies import checked_base

__all__ = [
    "DEFAULT_RESOLVER",
    "DEFAULT_TIMEOUT",
    "LONGEST_TIMEOUT",
    "MOST_CONNECTIONS",
    "NATIVE_SCHEME",
    "NativeAddress",
    "checked_address",
    "is_address",
]

#: The resolver without configuration.  It answers for every handle, also for DOIs.
DEFAULT_RESOLVER = "https://hdl.handle.net/"
#: Seconds for one request.
DEFAULT_TIMEOUT = 10.0
LONGEST_TIMEOUT = 600.0
#: More connections gain nothing, and look like an attack.
MOST_CONNECTIONS = 256
#: Of addresses for the Handle System's own protocol.
NATIVE_SCHEME: Final = "hdl:"


def is_address(text: str) -> bool:
    """Whether a resolver or a cache is named by a URL; any other text is a path.

    The drive of a Windows path is a "scheme" of one letter.

    >>> is_address("https://hdl.handle.net/"), is_address("C:/records.json")
    (True, False)
    """
    return len(urlsplit(text).scheme) > 1


def checked_address(address: str) -> str:
    """The address of a resolver, as a cache knows it.

    Raises:
        ValueError: when it is neither a proxy's base nor an ``hdl:`` address.
    """
    if address.startswith(NATIVE_SCHEME):
        NativeAddress.parse(address)
        return address
    return checked_base(address)


class NativeAddress(NamedTuple):
    """An ``hdl:`` address of a setting: who is asked over the Handle System's own protocol.

    ::

        hdl://server[:port][?transport=udp]    this server, whatever the prefix
        hdl:[?roots=FILE]                      the responsible server, from the roots down

    Attributes:
        host: The server; `None` for the roots.
        port: Its port, 2641 by default (RFC 3652, section 2.3).
        protocol: ``TCP`` or ``UDP``.
        roots: The file of the roots, by default the one that the Handle System's own
            software keeps up to date.
    """

    host: str | None
    port: int
    protocol: str
    roots: Path

    @classmethod
    def parse(cls, address: str) -> Self:
        """Read an address.

        Raises:
            ValueError: when it is none.
        """
        try:
            parts = urlsplit(address)
            port = parts.port or 2641
        except ValueError:
            parts, port = urlsplit(""), 0
        options = dict(parse_qsl(parts.query))
        protocol = options.pop("transport", "tcp").upper()
        roots = Path(options.pop("roots", "") or "~/.handle/bootstrap_handles")
        is_malformed = parts.path.strip("/") or parts.username or options
        if parts.scheme != "hdl" or is_malformed or protocol not in {"TCP", "UDP"}:
            raise ValueError(
                f"{address!r} is not an address of handle servers: "
                "hdl://server[:port][?transport=udp] or hdl:[?roots=FILE]"
            )
        return cls(parts.hostname, port, protocol, roots)
