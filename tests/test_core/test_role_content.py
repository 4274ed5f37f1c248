"""The content of roles."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handle_system.errors import HandleSyntaxError
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.role_content import read_role_content
from tests.strategies import reference_like

SICI = "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V"


@pytest.mark.parametrize(
    ("text", "handle", "title", "linked", "with_scheme"),
    [
        ("20.1000/100", "20.1000/100", None, True, True),
        ("hdl:20.1000/a%20b", "20.1000/a b", None, True, True),
        (" 20.1000/100\n", "20.1000/100", None, True, True),
        (SICI, SICI, None, True, True),
        (
            "10.1175/1520(1972)100<375::AID-CPE480>",
            "10.1175/1520(1972)100<375::AID-CPE480>",
            None,
            True,
            True,
        ),
        (f"a title <{SICI}>", SICI, "a title", True, True),
        ("a title <hdl:20.1000/100>", "20.1000/100", "a title", True, True),
        ("a\ntitle\n<20.1000/100>", "20.1000/100", "a title", True, True),
        ("a < b <20.1000/100>", "20.1000/100", "a < b", True, True),
        ("input/output <20.1000/1>", "20.1000/1", "input/output", True, True),
        ("<20.1000/100>", "20.1000/100", None, True, True),
        ("20.1000/a <b>", "20.1000/a <b>", None, True, True),
        ("!20.1000/100", "20.1000/100", None, False, True),
        ("~20.1000/100", "20.1000/100", None, True, False),
        ("hdl:!20.1000/100", "!20.1000/100", None, True, True),
        ("hdl:~20.1000/100", "~20.1000/100", None, True, True),
    ],
)
def test_content(
    text: str, handle: str, title: str | None, *, linked: bool, with_scheme: bool
) -> None:
    """The whole content is read first; else it splits before a bracket. Marks work
    before a bare handle only; a mark within one needs a scheme."""
    content = read_role_content(text, proxies=DEFAULT_PROXIES)

    assert (str(content.reference.handle), content.title) == (handle, title)
    assert (content.linked, content.with_scheme) == (linked, with_scheme)


@pytest.mark.parametrize(
    ("text", "written", "start"),
    [
        ("20.1000/100", "20.1000/100", 0),
        ("\n hdl:20.1000/100 ", "hdl:20.1000/100", 2),
        ("!20.1000/100", "20.1000/100", 1),
        (" ~20.1000/100", "20.1000/100", 2),
        (" a title <20.1000/100>", "20.1000/100", 10),
    ],
)
def test_place_in_content(text: str, written: str, start: int) -> None:
    """The content tells where its reference stands, without a mark or a title."""
    content = read_role_content(text, proxies=DEFAULT_PROXIES)

    assert (content.written, content.start) == (written, start)


@pytest.mark.parametrize(
    ("text", "doi_only", "message"),
    [
        (
            "not a handle",
            False,
            (
                "a handle is prefix/suffix, with no white space in the prefix\n"
                "    not a handle\n"
                "       ^"
            ),
        ),
        (
            "!hdl:20.1000/100",
            False,
            '":" is not allowed in a prefix\n    !hdl:20.1000/100\n        ^',
        ),
        (
            "20.1000/100",
            True,
            (
                'the prefix of a DOI is "10" or begins with "10."\n'
                "    20.1000/100\n"
                "    ~~~~~~^\n"
                "write hdl:20.1000/100"
            ),
        ),
        # A suggestion for a reference in brackets keeps the title.
        (
            "a title <hdl:20.1000/50%>",
            False,
            (
                "\"%\" begins an escape of two hexadecimal digits, and '%' is none\n"
                "    a title <hdl:20.1000/50%>\n"
                "                           ^\n"
                "write a title <hdl:20.1000/50%25>"
            ),
        ),
    ],
)
def test_error(text: str, message: str, *, doi_only: bool) -> None:
    """Content without a reference, or without a DOI where one is needed, is an error
    with its place."""
    with pytest.raises(HandleSyntaxError) as caught:
        read_role_content(text, proxies=DEFAULT_PROXIES, doi_only=doi_only)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("dpgkg3", None),
        ("0.1093/nar/gkp987", "10.1093/nar/gkp987"),
        ("10-1098/rspl.1895.0041", "10.1098/rspl.1895.0041"),
        ("16/0024-3795(91)90181-S", "10.1016/0024-3795(91)90181-S"),
        ("doi.acm.org/10.1145/1294928", "10.1145/1294928"),
        ("https://arc.aiaa.org/doi/10.2514/1.J05", "doi:10.2514/1.J05"),
        ("a/b", None),
        ("word", None),
    ],
)
def test_suggestion_where_a_doi_is_meant(text: str, suggestion: str | None) -> None:
    """A DOI that stands visibly in the content is suggested."""
    with pytest.raises(HandleSyntaxError) as caught:
        read_role_content(text, proxies=DEFAULT_PROXIES, doi_only=True)

    assert caught.value.suggestion == suggestion


@given(st.one_of(reference_like, reference_like.map("a title <{}>".format)))
@example("a <hdl:hdl:20.1/x>")
@example("!hdl:hdl:20.1/x")
def test_suggestion_is_content(text: str) -> None:
    """Every suggestion is valid content."""
    try:
        read_role_content(text, proxies=DEFAULT_PROXIES)
    except HandleSyntaxError as error:
        if error.suggestion is not None:
            read_role_content(error.suggestion, proxies=DEFAULT_PROXIES)


@given(st.text())
def test_nothing_else_is_raised(text: str) -> None:
    """Any content is a reference or a `HandleSyntaxError`."""
    try:
        content = read_role_content(text, proxies=DEFAULT_PROXIES)
    except HandleSyntaxError:
        return
    assert content.written in text.replace("\n", " ")


@pytest.mark.parametrize("space", [" ", "\n", "\t\n"])
def test_white_space_takes_linear_time(space: str) -> None:
    """A title without an end is no reference; a hang fails the test."""
    with pytest.raises(HandleSyntaxError):
        read_role_content(f"T{space * 640_000}x>", proxies=DEFAULT_PROXIES)
