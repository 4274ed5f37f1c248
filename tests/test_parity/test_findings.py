"""A finding is the same in every front end and every report.

Each case stands in reStructuredText and in Markdown, on the same line.  Its code, severity,
message, suggestion and advice are compared, and what makes a run fail stands in every report
of the run.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from handle_cli.command import hdl
from handle_pipelines.mystmd.tree import correct_targets, link_references, role
from handle_system import DEFAULT_PROXIES
from handle_system.findings.codes import Code
from mdit_handle import handle_plugin
from mdit_handle.record import HANDLES
from tests.background import nobody_at
from tests.command_line import runner
from tests.test_parity.test_said_by import CASES as SAID_CASES
from tests.test_parity.test_said_by import POLICY, REFERENCES
from tests.test_sphinx.conftest import needs_sphinx_8_1
from tests.test_sphinx.project import Built, Project


class Case(NamedTuple):
    """A reference in two syntaxes, and what is said about it."""

    rst: str
    markdown: str
    code: str
    level: str
    message: str
    suggestion: str | None = None


def _text(source: str, *said: str | None) -> Case:
    return Case(f"See {source} now.", f"See {source} now.", *said)  # type: ignore[arg-type] # three and one


def _role(name: str, content: str, *said: str | None) -> Case:
    return Case(f":{name}:`{content}`", f"{{{name}}}`{content}`", *said)  # type: ignore[arg-type] # as above


def _link(target: str, *said: str | None) -> Case:
    return Case(f"`see <{target}>`__", f"[see]({target})", *said)  # type: ignore[arg-type] # as above


PLACEHOLDER = '"zenodo.XXXXXXX" is a placeholder'
BROKEN = "the address is broken"
NO_SLASH = 'no "/" between prefix and suffix'
DOI = "doi:10.1000/182"
LETTERS = "letters stand for digits in the prefix"
TWICE = "a scheme is written twice"
SPACE = "white space is not allowed in a prefix"
LIBRARY = "https://doi-org.library.example.edu/10.1000/182"
OF_LIBRARY = "this is the address of a library's proxy, where others meet a login"
BARE = "without a scheme, a link leads to a file of that name"
WIDE = 'U+FF0F only looks like the "/" between prefix and suffix'
NIHON = "hdl:cnri.test/日本"
CASES = [
    _text("doi:10.5281/zenodo.XXXXXXX", "placeholder", "warning", PLACEHOLDER),
    _role("doi", "10.5281/zenodo.XXXXXXX", "placeholder", "warning", PLACEHOLDER),
    _role("hdl", "20.1000", "syntax", "error", NO_SLASH),
    _role(
        "doi", "https:/doi.org/10.1000/182", "broken-address", "warning", BROKEN, DOI
    ),
    _link("hdl:20.1000", "link", "error", NO_SLASH),
    _link("https:/doi.org/10.1000/182", "broken-address", "warning", BROKEN, DOI),
    _text("https:/doi.org/10.1000/182", "broken-address", "note", BROKEN, DOI),
    _text(
        "doi:20.5/3",
        "malformed",
        "note",
        'the prefix of a DOI is "10" or begins with "10."',
        "hdl:20.5/3",
    ),
    _text(
        "https://doi.org/doi:10.1000/182",
        "doubled-scheme",
        "note",
        "a reference is written inside a proxy's URL",
        DOI,
    ),
    _text(
        "hdl:20.1000/a∕b",
        "slash-look-alike",
        "warning",
        'U+2215 DIVISION SLASH looks like "/" and is another character',
        "hdl:20.1000/a/b",
    ),
    _text(
        "hdl:20.1000/a%20b",
        "white-space",
        "note",
        "white space inside a handle is rarely meant",
    ),
    _text(
        "doi:10.1000/182;doi:10.1000/183",
        "glued",
        "warning",
        "a second reference stands inside the suffix",
    ),
    _link(
        "https://doi.org/10.1000/182.",
        "trailing-punctuation",
        "warning",
        "'.' at the end is probably not meant",
        DOI,
    ),
    _role("doi", "10.1O00/182", "broken-address", "warning", LETTERS, DOI),
    _role("hdl", "doi:10.1O00/182", "broken-address", "warning", LETTERS, DOI),
    _link("doi:10.1O00/182", "broken-address", "warning", LETTERS, DOI),
    _role("doi", "doi:doi:10.1000/182", "doubled-scheme", "warning", TWICE, DOI),
    _link("doi:doi:10.1000/182", "doubled-scheme", "warning", TWICE, DOI),
    _role("doi", "10.1000%2F182", "syntax", "error", NO_SLASH, "10.1000/182"),
    _role("hdl", "20.1000%2F182", "syntax", "error", NO_SLASH, "20.1000/182"),
    _role("doi", "DOI 10.1000/182", "syntax", "error", SPACE, "10.1000/182"),
    _text(LIBRARY, "broken-address", "note", OF_LIBRARY, DOI),
    _link(LIBRARY, "broken-address", "warning", OF_LIBRARY, DOI),
    _role("doi", LIBRARY, "broken-address", "warning", OF_LIBRARY, DOI),
    _link("10.1000/182", "broken-address", "warning", BARE, DOI),
    _text(
        "doi:10.1000/", "malformed", "note", 'the suffix is missing: nothing after "/"'
    ),
    _text(
        "hdl:cnri.test/%E1",
        "malformed",
        "note",
        "the octets %E1 are not UTF-8, and no charset is given for them",
    ),
    _text(
        "hdl:latin@cnri.test/a",
        "malformed",
        "note",
        '"latin" before "@" is not the name of a known charset',
    ),
    _text("hdl:cnri.test／日本", "malformed", "note", WIDE, NIHON),
    _text("doi：10.1000／182", "malformed", "note", WIDE, DOI),
    _role("hdl", "hdl:cnri.test／日本", "syntax", "error", WIDE, NIHON),
    _role(
        "hdl",
        "gb2312@cnri.test/%C8%D5%B1%BE",
        "looks-encoded",
        "warning",
        "a bare handle is not percent-decoded, and this one holds escapes",
        "hdl:gb2312@cnri.test/%C8%D5%B1%BE",
    ),
    Case(
        "doi:10.1000/a&lt;b",
        r"doi:10.1000/a\&lt;b",
        "entity",
        "warning",
        '"&lt;" is an entity of HTML, which stands for another character',
        "doi:10.1000/a%3Cb",
    ),
    _role(
        "doi",
        "10.5281/zenodo.TODO",
        "placeholder",
        "warning",
        '"zenodo.TODO" is a placeholder',
    ),
    _role("doi", "10.1002/x(1", "cut-off", "warning", 'nothing closes the "(" in it'),
    Case(
        "`10.1000/1 <https://doi.org/10.1000/182>`__",
        "[10.1000/1](https://doi.org/10.1000/182)",
        "other-target",
        "warning",
        "the text shows doi:10.1000/1, and the link leads to doi:10.1000/182",
    ),
]
RST = "\n\n".join(case.rst for case in CASES) + "\n"
MARKDOWN = "\n\n".join(case.markdown for case in CASES) + "\n"
EXPECTED = [
    (2 * number + 1, case.code, case.level, case.message, case.suggestion)
    for number, case in enumerate(CASES)
]
_LEVELS = {"ERROR": "error", "WARNING": "warning"}


@pytest.mark.parametrize(
    ("name", "source"), [("a.rst", RST), ("a.md", MARKDOWN)], ids=["rst", "markdown"]
)
def test_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, source: str
) -> None:
    """``hdl check``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(source, "utf-8")
    done = runner().invoke(
        hdl, ("check", "--format", "json", name), catch_exceptions=False
    )
    keys = ("line", "code", "level", "message", "suggestion")

    assert [tuple(map(each.get, keys)) for each in json.loads(done.stdout)] == EXPECTED


