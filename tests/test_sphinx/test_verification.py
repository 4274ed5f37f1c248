"""`handle_verify` and `handlecheck` verify during the build and report at its end."""

import contextlib
import json
import os
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sphinx.cmd.build import build_main as sphinx_build
from sphinx.errors import ExtensionError

from tests.background import nobody_at
from tests.faults import sending
from tests.native_server import running_natively
from tests.proxy_server import Record, alias_of, running
from tests.test_sphinx.conftest import MakeProject, needs_sphinx_8_1
from tests.test_sphinx.project import Built, kept_locale

pytestmark = pytest.mark.slow

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
KNOWN: dict[str, Record] = {"20.1000/1": "https://example.org/1"}
UNREGISTERED = (
    "index.rst:4: WARNING: hdl:20.1000/404: this handle is not registered "
    "(also at other:5) [handle.not-registered]\n"
)
PAGE = """
Title
=====

Good: hdl:/20.1000/1.
Bad: :hdl:`a title <20.1000/404>`, and again
`here <https://hdl.handle.net/20.1000/404>`_.
"""


def at(resolver: object, **more: object) -> dict[str, Any]:
    """Settings that verify with a resolver, without a cache."""
    settings = {"handle_resolver": resolver, "handle_cache": False}
    return {**settings, "handle_verify": True, **more}


def rows_of(built: Built) -> list[Any]:
    """The JSON report."""
    return list(json.loads(built.page("output.json")))


def test_each_unregistered_handle_is_one_warning_with_all_its_places(
    project: MakeProject,
) -> None:
    """Each unregistered handle gets one warning, with any number of processes."""
    with running(KNOWN) as proxy:
        made = project(PAGES, extensions=("myst_parser",), **at(proxy.url))
        for parallel in (2, 1):
            built = made.build(parallel=parallel)

            assert built.warnings == UNREGISTERED
            assert (
                "handles: 4 references, 2 distinct handles, 1 resolved, "
                "1 not registered\n"
            ) in built.status
        assert proxy.asked == {"20.1000/1": 2, "20.1000/404": 2}


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ("", ["not-registered"]),
        ("https://example.org/", []),
        (sending(b"", status=500), ["nothing-verified", "unregistered"]),
    ],
    ids=["not registered", "registered", "no answer"],
)
def test_what_its_record_says_now_counts(
    project: MakeProject, record: Record, told: list[str]
) -> None:
    """The new answer is told, and the one in the file of references where there is none."""
    day = datetime.now(UTC).date().isoformat()
    item = {"id": "doi:10.1000/1", "custom": {"unregistered": day}}
    files = {
        "index.rst": "T\n=\n\nSee :doi:`10.1000/1`.\n",
        "references.json": json.dumps([item]),
    }
    with running({"10.1000/1": record} if record else {}) as proxy:
        made = project(files, **at(proxy.url, handle_references="references.json"))
        built = made.build("handlecheck")
        page = made.build("html")

    for log in (built.warnings, page.warnings):
        assert sorted(re.findall(r"\[handle\.(.*)\]", log)) == told
    report = json.loads(built.page("report.sarif"))
    in_report = {result["ruleId"] for result in report["runs"][0]["results"]}
    assert in_report - {"handle.unreachable"} == {
        f"handle.{code}" for code in told if code != "nothing-verified"
    }


def test_an_answer_counts_for_the_documents_that_are_not_verified(
    project: MakeProject,
) -> None:
    """What an update was told is not said beside a new answer, wherever a page stands."""
    item = {"id": "doi:10.1000/1", "custom": {"unregistered": "2026-11-20"}}
    files = {
        "a.rst": ":orphan:\n\nA\n=\n\nSee :doi:`10.1000/1`.\n",
        "index.rst": "T\n=\n\nSee :doi:`10.1000/1`.\n",
        "references.json": json.dumps([item]),
    }
    with running({}) as proxy:
        settings = at(
            proxy.url,
            handle_references="references.json",
            handle_verify_exclude_documents=["a"],
        )
        built = project(files, **settings).build()

    assert re.findall(r"\[handle\.(.*)\]", built.warnings) == ["not-registered"]


