"""`handle_verify`: asked beside the build, told at its end."""

import json

import pytest

from tests.proxy_server import running
from tests.test_sphinx.conftest import MakeProject

PAGES = {
    "index.rst": """
Title
=====

Known: hdl:20.1000/1, and not: hdl:20.1000/404.

.. toctree::

   other
""",
    "other.md": """
# Other

One

two [again](https://hdl.handle.net/20.1000/404) and {hdl}`20.1000/1`.
""",
}
UNREGISTERED = (
    "index.rst:4: WARNING: hdl:20.1000/404: this handle is not registered "
    "(also at other:5) [handle.not-registered]\n"
)


@pytest.mark.parametrize("parallel", [1, 2])
def test_each_unregistered_handle_is_told_once_with_all_its_places(
    project: MakeProject, parallel: int
) -> None:
    """Whoever reads the documents, one process or several."""
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        built = project(
            PAGES,
            extensions=("myst_parser",),
            handle_verify=True,
            handle_resolver=proxy.url,
            handle_cache=False,
        ).build(parallel=parallel)

        assert built.warnings == UNREGISTERED
        assert "handles: 4 references, 2 distinct handles, 1 resolved" in built.status
        assert proxy.asked == {"20.1000/1": 1, "20.1000/404": 1}


def test_documents_that_did_not_change_are_verified_too(project: MakeProject) -> None:
    """A second build reads nothing, and says the same."""
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        made = project(
            PAGES,
            extensions=("myst_parser",),
            handle_verify=True,
            handle_resolver=proxy.url,
            handle_cache=False,
        )
        made.build()
        again = made.build()

        assert again.warnings == UNREGISTERED
        assert proxy.asked == {"20.1000/1": 2, "20.1000/404": 2}


def test_warnings_count_in_a_strict_build(project: MakeProject) -> None:
    """They come before the build has ended."""
    with running({}) as proxy:
        built = project(
            "Title\n=====\n\nhdl:20.1000/404\n",
            handle_verify=True,
            handle_resolver=proxy.url,
            handle_cache=False,
        ).build(strict=True)

        assert built.returncode == 1


def test_no_answer_is_one_line_and_nothing_against_the_documents(
    project: MakeProject,
) -> None:
    """Not a warning, so that a strict build goes through without a network."""
    with running({}) as proxy:
        address = proxy.url
    built = project(
        "Title\n=====\n\nhdl:20.1000/1 and hdl:20.1000/2\n",
        handle_verify=True,
        handle_resolver=address,
        handle_cache=False,
    ).build(strict=True)

    assert built.warnings == ""
    assert built.returncode == 0
    assert "2 of 2 handles could not be verified, which says nothing" in built.status
    assert "handles: 2 references, 2 distinct handles, 0 resolved" in built.status


def test_a_records_file_stands_in_for_a_server(project: MakeProject) -> None:
    """Its path is relative to the source folder."""
    records = {"20.1000/1": "https://example.org/1"}
    built = project(
        {**PAGES, "records.json": json.dumps(records)},
        extensions=("myst_parser",),
        handle_verify=True,
        handle_resolver="records.json",
    ).build()

    assert built.warnings == UNREGISTERED


def test_a_records_file_that_is_not_there_is_told_by_the_options_name(
    project: MakeProject,
) -> None:
    """And the build goes on without verifying."""
    made = project(
        PAGES,
        extensions=("myst_parser",),
        handle_verify=True,
        handle_resolver="records.json",
    )
    built = made.build()

    assert built.warnings == (
        "WARNING: handle_resolver: records.json: it cannot be read: "
        "No such file or directory [handle.config]\n"
    )
    assert "distinct handles" not in built.status


def test_nothing_is_asked_unless_the_project_wants_it(project: MakeProject) -> None:
    """No network is the default."""
    with running({}) as proxy:
        project(PAGES, extensions=("myst_parser",), handle_resolver=proxy.url).build()

        assert proxy.requests == []
