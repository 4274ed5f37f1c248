"""Whether the text of a URL value is an address that a reader can be sent to."""

import re
from urllib.parse import urlsplit

__all__ = ["absolute_url"]

# Controls would be removed or obeyed by what reads the address next.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ABSOLUTE = re.compile(r"(?:https?|ftp)://[^/?#\\\s]", re.IGNORECASE)


def absolute_url(text: str) -> str | None:
    """The address, if it is an absolute http, https or ftp one; else `None`.

    White space around it is removed, as every reader of a ``Location`` header
    does; within, it is left as registered.

    >>> absolute_url(" https://example.org/a b "), absolute_url("www.example.org")
    ('https://example.org/a b', None)
    """
    stripped = text.strip(" \t\r\n")
    if _CONTROL.search(stripped) or not _ABSOLUTE.match(stripped):
        return None
    try:
        host = urlsplit(stripped).hostname
    except ValueError:  # An IPv6 address without its closing bracket.
        return None
    return stripped if host else None