def test_an_application_that_builds_again_verifies_again(project: MakeProject) -> None:
    """If an application builds again, as a live server does, it verifies again."""
    with running(KNOWN) as proxy:
        made = project(PAGES, extensions=("myst_parser",), **at(proxy.url))
        changes = [
            {"other.md": f"# O\n\n{{hdl}}`20.1000/40{last}`\n"} for last in (2, 3)
        ]
        built = made.build(then=changes)

        assert proxy.asked == {
            "20.1000/1": 3,
            "20.1000/404": 3,
            "20.1000/402": 1,
            "20.1000/403": 1,
        }
    assert re.findall(r"other.md:3: WARNING: (.*) \[", built.warnings) == [
        "20.1000/402: this handle is not registered",
        "20.1000/403: this handle is not registered",
    ]


TWO = "T\n=\n\nhdl:20.1000/1 and hdl:20.1000/2\n"
NOTHING = (
    "WARNING: none of the 2 handles could be verified: no connection to "
    "127.0.0.1: Connection refused [handle.nothing-verified]\n"
)


@pytest.mark.parametrize(
    ("builder", "page", "strict", "warnings", "code"),
    [
        pytest.param("html", TWO, True, NOTHING, 1, marks=needs_sphinx_8_1),
        ("handlecheck", TWO, False, NOTHING, 3),
        pytest.param("handlecheck", TWO, True, NOTHING, 1, marks=needs_sphinx_8_1),
        ("linkcheck", TWO, False, NOTHING, 0),
        ("handlecheck", "T\n=\n\nNo reference\n", False, "", 0),
    ],
)
def test_a_verification_that_verified_nothing_is_no_silent_success(
    project: MakeProject,
    builder: str,
    page: str,
    strict: bool,  # noqa: FBT001 (as above)
    warnings: str,
    code: int,
) -> None:
    """If nothing is verified, a warning says so; `handlecheck` exits with 3, or 1."""
    with nobody_at() as address:
        made = project(page, **at(address))
        built = made.build(builder, strict=strict)

        assert (built.warnings, built.returncode) == (warnings, code)
        if code == 3:
            assert "2 distinct handles, 2 unreachable\n" in built.status
            assert [(row["outcome"], row["reason"]) for row in rows_of(built)] == [
                ("unreachable", "no connection to 127.0.0.1: Connection refused")
            ] * 2
            made.write({"index.rst": f"{TWO}\n:hdl:`not a handle`\n"})
            assert made.build(builder).returncode == 1


def test_the_command_names_the_unverified_with_v_and_warns_even_with_q(
    project: MakeProject, capsys: pytest.CaptureFixture[str]
) -> None:
    """``-v`` lists each unverified handle; without it, one line counts them."""
    secret: dict[str, Record] = {**KNOWN, "20.1000/2": {"responseCode": 402}}
    reason = (
        "refused, so not verified: the server refused to answer (response code 402)"
    )
    with running(secret) as proxy:
        made = project(TWO, **at(proxy.url))
        usual = made.build("handlecheck").status
        folders = (str(made.source), str(made.folder / "out"))
        command = ["-E", "-b", "handlecheck", *folders]
        with kept_locale():
            assert sphinx_build([*command, "-v"]) == 0
    loud = capsys.readouterr().out
    with nobody_at() as address, kept_locale():
        code = sphinx_build([*command, "-q", "-D", f"handle_resolver={address}"])

    unverified = f"source/index.rst:4: hdl:20.1000/2: {reason}"
    assert unverified in loud.replace(f"{made.folder}/", "")
    assert "20.1000/2" not in usual
    assert re.search(r"\nverifying handles\.\.\. (\d+% )*done\n", usual)
    assert f"1 of 2 handles {reason}\n" in usual
    assert (*capsys.readouterr(), code) == ("", NOTHING, 3)


KILLING = """
import os
from handle_system.settings import Settings
from handle_system.verifying.process import VerificationProcess

def setup(app):
    def kill(app, env):
        for listener in app.events.listeners["build-finished"]:
            verification = getattr(listener.handler, "__self__", None)
            run = getattr(verification, "_run", None)
            child = getattr(getattr(run, "_process", None), "_process", None)
            if child is not None:
                child.kill()
                child.wait()
    app.connect("env-updated", kill, priority=950)
"""


