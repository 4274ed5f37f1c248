"""The text of a block, and where in its source it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it.common.utils import unescapeAll

from mdit_handle.source import CodeSpans, Syntax, decode_entities, read_source

NUL = "\0"


def _read(source: str, syntax: Syntax | None = None) -> str:
    return read_source(source, CodeSpans(source), syntax or Syntax()).text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a\\_b\\\\c\\d", "a_b\\c\\d"),
        ("a&amp;b&#x26;&#38;&nosuch;&", "a&b&&&nosuch;&"),
        ("&NotEqualTilde;", "\u2242\u0338"),
        ("a\\\nb", f"a{NUL}{NUL}b"),
        ("a `b\\`c", f"a {NUL * 4}c"),
        ("a \\`b`c", "a `b`c"),
        ("`` a`b ``c`", f"{NUL * 9}c`"),
        ("```a``", "```a``"),
        ("&amp", "&amp"),
        ("a\\", "a\\"),
    ],
)
def test_text(source: str, text: str) -> None:
    """Escapes and entities are decoded, code is blanked out, the rest is as it was."""
    assert _read(source) == text


@pytest.mark.parametrize(
    ("syntax", "text"),
    [
        (Syntax(escapes=False), "\\_&`a`".replace("`a`", NUL * 3)),
        (Syntax(entities=False), "_&amp;" + NUL * 3),
        (Syntax(code=False), "_&`a`"),
    ],
)
def test_what_is_switched_off_is_text(syntax: Syntax, text: str) -> None:
    """A parser without a rule takes for text what that rule reads."""
    assert _read("\\_&amp;`a`", syntax) == text


def test_entities_alone() -> None:
    """Where escapes are none, entities are decoded all the same."""
    assert decode_entities("a\\_b&amp;&nosuch;&#97;") == "a\\_b&&nosuch;a"


pieces = st.sampled_from(
    (
        "\\",
        "\\_",
        "\\\n",
        "&amp;",
        "&#9;",
        "&",
        ";",
        "`",
        "``",
        "a",
        "bc",
        "\n",
        "é",
        "日",
    )
)
sources = st.lists(pieces).map("".join)


@given(source=sources)
def test_every_position_is_where_it_was(source: str) -> None:
    """Positions of the text rise with those of the source, from end to end."""
    read = read_source(source, CodeSpans(source), Syntax())
    offsets = [read.offset(position) for position in range(len(read.text) + 1)]

    assert offsets == sorted(offsets)
    assert offsets[-1] == len(source)
    for position, character in enumerate(read.text):
        if character.isalpha():
            assert source[offsets[position]] == character


@given(source=sources.filter(lambda source: "`" not in source and "\\\n" not in source))
def test_text_is_what_markdown_makes_of_it(source: str) -> None:
    """Without code, the text is what markdown-it's own decoder makes of the source."""
    assert _read(source) == unescapeAll(source)


def test_time_is_linear_in_backticks() -> None:
    """Runs of backticks that nothing closes do not make a search of the whole each."""
    source = " ".join("`" * (1 + index % 97) for index in range(20_000))

    assert len(_read(source)) == len(source)
