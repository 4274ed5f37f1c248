"""Errors: position, reason, and display."""

import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from handle_system.errors import (
    HandleSyntaxError,
    OtherThingError,
    columns,
    draw,
    showable,
)
from handle_system.reference import HandleReference
from tests.strategies import any_text, reference_like


def _error(text: str) -> HandleSyntaxError | None:
    try:
        HandleReference.parse(text)
    except HandleSyntaxError as error:
        return error
    return None


def _is_showable(line: str) -> bool:
    """Whether a terminal shows the line unchanged: no hidden or control characters."""
    return all(
        character == " " or unicodedata.category(character)[0] not in "CZ"
        for character in line
    )


@given(st.one_of(any_text, reference_like))
@example("hdl:\x1b[31m@x/y")
@example("hdl:jis@cnri.test/\x1b$B\x1b")
@example("hdl:\ud800@a/b")
@example("hdl:a/%\x1b")
@example("hdl:a/b?\ud800")
@example("hdl:a/b#\u202e\x85")
@example("\u202ehdl:a")
@example("見: hdl/%")
def test_message_of_any_text(text: str) -> None:
    """Every message can be shown on a terminal, with its marks under the span."""
    error = _error(text)
    if error is None:
        return
    start, end = error.span
    assert error.source == text
    assert 0 <= start <= end <= len(text)
    assert error.args[0] == text
    first, source, marks, *rest = str(error).split("\n")
    assert first == error.reason
    assert not error.reason.endswith(".")
    assert all(map(_is_showable, [first, source, marks, *rest]))
    assert str(error).encode()
    assert set(marks.strip()) <= {"~", "^"}
    assert marks.endswith("^")
    wanted = [] if error.suggestion is None else [f"write {showable(error.suggestion)}"]
    assert rest == wanted


@given(any_text, st.data())
def test_marks_are_aligned(text: str, data: st.DataObject) -> None:
    """The marks have the column and width of the span."""
    assume("::" not in text and "##" not in text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    line, marks = draw(text, (start, end), indent="")
    before, marked, after = map(showable, (text[:start], text[start:end], text[end:]))
    assert line == before + marked + after
    assert marks == " " * columns(before) + "~" * (columns(marked) - 1) + "^"


@pytest.mark.parametrize(
    ("text", "span", "drawn"),
    [
        ("10.1000/50%-off", (10, 11), "10.1000/50%-off\n          ^"),
        ("a/日本%", (4, 5), "a/日本%\n      ^"),
        ("日本/%", (0, 2), "日本/%\n~~~^"),
        ("cafe\u0301/%", (6, 7), "cafe\u0301/%\n     ^"),
        ("a\u200bb", (1, 2), "a\\u200bb\n ~~~~~^"),
        ("a\x00b", (2, 3), "a\\x00b\n     ^"),
        ("\U000e0001b", (0, 1), "\\U000e0001b\n~~~~~~~~~^"),
        ("ab", (2, 2), "ab\n  ^"),
        ("", (0, 0), "\n^"),
        ("a\nb", (2, 3), "a\\nb\n   ^"),
        ("::stop::", (1, 2), "\\x3a:stop::\n    ^"),
        ("👩\u200d🔬x", (3, 4), "👩\\u200d🔬x\n          ^"),
    ],
)
def test_drawing(text: str, span: tuple[int, int], drawn: str) -> None:
    """Wide characters take two columns, combining ones none, hidden ones an escape."""
    assert "\n".join(draw(text, span, indent="")) == drawn


def test_drawing_of_long_text() -> None:
    """Of long text, sixty characters on each side of the span are shown."""
    text = "x" * 1000 + "!" + "y" * 1000
    line, marks = draw(text, (1000, 1001), indent="")
    assert line == "…" + "x" * 60 + "!" + "y" * 60 + "…"
    assert marks == " " * 61 + "^"


_MANY = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "x" * _MANY,
        "hdl:" + "x" * _MANY + "@a/b",
        "x" * _MANY + ":/b",
        "hdl:a/%" + "b" * _MANY,
        "hdl:a/" + "%" * _MANY,
        "hdl:a/" + "%FF" * _MANY,
        "hdl:jis@a/" + "%1B$B" * _MANY,
        "hdl:hdl:" + "b" * _MANY + "/c",
        "doi:" + "b" * _MANY + "/c",
        "info:" + "b" * _MANY,
        "https://example.org/" + "b" * _MANY,
        "1" * _MANY + ":a/b",
        "\u200b" * _MANY + "x",
        "doi.org/" + "b" * _MANY,
        "a:" + "\x1b" * _MANY,
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_message_stays_a_message(text: str) -> None:
    """An error about a text of any length is shorter than a page."""
    error = _error(text)
    assert error is not None
    assert len(str(error)) < 2_000


@given(any_text)
@example("a\u2028b\u2029c\xadd\xa0e\u3000")
def test_showable(text: str) -> None:
    """Text becomes showable without loss of visible text, and stays so."""
    shown = showable(text)
    assert _is_showable(shown)
    assert showable(shown) == shown
    is_plain = text.isascii() and text.isprintable()
    if is_plain and "::" not in text and "##" not in text:
        assert shown == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::stop-commands::x.md", r"\x3a:stop-commands::x.md"),
        ("  ::add-mask::a", r"  \x3a:add-mask::a"),
        ("a/##[add-mask]b", r"a/\x23#[add-mask]b"),
        ("###[a]##vso[task.setvariable]", r"#\x23#[a]\x23#vso[task.setvariable]"),
        ("##vso[task.setvariable]", r"\x23#vso[task.setvariable]"),
        (":: a b ::c:: a## [b]", ":: a b ::c:: a## [b]"),
    ],
)
def test_no_text_is_a_command_of_a_build_service(text: str, shown: str) -> None:
    """A build service obeys no command that a text holds."""
    assert showable(text) == shown