@pytest.mark.parametrize(
    ("builder", "prelude", "python", "reason"),
    [
        ("handlecheck", KILLING, sys.executable, "it was killed by SIGKILL"),
        (
            "linkcheck",
            "",
            "/nowhere/python",
            "it cannot start: [Errno 2] No such file or directory: '/nowhere/python'",
        ),
    ],
)
def test_a_check_is_never_green_when_its_process_was_killed_or_did_not_start(
    project: MakeProject,
    builder: str,
    prelude: str,
    python: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If its process is killed or does not start, the check fails with a warning."""
    monkeypatch.setattr(sys, "executable", python)
    with running(KNOWN) as proxy:
        built = project(TWO, prelude=prelude, **at(proxy.url)).build(builder)

    assert built.warnings == (
        "WARNING: none of the 2 handles could be verified: verification stopped: "
        f"{reason} [handle.nothing-verified]\n"
    )
    assert built.returncode == 3


STOPPING = """
import json, sys
members = {"outcome": "resolved", "target": "https://example.org/", "reason": None}
more = {
    "aliases": [],
    "possible_targets": [],
    "addresses": [],
    "replaced_by": "",
    "indexes": [],
    "answered": None,
    "is_remembered": False,
    "caveat": "",
}
settings, written = (sys.stdin.readline().strip() for _ in range(2))
print(json.dumps({**members, **more, "written": written}))
raise RuntimeError("a mistake\\x1b of our own")
"""


def test_a_process_that_stops_early_is_a_warning(
    project: MakeProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the process stops early, the warning names the reason, and the check fails."""
    (tmp_path / "stopping_filter.py").write_text(STOPPING)
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setattr("handle_system.verifying.process._FILTER", "stopping_filter")
    built = project(TWO, **at("r.json")).build("handlecheck")

    assert built.warnings == (
        "WARNING: verification stopped before all handles had an outcome: "
        "RuntimeError: a mistake\\x1b of our own [handle.verification-stopped]\n"
    )
    assert built.returncode == 3
    assert "2 distinct handles, 1 resolved, 1 unreachable\n" in built.status


@pytest.mark.parametrize(
    ("variable", "conf", "message"),
    [
        (
            ("NO_PROXY", "*"),
            {"handle_resolver": "r.json"},
            "r.json: it cannot be read: No such file or directory",
        ),
        (
            ("REQUESTS_CA_BUNDLE", "/nowhere/others.pem"),
            {"tls_cacerts": "/nowhere/authorities.pem"},
            (
                "tls_cacerts: /nowhere/authorities.pem cannot be used: "
                "No such file or directory"
            ),
        ),
        (
            ("NO_PROXY", "*"),
            {"user_agent": "日本"},
            "user_agent: '日本' cannot be sent: it is not printable Latin-1",
        ),
    ],
)
def test_a_setting_that_cannot_be_used_is_one_warning_that_names_it(
    project: MakeProject,
    variable: tuple[str, str],
    conf: dict[str, str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An unusable setting gets one warning that names it, and the check fails."""
    monkeypatch.setenv(*variable)
    built = project(
        {"index.rst": "T\n=\n\nhdl:20.1000/1\n"},
        **at("https://127.0.0.1:1/", **conf),
    ).build("handlecheck")

    assert built.warnings == f"WARNING: {message} [handle.nothing-verified]\n"
    assert built.returncode == 3


PATHS = """
from pathlib import Path

here = Path(__file__).parent
handle_resolver = [here / "records.json", {address!r}]
handle_cache = here / "kept" / "c"
tls_cacerts = {{"hdl.example.org": here / "authorities.pem"}}
"""


def test_paths_may_be_path_objects(project: MakeProject) -> None:
    """Our options and `tls_cacerts` accept `Path` objects."""
    records = {"records.json": '{"20.1000/1": "https://draft.example"}'}
    with running({"20.1000/2": "https://example.org/2"}) as proxy:
        made = project(
            {"index.rst": TWO, **records},
            prelude=PATHS.format(address=proxy.url),
            handle_verify=True,
        )
        built = made.build(strict=True)

    assert built.warnings == ""
    assert "2 distinct handles, 2 resolved\n" in built.status
    assert [path.name for path in (made.source / "kept").iterdir()] == ["c"]


IGNORING = {
    "index.rst": """
Title
=====

hdl:20.1000/404 and hdl:20.1000/draft-1 and hdl:20.2000.5/1.

.. toctree::

   other
   notes/old
""",
    "other.rst": "Other\n=====\n\nhdl:20.1000/Draft-1\n",
    "notes/old.rst": "Old\n===\n\nhdl:20.1000/404 and hdl:20.1000/405\n",
}


def test_excluded_handles_and_documents_are_not_asked_for(project: MakeProject) -> None:
    """Handles excluded by prefix, pattern or document are counted as ignored."""
    with running({}) as proxy:
        built = project(
            IGNORING,
            handle_verify_ignore=["20.2000", "20.1000/draft-*"],
            handle_verify_exclude_documents=["notes/*"],
            **at(proxy.url),
        ).build()

        assert proxy.asked == {"20.1000/404": 1, "20.1000/Draft-1": 1}
    assert built.warnings == (
        "index.rst:4: WARNING: hdl:20.1000/404: this handle is not registered "
        "[handle.not-registered]\n"
        "other.rst:4: WARNING: hdl:20.1000/Draft-1: this handle is not registered "
        "[handle.not-registered]\n"
    )
    assert (
        "handles: 6 references, 5 distinct handles, 2 not registered, 3 ignored\n"
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
    "20.1000/silent": {"responseCode": 5},
    "20.1000/nowhere": [],
}
MESSAGES = {
    "not-registered": "hdl:20.1000/404: this handle is not registered",
    "no-values": "hdl:20.1000/none: this handle is registered, and has no public values",
    "record": "hdl:20.1000/nowhere: its record has neither a URL nor a location",
    "refused": "1 of 5 handles refused, so not verified: the server refused to answer "
    "(response code 402)",
    "unreachable": "1 of 5 handles unreachable, so not verified: response code 5",
}


def sarif_run_of(built: Built) -> Any:
    """The only run of the SARIF report."""
    (run,) = json.loads(built.page("report.sarif"))["runs"]
    return run


@pytest.mark.parametrize("severity", ["warning", "note", "off"])
def test_each_outcome_has_the_severity_that_the_project_sets(
    project: MakeProject, severity: str
) -> None:
    """`handle_severity` applies to messages, exit status and reports."""
    fails = severity == "warning"
    with running(OUTCOMES) as proxy:
        built = project(
            SEVERITIES,
            **at(proxy.url, handle_severity=dict.fromkeys(MESSAGES, severity)),
        ).build("handlecheck")
    run = sarif_run_of(built)
    levels = {each["ruleId"]: each["level"] for each in run["results"]}
    notes = run["invocations"][0]["toolExecutionNotifications"]
    unverified = {"refused", "unreachable"}

    assert built.returncode == int(fails)
    for message in MESSAGES.values():
        assert (f"{severity.upper()}: {message}" in built.warnings) == fails
        assert (message in built.status) == (severity == "note")
    assert levels == {
        f"handle.{kind}": severity
        for kind in MESSAGES
        if fails or (severity == "note" and kind not in unverified)
    }
    assert len(notes) == (2 if severity == "note" else 0)
    assert built.page("junit.xml").count("<failure") == (5 if fails else 0)
    assert (
        "5 distinct handles, 1 resolved, 1 not registered, 1 no values, 1 refused, "
        "1 unreachable\n"
    ) in built.status


def test_the_most_frequent_reasons_are_in_one_line(project: MakeProject) -> None:
    """One line lists the most frequent reasons once each, and counts the others."""
    records: dict[str, Record] = {"20.1000/a": {"responseCode": 5}, **KNOWN}
    for number in range(4):
        records[f"20.1000/{number}0"] = alias_of("20.1000/a")
        records[f"20.1000/{number}1"] = {"responseCode": 5}
        records[f"20.1000/{number}2"] = {"responseCode": 10 + number}
    page = " ".join(f"hdl:{handle}" for handle in records)
    with running(records) as proxy:
        built = project(page, **at(proxy.url)).build()
    (line,) = [each for each in built.status.splitlines() if "so not verified" in each]

    assert re.fullmatch(
        "13 of 14 handles unreachable, so not verified: "
        "response code 5: [^;]+; ([^;]+; ){2}and [0-9] more reasons",
        line,
    )


def test_the_reports_list_every_place_of_every_handle(project: MakeProject) -> None:
    """The JSON report lists every place; an unregistered handle makes the status 1."""
    with running(KNOWN) as proxy:
        built = project(PAGE, **at(proxy.url)).build("handlecheck")

    assert rows_of(built) == [
        {
            "handle": "20.1000/1",
            "outcome": "resolved",
            "target": "https://example.org/1",
            "reason": "",
            "addresses": ["https://example.org/1"],
            "places": [{"document": "index", "line": 4, "written": "hdl:/20.1000/1"}],
        },
        {
            "handle": "20.1000/404",
            "outcome": "not-registered",
            "target": None,
            "reason": "",
            "addresses": [],
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


def test_a_value_that_the_record_does_not_have_is_a_finding(
    project: MakeProject, tmp_path: Path
) -> None:
    """A reference to a missing value is reported at its own places, and no other.

    A cache that remembers an older record is no evidence.
    """
    page = (
        "Title\n=====\n\n"
        ":hdl:`cnri.dlib/july95-arms` and :hdl:`1:cnri.dlib/july95-arms`\n\n"
        "but :hdl:`9:cnri.dlib/july95-arms` and :hdl:`x <9:cnri.dlib/july95-arms>`\n"
    )
    old = {"index": 1, "type": "URL", "data": "https://example.org/arms"}
    new = {**old, "index": 9, "type": "EMAIL"}
    severities = {"record": "warning"}
    cache = str(tmp_path / "cache.sqlite")
    with running({"cnri.dlib/july95-arms": {"values": [old]}}) as proxy:
        options = at(proxy.url, handle_severity=severities, handle_cache=cache)
        made = project(page, **options)
        first = made.build("handlecheck")
        reasons = [row["reason"] for row in rows_of(first)]
        page = first.page("report.html")
        proxy.records["cnri.dlib/july95-arms"] = {"values": [old, new]}
        second = made.build("handlecheck")

    assert first.warnings == (
        "index.rst:6: WARNING: 9:cnri.dlib/july95-arms: its record has no value of "
        "index 9 (also at index:6) [handle.record]\n"
    )
    assert reasons == ["", "its record has no value of index 9"]
    assert "4 references to 1 distinct handle, " in page
    assert "handles: 4 references, 1 distinct handle, 1 resolved" in first.status
    assert "A link to a value that is missing leads where the handle leads" in page
    assert (second.warnings, second.returncode) == ("", 0)


def test_retracted_works_are_in_the_reports(project: MakeProject) -> None:
    """The reports for people and services name them; the list of outcomes does not."""
    items = [
        {
            "id": f"doi:{doi}",
            "title": "Urns",
            "custom": {"updates": [{"state": state, "by": "10.5555/notice"}]},
        }
        for doi, state in (("10.5555/a", "retracted"), ("10.5555/b", "superseded"))
    ]
    targets = {"10.5555/a": "https://example.org/a", "10.5555/b": "https://e.org/b"}
    files = {
        "index.rst": "Title\n=====\n\ndoi:10.5555/a and doi:10.5555/b\n",
        "references.json": json.dumps(items),
        "records.json": json.dumps(targets),
    }
    made = project(
        files,
        handle_references="references.json",
        handle_resolver="records.json",
        handle_severity={"superseded": "off"},
    )
    built = made.build("handlecheck")

    page = built.page("report.html")
    section = page[page.index('id="retracted"') :].partition("</section>")[0]
    assert "10.5555/a" in section
    assert "retracted, notice https://doi.org/10.5555/notice" in section
    assert "accept the notice with hdl references accept" in section
    assert 'id="superseded"' not in page
    assert 'id="malformed"' not in page
    assert '"ruleId": "handle.retracted"' in built.page("report.sarif")
    assert "A document cites a work that was retracted." in built.page("report.sarif")
    assert (
        "retracted, notice https://doi.org/10.5555/notice; cite another work, or accept "
        "the notice: hdl references accept"
    ) in built.page("junit.xml")
    assert [row["outcome"] for row in rows_of(built)] == ["resolved", "resolved"]


def test_malformed_references_are_in_the_reports(project: MakeProject) -> None:
    """Malformed references have their severity; the JSON report omits them."""
    page = "Title\n=====\n\n:hdl:`not a <b>handle`\n"
    built = project(page, handle_severity={"syntax": "note"}).build("handlecheck")

    assert (built.returncode, rows_of(built)) == (0, [])
    assert "not<mark> </mark>a &lt;b&gt;handle" in built.page("report.html")
    assert "<failure" not in built.page("junit.xml")
    assert '"ruleId": "handle.syntax"' in built.page("report.sarif")


def test_reports_of_an_earlier_run_are_removed_first(project: MakeProject) -> None:
    """If a build fails, no report of an earlier one is left.

    Without `handle_verify`, another builder makes no request.
    """
    with running(KNOWN) as proxy:
        made = project(TWO, **at(proxy.url, handle_verify=False))
        made.build()
        assert proxy.requests == []
        made.build("handlecheck")
    made.write({"conf.py": (made.source / "conf.py").read_text() + FAILING})
    with pytest.raises(ExtensionError):
        made.build("handlecheck")

    assert not list((made.folder / "out-handlecheck").glob("*.*"))


FAILING = """
def setup(app):
    def fail(*_):
        raise RuntimeError("this build fails")
    app.connect("env-before-read-docs", fail)
"""

INCLUDED = {
    "index.rst": """
Title
=====

.. include:: parts/index.txt

.. automodule:: a_module
""",
    "parts/index.txt": "Shared.\n\nBad: hdl:20.1000/404.\n",
    "a_module.py": '"""A module.\n\nBad: hdl:20.1000/405.\n"""\n\n\n'
    'def function():\n    """\n    A function.\n\n    :hdl:`20.1000/406`\n    """\n',
}


def test_places_in_other_files_have_paths_from_the_repository(
    project: MakeProject, tmp_path: Path
) -> None:
    """Places in an included file or a docstring have that file's path and line."""
    with contextlib.chdir(tmp_path), running({}) as proxy:
        made = project(
            INCLUDED,
            prelude="import sys\nsys.path.insert(0, __file__.rpartition('/')[0])",
            extensions=("sphinx.ext.autodoc",),
            autodoc_default_options={"members": True},
            **at(proxy.url),
        )
        (made.folder / ".git").mkdir()
        built = made.build("handlecheck")
    found = [
        each["locations"][0]["physicalLocation"]
        for each in sarif_run_of(built)["results"]
    ]
    expected = [
        ("source/parts/index.txt", 3),
        ("source/a_module.py", 3),
        ("source/a_module.py", 11),
    ]

    assert sorted(
        (place["file"], place["line"])
        for row in rows_of(built)
        for place in row["places"]
    ) == sorted(expected)
    assert sorted(
        (each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in found
    ) == sorted(expected)
    assert '<a href="../source/parts/index.txt#L3"' in built.page("report.html")


@pytest.mark.skipif(sys.platform == "win32", reason="names of files are Unicode there")
def test_a_file_whose_name_is_not_unicode_is_reported(project: MakeProject) -> None:
    """A file whose name is not Unicode is reported, with the link of the template."""
    with running({}) as proxy:
        forge = "https://forge.example/{file}#L{line}"
        made = project("T\n=\n", **at(proxy.url, handle_place_url=forge))
        made.write({"caf\udce9.rst": ":orphan:\n\nhdl:20.1000/404\n"})
        built = made.build("handlecheck")

    assert rows_of(built)[0]["places"] == [
        {"document": "caf\udce9", "line": 3, "written": "hdl:20.1000/404"}
    ]
    assert '"uri": "caf%E9.rst"' in built.page("report.sarif")
    assert "caf\\udce9.rst:3" in built.page("junit.xml")
    assert (
        '<a href="https://forge.example/caf%E9.rst#L3" rel="noreferrer">'
        "<bdi>caf\\udce9:3</bdi></a>"
    ) in built.page("report.html")


def test_a_cache_carries_answers_to_the_next_build(
    project: MakeProject, tmp_path: Path
) -> None:
    """The next build takes good news from the cache, and has the same outcomes."""
    kept = tmp_path / "kept" / "handles.sqlite"
    with running(KNOWN) as proxy:
        made = project(PAGE, **at(proxy.url, handle_cache=str(kept)))
        first, second = (made.build("handlecheck") for _ in range(2))

        assert proxy.asked == {"20.1000/1": 1, "20.1000/404": 2}
    assert first.page("output.json") == second.page("output.json")
    assert [path.name for path in kept.parent.iterdir()] == ["handles.sqlite"]


def test_a_cache_that_cannot_be_used_is_a_warning(
    project: MakeProject, tmp_path: Path
) -> None:
    """Verification continues without an unusable cache."""
    with running(KNOWN) as proxy:
        built = project(
            "T\n=\n\nhdl:20.1000/1\n", **at(proxy.url, handle_cache=str(tmp_path))
        ).build("handlecheck")

    assert built.warnings.startswith(f"WARNING: the cache {tmp_path} cannot be used: ")
    assert built.warnings.endswith(" [handle.cache]\n")
    assert "1 distinct handle, 1 resolved\n" in built.status


def test_the_same_answers_give_the_same_reports(project: MakeProject) -> None:
    """Reports do not depend on the reading order; a handle has its first spelling."""
    pages = {f"page{number}.rst": PAGE for number in range(6)}
    pages |= {
        "index.rst": f"{PAGE}\ndoi:10.1000/abc\n\n.. toctree::\n   :glob:\n\n   *\n",
        "last.rst": "L\n=\n\ndoi:10.1000/ABC\n",
    }
    names = ("output.json", "report.sarif", "junit.xml")
    with running(KNOWN) as proxy:
        made = project(pages, **at(proxy.url))
        one = made.build("handlecheck")
        reports = [one.page(name) for name in names]
        made.write({"last.rst": f"{pages['last.rst']}\nAnd more.\n"})
        for options in ({}, {"parallel": 3, "fresh": True}):
            again = made.build("handlecheck", **options)  # type: ignore[arg-type]  # keywords
            assert [again.page(name) for name in names] == reports
    assert '"handle/v3": "not-registered 10.1000/abc in index.rst, 1"' in reports[1]


SERVER_PAGES = {
    "index.rst": """
Title
=====

Text hdl://{server}/20.1000/1, a role :hdl:`hdl://{server}/20.1000/2`, a link
`here <hdl://{server}/20.1000/3>`_, and hdl:20.1000/1 without a server.

.. toctree::

   other
""",
    "other.md": """
# Other

Text hdl://{server}/20.1000/4, {{hdl}}`hdl://{server}/20.1000/5`, <hdl://{server}/20.1000/6>,

[a link](hdl://{server}/20.1000/7).
""",
}


@pytest.mark.parametrize("is_named", [True, False])
def test_a_server_that_a_reference_names_is_asked_if_the_project_names_it(
    project: MakeProject, *, is_named: bool
) -> None:
    """A document alone sends nobody anywhere; its other references ask the resolver."""
    with (
        running(KNOWN) as proxy,
        running_natively({"20.1000/9": "https://example.org/9"}) as server,
    ):
        pages = {
            name: text.format(server=server.netloc)
            for name, text in SERVER_PAGES.items()
        }
        named = {"handle_servers": [server.netloc]} if is_named else {}
        made = project(pages, extensions=("myst_parser",), **at(proxy.url, **named))
        built = made.build(parallel=1)

    handles = [f"20.1000/{number}" for number in range(1, 8)]
    written = f"hdl://{server.netloc}/20.1000"
    lines = {1: "index.rst:4", 2: "index.rst:4", 3: "index.rst:5"}
    lines |= {4: "other.md:3", 5: "other.md:3", 6: "other.md:3", 7: "other.md:5"}
    if not is_named:
        # This one is registered at the proxy.
        del lines[1]
    findings = [line for line in built.warnings.splitlines() if "registered" in line]
    assert findings == [
        f"{line}: WARNING: {written}/{number}: this handle is not registered "
        "[handle.not-registered]"
        for number, line in lines.items()
    ]
    assert sorted(server.asked) == (handles if is_named else [])
    assert sorted(proxy.asked) == (handles[:1] if is_named else handles)


def test_a_server_that_cannot_be_named_is_a_warning(project: MakeProject) -> None:
    """A host without a port is a prefix in a reference, so the setting is wrong."""
    built = project({"index.rst": PAGE}, handle_servers=["h.example.org"]).build()

    assert (
        "WARNING: handle_servers: 'h.example.org' is not a server: write "
        "an IP address, or a host with its port, such as 190.12.34.56 or "
        "h.example.org:2641 [handle.config]\n"
    ) in built.warnings