def test_plugin() -> None:
    """The Markdown plugin."""
    env: dict[str, list[dict[str, object]]] = {}
    MarkdownIt("commonmark").use(handle_plugin).render(MARKDOWN, env)
    keys = ("code", "level", "message", "suggestion")
    said = [
        (record["line"], *map(each.get, keys))
        for record in env[HANDLES]
        for each in record["diagnostics"]  # type: ignore[attr-defined] # plain data
    ]

    assert said == EXPECTED


def test_mystmd() -> None:
    """The plugin for mystmd."""
    said: list[str] = []
    for case in CASES:
        if match := re.fullmatch(r"\{(\w+)\}`(.*)`", case.markdown):
            role(match[1], match[2], DEFAULT_PROXIES, said.append)
            continue
        # mystmd decodes escapes.
        value = case.markdown.replace("\\", "")
        node: dict[str, object] = {"type": "text", "value": value}
        if match := re.fullmatch(r"\[([^]]+)\]\((.*)\)", case.markdown):
            text = {"type": "text", "value": match[1]}
            node = {"type": "link", "url": match[2], "children": [text]}
        tree = {
            "type": "root",
            "children": [{"type": "paragraph", "children": [node]}],
        }
        link_references(tree, DEFAULT_PROXIES, said.append)
        correct_targets(tree, DEFAULT_PROXIES, said.append)

    # A level, the reference, and what is said about it.
    levels = [line.partition(": ")[0] for line in said]
    texts = [line.split(": ", maxsplit=2)[2] for line in said]
    assert levels == [case.level for case in CASES]
    assert texts == [_logged(case) for case in CASES]


