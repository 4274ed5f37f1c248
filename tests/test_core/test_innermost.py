"""`handle_system.resolving.innermost`: what went wrong at bottom."""

import pytest

from handle_system.resolving.innermost import innermost


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("why"), "why"),
        (ValueError(), "ValueError"),
        (OSError(111, "Connection refused"), "Connection refused"),
        (ValueError("outer", ValueError("middle", OSError("inner"))), "inner"),
        (ValueError("\x1b[2J"), "\\x1b[2J"),
        (ValueError("x" * 1000), "x" * 200),
    ],
)
def test_the_bottom_of_what_was_handed_on_is_said(error: Exception, said: str) -> None:
    """Held as an argument; shown without what a terminal obeys; cut."""
    assert innermost(error) == said


def test_the_bottom_of_what_was_raised_from_another_is_said() -> None:
    """As a cause, and as a context."""
    outer, middle, inner = ValueError("outer"), KeyError("middle"), OSError("inner")
    outer.__cause__, middle.__context__ = middle, inner

    assert innermost(outer) == "inner"


def test_errors_that_hold_each_other_have_a_bottom_all_the_same() -> None:
    """Wherever in the circle that is."""
    one = ValueError("one")
    other = ValueError("other", one)
    one.args = ("one", other)

    assert "one" in innermost(one)
