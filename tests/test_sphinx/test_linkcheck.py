"""`-b linkcheck`: handles are asked for at their records."""

import json

from tests.proxy_server import running
from tests.test_sphinx.conftest import MakeProject

PAGE = """
Title
=====

Good: hdl:/20.1000/1 and http://dx.doi.org/10.1000%2F182.
Bad: :hdl:`a title <20.1000/404>`, and again
`here <https://hdl.handle.net/20.1000/404>`_.
"""


def test_each_place_is_reported_as_its_author_wrote_it(project: MakeProject) -> None:
    """Good handles are ok; unregistered ones are broken, with the reason."""
    records = {"20.1000/1": "https://example.org/", "10.1000/182": "https://doi.org/x"}
    with running(records) as proxy:
        built = project(PAGE, handle_resolver=proxy.url, handle_cache=False).build(
            "linkcheck"
        )
        rows = [json.loads(line) for line in built.page("output.json").splitlines()]

        assert [(row["lineno"], row["status"], row["uri"]) for row in rows] == [
            (4, "working", "hdl:/20.1000/1"),
            (4, "working", "http://dx.doi.org/10.1000%2F182"),
            (5, "broken", "20.1000/404"),
            (6, "broken", "https://hdl.handle.net/20.1000/404"),
        ]
        assert built.page("output.txt") == (
            "index.rst:5: [broken] 20.1000/404: this handle is not registered\n"
            "index.rst:6: [broken] https://hdl.handle.net/20.1000/404: "
            "this handle is not registered\n"
        )
        assert built.returncode == 1
        assert proxy.asked == {"20.1000/1": 1, "10.1000/182": 1, "20.1000/404": 1}


def test_what_could_not_be_asked_is_not_broken(project: MakeProject) -> None:
    """No answer says nothing about a link."""
    with running({}) as proxy:
        address = proxy.url
    built = project(PAGE, handle_resolver=address, handle_cache=False).build(
        "linkcheck"
    )
    rows = [json.loads(line) for line in built.page("output.json").splitlines()]

    assert {row["status"] for row in rows} == {"ignored"}
    assert built.page("output.txt") == ""
    assert built.returncode == 0


def test_patterns_of_ignored_links_hold_for_handles_too(project: MakeProject) -> None:
    """A project's own exceptions stay exceptions."""
    with running({}) as proxy:
        built = project(
            PAGE,
            handle_resolver=proxy.url,
            handle_cache=False,
            linkcheck_ignore=[r".*20\.1000", "http://dx"],
        ).build("linkcheck")

        assert built.page("output.txt") == ""
        assert built.returncode == 0
