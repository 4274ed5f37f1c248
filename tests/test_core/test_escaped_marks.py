"""Marks of emphasis that were escaped, beside those of references."""

import pytest

from handle_system.escaped_marks import find_references_beside_escapes

# What was escaped, with its backslash.
TEXTS = [
    (r"*\* see doi:10.1/x*", "doi:10.1/x"),
    (r"**\* see doi:10.1/x**", "doi:10.1/x"),
    (r"*~~\* doi:10.1/x~~*", "doi:10.1/x"),
    # A pair that is shown, and what is the reference's own.
    (r"\*doi:10.1/x\*", "doi:10.1/x"),
    (r"\* doi:10.1/x*", "doi:10.1/x*"),
    (r"\* doi:10.1/a\_b\_", "doi:10.1/a_b_"),
    (r"*see doi:10.1/x\**", "doi:10.1/x*"),
    (r"**see doi:10.1/\*x\***", "doi:10.1/*x*"),
    (r"**see doi:10.1/x.\***", "doi:10.1/x"),
    (r"**see doi:10.1/x** \*", "doi:10.1/x"),
    ("*see doi:10.1/x*", "doi:10.1/x"),
]


@pytest.mark.parametrize(("source", "written"), TEXTS)
def test_escaped_marks(source: str, written: str) -> None:
    """An escaped mark opens nothing that a mark behind a reference could close."""
    text, *others = source.split("\\")
    escaped = []
    for other in others:
        escaped.append(len(text))
        text += other
    (found,) = find_references_beside_escapes(text, escaped)

    assert text[found.start : found.end] == written
    assert str(found.reference.handle) == written.removeprefix("doi:")


def test_one_beside_another() -> None:
    """An escaped mark behind one reference opens nothing for the next."""
    text = "_doi:10.1/a__ ***doi:10.1/b_***"
    found = find_references_beside_escapes(text, [text.index(" ") - 1])

    assert [text[one.start : one.end] for one in found] == ["doi:10.1/a", "doi:10.1/b_"]
