"""`handle_system.resolving.retry_after`: when a server wants to be asked again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.resolving.retry_after import retry_after_seconds
from tests.fake_clock import START


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("9" * 400, 999999999.0),
        ("Fri, 20 Nov 2026 12:01:00 GMT", 60.0),
        ("Friday, 20-Nov-26 12:01:00 GMT", 60.0),
        ("Fri, 20 Nov 2026 12:01:00 -0000", 60.0),
        ("Fri, 20 Nov 2026 11:00:00 GMT", 0.0),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("٣", None),
        ("Fri, 99 Nov 2026 12:00:00 GMT", None),
    ],
)
def test_seconds_and_dates_are_read(text: str, seconds: float | None) -> None:
    """Both forms of RFC 9110; what has passed means now, nonsense means nothing."""
    assert retry_after_seconds(text, START) == seconds


@given(text=st.text(max_size=60))
def test_no_header_is_too_odd(text: str) -> None:
    """Whatever a server sends, it is a wait or nothing."""
    seconds = retry_after_seconds(text, START)

    assert seconds is None or seconds >= 0.0