def _logged(case: Case) -> str:
    help_text = f"; write {case.suggestion}" if case.suggestion else ""
    return f"{case.message}{help_text} [handle.{case.code}]"


@pytest.mark.parametrize("name", ["index.rst", "index.md"])
def test_sphinx(tmp_path: Path, name: str) -> None:
    """The log of a build; what is information there is no warning."""
    source = RST if name.endswith("rst") else MARKDOWN
    built = Project(
        tmp_path,
        {name: source},
        extensions=("myst_parser",),
        suppress_warnings=["toc.not_included"],
    ).build()
    said = re.findall(
        rf"^{name}:(\d+): (\w+): .*?: (.*)$", built.warnings, re.MULTILINE
    )

    assert [(int(line), _LEVELS[level], rest) for line, level, rest in said] == [
        (2 * number + 1, case.level, _logged(case))
        for number, case in enumerate(CASES)
        if case.level != "note"
    ]


FAULTS: dict[str, tuple[str, dict[str, object]]] = {
    "placeholder": (":doi:`10.5281/zenodo.XXXXXXX`", {}),
    "syntax": (":hdl:`20.1000`", {}),
    "link": ("`x <hdl:20.1000>`__", {}),
    "markup": ("See doi:10.1000/a<0081: and", {}),
    "glued": ("doi:10.1000/182;doi:10.1000/183", {}),
    "not-registered": ("hdl:20.1000/missing", {}),
    "record": ("hdl:20.1000/nowhere", {}),
    "retracted": ("doi:10.1000/182", {"handle_references": "references.json"}),
    "cite-work-as-version": (
        (
            ".. cite-version::\n   :title: T\n   :work: 20.1000/w\n   :version: 2\n"
            "   :handle: 20.1000/w"
        ),
        {},
    ),
    "citation": (".. cite-version::\n   :work: nothing", {}),
    "config": ("text", {"handle_budget": -1}),
    "references": ("text", {"handle_references": "broken.json"}),
    "nothing-verified": ("hdl:20.1000/x", {}),
    "no-values": ("hdl:20.1000/empty", {}),
    "suffix": (
        "hdl:102.100.272/Y35XYSOQH",
        {"handle_suffix_policy": {"102.100.272": "pilin"}},
    ),
    "cache": ("hdl:20.1000/w", {"handle_cache": "index.rst"}),
}
FILES = {
    "records.json": json.dumps(
        {
            "20.1000/nowhere": "urn:x",
            "20.1000/empty": {"responseCode": 200, "values": []},
            "20.1000/w": "https://example.org/",
            "10.1000/182": "https://example.org/",
        }
    ),
    "broken.json": "<<<<<<< HEAD\n",
    "references.json": json.dumps(
        [
            {
                "id": "doi:10.1000/182",
                "type": "article-journal",
                "title": "A title",
                "custom": {"updates": [{"state": "retracted", "by": "10.1000/183"}]},
            }
        ]
    ),
}


