"""What is suspicious and valid is told as information, each kind by its name."""

import pytest

from handle_system.diagnostics import DiagnosticCode
from sphinxcontrib_handle.messages import HandleWarning
from tests.test_sphinx.conftest import MakeProject


def page(text: str) -> str:
    """A page of one section."""
    return f"Title\n=====\n\n{text}\n"


@pytest.mark.parametrize("code", DiagnosticCode)
def test_every_finding_has_a_kind(code: DiagnosticCode) -> None:
    """A finding of the core can be suppressed, or made a warning, by its name."""
    assert HandleWarning(code.value).name == code.name


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
    """They stand in what the build says, and are no warnings."""
    built = project(page(text)).build()

    assert built.warnings == ""
    assert message in built.status


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


def test_ordinary_references_are_not_suspicious(project: MakeProject) -> None:
    """Nothing is said of a reference with nothing odd about it."""
    text = "hdl:20.1000/100 doi:10.1002/(SICI)1097(1999)36:4<419::AID-P5>3.0.CO;2-U"
    built = project(page(text)).build()

    assert "20.1000" not in built.status
    assert "10.1002" not in built.status
