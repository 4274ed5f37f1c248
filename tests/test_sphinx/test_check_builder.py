"""`-b handlecheck`: verified, and reported."""

import contextlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.background import nobody_at
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
    with nobody_at() as address:
        built = project(PAGE, handle_resolver=address, handle_cache=False).build(
            "handlecheck"
        )
    outcomes = [row["outcome"] for row in json.loads(built.page("output.json"))]

    assert built.returncode == 0
    assert outcomes == ["unreachable", "unreachable"]


INCLUDED = {
    "index.rst": """
Title
=====

.. include:: parts/shared.txt

.. automodule:: a_module
""",
    "parts/shared.txt": "Shared.\n\nBad: hdl:20.1000/404.\n",
    "a_module.py": '"""A module.\n\nBad: hdl:20.1000/405.\n"""\n\n\n'
    'def function():\n    """\n    A function.\n\n    :hdl:`20.1000/406`\n    """\n',
}


def test_places_in_other_files_are_named_by_those(
    project: MakeProject, tmp_path: Path
) -> None:
    """An included file, and a docstring, whose lines are the module's own.

    Docutils names the first from the working folder on.
    """
    with contextlib.chdir(tmp_path), running({}) as proxy:
        built = project(
            INCLUDED,
            prelude="import sys\nsys.path.insert(0, __file__.rpartition('/')[0])",
            extensions=("sphinx.ext.autodoc",),
            autodoc_default_options={"members": True},
            handle_resolver=proxy.url,
            handle_cache=False,
        ).build("handlecheck")
    (run,) = json.loads(built.page("report.sarif"))["runs"]
    rows = json.loads(built.page("output.json"))
    expected = [
        ("20.1000/404", "parts/shared.txt", 3),
        ("20.1000/405", "a_module.py", 3),
        ("20.1000/406", "a_module.py", 11),
    ]

    assert (
        sorted(
            (row["handle"], place["file"], place["line"])
            for row in rows
            for place in row["places"]
        )
        == expected
    )
    assert (
        sorted(
            (
                each["partialFingerprints"]["handle/v1"],
                each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                each["locations"][0]["physicalLocation"]["region"]["startLine"],
            )
            for each in run["results"]
        )
        == expected
    )
    assert '<a href="../source/parts/shared.txt"' in built.page("report.html")


NAMESAKES = {
    "index.rst": """
Title
=====

.. include:: parts/index.txt

.. toctree::

   guide/notes
""",
    "parts/index.txt": "A part.\n\nIts own: hdl:20.1000/1.\n",
    "guide/notes.rst": """
Notes
=====

Own: hdl:20.1000/2.

.. include:: ../notes.rst
""",
    "notes.rst": ":orphan:\n\nThe changes.\n\nhdl:20.1000/1, hdl:20.1000/2\n",
}


def test_a_file_of_a_documents_name_is_not_for_that_the_documents_own(
    project: MakeProject,
) -> None:
    """Such as the changes, which stand above the documents that take them in."""
    with running({}) as proxy:
        built = project(NAMESAKES, handle_resolver=proxy.url, handle_cache=False).build(
            "handlecheck"
        )
    rows = json.loads(built.page("output.json"))

    assert {
        row["handle"]: [
            (place["document"], place.get("file"), place["line"])
            for place in row["places"]
        ]
        for row in rows
    } == {
        "20.1000/1": [
            ("guide/notes", "notes.rst", 5),
            ("index", "parts/index.txt", 3),
            ("notes", None, 5),
        ],
        "20.1000/2": [
            ("guide/notes", None, 4),
            ("guide/notes", "notes.rst", 5),
            ("notes", None, 5),
        ],
    }
    assert built.warnings == (
        "guide/notes.rst:4: WARNING: hdl:20.1000/2: this handle is not registered "
        "(also at notes.rst:5, notes:5) [handle.not-registered]\n"
        "notes.rst:5: WARNING: hdl:20.1000/1: this handle is not registered "
        "(also at parts/index.txt:3, notes:5) [handle.not-registered]\n"
    )


def test_a_file_whose_name_is_not_unicode_does_not_end_the_build(
    project: MakeProject,
) -> None:
    """Where a system has such names, as Linux does."""
    with running({}) as proxy:
        made = project("T\n=\n", handle_resolver=proxy.url, handle_cache=False)
        made.write({"caf\udce9.rst": ":orphan:\n\nhdl:20.1000/404\n"})
        built = made.build("handlecheck")
    (row,) = json.loads(built.page("output.json"))
    (run,) = json.loads(built.page("report.sarif"))["runs"]
    (place,) = run["results"][0]["locations"]

    assert row["places"] == [
        {"document": "caf\udce9", "line": 3, "written": "hdl:20.1000/404"}
    ]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "caf%E9.rst"
    assert "caf\\udce9.rst:3" in built.page("junit.xml")
    assert "caf\\udce9:3" in built.page("report.html")