def test_within() -> None:
    """An error about a part becomes one about the whole, in the same words."""
    inner = OtherThingError("a/%", (2, 3), "a lone %", suggestion="a/%25")
    outer = inner.within("x a/%", 2)
    assert type(outer) is OtherThingError
    assert outer.span == (4, 5)
    assert str(outer) == "a lone %\n    x a/%\n        ^\nwrite x a/%25"
    # A suggestion that becomes too long to paste is dropped.
    assert inner.within("x" * 500 + "a/%", 500).suggestion is None


@given(reference_like)
@example("urn:doi:20.1:x")
@example("hdl:hdl:hdl:1/2")
@example("hdl:" * 50 + "1/2")
@example("doi:doi:10.1000/182")
@example("https://doi.org/hdl:10.1/%zz")
@example("hdl:10.1000/%%41")
@example("doi:20.1000/100")
@example("info:doi/20.1000/100?a#b")
@example("doi.org/d8dn")
@example("doi：10.1000/182")
@example("doi：20.1000/%")
@example("hdl:a\x00/b%")
def test_suggestion_is_a_reference(text: str) -> None:
    """Every suggestion parses as a reference."""
    error = _error(text)
    if error is not None and error.suggestion is not None:
        assert error.suggestion != error.source
        HandleReference.parse(error.suggestion)


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("urn:doi:20.1:x", "hdl:20.1/x"),
        ("urn:doi:20.1/x:y", "hdl:20.1/x:y"),
        ("doi:20.1000/100", "hdl:20.1000/100"),
        ("doi:jis@20.1000/%1B$B%46%7C%1B(B", "hdl:jis@20.1000/%1B$B%46%7C%1B(B"),
        ("doi:dx.doi.org/10.1000/182", "doi:10.1000/182"),
        ("info:doi/20.1000/100?a#b", "hdl:20.1000/100?a#b"),
        ("hdl:hdl:hdl:20.1000/100", "hdl:20.1000/100"),
        ("hdl:doi: 10.1000/182", "doi: 10.1000/182"),
        ("hdl:hdl:doi:10.1000/1", "doi:10.1000/1"),
        ("doi:https://doi.org/10.1000/182", "https://doi.org/10.1000/182"),
        ("hdl:urn:hdl:20.1000:1", "urn:hdl:20.1000:1"),
        # A suggestion that would need another one is dropped.
        ("hdl:hdl:20.1000/50%", None),
        ("doi:doi:20.1000/50%", None),
        (" hdl:20.1000/50%-off ", " hdl:20.1000/50%25-off "),
        ("https://doi.org/hdl:10.1000/%zz", "https://doi.org/hdl:10.1000/%25zz"),
        ("https://doi.org/10.1000/50%", "https://doi.org/10.1000/50%25"),
        ("doi：10.1000/182", "doi:10.1000/182"),
        ("https：//doi.org/10.1000/182", "https://doi.org/10.1000/182"),
        ("doi.org/d8dn", "https://doi.org/d8dn"),
        # The DOI that the text visibly contains.
        ("doi:0.1093/nar/gkp987", "doi:10.1093/nar/gkp987"),
        ("doi:.1093/nar/gkp987", "doi:10.1093/nar/gkp987"),
        ("doi:10-1098/rspl.1895.0041", "doi:10.1098/rspl.1895.0041"),
        ("doi:16/0024-3795(91)90181-S", "doi:10.1016/0024-3795(91)90181-S"),
        ("doi:dpgkg3", None),
        ("doi:doi.acm.org/10.1145/1294928", "doi:10.1145/1294928"),
        ("http://doi.acm.org/10.1145/1294928", "doi:10.1145/1294928"),
        (
            "https://onlinelibrary.wiley.com/doi/10.1002/qj.49/abstract",
            "doi:10.1002/qj.49",
        ),
        ("https://arc.aiaa.org/doi/10.2514/1.J05", "doi:10.2514/1.J05"),
        ("https://doi.org/http://doi.acm.org/10.1145/1", "doi:10.1145/1"),
        # No correction is certain.
        ("doi:a/b", None),
        ("doi:word", None),
        ("doi:0.NA/10.1000", None),
        ("doi:[10.1000/1](x", None),
        ("doi:10.1000;doi:10.1000/2", None),
        ("https://user@doi.example/10.1000/1", None),
        ("https://example.org/10.1000/1", None),
        ("https://doi.org/http://example.org/x", None),
        # A further fault that no rule corrects.
        ("hdl:hdl:", None),
        ("hdl:hdl:20.1000", None),
        ("hdl:a\x00/b%", None),
        ("doi:%/", None),
        ("doi.org/the-identifier/resources", None),
        # Too long to paste.
        ("hdl:20.1000/50%" + "x" * 500, None),
        ("hdl:" * 100 + "20.1000/1", "hdl:20.1000/1"),
        # The first colon of a URN stands for the slash.
        ("urn:doi:20.5:3", "hdl:20.5/3"),
        ("urn:doi:20.5/3:1", "hdl:20.5/3:1"),
        ("urn:doi:20.5:3:1", "hdl:20.5/3:1"),
        ("hdl:" * 1000 + "20.1000/1", None),
    ],
)
def test_suggestion(text: str, suggestion: str | None) -> None:
    """The probable intention is suggested, if it is valid."""
    error = _error(text)
    assert error is not None
    assert error.suggestion == suggestion
