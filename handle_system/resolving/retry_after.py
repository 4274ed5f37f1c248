"""The ``Retry-After`` header: when a server wants to be asked again."""

from datetime import UTC, datetime

__all__ = ["retry_after_seconds"]

# More digits than any wait has that somebody would sit through.
_MOST_DIGITS = 9


def retry_after_seconds(text: str, now: datetime) -> float | None:
    """How long to wait, or `None` if the text says nothing.

    ``delay-seconds`` or an HTTP date (RFC 9110, section 10.2.3); a date that
    has passed means now.

    >>> moment = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
    >>> retry_after_seconds("7", moment)
    7.0
    >>> retry_after_seconds("Fri, 20 Nov 2026 12:00:30 GMT", moment)
    30.0
    """
    text = text.strip()
    if text.isascii() and text.isdecimal():
        return float(text[:_MOST_DIGITS]) if len(text) > _MOST_DIGITS else float(text)
    # Loaded only where a server sends a date.
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 (see above)

    try:
        moment = parsedate_to_datetime(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return max((moment - now).total_seconds(), 0.0)
    except (ValueError, OverflowError):
        return None
