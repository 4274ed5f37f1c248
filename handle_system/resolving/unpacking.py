"""The body of an answer: its size and its compression, both capped.

No compression is asked for.  What comes compressed all the same, from a cache
between here and the server, is unpacked up to the cap and not an octet further:
a few kilobytes can be made to hold gigabytes.
"""

import zlib

from handle_system.errors import showable

__all__ = ["LARGEST_BODY", "BodyError", "unpacked"]

# The reference server's own limit for one message is 262,144 octets, before
# base64 (4/3) and the escapes of JSON (up to 6); beyond this is no record.
LARGEST_BODY = 2 * 1024 * 1024

_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


class BodyError(Exception):
    """The body of an answer is not to be read, and why."""

    @classmethod
    def too_large(cls) -> "BodyError":
        """The body exceeds `LARGEST_BODY`."""
        return cls(f"the answer is larger than {LARGEST_BODY:,} octets")


def unpacked(body: bytes, coding: str) -> bytes:
    """The body without the compression that ``Content-Encoding`` names.

    Raises:
        BodyError: when it is too large, or not compressed as it says.
    """
    coding = coding.strip().lower()
    if coding in {"", "identity"}:
        return body
    if coding not in {"gzip", "x-gzip", "deflate"}:
        raise BodyError(f"the answer is encoded as {showable(coding[:40])}")
    unpacker = zlib.decompressobj(_GZIP_OR_ZLIB)
    try:
        content = unpacker.decompress(body, LARGEST_BODY + 1)
    except zlib.error as error:
        raise BodyError("the answer is not compressed as it says") from error
    if len(content) > LARGEST_BODY:
        raise BodyError.too_large()
    return content
