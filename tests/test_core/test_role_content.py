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
    ("text", "handle", "title"),
    [
        ("20.1000/100", "20.1000/100", None),
        ("hdl:20.1000/a%20b", "20.1000/a b", None),
        (" 20.1000/100\n", "20.1000/100", None),
        (SICI, SICI, None),
        (
            "10.1175/1520(1972)100<375::AID-CPE480>",
            "10.1175/1520(1972)100<375::AID-CPE480>",
            None,
        ),
        (f"a title <{SICI}>", SICI, "a title"),
        ("a title <hdl:20.1000/100>", "20.1000/100", "a title"),
        ("a\ntitle\n<20.1000/100>", "20.1000/100", "a title"),
        ("a < b <20.1000/100>", "20.1000/100", "a < b"),
        ("input/output <20.1000/1>", "20.1000/1", "input/output"),
        ("<20.1000/100>", "20.1000/100", None),
        ("20.1000/a <b>", "20.1000/a <b>", None),
    ],
)
def test_content(text: str, handle: str, title: str | None) -> None:
    """The whole content is read first; else it splits before a bracket."""
    content = read_role_content(text, proxies=DEFAULT_PROXIES)

    assert (str(content.reference.handle), content.title) == (handle, title)
    assert (content.linked, content.with_scheme) == (True, True)


@pytest.mark.parametrize(
    ("text", "handle", "linked", "with_scheme"),
    [
        ("!20.1000/100", "20.1000/100", False, True),
        ("~20.1000/100", "20.1000/100", True, False),
        ("hdl:!20.1000/100", "!20.1000/100", True, True),
        ("hdl:~20.1000/100", "~20.1000/100", True, True),
    ],
)
def test_marks(text: str, handle: str, linked: bool, with_scheme: bool) -> None:  # noqa: FBT001 - columns of the table
    """Marks work before a bare handle only; a mark within one needs a scheme."""
    content = read_role_content(text, proxies=DEFAULT_PROXIES)

    assert str(content.reference.handle) == handle
    assert (content.linked, content.with_scheme) == (linked, with_scheme)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "not a handle",
            (
                "a handle is prefix/suffix, with no white space in the prefix\n"
                "    not a handle\n"
                "       ^"
            ),
        ),
        (
            "!hdl:20.1000/100",
            '":" is not allowed in a prefix\n    !hdl:20.1000/100\n        ^',
        ),
    ],
)
def test_error(text: str, message: str) -> None:
    """Content without a reference is an error with its place."""
    with pytest.raises(HandleSyntaxError) as caught:
        read_role_content(text, proxies=DEFAULT_PROXIES)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("dpgkg3", "10/dpgkg3"),
        ("0.1093/nar/gkp987", "10.1093/nar/gkp987"),
        ("10-1098/rspl.1895.0041", "10.1098/rspl.1895.0041"),
        ("16/0024-3795(91)90181-S", "10.1016/0024-3795(91)90181-S"),
        ("doi.acm.org/10.1145/1294928", "10.1145/1294928"),
        ("https://arc.aiaa.org/doi/10.2514/1.J05", "doi:10.2514/1.J05"),
        ("a/b", "hdl:a/b"),
        ("word", None),
    ],
)
def test_suggestion_where_a_doi_is_meant(text: str, suggestion: str | None) -> None:
    """A DOI that stands visibly in the content is suggested."""
    with pytest.raises(HandleSyntaxError) as caught:
        read_role_content(text, proxies=DEFAULT_PROXIES, doi_only=True)

    assert caught.value.suggestion == suggestion


def test_error_only_a_doi_will_do() -> None:
    """The role for DOIs refuses another handle, with a suggestion."""
    with pytest.raises(HandleSyntaxError) as caught:
        read_role_content("20.1000/100", proxies=DEFAULT_PROXIES, doi_only=True)

    assert str(caught.value) == (
        'the prefix of a DOI is "10" or begins with "10."\n'
        "    20.1000/100\n"
        "    ~~~~~~^\n"
        "write hdl:20.1000/100"
    )


def test_error_beside_a_title() -> None:
    """A suggestion for a reference in brackets keeps the title."""
    with pytest.raises(HandleSyntaxError) as caught:
        read_role_content("a title <hdl:20.1000/50%>", proxies=DEFAULT_PROXIES)

    assert str(caught.value) == (
        "\"%\" begins an escape of two hexadecimal digits, and '%' is none\n"
        "    a title <hdl:20.1000/50%>\n"
        "                           ^\n"
        "write a title <hdl:20.1000/50%25>"
    )


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
