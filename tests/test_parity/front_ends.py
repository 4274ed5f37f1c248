"""What each front end says about a case: its findings, as plain data."""

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import pytest
from markdown import Markdown
from markdown_it import MarkdownIt

from handle_cli.command import hdl
from handle_pipelines.mystmd import main
from handle_pipelines.pandoc.filtering import filter_document
from handle_pipelines.pandoc.metadata import settings_of
from handle_pipelines.python_markdown import HandleExtension
from handle_system.findings import reports
from handle_system.findings.codes import Code
from handle_system.findings.finding import Finding
from mdit_handle import handle_plugin
from mdit_handle.record import HANDLES
from tests.background import nobody_at
from tests.command_line import runner
from tests.proxy_server import running
from tests.test_parity.kinds import POLICY, RECORDS, Case, Server, Surroundings
from tests.test_sphinx.project import Project

__all__ = [
    "USUAL",
    "Checked",
    "Said",
    "by_extension",
    "by_mystmd",
    "by_pandoc",
    "by_plugin",
    "checked_by_command",
    "inline_table",
    "resolver_of",
    "said",
    "sphinx_project",
    "spied_findings",
    "without_function_of_myst",
    "write_project",
]

USUAL = Surroundings()


class Said(NamedTuple):
    """What is said: everything but the places and what differs by program."""

    code: str
    level: str
    message: str
    suggestion: str | None
    facts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> "Said":
        """What the members of a finding say, as `Finding.to_json` gives them."""
        return cls(
            code=members["code"],
            level=members["level"],
            message=members["message"],
            suggestion=members["suggestion"],
            facts=tuple(members["facts"].items()),
        )


def said(findings: Iterable[Finding], code: Code) -> dict[Said, set[int]]:
    """The lines of the findings of a kind, by what they say."""
    lines: dict[Said, set[int]] = {}
    for finding in findings:
        if finding.code is code:
            its_lines = {place.line for place in finding.places} or {0}
            lines.setdefault(Said.of(finding.to_json()), set()).update(its_lines)
    return lines


# A process that gives one outcome, and then stops.
_STOPPING = """
import json, sys
_settings, written = (sys.stdin.readline().strip() for _ in range(2))
print(json.dumps({"handle": "20.1000/registered", "outcome": "resolved",
    "target": "https://example.org/", "reason": None, "aliases": [],
    "possible_targets": ["https://example.org/"], "addresses": ["https://example.org/"],
    "replaced_by": "", "indexes": [], "answered": None, "is_remembered": False,
    "caveat": "", "written": written}))
raise RuntimeError("a mistake")
"""


@contextmanager
def resolver_of(
    around: Surroundings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The address of who is asked; empty if nobody is."""
    server: Any = nullcontext()
    if around.server is Server.RECORDS:
        server = running({**RECORDS, **around.records})  # type: ignore[dict-item] # plain data
    elif around.server is Server.MISSING:
        server = nobody_at()
    elif around.server is Server.STOPPING:
        (folder / "stopping_filter.py").write_text(_STOPPING)
        path = (str(folder), os.environ.get("PYTHONPATH", ""))
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, path)))
        name = "handle_system.verifying.process._FILTER"
        monkeypatch.setattr(name, "stopping_filter")
        server = nobody_at()
    with server as started:
        yield started.url if around.server is Server.RECORDS else started or ""


def sphinx_project(
    folder: Path,
    pages: Mapping[str, str],
    around: Surroundings = USUAL,
    resolver: str = "",
    **conf: Any,
) -> Project:
    """A project with these pages; if nobody is asked, a file has the answers."""
    index = {} if "index.rst" in pages else {"index.rst": "T\n=\n"}
    options: dict[str, Any] = {
        "extensions": ("myst_parser",),
        # MyST warns of a link without a target, too.
        "suppress_warnings": ["toc.not_included", "myst.xref_missing"],
        "handle_cache": "",
        "handle_resolver": resolver or "records.json",
        "handle_references": "references.json",
        "handle_suffix_policy": POLICY,
        "handle_references_age": 90,
        "handle_severity": around.severity,
        **around.conf,
        **conf,
    }
    files = {
        **index,
        "records.json": json.dumps(RECORDS),
        "references.json": around.references,
        **around.files,
        **pages,
    }
    return Project(folder, files, **options)


@contextmanager
def spied_findings(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Finding]]:
    """The findings from which the last ``handlecheck`` wrote its reports."""
    seen: list[Finding] = []
    write = reports.sarif_report

    def spy(findings: Sequence[Finding], *, tool: str) -> Any:
        seen[:] = findings
        return write(findings, tool=tool)

    with monkeypatch.context() as patch:
        patch.setattr(reports, "sarif_report", spy)
        yield seen


@contextmanager
def without_function_of_myst(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A module of MyST's that does not create parsers in the way that we know."""
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "myst_nb.sphinx_", ModuleType("myst_nb.sphinx_"))
        yield


