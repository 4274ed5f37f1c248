"""Text that goes on until a rule can begin: what comes out is what came before."""

import re
from collections.abc import Callable
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline

from mdit_handle import handle_plugin
from mdit_handle.terminators import terminators_of

pytestmark = pytest.mark.skipif(
    not hasattr(ParserInline(), "terminator_re"),
    reason="before markdown-it-py 4.1 what text ends at could not be told",
)

PRESETS = ("commonmark", "gfm-like", "js-default")
_SPECIAL = "\n!#$%&*+-:<=>@[\\]^_`{}~"

#: All that markdown-it ends text at, and what its rules make of it.
PIECES = (
    *_SPECIAL,
    *("](", "[a]", "![", "<b>", "<a:b>", "&amp;", "\\:", "  \n", "``", "**", "~~"),
    *("https://example.org/a", "www.example.org", "mailto:a@b.org", "a", " ", "1"),
    *("hdl:20.1000/1", "<doi:10.1000/a-b>", "{hdl}`20.1000/2`"),
)
documents = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def _parser(preset: str) -> MarkdownIt:
    return MarkdownIt(preset, {"typographer": True}).use(handle_plugin)


def _terminators(md: MarkdownIt) -> re.Pattern[str]:
    terminators = terminators_of(md.inline)
    assert terminators is not None
    return terminators


@pytest.mark.parametrize(
    ("preset", "characters"),
    [
        ("commonmark", "\n!&*<[\\]_`"),
        ("gfm-like", "\n!&*:<[\\]_`~"),
        ("js-default", "\n!&*:<[\\]_`~"),
    ],
)
def test_where_text_ends(preset: str, characters: str) -> None:
    """Before what a rule begins with that is switched on, and nowhere else."""
    assert "".join(_terminators(MarkdownIt(preset)).findall(_SPECIAL)) == characters


def test_a_rule_that_is_switched_off_has_no_part() -> None:
    """What only that begins with is text."""
    md = MarkdownIt("commonmark").disable(["backticks", "entity"])

    assert "".join(_terminators(md).findall(_SPECIAL)) == "\n!*<[\\]_"


def test_a_parser_with_no_rule_but_text() -> None:
    """There is nothing that text could end before."""
    assert terminators_of(MarkdownIt("zero").inline) is None


@pytest.mark.parametrize("preset", PRESETS)
@given(source=documents)
@example("a [b: c](d) - e hdl:20.1000/1 = f\n\n[g: h]: i [j: k][l]")
@example("hdl:20.1000/1\n\n[a:b] ![c - d](e:f) https://example.org/g-h ::")
def test_the_tokens_are_the_same(preset: str, source: str) -> None:
    """In blocks that mention something, and in those beside them."""
    md = _parser(preset)
    source = f"{source}\n\n{source} hdl:20.1000/1"
    found: dict[str, object] = {}
    expected: dict[str, object] = {}

    tokens = md.parse(source, found)
    with patch("mdit_handle.reader.terminators_of", return_value=None):
        assert tokens == md.parse(source, expected)
    assert found == expected