class Reports(NamedTuple):
    """What fails in each output of one build, by kind.

    Attributes:
        log: In the log: the file and the kind.
        sarif: In SARIF: the file and the kind.
        junit: In JUnit: how often each kind.
        problems: The number on the page.
    """

    log: set[tuple[str, str]]
    sarif: set[tuple[str, str]]
    junit: Counter[str]
    problems: int


def _reports(built: Built) -> Reports:
    log = re.findall(
        r"^([\w-]+\.rst)(?::\d+)?: (?:WARNING|ERROR): .*\[handle\.([\w-]+)\]$",
        built.warnings,
        re.MULTILINE,
    )
    run = json.loads((built.out / "report.sarif").read_text("utf-8"))["runs"][0]
    sarif = {
        (
            Path(
                result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            ).name,
            result["ruleId"].removeprefix("handle."),
        )
        for result in run["results"]
        if result["level"] != "note"
    }
    suite = ET.parse(built.out / "junit.xml").getroot()  # noqa: S314 (our own)
    junit = Counter(failure.get("type", "") for failure in suite.iter("failure"))
    page = (built.out / "report.html").read_text("utf-8")
    problems = re.search(r"<b>(\d+) problems?</b>", page)
    return Reports(set(log), sarif, junit, int(problems[1]) if problems else 0)


REGISTERED = (
    *("20.1000/manual", "20.1000/manual-1", "20.1000/manual-2"),
    *("10.1000/182", "10.1000/183"),
)
# A build of one page for each case.
ON_PAGES = {f"{code}.rst": case.rst for code, case in SAID_CASES.items()}


def _whole_project(folder: Path, **options: object) -> Project:
    pages = {name: f"A page\n======\n\n{text}\n" for name, text in ON_PAGES.items()}
    return _project(
        folder,
        {
            "index.rst": "T\n=\n",
            # A handle that stands on several pages is logged once.
            "records.json": json.dumps(
                dict.fromkeys(REGISTERED, "https://example.org/")
            ),
            "references.json": REFERENCES,
            **pages,
        },
        {
            "handle_resolver": "records.json",
            "handle_cache": "",
            "handle_references": "references.json",
            "handle_suffix_policy": POLICY,
            "suppress_warnings": ["toc.not_included"],
            **options,
        },
    )


@pytest.fixture(scope="module")
def first_build(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Reports]:
    """The first build of all pages, in one process."""
    project = _whole_project(tmp_path_factory.mktemp("whole"))
    return project, _reports(project.build("handlecheck"))


def test_every_kind_stands_in_every_report(
    first_build: tuple[Project, Reports],
) -> None:
    """What is a warning or an error of a page is one in the log and in each report."""
    _project, reports = first_build
    failing = {
        (f"{code}.rst", str(code))
        for code, case in SAID_CASES.items()
        if code.severity(in_text=case.rst.startswith("See ")).fails
    }

    assert failing <= reports.log
    assert reports.log == reports.sarif
    assert set(reports.junit) == {code for _file, code in reports.log}
    assert reports.junit.total() == reports.problems


def test_a_build_that_reads_nothing_reports_the_same(
    first_build: tuple[Project, Reports],
) -> None:
    """A second build reports what the first one did; its log names what it asked."""
    project, reports = first_build
    built = project.build("handlecheck")
    again = _reports(built)

    assert "0 added, 0 changed, 0 removed" in built.status
    assert built.returncode == 1
    assert again[1:] == reports[1:]


def test_a_build_of_two_processes_reports_the_same(
    first_build: tuple[Project, Reports], tmp_path: Path
) -> None:
    """So does a build whose pages are read side by side."""
    _project, reports = first_build

    assert _reports(_whole_project(tmp_path).build("handlecheck", parallel=2)) == (
        reports
    )


def test_nothing_is_said_of_kinds_that_are_off(tmp_path: Path) -> None:
    """Where every kind is off, a build passes, and its log and reports are empty."""
    off = dict.fromkeys(map(str, Code), "off")
    built = _whole_project(tmp_path, handle_severity=off).build("handlecheck")

    assert _reports(built) == Reports(set(), set(), Counter(), 0)
    assert built.returncode == 0