class Checked(NamedTuple):
    """What a run of ``hdl check`` gave."""

    output: str
    errors: str
    status: int


def inline_table(texts: Mapping[str, str]) -> str:
    """An inline table of TOML."""
    pairs = ", ".join(f'"{key}" = "{text}"' for key, text in texts.items())
    return f"{{ {pairs} }}"


def write_project(folder: Path, around: Surroundings, pages: Mapping[str, str]) -> None:
    """Write what ``hdl check`` and the language server read."""
    table = (
        "[tool.handle]\n"
        'references = ["references.json"]\n'
        f"suffix_policy = {inline_table(POLICY)}\n{around.table}\n"
    )
    if around.severity:
        table += f"severity = {inline_table(around.severity)}\n"
    files = {
        "pyproject.toml": table,
        "references.json": around.references,
        **around.files,
        **pages,
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")


def checked_by_command(
    folder: Path, *options: str, format_name: str = "json"
) -> Checked:
    """What ``hdl check`` says of a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        arguments = ("check", "--format", format_name, *options)
        done = runner().invoke(hdl, arguments, catch_exceptions=False)
    return Checked(done.stdout, done.stderr, done.exit_code)


def by_plugin(case: Case, references: Path) -> list[Any]:
    """The findings of the Markdown plugin, each with its line."""
    around = case.around or USUAL
    md = MarkdownIt("commonmark").use(
        handle_plugin,
        references=references,
        suffix_policy=POLICY,
        severity=around.severity,
        **around.options,
    )
    env: dict[str, list[dict[str, Any]]] = {}
    md.render(case.markdown, env)
    return [
        (Said.of(finding), record["line"] or 0)
        for record in env.get(HANDLES, [])
        for finding in record["diagnostics"]
    ]


def by_extension(case: Case, references: Path) -> list[Finding]:
    """The findings of the extension of Python-Markdown."""
    around = case.around or USUAL
    extension = HandleExtension(
        references=str(references), suffix_policy=POLICY, severity=around.severity
    )
    md = Markdown(extensions=[extension])
    md.convert(case.markdown)
    findings: list[Finding] = md.handle_findings
    return findings


def by_mystmd(
    case: Case,
    references: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> str:
    """The standard error of the plugin for mystmd, which mystmd shows."""
    steps = [case.arguments]
    if case.arguments == ("--transform",):
        steps = [
            ("--transform", "handle-references"),
            ("--transform", "handle-targets"),
        ]
    data: object = case.mystmd
    log = ""
    for arguments in steps:
        stream = io.BytesIO(json.dumps(data).encode())
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
        main(arguments, references=references)
        written = capsys.readouterr()
        log += written.err
        data = json.loads(written.out)
    return log


def by_pandoc(case: Case, references: Path) -> list[Finding]:
    """The findings of the filter for Pandoc."""
    severity = {
        code: {"t": "MetaString", "c": level}
        for code, level in (case.around or USUAL).severity.items()
    }
    settings = {"severity": {"t": "MetaMap", "c": severity}}
    document: dict[str, Any] = {
        "blocks": case.pandoc,
        "meta": {
            "bibliography": {"t": "MetaString", "c": str(references)},
            "handle": {"t": "MetaMap", "c": settings},
        },
    }
    return filter_document(document, settings_of(document["meta"]))
