"""From a handle to its outcome: records, resolvers, the cache, and the wire.

The names here load no HTTP client, so that settings can be checked without one.
"""

from urllib.parse import urlsplit

__all__ = [
    "DEFAULT_RESOLVER",
    "DEFAULT_TIMEOUT",
    "LONGEST_TIMEOUT",
    "MOST_CONNECTIONS",
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
