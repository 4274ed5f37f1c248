"""Addresses of handle servers, as a setting writes them."""

from pathlib import Path
from typing import Final, NamedTuple, Self
from urllib.parse import parse_qsl, urlsplit

__all__ = ["SCHEME", "NativeAddress"]

SCHEME: Final = "hdl:"
# The port of the Handle System (RFC 3652, section 2.3).
_PORT: Final = 2641
_ROOTS: Final = "~/.handle/bootstrap_handles"


class NativeAddress(NamedTuple):
    """Who is asked over the Handle System's own protocol.

    ::

        hdl://server[:port][?transport=udp]    this server, whatever the prefix
        hdl:[?roots=FILE]                      the responsible server, from the roots down

    Attributes:
        host: The server; `None` for the roots.
        port: Its port, 2641 by default.
        protocol: ``TCP`` or ``UDP``.
        roots: The file of the roots.
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
            port = parts.port or _PORT
        except ValueError:
            parts, port = urlsplit(""), 0
        options = dict(parse_qsl(parts.query))
        protocol = options.pop("transport", "tcp").upper()
        roots = Path(options.pop("roots", "") or _ROOTS)
        is_malformed = parts.path.strip("/") or parts.username or options
        if parts.scheme != "hdl" or is_malformed or protocol not in {"TCP", "UDP"}:
            raise ValueError(
                f"{address!r} is not an address of handle servers: "
                "hdl://server[:port][?transport=udp] or hdl:[?roots=FILE]"
            )
        return cls(parts.hostname, port, protocol, roots)
