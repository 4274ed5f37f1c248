"""What an HTTP request came to, before anybody reads it."""

from dataclasses import dataclass

__all__ = ["Answer", "NoAnswer"]

# Too many requests, no capacity: the whole server wants less from everybody.
BUSY = frozenset({429, 503})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back.

    Attributes:
        status: The HTTP status code.
        content_type: The text of ``Content-Type``; empty if there was none.
        body: The whole body, decompressed.
        retry_after: The text of ``Retry-After``, if it was sent.
    """

    status: int
    content_type: str
    body: bytes
    retry_after: str | None = None

    @property
    def is_busy(self) -> bool:
        """Whether the server asks everybody for less."""
        return self.status in BUSY


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why nothing came back.

    Attributes:
        reason: In a few words, without a full stop.
        again: Whether the same request may go better a moment later.
    """

    reason: str
    again: bool
