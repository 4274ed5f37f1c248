"""The tool that looks reported places up in their files, and finds what is wrong."""

from pathlib import Path

import pytest

from tests.test_sphinx.project import Project
from tests.tools.lines_check import Told, check_lines, elsewhere, main

PAGES = {
    "index.rst": """
Title
=====

See doi:10.1000/1 and
hdl:20.1000/2, or
`again <https://doi.org/10.1000/1>`_.

.. doi:10.1000/1 in a comment
""",
    "page.rst": """
:orphan:

Page
====

- See :hdl:`20.1000/a%20b`
  and doi:10.1000/3.
""",
}


def test_a_tree_whose_places_are_right_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The chosen handles are reported, and where others stand is listed."""
    project = Project(tmp_path, PAGES)
    status = main([str(project.source), "--count", "2"])

    assert (
        capsys.readouterr().out
        == """\
distinct handles: 4
places: 5, on their lines: 5
not known to the proxy: 2, reported: 2
  of these not among the unknown: []
  unknown and not reported: []
  warnings: 2, exit status: 1
  places: 2, on their lines: 2
  places told differently: 0
elsewhere in the sources:
  index.rst:8: .. doi:10.1000/1 in a comment
"""
    )
    assert status == 0


def place(line: int, written: str = "doi:10.1000/1") -> Told:
    handle = written.partition(":")[2]
    return Told(handle=handle, file="index.rst", line=line, written=written)


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([place(4), place(6)], []),
        ([place(5)], ["index.rst:5 has no doi:10.1000/1: hdl:20.1000/2, or"]),
        (
            [place(4), place(4)],
            ["index.rst:4 has no doi:10.1000/1: See doi:10.1000/1 and"],
        ),
        ([place(0)], ["index.rst:0 is no line, for doi:10.1000/1"]),
        ([place(99)], ["index.rst:99 is no line, for doi:10.1000/1"]),
        (
            [place(5, "hdl:20.1000/22")],
            ["index.rst:5 has no hdl:20.1000/22: hdl:20.1000/2, or"],
        ),
    ],
)
def test_a_wrong_line_is_found(
    tmp_path: Path, places: list[Told], expected: list[str]
) -> None:
    """One that is not the reference's, or that has it less often than is told."""
    project = Project(tmp_path, PAGES)
    right, wrong = check_lines(project.source, places)

    assert wrong == expected
    assert right == len(places) - len(expected)


def test_a_place_that_is_not_told_is_listed(tmp_path: Path) -> None:
    """Line by line, with what stands there."""
    project = Project(tmp_path, PAGES)

    assert list(elsewhere(project.source, [place(4)])) == [
        "index.rst:6: `again <https://doi.org/10.1000/1>`_.",
        "index.rst:8: .. doi:10.1000/1 in a comment",
    ]