def _rule_at(mark: str) -> Callable[[StateInline, bool], bool]:
    """The rule of another plugin, that makes something of two characters."""

    def rule(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - its caller is markdown-it
        if not state.src.startswith(mark, state.pos):
            return False
        if not silent:
            state.push("smile", "", 0).content = "smile"
        state.pos += len(mark)
        return True

    return rule


_smile = _rule_at(":)")
#: It begins with a character that text has not ended at before.
_equals = _rule_at("/=")


@pytest.mark.parametrize("before", [True, False])
def test_the_rule_of_another_plugin_is_asked_as_ever(before: bool) -> None:  # noqa: FBT001 - a column of the table
    """Where it may begin, nobody but the parser knows."""
    md = MarkdownIt("commonmark")
    if before:
        md.inline.ruler.push("smile", _smile)
    md.use(handle_plugin)
    if not before:
        md.inline.ruler.push("smile", _smile)

    assert terminators_of(md.inline) is None
    tokens = md.parse("hdl:20.1000/1 a:)\n\nb:)")
    smiles = [
        child.content
        for token in tokens
        for child in token.children or ()
        if child.type == "smile"
    ]
    assert smiles == ["smile", "smile"]


def test_a_rule_that_has_been_replaced_is_asked_as_ever() -> None:
    """Its name tells nothing of what it begins with."""
    md = MarkdownIt("commonmark").use(handle_plugin)
    md.inline.ruler.at("entity", _smile)

    assert terminators_of(md.inline) is None
    assert [
        child.type for child in md.parse("hdl:20.1000/1\n\nb:)")[4].children or ()
    ] == [
        "text",
        "smile",
    ]


def test_a_character_that_a_plugin_has_named_stays() -> None:
    """Text ends before it, in both kinds of blocks."""
    md = MarkdownIt("commonmark").use(handle_plugin)
    md.inline.add_terminator_char("/")
    md.inline.ruler.push("equals", _equals)

    tokens = md.parse("hdl:20.1000/1 a/=\n\nb/=")

    assert [(tokens[index].children or [])[-1].type for index in (1, 4)] == [
        "smile"
    ] * 2
    md.disable("equals")
    assert terminators_of(md.inline) is None


class _Dashes(ParserInline):
    """A parser that reads ``-`` by itself."""

    def tokenize(self, state: StateInline) -> None:
        state.src = state.src.replace("-", "\u2014")
        super().tokenize(state)


def test_a_parser_of_another_kind_is_asked_as_ever() -> None:
    """Nobody knows what it ends text for."""
    assert terminators_of(_Dashes()) is None


def test_a_method_that_has_been_replaced_is_asked_as_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In one parser, and in all of them."""
    inline = MarkdownIt("commonmark").inline
    assert terminators_of(inline) is not None

    monkeypatch.setattr(inline, "skipToken", lambda _state: None)
    assert terminators_of(inline) is None
    other = ParserInline()
    assert terminators_of(other) is not None
    monkeypatch.setattr(ParserInline, "tokenize", _Dashes.tokenize)
    assert terminators_of(other) is None


def test_a_second_rule_of_another_plugin_sees_the_parser_itself() -> None:
    """What it keeps there is there afterwards."""
    md = MarkdownIt("commonmark").use(handle_plugin)
    seen: list[MarkdownIt] = []
    md.inline.ruler2.push("see", lambda state: seen.append(state.md))

    md.render("hdl:20.1000/1\n\nb")

    assert seen[1] is md


def test_a_rule_that_is_switched_on_after_the_scan() -> None:
    """A core rule of another plugin may do it, right before the blocks are parsed."""
    md = MarkdownIt("js-default").use(handle_plugin).disable("strikethrough")
    md.core.ruler.before("inline", "late", lambda _state: _enable(md))

    assert md.render("hdl:20.1000/1\n\nx ~~b~~").endswith("<p>x <s>b</s></p>\n")


def test_a_rule_that_lengthens_the_source() -> None:
    """Text goes on beyond what was known of it."""

    def lengthen(state: StateInline, silent: bool) -> bool:  # noqa: ARG001, FBT001 - markdown-it's
        state.src = state.src.replace("@@", "*a* hdl:20.1000/2 " * 9)
        state.posMax = len(state.src)
        return False

    md = MarkdownIt("commonmark").use(handle_plugin)
    bare = MarkdownIt("commonmark")
    for each in (md, bare):
        each.inline.ruler.before("newline", "lengthen", lengthen)
    source = "hdl:20.1000/1 @@ b *c*"

    _, _, expected = bare.render(source).partition("hdl:20.1000/1")
    assert expected == " <em>a</em> hdl:</p>\n"
    assert md.render(source).endswith(f">hdl:20.1000/1</a>{expected}")


def _enable(md: MarkdownIt) -> None:
    md.enable("strikethrough")


class _Counted:
    """A pattern that counts the characters which it has been led past."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self.asked = 0
        self.passed = 0

    def search(
        self, text: str, start: int, end: int | None = None
    ) -> re.Match[str] | None:
        end = len(text) if end is None else min(end, len(text))
        found = self._pattern.search(text, start, end)
        self.asked += 1
        self.passed += (found.start() if found else end) - start
        return found


@pytest.mark.parametrize(
    "unit", ["doi.org/10.1/x ", "doi:10.1/x>", "a doi:10.1/x b ", "hdl:1/x *a* "]
)
@pytest.mark.parametrize("others", [False, True])
def test_text_is_gone_through_once(unit: str, others: bool) -> None:  # noqa: FBT001 - a column of the table
    """However many references stand in a block in which no text ends."""
    md = MarkdownIt("commonmark").use(handle_plugin)
    known = _terminators(md)
    if others:
        md.inline.ruler.push("smile", _smile)
        known = md.inline.terminator_re
    counted = _Counted(known)
    source = unit * 1000

    with pytest.MonkeyPatch.context() as patching:
        if others:
            patching.setattr(md.inline, "terminator_re", counted)
        else:
            patching.setattr(
                "mdit_handle.reader.terminators_of", lambda _inline: counted
            )
        env: dict[str, list[object]] = {}
        md.parse(source, env)

    assert len(env["handles"]) == 1000
    assert counted.asked >= 999  # Between the first and the last.
    assert counted.passed <= len(source)
