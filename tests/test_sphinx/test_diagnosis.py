"""Findings about valid references are logged as information, each kind by its name."""

import pytest

from tests.test_sphinx.conftest import MakeProject


def page(text: str) -> str:
    """A page of one section."""
    return f"Title\n=====\n\n{text}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            ":hdl:`10.1000/a%2Fb`",
            (
                "10.1000/a%2Fb: a bare handle is not percent-decoded, and this one holds "
                "escapes; write doi:10.1000/a/b"
            ),
        ),
        ("hdl:123456789/1119", 'hdl:123456789/1119: "123456789" is a prefix for tests'),
        (
            ":hdl:`20.1000/a\u200bb`",
            r"20.1000/a\u200bb: ",
        ),
    ],
    ids=["looks-encoded", "placeholder", "invisible"],
)
def test_findings_are_information(
    project: MakeProject, text: str, message: str
) -> None:
    """The build logs them, and no others, and they are no warnings."""
    built = project(page(f"{text} hdl:20.1000/ordinary")).build()

    assert built.warnings == ""
    assert message in built.status
    assert "20.1000/ordinary" not in built.status


@pytest.mark.parametrize("silenced", ["handle.placeholder", "handle", "handle.*"])
def test_findings_can_be_suppressed(project: MakeProject, silenced: str) -> None:
    """Sphinx itself suppresses warnings only."""
    text = page("hdl:123456789/1119")
    built = project(text, suppress_warnings=[silenced]).build()

    assert "123456789" not in built.status


def test_findings_can_be_made_warnings(project: MakeProject) -> None:
    """`handle_severity` makes them count, with the line of the reference."""
    built = project(
        page("One\nhdl:123456789/1119"), handle_severity={"placeholder": "warning"}
    ).build()

    assert built.warnings == (
        'index.rst:5: WARNING: hdl:123456789/1119: "123456789" is a prefix for tests '
        "[handle.placeholder]\n"
    )