def _handlecheck(tmp_path: Path, code: str, **conf: object) -> Built:
    text, more = FAULTS[code]
    options = {"handle_resolver": "records.json", "handle_cache": "", **more, **conf}
    files = {"index.rst": f"A page\n======\n\n{text}\n", **FILES}
    if code not in {"nothing-verified", "cache"}:
        return _project(tmp_path, files, options).build("handlecheck", strict=True)
    with nobody_at() as address:
        options["handle_resolver"] = address
        return _project(tmp_path, files, options).build("handlecheck", strict=True)


def _project(
    folder: Path, files: Mapping[str, str], options: Mapping[str, object]
) -> Project:
    return Project(folder, files, **options)  # type: ignore[arg-type] # options of ours


@needs_sphinx_8_1
@pytest.mark.parametrize("code", FAULTS)
def test_what_makes_a_run_fail_stands_in_its_reports(tmp_path: Path, code: str) -> None:
    """``sphinx-build -W -b handlecheck`` and its four reports agree."""
    built = _handlecheck(tmp_path, code)
    logged = {*re.findall(r"(?:WARNING|ERROR): .*\[handle\.(.*)\]", built.warnings)}
    run = json.loads((built.out / "report.sarif").read_text("utf-8"))["runs"][0]
    rules = {
        each["ruleId"].removeprefix("handle.")
        for each in run["results"]
        if each["level"] != "note"
    }
    notes = [
        each
        for each in run["invocations"][0]["toolExecutionNotifications"]
        if each["level"] != "note"
    ]
    suite = ET.parse(built.out / "junit.xml").getroot()  # noqa: S314 (our own)
    failures = {each.get("type") for each in suite.iter("failure")}
    page = (built.out / "report.html").read_text("utf-8")
    problems = re.search(r"<b>(\d+) problems?</b>", page)

    assert built.returncode == 1
    assert code in logged
    assert failures == logged
    assert (
        rules | {each["descriptor"]["id"].removeprefix("handle.") for each in notes}
        == logged
    )
    assert problems is not None
    assert int(problems[1]) == len([*suite.iter("failure")])


@needs_sphinx_8_1
@pytest.mark.parametrize("code", FAULTS)
def test_what_is_switched_off_is_nowhere(tmp_path: Path, code: str) -> None:
    """A kind that the project switches off is in no log and in no report."""
    built = _handlecheck(tmp_path, code, handle_severity={code: "off"})

    assert f"handle.{code}" not in built.warnings
    for name in ("report.sarif", "junit.xml", "report.html"):
        assert code not in re.findall(
            r'(?:"handle\.|type="|<section id=")([\w-]+)"',
            (built.out / name).read_text("utf-8"),
        )


#: The kinds that no case here causes; other tests do, each in its front ends.
ELSEWHERE = {
    # In reStructuredText, a bibliography, or a text beside an identifier alone.
    *(Code.TARGET, Code.EMPTY, Code.ADDRESS_IN_FIELD, Code.OTHER_WORK, Code.SAME_DOI),
    # With what a server, a machine or another package does.
    *(Code.REFUSED, Code.UNREACHABLE, Code.VERIFICATION_STOPPED, Code.MYST),
    *(Code.REFERENCES_AGE, Code.SKIPPED),
    # With a release, or with records of a work and its versions.
    *(Code.CITE_RELEASE, Code.CITE_WORK_TARGET, Code.CITE_VERSION_TARGET),
    # With the files of a repository.
    Code.STALE_VERSION,
}


def test_every_kind_has_a_case() -> None:
    """A new kind needs a case, or a place in the list of those that have none."""
    covered = {*SAID_CASES, *map(Code, FAULTS)}

    assert covered | ELSEWHERE == set(Code)
    assert not covered & ELSEWHERE


def test_every_kind_has_a_row() -> None:
    """Each kind has a title and a text for the manual."""
    for code in Code:
        assert code.sentence.endswith(".")
        assert code.help
