"""`-b handlecheck`: verified, and reported."""

import json

from tests.proxy_server import running
from tests.test_sphinx.conftest import MakeProject

PAGE = """
Title
=====

Good: hdl:/20.1000/1.
Bad: :hdl:`a title <20.1000/404>`, and again
`here <https://hdl.handle.net/20.1000/404>`_.
"""


def test_the_report_lists_every_place_of_every_handle(project: MakeProject) -> None:
    """As JSON for programs; and the exit status says that one is not registered."""
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        built = project(PAGE, handle_resolver=proxy.url, handle_cache=False).build(
            "handlecheck"
        )

        assert json.loads(built.page("output.json")) == [
            {
                "handle": "20.1000/1",
                "outcome": "resolved",
                "target": "https://example.org/1",
                "reason": "",
                "problems": [],
                "places": [
                    {"document": "index", "line": 4, "written": "hdl:/20.1000/1"}
                ],
            },
            {
                "handle": "20.1000/404",
                "outcome": "not-registered",
                "target": None,
                "reason": "",
                "problems": [],
                "places": [
                    {"document": "index", "line": 5, "written": "20.1000/404"},
                    {
                        "document": "index",
                        "line": 6,
                        "written": "https://hdl.handle.net/20.1000/404",
                    },
                ],
            },
        ]
        assert built.returncode == 1
        assert sorted(path.name for path in built.out.iterdir()) == [
            "junit.xml",
            "output.json",
            "report.html",
            "report.sarif",
        ]


def test_all_well_is_exit_status_zero(project: MakeProject) -> None:
    """And no page is written."""
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        built = project(
            "Title\n=====\n\nhdl:20.1000/1\n",
            handle_resolver=proxy.url,
            handle_cache=False,
        ).build("handlecheck")

        assert built.returncode == 0
        assert built.warnings == ""


def test_a_malformed_reference_is_exit_status_one(project: MakeProject) -> None:
    """Though there is nothing to ask for."""
    built = project("Title\n=====\n\n:hdl:`not a handle`\n").build("handlecheck")

    assert built.returncode == 1
    assert json.loads(built.page("output.json")) == []


def test_what_could_not_be_asked_is_exit_status_zero(project: MakeProject) -> None:
    """No answer says nothing about the documents."""
    with running({}) as proxy:
        address = proxy.url
    built = project(PAGE, handle_resolver=address, handle_cache=False).build(
        "handlecheck"
    )
    outcomes = [row["outcome"] for row in json.loads(built.page("output.json"))]

    assert built.returncode == 0
    assert outcomes == ["unreachable", "unreachable"]
