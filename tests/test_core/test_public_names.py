"""The public names: all there, and all told of in the manual."""

import re
from pathlib import Path

import pytest

import handle_system
from handle_system import DiagnosticCode, suffix

PAGE = Path(__file__).parents[2] / "example_docs" / "core.rst"


def _told(title: str) -> set[str]:
    """What stands in double back-quotes in the first column of a table."""
    text = PAGE.read_text(encoding="utf-8")
    _, found, table = text.partition(f".. list-table:: {title}\n")
    assert found
    table, _, _ = table.partition("\n.. list-table:: ")
    rows = re.findall(r"^   \* - (.*)$", table, re.MULTILINE)
    return {name for row in rows for name in re.findall("``(.+?)``", row)}


@pytest.mark.parametrize(
    "module", [handle_system, suffix], ids=lambda one: one.__name__
)
def test_names(module: object) -> None:
    """Every public name can be had, is listed by `dir`, and stands in the manual."""
    names = module.__all__  # type: ignore[attr-defined]  # a module of ours has it
    assert len(set(names)) == len(names)
    for name in names:
        assert getattr(module, name) is not None
    assert set(names) <= set(dir(module))
    assert _told(f"``{module.__name__}``") == set(names)  # type: ignore[attr-defined]  # a module has it


def test_no_other_name() -> None:
    """A name that is none is told as by any module."""
    with pytest.raises(AttributeError, match="'handle_system' has no attribute 'Doi'"):
        _ = handle_system.Doi  # type: ignore[attr-defined]  # the point of the test


def test_kinds_of_finding() -> None:
    """Every kind of finding stands in the manual."""
    assert _told("The kinds of finding, ``DiagnosticCode``") == set(DiagnosticCode)
