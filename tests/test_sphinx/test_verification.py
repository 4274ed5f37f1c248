"""`handle_verify`: asked beside the build, told at its end."""

import gc
import json
import re

import pytest

from tests.background import nobody_at
from tests.proxy_server import Record, running
from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built, Project

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


def of_pages(project: MakeProject, resolver: str) -> Project:
    """A project of `PAGES`, verified at a resolver."""
    return project(
        PAGES,
        extensions=("myst_parser",),
        handle_verify=True,
        handle_resolver=resolver,
        handle_cache=False,
    )


@pytest.mark.parametrize("parallel", [1, 2])
def test_each_unregistered_handle_is_told_once_with_all_its_places(
    project: MakeProject, parallel: int
) -> None:
    """Whoever reads the documents, one process or several."""
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        built = of_pages(project, proxy.url).build(parallel=parallel)

        assert built.warnings == UNREGISTERED
        assert "handles: 4 references, 2 distinct handles, 1 resolved" in built.status
        assert proxy.asked == {"20.1000/1": 1, "20.1000/404": 1}


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_is_not_looked_for_while_a_build_waits_for_its_end(
    project: MakeProject, monkeypatch: pytest.MonkeyPatch, *, enabled: bool
) -> None:
    """Whoever has switched that off finds it so, and everybody else finds it on."""
    during = []
    monkeypatch.setattr(
        "sphinxcontrib_handle.verification.tell",
        lambda *_: during.append(gc.isenabled()),
    )
    made = project(
        {"index.rst": "hdl:20.1/1\n", "records.json": "{}"},
        handle_verify=True,
        handle_resolver="records.json",
    )
    was_enabled = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        made.build()
        after = gc.isenabled()
    finally:
        (gc.enable if was_enabled else gc.disable)()

    assert (during, after) == ([False], enabled)


def test_documents_that_did_not_change_are_verified_too(project: MakeProject) -> None:
    """A second build reads nothing, and says the same."""
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        made = of_pages(project, proxy.url)
        made.build()
        again = made.build()

        assert again.warnings == UNREGISTERED
        assert proxy.asked == {"20.1000/1": 2, "20.1000/404": 2}


@pytest.mark.parametrize("builder", ["html", "handlecheck"])
def test_an_application_that_builds_again_verifies_again(
    project: MakeProject, builder: str
) -> None:
    """As where one is kept, and builds whenever something has changed."""
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        made = of_pages(project, proxy.url)
        changes = [{"other.md": f"# O\n\nhdl:20.1000/40{last}\n"} for last in (2, 3)]
        built = made.build(builder, then=changes)

        assert proxy.asked == {
            "20.1000/1": 3,
            "20.1000/404": 3,
            "20.1000/402": 1,
            "20.1000/403": 1,
        }
    assert re.findall(r"other.md:3: WARNING: (.*) \[", built.warnings) == [
        "hdl:20.1000/402: this handle is not registered",
        "hdl:20.1000/403: this handle is not registered",
    ]
    assert built.status.count("2 distinct handles, 1 resolved") == 1
    assert built.status.count("3 distinct handles, 1 resolved") == 2


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
    with nobody_at() as address:
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


def test_one_is_told_of_as_one(project: MakeProject) -> None:
    """In what was not verified as in the line of all."""
    with nobody_at() as address:
        built = project(
            "Title\n=====\n\nhdl:20.1000/1\n",
            handle_verify=True,
            handle_resolver=address,
            handle_cache=False,
        ).build()

    assert (
        "1 of 1 handle could not be verified, which says nothing against it: "
        "no connection to 127.0.0.1: Connection refused\n"
        "handles: 1 reference, 1 distinct handle, 0 resolved\n"
    ) in built.status


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


PATHS = """
from pathlib import Path

here = Path(__file__).parent
handle_resolver = [here / "records.json", {address!r}]
handle_cache = here / "kept" / "c"
tls_cacerts = {{"hdl.example.org": here / "authorities.pem"}}
"""


def test_paths_may_be_path_objects(project: MakeProject) -> None:
    """Ours, and Sphinx's own of authorities to trust."""
    page = "T\n=\n\nhdl:20.1000/1 and hdl:20.1000/2\n"
    with running({"20.1000/2": "https://example.org/2"}) as proxy:
        made = project(
            {
                "index.rst": page,
                "records.json": '{"20.1000/1": "https://draft.example"}',
            },
            prelude=PATHS.format(address=proxy.url),
            handle_verify=True,
        )
        built = made.build(strict=True)

    assert built.warnings == ""
    assert "2 distinct handles, 2 resolved\n" in built.status
    assert [path.name for path in (made.source / "kept").iterdir()] == ["c"]


def test_nothing_is_asked_unless_the_project_wants_it(project: MakeProject) -> None:
    """No network is the default."""
    with running({}) as proxy:
        project(PAGES, extensions=("myst_parser",), handle_resolver=proxy.url).build()

        assert proxy.requests == []


