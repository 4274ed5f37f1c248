"""Fenced directives: their names, options and bodies."""

import pytest

from mdit_handle.directive import directive_name, read_directive


@pytest.mark.parametrize(
    ("info", "name"),
    [
        ("{cite-version}", "cite-version"),
        (" {cite-version}  an argument", "cite-version"),
        ("cite-version", None),
        ("{cite-version", None),
        ("python", None),
        ("", None),
    ],
)
def test_name(info: str, name: str | None) -> None:
    """A fence is a directive's if its info string begins with a name in braces."""
    assert directive_name(info) == name


@pytest.mark.parametrize(
    "content",
    [
        ":title: a: b\n:history:\n\n1 | 2\n\n3",
        "---\ntitle: a: b\n\nhistory:\n---\n\n1 | 2\n\n3",
        ':title: "a: b"\n  :history:\n1 | 2\n\n3',
        ":title: 'a: b'\n:history:\n\n1 | 2\n\n3\n",
    ],
)
def test_options_and_body(content: str) -> None:
    """Options are between hyphens or begin with colons; the body is the rest."""
    directive = read_directive(content, 10)
    first = 9 + content.splitlines().index("1 | 2") + 1

    assert directive.options == {"title": "a: b", "history": None}
    assert directive.body == ((first, "1 | 2"), (first + 1, ""), (first + 2, "3"))


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("", {}),
        ("text", {}),
        (":", {}),
        (":a", {"a": None}),
        (":a: '", {"a": "'"}),
        (":a: \"b'", {"a": "\"b'"}),
        ("---\na: b", {"a": "b"}),
        (":a: b\n:a: c", {"a": "c"}),
    ],
)
def test_odd_options(content: str, options: dict[str, str | None]) -> None:
    """What is odd is read as far as it goes, and nothing is raised."""
    assert read_directive(content, 1).options == options
