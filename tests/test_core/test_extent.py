"""Where references in running text end: the rules, one by one and together."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handle_system.extent import Extents
from handle_system.scanning import find_references

SICI = "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V"

# The text after "doi:10.1/", and how much of it is the suffix.
ENDS: list[tuple[str, str]] = [
    # White space, controls, quotes.
    *[("x y", "x"), ("x\ny", "x"), ("x\xa0y", "x"), ("x\u3000y", "x")],
    *[("x\u2028y", "x"), ("x\x00y", "x"), ("x\x85y", "x"), ("x\ud800y", "x")],
    *[('x"y', "x"), ("x'y", "x'y"), ("x\u200by", "x\u200by"), ("x\u200b y", "x")],
    # CJK punctuation ends; CJK letters end a DOI that is ASCII so far.
    *[("x。", "x"), ("x、y", "x"), ("x」", "x"), ("x，y", "x"), ("x（y）", "x")],
    *[
        ("x〈y", "x"),
        ("x：y", "x"),
        ("x・y", "x"),
        ("x︑y", "x"),
        ("x﹒y", "x"),
        ("x｡", "x"),
        ("x～", "x"),
    ],
    *[("x日本", "x"), ("xの", "x"), ("x한국", "x"), ("xｱ", "x"), ("x々", "x")],
    *[("xé日本", "xé日本"), ("x™", "x™"), ("x–y", "x–y"), ("xй", "xй")],
    # Brackets.
    *[("x)", "x"), ("x]", "x"), ("x}", "x"), ("x>", "x"), ("x)y(", "x")],
    *[("(x)", "(x)"), ("(x))", "(x)"), ("((x))y", "((x))y"), ("[x]{y}", "[x]{y}")],
    *[("a(b]c)", "a(b"), ("a(b[c)d]", "a(b[c)d]"), ("x(see", "x(see")],
    *[("x](https://y)", "x"), ("x)](y)", "x"), ("x[^1]", "x"), ("x[1]", "x[1]")],
    # "<" belongs only with its ">", a colon between, and no slash after it.
    *[("x<b>y", "x"), ("x</a:b>", "x"), ("x<a:b>y", "x<a:b>y"), ("x<a:b y>", "x")],
    *[("x<a:b", "x"), ("x<:>", "x<:>"), ("x<1:2><3:4>.", "x<1:2><3:4>")],
    *[("x<a>:b>", "x"), ("x<br>", "x"), ("x<", "x"), ("x<a:(b>c)", "x<a:(b>c")],
    # Trailing punctuation.
    *[("x.", "x"), ("x,", "x"), ("x;", "x"), ("x:", "x"), ("x!?", "x"), ("x'", "x")],
    *[("x’", "x"), ("x”", "x"), ("x»", "x"), ("x...", "x"), ("x.;,:", "x")],
    *[("x.y.", "x.y"), ("x).", "x"), ("(x).", "(x)"), ("x…", "x…"), ("x-", "x-")],
    *[("x/", "x/"), ("x//", "x//"), ("x=", "x="), ("x\u200b.", "x"), ("x.\u200b", "x")],
    # Marks of emphasis that close nothing stay; after punctuation they go.
    *[("100_x_", "100_x_"), ("x*", "x*"), ("x~~", "x~~"), ("x.*", "x"), ("x*.", "x*")],
    *[("x_.*_", "x_.*_"), ("*x*", "*x*")],
    # What remains may be nothing.
    *[(".", ""), (")", ""), ("日本", ""), ("。", ""), ('"', ""), ("*", "*"), ("", "")],
]


@pytest.mark.parametrize(("after", "suffix"), ENDS)
def test_end(after: str, suffix: str) -> None:
    """A reference ends where the rules say, wherever it stands."""
    for before, behind in [("", ""), ("See ", " and"), ("a (b) [c]\n", "\n")]:
        text = f"{before}doi:10.1/{after}{behind}"
        found = [text[one.start : one.end] for one in find_references(text)]
        wanted = [f"doi:10.1/{suffix}"] if suffix else []
        assert found[: len(wanted)] == wanted
        assert all(one.startswith("https:") for one in found[len(wanted) :])


EMPHASIS = [
    ("*doi:10.1/x*", "doi:10.1/x"),
    ("**doi:10.1/x**", "doi:10.1/x"),
    ("_doi:10.1/100_x_", "doi:10.1/100_x"),
    ("_see doi:10.1/x_ and", "doi:10.1/x"),
    ("~~see doi:10.1/x~~", "doi:10.1/x"),
    ("*see* doi:10.1/x*", "doi:10.1/x*"),
    ("*see doi:10.1/x.*", "doi:10.1/x"),
    ("*see (doi:10.1/x)*", "doi:10.1/x"),
    ("2 * 3, doi:10.1/x*", "doi:10.1/x*"),
    ("snake_case doi:10.1/x_", "doi:10.1/x_"),
    ("_ doi:10.1/x_", "doi:10.1/x_"),
    ("*a _b doi:10.1/x_*", "doi:10.1/x"),
    ("_doi:10.1/x_y", "doi:10.1/x_y"),
    # A run closes as much as it is long.
    ("***a* doi:10.1/x**", "doi:10.1/x"),
    ("**_a_ *b* doi:10.1/x**", "doi:10.1/x"),
    ("**[*] doi:10.1/x**", "doi:10.1/x"),
    ("~~a~b doi:10.1/x~~", "doi:10.1/x"),
    ("***a** b* doi:10.1/x*", "doi:10.1/x*"),
    ("*a** doi:10.1/x*", "doi:10.1/x*"),
    # Beside punctuation a run opens or closes, as CommonMark says.
    ("*see (**doi:10.1/x**)*", "doi:10.1/x"),
    ("_see (_doi:10.1/x_)_", "doi:10.1/x"),
    ("*a (*b* c) doi:10.1/x*", "doi:10.1/x"),
    ("_(a)_ doi:10.1/x_", "doi:10.1/x_"),
    ("a*(b* doi:10.1/x*", "doi:10.1/x*"),
    ("_a_b_ doi:10.1/x_", "doi:10.1/x_"),
]


@pytest.mark.parametrize(("text", "written"), EMPHASIS)
def test_emphasis(text: str, written: str) -> None:
    """A trailing run of marks goes if it closes an opener of the same text."""
    (found,) = find_references(text)
    assert text[found.start : found.end] == written


def test_emphasis_again_and_again() -> None:
    """Each pair of marks is closed once: the next reference sees it closed."""
    text = "*doi:10.1/a* doi:10.1/b* *doi:10.1/c*"
    found = [text[one.start : one.end] for one in find_references(text)]
    assert found == ["doi:10.1/a", "doi:10.1/b*", "doi:10.1/c"]


ANGLES = [
    ("<doi:10.1/x>", "doi:10.1/x"),
    ("<doi:10.1/x y>", "doi:10.1/x y"),
    ("<hdl:cnri.test/a<b>c>", "hdl:cnri.test/a<b>c"),
    ("<doi:10.1/x.>", "doi:10.1/x."),
    ("<doi:10.1/x )>", "doi:10.1/x )"),
    ("<doi:10.1/x >", "doi:10.1/x"),
    ('<doi:10.1/a"b日本>', 'doi:10.1/a"b日本'),
    (f"<doi:{SICI}>", f"doi:{SICI}"),
    ("<https://doi.org/10.1/x>", "https://doi.org/10.1/x"),
    # No match in the same line of text: the other rules.
    ("<doi:10.1/x", "doi:10.1/x"),
    ("<doi:10.1/x\ny>", "doi:10.1/x"),
    ("< doi:10.1/x y>", "doi:10.1/x"),
]


@pytest.mark.parametrize(("text", "written"), ANGLES)
def test_angles(text: str, written: str) -> None:
    """Directly after "<" a reference runs to the matching ">"."""
    (found,) = find_references(text)
    assert text[found.start : found.end] == written


def test_sici() -> None:
    """A SICI is found whole, with whatever stands around it."""
    for text in (f"doi:{SICI}", f"(doi:{SICI}).", f"见https://doi.org/{SICI}，"):
        (found,) = find_references(text)
        assert str(found.reference.handle) == SICI


_OPENERS = {")": "(", "]": "[", "}": "{"}
_CJK_PUNCTUATION = "、。「」〈，：（）･・゠︒﹐"
_CJK_LETTERS = "日のｱ한々"
_TRAILING = ".,;:!?'’”»\u200b"


def _slow_end(text: str, start: int) -> int:
    """The rules in plain words, with no thought of time; without emphasis."""
    end = start
    while end < len(text) and not _is_hard_end(text[end]):
        end += 1
    run = text[start:end]
    first = next((place for place, one in enumerate(run) if not one.isascii()), None)
    is_doi = run.startswith(("10.", "10/"))
    if is_doi and first is not None and run[first] in _CJK_LETTERS:
        end = start + first
    run = text[start : _slow_end_at_bracket(text, start, end)]
    return start + len(run.rstrip(_TRAILING))


def _slow_end_at_bracket(text: str, position: int, end: int) -> int:
    opened: list[str] = []
    while position < end:
        character = text[position]
        if character == ">" or text.startswith("[^", position):
            return position
        if character in "([{":
            opened.append(character)
        elif character in _OPENERS:
            if _OPENERS[character] not in opened:
                return position
            opened.remove(_OPENERS[character])
        elif character == "<":
            inside, close, _ = text[position + 1 : end].partition(">")
            if not close or ":" not in inside or inside.startswith("/"):
                return position
            position += len(inside) + 1
        position += 1
    return end


def _is_hard_end(character: str) -> bool:
    return (
        character.isspace()
        or unicodedata.category(character) in {"Cc", "Cs"}
        or character in _CJK_PUNCTUATION + '"'
    )


_ALPHABET = "x1:/.,;()[]{}<>^%-'’” \n\"é" + _CJK_PUNCTUATION + _CJK_LETTERS + "\u200b"


@given(
    st.text(_ALPHABET, max_size=10),
    st.sampled_from(["10.1/x", "20.1/x", "10/x"]),
    st.text(_ALPHABET, max_size=25),
)
@example("", "10.1/x", "a<1:2>b(c[d)e]f]")
@example("", "10.1/x", "<1:2")
@example("", "10.1/x", "éの(")
@example("", "10.1/x", "<の:1>")
def test_fast_rules_are_the_slow_rules(before: str, path: str, after: str) -> None:
    """The remembering search ends references where the rules in plain words do."""
    text = f"{before} {path}{after}"
    start = len(before) + 1
    extents = Extents(text, [])
    end = extents.trimmed(start, extents.end_of_run(start), start)
    assert end == _slow_end(text, start)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["doi:10.1/x", "hdl:2.1/x"]), st.text(_ALPHABET, max_size=8)
        ),
        min_size=2,
        max_size=6,
    )
)
@example(
    [
        ("doi:10.1/x", "日"),
        ("doi:10.1/x", ")"),
        ("hdl:2.1/x", "<1:"),
        ("hdl:2.1/x", ">"),
    ]
)
@example([("doi:10.1/x", "<の"), ("doi:10.1/x", ">")])
def test_remembered_ends(parts: list[tuple[str, str]]) -> None:
    """What was remembered for one reference does not mislead the next."""
    text = "".join(f"{reference}{after}" for reference, after in parts)
    for found in find_references(text):
        if text[found.start - 1 : found.start] == "<" and ">" in text[found.start :]:
            continue
        start = found.start + 4
        assert found.end == _slow_end(text, start)
