"""Each kind of finding is the same in every report of a run, and decides its status.

The findings of a run are compared with each of its reports, word by word.  Then each kind
is the only one that a project wants to hear of, and then it is off as well.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import pytest

from handle_system.findings.codes import Code, FrontEnd
from handle_system.findings.finding import Finding, Place
from sphinxcontrib_handle.verification.report import REPORT_FILES
from tests.test_parity.front_ends import (
    USUAL,
    checked_by_command,
    inline_table,
    resolver_of,
    sphinx_project,
    spied_findings,
    without_function_of_myst,
    write_project,
)
from tests.test_parity.kinds import CASES
from tests.test_sphinx.conftest import needs_sphinx_8_1
from tests.test_sphinx.project import Built, Project

pytestmark = pytest.mark.slow


class Row(NamedTuple):
    """What a report says of a finding at a place.

    Attributes:
        code: The kind; empty where the report has none.
        level: The severity.
        file: The file.
        line: The line, or 0.
        text: The message, and what stands beside it.
    """

    code: str
    level: str
    file: str
    line: int
    text: str


def _parts(finding: Mapping[str, Any]) -> list[str]:
    """The texts of a finding that every report of it shows."""
    facts = [f"{word} {value}" for word, value in finding["facts"].items()]
    suggestion = finding["suggestion"]
    written = [] if suggestion is None else [f"write {suggestion}"]
    advice = finding["advice"].splitlines()
    command = [finding["command"]] if finding["command"] else []
    return [finding["message"], *facts, *written, *advice, *command]


def _key(row: Row) -> tuple[str, str, str, int]:
    return row.code, row.level, row.file, row.line


def _assert_shown(
    rows: Sequence[Row], findings: Sequence[tuple[Mapping[str, Any], Place]]
) -> None:
    """Each finding at each place is a row with all of its words, and there is no other."""
    expected = sorted(
        (str(finding["code"]), str(finding["level"]), place.file, place.line)
        for finding, place in findings
    )
    assert sorted(map(_key, rows)) == expected
    for finding, place in findings:
        key = (finding["code"], finding["level"], place.file, place.line)
        texts = [row.text for row in rows if _key(row) == key]
        assert any(all(part in text for part in _parts(finding)) for text in texts), (
            key,
            _parts(finding),
            texts,
        )


_LINE = re.compile(
    r"(?:(?P<file>[^\s:]+)(?::(?P<line>\d+))?(?::\d+)?: )?"
    r"(?P<level>error|warning|note): (?P<text>.*) \[(?P<code>[\w-]+)\]"
)


def _rows_of_text(report: str) -> list[Row]:
    """The rows of the report in lines, and of the one for terminals."""
    rows: list[Row] = []
    for line in report.splitlines():
        match = _LINE.fullmatch(line)
        if match:
            number = int(match["line"] or 0)
            row = Row(
                match["code"],
                match["level"],
                match["file"] or "",
                number,
                match["text"],
            )
            rows.append(row)
        elif rows:
            rows[-1] = rows[-1]._replace(text=f"{rows[-1].text}\n{line}")
    return rows


def _rows_of_csv(report: str) -> list[Row]:
    return [
        Row(
            row["code"],
            row["level"],
            row["file"],
            int(row["line"] or 0),
            f"{row['message']}\n{row['help']}",
        )
        for row in csv.DictReader(io.StringIO(report))
    ]


_COMMAND = re.compile(r"::(?P<level>\w+) (?P<properties>[^:]*)::(?P<text>.*)")


def _rows_of_github(report: str) -> list[Row]:
    rows = []
    for line in report.splitlines():
        match = _COMMAND.fullmatch(line)
        assert match is not None, line
        properties = dict(part.split("=", 1) for part in match["properties"].split(","))
        text = match["text"].replace("%0A", "\n").replace("%25", "%")
        row = Row(
            code=properties["title"],
            level=match["level"].replace("notice", "note"),
            file=properties.get("file", ""),
            line=int(properties.get("line", 0)),
            text=text,
        )
        rows.append(row)
    return rows


def _rows_of_sarif(report: str) -> list[Row]:
    run = json.loads(report)["runs"][0]
    results = [
        (result["ruleId"], result, result["locations"]) for result in run["results"]
    ]
    notes = run["invocations"][0]["toolExecutionNotifications"]
    results += [
        (note["descriptor"]["id"], note, note["locations"] or [None]) for note in notes
    ]
    rows = []
    for rule, result, locations in results:
        text = result["message"]["text"].replace("{{", "{").replace("}}", "}")
        for location in locations:
            place = location["physicalLocation"] if location else {}
            row = Row(
                code=rule.removeprefix("handle."),
                level=result["level"],
                file=place.get("artifactLocation", {}).get("uri", ""),
                line=place.get("region", {}).get("startLine", 0),
                text=text,
            )
            rows.append(row)
    return rows


class _Cases(NamedTuple):
    """The test cases of a report in JUnit's format, by what became of them.

    Attributes:
        failed: Kind and message of those that failed.
        skipped: The messages of those that were skipped.
        others: The messages of those that passed with a text.
    """

    failed: list[tuple[str, str]]
    skipped: list[str]
    others: list[str]


def _cases_of_junit(report: str) -> _Cases:
    suite = ET.fromstring(report)  # noqa: S314 (our own)
    return _Cases(
        failed=[
            (failure.get("type", ""), failure.get("message", ""))
            for failure in suite.iter("failure")
        ],
        skipped=[skipped.text or "" for skipped in suite.iter("skipped")],
        others=[out.text or "" for out in suite.iter("system-out")],
    )


def _assert_in_junit(
    report: str, findings: Sequence[Mapping[str, Any]], excluded: int = 0
) -> None:
    """Each finding is a test case: a failure, a skipped one, or one with a text."""
    cases = _cases_of_junit(report)
    failing = [each for each in findings if each["level"] != "note"]
    assert sorted(code for code, _ in cases.failed) == sorted(
        each["code"] for each in failing
    )
    notes = [each for each in findings if each["level"] == "note"]
    assert len(cases.skipped) + len(cases.others) - excluded == len(notes)
    for finding in findings:
        texts = [*cases.skipped, *cases.others]
        if finding["level"] != "note":
            texts = [text for code, text in cases.failed if code == finding["code"]]
        assert any(all(part in text for part in _parts(finding)) for text in texts)


def _assert_on_page(page: str, findings: Sequence[Mapping[str, Any]]) -> None:
    """Each finding stands in the section of its kind, and the page counts the problems."""
    sections = dict(
        re.findall(r'<section id="([\w-]+)".*?>(.*?)</section>', page, re.DOTALL)
    )
    assert {*sections} - {"resolved", "ignored"} == {each["code"] for each in findings}
    for code, section in sections.items():
        shown = unescape(re.sub(r"<[^>]*>", "", section))
        for finding in findings:
            # A very long text is cut.
            if finding["code"] == code:
                assert all(part in shown for part in _parts(finding)), code
    problems = sum(each["level"] != "note" for each in findings)
    plural = "" if problems == 1 else "s"
    assert f"<b>{problems} problem{plural}</b>" in page


_LEVELS = {"ERROR": "error", "WARNING": "warning"}


def _failing_in_log(built: Built) -> set[tuple[str, str]]:
    """Severity and kind of each warning of a build."""
    found = re.findall(
        r"(ERROR|WARNING): .*?\[handle\.([\w-]+)\]$", built.warnings, re.MULTILINE
    )
    return {(_LEVELS[level], code) for level, code in found}


class _Run(NamedTuple):
    """A build of ``handlecheck``.

    Attributes:
        built: The build.
        findings: Its findings.
        reports: The text of each report, by the name of its file.
    """

    built: Built
    findings: list[Finding]
    reports: Mapping[str, str]


def _assert_agrees(run: _Run, *, excluded: int = 0) -> None:
    """The log, the four reports and the status say the same."""
    members = [finding.to_json() for finding in run.findings]
    rows = [
        (finding.to_json(), place)
        for finding in run.findings
        for place in finding.places or (Place(),)
    ]
    failing = {
        (each["level"], each["code"]) for each in members if each["level"] != "note"
    }
    _assert_shown(_rows_of_sarif(run.reports["report.sarif"]), rows)
    _assert_in_junit(run.reports["junit.xml"], members, excluded)
    _assert_on_page(run.reports["report.html"], members)
    assert _failing_in_log(run.built) == failing
    outcomes = {
        each["handle"]: each["outcome"]
        for each in json.loads(run.reports["output.json"])
    }
    for finding in run.findings:
        if finding.code in _OUTCOMES:
            assert outcomes[finding.subject] == _OUTCOMES[finding.code]


#: The outcomes that are findings.
_OUTCOMES = {
    Code.NOT_REGISTERED: "not-registered",
    Code.NO_VALUES: "no-values",
    Code.REFUSED: "refused",
    Code.UNREACHABLE: "unreachable",
}


def _page(code: Code) -> str:
    """A page in reStructuredText, or in Markdown where that cannot say it."""
    return "page.md" if code is Code.EMPTY else "page.rst"


def _text(code: Code) -> str:
    case = CASES[code]
    return case.markdown if code is Code.EMPTY else case.rst


@pytest.fixture(scope="module")
def whole_project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, _Run]:
    """A project with all the cases that nothing has to stand around, and its first run."""
    project = _whole_project(tmp_path_factory.mktemp("whole"))
    return project, _run(project)


def _whole_project(folder: Path) -> Project:
    names = {code: f"{code}.{_page(code).partition('.')[2]}" for code in CASES}
    pages = {
        names[code]: f"{_text(code)}\n"
        for code, case in CASES.items()
        if case.around is None
    }
    return sphinx_project(folder, pages)


def _run(project: Project, **options: Any) -> _Run:
    with pytest.MonkeyPatch.context() as patch, spied_findings(patch) as findings:
        built = project.build("handlecheck", **options)
    reports = {name: (built.out / name).read_text("utf-8") for name in REPORT_FILES}
    return _Run(built, [*findings], reports)


def test_all_reports_of_a_build_agree(whole_project: tuple[Project, _Run]) -> None:
    """What is said of a project stands in its log and in its four reports."""
    _project, run = whole_project
    kinds = {code for code, case in CASES.items() if case.around is None}

    assert {finding.code for finding in run.findings} >= kinds
    assert run.built.returncode == 1
    _assert_agrees(run)


def test_a_build_that_reads_nothing_reports_the_same(
    whole_project: tuple[Project, _Run],
) -> None:
    """A second build reports what the first one did; its log names what it asked."""
    project, first = whole_project
    second = _run(project)

    assert "0 added, 0 changed, 0 removed" in second.built.status
    assert second.built.returncode == 1
    assert sorted(map(str, second.findings)) == sorted(map(str, first.findings))
    assert [finding.places for finding in second.findings] == [
        finding.places for finding in first.findings
    ]


def test_a_build_of_two_processes_reports_the_same(
    whole_project: tuple[Project, _Run], tmp_path: Path
) -> None:
    """So does a build whose pages are read side by side."""
    _project, first = whole_project
    run = _run(_whole_project(tmp_path), parallel=2)

    assert {(str(each), each.places) for each in run.findings} == {
        (str(each), each.places) for each in first.findings
    }
    _assert_agrees(run)


@contextmanager
def _built_alone(code: Code, folder: Path) -> Iterator[Project]:
    """The project of one case, while its server runs."""
    around = CASES[code].around or USUAL
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        resolver = stack.enter_context(resolver_of(around, folder, patch))
        if code is Code.MYST:
            stack.enter_context(without_function_of_myst(patch))
        pages = {_page(code): f"A page\n======\n\n{_text(code)}\n"}
        # Only the first page speaks of the release.
        yield sphinx_project(
            folder / "project", pages, around, resolver, root_doc="page"
        )


#: The kinds that are about what the command reads, and no build.
_OF_COMMAND = {code for code in Code if FrontEnd.SPHINX not in code.said_by}


@needs_sphinx_8_1
@pytest.mark.parametrize("code", sorted({*Code} - _OF_COMMAND))
def test_a_kind_decides_the_status_of_a_build(tmp_path: Path, code: Code) -> None:
    """One kind alone: as severe as it is, as an error, and off, with ``-W``.

    A project that wants to hear of no other kind fails by it exactly if it is a warning
    or an error, and it stands in the log and in every report. One that is off is nowhere.
    """
    others = {str(other): "off" for other in Code if other is not code}
    chosen = (CASES[code].around or USUAL).severity
    with _built_alone(code, tmp_path) as project:
        usual = _run(project, strict=True, handle_severity={**others, **chosen})
        severe = _run(
            project, strict=True, handle_severity={**others, str(code): "error"}
        )
        off = _run(project, strict=True, handle_severity={**others, str(code): "off"})

    assert {finding.code for finding in usual.findings} == {code}
    _assert_agrees(usual)
    fails = any(finding.severity.fails for finding in usual.findings)
    assert usual.built.returncode == int(fails)

    assert {(each.code, each.severity.value) for each in severe.findings} == {
        (code, "error")
    }
    assert severe.built.returncode == 1

    assert off.findings == []
    assert "[handle." not in off.built.warnings
    assert off.built.returncode == 0
    _assert_agrees(off)


_REPORTS = {
    "text": _rows_of_text,
    "grouped": _rows_of_text,
    "csv": _rows_of_csv,
    "github": _rows_of_github,
    "sarif": _rows_of_sarif,
}


@contextmanager
def _checked_alone(code: Code, folder: Path) -> Iterator[tuple[Path, Sequence[str]]]:
    """The folder of one case and options of ``hdl check``, while its server runs."""
    around = CASES[code].around or USUAL
    project = folder / "project"
    project.mkdir()
    write_project(project, around, {_page(code): f"{_text(code)}\n"})
    with (
        pytest.MonkeyPatch.context() as patch,
        resolver_of(around, folder, patch) as resolver,
    ):
        yield project, ("--verify", "--resolver", resolver) if resolver else ()


def _with_severities(project: Path, severities: Mapping[str, str]) -> None:
    path = project / "pyproject.toml"
    text = path.read_text("utf-8").partition("severity = ")[0]
    path.write_text(f"{text}severity = {inline_table(severities)}\n", "utf-8")


#: The kinds that are about a build, and no check of files.
_OF_BUILD = {code for code in Code if FrontEnd.HDL not in code.said_by}


@pytest.mark.parametrize("code", sorted({*Code} - _OF_BUILD))
def test_a_kind_decides_the_status_of_a_check(tmp_path: Path, code: Code) -> None:
    """One kind alone in each report of ``hdl check``: as severe as it is, and off."""
    others = {str(other): "off" for other in Code if other is not code}
    chosen = (CASES[code].around or USUAL).severity
    with _checked_alone(code, tmp_path) as (project, options):
        _with_severities(project, {**others, **chosen})
        found = checked_by_command(project, *options)
        reports = {
            name: checked_by_command(project, *options, format_name=name)
            for name in (*_REPORTS, "junit")
        }
        _with_severities(project, {**others, str(code): "error"})
        severe = checked_by_command(project, *options)
        _with_severities(project, {**others, str(code): "off"})
        off = {
            name: checked_by_command(project, *options, format_name=name)
            for name in ("json", *_REPORTS, "junit")
        }

    rows = json.loads(found.output)
    assert {row["code"] for row in rows} == {code}
    at_places = [(row, Place(file=row["file"], line=row["line"])) for row in rows]
    for name, rows_of in _REPORTS.items():
        _assert_shown(rows_of(reports[name].output), at_places)
    _assert_in_junit(reports["junit"].output, rows)

    fails = any(row["level"] != "note" for row in rows)
    status = 3 if code.leaves_unverified else int(fails)
    assert {done.status for done in (found, *reports.values())} == {status}
    severe_status = 2 if code is Code.SKIPPED else 3 if code.leaves_unverified else 1
    assert {row["level"] for row in json.loads(severe.output)} == {"error"}
    assert severe.status == severe_status

    assert json.loads(off["json"].output) == []
    for name, rows_of in _REPORTS.items():
        assert rows_of(off[name].output) == []
    assert _cases_of_junit(off["junit"].output) == _Cases([], [], [])
    assert {done.status for done in off.values()} == {0}


def test_every_kind_is_said_by_a_build_or_a_check() -> None:
    """No kind is left out of both tests, and each has its case."""
    assert {*CASES} == {*Code}
    assert not _OF_COMMAND & _OF_BUILD
    assert sorted(_OF_COMMAND) == [
        Code.ADDRESS_IN_FIELD,
        Code.SKIPPED,
        Code.STALE_VERSION,
    ]


def test_every_kind_has_a_row() -> None:
    """Each kind has a title and a text for the manual."""
    for code in Code:
        assert code.sentence.endswith(".")
        assert code.help
