"""A response as octets, read at one look where it is as plain as can be.

Nearly every answer of a proxy server is: some 500 octets that arrive at once, a
status, headers of one line each, and a body whose length was told.  Reading it
with the standard library's response, which can do all that HTTP can, takes
longer than everything else that is done for a handle together.

So what is plain is read here, and for all else `plain_reply` says `None`: an
interim response, chunks, a body that has not arrived yet or ends with the
connection, a connection that is to be closed, a header over two lines, anything
malformed.  Who reads that is the standard library.
"""

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["Reply", "plain_reply"]

# A status that is not an interim one, and at most as many headers as the
# standard library reads.  Tokens, colons and line ends cannot be confused, so
# that there is one way to match.
_HEADER = re.compile(r"\n([!#-'*+.0-9A-Z^_`a-z|~-]+):[ \t]*([^\r\n]*)")
_HEAD = re.compile(
    r"HTTP/1\.1 ([2-5][0-9][0-9])(?: [^\r\n]*)?"
    r"((?:\r\n[!#-'*+.0-9A-Z^_`a-z|~-]+:[^\r\n]*){0,100})"
)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_USUAL = frozenset({200, 404})
# Whatever else they say.
_WITHOUT_BODY = frozenset({204, 304})


class Reply:
    """A response that has been read; what urllib3's pool looks at is there, too.

    Attributes:
        status: The status code.
        headers: The headers by their names in lower case, the first of each.
        body: The body as it was received.
    """

    version = 11
    version_string = "HTTP/1.1"
    length_remaining = 0
    retries: Any = None

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def redirects(self) -> bool:
        """Whether it says where else to ask."""
        return self.status in _REDIRECTS and "location" in self.headers

    @property
    def is_usual(self) -> bool:
        """Whether it looks like an answer of the protocol from a server at ease."""
        media_type = self.headers.get("content-type", "")
        return self.status in _USUAL and media_type.startswith("application/json")


def plain_reply(received: bytes) -> Reply | None:
    r"""The response that these octets are, if they are one, whole and plain.

    >>> plain_reply(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").body
    b'{}'
    """
    head, _, body = received.partition(b"\r\n\r\n")
    found = _HEAD.fullmatch(head.decode("latin-1"))
    if found is None:
        return None
    status = int(found[1])
    headers: dict[str, str] = {}
    for name, text in _HEADER.findall(found[2]):
        headers.setdefault(name.lower(), text.rstrip(" \t"))
    if (
        headers.get("content-length") != str(len(body))
        or "transfer-encoding" in headers
        or headers.get("connection", "keep-alive").lower() != "keep-alive"
        or found[2].lower().count("\ncontent-length") != 1
        or status in _WITHOUT_BODY
    ):
        return None
    return Reply(status, headers, body)