IGNORING = {
    "index.rst": """
Title
=====

hdl:20.1000/404 and hdl:20.1000/draft-1 and hdl:20.2000.5/1.

.. toctree::

   other
   notes/old
""",
    "other.rst": """
Other
=====

hdl:20.1000/Draft-1
""",
    "notes/old.rst": """
Old
===

hdl:20.1000/404 and hdl:20.1000/405
""",
}


@pytest.mark.parametrize("parallel", [1, 2])
def test_what_the_project_leaves_out_is_not_asked_for(
    project: MakeProject, parallel: int
) -> None:
    """By prefix, by handle, by document; it is counted, and told of no place."""
    with running({}) as proxy:
        built = project(
            IGNORING,
            handle_verify=True,
            handle_resolver=proxy.url,
            handle_cache=False,
            handle_verify_ignore=["20.2000", "20.1000/draft-*"],
            handle_verify_exclude_documents=["notes/*"],
        ).build(parallel=parallel)

        assert built.warnings == (
            "index.rst:4: WARNING: hdl:20.1000/404: this handle is not registered "
            "[handle.not-registered]\n"
            "other.rst:4: WARNING: hdl:20.1000/Draft-1: this handle is not registered "
            "[handle.not-registered]\n"
        )
        assert proxy.asked == {"20.1000/404": 1, "20.1000/Draft-1": 1}
        assert (
            "handles: 6 references, 5 distinct handles, 0 resolved, 3 ignored\n"
        ) in built.status


SEVERITIES = """
Title
=====

hdl:20.1000/404, hdl:20.1000/none, hdl:20.1000/secret, hdl:20.1000/silent
and hdl:20.1000/nowhere.
"""
OUTCOMES: dict[str, Record] = {
    "20.1000/none": {"responseCode": 200},
    "20.1000/secret": {"responseCode": 402},
    "20.1000/silent": {"responseCode": 2},
    "20.1000/nowhere": [],
}
SAID = {
    "not-registered": "hdl:20.1000/404: this handle is not registered",
    "no-values": "hdl:20.1000/none: this handle is registered, and its record shows "
    "nothing",
    "record": "hdl:20.1000/nowhere: its record has neither a URL nor a location",
    "refused": "1 of 5 handles could not be verified, which says nothing against it: "
    "the server refused to answer (response code 402)",
    "unreachable": "1 of 5 handles could not be verified, which says nothing against "
    "it: ",
}


@pytest.mark.parametrize("kind", SAID)
@pytest.mark.parametrize(
    ("severity", "status"), [("error", 1), ("warning", 1), ("info", 0), ("off", 0)]
)
def test_each_outcome_is_as_severe_as_the_project_says(
    project: MakeProject, kind: str, severity: str, status: int
) -> None:
    """For the messages, for the exit status, and for the reports."""
    others = dict.fromkeys(SAID, "off")
    with running(OUTCOMES) as proxy:
        built = project(
            SEVERITIES,
            handle_resolver=proxy.url,
            handle_cache=False,
            handle_severity={**others, kind: severity},
        ).build("handlecheck")
    (run,) = json.loads(built.page("report.sarif"))["runs"]
    levels = {each["ruleId"]: each["level"] for each in run["results"]}
    notes = run["invocations"][0]["toolExecutionNotifications"]

    assert built.returncode == status
    assert (SAID[kind] in built.warnings) == bool(status)
    assert (SAID[kind] in built.status) == (severity == "info")
    if status:
        assert built.warnings.count("\n") == 1
        assert f"{severity.upper()}: {SAID[kind]}" in built.warnings
        assert levels == {f"handle.{kind}": severity}
    elif severity == "info" and kind in {"refused", "unreachable"}:
        assert len(notes) == 1
    elif severity == "info":
        assert levels == {f"handle.{kind}": "note"}
    else:
        assert levels == {}
        assert notes == []
    assert built.page("junit.xml").count("<failure") == status


def test_many_reasons_for_no_answer_are_still_one_line(project: MakeProject) -> None:
    """The commonest of them are named."""
    names = [f"alias-{number}" for number in range(6)]
    records: dict[str, Record] = {
        f"20.1000/{name}": [
            {
                "index": 1,
                "type": "HS_ALIAS",
                "data": {"format": "string", "value": f"20.1000/silent-{name}"},
                "ttl": 86400,
                "timestamp": "2026-11-20T17:05:40Z",
            }
        ]
        for name in names
    }
    for name in names:
        records[f"20.1000/silent-{name}"] = {"responseCode": 5}
    with running(records) as proxy:
        built = project(
            "T\n=\n\n" + " ".join(f"hdl:20.1000/{name}" for name in names) + "\n",
            handle_verify=True,
            handle_resolver=proxy.url,
            handle_cache=False,
        ).build()
    (line,) = [each for each in built.status.splitlines() if "could not be" in each]

    assert line.startswith("6 of 6 handles could not be verified, which says nothing")
    assert line.endswith("; and 3 more reasons")


