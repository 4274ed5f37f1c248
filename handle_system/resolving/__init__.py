"""From a handle to its outcome: records, resolvers, the cache, and the wire.

The names here load no HTTP client, so that settings can be checked without one.
"""

from urllib.parse import urlsplit

from handle_system.proxies import checked_base
from handle_system.resolving.native.addresses import SCHEME, NativeAddress

__all__ = [
    "DEFAULT_RESOLVER",
    "DEFAULT_TIMEOUT",
    "LONGEST_TIMEOUT",
    "MOST_CONNECTIONS",
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


def is_address(text: str) -> bool:
    """Whether a resolver or a cache is named by a URL; any other text is a path.

    The drive of a Windows path is a "scheme" of one letter.
    """
    return len(urlsplit(text).scheme) > 1


def checked_address(address: str) -> str:
    """The address of a resolver, as a cache knows it.

    Raises:
        ValueError: when it is neither a proxy's base nor an ``hdl:`` address.
    """
    if address.startswith(SCHEME):
        NativeAddress.parse(address)
        return address
    return checked_base(address)