def test_files_are_named_from_the_repository_on(project: MakeProject) -> None:
    """As services do that show a report beside the files."""
    with running({}) as proxy:
        made = project(
            "T\n=\n\nhdl:20.1000/404\n\n:hdl:`none`\n",
            handle_resolver=proxy.url,
            handle_cache=False,
            handle_place_url="https://forge.example/main/{file}#L{line}",
        )
        (made.folder / ".git").mkdir()
        built = made.build("handlecheck")
    (run,) = json.loads(built.page("report.sarif"))["runs"]
    artifacts = [
        each["locations"][0]["physicalLocation"]["artifactLocation"]
        for each in run["results"]
    ]
    page = built.page("report.html")

    assert artifacts == [{"uri": "source/index.rst", "uriBaseId": "%SRCROOT%"}] * 2
    assert [each["ruleId"] for each in run["results"]] == [
        "handle.syntax",
        "handle.not-registered",
    ]
    assert '<a href="https://forge.example/main/source/index.rst#L4"' in page
    assert '<a href="https://forge.example/main/source/index.rst#L6"' in page


def test_the_page_says_how_old_each_answer_is(project: MakeProject) -> None:
    """What comes from the cache is as old as it is."""
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        made = project(PAGE, handle_resolver=proxy.url, handle_cache="../c")
        first = made.build("handlecheck").page("report.html")
        path = made.folder / "c"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE answers SET asked = asked - 3 * 86400 - 60")
        again = made.build("handlecheck").page("report.html")

        assert first.count("just now</time>") == 2
        assert again.count("3 days ago</time>") == 1
        assert proxy.asked == {"20.1000/1": 1, "20.1000/404": 2}


def test_the_same_answers_give_the_same_reports(project: MakeProject) -> None:
    """In the order of the documents, however they were read and answered."""
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        pages = {f"page{number}.rst": PAGE for number in range(6)}
        made = project(
            {"index.rst": PAGE, **pages}, handle_resolver=proxy.url, handle_cache=False
        )
        one = made.build("handlecheck")
        reports = {
            name: one.page(name)
            for name in ("output.json", "report.sarif", "junit.xml")
        }
        two = made.build("handlecheck", parallel=3, fresh=True)

    assert {name: two.page(name) for name in reports} == reports


def test_a_handle_is_spelled_as_at_its_first_place_whichever_was_read_first(
    project: MakeProject,
) -> None:
    """A service that follows a finding from run to run knows it by its handle."""
    pages = {
        "index.rst": "T\n=\n\ndoi:10.1000/abc\n\n.. toctree::\n\n   last\n",
        "last.rst": "L\n=\n\ndoi:10.1000/ABC\n",
    }
    with running({}) as proxy:
        made = project(pages, handle_resolver=proxy.url, handle_cache=False)
        first = made.build("handlecheck").page("report.sarif")
        made.write({"last.rst": f"{pages['last.rst']}\nAnd more.\n"})
        again = made.build("handlecheck").page("report.sarif")

    assert again == first
    assert '"handle/v1": "10.1000/abc"' in first


def test_malformed_references_are_in_the_reports(project: MakeProject) -> None:
    """What decides the exit status can be found in them."""
    built = project("Title\n=====\n\n:hdl:`not a <b>handle`\n").build("handlecheck")

    assert built.returncode == 1
    assert "not a &lt;b&gt;handle" in built.page("report.html")
    assert '<failure type="syntax" message="a handle is prefix/suffix' in built.page(
        "junit.xml"
    )
    assert '"ruleId": "handle.syntax"' in built.page("report.sarif")


def test_malformed_ones_that_are_information_do_not_fail(project: MakeProject) -> None:
    """`handle_severity` decides the exit status, too."""
    built = project(
        "Title\n=====\n\n:hdl:`not a handle`\n", handle_severity={"syntax": "info"}
    ).build("handlecheck")

    assert built.returncode == 0
    assert "<failure" not in built.page("junit.xml")


def test_one_file_carries_what_is_known_to_the_next_run(
    project: MakeProject, tmp_path: Path
) -> None:
    """A build service begins each time with nothing else."""
    page = "Title\n=====\n\nhdl:20.1000/1 hdl:20.1000/2 hdl:20.1000/3\n"
    records = dict.fromkeys(("20.1000/1", "20.1000/2"), "https://example.org/")
    kept = tmp_path / "kept" / "handles.sqlite"
    with running(records) as proxy:
        reports = [
            project(page, handle_resolver=proxy.url, handle_cache=str(kept))
            .build("handlecheck")
            .page("output.json")
            for _ in range(2)
        ]

        assert proxy.asked == {"20.1000/1": 1, "20.1000/2": 1, "20.1000/3": 1}
    assert reports[0] == reports[1]
    assert [path.name for path in kept.parent.iterdir()] == ["handles.sqlite"]
