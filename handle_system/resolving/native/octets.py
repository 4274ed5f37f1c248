"""Numbers and strings as octets: big-endian, strings after their length (RFC 3652, 2).

Every length is checked before it is used, so a hostile message costs no more than its
own octets.
"""

import struct
from typing import Any, Final

__all__ = ["MAX_MESSAGE", "MessageError", "OctetReader", "string", "u32"]

#: The largest message that the reference server sends or takes, in octets.
MAX_MESSAGE: Final = 262_144


class MessageError(ValueError):
    """The octets are not a message of the protocol, or not a whole one."""


def u32(number: int) -> bytes:
    """Write a number in four octets."""
    return struct.pack(">I", number)


def string(content: bytes | str) -> bytes:
    """Write a string: its length in four octets, then the octets; text is UTF-8."""
    octets = content.encode() if isinstance(content, str) else content
    return u32(len(octets)) + octets


class OctetReader:
    """Reads octets from front to back.

    Every method raises `MessageError` when fewer octets are left than it needs.
    """

    def __init__(self, octets: bytes) -> None:
        self._octets = octets
        self._position = 0

    @property
    def left(self) -> int:
        """How many octets are not read yet."""
        return len(self._octets) - self._position

    def take(self, count: int) -> bytes:
        """The next `count` octets."""
        if count > self.left:
            raise MessageError(f"{count} octets announced, and {self.left} are left")
        start = self._position
        self._position += count
        return self._octets[start : self._position]

    def numbers(self, layout: struct.Struct) -> tuple[Any, ...]:
        """The numbers of a fixed layout."""
        return layout.unpack(self.take(layout.size))

    def u32(self) -> int:
        """A number of four octets."""
        return int.from_bytes(self.take(4), "big")

    def string(self) -> bytes:
        """A string: its length in four octets, then the octets."""
        return self.take(self.u32())

    def text(self) -> str:
        """A string of UTF-8."""
        try:
            return self.string().decode()
        except UnicodeDecodeError as error:
            raise MessageError("a text is not UTF-8") from error

    def count(self, smallest: int) -> range:
        """A number of elements, each of at least `smallest` octets, to iterate over."""
        number = self.u32()
        if number * smallest > self.left:
            raise MessageError(f"{number} elements announced in {self.left} octets")
        return range(number)

    def finish(self) -> None:
        """Make sure that nothing is left."""
        if self.left:
            raise MessageError(f"{self.left} octets too many")
