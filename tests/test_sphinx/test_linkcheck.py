"""`-b linkcheck`: handles are asked for at their records."""

import json

import pytest

from tests.background import nobody_at
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
    with nobody_at() as address:
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
        assert proxy.requests == []


@pytest.mark.parametrize(
    "conf",
    [
        {"linkcheck_exclude_documents": ["ind.*"]},
        {"linkcheck_ignore": [r"https://(doi\.org|hdl\.handle\.net)/"]},
        {"handle_verify_exclude_documents": ["index"]},
        {"handle_verify_ignore": ["20.1000", "10.1000/1*"]},
    ],
)
def test_what_is_left_out_is_ignored_and_not_asked_for(
    project: MakeProject, conf: dict[str, object]
) -> None:
    """By Sphinx's options and by ours."""
    with running({}) as proxy:
        built = project(
            PAGE, handle_resolver=proxy.url, handle_cache=False, **conf
        ).build("linkcheck")
        rows = [json.loads(line) for line in built.page("output.json").splitlines()]

        assert [(row["status"], row["uri"]) for row in rows] == [
            ("ignored", "hdl:/20.1000/1"),
            ("ignored", "http://dx.doi.org/10.1000%2F182"),
            ("ignored", "20.1000/404"),
            ("ignored", "https://hdl.handle.net/20.1000/404"),
        ]
        assert built.returncode == 0
        assert proxy.requests == []


@pytest.mark.parametrize("off", ["", ":no-handle:\n\n", ".. rst-class:: no-handle\n\n"])
def test_links_that_are_not_taken_for_handles_are_checked_as_any_other(
    project: MakeProject, off: str
) -> None:
    """By Sphinx: what nobody asks for at its record must not be passed over."""
    with running({}) as proxy:
        link = f"{proxy.url}20.1000/1"
        built = project(
            f"{off}`a link <{link}>`_\n",
            handle_resolver=proxy.url,
            handle_proxies={"": proxy.url},
            handle_cache=False,
            handle_recognize=bool(off),
        ).build("linkcheck")
        (row,) = [json.loads(line) for line in built.page("output.json").splitlines()]

        assert (row["status"], row["uri"], row["code"]) == ("broken", link, 0)
        assert row["info"].startswith("404 Client Error: Not Found for url: ")
        assert built.returncode == 1
        assert {path.partition("?")[0] for path in proxy.requests} == {"/20.1000/1"}


@pytest.mark.parametrize(
    ("severity", "status", "word"),
    [("error", 1, "broken"), ("info", 0, "ignored"), ("off", 0, "ignored")],
)
def test_links_are_broken_where_the_project_says_so(
    project: MakeProject, severity: str, status: int, word: str
) -> None:
    """`handle_severity` holds for the link checker, too."""
    with running({"20.1000/1": {"responseCode": 2}}) as proxy:
        built = project(
            "T\n=\n\nhdl:20.1000/1\n",
            handle_resolver=proxy.url,
            handle_cache=False,
            handle_severity={"unreachable": severity},
        ).build("linkcheck")
    (row,) = [json.loads(line) for line in built.page("output.json").splitlines()]

    assert (built.returncode, row["status"]) == (status, word)


def test_hostile_records_make_no_lines(project: MakeProject) -> None:
    """What a record says is shown with its line breaks escaped."""
    url = {
        "index": 1,
        "type": "URL",
        "data": {"format": "string", "value": "x\nindex.rst:1: [broken] forged"},
        "ttl": 86400,
        "timestamp": "2026-11-20T17:05:40Z",
    }
    with running({"20.1000/1": [url]}) as proxy:
        built = project(
            "T\n=\n\nhdl:20.1000/1\n",
            handle_resolver=proxy.url,
            handle_cache=False,
            handle_severity={"record": "warning"},
        ).build("linkcheck")

    assert built.page("output.txt").count("\n") == 1
    assert built.page("output.txt").startswith("index.rst:4: [broken] hdl:20.1000/1: ")