def test_a_reason_is_told_once_whoever_else_has_another(project: MakeProject) -> None:
    """Where several are asked, each handle has the reasons of all."""
    own: dict[str, Record] = {
        "20.1000/a": {"responseCode": 2},
        "20.1000/b": {"responseCode": 5},
    }
    public: dict[str, Record] = {key: {"responseCode": 4} for key in own}
    with running(own) as first, running(public) as second:
        built = project(
            "T\n=\n\nhdl:20.1000/a hdl:20.1000/b\n",
            handle_verify=True,
            handle_resolver=[first.url, second.url],
            handle_cache=False,
        ).build()

    assert (
        "2 of 2 handles could not be verified, which says nothing against them: "
        "response code 4: the server did not understand the request; "
        "response code 2: the responsible server did not answer; "
        "response code 5: the server does not do this\n"
    ) in built.status


def test_a_check_that_could_not_be_made_is_no_success(project: MakeProject) -> None:
    """Whoever asks for nothing but verification must not take silence for it."""
    for builder in ("handlecheck", "linkcheck"):
        made = project(PAGES["index.rst"], handle_resolver="records.json")
        made.write({"records.json": '{"20.1000/1": "https://example.org/1"}'})
        made.build(builder)
        (made.source / "records.json").unlink()
        built = made.build(builder)

        # Those of the first run would be taken for this one's.
        assert not (built.out / "report.html").exists()
        assert "handle_resolver: records.json: it cannot be read" in built.warnings
        assert built.returncode == 1


@pytest.mark.parametrize("builder", ["html", "handlecheck", "linkcheck"])
@pytest.mark.parametrize(
    ("variable", "conf", "said"),
    [
        (
            ("HTTPS_PROXY", "socks5://me:secret@127.0.0.1:1"),
            {},
            (
                "HTTPS_PROXY: the proxy socks5://127.0.0.1:1 cannot be used: only http and "
                "https proxies can"
            ),
        ),
        (
            ("REQUESTS_CA_BUNDLE", "/nowhere/authorities.pem"),
            {},
            (
                "REQUESTS_CA_BUNDLE: the certificates in /nowhere/authorities.pem cannot be "
                "used: No such file or directory"
            ),
        ),
        (
            ("REQUESTS_CA_BUNDLE", "/nowhere/others.pem"),
            {"tls_cacerts": "/nowhere/authorities.pem"},
            (
                "tls_cacerts: the certificates in /nowhere/authorities.pem cannot be used: "
                "No such file or directory"
            ),
        ),
        (
            ("HTTPS_PROXY", ""),
            {"user_agent": "日本"},
            "user_agent: '日本' cannot be sent: it is not printable Latin-1",
        ),
    ],
)
def test_a_setting_that_cannot_be_used_is_told_by_its_name(
    project: MakeProject,
    builder: str,
    variable: tuple[str, str],
    conf: dict[str, str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once, and not as a network that is not there: nothing was asked, nor could be."""
    monkeypatch.setenv(*variable)
    built = project(
        "T\n=\n\nhdl:20.1000/1\n",
        handle_verify=True,
        handle_resolver="https://127.0.0.1:1/",
        handle_cache=False,
        **conf,
    ).build(builder)

    assert built.warnings == f"WARNING: {said} [handle.config]\n"
    assert "could not be verified" not in built.status
    assert built.returncode == (0 if builder == "html" else 1)


def leads(built: Built) -> list[tuple[str, str | None]]:
    rows = json.loads(built.page("output.json"))
    return [(row["outcome"], row["target"]) for row in rows]


def test_several_are_asked_in_order(project: MakeProject) -> None:
    """Own records, then the own proxy, then the public one; and only if need be."""
    page = "T\n=\n\n" + " ".join(f"hdl:20.1000/{each}" for each in "abcd") + "\n"
    known = [
        ("resolved", "https://draft.example/"),
        ("resolved", "https://own.example/"),
    ]
    with running({"20.1000/b": "https://own.example/"}) as own:
        with running({"20.1000/c": "https://public.example/"}) as public:
            made = project(
                {
                    "index.rst": page,
                    "own.json": '{"20.1000/a": "https://draft.example/"}',
                },
                handle_resolver=["own.json", own.url, public.url],
                handle_cache=False,
            )
            built = made.build("handlecheck")

            assert built.returncode == 1
            assert leads(built) == [
                *known,
                ("resolved", "https://public.example/"),
                ("not-registered", None),
            ]
            assert set(own.asked) == {"20.1000/b", "20.1000/c", "20.1000/d"}
            assert set(public.asked) == {"20.1000/c", "20.1000/d"}
        with nobody_at() as gone:
            asked = ["own.json", own.url, gone]
            built = made.build("handlecheck", handle_resolver=asked)

        assert built.returncode == 0
        assert leads(built) == [*known, ("unreachable", None), ("unreachable", None)]
